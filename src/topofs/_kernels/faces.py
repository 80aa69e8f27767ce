"""Faces of a growing TMFG: the heap of face slots, and scans for the best free vertex of a face.

The heap is a max-heap of slots, ordered by (−key, slot), with four children per slot. The keys
are stored in the order of the heap, so the keys of the four children of a slot are adjacent in
memory.

A gain is always ``(w_au + w_bu) + w_cu`` in the stored order of the corners (a, b, c), and the
lowest vertex wins a tie. `penalty` is 0 for a free vertex and −∞ for a used one: adding it
instead of branching lets the compiler use vector instructions. Its index is unsigned there: an
index that may be negative, and then counts from the end, prevents them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from topofs._kernels.compiler import NO_REFCOUNT, larger, njit
from topofs.typing import Floats, Ints

# Children of a slot of the heap.
N_BELOW = 4
# Vertices per step: find the maximum of each block first, then its position in the best block.
BLOCK = 256


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def sift_up(heap: Ints, key: Floats, place: int) -> None:
    """Move the slot at a place towards the root until the heap order holds.

    Invariant: all other slots are in heap order before and after every turn.
    """
    slot, own = heap[place], key[place]
    while place > 0:
        above = (place - 1) // N_BELOW
        if own < key[above] or (own == key[above] and slot > heap[above]):
            break
        heap[place], key[place] = heap[above], key[above]
        place = above
    heap[place], key[place] = slot, own


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def sift_down(heap: Ints, key: Floats, size: int) -> None:
    """Move the slot at the root down until the heap order holds among the first `size`.

    Invariant: all other slots are in heap order before and after every turn.
    """
    slot, own = heap[0], key[0]
    place = 0
    first = 1
    while first < size:
        best = _best_below(heap, key, first, size)
        if own > key[best] or (own == key[best] and slot < heap[best]):
            break
        heap[place], key[place] = heap[best], key[best]
        place = best
        first = N_BELOW * place + 1
    heap[place], key[place] = slot, own


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def sift_new_faces(heap: Ints, key: Floats, second: int) -> None:
    """Restore the heap order after a split: new keys at the root and at the last two places."""
    sift_down(heap, key, second)
    sift_up(heap, key, second)
    sift_up(heap, key, second + 1)


@njit(cache=True, nogil=True, inline="always", **NO_REFCOUNT)
def _best_below(heap: Ints, key: Floats, first: int, size: int) -> int:
    """The first of the places first … first + 3 in heap order.

    A branch would be mispredicted, so there is none unless two keys are equal.
    """
    if first + N_BELOW <= size:
        one, two, three, four = key[first], key[first + 1], key[first + 2], key[first + 3]
        left, right = first + (two > one), first + 2 + (four > three)
        on_left, on_right = max(one, two), max(three, four)
        if (one == two) + (three == four) + (on_left == on_right) == 0:
            return left + (right - left) * (on_right > on_left)
    best = first
    for child in range(first + 1, min(first + N_BELOW, size)):
        if key[child] > key[best] or (key[child] == key[best] and heap[child] < heap[best]):
            best = child
    return best


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def scan_face(
    a: Floats, b: Floats, c: Floats, penalty: Any, start: int, stop: int, ceiling: float
) -> tuple[int, float]:
    """Find the best free vertex u of a face, start <= u < stop, and its gain.

    No gain exceeds `ceiling`: the scan ends with the first block that reaches it. Without a
    free vertex in the range the result is (−1, −∞).
    """
    best = -np.inf
    best_block = -1
    low = start
    while low < stop:
        high = min(low + BLOCK, stop)
        largest = penalty.dtype.type(-np.inf)
        for j in range(high - low):
            u = np.uint64(low + j)
            gain = ((a[u] + b[u]) + c[u]) + penalty[u]
            largest = larger(gain, largest)
        if largest > best:
            best = largest
            best_block = low
            if best >= ceiling:
                break
        low = high
    if best_block < 0:
        return -1, best
    return _first_with(a, b, c, penalty, best_block, best), best


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def scan_face_again(
    a: Floats, b: Floats, c: Floats, penalty: Floats, old_vertex: int, old_gain: float
) -> tuple[int, float]:
    """Find the best free vertex of a face whose best vertex was `old_vertex` before.

    No vertex becomes free again, so the gain is at most `old_gain`, and reaches it only at a
    vertex above the old one. With ties everywhere a few blocks are enough. A negative
    `old_vertex` means that `old_gain` is only an upper bound.
    """
    if old_vertex < 0:
        return scan_face(a, b, c, penalty, 0, len(penalty), old_gain)
    vertex, gain = scan_face(a, b, c, penalty, old_vertex + 1, len(penalty), old_gain)
    if gain < old_gain:
        below, gain_below = scan_face(a, b, c, penalty, 0, old_vertex, np.inf)
        if below >= 0 and gain_below >= gain:
            return below, gain_below
    return vertex, gain


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def scan_three_faces(
    a: Floats, b: Floats, c: Floats, v: Floats, penalty: Any, first_free: int
) -> tuple[tuple[int, float], tuple[int, float], tuple[int, float]]:
    """Find the best free vertices of (a, b, v), (a, c, v) and (b, c, v), and their gains.

    The three faces share four rows, so four reads per vertex replace nine. At least one vertex
    must be free.
    """
    n = len(penalty)
    best_ab = best_ac = best_bc = -np.inf
    block_ab = block_ac = block_bc = first_free
    low = first_free
    while low < n:
        high = min(low + BLOCK, n)
        largest_ab = largest_ac = largest_bc = penalty.dtype.type(-np.inf)
        for j in range(high - low):
            u = np.uint64(low + j)
            gain_ab = ((a[u] + b[u]) + v[u]) + penalty[u]
            gain_ac = ((a[u] + c[u]) + v[u]) + penalty[u]
            gain_bc = ((b[u] + c[u]) + v[u]) + penalty[u]
            largest_ab = larger(gain_ab, largest_ab)
            largest_ac = larger(gain_ac, largest_ac)
            largest_bc = larger(gain_bc, largest_bc)
        if largest_ab > best_ab:
            best_ab = largest_ab
            block_ab = low
        if largest_ac > best_ac:
            best_ac = largest_ac
            block_ac = low
        if largest_bc > best_bc:
            best_bc = largest_bc
            block_bc = low
        low = high
    return (
        (_first_with(a, b, v, penalty, block_ab, best_ab), best_ab),
        (_first_with(a, c, v, penalty, block_ac, best_ac), best_ac),
        (_first_with(b, c, v, penalty, block_bc, best_bc), best_bc),
    )


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _first_with(
    a: Floats, b: Floats, c: Floats, penalty: Floats, start: int, gain: float
) -> int:
    """Lowest vertex from `start` on that has the given gain."""
    for u in range(start, len(penalty)):
        if ((a[u] + b[u]) + c[u]) + penalty[u] == gain:
            return u
    return -1
