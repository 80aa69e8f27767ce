"""The origin, of a set or of a growing one, that is nearest to each node of a sparse graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.path_search import no_covering, search, work_space
from topofs.kernels.running_best import doubled

__all__ = ["best_path", "nearest_nodes", "running_nodes"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def nearest_nodes(
    starts: Ints, columns: Ints, weights: Doubles, least: float, origins: Ints
) -> tuple[Ints, Doubles]:
    """Find the origin with the largest product of weights to each node, and that product.

    The graph is that of `topofs.kernels.cover_state.PathGraph`. Where two origins are equally
    near, the lowest counts; where no path counts, they are -1 and 0.
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
    """List the nodes on the path with the largest product of weights, without its ends.

    They go from the node to the origin, which reaches it; there are none where an edge is as
    good.
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
def running_nodes(
    starts: Ints, columns: Ints, weights: Doubles, least: float, order: Ints
) -> tuple[Ints, Ints, Doubles, Ints, Doubles]:
    """List where the best origin of a node changes as nodes become origins in an order.

    The graph is that of `topofs.kernels.cover_state.PathGraph`. For each change, one after
    another, there are the node, which is never the origin itself; the position in `order` of
    its new origin; the product of weights along the best path from it; and the last node of
    this path before the node. The last array is the sum over the nodes of their best product,
    after each position.

    Invariant: after position p, ``covered[v]`` is the largest product from one of
    ``order[: p + 1]`` to v, and ``representative[v]`` the lowest of those that reach it. A
    search stops at nodes that are covered better, or as well by a lower origin: what lies
    behind them is so too (see `topofs.kernels.path_search.search`). For this reason the node
    before v on its path has the same representative as v.
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = work_space(n, len(columns))
    covering = no_covering(n)
    covered, representative, before = covering
    curve = np.empty(n, np.float64)
    found = (np.empty(4 * n + 4, np.int64), np.empty(4 * n + 4, np.int64),
             np.empty(4 * n + 4, np.float64), np.empty(4 * n + 4, np.int64))  # fmt: skip
    total, sum_covered = 0, 0.0
    for position in range(n):
        origin = order[position]
        n_reached = search(origin, graph, least, covering, work)[1]
        reached, product = work[0], work[1]
        if total + n_reached > len(found[0]):
            found = (doubled(found[0]), doubled(found[1]), doubled(found[2]), doubled(found[3]))
        for place in range(n_reached):
            v = reached[place]
            if v == origin and covered[v] >= 1.0 and representative[v] < origin:
                continue  # a copy represents it already, and by the way that is known
            sum_covered += product[v] - covered[v]
            covered[v], representative[v] = product[v], origin
            if v != origin:
                found[0][total], found[1][total] = v, position
                found[2][total], found[3][total] = product[v], before[v]
                total += 1
        curve[position] = sum_covered
    return found[0][:total], found[1][:total], found[2][:total], found[3][:total], curve
