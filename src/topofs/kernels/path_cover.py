"""Greedy coverage along the paths of a sparse graph, without a matrix of path weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.gain_heap import UNIT, heapify, sift_down

__all__ = ["greedy_path_cover", "nearest_sources"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

NEAR = 0.65
"""A search bounds the gains of the nodes that it reaches with this much or more."""

SLACK = 1e-9
"""Far more than rounding can change in a product along a path or a sum of products."""


@njit(cache=True, nogil=True)
def greedy_path_cover(
    starts: Ints, columns: Ints, weights: Doubles, least: float
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

    Returns
    -------
    order : array of int64, shape (n,)
        A permutation of the nodes.
    gains : array of float64, shape (n,)
        What each added, never rising.

    Notes
    -----
    Invariant: ``bound[v]`` is at least the gain of v, and is its gain at step
    ``known_at[v]``; a gain never rises (the sum is submodular, and exact: see `UNIT`). A node
    on top of the heap whose bound is of the present step is therefore the best, and the
    lowest of the best.

    Beyond the graph, memory is O(n): a gain comes from a search that does not pass a node
    which the chosen ones cover as well or better (see `_search`), and the first bounds from
    few searches (see `_first_bounds`).
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = _work_space(n, len(columns))
    covered = np.zeros(n, np.float64)
    bound = _first_bounds(graph, least, covered, work)
    known_at = np.full(n, -1, np.int64)
    heap = np.arange(n)
    heapify(heap, bound)
    order = np.empty(n, np.int64)
    gains = np.empty(n, np.float64)
    for step in range(n):
        size = n - step
        while known_at[heap[0]] != step:
            v = heap[0]
            bound[v] = _search(v, graph, least, covered, work)[0]
            known_at[v] = step
            sift_down(heap, size, bound, 0)
        best = heap[0]
        order[step] = best
        gains[step] = bound[best] / UNIT
        n_reached = _search(best, graph, least, covered, work)[1]
        reached, product = work[0], work[1]
        for position in range(n_reached):
            covered[reached[position]] = product[reached[position]]
        heap[0] = heap[size - 1]
        sift_down(heap, size - 1, bound, 0)
    return order, gains


@njit(cache=True, nogil=True)
def nearest_sources(
    starts: Ints, columns: Ints, weights: Doubles, least: float, sources: Ints
) -> tuple[Ints, Doubles]:
    """Find the source with the largest product of weights to each node.

    Parameters
    ----------
    starts, columns, weights, least
        As in `greedy_path_cover`.
    sources : array of int64
        Nodes; where two are equally near, the one that comes first here counts.

    Returns
    -------
    owner : array of int64, shape (n,)
        The source of each node; -1 where no path counts.
    covered : array of float64, shape (n,)
        The product to it, or 0.
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = _work_space(n, len(columns))
    covered = np.zeros(n, np.float64)
    owner = np.full(n, -1, np.int64)
    for source in sources:
        n_reached = _search(source, graph, least, covered, work)[1]
        reached, product = work[0], work[1]
        for position in range(n_reached):
            covered[reached[position]] = product[reached[position]]
            owner[reached[position]] = source
    return owner, covered


@njit(cache=True, nogil=True)
def _first_bounds(graph: Any, least: float, covered: Doubles, work: Any) -> Ints:
    """Bound the gain of every node while nothing is covered, with few searches.

    Let q be the product from a searched node v to a node i. Whatever i reaches by a product
    p, v reaches by q·p or more. So i reaches by `least` or more only nodes that v reaches by
    q·least, and each by no more than 1 and no more than 1/q of what v does. To these come
    the single edges of i below `least`. Each node that no search came near (q >= NEAR) is
    searched from in turn.

    Parameters
    ----------
    graph, least, covered, work
        As in `_search`; nothing is covered.

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
        n_reached = _search(v, graph, least * NEAR, covered, work)[1]
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


@njit(cache=True, nogil=True)
def _work_space(n: int, n_entries: int) -> Any:
    """Arrays that all searches share: reached, product, state, queued products and nodes.

    Every entry of the graph is queued at most once in a search, beside the source.
    """
    return (
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        np.zeros(n, np.int8),
        np.empty(n_entries + 1, np.float64),
        np.empty(n_entries + 1, np.int64),
    )


@njit(cache=True, nogil=True)
def _search(
    source: int, graph: Any, least: float, covered: Doubles, work: Any
) -> tuple[int, int]:
    """Sum, in units, by how much a node covers others better than they are.

    Dijkstra's search with products. It stops at nodes that are covered as well from
    elsewhere: a path that counts and goes on from such a node has brought `least` or more to
    it, so what covers the node brings at least as much, and with the same rest of the path
    covers what lies behind it as well. The source itself is searched from even where a copy
    of it covers it: its single edges below `least` are its own.

    Returns
    -------
    total : int
        The sum.
    n_reached : int
        ``reached[:n_reached]`` lists the nodes that it covers better, and ``product`` says
        how well.

    Notes
    -----
    Layout: ``queue_product[:size]`` and ``queue_node[:size]`` are a binary heap, the largest
    product first. ``state`` is 0 for a node not reached, 1 for one in the queue, 2 for one
    that is done; all are 0 again at the end. Invariant: the product of a done node is final.
    """
    starts, columns, weights = graph
    reached, product, state, queue_product, queue_node = work
    total = 0
    reached[0] = source
    n_reached = 1
    product[source] = 1.0
    state[source] = 1
    queue_product[0], queue_node[0] = 1.0, source
    size = 1
    while size > 0:
        here, u = queue_product[0], queue_node[0]
        size -= 1
        _drop_first(queue_product, queue_node, size)
        if state[u] == 2:
            continue
        state[u] = 2
        total += int(np.rint((here - covered[u]) * UNIT))
        for position in range(starts[u], starts[u + 1]):
            v = columns[position]
            there = here * weights[position]
            if state[v] == 2 or there <= covered[v] or (there < least and u != source):
                continue
            if state[v] == 0:
                reached[n_reached] = v
                n_reached += 1
                state[v] = 1
            elif there <= product[v]:
                continue
            product[v] = there
            _insert(queue_product, queue_node, size, there, v)
            size += 1
    for position in range(n_reached):
        state[reached[position]] = 0
    return total, n_reached


@njit(cache=True, nogil=True)
def _insert(
    queue_product: Doubles, queue_node: Ints, size: int, product: float, v: int
) -> None:
    """Add an entry to a queue of so many."""
    position = size
    while position > 0:
        parent = (position - 1) // 2
        if queue_product[parent] >= product:
            break
        queue_product[position] = queue_product[parent]
        queue_node[position] = queue_node[parent]
        position = parent
    queue_product[position] = product
    queue_node[position] = v


@njit(cache=True, nogil=True)
def _drop_first(queue_product: Doubles, queue_node: Ints, size: int) -> None:
    """Take the first entry off a queue; `size` entries stay, the last of them at `size`."""
    product, v = queue_product[size], queue_node[size]
    position = 0
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        if child + 1 < size and queue_product[child + 1] > queue_product[child]:
            child += 1
        if queue_product[child] <= product:
            break
        queue_product[position] = queue_product[child]
        queue_node[position] = queue_node[child]
        position = child
    queue_product[position] = product
    queue_node[position] = v
