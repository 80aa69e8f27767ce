"""Search along the paths of a sparse graph: what an origin covers better, and bounds of that."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.gain_heap import units
from topofs.kernels.units import UNIT

__all__ = ["no_covering", "path_bounds", "search", "work_space"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

NEAR = 0.65
"""A search bounds the gains of the nodes that it reaches with this much or more."""

SLACK = 1e-9
"""Far more than rounding can change in a product along a path or a sum of products."""


@njit(cache=True, nogil=True)
def no_covering(n: int) -> Any:
    """How well each node is covered, by which origin, and from which node: not at all yet."""
    return np.zeros(n, np.float64), np.full(n, -1, np.int64), np.full(n, -1, np.int64)


@njit(cache=True, nogil=True)
def work_space(n: int, n_entries: int) -> Any:
    """Arrays that all searches share: reached, product, state, queued products and nodes.

    Every entry of the graph is queued at most once in a search, beside the origin.
    """
    return (
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        np.zeros(n, np.int8),
        np.empty(n_entries + 1, np.float64),
        np.empty(n_entries + 1, np.int64),
    )


@njit(cache=True, nogil=True)
def search(origin: int, graph: Any, least: float, covering: Any, work: Any) -> tuple[int, int]:
    """Reach the nodes that an origin covers better than they are: by how much, and how many.

    Dijkstra's search with products. It stops at nodes that are covered better from elsewhere,
    or as well by a lower representative: a path that counts and goes on from such a node has
    brought `least` or more to it, so what covers the node brings at least as much, and with the
    same rest of the path covers what lies behind it as well. The origin itself is searched from
    even where a copy of it covers it: its single edges below `least` are its own. Where no
    representative is ever noted (-1), as well is not better.

    In the end ``reached[:n_reached]`` lists the nodes, the origin first, ``product`` says how
    well they are covered, and ``before`` has, for each but the origin, the last node of its
    path before it; the total is in units. ``covered`` and ``representative`` are only read.

    Layout: ``queue_product[:size]`` and ``queue_node[:size]`` are a binary heap, the largest
    product first. ``state`` is 0 for a node not reached, 1 for one in the queue, 2 for one that
    is done; all are 0 again at the end. Invariant: the product of a done node is final.
    """
    starts, columns, weights = graph
    covered, representative, before = covering
    reached, product, state, queue_product, queue_node = work
    total = 0
    reached[0] = origin
    n_reached = 1
    product[origin] = 1.0
    state[origin] = 1
    queue_product[0], queue_node[0] = 1.0, origin
    size = 1
    while size > 0:
        here, u = queue_product[0], queue_node[0]
        size -= 1
        _drop_first(queue_product, queue_node, size)
        if state[u] == 2:
            continue
        state[u] = 2
        total += units(here) - units(covered[u])
        for position in range(starts[u], starts[u + 1]):
            v = columns[position]
            there = here * weights[position]
            if state[v] == 2 or there < covered[v] or (there < least and u != origin):
                continue
            if there == covered[v] and representative[v] < origin:
                continue
            if state[v] == 0:
                reached[n_reached] = v
                n_reached += 1
                state[v] = 1
            elif there <= product[v]:
                continue
            product[v], before[v] = there, u
            _insert(queue_product, queue_node, size, there, v)
            size += 1
    for position in range(n_reached):
        state[reached[position]] = 0
    return total, n_reached


@njit(cache=True, nogil=True)
def path_bounds(graph: Any, least: float, covering: Any, work: Any) -> Ints:
    """Bound the gain of every node, in units, while nothing is covered, with few searches.

    Let q be the product from a searched node v to a node i. Whatever i reaches by a product p,
    v reaches by q·p or more. So i reaches by `least` or more only nodes that v reaches by
    q·least, and each by no more than 1 and no more than 1/q of what v does. To these come the
    single edges of i below `least`. Each node that no search came near (q >= NEAR) is searched
    from in turn.
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
