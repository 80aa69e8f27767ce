"""A plain lazy-heap TMFG in numba: the yardstick for `topofs._kernels.tmfg_lists`.

Every face is scanned in full when it is made and when its vertex is gone; nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = ["tmfg_cliques"]


@njit(cache=True, nogil=True)
def tmfg_cliques(
    similarity: npt.NDArray[Any], start: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Grow a TMFG from a tetrahedron and return its four-cliques in insertion order.

    Parameters
    ----------
    similarity : array of float32 or float64, shape (n, n), C-contiguous, n >= 4
        Symmetric. The diagonal is never read.
    start : array of int64, shape (4,)
        The first tetrahedron (a, b, c, d), in this order.

    Returns
    -------
    array of int64, shape (n - 3, 4)
        Row 0 is `start`; each later row is (v, a, b, c): vertex v went into face (a, b, c).

    Notes
    -----
    Layout: face slot f holds its corners in ``corner[f]``, its best free vertex in
    ``vertex[f]`` and that vertex's gain ``(w_au + w_bu) + w_cu`` in ``gain[f]``; ``heap``
    holds every slot once, ordered by (−gain, slot). Inserting v into (a, b, c) turns the
    slot into (a, b, v) and appends (a, c, v) and (b, c, v).

    Invariant: ``gain[f]`` is never below the true best gain of f, because free vertices only
    ever leave. So the slot on top is final as soon as its vertex is still free, and only
    then-stale slots on top are scanned again. Ties go to the lowest vertex, then to the
    lowest slot.
    """
    n = similarity.shape[0]
    cliques = np.empty((n - 3, 4), np.int64)
    cliques[0] = start
    free = np.ones(n, np.bool_)
    free[start] = False

    n_faces = 2 * n - 4
    corner = np.empty((n_faces, 3), np.int64)
    vertex = np.empty(n_faces, np.int64)
    gain = np.empty(n_faces, similarity.dtype)
    heap = np.empty(n_faces, np.int64)
    a, b, c, d = start
    corner[0] = (a, b, c)
    corner[1] = (a, b, d)
    corner[2] = (a, c, d)
    corner[3] = (b, c, d)
    if n > 4:
        for slot in range(4):
            _scan(similarity, free, corner, slot, vertex, gain)
            heap[slot] = slot
            _sift_up(heap, slot, gain)
    size = 4

    for step in range(1, n - 3):
        top = heap[0]
        while not free[vertex[top]]:
            _scan(similarity, free, corner, top, vertex, gain)
            _sift_down(heap, size, gain)
            top = heap[0]
        v = vertex[top]
        a, b, c = corner[top]
        cliques[step] = (v, a, b, c)
        free[v] = False
        if step == n - 4:
            break
        corner[top] = (a, b, v)
        corner[size] = (a, c, v)
        corner[size + 1] = (b, c, v)
        _scan(similarity, free, corner, top, vertex, gain)
        _sift_down(heap, size, gain)
        for slot in (size, size + 1):
            _scan(similarity, free, corner, slot, vertex, gain)
            heap[slot] = slot
            _sift_up(heap, slot, gain)
        size += 2
    return cliques


@njit(cache=True, nogil=True)
def _scan(
    similarity: npt.NDArray[Any],
    free: npt.NDArray[np.bool_],
    corner: npt.NDArray[np.int64],
    slot: int,
    vertex: npt.NDArray[np.int64],
    gain: npt.NDArray[Any],
) -> None:
    """Find the best free vertex of a face; at least one vertex must be free."""
    row_a = similarity[corner[slot, 0]]
    row_b = similarity[corner[slot, 1]]
    row_c = similarity[corner[slot, 2]]
    best = -np.inf
    best_vertex = -1
    for u in range(len(free)):
        if free[u]:
            total = (row_a[u] + row_b[u]) + row_c[u]
            if best_vertex < 0 or total > best:
                best = total
                best_vertex = u
    vertex[slot] = best_vertex
    gain[slot] = best


@njit(cache=True, nogil=True)
def _before(first: int, second: int, gain: npt.NDArray[Any]) -> bool:
    """Heap order: larger gain, then lower slot."""
    return gain[first] > gain[second] or (gain[first] == gain[second] and first < second)


@njit(cache=True, nogil=True)
def _sift_up(heap: npt.NDArray[np.int64], position: int, gain: npt.NDArray[Any]) -> None:
    """Move the slot at `position` towards the root until the heap order holds."""
    slot = heap[position]
    while position > 0:
        parent = (position - 1) // 2
        if not _before(slot, heap[parent], gain):
            break
        heap[position] = heap[parent]
        position = parent
    heap[position] = slot


@njit(cache=True, nogil=True)
def _sift_down(heap: npt.NDArray[np.int64], size: int, gain: npt.NDArray[Any]) -> None:
    """Move the slot at the root down until the heap order holds."""
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
