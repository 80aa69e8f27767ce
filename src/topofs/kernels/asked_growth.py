"""The growth of a TMFG whose faces are answered by somebody who is asked in batches.

The heap and its invariant are those of `topofs.kernels.tmfg`. A face on top whose vertex is not
free is answered, in this order, by a lower bound of its gains, by what was said of it before, by
a merge of its corners' lists, or by asking. An ask has its price, whatever its size; so many
faces are asked for at once, also such as do not exist yet (`topofs.kernels.face_answers`).

The weights of lists are bounds here, close ones: what stands in a list is not multiplied again.
So the key of a face whose vertex is free exceeds its gain, by the slack of three weights at most,
and that vertex is its best. Only where others come as close are columns multiplied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.compiler_hints import UNCOUNTED
from topofs.kernels.exact_entries import face_gain, rounded_up
from topofs.kernels.face_answers import (
    FaceAnswers,
    copy_answer,
    drop_answer,
    find_face,
    likely_answer,
    make_face,
    settled_answer,
)
from topofs.kernels.face_heap import N_BELOW, sift_down, sift_up
from topofs.kernels.list_merge import highest_gain, merge_lists
from topofs.kernels.tmfg import Growth, split_top
from topofs.kernels.top_lists import TopLists, highest_free_weight

if TYPE_CHECKING:
    from topofs.kernels.column_weights import ColumnWeights

__all__ = ["grow_asking", "stale_among", "what_to_ask"]

IntArray = npt.NDArray[np.int64]

# A face that neither lists nor what was said of it decide.
UNDECIDED = -2
# After a window in which lists decided less than half of the faces, they get a rest.
WINDOW = 64
REST = 4096
# A face that lists do not decide in so many rounds is cheaper to ask for.
ROUNDS = 40


@njit(cache=True, nogil=True, **UNCOUNTED)
def grow_asking(
    weights: ColumnWeights,
    growth: Growth,
    lists: TopLists,
    answers: FaceAnswers,
    slack: float,
) -> bool:
    """Insert vertices until none is free (True) or until the face on top must be asked for.

    A sum of three weights of lists exceeds that of the entries by `slack` at most.
    """
    cliques, penalty, _, vertex, heap, key, _, records = growth
    counters = records[0]
    while counters.step < len(cliques):
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            bound = _bound(top, growth, lists, answers)
            if bound < key[0]:
                vertex[top], key[0] = min(vertex[top], -1), bound
            elif not _answer_top(weights, growth, lists, answers, slack):
                return False
            sift_down(heap, key, counters.n_faces)
            top = heap[0]
        if slack > 0 and key[0] - slack <= _highest_below(growth):
            gain = face_gain(weights, growth.corner[top], vertex[top], penalty)
            if gain < key[0]:
                key[0] = gain
                sift_down(heap, key, counters.n_faces)
                continue
        _insert_top(growth, lists, answers)
    return True


@njit(cache=True, nogil=True, inline="always", **UNCOUNTED)
def _highest_below(growth: Growth) -> float:
    """The highest key but that of the face on top."""
    highest = -np.inf
    for place in range(1, min(1 + N_BELOW, growth.counters[0].n_faces)):
        highest = max(highest, growth.key[place])
    return highest


@njit(cache=True, nogil=True, **UNCOUNTED)
def _bound(slot: int, growth: Growth, lists: TopLists, answers: FaceAnswers) -> float:
    """An upper bound of the gains of a face, in the type of the keys."""
    _, penalty, corner, _, _, key, peak, _ = growth
    a, b, c = corner[slot, 0], corner[slot, 1], corner[slot, 2]
    said = rounded_up(likely_answer(slot, answers, penalty)[1], key)
    return min(said, highest_gain(a, b, c, lists, peak, penalty))


@njit(cache=True, nogil=True, **UNCOUNTED)
def _answer_top(
    weights: ColumnWeights,
    growth: Growth,
    lists: TopLists,
    answers: FaceAnswers,
    slack: float,
) -> bool:
    """Find the best vertex of the face on top, or a lower key; False if it must be asked for."""
    _, penalty, corner, vertex, heap, key, _, records = growth
    counters, top = records[0], heap[0]
    found, gain = settled_answer(weights, corner[top], top, answers, penalty)
    if found >= 0:
        vertex[top], key[0] = found, gain
        return True
    if vertex[top] == UNDECIDED or not counters.use_lists:
        return False
    a, b, c = corner[top, 0], corner[top, 1], corner[top, 2]
    # An entry just below the level is 0, whatever its bound.
    sure = weights.level + slack if slack > 0 else -np.inf
    found, gain, bound, rival = merge_lists(
        weights, a, b, c, lists, penalty, ROUNDS, slack, sure
    )
    if slack > 0 and bound < gain <= max(bound, rival) + slack:
        found, gain, bound, _ = merge_lists(
            weights, a, b, c, lists, penalty, ROUNDS, 0.0, np.inf
        )
    counters.questions += 1
    counters.scans += gain <= bound
    if counters.questions >= WINDOW:
        counters.use_lists = 2 * counters.scans <= WINDOW
        counters.questions = 0 if counters.use_lists else -REST
        counters.scans = 0
    if gain > bound:
        vertex[top], key[0] = found, gain
    else:
        vertex[top], key[0] = UNDECIDED, min(key[0], max(gain, bound))
    return True


@njit(cache=True, nogil=True, **UNCOUNTED)
def _insert_top(growth: Growth, lists: TopLists, answers: FaceAnswers) -> None:
    """Put its vertex into the face on top: one face becomes three."""
    cliques, _, corner, vertex, heap, key, _, records = growth
    counters, top = records[0], heap[0]
    split_top(growth)
    if counters.step == len(cliques):
        return
    second, third = counters.n_faces - 2, counters.n_faces - 1
    for slot, place in ((top, 0), (second, second), (third, third)):
        face = find_face(corner[slot, 0], corner[slot, 1], corner[slot, 2], answers)
        if face >= 0:
            copy_answer(face, slot, answers)
        else:
            drop_answer(slot, answers)
        vertex[slot], key[place] = -1, _bound(slot, growth, lists, answers)
    sift_down(heap, key, second)
    sift_up(heap, key, second)
    sift_up(heap, key, third)
    if not counters.use_lists:
        # A rest of the lists ends by itself.
        counters.questions += 1
        counters.use_lists = counters.questions >= 0


@njit(cache=True, nogil=True, **UNCOUNTED)
def _is_stale(v: int, lists: TopLists, penalty: npt.NDArray[Any]) -> bool:
    """Whether half of the list of v is used up, and more is there."""
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
    keys: npt.NDArray[Any],
    limit: int,
    stamp: int,
    seen: npt.NDArray[np.bool_],
) -> tuple[IntArray, IntArray]:
    """Faces that are worth asking for, and their corners, `limit` of them at most.

    They are those of the given slots, which come with their keys in falling order, of which
    nothing is known, the one on top first, and children. To find children, the growth goes on
    in thought, as far as it is known, down to the key of the last slot, and by `limit` / 2
    vertices at most: what lies farther ahead often comes otherwise. New faces get the stamp.
    `seen` is False for all vertices, and is so again in the end.
    """
    n_slots = len(growth.vertex)
    merging = growth.counters[0].use_lists
    least = keys[-1]
    faces = np.empty(limit, np.int64)
    corners = np.empty((limit, 3), np.int64)
    # Faces that exist in thought, oldest first, a heap of them, and the vertices inserted.
    most = limit // 2
    room = len(slots) + 3 * most
    face_of, heap = np.empty(room, np.int64), np.empty(room, np.int64)
    high = np.empty(room, np.float64)
    inserted = np.empty(most, np.int64)
    count = n_inserted = n_made = size = 0
    for position in range(len(slots)):
        slot = slots[position]
        vertex, bound = _in_thought(slot, keys[position], growth, answers, seen)
        if position > 0 and vertex >= 0 and growth.vertex[slot] != UNDECIDED:
            face_of[n_made] = slot
            heap[size], high[size] = n_made, bound
            n_made, size = n_made + 1, size + 1
            sift_up(heap, high, size - 1)
        elif count < limit and (position == 0 or not merging or _wants(slot, growth, lists)):
            faces[count] = slot
            corners[count, :] = growth.corner[slot]
            count += 1
    while size > 0 and count + 3 <= limit and n_inserted < most:
        face = face_of[heap[0]]
        vertex, bound = _in_thought(face, high[0], growth, answers, seen)
        if vertex >= 0 and high[0] > bound >= least:
            high[0] = bound
            sift_down(heap, high, size)
            continue
        size -= 1
        heap[0], high[0] = heap[size], high[size]
        sift_down(heap, high, size)
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
                face_of[n_made] = child
                heap[size], high[size] = n_made, bound
                n_made, size = n_made + 1, size + 1
                sift_up(heap, high, size - 1)
    for i in range(n_inserted):
        seen[inserted[i]] = False
    return faces[:count], corners[:count]


@njit(cache=True, nogil=True, **UNCOUNTED)
def _in_thought(
    face: int, key: float, growth: Growth, answers: FaceAnswers, seen: npt.NDArray[np.bool_]
) -> tuple[int, float]:
    """The likely best vertex of a face of those that are free in thought, and its gain."""
    penalty = growth.penalty
    if face < len(growth.vertex):
        v = growth.vertex[face]
        if v >= 0 and penalty[v] == 0 and not seen[v]:
            return v, key
    for position in range(answers.head[face], answers.length[face]):
        v = answers.vertex[face, position]
        if penalty[v] == 0 and not seen[v]:
            return v, answers.bound[face, position]
    return -1, -np.inf


@njit(cache=True, nogil=True, **UNCOUNTED)
def _wants(slot: int, growth: Growth, lists: TopLists) -> bool:
    """Whether the lists of a face will not decide it."""
    if growth.vertex[slot] == UNDECIDED:
        return True
    stale = False
    for corner in growth.corner[slot]:
        stale = stale or _is_stale(corner, lists, growth.penalty)
    return stale
