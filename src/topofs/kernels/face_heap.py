"""A binary max-heap of face slots, ordered by (−gain, slot)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import njit

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["sift_down", "sift_up"]


@njit(cache=True, nogil=True)
def _before(first: int, second: int, gain: npt.NDArray[Any]) -> bool:
    """Heap order: larger gain, then lower slot."""
    return gain[first] > gain[second] or (gain[first] == gain[second] and first < second)


@njit(cache=True, nogil=True)
def sift_up(heap: npt.NDArray[np.int64], position: int, gain: npt.NDArray[Any]) -> None:
    """Move the slot at `position` towards the root until the heap order holds.

    Invariant: all other slots are in heap order before and after every turn.
    """
    slot = heap[position]
    while position > 0:
        parent = (position - 1) // 2
        if not _before(slot, heap[parent], gain):
            break
        heap[position] = heap[parent]
        position = parent
    heap[position] = slot


@njit(cache=True, nogil=True)
def sift_down(heap: npt.NDArray[np.int64], size: int, gain: npt.NDArray[Any]) -> None:
    """Move the slot at the root down until the heap order holds among the first `size`.

    Invariant: all other slots are in heap order before and after every turn.
    """
    slot = heap[0]
    position = 0
    child = 1
    while child < size:
        if child + 1 < size and _before(heap[child + 1], heap[child], gain):
            child += 1
        if not _before(heap[child], slot, gain):
            break
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = slot
