"""Lazy greedy coverage under wishes: one loop for paths of a graph and for matrices of shares."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.cover_state import (
    cover_with,
    first_bounds,
    gain_of,
    leave_less,
    start_cover,
    support_of,
)
from topofs.kernels.gain_heap import heapify, sift_down
from topofs.kernels.units import PART, UNIT

__all__ = ["Search", "begin_phase", "begin_search", "cover_by_row", "take_best"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


class Search(NamedTuple):
    """A greedy search on its way.

    Nodes ``order[:counters[0]]`` are taken and added ``gains``; `counters` holds how many, and
    the size of the heap of the phase. ``left[j]`` is Π (1 − w_ij) over the taken nodes i, in
    parts. ``bound[v]`` is at least what v is worth, and is that when ``known_at[v]`` nodes were
    taken; `key` orders the heap. `room` and `money` are what is left of the limits.
    """

    order: Ints
    gains: Doubles
    counters: Ints
    left: Ints
    bound: Ints
    known_at: Ints
    key: npt.NDArray[Any]
    open_: npt.NDArray[np.bool_]
    room: Ints
    money: Doubles


@njit(cache=True, nogil=True)
def begin_search(reach: Any, limits: Any, key: npt.NDArray[Any]) -> tuple[Any, Search]:
    """Begin with nothing taken; `key`, shape (n,), is int64, or float64 by gains over costs."""
    n = len(limits.allowed)
    state = start_cover(reach)
    search = Search(
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        np.zeros(2, np.int64),
        np.full(n, PART, np.int64),
        first_bounds(reach, state),
        np.full(n, -1, np.int64),
        key,
        limits.allowed.copy(),
        limits.room.copy(),
        np.array([limits.budget]),
    )
    return state, search


@njit(cache=True, nogil=True)
def begin_phase(
    reach: Any, state: Any, search: Search, limits: Any, place: Ints, heap: Ints, quarters: int
) -> None:
    """Put the nodes of a phase in heap order; with `quarters` bounds are found anew."""
    _, _, counters, left, bound, known_at, key, _, _, _ = search
    for v in heap:
        if quarters:
            bound[v] = gain_of(reach, v, state)
            bound[v] += quarters * support_of(reach, v, state, left) // 4
            known_at[v] = counters[0]
        _set_key(key, v, bound[v], limits.cost, limits.by_cost)
    heapify(heap, key, place)
    counters[1] = len(heap)


@njit(cache=True, nogil=True)
def take_best(  # noqa: PLR0917
    reach: Any,
    state: Any,
    search: Search,
    limits: Any,
    place: Ints,
    heap: Ints,
    limited: int,
    least: int,
    quarters: int,
    asks: npt.NDArray[np.bool_],
    exact: int,
) -> int:
    """Take nodes of a phase, best first, until none is left or is worth more than `least`.

    A node is worth what it adds to Σ_j max_i w_ij and `quarters` of its support (see
    `support_of`). Limits count where `limited` is 1. Back comes -1 at the end of the phase; else
    a node that was taken and that `asks`, one of the first `exact`, after which the caller covers
    by its whole row and goes on.

    Invariant: what a node is worth never rises (both terms are submodular, and exact: see
    `UNIT`), so an open node on top of the heap whose bound is of now is the best, and of equal
    ones the one of the lowest place. A node that is closed once stays closed: groups fill up,
    budgets shrink, and who is taken stays.
    """
    order, gains, counters, left, bound, known_at, key, open_, room, money = search
    taken, size = counters[0], counters[1]
    asking = -1
    while size > 0:
        v = heap[0]
        closed = limited and not _is_open(v, open_, limits.group, room, limits.cost, money[0])
        if not closed and known_at[v] != taken:
            bound[v] = gain_of(reach, v, state)
            if quarters:
                bound[v] += quarters * support_of(reach, v, state, left) // 4
            _set_key(key, v, bound[v], limits.cost, limits.by_cost)
            known_at[v] = taken
            sift_down(heap, size, key, 0, place)
            continue
        if not closed and bound[v] <= least:
            break
        size -= 1
        heap[0] = heap[size]
        sift_down(heap, size, key, 0, place)
        if closed:
            continue
        order[taken] = v
        gains[taken] = (gain_of(reach, v, state) if quarters else bound[v]) / UNIT
        _close(v, search, limits)
        taken += 1
        if asks[v] and taken <= exact:
            asking = v
            break
        cover_with(reach, v, state)
        leave_less(reach, v, state, left)
    counters[0], counters[1] = taken, size
    return asking


@njit(cache=True, nogil=True)
def cover_by_row(covered: Ints, search: Search, row: Ints, parts: Ints) -> None:
    """Cover by the whole row of the node taken last: its shares in units and in parts."""
    total, taken, left = 0, search.counters[0], search.left
    for j in range(len(row)):
        total += max(0, row[j] - covered[j])
        covered[j] = max(covered[j], row[j])
        left[j] = left[j] * (PART - parts[j]) // PART
    search.gains[taken - 1] = total / UNIT


@njit(cache=True, nogil=True)
def _set_key(key: npt.NDArray[Any], v: int, bound: int, cost: Doubles, by_cost: int) -> None:
    """Note what the heap is ordered by: the bound itself, exact, or what it is for its cost."""
    if by_cost:
        key[v] = bound / cost[v]
    else:
        key[v] = bound


@njit(cache=True, nogil=True)
def _is_open(
    v: int,
    open_: npt.NDArray[np.bool_],
    group: Ints,
    room: Ints,
    cost: Doubles,
    left: float,
) -> bool:
    """Whether a node may be taken beside those taken."""
    if not open_[v] or (group[v] >= 0 and room[group[v]] <= 0):
        return False
    return len(cost) == 0 or cost[v] <= left


@njit(cache=True, nogil=True)
def _close(v: int, search: Search, limits: Any) -> None:
    """Close what may not stand beside a node that is taken, and pay."""
    search.open_[v] = False
    if limits.group[v] >= 0:
        search.room[limits.group[v]] -= 1
    if len(limits.columns):
        for position in range(limits.starts[v], limits.starts[v + 1]):
            search.open_[limits.columns[position]] = False
    if len(limits.cost):
        search.money[0] -= limits.cost[v]
