"""Coverage: choose columns that stand for the others, and stop when they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.kernels.lazy_greedy import greedy_cover
from topofs.kernels.path_cover import best_path, greedy_path_cover, nearest_sources

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph
    from topofs.similarity.shared_variance import VarianceScale

__all__ = ["Coverage", "MatrixReach", "PathReach", "Reach", "cover", "graph_reach"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

HALF = 0.5
"""What must be left of the variance at the end of a path of several edges."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """An order of nodes, each with what it adds to the coverage of all.

    Attributes
    ----------
    order : array of int, shape (n,)
        The nodes, best first.
    gains : array of float, shape (n,)
        What each adds to Σ_j max_i w_ij beyond those before it.
    isolated : array of bool, shape (n,)
        Nodes that no other stands for and that stand for no other.
    isolated_last : bool
        Whether these come after all others, or where their gain puts them.
    """

    order: Ints
    gains: Doubles
    isolated: npt.NDArray[np.bool_]
    isolated_last: bool

    @property
    def curve(self) -> Doubles:
        """Share of all nodes that the first 1, 2, … of the order stand for."""
        return np.asarray(np.cumsum(self.gains) / max(1, len(self.gains)))

    @property
    def n_explaining(self) -> int:
        """Number of nodes that explain more than themselves.

        Isolated nodes explain exactly themselves: they count where they are to be kept.
        """
        explaining = int((self.gains[~self.isolated[self.order]] > 1.0).sum())
        return explaining + (0 if self.isolated_last else int(self.isolated.sum()))


class Reach(Protocol):
    """Which nodes a node stands for, and how well."""

    def greedy(self) -> tuple[Ints, Doubles]:
        """Order all nodes greedily; give the order and the gains."""

    def nearest(self, sources: Ints) -> tuple[Ints, Doubles]:
        """Find the source that stands best for each node (-1: none), and how well."""

    def path(self, source: int, node: int) -> Ints:
        """List the nodes by way of which a source stands for a node, from the node on."""

    def isolated(self) -> npt.NDArray[np.bool_]:
        """Tell which nodes stand for themselves alone."""


def cover(reach: Reach, *, strength: Doubles | None, isolated_last: bool) -> Coverage:
    r"""Order nodes greedily so that the first of them stand for as many others as can be.

    The k-th node is the one that adds most to

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij},

    facility location: F is submodular, so the greedy set is worth at least 1 − 1/e of the
    best one of its size.

    Parameters
    ----------
    reach : Reach
        The weights w.
    strength : array of float, optional
        Isolated nodes all gain exactly 1: they are ordered by this, descending, then by
        index; without it by index.
    isolated_last : bool
        Whether isolated nodes come after all others, or where their gain puts them.

    Returns
    -------
    Coverage

    References
    ----------
    .. [1] G. L. Nemhauser, L. A. Wolsey and M. L. Fisher (1978). An analysis of
       approximations for maximizing submodular set functions. Mathematical Programming 14,
       265-294.
    .. [2] M. Minoux (1978). Accelerated greedy algorithms for maximizing submodular set
       functions. Optimization Techniques, 234-243.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.5], [0.0, 0.5, 1.0]])
    >>> coverage = cover(MatrixReach(weights), strength=None, isolated_last=True)
    >>> coverage.order.tolist(), coverage.gains.round(3).tolist()
    ([1, 2, 0], [2.3, 0.5, 0.2])
    """
    order, gains = reach.greedy()
    isolated = reach.isolated()
    alone = isolated[order]
    if strength is not None and alone.any():
        nodes = np.sort(order[alone])
        order[alone] = nodes[np.argsort(-strength[nodes], kind="stable")]
    if isolated_last:
        last = np.argsort(alone, kind="stable")
        order, gains = order[last], gains[last]
    return Coverage(order, gains, isolated, isolated_last)


@dataclass(frozen=True, eq=False)
class PathReach:
    r"""Along paths of a graph: a node stands for another by the best product of weights.

    .. math:: w_{ij} = \max_{\text{paths } i \to j} \ \prod_{(u,v)} \tilde s_{uv}

    Were the graph a tree and the columns normal, this product would be the variance that i
    and j share. A link of one edge counts whatever its weight above the noise floor, a
    longer path only if half of the variance is left at its end.

    Attributes
    ----------
    starts, columns, weights : arrays
        CSR rows of the graph, both directions of each edge above the floor.
    least : float
        What must be left at the end of a path of several edges.
    """

    starts: Ints
    columns: Ints
    weights: Doubles
    least: float = HALF

    def greedy(self) -> tuple[Ints, Doubles]:
        """Order all nodes greedily."""
        return greedy_path_cover(self.starts, self.columns, self.weights, self.least)

    def nearest(self, sources: Ints) -> tuple[Ints, Doubles]:
        """Find the source that stands best for each node, and how well."""
        owner, weight = nearest_sources(
            self.starts, self.columns, self.weights, self.least, np.sort(sources)
        )
        return _themselves(owner, weight, sources)

    def path(self, source: int, node: int) -> Ints:
        """List the nodes between the two on the best path, from the node on."""
        return best_path(self.starts, self.columns, self.weights, self.least, source, node)

    def isolated(self) -> npt.NDArray[np.bool_]:
        """Tell which nodes have no edge above the floor."""
        return np.asarray(np.diff(self.starts) == 0)


@dataclass(frozen=True, eq=False)
class MatrixReach:
    """As a matrix says, dense or sparse, with ones on the diagonal.

    Attributes
    ----------
    matrix : array or scipy.sparse.csr_array, shape (n, n)
        Weights in [0, 1]; entry (i, j) is how well i stands for j.
    """

    matrix: Any

    def greedy(self) -> tuple[Ints, Doubles]:
        """Order all nodes greedily."""
        n = self.matrix.shape[0]
        if sparse.issparse(self.matrix):
            starts = self.matrix.indptr.astype(np.int64)
            return greedy_cover(starts, starts[:-1], self.matrix.indices, self.matrix.data)
        starts = np.arange(0, n * n + 1, max(n, 1), dtype=np.int64)[: n + 1]
        matrix = np.ascontiguousarray(self.matrix)
        return greedy_cover(starts, np.zeros(n, np.int64), np.arange(n), matrix.ravel())

    def nearest(self, sources: Ints) -> tuple[Ints, Doubles]:
        """Find the source that stands best for each node, and how well."""
        if not len(sources):
            n = self.matrix.shape[0]
            return np.full(n, -1, dtype=np.int64), np.zeros(n)
        sources = np.sort(sources)
        rows = self.matrix[sources]
        rows = rows.toarray() if sparse.issparse(rows) else rows
        best = np.argmax(rows, axis=0)
        weight = np.take_along_axis(rows, best[None, :], axis=0)[0].astype(np.float64)
        owner = np.where(weight > 0, sources[best], -1)
        return _themselves(owner, weight, sources)

    def path(self, source: int, node: int) -> Ints:  # noqa: ARG002 - as for any reach
        """List nobody: a source stands for a node directly."""
        return np.empty(0, dtype=np.int64)

    def isolated(self) -> npt.NDArray[np.bool_]:
        """Tell which nodes have no weight but their own."""
        positive = (self.matrix > 0).sum(axis=1)
        return np.asarray(positive).ravel() <= 1


def _themselves(owner: Ints, weight: Doubles, sources: Ints) -> tuple[Ints, Doubles]:
    """Let every source stand for itself, even where another is its copy."""
    owner[sources] = sources
    weight[sources] = 1.0
    return owner, weight


def graph_reach(graph: FilteredGraph, scale: VarianceScale, *, paths: bool) -> Reach:
    """Give the reach of the nodes of a graph: along its paths, or its edges only.

    Parameters
    ----------
    graph : FilteredGraph
        The graph; its weights are similarities.
    scale : VarianceScale
        How they become shared variance.
    paths : bool
        Whether to follow paths.

    Returns
    -------
    PathReach or MatrixReach
    """
    left, right = graph.edges.T
    weights = scale.weights(graph.weights, left, right)
    kept = weights > 0
    left, right, weights = left[kept], right[kept], weights[kept]
    i, j, w = [left, right], [right, left], [weights, weights]
    if not paths:
        everyone = np.arange(graph.n_nodes)
        i, j, w = [*i, everyone], [*j, everyone], [*w, np.ones(graph.n_nodes)]
    ends = (np.concatenate(i), np.concatenate(j))
    shape = (graph.n_nodes, graph.n_nodes)
    rows = sparse.coo_array((np.concatenate(w), ends), shape=shape).tocsr()
    rows.sort_indices()
    if not paths:
        return MatrixReach(rows)
    return PathReach(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data)
