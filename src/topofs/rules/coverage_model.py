"""Whom a column represents: along paths of the graph, or as a matrix of shares says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs._kernels.dispatch import UNIT, units
from topofs.graphs.filtered_graph import LinkGraph
from topofs.rules.base import RunningGroups, running_along, running_among, running_over_all
from topofs.similarity.base import MatrixOperator

if TYPE_CHECKING:
    from topofs._kernels.coverage import PathGraph, ShareMatrix
    from topofs.graphs.filtered_graph import FilteredGraph, ShareRows
    from topofs.network import Network, Scale

__all__ = ["MatrixCoverage", "PathCoverage", "coverage_model_of", "themselves"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

HALF = 0.5
"""What must be left of the variance at the end of a path of several edges."""


@dataclass(frozen=True, eq=False)
class PathCoverage:
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

    by_matrix: ClassVar[bool] = False

    @property
    def kernel(self) -> PathGraph:
        """What kernels take."""
        from topofs._kernels.coverage import PathGraph

        return PathGraph(self.starts, self.columns, self.weights, self.least)

    @property
    def cut(self) -> npt.NDArray[np.bool_]:
        """Nodes of which less than the whole row is known: none."""
        return np.zeros(len(self.starts) - 1, dtype=np.bool_)

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and the share."""
        from topofs._kernels.path_search import nearest_nodes

        return themselves(*nearest_nodes(*self.kernel, np.sort(selected)), selected)

    def path(self, representative: int, node: int) -> Ints:
        """List the nodes between the two on the best path, from the node on."""
        from topofs._kernels.path_search import best_path

        return best_path(*self.kernel, representative, node)

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:  # noqa: ARG002
        """Follow who represents whom while nodes are selected in an order."""
        return running_along(*self.kernel, order)

    def kept_with(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """Tell what stays explained of some nodes with each node beside the selected ones."""
        least, most = units(self.representatives(selected)[1][of]), units(before)
        kept = np.zeros(len(self.starts) - 1, dtype=np.int64)
        for node, low, high in zip(of.tolist(), least, most, strict=True):
            # Along a path both ends share as much.
            kept += np.clip(units(self.representatives(np.array([node]))[1]), low, high)
        return kept / UNIT

    def related_to(self, of: Ints) -> npt.NDArray[np.bool_]:
        """Tell which nodes a path leads to from some, or are among them."""
        return np.asarray(self.representatives(of)[1] > 0)

    def isolated(self) -> npt.NDArray[np.bool_]:
        """Tell which nodes have no edge above the floor."""
        return np.asarray(np.diff(self.starts) == 0)

    def as_matrix(self) -> MatrixCoverage:
        """The same shares as a sparse matrix."""
        n = len(self.starts) - 1
        rows = [
            sparse.csr_array(self.representatives(np.array([v]))[1][None]) for v in range(n)
        ]
        return MatrixCoverage(sparse.vstack(rows, format="csr"))


@dataclass(frozen=True, eq=False)
class MatrixCoverage:
    """As a matrix says, dense or sparse, with ones on the diagonal.

    Attributes
    ----------
    matrix : array or scipy.sparse.csr_array, shape (n, n)
        Shares in [0, 1]; entry (i, j) is the share of j's variance that i explains.
    whole : ShareRows or None
        Whole rows of nodes of which the matrix holds the strongest links only. When such a node
        is selected, its whole row counts.
    graph : LinkGraph or None
        The graph that both are of: a pickle holds them once.
    """

    matrix: Any
    whole: ShareRows | None = None
    graph: LinkGraph | None = None

    by_matrix: ClassVar[bool] = True

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ if self.graph is None else {"graph": self.graph}

    def __setstate__(self, state: dict[str, Any]) -> None:
        graph = state["graph"]
        if graph is not None:
            state = {"matrix": graph.shares, "whole": graph.whole, "graph": graph}
        for name, value in state.items():
            object.__setattr__(self, name, value)

    @property
    def kernel(self) -> ShareMatrix:
        """What kernels take."""
        from topofs._kernels.coverage import ShareMatrix

        n = self.matrix.shape[0]
        if sparse.issparse(self.matrix):
            starts = self.matrix.indptr.astype(np.int64)
            return ShareMatrix(starts, self.matrix.indices.astype(np.int32), self.matrix.data)
        starts = np.arange(0, n * n + 1, max(n, 1), dtype=np.int64)[: n + 1]
        weights = np.ascontiguousarray(self.matrix).ravel()
        return ShareMatrix(starts, np.empty(0, np.int32), weights)

    @property
    def cut(self) -> npt.NDArray[np.bool_]:
        """Nodes of which the matrix holds less than the whole row."""
        if self.whole is None:
            return np.zeros(self.matrix.shape[0], dtype=np.bool_)
        return self.whole.cut

    def row(self, node: int) -> Doubles:
        """The whole row of a node of which the matrix holds less."""
        assert self.whole is not None
        row, matrix = self.whole.row(node), self.matrix
        listed = slice(matrix.indptr[node], matrix.indptr[node + 1])
        # A link has one share, whoever computes it.
        row[matrix.indices[listed]] = matrix.data[listed]
        return row

    def whole_row(self, node: int) -> Doubles:
        """The shares of a node with all: of a node that is cut the whole row."""
        return self.row(node) if self.cut[node] else self.listed_row(node)

    def listed_row(self, node: int) -> Doubles:
        """The shares of a node with those that the matrix holds."""
        if sparse.issparse(self.matrix):
            row = np.zeros(self.matrix.shape[0])
            entries = slice(self.matrix.indptr[node], self.matrix.indptr[node + 1])
            row[self.matrix.indices[entries]] = self.matrix.data[entries]
            return row
        return np.asarray(self.matrix[node], dtype=np.float64)

    def gains_along(self, order: Ints, n_exact: int | None = None) -> Doubles:
        """What each node of an order adds; whole rows of the first `n_exact` count."""
        covered, gains = np.zeros(len(order), np.int64), np.empty(len(order))
        shares = sparse.csr_array(self.matrix)
        for at, node in enumerate(order.tolist()):
            if self.cut[node] and (n_exact is None or at < n_exact):
                nodes, amounts = np.arange(len(order)), units(self.row(node))
            else:
                row = slice(shares.indptr[node], shares.indptr[node + 1])
                nodes, amounts = shares.indices[row], units(shares.data[row])
            more = np.maximum(amounts - covered[nodes], 0)
            covered[nodes] += more
            gains[at] = more.sum() / UNIT
        return gains

    def rows(self, nodes: Ints, whole: Ints | None = None) -> Any:
        """Give rows of nodes; of all of them, or of some, whole ones."""
        rows, cut = self.matrix[nodes], np.flatnonzero(self.cut[nodes])
        if whole is not None:
            cut = cut[np.isin(nodes[cut], whole)]
        if not len(cut):
            return rows
        complete = [sparse.csr_array(self.row(int(node))[None]) for node in nodes[cut]]
        others = np.setdiff1d(np.arange(len(nodes)), cut)
        place = np.argsort(np.concatenate([others, cut]))
        return sparse.vstack([rows[others], *complete], format="csr")[place]

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that represents each node best, and the share."""
        if not len(selected):
            n = self.matrix.shape[0]
            return np.full(n, -1, dtype=np.int64), np.zeros(n)
        selected = np.sort(selected)
        if sparse.issparse(self.matrix):
            return themselves(*_largest(self.rows(selected), selected), selected)
        rows = self.matrix[selected]
        best = np.argmax(rows, axis=0)
        share = np.take_along_axis(rows, best[None, :], axis=0)[0].astype(np.float64)
        representative = np.where(share > 0, selected[best], -1)
        return themselves(representative, share, selected)

    def coverages(self, lists: list[Ints]) -> Doubles:
        """The `coverage` of each of some lists; every row is computed once."""
        n = self.matrix.shape[0]
        best = np.zeros((len(lists), n))
        within: dict[int, list[int]] = {}
        for number, nodes in enumerate(lists):
            for node in nodes.tolist():
                within.setdefault(node, []).append(number)
        for node in sorted(within):
            row = self.whole_row(node)
            row[node] = 1.0
            for number in within[node]:
                np.maximum(best[number], row, out=best[number])
        for number, nodes in enumerate(lists):
            best[number, nodes] = 1.0
        return np.asarray(best.mean(axis=1))

    def coverage(self, selected: Ints) -> float:
        """The mean of the shares that `representatives` gives, without asking who gives them."""
        best = np.zeros(self.matrix.shape[0])
        if not sparse.issparse(self.matrix):
            best = self.matrix[selected].max(axis=0, initial=0.0)
        else:
            cut = self.cut[selected]
            listed = self.matrix[selected[~cut]]
            np.maximum.at(best, listed.indices, listed.data)
            for node in selected[cut].tolist():
                np.maximum(best, self.row(node), out=best)
        best[selected] = 1.0
        return float(best.mean())

    def path(self, representative: int, node: int) -> Ints:  # noqa: ARG002 - as for any reach
        """List nobody: a node is represented directly."""
        return np.empty(0, dtype=np.int64)

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:
        """Follow who represents whom while nodes are selected in an order.

        Whole rows of the first `n_exact` count.
        """
        if not sparse.issparse(self.matrix):
            return running_over_all(MatrixOperator(self.matrix), order)
        return running_among(self.rows(np.arange(len(order)), whole=order[:n_exact]), order)

    def kept_with(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """Tell what stays explained of some nodes with each node beside the selected ones."""
        least, most = units(self.representatives(selected)[1][of]), units(before)
        if sparse.issparse(self.matrix):
            part = sparse.csr_array(self.rows(of).T)
            low, high = least[part.indices], most[part.indices]
            more = np.clip(units(part.data), low, high) - low
            rows = sparse.csr_array((more, part.indices, part.indptr), shape=part.shape)
            beyond: Ints = np.asarray(rows.sum(axis=1)).ravel()
            return np.asarray((beyond + least.sum()) / UNIT)
        kept = np.zeros(len(self.matrix), dtype=np.int64)
        for node, low, high in zip(of.tolist(), least, most, strict=True):
            kept += np.clip(units(self.matrix[:, node]), low, high)
        return kept / UNIT

    def related_to(self, of: Ints) -> npt.NDArray[np.bool_]:
        """Tell which nodes share something with some of these, or are among them."""
        return np.asarray((self.rows(of) > 0).sum(axis=0)).ravel() > 0

    def isolated(self) -> npt.NDArray[np.bool_]:
        """Tell which nodes have no weight but their own."""
        positive = (self.matrix > 0).sum(axis=1)
        return np.asarray(positive).ravel() <= 1


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


def coverage_model_of(network: Network, *, paths: bool) -> PathCoverage | MatrixCoverage:
    """Give the reach of the nodes of a graph: along its paths, or its edges only."""
    graph, scale = network.graph, network.scale
    assert graph is not None
    if isinstance(graph, LinkGraph):
        if not paths:
            return MatrixCoverage(graph.shares, graph.whole, graph)
        rows = graph.to_scipy()
    else:
        assert scale is not None
        rows = _shares_of_edges(graph, scale)
        if not paths:
            rows = rows + sparse.eye_array(graph.n_nodes)
            rows.sort_indices()
            return MatrixCoverage(rows)
    return PathCoverage(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data)


def _shares_of_edges(graph: FilteredGraph, scale: Scale) -> sparse.csr_array:
    """Shares of variance along the edges of a graph, in both directions, above the floor."""
    left, right = graph.edges.T
    weights = scale.weights(graph.weights, left, right)
    kept = weights > 0
    ends, shape = (left[kept], right[kept]), (graph.n_nodes, graph.n_nodes)
    one_way = sparse.csr_array((weights[kept], ends), shape=shape)
    rows = one_way + one_way.T
    rows.sort_indices()
    return rows
