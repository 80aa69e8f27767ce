"""Topological Feature Selection as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs.centrality import CENTRALITIES
from topofs.filtering import GRAPHS
from topofs.selection.dask_input import check_dask_input, similarity_on_workers
from topofs.selection.explanation import Explanation, Neighbor
from topofs.selection.from_data import tmfg_from_columns
from topofs.selection.memory_size import parse_memory
from topofs.selection.ranking_selector import RankingSelector
from topofs.selection.subset_size import column_position
from topofs.similarity import SIMILARITIES
from topofs.similarity.dask_table import is_dask
from topofs.similarity.energy import check_alpha
from topofs.similarity.operator import dense
from topofs.similarity.table import is_constant, without_duplicates
from topofs.similarity.threshold import threshold_mean_in_place
from topofs.similarity_matrix import SimilarityMatrix, check_similarity_matrix, sum_and_peak

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from topofs.graph import FilteredGraph
    from topofs.similarity.dask_table import DaskSimilarity

__all__ = ["TopologicalFeatureSelector"]


class TopologicalFeatureSelector(RankingSelector):
    r"""Select features by their place in a filtered graph of similarities.

    Table → similarity between columns → mean threshold → planar filtered graph → centrality
    of each column → the best k. Labels are not used. The published method is the TMFG with
    degree: :math:`\deg(v) = \sum_w A_{vw}`.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        A count, a fraction in (0, 1], or None for half of the columns.
    similarity : {"pearson", "spearman", "energy", "precomputed"} or callable, default="pearson"
        "precomputed": X is the n × n similarity itself. A callable takes the table of the
        columns that vary and returns their similarity.
    squared : bool, default=True
        Square the correlation, so that strong negative links count as links. Plays no part
        for energy, precomputed and callables.
    alpha : float, default=0.5
        Weight of the dispersion in the energy coefficient, in [0, 1].
    threshold : {"mean", None}, default="mean"
        Set similarities below their mean to 0 before filtering, as the authors' program does.
    graph : {"tmfg", "pmfg", "mst"}, default="tmfg"
        The filtered graph.
    centrality : {"degree", "strength", "eigenvector", "pagerank", "closeness", \
"betweenness"}, default="degree"
        The score of a node.
    ties : {"strength", "index"}, default="strength"
        Equal scores are ordered by strength (then position), or by position (the paper).
    keep : list of str or int, default=None
        Names or positions of columns that are always selected. They count towards
        `n_features_to_select`; the ranking is not changed by them.
    memory : int, str or None, default=None
        Memory that may be used: bytes, text such as "2GB", or None for half of the machine's.
        If the n × n similarity does not fit, the TMFG is built without it; the graph is the
        same (see `topofs.tmfg_from_data`).

    Attributes
    ----------
    scores_ : array of float, shape (n_features,)
        Centrality of each column; 0 for constant columns.
    ranking_ : array of int, shape (n_features,)
        A permutation of 1 … n_features; 1 is the best.
    support_ : array of bool, shape (n_features,)
        The selected columns.
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
    Constant and all-missing columns take no part in the graph, score 0 and rank last, with
    one `ConstantFeatureWarning`. Missing values are used pair by pair. A sparse table is
    accepted with ``similarity="pearson"`` and is not made dense. A dask array or dataframe
    without missing values is reduced where its chunks lie, and `transform` leaves it lazy.

    References
    ----------
    .. [1] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = TopologicalFeatureSelector(4).fit(X)
    >>> selector.get_feature_names_out().tolist()
    ['total_phenols', 'flavanoids', 'hue', 'od280/od315_of_diluted_wines']
    >>> selector.at(2).get_feature_names_out().tolist()
    ['total_phenols', 'flavanoids']
    """

    graph_: FilteredGraph
    nodes_: npt.NDArray[np.int64]

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        similarity: str | Callable[[Any], npt.ArrayLike] = "pearson",
        squared: bool = True,
        alpha: float = 0.5,
        threshold: str | None = "mean",
        graph: str = "tmfg",
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
        self.centrality = centrality
        self.ties = ties
        self.keep = keep
        self.memory = memory

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Build the graph of the columns and rank them.

        Parameters
        ----------
        X : array-like, sparse matrix, or dask array or dataframe, shape (n_samples, n_features)
            The table; the n × n similarity where ``similarity="precomputed"``.
        y : ignored
            Labels are not used.

        Returns
        -------
        self
        """
        self._check_parameters()
        if is_dask(X):
            table = check_dask_input(self, X)
            size, kept = self._check_size()
            found = self._similarity_of_dask(table)
            nodes = self._varying_columns(found.constant)
            return self._finish_fit(size, kept, nodes, self._graph_of(found.values))
        precomputed = isinstance(self.similarity, str) and self.similarity == "precomputed"
        X = validate_data(
            self,
            X,
            accept_sparse="csc" if self._takes_sparse() else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=_finite_check(X, precomputed=precomputed),
            ensure_min_samples=1 if precomputed else 2,
        )
        size, kept = self._check_size()
        if precomputed:
            nodes = np.arange(X.shape[1])
            graph = self._graph_of(check_similarity_matrix(X).values.copy())
        else:
            X = without_duplicates(X) if sparse.issparse(X) else X
            nodes = self._varying_columns(is_constant(X))
            graph = self._graph_of_table(X if len(nodes) == X.shape[1] else X[:, nodes])
        return self._finish_fit(size, kept, nodes, graph)

    def _finish_fit(
        self,
        size: int,
        kept: npt.NDArray[np.int64],
        nodes: npt.NDArray[np.int64],
        graph: FilteredGraph,
    ) -> Self:
        """Score the nodes of the graph, rank all columns and select."""
        scores = CENTRALITIES[self.centrality](graph)
        tie_breaker = graph.strength() if self.ties == "strength" else None
        self.nodes_ = nodes
        self.graph_ = replace(graph, labels=self._column_names()[nodes].tolist())
        self._score_name = self.centrality
        self._rank_and_select(size, kept, scores, nodes, tie_breaker)
        return self

    def explain(self, feature: str | int) -> Explanation:
        """Say why a feature was or was not selected.

        Parameters
        ----------
        feature : str or int
            Name or position of a column.

        Returns
        -------
        Explanation
            Score, rank and neighbours; print it to read it.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_wine(as_frame=True).data
        >>> print(TopologicalFeatureSelector(4).fit(X).explain("ash"))
        ash is not selected.
        Rank 9 of 13 (4 selected), degree 4 (5 other features have the same).
        Joined to 4 features, 2 of them selected:
          alcalinity_of_ash  0.1966
          total_phenols  0  selected
          flavanoids  0  selected
          color_intensity  0
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
        return tags

    def _takes_sparse(self) -> bool:
        return isinstance(self.similarity, str) and self.similarity == "pearson"

    def _similarity_of_dask(self, table: Any) -> DaskSimilarity:
        return similarity_on_workers(
            table,
            similarity=self.similarity,
            squared=self.squared,
            alpha=self.alpha,
            memory=parse_memory(self.memory),
        )

    def _graph_of_table(self, table: Any) -> FilteredGraph:
        if callable(self.similarity):
            matrix = check_similarity_matrix(self.similarity(table)).values
            if len(matrix) != table.shape[1]:
                raise ValueError(
                    f"the similarity function must return a {table.shape[1]} × "
                    f"{table.shape[1]} matrix for as many columns; got {matrix.shape}"
                )
            return self._graph_of(matrix.copy())
        memory = parse_memory(self.memory)
        # The matrix, and a block of rows while it is filled.
        if table.shape[1] ** 2 * table.dtype.itemsize * 1.2 > memory:
            return self._graph_without_matrix(table, memory)
        measure = SIMILARITIES[self.similarity]
        return self._graph_of(dense(measure(table, squared=self.squared, alpha=self.alpha)))

    def _graph_of(self, similarity: npt.NDArray[np.floating[Any]]) -> FilteredGraph:
        """Filter a similarity that has passed its checks; it is overwritten."""
        if self.threshold == "mean":
            mean = threshold_mean_in_place(similarity)
        else:
            mean = sum_and_peak(similarity)[0] / similarity.size
        return GRAPHS[self.graph](SimilarityMatrix(similarity, mean, labels=None))

    def _graph_without_matrix(self, table: Any, memory: int) -> FilteredGraph:
        if self.graph != "tmfg":
            raise ValueError(
                f"the similarity of {table.shape[1]} columns does not fit into memory "
                f"({memory / 1e9:.3g} GB), and graph {self.graph!r} needs it whole: use graph "
                "'tmfg', allow more memory, or select among fewer columns"
            )
        return tmfg_from_columns(
            table,
            similarity=str(self.similarity),
            squared=self.squared,
            alpha=self.alpha,
            threshold=self.threshold == "mean",
            memory=memory,
        )

    def _check_parameters(self) -> None:
        if not callable(self.similarity):
            known = (*SIMILARITIES, "precomputed")
            _check_known("similarity", self.similarity, known, also="a function")
        _check_known("threshold", self.threshold, ("mean", None))
        _check_known("graph", self.graph, tuple(GRAPHS))
        _check_known("centrality", self.centrality, tuple(CENTRALITIES))
        _check_known("ties", self.ties, ("strength", "index"))
        check_alpha(self.alpha)
        parse_memory(self.memory)


def _finite_check(X: Any, *, precomputed: bool) -> bool | str:
    """NaN is a missing value in a dense table; a similarity is checked entry by entry later."""
    if precomputed:
        return False
    return True if sparse.issparse(X) else "allow-nan"


def _check_known(name: str, given: Any, known: tuple[Any, ...], also: str = "") -> None:
    if not (given is None or isinstance(given, str)) or given not in known:
        listed = ", ".join(repr(value) for value in known) + (f" and {also}" if also else "")
        raise ValueError(f"{name} is {given!r}; known are {listed}")
