"""A max-heap of face slots, ordered by (−key, slot), with four places below each.

The keys stand beside the slots, in the order of the heap: those of the four places below one lie
side by side in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topofs.kernels.cache_folder import njit
from topofs.kernels.compiler_hints import UNCOUNTED

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["N_BELOW", "sift_down", "sift_up"]

N_BELOW = 4


@njit(cache=True, nogil=True, **UNCOUNTED)
def sift_up(heap: npt.NDArray[np.int64], key: npt.NDArray[Any], place: int) -> None:
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


@njit(cache=True, nogil=True, **UNCOUNTED)
def sift_down(heap: npt.NDArray[np.int64], key: npt.NDArray[Any], size: int) -> None:
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


@njit(cache=True, nogil=True, inline="always", **UNCOUNTED)
def _best_below(
    heap: npt.NDArray[np.int64], key: npt.NDArray[Any], first: int, size: int
) -> int:
    """Which of the places first … first + 3 comes first in the order.

    Nobody can foresee which, so it is found without jumps, unless two have the same key.
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
