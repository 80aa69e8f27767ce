"""Who stands best for each node of a sparse graph while sources are added one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.path_cover import _drop_first, _insert, _work_space

__all__ = ["running_sources"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def running_sources(
    starts: Ints, columns: Ints, weights: Doubles, least: float, order: Ints
) -> tuple[Ints, Ints, Doubles, Ints, Doubles]:
    """List where the best source of a node changes as sources are added.

    Parameters
    ----------
    starts, columns, weights, least
        As in `topofs.kernels.path_cover.greedy_path_cover`.
    order : array of int64, shape (n,)
        A permutation: nodes in the order in which they become sources.

    Returns
    -------
    nodes : array of int64, shape (n_changes,)
        Nodes whose best source changes, in the order of the changes; no source is listed for
        itself.
    positions : array of int64, shape (n_changes,)
        Position in `order` of the new source.
    products : array of float64, shape (n_changes,)
        The product of weights along the best path from it.
    before : array of int64, shape (n_changes,)
        The last node of this path before the node.
    curve : array of float64, shape (n,)
        Sum over the nodes of their best product, after each position.

    Notes
    -----
    Invariant: after position p, ``covered[v]`` is the largest product from one of
    ``order[: p + 1]`` to v, and ``owner[v]`` the lowest of those that reach it. A search stops
    at nodes that are covered better, or as well by a lower source: what lies behind them is so
    too (see `topofs.kernels.path_cover._search`). For this reason the node before v on its
    path has the same owner as v.
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = _work_space(n, len(columns))
    before = np.full(n, -1, np.int64)
    covered = np.zeros(n, np.float64)
    owner = np.full(n, -1, np.int64)
    curve = np.empty(n, np.float64)
    found = (np.empty(4 * n + 4, np.int64), np.empty(4 * n + 4, np.int64),
             np.empty(4 * n + 4, np.float64), np.empty(4 * n + 4, np.int64))  # fmt: skip
    total, sum_covered = 0, 0.0
    for position in range(n):
        source = order[position]
        n_reached = _search(source, graph, least, covered, owner, before, work)
        reached, product = work[0], work[1]
        if total + n_reached > len(found[0]):
            found = (_longer(found[0]), _longer(found[1]), _longer(found[2]), _longer(found[3]))
        for place in range(n_reached):
            v = reached[place]
            if v == source and covered[v] >= 1.0 and owner[v] < source:
                continue  # a copy stands for it already, and by the way that is known
            sum_covered += product[v] - covered[v]
            covered[v], owner[v] = product[v], source
            if v != source:
                found[0][total], found[1][total] = v, position
                found[2][total], found[3][total] = product[v], before[v]
                total += 1
        curve[position] = sum_covered
    return found[0][:total], found[1][:total], found[2][:total], found[3][:total], curve


@njit(cache=True, nogil=True)
def _search(
    source: int,
    graph: Any,
    least: float,
    covered: Doubles,
    owner: Ints,
    before: Ints,
    work: Any,
) -> int:
    """Reach the nodes for which a source is better than the one they have.

    Dijkstra's search with products, as in `topofs.kernels.path_cover._search`, but a lower
    source wins a tie.

    Returns
    -------
    int
        How many; ``reached`` lists them, ``product`` says how well, ``before`` by which way.
    """
    starts, columns, weights = graph
    reached, product, state, queue_product, queue_node = work
    reached[0], product[source], state[source] = source, 1.0, 1
    n_reached = 1
    queue_product[0], queue_node[0] = 1.0, source
    size = 1
    while size > 0:
        here, u = queue_product[0], queue_node[0]
        size -= 1
        _drop_first(queue_product, queue_node, size)
        if state[u] == 2:
            continue
        state[u] = 2
        for entry in range(starts[u], starts[u + 1]):
            v = columns[entry]
            there = here * weights[entry]
            if state[v] == 2 or (there < least and u != source):
                continue
            if there < covered[v] or (there == covered[v] and owner[v] < source):
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
    for place in range(n_reached):
        state[reached[place]] = 0
    return n_reached


@njit(cache=True, nogil=True)
def _longer(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    longer = np.empty(2 * len(array), array.dtype)
    longer[: len(array)] = array
    return longer
