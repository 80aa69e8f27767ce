"""Sparse Gaussian elimination on a chordal graph, in the order that makes no fill-in.

Layout everywhere: nodes are counted in the order of insertion; ``parents[p]`` lists the nodes
before p that p is joined to, ascending, filled up with -1. They are a clique, so the
elimination of p only changes stored entries. An entry of a symmetric matrix on the graph is
stored in ``diagonal[p]`` or, for p and its parent in slot a, in ``beside[p, a]``.
"""

from __future__ import annotations

import numpy as np

from topofs._kernels.compiler import njit
from topofs.typing import Bools, Doubles, Ints


@njit(cache=True, nogil=True)
def cardinality_order(indptr: Ints, indices: Ints) -> Ints:
    """Maximum cardinality search: each next node has most neighbours among the earlier nodes.

    The graph stores each edge in both rows. The reverse of the order is a perfect elimination
    order if one exists (Tarjan & Yannakakis 1984). ``head[c]`` starts a list of nodes that had
    c neighbours at some time; outdated entries are skipped.
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
    """List the parents of each node, and the first node whose parents are no clique, or -1.

    Nodes are numbered in the order of insertion, except in `order` and in the graph, which
    stores each edge in both rows.
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
            last = parents[p, found - 1]
            slot = _slot(parents, last, parents[p, a])
            if wrong < 0 and (slot == width or parents[last, slot] != parents[p, a]):
                wrong = p
    return parents, wrong


@njit(cache=True, nogil=True)
def information(parents: Ints, slopes: Doubles, spread: Doubles) -> tuple[Doubles, Doubles]:
    """Give the precision matrix of regressions of each node on its parents.

    It is returned as `diagonal` and `beside`. Slopes, shape (n, width), are 0 where there is no
    parent; `spread` are the residual variances.
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
def absorb(
    parents: Ints, slopes: Doubles, spread: Doubles, known: Bools, x: Doubles
) -> tuple[Doubles, Doubles]:
    """Give slopes and spreads of each node on its parents once some are known.

    Both are 0 for known nodes. Only known nodes and their ancestors change: the other nodes
    carry no information for their parents. ``x``, shape (n, m), holds the values of known nodes
    and 0; the intercepts of the other nodes are put in their places.
    """
    n, width = parents.shape
    touched, after, left = known.copy(), slopes.copy(), spread.copy()
    diagonal = np.zeros(n)  # what descendants add to the precision; beside it, in `after`
    for p in range(n - 1, -1, -1):
        if not touched[p]:
            continue
        weight = 1 / spread[p]
        left[p] = 0 if known[p] else 1 / (weight + diagonal[p])
        if not known[p]:
            for k in range(x.shape[1]):
                x[p, k] *= left[p]
        for a in range(width):
            i = parents[p, a]
            if i < 0:
                break
            touched[i] = True
            after[p, a] *= weight
            if not known[i]:
                for k in range(x.shape[1]):
                    x[i, k] += after[p, a] * x[p, k]
            for b in range(a + 1):
                added = (
                    weight * slopes[p, a] * slopes[p, b] - left[p] * after[p, a] * after[p, b]
                )
                if b == a:
                    diagonal[i] += added
                else:
                    after[i, _slot(parents, i, parents[p, b])] -= added * spread[i]
        for a in range(width):
            after[p, a] *= left[p]
    return after, left


@njit(cache=True, nogil=True)
def predict(parents: Ints, slopes: Doubles, known: Bools, x: Doubles) -> None:
    """Turn intercepts into means, in place, by adding the terms of the parents."""
    one_row = x.shape[1] == 1  # spares the setting up of a loop of one
    for p in range(parents.shape[0]):
        if known[p]:
            continue
        for a in range(parents.shape[1]):
            i = parents[p, a]
            if i < 0:
                break
            if one_row:
                x[p, 0] += slopes[p, a] * x[i, 0]
            else:
                for k in range(x.shape[1]):
                    x[p, k] += slopes[p, a] * x[i, k]


@njit(cache=True, nogil=True)
def to_covariances(parents: Ints, slopes: Doubles, spread: Doubles) -> None:
    """Turn slopes into covariances with the parents and `spread` into variances, in place."""
    n, width = parents.shape
    own = np.empty(width)
    for p in range(n):
        for a in range(width):
            i = parents[p, a]
            if i < 0:
                break
            own[a] = slopes[p, a] * spread[i]
            for b in range(a):
                entry = slopes[i, _slot(parents, i, parents[p, b])]
                own[a] += slopes[p, b] * entry
                own[b] += slopes[p, a] * entry
        for a in range(width):
            if parents[p, a] < 0:
                break
            spread[p] += slopes[p, a] * own[a]
            slopes[p, a] = own[a]


@njit(cache=True, nogil=True)
def _slot(parents: Ints, p: int, parent: int) -> int:
    """The position of `parent` among the parents of `p`: the number of parents below it.

    Counting without a branch is faster; as unsigned numbers the -1 are the largest.
    """
    slot = 0
    for a in range(parents.shape[1]):
        slot += int(np.uint64(parents[p, a]) < np.uint64(parent))
    return slot
