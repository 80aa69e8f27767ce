"""The growth of a TMFG whose faces are answered by somebody who is asked in batches.

The heap and its invariant are those of `topofs.kernels.tmfg`. A face on top whose vertex is not
free is answered, in this order, by a lower bound of its gains, by what was said of it before, by
a merge of its corners' lists, or by asking. An ask has its price, whatever its size; so many
faces are asked for at once, also such as do not exist yet (`topofs.kernels.face_answers`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.face_answers import (
    FaceAnswers,
    copy_answer,
    drop_answer,
    find_face,
    likely_answer,
    make_face,
    settled_answer,
)
from topofs.kernels.face_heap import sift_down, sift_up
from topofs.kernels.list_merge import highest_gain, merge_lists
from topofs.kernels.top_lists import TopLists, highest_free_weight

if TYPE_CHECKING:
    from topofs.kernels.column_weights import ColumnWeights
    from topofs.kernels.tmfg import Growth

__all__ = ["grow_asking", "stale_among", "what_to_ask"]

IntArray = npt.NDArray[np.int64]

# A face that neither lists nor what was said of it decide.
UNDECIDED = -2
# After a window in which lists decided less than half of the faces, they get a rest.
WINDOW = 64
REST = 4096
# A face that lists do not decide in so many rounds is cheaper to ask for.
ROUNDS = 22


@njit(cache=True, nogil=True)
def grow_asking(
    weights: ColumnWeights, growth: Growth, lists: TopLists, answers: FaceAnswers
) -> bool:
    """Insert vertices until none is free (True) or until the face on top must be asked for."""
    cliques, penalty, _, vertex, key, heap, records = growth
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
    found, gain, bound = merge_lists(weights, a, b, c, lists, penalty, ROUNDS)
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
    for slot in (top, second, third):
        i, j, k = corner[slot]
        face = find_face(i, j, k, answers)
        if face >= 0:
            copy_answer(face, slot, answers)
        else:
            drop_answer(slot, answers)
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
    stamp: int,
    seen: npt.NDArray[np.bool_],
) -> tuple[IntArray, IntArray]:
    """Faces that are worth asking for, and their corners, `limit` of them at most.

    They are those of the given slots of which nothing is known, the one on top first, and
    children. To find these, the growth goes on in thought, as far as it is known, down to the
    key of the last slot, and by `limit` / 2 vertices at most: what lies farther ahead often
    comes otherwise. New faces get the stamp. `seen` is False for all vertices, and is so again
    in the end.
    """
    n_slots = len(growth.key)
    merging = growth.counters[0].use_lists
    least = growth.key[slots[-1]]
    faces = np.empty(limit, np.int64)
    corners = np.empty((limit, 3), np.int64)
    # A heap of faces that exist in thought, and the vertices that were inserted.
    most = limit // 2
    room = len(slots) + 3 * most
    node, high = np.empty(room, np.int64), np.empty(room, np.float64)
    order = np.arange(room)
    inserted = np.empty(most, np.int64)
    count = n_inserted = n_heap = 0
    for position in range(len(slots)):
        slot = slots[position]
        vertex, bound = _in_thought(slot, growth, answers, seen)
        if position > 0 and vertex >= 0 and growth.vertex[slot] != UNDECIDED:
            node[n_heap], high[n_heap] = slot, bound
            n_heap += 1
        elif count < limit and (position == 0 or not merging or _wants(slot, growth, lists)):
            faces[count] = slot
            corners[count, :] = growth.corner[slot]
            count += 1
    size = n_heap
    for position in range(1, size):
        sift_up(order, position, high)
    while size > 0 and count + 3 <= limit and n_inserted < most:
        top = order[0]
        face = node[top]
        vertex, bound = _in_thought(face, growth, answers, seen)
        if vertex >= 0 and high[top] > bound >= least:
            high[top] = bound
            sift_down(order, size, high)
            continue
        size -= 1
        order[0], order[size] = order[size], order[0]
        sift_down(order, size, high)
        if vertex < 0 or bound < least:
            continue
        seen[vertex] = True
        inserted[n_inserted] = vertex
        n_inserted += 1
        a, b, c = growth.corner[face] if face < n_slots else answers.corner[face - n_slots]
        for i, j in ((a, b), (a, c), (b, c)):
            child = find_face(i, j, vertex, answers)
            if child < 0:
                child = make_face(i, j, vertex, stamp, answers)
                faces[count] = child
                corners[count, 0], corners[count, 1], corners[count, 2] = i, j, vertex
                count += 1
                continue
            bound = likely_answer(child, answers, growth.penalty)[1]
            if least <= bound < np.inf:
                node[n_heap], high[n_heap] = child, bound
                order[n_heap], order[size] = order[size], n_heap
                size += 1
                n_heap += 1
                sift_up(order, size - 1, high)
    for i in range(n_inserted):
        seen[inserted[i]] = False
    return faces[:count], corners[:count]


@njit(cache=True, nogil=True)
def _in_thought(
    face: int, growth: Growth, answers: FaceAnswers, seen: npt.NDArray[np.bool_]
) -> tuple[int, float]:
    """The likely best vertex of a face of those that are free in thought, and its gain."""
    penalty = growth.penalty
    if face < len(growth.key):
        v = growth.vertex[face]
        if v >= 0 and penalty[v] == 0 and not seen[v]:
            return v, growth.key[face]
    for position in range(answers.head[face], answers.length[face]):
        v = answers.vertex[face, position]
        if penalty[v] == 0 and not seen[v]:
            return v, answers.bound[face, position]
    return -1, -np.inf


@njit(cache=True, nogil=True)
def _wants(slot: int, growth: Growth, lists: TopLists) -> bool:
    """Whether the lists of a face will not decide it."""
    if growth.vertex[slot] == UNDECIDED:
        return True
    stale = False
    for corner in growth.corner[slot]:
        stale = stale or _is_stale(corner, lists, growth.penalty)
    return stale
