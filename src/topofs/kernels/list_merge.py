"""The best free vertex of a face from the lists of its corners (Fagin's threshold algorithm)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import ColumnWeights, weight
from topofs.kernels.top_lists import TopLists, highest_free_weight, next_free, weight_or_floor

__all__ = ["highest_gain", "merge_lists"]


@njit(cache=True, nogil=True)
def highest_gain(a: int, b: int, c: int, lists: TopLists, penalty: npt.NDArray[Any]) -> float:
    """An upper bound of the gains of a face: the sum of its corners' highest free weights."""
    return (
        highest_free_weight(a, lists, penalty) + highest_free_weight(b, lists, penalty)
    ) + highest_free_weight(c, lists, penalty)


@njit(cache=True, nogil=True)
def merge_lists(
    weights: npt.NDArray[Any] | ColumnWeights,
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
    like, listed = lists.weight, lists.vertex
    end_a, end_b, end_c = lists.length[a], lists.length[b], lists.length[c]
    at_a, at_b, at_c = lists.head[a], lists.head[b], lists.head[c]
    best_vertex, best = -1, -np.inf
    while True:
        at_a = next_free(a, at_a, lists, penalty)
        at_b = next_free(b, at_b, lists, penalty)
        at_c = next_free(c, at_c, lists, penalty)
        w_a = weight_or_floor(a, at_a, lists)
        w_b = weight_or_floor(b, at_b, lists)
        w_c = weight_or_floor(c, at_c, lists)
        bound = (w_a + w_b) + w_c
        if best > bound or (at_a >= end_a and at_b >= end_b and at_c >= end_c):
            return best_vertex, best, bound
        if at_a < end_a:
            u = listed[a, at_a]
            gain = (w_a + weight(weights, b, u, like)) + weight(weights, c, u, like)
            best_vertex, best = _better(u, gain, best_vertex, best)
            at_a += 1
        if at_b < end_b:
            u = listed[b, at_b]
            gain = (weight(weights, a, u, like) + w_b) + weight(weights, c, u, like)
            best_vertex, best = _better(u, gain, best_vertex, best)
            at_b += 1
        if at_c < end_c:
            u = listed[c, at_c]
            gain = (weight(weights, a, u, like) + weight(weights, b, u, like)) + w_c
            best_vertex, best = _better(u, gain, best_vertex, best)
            at_c += 1


@njit(cache=True, nogil=True)
def _better(u: int, gain: float, best_vertex: int, best: float) -> tuple[int, float]:
    """The vertex of the larger gain; the lower one wins a tie."""
    if gain > best or (gain == best and u < best_vertex):
        return u, gain
    return best_vertex, best
