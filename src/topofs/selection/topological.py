"""Topological Feature Selection as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs.selection.dask_input import check_dask_input, similarity_on_workers
from topofs.selection.explanation import Explanation, Neighbor
from topofs.selection.groups import SpeakingColumns
from topofs.selection.memory_size import parse_memory
from topofs.selection.parameters import check_parameters
from topofs.selection.reading import choose_measure, find_columns_out, read_table
from topofs.selection.rules import rank_nodes
from topofs.selection.similarity_graph import graph_of_similarity, graph_of_table
from topofs.selection.subset_size import column_position, resolve_size
from topofs.similarity.columns import check_readable, is_frame
from topofs.similarity.dask_table import is_dask
from topofs.similarity.typed_table import TypedTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from topofs.graph import FilteredGraph

__all__ = ["TopologicalFeatureSelector"]


class TopologicalFeatureSelector(SpeakingColumns):
    r"""Select columns that stand for the others in a filtered graph of similarities.

    Table → similarity between columns → planar filtered graph → the columns that, along the
    links of the graph, stand for as many others as can be. Labels are not used.
    With :math:`w_{ij}` the variance that i and j share (below), each next column is the one
    that adds most to the coverage

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij},

    and selection stops by itself when the next one would explain no more than itself. The
    published method, which ranks by degree, is `TopologicalFeatureSelector.paper`.

    Parameters
    ----------
    n_features_to_select : "auto", int, float or None, default="auto"
        "auto": as many as explain more than themselves (rule "coverage" only). Or a count, a
        fraction in (0, 1], or None for half of the columns.
    similarity : {"auto", "pearson", "spearman", "mixed", "mutual_information", "energy", \
"precomputed"} or callable, default="auto"
        "auto": "mixed" for a data frame with text, categories or booleans, else "pearson".
        "precomputed": X is the n × n similarity itself. A callable takes the table of the
        columns that vary and returns their similarity.
    squared : bool, default=True
        Square the correlation, so that strong negative links count as links. Plays a part
        for "pearson" and "spearman" only.
    alpha : float, default=0.5
        Weight of the dispersion in the energy coefficient, in [0, 1].
    threshold : {"auto", "mean", None}, default="auto"
        "mean": set similarities below their mean to 0 before filtering, as the authors'
        program does. "auto": with rule "degree" only. Rule "coverage" has a noise floor
        instead; a given similarity, for which there is none, is cut at its mean off the
        diagonal.
    graph : {"tmfg", "pmfg", "mst"}, default="tmfg"
        The filtered graph.
    rule : {"coverage", "degree"}, default="coverage"
        How columns are ranked: by what each adds to the coverage, or by their `centrality`.
    reach : {"paths", "edges", "similarity"}, default="paths"
        Rule "coverage": whom a column stands for. Along the paths of the graph (see Notes),
        its neighbours only, or any column at all, whatever the graph.
    isolated : {"drop", "keep"}, default="drop"
        Rule "coverage": whether "auto" leaves out the columns that share with no neighbour
        more than chance explains, and whether they rank after all others.
    centrality : {"degree", "strength", "eigenvector", "pagerank", "closeness", \
"betweenness"}, default="degree"
        Rule "degree": the score of a node.
    ties : {"strength", "index"}, default="strength"
        Equal scores are ordered by strength (then position), or by position (the paper). Rule
        "coverage": isolated columns only; other equal gains go by position.
    keep : list of str or int, default=None
        Names or positions of columns that are always selected. They count towards
        `n_features_to_select` and come on top of "auto"; the ranking is not changed by them.
    memory : int, str or None, default=None
        Memory that may be used: bytes, text such as "2GB", or None for half of the machine's.
        If the n × n similarity does not fit, the TMFG is built without it; the graph is the
        same (see `topofs.tmfg_from_data`).

    Attributes
    ----------
    scores_ : array of float, shape (n_features,)
        What each column added to the coverage at its turn, or its centrality; 0 for columns
        that take no part.
    ranking_ : array of int, shape (n_features,)
        A permutation of 1 … n_features; 1 is the best.
    support_ : array of bool, shape (n_features,)
        The selected columns.
    n_features_ : int
        How many they are.
    coverage_ : array of float, shape (graph_.n_nodes,)
        Share of the columns that the first 1, 2, … of the ranking stand for.
    representative_, representative_weight_ : arrays of int and float, shape (n_features,)
        Position of the selected column that stands for each column (-1: none does), and the
        share of its variance that it explains.
    groups_ : tuple of Group
        The selected columns, best first, each with the columns it stands for.
    isolated_ : array of int
        Positions of the columns with no neighbour above the noise floor.
    similarity_ : str or callable
        The similarity that was used: `similarity`, with "auto" resolved.
    graph_ : FilteredGraph
        The graph over the columns that vary, labelled with their names.
    nodes_ : array of int, shape (graph_.n_nodes,)
        The column that each node of the graph stands for.
    kept_ : array of int
        Positions of the columns in `keep`.
    n_features_in_ : int
        Number of columns given to fit.
    feature_names_in_ : array of str
        Their names, where all of them are strings.

    Notes
    -----
    Shared variance is the squared correlation (or its like), less what chance alone gives;
    below the noise floor, which pairs of unrelated normal columns exceed in 5 % of all
    tables, it is 0. (Heavy tails and rare events exceed it more often: see
    `topofs.similarity.noise_floor`.) With missing values, chance and floor are those of the
    samples that a pair shares. Along a path of the graph shares multiply. A path of several
    edges counts as long as half of the variance is left at its end; a single edge always
    does.

    Constant columns, and names that hardly repeat, take no part in the graph, score 0 and
    rank last, with a warning. Missing values are used pair by pair. A sparse table is
    accepted with Pearson's correlation and is not made dense. A dask array or dataframe
    without missing values is reduced where its chunks lie, and `transform` leaves it lazy.
    From a data frame with text, categories or booleans, `transform` selects columns of the
    frame as they are.

    The attributes from `coverage_` to `isolated_` are there with rule "coverage"; they
    follow `at`.

    References
    ----------
    .. [1] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.
    .. [2] G. L. Nemhauser, L. A. Wolsey and M. L. Fisher (1978). An analysis of
       approximations for maximizing submodular set functions. Mathematical Programming 14,
       265-294.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = TopologicalFeatureSelector().fit(X)
    >>> for group in selector.groups_:
    ...     print(group.name, "for", ", ".join(member.name for member in group.members))
    flavanoids for total_phenols, od280/od315_of_diluted_wines, proanthocyanins,
    nonflavanoid_phenols
    proline for alcohol, magnesium
    hue for malic_acid, color_intensity
    ash for alcalinity_of_ash
    >>> selector.at(2).get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    similarity_: str | Callable[[Any], npt.ArrayLike]
    graph_: FilteredGraph
    nodes_: npt.NDArray[np.int64]

    def __init__(  # noqa: PLR0913 - a parameter for each choice
        self,
        n_features_to_select: float | str | None = "auto",
        *,
        similarity: str | Callable[[Any], npt.ArrayLike] = "auto",
        squared: bool = True,
        alpha: float = 0.5,
        threshold: str | None = "auto",
        graph: str = "tmfg",
        rule: str = "coverage",
        reach: str = "paths",
        isolated: str = "drop",
        centrality: str = "degree",
        ties: str = "strength",
        keep: Iterable[str | int] | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.squared = squared
        self.alpha = alpha
        self.threshold = threshold
        self.graph = graph
        self.rule = rule
        self.reach = reach
        self.isolated = isolated
        self.centrality = centrality
        self.ties = ties
        self.keep = keep
        self.memory = memory

    @classmethod
    def paper(
        cls,
        n_features_to_select: float | None = None,
        *,
        similarity: str | Callable[[Any], npt.ArrayLike] = "pearson",
        squared: bool = True,
        alpha: float = 0.5,
        keep: Iterable[str | int] | None = None,
    ) -> Self:
        """Give the published method: mean threshold, TMFG, degree, ties by position.

        Parameters
        ----------
        n_features_to_select, similarity, squared, alpha, keep
            As in the constructor; the paper tunes the similarity with labels.

        Returns
        -------
        TopologicalFeatureSelector

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_wine(as_frame=True).data
        >>> TopologicalFeatureSelector.paper(2).fit(X).get_feature_names_out().tolist()
        ['total_phenols', 'flavanoids']
        """
        return cls(
            n_features_to_select,
            similarity=similarity,
            squared=squared,
            alpha=alpha,
            threshold="mean",
            rule="degree",
            ties="index",
            keep=keep,
        )

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Build the graph of the columns and rank them.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or dask collection, shape \
(n_samples, n_features)
            The table; the n × n similarity where ``similarity="precomputed"``.
        y : ignored
            Labels are not used.

        Returns
        -------
        self
        """
        check_parameters(self)
        check_readable(X)
        measure = choose_measure(self.similarity, X)
        if is_dask(X):
            X = check_dask_input(self, X)
            size, kept = self._check_size()
            found = similarity_on_workers(
                X,
                similarity=measure,
                squared=self.squared,
                alpha=self.alpha,
                memory=parse_memory(self.memory),
            )
            nodes = self._varying_columns(found.constant)
            built = graph_of_similarity(self, found.values, measure, n_samples=X.shape[0])
        else:
            X = read_table(self, X, measure, takes_sparse=self._takes_sparse())
            size, kept = self._check_size()
            nodes = np.arange(X.shape[1])
            if not (isinstance(measure, str) and measure == "precomputed"):
                constant, identifiers = find_columns_out(X, self._column_names().tolist())
                nodes = self._varying_columns(constant, identifiers)
            table = X if len(nodes) == X.shape[1] else X[:, nodes]
            built = graph_of_table(self, table, measure)
        ranked = rank_nodes(self, built)
        self.nodes_ = nodes
        self.graph_ = replace(built.graph, labels=self._column_names()[nodes].tolist())
        self._score_name = self.centrality if self.rule == "degree" else "coverage gain"
        self.similarity_ = measure
        self._coverage, self._reach = ranked.coverage, ranked.reach
        self._has_names = isinstance(X, TypedTable) and X.has_nominal
        self._rank_and_select(size, kept, ranked.order, ranked.scores, nodes)
        if size is None:
            self._warn_without_structure()
        return self

    def transform(self, X: Any) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame, shape (n_samples, n_features)
            A table with the columns given to fit.

        Returns
        -------
        array, sparse matrix or data frame, shape (n_samples, n_selected)
            After a fit to a table with names, a data frame in gives a data frame out, its
            columns as they are.
        """
        check_is_fitted(self)
        if not (self._has_names and is_frame(X)):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._transform(X)

    def explain(self, feature: str | int) -> Explanation:
        """Say why a feature was or was not selected.

        Parameters
        ----------
        feature : str or int
            Name or position of a column.

        Returns
        -------
        Explanation
            Score, rank, neighbours, who stands for it and for whom it stands; print it to
            read it.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_wine(as_frame=True).data
        >>> print(TopologicalFeatureSelector(4).fit(X).explain("alcohol"))
        alcohol is not selected.
        Rank 10 of 13 (4 selected), coverage gain 0.588952.
        proline stands for it, with 0.411 of its variance.
        Joined to 6 features, 3 of them selected:
          proline  0.4144  selected
          alcalinity_of_ash  0.09625
          total_phenols  0.08358
          magnesium  0.07333
          flavanoids  0.05608  selected
          ash  0.04475  selected
        """
        check_is_fitted(self)
        names = self._column_names()
        column = column_position(feature, names.tolist(), self.n_features_in_)
        score = float(self.scores_[column])
        node = np.flatnonzero(self.nodes_ == column)
        neighbors: list[Neighbor] = []
        same = 0
        if node.size:
            neighbors = self._neighbors(int(node[0]))
            same = int((self.scores_[self.nodes_] == score).sum()) - 1
        return Explanation(
            feature=names[column],
            selected=bool(self.support_[column]),
            kept=column in self.kept_,
            score=score,
            rank=int(self.ranking_[column]),
            n_features=self.n_features_in_,
            n_selected=int(self.support_.sum()),
            n_same_score=same,
            centrality=self._score_name,
            neighbors=tuple(sorted(neighbors, key=lambda neighbor: -neighbor.weight)),
            constant=not node.size,
            speaking=None if self._coverage is None else self._speaking(column),
        )

    def _neighbors(self, node: int) -> list[Neighbor]:
        names = self._column_names()
        adjacency = self.graph_.to_scipy()
        row = slice(adjacency.indptr[node], adjacency.indptr[node + 1])
        columns = self.nodes_[adjacency.indices[row]]
        return [
            Neighbor(names[column], float(weight), bool(self.support_[column]))
            for column, weight in zip(columns, adjacency.data[row], strict=True)
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse()
        tags.input_tags.string = isinstance(self.similarity, str) and self.similarity == "mixed"
        return tags

    def _takes_sparse(self) -> bool:
        return isinstance(self.similarity, str) and self.similarity in ("auto", "pearson")

    def _size(self, given: Any, kept: npt.NDArray[np.int64]) -> int | None:
        if isinstance(given, str) and given == "auto":
            if self.rule == "degree":
                raise ValueError(
                    "n_features_to_select is 'auto', which needs rule='coverage': a ranking by "
                    "centrality has no end of its own; give a count, a fraction, or None for half"
                )
            return None
        return resolve_size(
            given, self.n_features_in_, least=len(kept), auto=self.rule == "coverage"
        )
