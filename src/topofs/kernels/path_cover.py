"""Greedy coverage along the paths of a sparse graph, without a matrix of path weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.gain_heap import UNIT, heapify, others, sift_down
from topofs.kernels.path_search import no_covering, search, work_space

__all__ = ["best_path", "greedy_path_cover", "nearest_nodes"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

NEAR = 0.65
"""A search bounds the gains of the nodes that it reaches with this much or more."""

SLACK = 1e-9
"""Far more than rounding can change in a product along a path or a sum of products."""


@njit(cache=True, nogil=True)
def greedy_path_cover(
    starts: Ints, columns: Ints, weights: Doubles, least: float, chosen: Ints
) -> tuple[Ints, Doubles]:
    """Order all nodes by what each adds to Σ_j max_i p_ij beyond the nodes before it.

    p_ij is 1 for i = j, else the largest product of weights along a path from i to j, where
    a path of several edges counts only if its product reaches `least`.

    Parameters
    ----------
    starts, columns, weights : arrays of int64, int64 and float64
        CSR rows of the graph, both directions of each edge, weights in (0, 1].
    least : float
        What must be left at the end of a path of several edges, in (0, 1].
    chosen : array of int64
        Nodes that come before all others, in whatever order adds most.

    Returns
    -------
    order : array of int64, shape (n,)
        A permutation of the nodes.
    gains : array of float64, shape (n,)
        What each added, never rising among the chosen nodes, nor among the others.

    Notes
    -----
    Invariant: ``bound[v]`` is at least the gain of v, and is its gain at step
    ``known_at[v]``; a gain never rises (the sum is submodular, and exact: see `UNIT`). A node
    on top of the heap whose bound is of the present step is therefore the best, and the
    lowest of the best.

    Beyond the graph, memory is O(n): a gain comes from a search that does not pass a node
    which the chosen ones cover as well or better (see `topofs.kernels.path_search.search`),
    and the first bounds from few searches (see `_first_bounds`).
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = work_space(n, len(columns))
    # Who covers a node plays no part: as well as others is not better.
    covering = no_covering(n)
    covered = covering[0]
    bound = _first_bounds(graph, least, covering, work)
    known_at = np.full(n, -1, np.int64)
    order = np.empty(n, np.int64)
    gains = np.empty(n, np.float64)
    heap = chosen.copy() if len(chosen) else np.arange(n)
    heapify(heap, bound)
    end = len(heap)
    for step in range(n):
        if step == end:
            heap = others(n, chosen)
            heapify(heap, bound)
            end = n
        size = end - step
        while known_at[heap[0]] != step:
            v = heap[0]
            bound[v] = search(v, graph, least, covering, work)[0]
            known_at[v] = step
            sift_down(heap, size, bound, 0)
        best = heap[0]
        order[step] = best
        gains[step] = bound[best] / UNIT
        n_reached = search(best, graph, least, covering, work)[1]
        reached, product = work[0], work[1]
        for position in range(n_reached):
            covered[reached[position]] = product[reached[position]]
        heap[0] = heap[size - 1]
        sift_down(heap, size - 1, bound, 0)
    return order, gains


@njit(cache=True, nogil=True)
def nearest_nodes(
    starts: Ints, columns: Ints, weights: Doubles, least: float, origins: Ints
) -> tuple[Ints, Doubles]:
    """Find the origin with the largest product of weights to each node.

    Parameters
    ----------
    starts, columns, weights, least
        As in `greedy_path_cover`.
    origins : array of int64
        Nodes; where two are equally near, the lowest counts.

    Returns
    -------
    representative : array of int64, shape (n,)
        The origin of each node; -1 where no path counts.
    covered : array of float64, shape (n,)
        The product to it, or 0.
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = work_space(n, len(columns))
    covering = no_covering(n)
    covered, representative, _ = covering
    for origin in origins:
        n_reached = search(origin, graph, least, covering, work)[1]
        reached, product = work[0], work[1]
        for position in range(n_reached):
            covered[reached[position]] = product[reached[position]]
            representative[reached[position]] = origin
    return representative, covered


@njit(cache=True, nogil=True)
def best_path(
    starts: Ints, columns: Ints, weights: Doubles, least: float, origin: int, node: int
) -> Ints:
    """List the nodes on the path with the largest product of weights.

    Parameters
    ----------
    starts, columns, weights, least
        As in `greedy_path_cover`.
    origin, node : int
        Its ends; the origin reaches the node.

    Returns
    -------
    array of int64
        The nodes between them, from the node to the origin; none where an edge is as good.
    """
    n = len(starts) - 1
    covering = no_covering(n)
    search(origin, (starts, columns, weights), least, covering, work_space(n, len(columns)))
    before = covering[2]
    path = np.empty(n, np.int64)
    length = 0
    while node != origin and before[node] != origin:
        node = before[node]
        path[length] = node
        length += 1
    return path[:length].copy()


@njit(cache=True, nogil=True)
def _first_bounds(graph: Any, least: float, covering: Any, work: Any) -> Ints:
    """Bound the gain of every node while nothing is covered, with few searches.

    Let q be the product from a searched node v to a node i. Whatever i reaches by a product
    p, v reaches by q·p or more. So i reaches by `least` or more only nodes that v reaches by
    q·least, and each by no more than 1 and no more than 1/q of what v does. To these come
    the single edges of i below `least`. Each node that no search came near (q >= NEAR) is
    searched from in turn.

    Parameters
    ----------
    graph, least, covering, work
        As in `topofs.kernels.path_search.search`; nothing is covered.

    Returns
    -------
    array of int64, shape (n,)
        Bounds in units.
    """
    starts, _, weights = graph
    reached, product = work[0], work[1]
    n = len(starts) - 1
    bound = np.full(n, -1, np.int64)
    for v in range(n):
        if bound[v] >= 0:
            continue
        n_reached = search(v, graph, least * NEAR, covering, work)[1]
        products = np.sort(product[reached[:n_reached]])
        sums = np.zeros(n_reached + 1, np.float64)
        sums[1:] = np.cumsum(products)
        for i in reached[:n_reached]:
            q = product[i] * (1 - SLACK)
            if q < NEAR * (1 - SLACK) and i != v:
                continue
            low, high = np.searchsorted(products, least * q), np.searchsorted(products, q)
            most = n_reached - high + (sums[high] - sums[low]) / q
            for position in range(starts[i], starts[i + 1]):
                if weights[position] < least:
                    most += weights[position]
            units = int(most * (1 + SLACK) * UNIT) + n_reached + 1
            if bound[i] < 0 or units < bound[i]:
                bound[i] = units
    return bound
