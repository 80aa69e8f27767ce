"""The TMFG loop: faces in a lazy max-heap, vertices inserted one by one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import ColumnWeights, is_matrix, row, weight
from topofs.kernels.face_heap import sift_down, sift_up
from topofs.kernels.gain_scan import scan_face, scan_face_again, scan_three_faces
from topofs.kernels.top_lists import TopLists, empty_lists, fill_list, highest_free_weight

__all__ = [
    "FIRST_FREE",
    "SIZE",
    "STEP",
    "USE_LISTS",
    "Growth",
    "grow",
    "start_growth",
    "tmfg_cliques",
]

Matrix = npt.NDArray[Any]
IntArray = npt.NDArray[np.int64]

# Length of the lists; 32 to 64 were equally fast, 96 slower (docs/performance.md).
LIST_LENGTH = 32
# The lists are given up when more than a quarter of a window of questions needed a scan.
WINDOW = 64


def tmfg_cliques(
    similarity: Matrix, start: IntArray, *, list_length: int = LIST_LENGTH
) -> IntArray:
    """Grow a TMFG from a tetrahedron and return its four-cliques in insertion order.

    Parameters
    ----------
    similarity : array of float32 or float64, shape (n, n), C-contiguous, n >= 4
        Symmetric, finite. The diagonal is never read.
    start : array of int64, shape (4,)
        The first tetrahedron (a, b, c, d), in this order.
    list_length : int
        Length of the lists below; it changes the time, never the result.

    Returns
    -------
    array of int64, shape (n - 3, 4)
        Row 0 is `start`; each later row is (v, a, b, c): vertex v went into face (a, b, c).

    Notes
    -----
    Face slot f holds its corners, a vertex and a key; the slots form a heap ordered by
    (−key, slot). Inserting v into (a, b, c) turns the slot into (a, b, v) and appends
    (a, c, v) and (b, c, v).

    Invariant: the key of a slot is never below the true best gain of its face, because free
    vertices only ever leave, and equals it if its vertex is free. So the slot on top is final
    as soon as its vertex is free; otherwise the slot on top alone gets a better key.

    The sum of the corners' highest free weights is such a key, and costs nothing. When that
    is not enough, the lists of the corners' strongest free vertices are merged from the top
    (Fagin's threshold algorithm): a vertex not met so far has at most the sum of the weights
    the merge has come down to, and floating-point addition keeps that order. Where lists run
    out they are filled again, and only if that does not decide is the whole row scanned.
    """
    n = len(similarity)
    growth = start_growth(n, start, similarity.dtype)
    lists = empty_lists(n, min(list_length, n), similarity.dtype)
    grow(similarity, growth, lists)
    return growth.cliques


class Growth(NamedTuple):
    """A TMFG on its way.

    cliques : array of int64, shape (n - 3, 4)
        The cliques; the first ``progress[STEP]`` of them are known.
    penalty : array, shape (n,)
        0 for a free vertex, −∞ for a used one.
    corner : array of int64, shape (2n - 4, 3)
        The corners (a, b, c) of each face slot; the first ``progress[SIZE]`` are in use.
    vertex, key : arrays, shape (2n - 4,)
        For each slot a vertex and its gain, or −1 and an upper bound of the gains.
    heap : array of int64, shape (2n - 4,)
        The slots in use, as a heap ordered by (−key, slot).
    progress : array of int64, shape (6,)
        STEP and SIZE; FIRST_FREE, below which no vertex is free; USE_LISTS, whether the lists
        are in use; QUESTIONS asked and SCANS needed in the current window.
    """

    cliques: IntArray
    penalty: npt.NDArray[Any]
    corner: IntArray
    vertex: IntArray
    key: npt.NDArray[Any]
    heap: IntArray
    progress: IntArray


STEP, SIZE, FIRST_FREE, USE_LISTS, QUESTIONS, SCANS = 0, 1, 2, 3, 4, 5


def start_growth(n: int, start: IntArray, dtype: npt.DTypeLike) -> Growth:
    """A tetrahedron with its four faces (a, b, c), (a, b, d), (a, c, d), (b, c, d)."""
    n_faces = 2 * n - 4
    growth = Growth(
        cliques=np.empty((n - 3, 4), dtype=np.int64),
        penalty=np.zeros(n, dtype=dtype),
        corner=np.empty((n_faces, 3), dtype=np.int64),
        vertex=np.full(n_faces, -1, dtype=np.int64),
        key=np.full(n_faces, np.inf, dtype=dtype),
        heap=np.arange(n_faces, dtype=np.int64),
        progress=np.array([1, 4, 0, 1, 0, 0], dtype=np.int64),
    )
    a, b, c, d = start
    growth.cliques[0] = start
    growth.penalty[start] = -np.inf
    growth.corner[:4] = [(a, b, c), (a, b, d), (a, c, d), (b, c, d)]
    return growth


@njit(cache=True, nogil=True)
def grow(weights: Matrix | ColumnWeights, growth: Growth, lists: TopLists) -> bool:
    """Insert vertices until none is free, or until rows are needed that are not at hand.

    With a matrix the answer is True: everything is done. With columns it is False as long as
    the slot on top of the heap needs the rows of its corners to get its vertex and key; give
    it these, move it to its place in the heap, and call again.
    """
    cliques, penalty, corner, vertex, key, heap, progress = growth
    n = len(penalty)
    dense = is_matrix(weights)
    values = np.empty(2 * n if dense else 0, penalty.dtype)
    places = np.empty(2 * n if dense else 0, np.int64)
    new_vertices = np.empty(3, np.int64)
    new_keys = np.empty(3, penalty.dtype)
    if dense:
        for v in cliques[0]:
            fill_list(v, row(weights, v), penalty, lists, values, places)

    for step in range(progress[STEP], n - 3):
        size = progress[SIZE]
        while penalty[progress[FIRST_FREE]] != 0:
            progress[FIRST_FREE] += 1
        first_free = progress[FIRST_FREE]
        use_lists = progress[USE_LISTS] == 1
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            a, b, c = corner[top]
            bound = _highest_gain(a, b, c, lists, penalty) if use_lists or not dense else np.inf
            if bound < key[top]:
                vertex[top] = -1
                key[top] = bound
            elif use_lists:
                u, gain, scanned = _ask_lists(
                    weights, a, b, c, key[top], first_free, penalty, lists, values, places
                )
                use_lists = _note_question(progress, scanned)
                if u < 0:
                    progress[STEP] = step
                    return False
                vertex[top] = u
                key[top] = gain
            elif not dense:
                progress[STEP] = step
                return False
            else:
                vertex[top], key[top] = scan_face_again(
                    row(weights, a),
                    row(weights, b),
                    row(weights, c),
                    penalty,
                    first_free,
                    vertex[top],
                    key[top],
                )
            sift_down(heap, size, key)
            top = heap[0]

        v = vertex[top]
        a, b, c = corner[top]
        cliques[step] = (v, a, b, c)
        penalty[v] = -np.inf
        if step == n - 4:
            break
        corner[top] = (a, b, v)
        corner[size] = (a, c, v)
        corner[size + 1] = (b, c, v)
        if use_lists or not dense:
            if dense:
                fill_list(v, row(weights, v), penalty, lists, values, places)
            new_vertices[:] = -1
            new_keys[0] = _highest_gain(a, b, v, lists, penalty)
            new_keys[1] = _highest_gain(a, c, v, lists, penalty)
            new_keys[2] = _highest_gain(b, c, v, lists, penalty)
        else:
            scan_three_faces(
                row(weights, a),
                row(weights, b),
                row(weights, c),
                row(weights, v),
                penalty,
                first_free,
                new_vertices,
                new_keys,
            )
        vertex[top], key[top] = new_vertices[0], new_keys[0]
        vertex[size], key[size] = new_vertices[1], new_keys[1]
        vertex[size + 1], key[size + 1] = new_vertices[2], new_keys[2]
        sift_down(heap, size, key)
        sift_up(heap, size, key)
        sift_up(heap, size + 1, key)
        progress[SIZE] = size + 2
    progress[STEP] = n - 3
    return True


@njit(cache=True, nogil=True)
def _note_question(progress: IntArray, scanned: bool) -> bool:  # noqa: FBT001
    """Count a question; at the end of a window decide whether the lists stay in use."""
    progress[QUESTIONS] += 1
    progress[SCANS] += scanned
    if progress[QUESTIONS] == WINDOW:
        progress[USE_LISTS] = 4 * progress[SCANS] <= WINDOW
        progress[QUESTIONS] = 0
        progress[SCANS] = 0
    return progress[USE_LISTS] == 1


@njit(cache=True, nogil=True)
def _highest_gain(a: int, b: int, c: int, lists: TopLists, penalty: npt.NDArray[Any]) -> float:
    """An upper bound of the gains of a face: the sum of its corners' highest free weights."""
    return (
        highest_free_weight(a, lists, penalty) + highest_free_weight(b, lists, penalty)
    ) + highest_free_weight(c, lists, penalty)


@njit(cache=True, nogil=True)
def _ask_lists(
    weights: Matrix | ColumnWeights,
    a: int,
    b: int,
    c: int,
    ceiling: float,
    first_free: int,
    penalty: npt.NDArray[Any],
    lists: TopLists,
    values: npt.NDArray[Any],
    places: IntArray,
) -> tuple[int, float, bool]:
    """Best free vertex of a face and its gain; the flag tells that a whole scan was needed.

    The vertex is −1 where the lists do not decide and there is no matrix to scan.
    """
    vertex, gain, bound = _merge_lists(weights, a, b, c, penalty, lists)
    if gain > bound:
        return vertex, gain, False
    if not is_matrix(weights):
        return -1, gain, True
    if gain < bound:
        refilled = False
        for v in (a, b, c):
            if lists.head[v] >= lists.length[v] - 1 and lists.floor[v] > -np.inf:
                fill_list(v, row(weights, v), penalty, lists, values, places)
                refilled = True
        if refilled:
            vertex, gain, bound = _merge_lists(weights, a, b, c, penalty, lists)
            if gain > bound:
                return vertex, gain, False
    row_a, row_b, row_c = row(weights, a), row(weights, b), row(weights, c)
    if gain == bound:
        # Nothing is better, but a lower vertex that no list has may be as good.
        lower, equal = scan_face(row_a, row_b, row_c, penalty, first_free, vertex, gain)
        return (lower if equal == gain else vertex), gain, False
    ceiling = min(ceiling, bound)
    vertex, gain = scan_face(row_a, row_b, row_c, penalty, first_free, len(penalty), ceiling)
    return vertex, gain, True


@njit(cache=True, nogil=True)
def _merge_lists(
    weights: Matrix | ColumnWeights,
    a: int,
    b: int,
    c: int,
    penalty: npt.NDArray[Any],
    lists: TopLists,
) -> tuple[int, float, float]:
    """Merge the lists of three corners from the top until the best vertex met is certain.

    Returns the best vertex met, its gain, and a bound on the gain of those not met. The
    vertex is certain if its gain exceeds the bound.
    """
    heaviest, listed, floor = lists.weight, lists.vertex, lists.floor
    at_a, at_b, at_c = lists.head[a], lists.head[b], lists.head[c]
    end_a, end_b, end_c = lists.length[a], lists.length[b], lists.length[c]
    best = -np.inf
    best_vertex = -1
    while True:
        while at_a < end_a and penalty[listed[a, at_a]] != 0:
            at_a += 1
        while at_b < end_b and penalty[listed[b, at_b]] != 0:
            at_b += 1
        while at_c < end_c and penalty[listed[c, at_c]] != 0:
            at_c += 1
        weight_a = heaviest[a, at_a] if at_a < end_a else floor[a]
        weight_b = heaviest[b, at_b] if at_b < end_b else floor[b]
        weight_c = heaviest[c, at_c] if at_c < end_c else floor[c]
        bound = (weight_a + weight_b) + weight_c
        if best > bound or (at_a >= end_a and at_b >= end_b and at_c >= end_c):
            return best_vertex, best, bound
        if at_a < end_a:
            u = listed[a, at_a]
            gain = (weight_a + weight(weights, b, u, heaviest)) + weight(
                weights, c, u, heaviest
            )
            if gain > best or (gain == best and u < best_vertex):
                best, best_vertex = gain, u
            at_a += 1
        if at_b < end_b:
            u = listed[b, at_b]
            gain = (weight(weights, a, u, heaviest) + weight_b) + weight(
                weights, c, u, heaviest
            )
            if gain > best or (gain == best and u < best_vertex):
                best, best_vertex = gain, u
            at_b += 1
        if at_c < end_c:
            u = listed[c, at_c]
            gain = (
                weight(weights, a, u, heaviest) + weight(weights, b, u, heaviest)
            ) + weight_c
            if gain > best or (gain == best and u < best_vertex):
                best, best_vertex = gain, u
            at_c += 1
