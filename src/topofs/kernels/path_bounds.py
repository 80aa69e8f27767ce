"""Bounds of what nodes add along the paths of a sparse graph, with few searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.gain_heap import UNIT
from topofs.kernels.path_search import search

__all__ = ["path_bounds"]

Ints = npt.NDArray[np.int64]

NEAR = 0.65
"""A search bounds the gains of the nodes that it reaches with this much or more."""

SLACK = 1e-9
"""Far more than rounding can change in a product along a path or a sum of products."""


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
