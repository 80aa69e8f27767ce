"""Lazy greedy coverage under wishes: one loop for paths of a graph and for matrices of shares."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.cover_state import cover_with, first_bounds, gain_of, start_cover
from topofs.kernels.gain_heap import UNIT, heapify, sift_down

__all__ = ["Limits", "Turns", "greedy_cover"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


class Turns(NamedTuple):
    """Whose turn it is when.

    Nodes of `first` come before all others, whatever the limits say; `linked` may represent
    others; `alone` represent themselves alone and come in their order, with `alone_early` (1 or
    0) before linked nodes that add no more than themselves. Of nodes that add the same, the one
    with the lowest `place` comes first.
    """

    first: Ints
    linked: Ints
    alone: Ints
    alone_early: int
    place: Ints


class Limits(NamedTuple):
    """What may be taken together: nodes that are `allowed`, and `room` nodes of each group.

    The group of a node is -1 for none; CSR rows list the nodes that may not be taken beside it.
    `cost` is what each node costs, empty where nothing does, and `budget` what may be spent;
    `by_cost` is 1 to take the node that adds most for its cost, 0 the one that adds most.
    """

    allowed: npt.NDArray[np.bool_]
    group: Ints
    room: Ints
    starts: Ints
    columns: Ints
    cost: Doubles
    budget: float
    by_cost: int


@njit(cache=True, nogil=True)
def greedy_cover(
    reach: Any, turns: Turns, limits: Limits, key: npt.NDArray[Any]
) -> tuple[Ints, Doubles, int]:
    """Order nodes by what each adds to Σ_j max_i w_ij beyond the nodes before it.

    The reach, a `PathGraph` or a `ShareMatrix`, has the shares w; `key`, shape (n,), is work
    space: int64 for gains, float64 for gains over costs. Back come the nodes taken, what each
    added, never rising among linked nodes, and how many of them came first, added more than
    themselves, or are alone and early.

    Invariant: ``bound[v]`` is at least the gain of v, and is its gain when ``known_at[v]``
    nodes were taken; a gain never rises (the sum is submodular, and exact: see `UNIT`). So an
    open node on top of the heap whose bound is of now is the best, and first of the best. A
    node that is closed once stays closed: groups fill up, budgets shrink, and who is taken
    stays.
    """
    allowed, group, room, _, _, cost, left, by_cost = limits
    nodes_first, linked, alone, alone_early, place = turns
    n = len(allowed)
    state = start_cover(reach)
    bound = first_bounds(reach, state)
    known_at = np.full(n, -1, np.int64)
    room, open_ = room.copy(), allowed.copy()
    order, gains = np.empty(n, np.int64), np.empty(n, np.float64)
    taken, end = 0, 0
    for turn in range(4):
        if turn == 2:
            for v in alone:
                if _is_open(v, open_, group, room, cost, left):
                    bound[v] = gain_of(reach, v, state)
                    left = _take(v, reach, state, limits, room, open_, left)
                    order[taken], gains[taken] = v, bound[v] / UNIT
                    taken += 1
                    end += alone_early
            continue
        if turn == 3 and not alone_early:
            break
        if turn < 2:
            heap = nodes_first.copy() if turn == 0 else linked.copy()
            size = len(heap)
            for v in heap:
                _set_key(key, v, bound[v], cost, by_cost)
            heapify(heap, key, place)
        while size > 0:
            v = heap[0]
            if turn > 0 and not _is_open(v, open_, group, room, cost, left):
                size -= 1
                heap[0] = heap[size]
                sift_down(heap, size, key, 0, place)
                continue
            if known_at[v] != taken:
                bound[v] = gain_of(reach, v, state)
                _set_key(key, v, bound[v], cost, by_cost)
                known_at[v] = taken
                sift_down(heap, size, key, 0, place)
                continue
            if turn == 1 and alone_early and bound[v] <= UNIT:
                break
            left = _take(v, reach, state, limits, room, open_, left)
            order[taken], gains[taken] = v, bound[v] / UNIT
            taken += 1
            end += turn == 0 or bound[v] > UNIT
            size -= 1
            heap[0] = heap[size]
            sift_down(heap, size, key, 0, place)
    return order[:taken].copy(), gains[:taken].copy(), end


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
def _take(
    v: int,
    reach: Any,
    state: Any,
    limits: Limits,
    room: Ints,
    open_: npt.NDArray[np.bool_],
    left: float,
) -> float:
    """Take a node: cover with it, close what may not stand beside it, and pay."""
    cover_with(reach, v, state)
    open_[v] = False
    if limits.group[v] >= 0:
        room[limits.group[v]] -= 1
    if len(limits.columns):
        for position in range(limits.starts[v], limits.starts[v + 1]):
            open_[limits.columns[position]] = False
    return left - limits.cost[v] if len(limits.cost) else left
