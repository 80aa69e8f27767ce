"""Growth of a TMFG with queries: batches of faces whose best vertices a device finds.

The heap and its invariant are those of `topofs._kernels.tmfg_lists`. If the vertex of the face
on top is not free, the face gets a lower bound of its gains, or a vertex from the candidates of
an earlier query, from a merge of its corners' lists, or from a query, in this order. A query
has a fixed cost, so each query asks for many faces. It also asks for faces that do not exist
yet: the next insertions replace a face by three, and later vertices enter these.

The weights of lists are close upper bounds here, because entries of lists are not computed
again. So the key of a face with a free vertex exceeds its gain by the slack of three weights at
most, and the vertex is the best of the face. Columns are multiplied only if other vertices are
within the slack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topofs._kernels.column_weights import ColumnWeights, weight
from topofs._kernels.compiler import NO_REFCOUNT, njit
from topofs._kernels.faces import N_BELOW, sift_down, sift_new_faces, sift_up
from topofs._kernels.tmfg_lists import Growth, face_gain, highest_gain, merge_lists, split_top
from topofs._kernels.top_lists import TopLists, highest_free_weight, rounded_up
from topofs.typing import Bools, Doubles, Floats, Ints

Ids = npt.NDArray[np.int32]

# A face that neither lists nor candidates decide.
UNDECIDED = -2
# Lists are not used for a while after a window in which they decided less than half of the
# faces.
WINDOW = 64
REST = 4096
# After this number of rounds of a merge, a query is cheaper.
ROUNDS = 40
NO_LIMIT = np.iinfo(np.int32).max
# Table of faces that are not slots: entries per bucket, and buckets, a power of two.
N_WAYS = 4
N_PLACES = 2**14


class FaceCandidates(NamedTuple):
    """The best vertices of each face; entries of face f are ``head[f] … length[f] - 1``.

    The first faces are the slots of a growth. The next N_PLACES · N_WAYS faces do not exist
    yet: `corner` holds their ordered corners, −1 for none, and `stamp` the time of their
    creation.

    `bound`, falling, and `vertex` have shape (n_faces, k); nothing before `head` is free. No
    free vertex outside the list gains more than `floor`, which is ∞ before the first query. A
    vertex outside with a gain equal to `floor` is above the vertex `limit`.
    """

    bound: Doubles
    vertex: Ids
    length: Ids
    head: Ids
    floor: Doubles
    limit: Ids
    corner: Ints
    stamp: Ints


def empty_candidates(n_slots: int, k: int) -> FaceCandidates:
    """Room for k vertices of each face, before the first query."""
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
def grow_batched(
    weights: ColumnWeights,
    growth: Growth,
    lists: TopLists,
    candidates: FaceCandidates,
    slack: float,
) -> bool:
    """Insert vertices until none is free (True) or until the face on top needs a query (False).

    The sum of three weights of lists exceeds the sum of the entries by `slack` at most.
    """
    cliques, penalty, _, vertex, heap, key, _, records = growth
    counters = records[0]
    while counters.step < len(cliques):
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            bound = _bound(top, growth, lists, candidates)
            if bound < key[0]:
                vertex[top], key[0] = min(vertex[top], -1), bound
            elif not _settle_top(weights, growth, lists, candidates, slack):
                return False
            sift_down(heap, key, counters.n_faces)
            top = heap[0]
        if slack > 0 and key[0] - slack <= _highest_below(growth):
            gain = face_gain(weights, growth.corner[top], vertex[top], penalty)
            if gain < key[0]:
                key[0] = gain
                sift_down(heap, key, counters.n_faces)
                continue
        _insert_top(growth, lists, candidates)
    return True


@njit(cache=True, nogil=True, inline="always", **NO_REFCOUNT)
def _highest_below(growth: Growth) -> float:
    """The second highest key."""
    highest = -np.inf
    for place in range(1, min(1 + N_BELOW, growth.counters[0].n_faces)):
        highest = max(highest, growth.key[place])
    return highest


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _bound(slot: int, growth: Growth, lists: TopLists, candidates: FaceCandidates) -> float:
    """An upper bound of the gains of a face, in the type of the keys."""
    _, penalty, corner, _, _, key, peak, _ = growth
    a, b, c = corner[slot, 0], corner[slot, 1], corner[slot, 2]
    by_candidates = rounded_up(best_candidate(slot, candidates, penalty)[1], key)
    return min(by_candidates, highest_gain(a, b, c, lists, peak, penalty))


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _settle_top(
    weights: ColumnWeights,
    growth: Growth,
    lists: TopLists,
    candidates: FaceCandidates,
    slack: float,
) -> bool:
    """Find the best vertex of the face on top, or a lower key; False if it needs a query."""
    _, penalty, corner, vertex, heap, key, _, records = growth
    counters, top = records[0], heap[0]
    found, gain = certain_best(weights, corner[top], top, candidates, penalty)
    if found >= 0:
        vertex[top], key[0] = found, gain
        return True
    if vertex[top] == UNDECIDED or not counters.use_lists:
        return False
    a, b, c = corner[top, 0], corner[top, 1], corner[top, 2]
    # An entry just below the level is 0, although its bound is not.
    sure = weights.level + slack if slack > 0 else -np.inf
    found, gain, bound, rival = merge_lists(
        weights, a, b, c, lists, penalty, ROUNDS, slack, sure
    )
    if slack > 0 and bound < gain <= max(bound, rival) + slack:
        found, gain, bound, _ = merge_lists(
            weights, a, b, c, lists, penalty, ROUNDS, 0.0, np.inf
        )
    counters.merges += 1
    counters.undecided += gain <= bound
    if counters.merges >= WINDOW:
        counters.use_lists = 2 * counters.undecided <= WINDOW
        counters.merges = 0 if counters.use_lists else -REST
        counters.undecided = 0
    if gain > bound:
        vertex[top], key[0] = found, gain
    else:
        vertex[top], key[0] = UNDECIDED, min(key[0], max(gain, bound))
    return True


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _insert_top(growth: Growth, lists: TopLists, candidates: FaceCandidates) -> None:
    """Insert its vertex into the face on top: one face becomes three."""
    cliques, _, corner, vertex, heap, key, _, records = growth
    counters, top = records[0], heap[0]
    split_top(growth)
    if counters.step == len(cliques):
        return
    second, third = counters.n_faces - 2, counters.n_faces - 1
    for slot, place in ((top, 0), (second, second), (third, third)):
        face = find_face(corner[slot, 0], corner[slot, 1], corner[slot, 2], candidates)
        if face >= 0:
            copy_candidates(face, slot, candidates)
        else:
            drop_candidates(slot, candidates)
        vertex[slot], key[place] = -1, _bound(slot, growth, lists, candidates)
    sift_new_faces(heap, key, second)
    if not counters.use_lists:
        # Count down the time until lists are used again.
        counters.merges += 1
        counters.use_lists = counters.merges >= 0


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _is_stale(v: int, lists: TopLists, penalty: Floats) -> bool:
    """Whether half of the list of v is used, and vertices exist outside the list."""
    highest_free_weight(v, lists, penalty)
    return 2 * lists.head[v] >= lists.length[v] and lists.floor[v] > -np.inf


@njit(cache=True, nogil=True)
def stale_among(vertices: Ints, lists: TopLists, penalty: Floats) -> Bools:
    """Tell which of some vertices have used half of their lists."""
    found = np.empty(len(vertices), np.bool_)
    for i in range(len(vertices)):
        found[i] = _is_stale(vertices[i], lists, penalty)
    return found


@njit(cache=True, nogil=True)
def select_queries(
    growth: Growth,
    lists: TopLists,
    candidates: FaceCandidates,
    slots: Ints,
    keys: Floats,
    limit: int,
    stamp: int,
    inserted: Bools,
) -> tuple[Ints, Ints]:
    """Faces for a query, and their corners, at most `limit` of them.

    They are the given slots without candidates, the top slot first, and children of the other
    slots. Slots come with their keys, in falling order. A speculative growth finds the
    children: it inserts candidates down to the key of the last slot, at most `limit` / 2 of
    them, because predictions further ahead are often wrong. New faces get the stamp. `inserted`
    is False for all vertices, before and after.
    """
    n_slots = len(growth.vertex)
    merging = growth.counters[0].use_lists
    least = keys[-1]
    faces = np.empty(limit, np.int64)
    corners = np.empty((limit, 3), np.int64)
    # Speculative faces, oldest first, a heap of them, and the vertices inserted.
    most = limit // 2
    room = len(slots) + 3 * most
    face_of, heap = np.empty(room, np.int64), np.empty(room, np.int64)
    high = np.empty(room, np.float64)
    insertions = np.empty(most, np.int64)
    count = n_inserted = n_made = size = 0
    for position in range(len(slots)):
        slot = slots[position]
        vertex, bound = _speculative_best(slot, keys[position], growth, candidates, inserted)
        if position > 0 and vertex >= 0 and growth.vertex[slot] != UNDECIDED:
            face_of[n_made] = slot
            heap[size], high[size] = n_made, bound
            n_made, size = n_made + 1, size + 1
            sift_up(heap, high, size - 1)
        elif count < limit and (
            position == 0 or not merging or _needs_query(slot, growth, lists)
        ):
            faces[count] = slot
            corners[count, :] = growth.corner[slot]
            count += 1
    while size > 0 and count + 3 <= limit and n_inserted < most:
        face = face_of[heap[0]]
        vertex, bound = _speculative_best(face, high[0], growth, candidates, inserted)
        if vertex >= 0 and high[0] > bound >= least:
            high[0] = bound
            sift_down(heap, high, size)
            continue
        size -= 1
        heap[0], high[0] = heap[size], high[size]
        sift_down(heap, high, size)
        if vertex < 0 or bound < least:
            continue
        inserted[vertex] = True
        insertions[n_inserted] = vertex
        n_inserted += 1
        a, b, c = growth.corner[face] if face < n_slots else candidates.corner[face - n_slots]
        for i, j in ((a, b), (a, c), (b, c)):
            child = find_face(i, j, vertex, candidates)
            if child < 0:
                child = make_face(i, j, vertex, stamp, candidates)
                faces[count] = child
                corners[count, 0], corners[count, 1], corners[count, 2] = i, j, vertex
                count += 1
                continue
            bound = best_candidate(child, candidates, growth.penalty)[1]
            if least <= bound < np.inf:
                face_of[n_made] = child
                heap[size], high[size] = n_made, bound
                n_made, size = n_made + 1, size + 1
                sift_up(heap, high, size - 1)
    for i in range(n_inserted):
        inserted[insertions[i]] = False
    return faces[:count], corners[:count]


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _speculative_best(
    face: int, key: float, growth: Growth, candidates: FaceCandidates, inserted: Bools
) -> tuple[int, float]:
    """The likely best of the vertices of a face that are still free, and its gain."""
    penalty = growth.penalty
    if face < len(growth.vertex):
        v = growth.vertex[face]
        if v >= 0 and penalty[v] == 0 and not inserted[v]:
            return v, key
    for position in range(candidates.head[face], candidates.length[face]):
        v = candidates.vertex[face, position]
        if penalty[v] == 0 and not inserted[v]:
            return v, candidates.bound[face, position]
    return -1, -np.inf


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _needs_query(slot: int, growth: Growth, lists: TopLists) -> bool:
    """Whether the lists of a face are too short to decide it."""
    if growth.vertex[slot] == UNDECIDED:
        return True
    stale = False
    for corner in growth.corner[slot]:
        stale = stale or _is_stale(corner, lists, growth.penalty)
    return stale


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def best_candidate(face: int, candidates: FaceCandidates, penalty: Floats) -> tuple[int, float]:
    """The first free candidate of a face, or −1, and a bound of all gains."""
    position = candidates.head[face]
    while (
        position < candidates.length[face] and penalty[candidates.vertex[face, position]] != 0
    ):
        position += 1
    candidates.head[face] = position
    floor = candidates.floor[face]
    if position == candidates.length[face]:
        return -1, floor
    return candidates.vertex[face, position], max(floor, candidates.bound[face, position])


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def certain_best(
    weights: ColumnWeights,
    corners: Ints,
    face: int,
    candidates: FaceCandidates,
    penalty: Floats,
) -> tuple[int, float]:
    """The best free vertex of a face and its gain; −1 and the floor if others may be better."""
    a, b, c = corners
    best_vertex, best = -1, -np.inf
    for position in range(candidates.head[face], candidates.length[face]):
        if candidates.bound[face, position] < best:
            break
        u = candidates.vertex[face, position]
        if penalty[u] != 0:
            continue
        # Calling `face_gain` would be slower.
        gain = weight(weights, a, u, penalty) + weight(weights, b, u, penalty)
        gain = gain + weight(weights, c, u, penalty)
        if gain > best or (gain == best and u < best_vertex):
            best_vertex, best = u, gain
    floor = candidates.floor[face]
    if best > floor or (best == floor and best_vertex <= candidates.limit[face]):
        return best_vertex, best
    return -1, floor


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _place(a: int, b: int, c: int) -> int:
    """The bucket of a face that is not a slot: a hash by the middle bits of a product."""
    mixed = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ np.uint64(b)) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ np.uint64(c)) * np.uint64(0x165667B19E3779F9)
    return N_WAYS * np.int64((mixed >> np.uint64(32)) % np.uint64(N_PLACES))  # type: ignore[return-value]


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def find_face(a: int, b: int, c: int, candidates: FaceCandidates) -> int:
    """The face of these corners that is not a slot, or −1."""
    first = _place(a, b, c)
    corner = candidates.corner
    for i in range(first, first + N_WAYS):
        if corner[i, 0] == a and corner[i, 1] == b and corner[i, 2] == c:
            return len(candidates.length) - len(corner) + i
    return -1


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def make_face(a: int, b: int, c: int, stamp: int, candidates: FaceCandidates) -> int:
    """Create a face of these corners, without candidates; it replaces the oldest."""
    first = _place(a, b, c)
    chosen = first
    for i in range(first + 1, first + N_WAYS):
        if candidates.stamp[i] < candidates.stamp[chosen]:
            chosen = i
    corner = candidates.corner[chosen]
    corner[0], corner[1], corner[2] = a, b, c
    candidates.stamp[chosen] = stamp
    face = len(candidates.length) - len(candidates.corner) + chosen
    drop_candidates(face, candidates)
    return face


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def drop_candidates(face: int, candidates: FaceCandidates) -> None:
    """Clear the candidates of a face, which has new corners."""
    candidates.length[face] = 0
    candidates.head[face] = 0
    candidates.floor[face] = np.inf


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def copy_candidates(source: int, target: int, candidates: FaceCandidates) -> None:
    """Give the candidates of a face to another one."""
    count = candidates.length[source]
    for position in range(count):
        candidates.bound[target, position] = candidates.bound[source, position]
        candidates.vertex[target, position] = candidates.vertex[source, position]
    candidates.length[target] = count
    candidates.head[target] = candidates.head[source]
    candidates.floor[target] = candidates.floor[source]
    candidates.limit[target] = candidates.limit[source]


@njit(cache=True, nogil=True)
def write_candidates(
    faces: Ints,
    proposed: Ids,
    bounds: Doubles,
    floors: Doubles,
    limits: Ids,
    candidates: FaceCandidates,
) -> None:
    """Write the result of a query for some faces: vertices and falling bounds of their gains.

    A vertex −1 ends the list. Floors and limits are as in `FaceCandidates`.
    """
    for f in range(len(faces)):
        face = faces[f]
        count = 0
        for p in range(proposed.shape[1]):
            if proposed[f, p] >= 0:
                candidates.vertex[face, count] = proposed[f, p]
                candidates.bound[face, count] = bounds[f, p]
                count += 1
        candidates.length[face] = count
        candidates.head[face] = 0
        candidates.floor[face] = floors[f]
        candidates.limit[face] = limits[f]


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def best_by_columns(
    weights: ColumnWeights, corners: Ints, vertices: Ints, like: Floats
) -> tuple[int, float]:
    """The lowest of the best vertices for a face, and its gain, by products of columns."""
    best_vertex, best = -1, -np.inf
    for u in vertices:
        gain = face_gain(weights, corners, u, like)
        if gain > best:
            best_vertex, best = u, gain
    return best_vertex, best
