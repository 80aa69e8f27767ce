"""The growth of a TMFG whose faces are answered by somebody who is asked in batches.

The heap and its invariant are those of `topofs.kernels.tmfg`. A face on top whose vertex is not
free is answered, in this order, by what was said of it before, by a lower bound of its gains,
by a merge of its corners' lists, or by asking. An ask has its price, whatever its size; so many
faces are asked for at once, also such as do not exist yet: those that a vertex will make that is
to be inserted soon (`Children`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import ColumnWeights
from topofs.kernels.face_answers import FaceAnswers, copy_answer, drop_answer, next_answer
from topofs.kernels.face_heap import sift_down, sift_up
from topofs.kernels.list_merge import highest_gain, merge_lists
from topofs.kernels.tmfg import Growth
from topofs.kernels.top_lists import TopLists, highest_free_weight

__all__ = ["Children", "grow_asking", "keep_children", "stale_among", "what_to_ask"]

IntArray = npt.NDArray[np.int64]

# A face that its lists did not decide.
UNDECIDED = -2
# After a window in which lists decided less than half of the faces, they get a rest.
WINDOW = 64
REST = 4096


class Children(NamedTuple):
    """Answers for the three faces that a vertex will make of a face, kept for some faces.

    place : array of int32, shape (n_slots,)
        Where the children of the face in a slot are kept, or −1.
    slot, vertex : arrays of int64, shape (room,)
        Whose they are, and by which vertex.
    answers : FaceAnswers
        For 3 · room faces: (a, b, v), (a, c, v), (b, c, v) of each place.
    """

    place: npt.NDArray[np.int32]
    slot: IntArray
    vertex: IntArray
    answers: FaceAnswers


@njit(cache=True, nogil=True)
def grow_asking(
    weights: ColumnWeights,
    growth: Growth,
    lists: TopLists,
    answers: FaceAnswers,
    children: Children,
) -> bool:
    """Insert vertices until none is free (True) or until the face on top must be asked for."""
    cliques, penalty, corner, vertex, key, heap, records = growth
    counters = records[0]
    while counters.step < len(cliques):
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            a, b, c = corner[top]
            found, bound = next_answer(top, answers, penalty)
            if found >= 0:
                vertex[top], key[top] = found, bound
            else:
                bound = min(bound, highest_gain(a, b, c, lists, penalty))
                if bound < key[top]:
                    vertex[top] = min(vertex[top], -1)
                    key[top] = bound
                elif vertex[top] == UNDECIDED or not counters.use_lists:
                    return False
                else:
                    found, gain, bound = merge_lists(weights, a, b, c, lists, penalty)
                    _count_question(counters, gain > bound)
                    if gain > bound:
                        vertex[top], key[top] = found, gain
                    else:
                        vertex[top], key[top] = UNDECIDED, min(key[top], max(gain, bound))
            sift_down(heap, counters.n_faces, key)
            top = heap[0]
        _insert_top(growth, lists, answers, children)
    return True


@njit(cache=True, nogil=True)
def _count_question(counters: Any, decided: bool) -> None:  # noqa: FBT001
    """Count a question; at the end of a window decide whether the lists stay in use."""
    counters.questions += 1
    counters.scans += not decided
    if counters.questions >= WINDOW:
        counters.use_lists = 2 * counters.scans <= WINDOW
        counters.questions = 0 if counters.use_lists else -REST
        counters.scans = 0


@njit(cache=True, nogil=True)
def _insert_top(
    growth: Growth, lists: TopLists, answers: FaceAnswers, children: Children
) -> None:
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
    place = children.place[top]
    if place >= 0 and children.vertex[place] == v:
        copy_answer(children.answers, 3 * place, answers, top)
        copy_answer(children.answers, 3 * place + 1, answers, second)
        copy_answer(children.answers, 3 * place + 2, answers, third)
    else:
        drop_answer(top, answers)
    if place >= 0:
        children.place[top] = -1
        children.slot[place] = -1
    for slot in (top, second, third):
        i, j, k = corner[slot]
        found, bound = next_answer(slot, answers, penalty)
        if found < 0:
            bound = min(bound, highest_gain(i, j, k, lists, penalty))
        vertex[slot], key[slot] = found, bound
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
    children: Children,
    slots: IntArray,
    limit: int,
) -> tuple[IntArray, IntArray]:
    """Faces that are worth asking for, of the slots given, the one on top first.

    Returns slots whose faces have no vertex, and (slot, vertex) of faces whose children are not
    known; as many as ask for `limit` faces in all.
    """
    penalty, vertex = growth.penalty, growth.vertex
    merging = growth.counters[0].use_lists
    faces = np.empty(limit, np.int64)
    parents = np.empty((limit, 2), np.int64)
    taken = np.zeros(len(penalty), np.bool_)
    n_faces = n_parents = 0
    for position in range(len(slots)):
        if n_faces + 3 * n_parents + 3 > limit and position > 0:
            break
        slot = slots[position]
        v = vertex[slot]
        if v < 0 or penalty[v] != 0:
            found, _ = next_answer(slot, answers, penalty)
            if found < 0:
                wanted = position == 0 or v == UNDECIDED or not merging
                for corner in growth.corner[slot]:
                    wanted = wanted or _is_stale(corner, lists, penalty)
                if wanted:
                    faces[n_faces] = slot
                    n_faces += 1
                continue
            v = found
        place = children.place[slot]
        if merging or taken[v]:
            continue
        # Of faces that want the same vertex the first will get it.
        taken[v] = True
        if place < 0 or children.vertex[place] != v:
            parents[n_parents, 0] = slot
            parents[n_parents, 1] = v
            n_parents += 1
    return faces[:n_faces], parents[:n_parents]


@njit(cache=True, nogil=True)
def keep_children(parents: IntArray, places: IntArray, children: Children) -> None:
    """Enter (slot, vertex) of parents at some places; the answers come afterwards."""
    for p in range(len(parents)):
        place, slot = places[p], parents[p, 0]
        before, earlier = children.slot[place], children.place[slot]
        if before >= 0:
            children.place[before] = -1
        if earlier >= 0:
            children.slot[earlier] = -1
        children.place[slot] = place
        children.slot[place] = slot
        children.vertex[place] = parents[p, 1]
