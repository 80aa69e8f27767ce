"""Topological Feature Selection as a scikit-learn estimator."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs.engines.choosing import build_network, compare_columns
from topofs.engines.memory_size import parse_memory
from topofs.rules.centrality import Centrality
from topofs.selection.explanation import Explanation, Neighbor
from topofs.selection.fitting_terms import check_end, check_terms, check_threshold
from topofs.selection.nested_terms import NestedTerms
from topofs.selection.panel import PanelSelector
from topofs.selection.reading import read_table, warn_of_identifiers
from topofs.selection.redundancy import redundancy_ranking
from topofs.selection.short_names import graph_of, measure_of, rule_of
from topofs.selection.sizes import MinShare, Size
from topofs.selection.subset_size import column_position, resolve_size
from topofs.selection.wishes import resolve_wishes
from topofs.tables.annotated import is_annotated, is_sparse_frame, named_matrix
from topofs.tables.columns import is_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from topofs.engines.choosing import ComparedColumns
    from topofs.filtering.family import Graph
    from topofs.graph import FilteredGraph
    from topofs.network import Network
    from topofs.rules.rule import Ranking, Rule
    from topofs.rules.wishes import Wishes
    from topofs.selection.wishes import AtMost, ColumnWishes
    from topofs.similarity.measure import Measure

__all__ = ["TopologicalFeatureSelector", "fit_and_compare"]


class TopologicalFeatureSelector(NestedTerms, PanelSelector):
    r"""Select columns that represent the others in a filtered graph of similarities.

    Table → similarity between columns → planar filtered graph → the columns that, along the
    links of the graph, represent as many others as can be. Labels are not used.
    With :math:`w_{ij}` the variance that i and j share (below), each next column is the one
    that adds most to the coverage

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij},

    and selection stops by itself when the next one would explain no more than itself. The
    published method, which ranks by degree, is `TopologicalFeatureSelector.paper`.

    Parameters
    ----------
    n_features_to_select : "auto", int, float or None, default="auto"
        "auto": as many as the rule selects by itself, where it has an end ("coverage" has:
        the columns that explain more than themselves). Or a count, a fraction in (0, 1], or
        None for half of the columns; or `UntilCoverage`, `MinShare` (leave out only what is
        redundant) or `Budget`.
    similarity : str, Measure or callable, default="auto"
        How two columns are compared. `Auto` ("auto"): `Mixed` where columns of text,
        categories or booleans take part, else `Pearson`. Or "pearson", "spearman", "mixed",
        "mutual_information", "energy", "precomputed" (X is the n × n similarity itself), the
        name of a measure that was registered, or an object with parameters, such as
        ``Spearman(squared=False)``. A function takes the table of the columns that vary and
        returns their similarity.
    threshold : {"auto", "mean", None}, default="auto"
        "mean": set similarities below their mean to 0 before filtering, as the authors'
        program does. "auto": as the rule says. Centralities cut at the mean; coverage has a
        noise floor instead, and cuts a given similarity, for which there is none, at its mean
        off the diagonal.
    graph : str or Graph, default="tmfg"
        The filtered graph: "tmfg", "pmfg", "mst", or an object.
    rule : str or Rule, default="coverage"
        How columns are ranked: `Coverage` ("coverage"), by what each adds; or `Centrality`
        ("degree", "strength", "eigenvector", "pagerank", "closeness", "betweenness"), by
        their place in the graph.
    keep : list of str or int, default=None
        Names or positions of columns that are selected in any case. They come first in the
        ranking, and the others are ranked given these. They count towards
        `n_features_to_select` and come on top of "auto". Patterns such as ``"HLA-*"`` name
        several columns.
    exclude : list of str or int, default=None
        Columns that cannot be selected, but are to be represented.
    at_most : AtMost, default=None
        At most so many selected columns of each group: ``AtMost(1, of=groups)``.
    max_similarity : float, default=None
        No two selected columns are more alike than this, on the scale of the measure.
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
        Share of the columns that the first 1, 2, … of the ranking represent.
    representative_, shares_ : arrays of int and float, shape (n_features,)
        Position of the selected column that represents each column (-1: it is alone), and the
        share of its variance that this one explains.
    groups_ : tuple of Group
        The selected columns, best first, each with the columns it represents.
    isolated_ : array of int
        Positions of the columns with no neighbour above the noise floor.
    similarity_ : Measure
        The measure that was used, with "auto" resolved.
    rule_ : Rule
        The rule that was used.
    graph_ : FilteredGraph
        The graph over the columns that vary, labelled with their names.
    nodes_ : array of int, shape (graph_.n_nodes,)
        The column that each node of the graph is.
    forced_ : array of int
        Positions of the columns in `keep`.
    n_features_in_ : int
        Number of columns given to fit.
    feature_names_in_ : array of str
        Their names, where all of them are strings.

    Notes
    -----
    The terms are objects with parameters of their own, which scikit-learn's nested names
    reach: ``similarity__squared``, ``rule__reach``. Terms of your own are registered with
    `topofs.register`.

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

    The attributes from `coverage_` to `isolated_` are there with a rule that has groups, as
    coverage does; they follow `at`.

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

    similarity_: Measure
    rule_: Rule
    graph_: FilteredGraph
    nodes_: npt.NDArray[np.int64]

    def __init__(
        self,
        n_features_to_select: float | str | Size | None = "auto",
        *,
        similarity: str | Measure | Callable[[Any], npt.ArrayLike] = "auto",
        threshold: str | None = "auto",
        graph: str | Graph = "tmfg",
        rule: str | Rule = "coverage",
        keep: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        at_most: AtMost | None = None,
        max_similarity: float | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.threshold = threshold
        self.graph = graph
        self.rule = rule
        self.keep = keep
        self.exclude = exclude
        self.at_most = at_most
        self.max_similarity = max_similarity
        self.memory = memory

    @classmethod
    def paper(
        cls,
        n_features_to_select: float | None = None,
        *,
        similarity: str | Measure | Callable[[Any], npt.ArrayLike] = "pearson",
        keep: Iterable[str | int] | None = None,
    ) -> Self:
        """Give the published method: mean threshold, TMFG, degree, ties by position.

        Parameters
        ----------
        n_features_to_select, similarity, keep
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
            threshold="mean",
            rule=Centrality("degree", ties="index"),
            keep=keep,
        )

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002 - scikit-learn's signature
        *,
        layer: str | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Build the graph of the columns and rank them.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, AnnData or dask collection, shape \
(n_samples, n_features)
            The table; the n × n similarity where ``similarity="precomputed"``. Of an AnnData
            object (cells × genes) the matrix is taken, sparse or dense, with its `var_names`.
        y : ignored
            Labels are not used.
        layer : str, optional
            The layer of an AnnData object to take instead of its X.
        feature_names : sequence of str, optional
            Names of the columns of a matrix that carries none, such as a sparse one.

        Returns
        -------
        self
        """
        self._fit(named_matrix(X, layer=layer, feature_names=feature_names))
        return self

    def _fit(self, X: Any) -> ComparedColumns:
        """Fit, and give the prepared columns."""
        measure, graph, rule = self._terms()
        memory = parse_memory(self.memory)
        read = read_table(self, X, measure)
        size, forced = self._check_size()
        wishes = resolve_wishes(
            forced=forced,
            exclude=self.exclude,
            at_most=self.at_most,
            max_similarity=self.max_similarity,
            size=self.n_features_to_select,
            names=self._column_names(),
        )
        nodes = np.arange(self.n_features_in_)
        if read.constant is not None:
            if read.identifiers is not None and read.identifiers.any():
                warn_of_identifiers(self._column_names(), read.identifiers)
            nodes = self._varying_columns(read.constant, read.identifiers)
        columns = compare_columns(read.columns(nodes), read.measure, memory=memory)
        if columns.constant is not None:
            nodes = self._varying_columns(columns.constant)
        cut = rule.cut_for(read.measure) if self.threshold == "auto" else self.threshold
        needs = replace(rule.needs, pairs_from=self._pairs_from(read.measure))
        network = build_network(columns, graph, needs=needs, cut=cut)
        ranking, self._wishes = self._rank(network, rule, wishes, nodes, read.measure)
        self.nodes_ = nodes
        self.graph_ = replace(network.graph, labels=self._column_names()[nodes].tolist())
        self.similarity_, self.rule_ = read.measure, rule
        self._ranking = ranking
        self._has_names = read.has_names
        self._rank_and_select(size, forced, ranking.order, ranking.scores, nodes)
        if size is None:
            self._warn_without_structure()
        return columns

    def transform(self, X: Any) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or AnnData, shape (n_samples, n_features)
            A table with the columns given to fit.

        Returns
        -------
        array, sparse matrix, data frame or AnnData, shape (n_samples, n_selected)
            An AnnData object gives a view of one, a sparse frame a sparse frame. After a fit
            to a table with columns of names, a data frame in gives a data frame out, its
            columns as they are.
        """
        check_is_fitted(self)
        if is_annotated(X):
            self._check_same_columns(X.var_names)
            return X[:, self.support_]
        if is_sparse_frame(X):
            self._check_same_columns(X.columns)
            return X.iloc[:, np.flatnonzero(self.support_)]
        if hasattr(X, "tocsc") and X.shape[1:] == (self.n_features_in_,):
            # A sparse matrix never carries names: none are missing.
            return X.tocsc()[:, self.support_].asformat(X.format)
        if not (self._has_names and is_frame(X)):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._transform(X)

    def annotate(self, adata: Any) -> None:
        """Write the selection into the annotation of the genes of an AnnData object.

        `adata.var` gets ``selected``, ``rank`` and, with a rule that has groups,
        ``representative`` (empty for a gene that is alone) and ``share``.

        Parameters
        ----------
        adata : AnnData
            With the genes that the selector was fitted to.
        """
        check_is_fitted(self)
        self._check_same_columns(adata.var_names)
        adata.var["selected"] = self.support_
        adata.var["rank"] = self.ranking_
        if self.has_groups:
            names = np.append(self._column_names(), "")
            adata.var["representative"] = names[self.representative_]
            adata.var["share"] = self.shares_

    def _check_same_columns(self, names: Any) -> None:
        """Refuse a table with other columns than those of the fit."""
        given = [str(name) for name in names]
        if given == self._column_names().tolist():
            return
        if len(given) != self.n_features_in_:
            raise ValueError(
                f"X has {len(given)} columns; the selector was fitted on {self.n_features_in_}"
            )
        first = next(a for a, b in zip(given, self._column_names(), strict=True) if a != b)
        raise ValueError(
            f"the columns of X are not those of the fit, or in another order: {first!r} is the "
            "first that differs"
        )

    def explain(self, feature: str | int) -> Explanation:
        """Say why a feature was or was not selected.

        Parameters
        ----------
        feature : str or int
            Name or position of a column.

        Returns
        -------
        Explanation
            Score, rank, neighbours, who represents it and whom it represents; print it to
            read it.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_wine(as_frame=True).data
        >>> print(TopologicalFeatureSelector(4).fit(X).explain("alcohol"))
        alcohol is not selected.
        Rank 10 of 13 (4 selected), coverage gain 0.588952.
        proline represents it, with 0.411 of its variance.
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
            forced=column in self.forced_,
            score=score,
            rank=int(self.ranking_[column]),
            n_features=self.n_features_in_,
            n_selected=int(self.support_.sum()),
            n_same_score=same,
            score_name=self.rule_.words.short,
            neighbors=tuple(sorted(neighbors, key=lambda neighbor: -neighbor.weight)),
            constant=not node.size,
            representation=self._representation(column),
            excluded=bool(column in self.nodes_[self._wishes.excluded]),
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

    def _pairs_from(self, measure: Measure) -> float | None:
        """The least similarity of pairs that must be known one by one."""
        wanted = self.n_features_to_select
        if isinstance(wanted, MinShare):
            if self.max_similarity is not None or self.at_most is not None:
                raise ValueError(
                    "MinShare keeps every column that no other explains, so it does not go "
                    "together with at_most and max_similarity: leave them out"
                )
            # A value of that share; below 1, the square root of the share.
            return float(wanted.share if measure.shares_variance else 0.0)
        if self.max_similarity is None:
            return None
        if not measure.means_alike:
            raise ValueError(
                f"max_similarity needs a measure whose high values mean alike, and "
                f"{measure.name!r} is none: choose another similarity"
            )
        return float(np.nextafter(self.max_similarity, np.inf))

    def _rank(
        self,
        network: Network,
        rule: Rule,
        wishes: ColumnWishes,
        nodes: npt.NDArray[np.int64],
        measure: Measure,
    ) -> tuple[Ranking, Wishes]:
        """Rank the nodes by the rule, or by what is redundant."""
        wanted = self.n_features_to_select
        if not isinstance(wanted, MinShare):
            asked = wishes.for_nodes(nodes, network.pairs)
            return rule.rank(network, asked), asked
        asked = wishes.for_nodes(nodes, None)
        shares = network.pairs
        shares.data = np.asarray(measure.share_of(shares.data))
        shares.data[shares.data < wanted.share] = 0.0
        shares.eliminate_zeros()
        return redundancy_ranking(shares, asked), asked

    def _terms(self) -> tuple[Measure, Graph, Rule]:
        """Resolve the terms, and refuse those that do not go together."""
        measure, graph = measure_of(self.similarity), graph_of(self.graph)
        rule = rule_of(self.rule)
        check_threshold(self.threshold)
        check_terms(measure, rule)
        return measure, graph, rule

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # An unknown name is refused by fit; until then it can be looked at.
        with suppress(ValueError):
            measure = measure_of(self.similarity)
            tags.input_tags.sparse = measure.takes_sparse
            tags.input_tags.string = measure.takes_names and not measure.takes_arrays
        return tags

    def _size(self, given: Any, forced: npt.NDArray[np.int64], *, fitted: bool) -> int | None:
        rule = self.rule_ if fitted else rule_of(self.rule)
        check_end(rule, given)
        if isinstance(given, Size):
            if not rule.has_groups:
                raise ValueError(
                    f"n_features_to_select is {given!r}, which needs a rule by which columns "
                    "represent others, as rule='coverage'"
                )
            return None
        if isinstance(given, str) and given == "auto":
            return None
        n_forced = len(forced)
        return resolve_size(given, self.n_features_in_, least=n_forced, auto=rule.has_end)


def fit_and_compare(selector: TopologicalFeatureSelector, X: Any) -> ComparedColumns:
    """Fit a selector and keep the columns as they were prepared for it.

    A report or a list of nearest columns asks these for similarities, without preparing the
    table again.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        It is fitted.
    X : array-like, sparse matrix, data frame, NamedArray, TypedTable or dask collection
        The table.

    Returns
    -------
    ComparedColumns
        Over ``selector.nodes_``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> selector = TopologicalFeatureSelector()
    >>> fit_and_compare(selector, load_wine().data).n_features, selector.n_features_
    (13, 4)
    """
    return selector._fit(X)  # noqa: SLF001 - of the same file
