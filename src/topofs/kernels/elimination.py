"""Sparse Gaussian elimination on a chordal graph, in the order that makes no fill-in.

Layout everywhere: nodes are counted in the order of insertion; ``parents[p]`` lists the nodes
before p that p is joined to, ascending, filled up with -1. They are a clique, so whatever the
elimination of p touches is stored already: an entry of a symmetric matrix on the graph lies in
``diagonal[p]`` or, for p and its parent in slot a, in ``beside[p, a]``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = [
    "cardinality_order",
    "eliminate",
    "information",
    "parents_in_order",
    "selected_variances",
    "solve",
    "take_product",
]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@njit(cache=True, nogil=True)
def cardinality_order(indptr: Ints, indices: Ints) -> Ints:
    """Maximum cardinality search: each next node has most neighbours among those before it.

    Parameters
    ----------
    indptr, indices : arrays of int64
        The graph, each edge in both rows.

    Returns
    -------
    array of int64, shape (n,)
        Its reverse is a perfect elimination order if there is any (Tarjan & Yannakakis 1984).

    Notes
    -----
    ``head[c]`` starts a list of nodes that once had c neighbours; stale entries are skipped.
    """
    n = indptr.shape[0] - 1
    head = np.full(n + 1, -1, np.int64)
    entry_node = np.empty(n + indices.shape[0], np.int64)
    entry_next = np.empty(n + indices.shape[0], np.int64)
    n_entries = 0
    for v in range(n - 1, -1, -1):
        entry_node[n_entries] = v
        entry_next[n_entries] = head[0]
        head[0] = n_entries
        n_entries += 1
    count = np.zeros(n, np.int64)
    order = np.empty(n, np.int64)
    most = 0
    for step in range(n):
        while True:
            entry = head[most]
            if entry < 0:
                most -= 1
                continue
            head[most] = entry_next[entry]
            v = entry_node[entry]
            if count[v] == most:
                break
        order[step] = v
        count[v] = -1
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if count[u] >= 0:
                count[u] += 1
                entry_node[n_entries] = u
                entry_next[n_entries] = head[count[u]]
                head[count[u]] = n_entries
                n_entries += 1
                most = max(most, count[u])
    return order


@njit(cache=True, nogil=True)
def parents_in_order(indptr: Ints, indices: Ints, order: Ints) -> tuple[Ints, int]:
    """List the parents of each node, and find the first whose parents are no clique.

    Parameters
    ----------
    indptr, indices : arrays of int64
        The graph, each edge in both rows.
    order : array of int64, shape (n,)
        The order of insertion.

    Returns
    -------
    parents : array of int64, shape (n, most parents)
        As in the layout above.
    wrong : int
        A node, in the order of insertion, whose parents are not all joined; -1 if none is.
    """
    n = order.shape[0]
    place = np.empty(n, np.int64)
    for p in range(n):
        place[order[p]] = p
    width = 0
    for p in range(n):
        v, found = order[p], 0
        for k in range(indptr[v], indptr[v + 1]):
            found += place[indices[k]] < p
        width = max(width, found)
    parents = np.full((n, width), -1, np.int64)
    wrong = -1
    for p in range(n):
        v, found = order[p], 0
        for k in range(indptr[v], indptr[v + 1]):
            if place[indices[k]] < p:
                parents[p, found] = place[indices[k]]
                found += 1
        parents[p, :found].sort()
        # The parents are a clique if all but the last are parents of the last one.
        for a in range(found - 1):
            if wrong < 0 and _slot(parents, parents[p, found - 1], parents[p, a]) < 0:
                wrong = p
    return parents, wrong


@njit(cache=True, nogil=True)
def information(parents: Ints, slopes: Doubles, spread: Doubles) -> tuple[Doubles, Doubles]:
    """Give the precision matrix of regressions of each node on its parents.

    Parameters
    ----------
    parents : array of int64, shape (n, width)
        As in the layout above.
    slopes : array of float64, shape (n, width)
        Regression coefficients; 0 where there is no parent.
    spread : array of float64, shape (n,)
        Variances of what is left.

    Returns
    -------
    diagonal, beside : arrays of float64, shapes (n,) and (n, width)
    """
    n, width = parents.shape
    diagonal = np.zeros(n)
    beside = np.zeros((n, width))
    for p in range(n):
        weight = 1 / spread[p]
        diagonal[p] += weight
        for a in range(width):
            i = parents[p, a]
            if i < 0:
                break
            beside[p, a] -= weight * slopes[p, a]
            diagonal[i] += weight * slopes[p, a] ** 2
            for b in range(a):
                slot = _slot(parents, i, parents[p, b])
                beside[i, slot] += weight * slopes[p, a] * slopes[p, b]
    return diagonal, beside


@njit(cache=True, nogil=True)
def take_product(parents: Ints, beside: Doubles, x: Doubles, known: Flags, y: Doubles) -> None:
    """Take from `y`, for the other nodes, the matrix times `x`, which lies on the known ones.

    ``x`` and ``y`` have the shape (n, m): m right-hand sides.
    """
    n, width = parents.shape
    for p in range(n):
        for a in range(width):
            i = parents[p, a]
            if i < 0:
                break
            if known[p] and not known[i]:
                for k in range(x.shape[1]):
                    y[i, k] -= beside[p, a] * x[p, k]
            elif known[i] and not known[p]:
                for k in range(x.shape[1]):
                    y[p, k] -= beside[p, a] * x[i, k]


@njit(cache=True, nogil=True)
def eliminate(parents: Ints, diagonal: Doubles, beside: Doubles, known: Flags) -> None:
    """Factorise the rows and columns of the nodes that are not known, in place.

    Afterwards ``beside`` holds the unit factor L of L D Lᵀ and ``diagonal`` the pivots D.
    """
    n, width = parents.shape
    for p in range(n - 1, -1, -1):
        if known[p]:
            continue
        inverse = 1 / diagonal[p]
        for a in range(width):
            i = parents[p, a]
            if i < 0:
                break
            if known[i]:
                beside[p, a] = 0
                continue
            factor = beside[p, a] * inverse
            diagonal[i] -= factor * beside[p, a]
            for b in range(a):
                j = parents[p, b]
                if not known[j]:
                    beside[i, _slot(parents, i, j)] -= factor * beside[p, b]
        for a in range(width):
            beside[p, a] *= inverse


@njit(cache=True, nogil=True)
def solve(parents: Ints, pivots: Doubles, factor: Doubles, known: Flags, y: Doubles) -> None:
    """Solve L D Lᵀ x = y for the nodes that are not known; `y`, shape (n, m), becomes x."""
    n, width = parents.shape
    for p in range(n - 1, -1, -1):
        if known[p]:
            continue
        for a in range(width):
            i = parents[p, a]
            if i < 0:
                break
            if not known[i]:
                for k in range(y.shape[1]):
                    y[i, k] -= factor[p, a] * y[p, k]
        for k in range(y.shape[1]):
            y[p, k] /= pivots[p]
    for p in range(n):
        if known[p]:
            continue
        for a in range(width):
            i = parents[p, a]
            if i < 0:
                break
            if not known[i]:
                for k in range(y.shape[1]):
                    y[p, k] -= factor[p, a] * y[i, k]


@njit(cache=True, nogil=True)
def selected_variances(
    parents: Ints, pivots: Doubles, factor: Doubles, known: Flags
) -> Doubles:
    """Give the diagonal of the inverse of L D Lᵀ; 0 for known nodes.

    Takahashi's equations: only entries of the inverse on the graph are needed for it. Those of a
    known node are 0, as are the factors to it, so that it plays no part.
    """
    n, width = parents.shape
    variance = np.zeros(n)
    between = np.zeros((n, width))
    for p in range(n):
        if known[p]:
            continue
        for a in range(width):
            i = parents[p, a]
            if i < 0:
                break
            between[p, a] -= factor[p, a] * variance[i]
            for b in range(a):
                entry = between[i, _slot(parents, i, parents[p, b])]
                between[p, a] -= factor[p, b] * entry
                between[p, b] -= factor[p, a] * entry
        variance[p] = 1 / pivots[p]
        for a in range(width):
            variance[p] -= factor[p, a] * between[p, a]
    return variance


@njit(cache=True, nogil=True)
def _slot(parents: Ints, p: int, parent: int) -> int:
    """Where a node stands among the parents of `p`; -1 if it is none of them."""
    for a in range(parents.shape[1]):
        if parents[p, a] == parent:
            return a
    return -1
