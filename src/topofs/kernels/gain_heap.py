"""A binary heap of nodes by falling gain, for lazy greedy loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.units import UNIT

__all__ = ["heapify", "sift_down", "units"]

Ints = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def units(share: float) -> int:
    """A share as a whole number of units; differences of shares are then exact, too."""
    return int(np.rint(share * UNIT))


@njit(cache=True, nogil=True)
def heapify(heap: Ints, key: npt.NDArray[Any], place: Ints) -> None:
    """Put nodes in heap order, in place; of equal keys the lowest place comes first."""
    for position in range(len(heap) // 2 - 1, -1, -1):
        sift_down(heap, len(heap), key, position, place)


@njit(cache=True, nogil=True)
def sift_down(heap: Ints, size: int, key: npt.NDArray[Any], position: int, place: Ints) -> None:
    """Move the node at a position of ``heap[:size]`` down until no child comes before it."""
    while True:
        first = position
        for child in (2 * position + 1, 2 * position + 2):
            if child < size:
                u, v = heap[child], heap[first]
                if key[u] > key[v] or (key[u] == key[v] and place[u] < place[v]):
                    first = child
        if first == position:
            return
        heap[position], heap[first] = heap[first], heap[position]
        position = first
