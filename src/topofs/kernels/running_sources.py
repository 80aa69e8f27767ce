"""Who stands best for each node of a sparse graph while sources are added one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.path_search import no_covering, search, work_space
from topofs.kernels.running_best import doubled

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
    too (see `topofs.kernels.path_search.search`). For this reason the node before v on its
    path has the same owner as v.
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = work_space(n, len(columns))
    covering = no_covering(n)
    covered, owner, before = covering
    curve = np.empty(n, np.float64)
    found = (np.empty(4 * n + 4, np.int64), np.empty(4 * n + 4, np.int64),
             np.empty(4 * n + 4, np.float64), np.empty(4 * n + 4, np.int64))  # fmt: skip
    total, sum_covered = 0, 0.0
    for position in range(n):
        source = order[position]
        n_reached = search(source, graph, least, covering, work)[1]
        reached, product = work[0], work[1]
        if total + n_reached > len(found[0]):
            found = (doubled(found[0]), doubled(found[1]), doubled(found[2]), doubled(found[3]))
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
