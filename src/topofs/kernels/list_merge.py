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
    rounds: int,
) -> tuple[int, float, float]:
    """Merge the lists of three corners from the top until the best vertex met is certain.

    It ends after so many rounds at the latest; each of them meets up to three vertices. Returns
    the best vertex met, its gain, and a bound on the gain of those not met: the sum of the
    weights the merge has come down to, whose order floating-point addition keeps. The vertex is
    certain if its gain exceeds the bound.
    """
    like, listed, length, head, floor = lists
    end_a, end_b, end_c = length[a], length[b], length[c]
    at_a, at_b, at_c = head[a], head[b], head[c]
    best_vertex, best = -1, -np.inf
    bound = np.inf
    for _ in range(rounds):
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
            break
        met_a = listed[a, at_a] if at_a < end_a else -1
        met_b = listed[b, at_b] if at_b < end_b else -1
        met_c = listed[c, at_c] if at_c < end_c else -1
        for u in (met_a, met_b, met_c):
            if u >= 0:
                best_vertex, best = _meet(weights, a, b, c, u, lists, best_vertex, best)
        at_a, at_b, at_c = at_a + 1, at_b + 1, at_c + 1
    return best_vertex, best, bound


@njit(cache=True, nogil=True)
def _meet(
    weights: ColumnWeights,
    a: int,
    b: int,
    c: int,
    u: int,
    lists: TopLists,
    best_vertex: int,
    best: float,
) -> tuple[int, float]:
    """The better of a free vertex u and the best one so far; the lower one wins a tie.

    A list that has u has its weight; one that has not bounds it. So few columns are multiplied.
    """
    like, floor = lists.weight, lists.floor
    at_a, at_b, at_c = _place(a, u, lists), _place(b, u, lists), _place(c, u, lists)
    w_a = like[a, at_a] if at_a >= 0 else floor[a]
    w_b = like[b, at_b] if at_b >= 0 else floor[b]
    w_c = like[c, at_c] if at_c >= 0 else floor[c]
    if at_a < 0 and (w_a + w_b) + w_c >= best:
        w_a = weight(weights, a, u, like)
    if at_b < 0 and (w_a + w_b) + w_c >= best:
        w_b = weight(weights, b, u, like)
    if at_c < 0 and (w_a + w_b) + w_c >= best:
        w_c = weight(weights, c, u, like)
    gain = (w_a + w_b) + w_c
    if gain > best or (gain == best and u < best_vertex):
        return u, gain
    return best_vertex, best


@njit(cache=True, nogil=True)
def _place(v: int, u: int, lists: TopLists) -> int:
    """Where u stands in the list of v, or −1."""
    place = -1
    listed, length = lists.vertex, lists.length
    # Without an end in between these are vector instructions.
    for position in range(length[v]):
        if listed[v, position] == u:
            place = position
    return place
