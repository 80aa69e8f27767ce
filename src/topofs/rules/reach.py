"""Whom a column represents: along paths of the graph, or as a matrix of shares says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.kernels.cover_state import PathGraph, ShareMatrix
from topofs.kernels.gain_heap import UNIT
from topofs.kernels.nearest_nodes import best_path, nearest_nodes
from topofs.rules.running_groups import RunningGroups, running_along, running_over_all
from topofs.similarity.operator import MatrixOperator

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph
    from topofs.network import Scale

__all__ = ["MatrixReach", "PathReach", "graph_reach", "themselves"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

HALF = 0.5
"""What must be left of the variance at the end of a path of several edges."""


@dataclass(frozen=True, eq=False)
class PathReach:
    """Along paths of a graph: a node represents another by the best product of weights.

    Were the graph a tree and the columns normal, this product would be the variance that both
    share. A link of one edge counts whatever its weight above the noise floor, a longer path only
    if `least` of the variance is left at its end. The arrays are CSR rows of both directions of
    each edge above the floor.
    """

    starts: Ints
    columns: Ints
    weights: Doubles
    least: float = HALF

    @property
    def kernel(self) -> PathGraph:
        """What kernels take."""
        return PathGraph(self.starts, self.columns, self.weights, self.least)

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and the share."""
        return themselves(*nearest_nodes(*self.kernel, np.sort(selected)), selected)

    def path(self, representative: int, node: int) -> Ints:
        """List the nodes between the two on the best path, from the node on."""
        return best_path(*self.kernel, representative, node)

    def running(self, order: Ints) -> RunningGroups:
        """Follow who represents whom while nodes are selected in an order."""
        return running_along(*self.kernel, order)

    def kept_with(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """Tell what stays explained of some nodes with each node beside the selected ones."""
        least, most = _units(self.representatives(selected)[1][of]), _units(before)
        kept = np.zeros(len(self.starts) - 1, dtype=np.int64)
        for node, low, high in zip(of.tolist(), least, most, strict=True):
            # Along a path both ends share as much.
            kept += np.clip(_units(self.representatives(np.array([node]))[1]), low, high)
        return kept / UNIT

    def related_to(self, of: Ints) -> npt.NDArray[np.bool_]:
        """Tell which nodes a path leads to from some, or are among them."""
        return np.asarray(self.representatives(of)[1] > 0)

    def isolated(self) -> npt.NDArray[np.bool_]:
        """Tell which nodes have no edge above the floor."""
        return np.asarray(np.diff(self.starts) == 0)


@dataclass(frozen=True, eq=False)
class MatrixReach:
    """As a matrix says, dense or sparse, with ones on the diagonal.

    Attributes
    ----------
    matrix : array or scipy.sparse.csr_array, shape (n, n)
        Shares in [0, 1]; entry (i, j) is the share of j's variance that i explains.
    of_graph : bool
        Whether its entries are those of the graph's edges.
    """

    matrix: Any
    of_graph: bool = False

    @property
    def kernel(self) -> ShareMatrix:
        """What kernels take."""
        n = self.matrix.shape[0]
        if sparse.issparse(self.matrix):
            starts = self.matrix.indptr.astype(np.int64)
            return ShareMatrix(starts, self.matrix.indices.astype(np.int32), self.matrix.data)
        starts = np.arange(0, n * n + 1, max(n, 1), dtype=np.int64)[: n + 1]
        weights = np.ascontiguousarray(self.matrix).ravel()
        return ShareMatrix(starts, np.empty(0, np.int32), weights)

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and the share."""
        if not len(selected):
            n = self.matrix.shape[0]
            return np.full(n, -1, dtype=np.int64), np.zeros(n)
        selected = np.sort(selected)
        if sparse.issparse(self.matrix):
            return themselves(*_largest(self.matrix[selected], selected), selected)
        rows = self.matrix[selected]
        best = np.argmax(rows, axis=0)
        share = np.take_along_axis(rows, best[None, :], axis=0)[0].astype(np.float64)
        representative = np.where(share > 0, selected[best], -1)
        return themselves(representative, share, selected)

    def path(self, representative: int, node: int) -> Ints:  # noqa: ARG002 - as for any reach
        """List nobody: a node is represented directly."""
        return np.empty(0, dtype=np.int64)

    def running(self, order: Ints) -> RunningGroups:
        """Follow who represents whom while nodes are selected in an order."""
        if not sparse.issparse(self.matrix):
            return running_over_all(MatrixOperator(self.matrix), order)
        starts, columns = self.matrix.indptr.astype(np.int64), self.matrix.indices
        columns = columns.astype(np.int64)
        found = running_along(starts, columns, self.matrix.data, None, order)
        return found if self.of_graph else replace(found, n_links=None)

    def kept_with(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """Tell what stays explained of some nodes with each node beside the selected ones."""
        least, most = _units(self.representatives(selected)[1][of]), _units(before)
        if sparse.issparse(self.matrix):
            part = self.matrix[:, of]
            low, high = least[part.indices], most[part.indices]
            more = np.clip(_units(part.data), low, high) - low
            rows = sparse.csr_array((more, part.indices, part.indptr), shape=part.shape)
            beyond: Ints = np.asarray(rows.sum(axis=1)).ravel()
            return np.asarray((beyond + least.sum()) / UNIT)
        kept = np.zeros(len(self.matrix), dtype=np.int64)
        for node, low, high in zip(of.tolist(), least, most, strict=True):
            kept += np.clip(_units(self.matrix[:, node]), low, high)
        return kept / UNIT

    def related_to(self, of: Ints) -> npt.NDArray[np.bool_]:
        """Tell which nodes share something with some of these, or are among them."""
        return np.asarray((self.matrix[:, of] > 0).sum(axis=1)).ravel() > 0

    def isolated(self) -> npt.NDArray[np.bool_]:
        """Tell which nodes have no weight but their own."""
        positive = (self.matrix > 0).sum(axis=1)
        return np.asarray(positive).ravel() <= 1


def _units(shares: npt.NDArray[Any]) -> Ints:
    """Shares as whole numbers, whose sums and differences are exact."""
    return np.rint(np.asarray(shares, dtype=np.float64) * UNIT).astype(np.int64)


def _largest(rows: Any, nodes: Ints) -> tuple[Ints, Doubles]:
    """The node of the largest share in each column of sparse rows, the first of equal ones."""
    found = rows.tocoo()
    order = np.lexsort((found.row, -found.data, found.col))
    first = order[np.diff(found.col[order], prepend=-1) > 0]
    first = first[found.data[first] > 0]
    representative, share = np.full(rows.shape[1], -1, np.int64), np.zeros(rows.shape[1])
    representative[found.col[first]] = nodes[found.row[first]]
    share[found.col[first]] = found.data[first]
    return representative, share


def themselves(representative: Ints, share: Doubles, selected: Ints) -> tuple[Ints, Doubles]:
    """Let every selected node represent itself, even where another is its copy."""
    representative[selected] = selected
    share[selected] = 1.0
    return representative, share


def graph_reach(graph: FilteredGraph, scale: Scale, *, paths: bool) -> PathReach | MatrixReach:
    """Give the reach of the nodes of a graph: along its paths, or its edges only."""
    left, right = graph.edges.T
    weights = scale.weights(graph.weights, left, right)
    kept = weights > 0
    ends, shape = (left[kept], right[kept]), (graph.n_nodes, graph.n_nodes)
    one_way = sparse.csr_array((weights[kept], ends), shape=shape)
    rows = one_way + one_way.T
    if not paths:
        rows = rows + sparse.eye_array(graph.n_nodes)
    rows.sort_indices()
    if not paths:
        return MatrixReach(rows, of_graph=True)
    return PathReach(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data)
