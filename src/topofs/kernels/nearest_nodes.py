"""The node of a set that is nearest to each node along the paths of a sparse graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.path_search import no_covering, search, work_space

__all__ = ["best_path", "nearest_nodes"]

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
