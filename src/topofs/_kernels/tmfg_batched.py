"""The growth of a TMFG whose faces are answered by somebody who is asked in batches.

The heap and its invariant are those of `topofs._kernels.tmfg_lists`. A face on top whose vertex is not
free is answered, in this order, by a lower bound of its gains, by what was said of it before, by
a merge of its corners' lists, or by asking. An ask has its price, whatever its size; so many
faces are asked for at once, also such as do not exist yet (`topofs._kernels.tmfg_batched`).

The weights of lists are bounds here, close ones: what stands in a list is not multiplied again.
So the key of a face whose vertex is free exceeds its gain, by the slack of three weights at most,
and that vertex is its best. Only where others come as close are columns multiplied.

The best free vertices of faces, as somebody told them who was asked.

A face is a slot of the growth, or one that does not exist yet: a vertex that is to be inserted
soon will make three faces of one, and vertices will be inserted into these. What is said of such
faces is kept by their corners, some faces a place, of which the oldest go first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs._kernels.cache_folder import njit
from topofs._kernels.column_weights import ColumnWeights, weight
from topofs._kernels.compiler_hints import NO_REFCOUNT
from topofs._kernels.exact_entries import face_gain, rounded_up
from topofs._kernels.faces import N_BELOW, sift_down, sift_up
from topofs._kernels.tmfg_lists import Growth, highest_gain, merge_lists, split_top
from topofs._kernels.top_lists import TopLists, highest_free_weight

__all__ = [
    "NO_LIMIT",
    "FaceCandidates",
    "copy_answer",
    "drop_answer",
    "empty_answers",
    "find_face",
    "grow_batched",
    "likely_answer",
    "make_face",
    "select_queries",
    "settled_answer",
    "stale_among",
    "write_answers",
]


IntArray = npt.NDArray[np.int64]


# A face that neither lists nor what was said of it decide.
UNDECIDED = -2


# After a window in which lists decided less than half of the faces, they get a rest.
WINDOW = 64


REST = 4096


# A face that lists do not decide in so many rounds is cheaper to ask for.
ROUNDS = 40


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def grow_batched(
    weights: ColumnWeights,
    growth: Growth,
    lists: TopLists,
    answers: FaceCandidates,
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


@njit(cache=True, nogil=True, inline="always", **NO_REFCOUNT)
def _highest_below(growth: Growth) -> float:
    """The highest key but that of the face on top."""
    highest = -np.inf
    for place in range(1, min(1 + N_BELOW, growth.counters[0].n_faces)):
        highest = max(highest, growth.key[place])
    return highest


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _bound(slot: int, growth: Growth, lists: TopLists, answers: FaceCandidates) -> float:
    """An upper bound of the gains of a face, in the type of the keys."""
    _, penalty, corner, _, _, key, peak, _ = growth
    a, b, c = corner[slot, 0], corner[slot, 1], corner[slot, 2]
    said = rounded_up(likely_answer(slot, answers, penalty)[1], key)
    return min(said, highest_gain(a, b, c, lists, peak, penalty))


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _answer_top(
    weights: ColumnWeights,
    growth: Growth,
    lists: TopLists,
    answers: FaceCandidates,
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


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _insert_top(growth: Growth, lists: TopLists, answers: FaceCandidates) -> None:
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


@njit(cache=True, nogil=True, **NO_REFCOUNT)
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
def select_queries(
    growth: Growth,
    lists: TopLists,
    answers: FaceCandidates,
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
        vertex, bound = _speculative_growth(slot, keys[position], growth, answers, seen)
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
        vertex, bound = _speculative_growth(face, high[0], growth, answers, seen)
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


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _speculative_growth(
    face: int, key: float, growth: Growth, answers: FaceCandidates, seen: npt.NDArray[np.bool_]
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


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _wants(slot: int, growth: Growth, lists: TopLists) -> bool:
    """Whether the lists of a face will not decide it."""
    if growth.vertex[slot] == UNDECIDED:
        return True
    stale = False
    for corner in growth.corner[slot]:
        stale = stale or _is_stale(corner, lists, growth.penalty)
    return stale


NO_LIMIT = np.iinfo(np.int32).max


# Faces that are not slots: so many for each place, and places, a power of two.
N_WAYS = 4


N_PLACES = 2**14


class FaceCandidates(NamedTuple):
    """For each face its best vertices; entries of face f are ``head[f] … length[f] - 1``.

    The first faces are the slots of a growth. Those after them, N_PLACES · N_WAYS, do not exist
    yet: `corner` has their corners, in order, −1 for none, and `stamp` when they were made.

    `bound`, falling, and `vertex` have shape (n_faces, k); nothing before `head` is free. No
    free vertex outside the list gains more than `floor`, ∞ as long as nobody was asked; those
    outside that gain as much lie above the vertex `limit`.
    """

    bound: npt.NDArray[np.float64]
    vertex: npt.NDArray[np.int32]
    length: npt.NDArray[np.int32]
    head: npt.NDArray[np.int32]
    floor: npt.NDArray[np.float64]
    limit: npt.NDArray[np.int32]
    corner: IntArray
    stamp: IntArray


def empty_answers(n_slots: int, k: int) -> FaceCandidates:
    """Room for k vertices of each face; nobody was asked."""
    others = N_PLACES * N_WAYS
    n_faces = n_slots + others
    return FaceCandidates(
        bound=np.empty((n_faces, k)),
        vertex=np.empty((n_faces, k), dtype=np.int32),
        length=np.zeros(n_faces, dtype=np.int32),
        head=np.zeros(n_faces, dtype=np.int32),
        floor=np.full(n_faces, np.inf),
        limit=np.full(n_faces, -1, dtype=np.int32),
        corner=np.full((others, 3), -1, dtype=np.int64),
        stamp=np.full(others, -1, dtype=np.int64),
    )


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def likely_answer(
    face: int, answers: FaceCandidates, penalty: npt.NDArray[Any]
) -> tuple[int, float]:
    """The free vertex that is likely the best of a face, or −1, and a bound of all gains."""
    position = answers.head[face]
    while position < answers.length[face] and penalty[answers.vertex[face, position]] != 0:
        position += 1
    answers.head[face] = position
    floor = answers.floor[face]
    if position == answers.length[face]:
        return -1, floor
    return answers.vertex[face, position], max(floor, answers.bound[face, position])


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def settled_answer(
    weights: ColumnWeights,
    corners: IntArray,
    face: int,
    answers: FaceCandidates,
    penalty: npt.NDArray[Any],
) -> tuple[int, float]:
    """The best free vertex of a face and its gain; −1 and the floor if others may be better."""
    a, b, c = corners
    best_vertex, best = -1, -np.inf
    for position in range(answers.head[face], answers.length[face]):
        if answers.bound[face, position] < best:
            break
        u = answers.vertex[face, position]
        if penalty[u] != 0:
            continue
        # Not `face_gain`, whose call takes longer than it saves.
        gain = weight(weights, a, u, penalty) + weight(weights, b, u, penalty)
        gain = gain + weight(weights, c, u, penalty)
        if gain > best or (gain == best and u < best_vertex):
            best_vertex, best = u, gain
    floor = answers.floor[face]
    if best > floor or (best == floor and best_vertex <= answers.limit[face]):
        return best_vertex, best
    return -1, floor


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _place(a: int, b: int, c: int) -> int:
    """Where a face that is not a slot is kept: by the middle bits of a product."""
    mixed = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ np.uint64(b)) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ np.uint64(c)) * np.uint64(0x165667B19E3779F9)
    return N_WAYS * np.int64((mixed >> np.uint64(32)) % np.uint64(N_PLACES))  # type: ignore[return-value]


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def find_face(a: int, b: int, c: int, answers: FaceCandidates) -> int:
    """The face of these corners that is not a slot, or −1."""
    first = _place(a, b, c)
    corner = answers.corner
    for i in range(first, first + N_WAYS):
        if corner[i, 0] == a and corner[i, 1] == b and corner[i, 2] == c:
            return len(answers.length) - len(corner) + i
    return -1


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def make_face(a: int, b: int, c: int, stamp: int, answers: FaceCandidates) -> int:
    """Make a face of these corners in the place of the oldest; nothing is said of it yet."""
    first = _place(a, b, c)
    chosen = first
    for i in range(first + 1, first + N_WAYS):
        if answers.stamp[i] < answers.stamp[chosen]:
            chosen = i
    corner = answers.corner[chosen]
    corner[0], corner[1], corner[2] = a, b, c
    answers.stamp[chosen] = stamp
    face = len(answers.length) - len(answers.corner) + chosen
    drop_answer(face, answers)
    return face


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def drop_answer(face: int, answers: FaceCandidates) -> None:
    """Forget what was said of a face: it has other corners now."""
    answers.length[face] = 0
    answers.head[face] = 0
    answers.floor[face] = np.inf


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def copy_answer(source: int, target: int, answers: FaceCandidates) -> None:
    """Let a face have what was said of another one."""
    count = answers.length[source]
    for position in range(count):
        answers.bound[target, position] = answers.bound[source, position]
        answers.vertex[target, position] = answers.vertex[source, position]
    answers.length[target] = count
    answers.head[target] = answers.head[source]
    answers.floor[target] = answers.floor[source]
    answers.limit[target] = answers.limit[source]


@njit(cache=True, nogil=True)
def write_answers(
    faces: IntArray,
    proposed: npt.NDArray[np.int32],
    bounds: npt.NDArray[np.float64],
    floors: npt.NDArray[np.float64],
    limits: npt.NDArray[np.int32],
    answers: FaceCandidates,
) -> None:
    """Write what was said of some faces.

    That is vertices, −1 where there are no more, and falling bounds of their gains. Floors and
    limits are as in `FaceCandidates`.
    """
    for f in range(len(faces)):
        face = faces[f]
        count = 0
        for p in range(proposed.shape[1]):
            if proposed[f, p] >= 0:
                answers.vertex[face, count] = proposed[f, p]
                answers.bound[face, count] = bounds[f, p]
                count += 1
        answers.length[face] = count
        answers.head[face] = 0
        answers.floor[face] = floors[f]
        answers.limit[face] = limits[f]
