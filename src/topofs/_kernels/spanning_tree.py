"""Prim's algorithm for the maximum spanning tree of a dense matrix."""

from __future__ import annotations

import numpy as np

from topofs._kernels.compiler import njit
from topofs.typing import Floats, Ints


@njit(cache=True, nogil=True)
def maximum_spanning_tree(similarity: Floats) -> Ints:
    """Find the maximum spanning tree of the complete graph on a dense matrix.

    Its edges (i, j), i < j, come in the order in which they join the tree of node 0. The weight
    of edge (i, j) is the entry ``[i, j]``; neither the diagonal nor the entries below it are
    read. Edges are totally ordered by (-weight, i, j). At a fixed node the order is that of the
    other end, so ties go to the lowest parent; between nodes `_precedes` looks at both ends.

    Layout: ``outside[:n_outside]`` lists, in no particular order, the nodes not yet in the
    tree; for each such u, ``parent[u]`` is the tree node it is best joined to and ``best[u]``
    the weight of that edge. Invariant: the edges taken are those of the one tree that Kruskal's
    algorithm builds over this order (the first edge that leaves a set of nodes is in it). O(n²)
    time: each step is one pass over the nodes outside that updates them and finds the next one.
    O(n) memory.
    """
    n = similarity.shape[0]
    edges = np.empty((n - 1, 2), np.int64)
    parent = np.zeros(n, np.int64)
    best = np.empty(n, similarity.dtype)
    for u in range(1, n):
        best[u] = similarity[0, u]
    outside = np.arange(1, n)
    newest = 0
    for step in range(n - 1):
        n_outside = n - 1 - step
        first = 0
        for position in range(n_outside):
            u = outside[position]
            weight = similarity[min(u, newest), max(u, newest)]
            if weight > best[u] or (weight == best[u] and newest < parent[u]):
                best[u] = weight
                parent[u] = newest
            if _precedes(u, outside[first], parent, best):
                first = position
        newest = outside[first]
        outside[first] = outside[n_outside - 1]
        edges[step, 0] = min(newest, parent[newest])
        edges[step, 1] = max(newest, parent[newest])
    return edges


@njit(cache=True, nogil=True)
def _precedes(u: int, v: int, parent: Ints, best: Floats) -> bool:
    """Whether the edge that joins `u` to the tree comes before the one that joins `v`."""
    if best[u] != best[v]:
        return bool(best[u] > best[v])
    low_u, low_v = min(u, parent[u]), min(v, parent[v])
    if low_u != low_v:
        return bool(low_u < low_v)
    return bool(max(u, parent[u]) < max(v, parent[v]))
