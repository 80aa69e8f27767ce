"""The best free vertex of a face from the lists of its corners (Fagin's threshold algorithm)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import ColumnWeights, weight
from topofs.kernels.top_lists import TopLists, highest_free_weight

__all__ = ["highest_gain", "merge_lists"]


@njit(cache=True, nogil=True)
def highest_gain(a: int, b: int, c: int, lists: TopLists, penalty: npt.NDArray[Any]) -> float:
    """An upper bound of the gains of a face: the sum of its corners' highest free weights."""
    return (
        highest_free_weight(a, lists, penalty) + highest_free_weight(b, lists, penalty)
    ) + highest_free_weight(c, lists, penalty)


@njit(cache=True, nogil=True)
def merge_lists(
    weights: ColumnWeights,
    a: int,
    b: int,
    c: int,
    lists: TopLists,
    penalty: npt.NDArray[Any],
) -> tuple[int, float, float]:
    """Merge the lists of three corners from the top until the best vertex met is certain.

    Returns the best vertex met, its gain, and a bound on the gain of those not met: the sum
    of the weights the merge has come down to, whose order floating-point addition keeps. The
    vertex is certain if its gain exceeds the bound.
    """
    like, listed, length, head, floor = lists
    end_a, end_b, end_c = length[a], length[b], length[c]
    at_a, at_b, at_c = head[a], head[b], head[c]
    best_vertex, best = -1, -np.inf
    while True:
        while at_a < end_a and penalty[listed[a, at_a]] != 0:
            at_a += 1
        while at_b < end_b and penalty[listed[b, at_b]] != 0:
            at_b += 1
        while at_c < end_c and penalty[listed[c, at_c]] != 0:
            at_c += 1
        w_a = like[a, at_a] if at_a < end_a else floor[a]
        w_b = like[b, at_b] if at_b < end_b else floor[b]
        w_c = like[c, at_c] if at_c < end_c else floor[c]
        bound = (w_a + w_b) + w_c
        if best > bound or (at_a >= end_a and at_b >= end_b and at_c >= end_c):
            return best_vertex, best, bound
        # Whoever is met here for the first time weighs no more elsewhere than is left there.
        if at_a < end_a:
            u = listed[a, at_a]
            half = w_a + weight(weights, b, u, like)
            if half + w_c >= best:
                gain = half + weight(weights, c, u, like)
                best_vertex, best = _better(u, gain, best_vertex, best)
            at_a += 1
        if at_b < end_b:
            u = listed[b, at_b]
            half = weight(weights, a, u, like) + w_b
            if half + w_c >= best:
                gain = half + weight(weights, c, u, like)
                best_vertex, best = _better(u, gain, best_vertex, best)
            at_b += 1
        if at_c < end_c:
            u = listed[c, at_c]
            w_au = weight(weights, a, u, like)
            if (w_au + w_b) + w_c >= best:
                gain = (w_au + weight(weights, b, u, like)) + w_c
                best_vertex, best = _better(u, gain, best_vertex, best)
            at_c += 1


@njit(cache=True, nogil=True)
def _better(u: int, gain: float, best_vertex: int, best: float) -> tuple[int, float]:
    """The vertex of the larger gain; the lower one wins a tie."""
    if gain > best or (gain == best and u < best_vertex):
        return u, gain
    return best_vertex, best
