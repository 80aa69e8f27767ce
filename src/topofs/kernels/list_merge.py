"""The best free vertex of a face from the lists of its corners (Fagin's threshold algorithm)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.column_weights import ColumnWeights, weight
from topofs.kernels.compiler_hints import UNCOUNTED
from topofs.kernels.top_lists import TopLists, highest_free_weight, place_in_list

__all__ = ["highest_gain", "merge_lists"]


@njit(cache=True, nogil=True, **UNCOUNTED)
def highest_gain(
    a: int,
    b: int,
    c: int,
    lists: TopLists,
    peak: npt.NDArray[Any],
    penalty: npt.NDArray[Any],
) -> float:
    """An upper bound of the gains of a face: the sum of its corners' highest free weights."""
    return (_peak_of(a, lists, peak, penalty) + _peak_of(b, lists, peak, penalty)) + _peak_of(
        c, lists, peak, penalty
    )


@njit(cache=True, nogil=True, **UNCOUNTED)
def _peak_of(
    v: int, lists: TopLists, peak: npt.NDArray[Any], penalty: npt.NDArray[Any]
) -> float:
    """The highest weight of v to a free vertex, or a bound, kept as long as that one is free.

    Weights do not change, and free vertices only leave: no other becomes higher, however often
    the list is filled again.
    """
    if peak[v].vertex < 0 or penalty[peak[v].vertex] != 0:
        _find_peak(v, lists, peak, penalty)
    return peak[v].weight


@njit(cache=True, nogil=True, **UNCOUNTED)
def _find_peak(
    v: int, lists: TopLists, peak: npt.NDArray[Any], penalty: npt.NDArray[Any]
) -> None:
    record = peak[v]
    record.weight = highest_free_weight(v, lists, penalty)
    record.vertex = -1
    if lists.head[v] < lists.length[v]:
        record.vertex = lists.vertex[v, lists.head[v]]


@njit(cache=True, nogil=True, **UNCOUNTED)
def merge_lists(
    weights: ColumnWeights,
    a: int,
    b: int,
    c: int,
    lists: TopLists,
    penalty: npt.NDArray[Any],
    rounds: int,
    slack: float,
    sure: float,
) -> tuple[int, float, float, float]:
    """Merge the lists of three corners from the top until the best vertex met is certain.

    It ends after so many rounds at the latest; each of them meets up to three vertices. Weights
    of lists are bounds of entries. Where they are above `sure`, they stand for the entries: a
    sum of three exceeds that of the entries by `slack` at most. For others columns are
    multiplied.

    Back come the best vertex met; its gain, or up to `slack` more than that; a bound that no
    vertex exceeds that was not met, the sum of the weights the merge has come down to, whose
    order floating-point addition keeps; and a rival: every other vertex met gains that at most,
    or less than gain − slack. Without slack the vertex is certain if its gain exceeds the
    bound, and the lowest of those that gain as much. With slack it is certain if gain − slack
    exceeds the bound and the rival.
    """
    like, listed, length, head, floor = lists
    end_a, end_b, end_c = length[a], length[b], length[c]
    at_a, at_b, at_c = head[a], head[b], head[c]
    best_vertex, best, rival = -1, -np.inf, -np.inf
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
        if best - slack > bound or (at_a >= end_a and at_b >= end_b and at_c >= end_c):
            break
        for own in range(3):
            if own == 0 and at_a < end_a:
                u = listed[a, at_a]
            elif own == 1 and at_b < end_b:
                u = listed[b, at_b]
            elif own == 2 and at_c < end_c:
                u = listed[c, at_c]
            else:
                continue
            gain = _gain_if_met(
                weights,
                u,
                own,
                (a, b, c),
                (at_a, at_b, at_c),
                w_b,
                w_c,
                lists,
                best - slack,
                sure,
            )
            if gain > best or (gain == best and u < best_vertex):
                best_vertex, best, rival = u, gain, best
            else:
                rival = max(rival, gain)
        at_a, at_b, at_c = at_a + 1, at_b + 1, at_c + 1
    return best_vertex, best, bound, rival


# A call of its own would cost a fifth of the growth.
@njit(cache=True, nogil=True, inline="always", **UNCOUNTED)
def _gain_if_met(
    weights: ColumnWeights,
    u: int,
    own: int,
    corners: tuple[int, int, int],
    at: tuple[int, int, int],
    high_b: float,
    high_c: float,
    lists: TopLists,
    least: float,
    sure: float,
) -> float:
    """The gain of u, to which one list has come; −∞ if it was met before or gains less than that.

    What a list has had before is known already. A list that is yet to have u has its weight,
    one that will not bounds it, and what the lists have come to bounds what is not looked up: so
    little is searched and few columns are multiplied.
    """
    like, floor = lists.weight, lists.floor
    a, b, c = corners
    at_a, at_b, at_c = at
    in_a = at_a if own == 0 else place_in_list(a, u, lists)
    w_a = like[a, in_a] if in_a >= 0 else floor[a]
    if (own > 0 and 0 <= in_a <= at_a) or (w_a + high_b) + high_c < least:
        return -np.inf
    in_b = at_b if own == 1 else place_in_list(b, u, lists)
    w_b = like[b, in_b] if in_b >= 0 else floor[b]
    if (own != 1 and 0 <= in_b < at_b + (own == 2)) or (w_a + w_b) + high_c < least:
        return -np.inf
    in_c = at_c if own == 2 else place_in_list(c, u, lists)
    w_c = like[c, in_c] if in_c >= 0 else floor[c]
    if own != 2 and 0 <= in_c < at_c:
        return -np.inf
    if (in_a < 0 or w_a <= sure) and (w_a + w_b) + w_c >= least:
        w_a = weight(weights, a, u, like)
    if (in_b < 0 or w_b <= sure) and (w_a + w_b) + w_c >= least:
        w_b = weight(weights, b, u, like)
    if (in_c < 0 or w_c <= sure) and (w_a + w_b) + w_c >= least:
        w_c = weight(weights, c, u, like)
    gain = (w_a + w_b) + w_c
    return gain if gain >= least else -np.inf
