"""The growth of a TMFG whose faces are answered by somebody who is asked in batches.

The heap and its invariant are those of `topofs.kernels.tmfg`. A face on top whose vertex is not
free is answered, in this order, by a lower bound of its gains, by what was said of it before, by
a merge of its corners' lists, or by asking. An ask has its price, whatever its size; so many
faces are asked for at once, also such as do not exist yet (`topofs.kernels.face_answers`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import ColumnWeights
from topofs.kernels.face_answers import (
    FaceAnswers,
    children_of,
    copy_answer,
    drop_answer,
    likely_answer,
    settled_answer,
)
from topofs.kernels.face_heap import sift_down, sift_up
from topofs.kernels.list_merge import highest_gain, merge_lists
from topofs.kernels.tmfg import Growth
from topofs.kernels.top_lists import TopLists, highest_free_weight

__all__ = ["grow_asking", "stale_among", "what_to_ask"]

IntArray = npt.NDArray[np.int64]

# A face that neither lists nor what was said of it decide.
UNDECIDED = -2
# After a window in which lists decided less than half of the faces, they get a rest.
WINDOW = 64
REST = 4096
# How many generations of faces that do not exist yet are looked through.
DEPTH = 64


@njit(cache=True, nogil=True)
def grow_asking(
    weights: ColumnWeights, growth: Growth, lists: TopLists, answers: FaceAnswers
) -> bool:
    """Insert vertices until none is free (True) or until the face on top must be asked for."""
    cliques, penalty, corner, vertex, key, heap, records = growth
    counters = records[0]
    while counters.step < len(cliques):
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            bound = _bound(top, growth, lists, answers)
            if bound < key[top]:
                vertex[top], key[top] = min(vertex[top], -1), bound
            elif not _answer_top(weights, growth, lists, answers):
                return False
            sift_down(heap, counters.n_faces, key)
            top = heap[0]
        _insert_top(growth, lists, answers)
    return True


@njit(cache=True, nogil=True)
def _bound(slot: int, growth: Growth, lists: TopLists, answers: FaceAnswers) -> float:
    """An upper bound of the gains of a face, in the type of the keys."""
    penalty = growth.penalty
    a, b, c = growth.corner[slot]
    said = likely_answer(slot, answers, penalty)[1]
    bound = growth.key.dtype.type(said)
    if bound < said:
        bound = np.nextafter(bound, growth.key.dtype.type(np.inf))
    return min(bound, highest_gain(a, b, c, lists, penalty))


@njit(cache=True, nogil=True)
def _answer_top(
    weights: ColumnWeights, growth: Growth, lists: TopLists, answers: FaceAnswers
) -> bool:
    """Find the best vertex of the face on top, or a lower key; False if it must be asked for."""
    penalty, vertex, key = growth.penalty, growth.vertex, growth.key
    counters, top = growth.counters[0], growth.heap[0]
    found, gain = settled_answer(weights, growth.corner[top], top, answers, penalty)
    if found >= 0:
        vertex[top], key[top] = found, gain
        return True
    if vertex[top] == UNDECIDED or not counters.use_lists:
        return False
    a, b, c = growth.corner[top]
    found, gain, bound = merge_lists(weights, a, b, c, lists, penalty)
    counters.questions += 1
    counters.scans += gain <= bound
    if counters.questions >= WINDOW:
        counters.use_lists = 2 * counters.scans <= WINDOW
        counters.questions = 0 if counters.use_lists else -REST
        counters.scans = 0
    if gain > bound:
        vertex[top], key[top] = found, gain
    else:
        vertex[top], key[top] = UNDECIDED, min(key[top], max(gain, bound))
    return True


@njit(cache=True, nogil=True)
def _insert_top(growth: Growth, lists: TopLists, answers: FaceAnswers) -> None:
    """Put its vertex into the face on top: one face becomes three."""
    cliques, penalty, corner, vertex, key, heap, records = growth
    counters, top = records[0], heap[0]
    v = vertex[top]
    a, b, c = corner[top]
    clique = cliques[counters.step]
    clique[0], clique[1], clique[2], clique[3] = v, a, b, c
    penalty[v] = -np.inf
    counters.step += 1
    if counters.step == len(cliques):
        return
    second, third = counters.n_faces, counters.n_faces + 1
    corner[top, 2] = v
    corner[second, 0], corner[second, 1], corner[second, 2] = a, c, v
    corner[third, 0], corner[third, 1], corner[third, 2] = b, c, v
    child = children_of(top, v, len(key), answers)
    if child >= 0:
        copy_answer(child, top, answers)
        copy_answer(child + 1, second, answers)
        copy_answer(child + 2, third, answers)
    else:
        drop_answer(top, answers)
    for slot in (top, second, third):
        vertex[slot], key[slot] = -1, _bound(slot, growth, lists, answers)
    sift_down(heap, counters.n_faces, key)
    sift_up(heap, second, key)
    sift_up(heap, third, key)
    counters.n_faces += 2
    if not counters.use_lists:
        # A rest of the lists ends by itself.
        counters.questions += 1
        counters.use_lists = counters.questions >= 0


@njit(cache=True, nogil=True)
def _is_stale(v: int, lists: TopLists, penalty: npt.NDArray[Any]) -> bool:
    """Whether half of the list of v is used up, and there would be more to list."""
    highest_free_weight(v, lists, penalty)
    return 2 * lists.head[v] >= lists.length[v] and lists.floor[v] > -np.inf


@njit(cache=True, nogil=True)
def stale_among(
    vertices: IntArray, lists: TopLists, penalty: npt.NDArray[Any]
) -> npt.NDArray[np.bool_]:
    """Tell which of some vertices have used up half of their lists."""
    found = np.empty(len(vertices), np.bool_)
    for i in range(len(vertices)):
        found[i] = _is_stale(vertices[i], lists, penalty)
    return found


@njit(cache=True, nogil=True)
def what_to_ask(
    growth: Growth,
    lists: TopLists,
    answers: FaceAnswers,
    slots: IntArray,
    limit: int,
    seen: npt.NDArray[np.bool_],
) -> tuple[IntArray, IntArray]:
    """Faces that are worth asking for, of the slots given, the one on top first.

    Returns slots of which nothing is known, and (face, vertex) of faces whose children are
    not; as many as ask for `limit` faces in all. Faces that do not exist yet are among the
    latter if they will gain more than the last of the slots. `seen` is False for all vertices,
    and is so again in the end.
    """
    penalty, vertex = growth.penalty, growth.vertex
    n_slots = len(growth.key)
    merging = growth.counters[0].use_lists
    least = growth.key[slots[-1]]
    faces = np.empty(limit, np.int64)
    parents = np.empty((limit, 2), np.int64)
    taken = np.empty(len(slots) + 3 * DEPTH * limit, np.int64)
    waiting = np.empty(3 * DEPTH + 3, np.int64)
    n_faces = n_parents = n_taken = 0
    for position in range(len(slots)):
        waiting[0] = slots[position]
        n_waiting = 1
        while n_waiting > 0 and n_faces + 3 * n_parents + 3 <= limit:
            n_waiting -= 1
            face = waiting[n_waiting]
            likely, bound = likely_answer(face, answers, penalty)
            if face < n_slots and vertex[face] >= 0 and penalty[vertex[face]] == 0:
                likely, bound = vertex[face], growth.key[face]
            if likely < 0 or (face < n_slots and vertex[face] == UNDECIDED):
                if face < n_slots and (
                    position == 0 or not merging or _wants(face, growth, lists)
                ):
                    faces[n_faces] = face
                    n_faces += 1
                continue
            # Of faces that want the same vertex the first will get it.
            if bound < least or seen[likely] or n_taken == len(taken):
                continue
            seen[likely] = True
            taken[n_taken] = likely
            n_taken += 1
            child = children_of(face, likely, n_slots, answers)
            if child < 0:
                parents[n_parents, 0] = face
                parents[n_parents, 1] = likely
                n_parents += 1
            elif n_waiting + 3 <= len(waiting):
                for i in range(3):
                    waiting[n_waiting] = child + i
                    n_waiting += 1
    for i in range(n_taken):
        seen[taken[i]] = False
    return faces[:n_faces], parents[:n_parents]


@njit(cache=True, nogil=True)
def _wants(slot: int, growth: Growth, lists: TopLists) -> bool:
    """Whether the lists of a face will not decide it."""
    if growth.vertex[slot] == UNDECIDED:
        return True
    stale = False
    for corner in growth.corner[slot]:
        stale = stale or _is_stale(corner, lists, growth.penalty)
    return stale
