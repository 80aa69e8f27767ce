"""The TMFG loop: faces in a lazy max-heap, vertices inserted one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.face_heap import sift_down, sift_up
from topofs.kernels.gain_scan import scan_face, scan_face_again, scan_three_faces
from topofs.kernels.top_lists import TopLists, empty_lists, fill_list, highest_free_weight

__all__ = ["tmfg_cliques"]

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
    return _grow(similarity, start, empty_lists(n, min(list_length, n), similarity.dtype))


@njit(cache=True, nogil=True)
def _grow(similarity: Matrix, start: IntArray, lists: TopLists) -> IntArray:
    n = similarity.shape[0]
    cliques = np.empty((n - 3, 4), np.int64)
    cliques[0] = start
    penalty = np.zeros(n, similarity.dtype)
    penalty[start] = -np.inf

    n_faces = 2 * n - 4
    corner = np.empty((n_faces, 3), np.int64)
    vertex = np.full(n_faces, -1, np.int64)
    key = np.full(n_faces, np.inf, similarity.dtype)
    heap = np.arange(n_faces)
    corner[0] = (start[0], start[1], start[2])
    corner[1] = (start[0], start[1], start[3])
    corner[2] = (start[0], start[2], start[3])
    corner[3] = (start[1], start[2], start[3])
    size = 4

    values = np.empty(2 * n, similarity.dtype)
    places = np.empty(2 * n, np.int64)
    new_vertices = np.empty(3, np.int64)
    new_keys = np.empty(3, similarity.dtype)
    for v in start:
        fill_list(v, similarity[v], penalty, lists, values, places)
    use_lists = True
    n_questions = 0
    n_scans = 0
    first_free = 0

    for step in range(1, n - 3):
        while penalty[first_free] != 0:
            first_free += 1
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            a, b, c = corner[top]
            bound = _highest_gain(a, b, c, lists, penalty) if use_lists else np.inf
            if bound < key[top]:
                vertex[top] = -1
                key[top] = bound
            elif use_lists:
                vertex[top], key[top], scanned = _ask_lists(
                    similarity, a, b, c, key[top], first_free, penalty, lists, values, places
                )
                n_scans += scanned
                n_questions += 1
                if n_questions == WINDOW:
                    use_lists = 4 * n_scans <= WINDOW
                    n_questions = 0
                    n_scans = 0
            else:
                vertex[top], key[top] = scan_face_again(
                    similarity[a],
                    similarity[b],
                    similarity[c],
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
        if use_lists:
            fill_list(v, similarity[v], penalty, lists, values, places)
            new_vertices[:] = -1
            new_keys[0] = _highest_gain(a, b, v, lists, penalty)
            new_keys[1] = _highest_gain(a, c, v, lists, penalty)
            new_keys[2] = _highest_gain(b, c, v, lists, penalty)
        else:
            scan_three_faces(
                similarity[a],
                similarity[b],
                similarity[c],
                similarity[v],
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
        size += 2
    return cliques


@njit(cache=True, nogil=True)
def _highest_gain(a: int, b: int, c: int, lists: TopLists, penalty: npt.NDArray[Any]) -> float:
    """An upper bound of the gains of a face: the sum of its corners' highest free weights."""
    return (
        highest_free_weight(a, lists, penalty) + highest_free_weight(b, lists, penalty)
    ) + highest_free_weight(c, lists, penalty)


@njit(cache=True, nogil=True)
def _ask_lists(
    similarity: Matrix,
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
    """Best free vertex of a face and its gain; the flag tells that a whole scan was needed."""
    vertex, gain, bound = _merge_lists(similarity, a, b, c, penalty, lists)
    if gain < bound:
        refilled = False
        for v in (a, b, c):
            if lists.head[v] >= lists.length[v] - 1 and lists.floor[v] > -np.inf:
                fill_list(v, similarity[v], penalty, lists, values, places)
                refilled = True
        if refilled:
            vertex, gain, bound = _merge_lists(similarity, a, b, c, penalty, lists)
    if gain > bound:
        return vertex, gain, False
    row_a, row_b, row_c = similarity[a], similarity[b], similarity[c]
    if gain == bound:
        # Nothing is better, but a lower vertex that no list has may be as good.
        lower, equal = scan_face(row_a, row_b, row_c, penalty, first_free, vertex, gain)
        return (lower if equal == gain else vertex), gain, False
    ceiling = min(ceiling, bound)
    vertex, gain = scan_face(row_a, row_b, row_c, penalty, first_free, len(penalty), ceiling)
    return vertex, gain, True


@njit(cache=True, nogil=True)
def _merge_lists(
    similarity: Matrix, a: int, b: int, c: int, penalty: npt.NDArray[Any], lists: TopLists
) -> tuple[int, float, float]:
    """Merge the lists of three corners from the top until the best vertex met is certain.

    Returns the best vertex met, its gain, and a bound on the gain of those not met. The
    vertex is certain if its gain exceeds the bound.
    """
    weight, listed, floor = lists.weight, lists.vertex, lists.floor
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
        weight_a = weight[a, at_a] if at_a < end_a else floor[a]
        weight_b = weight[b, at_b] if at_b < end_b else floor[b]
        weight_c = weight[c, at_c] if at_c < end_c else floor[c]
        bound = (weight_a + weight_b) + weight_c
        if best > bound or (at_a >= end_a and at_b >= end_b and at_c >= end_c):
            return best_vertex, best, bound
        if at_a < end_a:
            u = listed[a, at_a]
            gain = (weight_a + similarity[b, u]) + similarity[c, u]
            if gain > best or (gain == best and u < best_vertex):
                best, best_vertex = gain, u
            at_a += 1
        if at_b < end_b:
            u = listed[b, at_b]
            gain = (similarity[a, u] + weight_b) + similarity[c, u]
            if gain > best or (gain == best and u < best_vertex):
                best, best_vertex = gain, u
            at_b += 1
        if at_c < end_c:
            u = listed[c, at_c]
            gain = (similarity[a, u] + similarity[b, u]) + weight_c
            if gain > best or (gain == best and u < best_vertex):
                best, best_vertex = gain, u
            at_c += 1
