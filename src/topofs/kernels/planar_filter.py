"""The greedy loop of the planar maximally filtered graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.planarity import (
    add_edge,
    component_is_planar,
    planarity_arrays,
    remove_edge,
)

__all__ = ["planar_filter"]

IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]


def planar_filter(n_nodes: int, candidates: IntArray) -> IntArray:
    """Take each candidate edge, in the order given, that keeps the graph planar.

    Back come the rows that were taken, ascending. If every pair of three or more nodes is a
    candidate there are 3 n_nodes − 6. Invariant: the graph of the accepted edges is planar, and
    no rejected edge could be added to it (a planar graph stays planar when edges are taken
    away, so an edge once rejected need not be tried again). Hence only the component of the new
    edge is tested, an edge between two components needs no test, and the loop ends at the edge
    count of a triangulation. O(n_nodes) time a candidate, O(n_nodes) memory.
    """
    most = n_nodes * (n_nodes - 1) // 2 if n_nodes < 3 else 3 * n_nodes - 6
    accepted = np.empty(most, dtype=np.int64)
    component = np.arange(n_nodes)
    n_accepted = _fill(accepted, candidates, component, *planarity_arrays(n_nodes, most))
    return accepted[:n_accepted]


@njit(cache=True, nogil=True)
def _fill(
    accepted: IntArray,
    candidates: IntArray,
    component: IntArray,
    node: Int32Array,
    half: Int32Array,
    edge: Int32Array,
    pairs: Int32Array,
    buckets: Int32Array,
) -> int:
    """Write the accepted rows into `accepted` until it is full; return how many there are.

    `component` is the union-find forest of the graph so far, the rest is the graph and the
    scratch of the planarity test. The accepted edge number e is candidate ``accepted[e]``.
    """
    n_accepted = 0
    for row in range(len(candidates)):
        if n_accepted == len(accepted):
            break
        i, j = candidates[row, 0], candidates[row, 1]
        root, other = _representative(i, component), _representative(j, component)
        add_edge(n_accepted, i, j, node, half)
        if root != other:
            component[max(root, other)] = min(root, other)
        elif not component_is_planar(i, node, half, edge, pairs, buckets):
            remove_edge(n_accepted, node, half)
            continue
        accepted[n_accepted] = row
        n_accepted += 1
    return n_accepted


@njit(cache=True, nogil=True)
def _representative(v: int, component: IntArray) -> int:
    """Root of the union-find tree of `v`; halves the path on the way."""
    while component[v] != v:
        component[v] = component[component[v]]
        v = component[v]
    return v
