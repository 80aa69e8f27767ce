"""Growth of a TMFG without the matrix, from lists of strongest links.

Each face slot holds the corners (a, b, c) of a face, a vertex and a key; the slots form a heap
ordered by (−key, slot). Inserting v into (a, b, c) turns the slot into (a, b, v) and appends
(a, c, v) and (b, c, v).

Invariant: the key of a slot is never below the best gain of its face over the free vertices.
If its vertex is free, the key is that gain and the vertex the lowest with that gain.

No vertex becomes free again, so gains only fall, and an unchanged slot keeps the invariant. If
the vertex of the slot on top is free, the slot is final: no other face gains more, and among
equal gains it is the first slot. Otherwise only that slot gets a lower key or a free vertex,
from

* a bound: the sum of the corners' highest free weights, which is almost free;
* lists: the corners' strongest free vertices are merged from the top (Fagin's threshold
  algorithm);
* rows that the caller computes.

`topofs._kernels.tmfg_dense` does the same with a matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from topofs._kernels.column_weights import ColumnWeights, weight
from topofs._kernels.compiler import NO_REFCOUNT, fetch_entry, njit
from topofs._kernels.faces import N_BELOW, scan_face_again, sift_down, sift_new_faces
from topofs._kernels.top_lists import (
    TopLists,
    highest_free_weight,
    no_peaks,
    place_among,
    place_in_list,
)
from topofs.typing import Bools, Floats, Ints

# Lists are given up if they leave more than a quarter of a window of faces undecided.
WINDOW = 64
# A numpy record, whose fields have names here and in a compiled kernel.
_NUMBERS = [(name, np.int64) for name in ("step", "n_faces", "merges", "undecided")]
_FIELDS = np.dtype([*_NUMBERS, ("use_lists", np.bool_)], align=True)
COUNTERS = np.dtype((np.record, _FIELDS))


class Growth(NamedTuple):
    """A growing TMFG: `step` cliques are known, `n_faces` face slots are in use.

    `penalty` is 0 for a free vertex, −∞ for a used one. Each face slot has its corners (a, b,
    c), in this order, and a vertex, or a negative number. `heap` are the slots in use, ordered
    by (−key, slot), and `key`, in the order of the heap, is the gain of the slot's vertex, or
    an upper bound of the gains. `peak` holds the strongest link of each vertex to a free vertex
    at its last update: `weight` and `vertex`, −1 for none. `counters`, one record, has `step`
    and `n_faces`; `use_lists`, whether lists are merged at all; and in the current window the
    number of `merges`, and of those that left the face `undecided`.
    """

    cliques: Ints
    penalty: Floats
    corner: Ints
    vertex: Ints
    heap: Ints
    key: Floats
    peak: Floats
    counters: Floats

    @property
    def n_free(self) -> int:
        """Number of vertices that are not in the graph yet."""
        return len(self.cliques) - int(self.counters[0].step)

    @property
    def uses_lists(self) -> bool:
        """Whether lists are in use."""
        return bool(self.counters[0].use_lists)

    @property
    def corners_on_top(self) -> Ints:
        """The corners of the face on top of the heap."""
        return self.corner[self.heap[0]]


def start_growth(n: int, start: Ints, dtype: npt.DTypeLike) -> Growth:
    """A tetrahedron with its four faces (a, b, c), (a, b, d), (a, c, d), (b, c, d)."""
    n_slots = 2 * n - 4
    growth = Growth(
        cliques=np.empty((n - 3, 4), dtype=np.int64),
        penalty=np.zeros(n, dtype=dtype),
        corner=np.empty((n_slots, 3), dtype=np.int64),
        vertex=np.full(n_slots, -1, dtype=np.int64),
        heap=np.arange(n_slots, dtype=np.int64),
        key=np.full(n_slots, np.inf, dtype=dtype),
        peak=no_peaks(n, dtype),
        counters=np.zeros(1, dtype=COUNTERS),
    )
    a, b, c, d = start
    growth.cliques[0] = start
    growth.penalty[start] = -np.inf
    growth.corner[:4] = [(a, b, c), (a, b, d), (a, c, d), (b, c, d)]
    counters = growth.counters[0]
    counters.step, counters.n_faces, counters.use_lists = 1, 4, True
    return growth


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def grow(weights: ColumnWeights, growth: Growth, lists: TopLists) -> bool:
    """Insert vertices until none is free, or until the caller must compute rows.

    False: the face on top needs `settle_from_rows`; call again after that.
    """
    cliques, penalty, corner, vertex, heap, key, peak, records = growth
    counters = records[0]
    while counters.step < len(cliques):
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            a, b, c = corner[top, 0], corner[top, 1], corner[top, 2]
            _fetch_next(growth, lists)
            bound = highest_gain(a, b, c, lists, peak, penalty)
            if bound < key[0]:
                vertex[top], key[0] = -1, bound
            else:
                found, gain = -1, bound
                if counters.use_lists:
                    found, gain = _best_by_lists(weights, growth, lists)
                if found < 0:
                    return False
                vertex[top], key[0] = found, gain
            sift_down(heap, key, counters.n_faces)
            top = heap[0]
        _insert_top(growth, lists)
    return True


@njit(cache=True, nogil=True, inline="always", **NO_REFCOUNT)
def _fetch_next(growth: Growth, lists: TopLists) -> None:
    """Prefetch the data of the face that becomes the top if the current one sinks."""
    corner, heap, key = growth.corner, growth.heap, growth.key
    size = growth.counters[0].n_faces
    best = 1
    for child in range(1, min(1 + N_BELOW, size)):
        fetch_entry(corner, heap[child], 0)
        if key[child] > key[best]:
            best = child
    slot = heap[best]
    for i in range(3):
        v = corner[slot, i]
        at = lists.head[v]
        fetch_entry(lists.vertex, v, at)
        fetch_entry(lists.weight, v, at)


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _best_by_lists(
    weights: ColumnWeights, growth: Growth, lists: TopLists
) -> tuple[int, float]:
    """Best free vertex of the face on top and its gain by lists; −1 if they do not decide."""
    a, b, c = growth.corner[growth.heap[0]]
    to_the_end = lists.weight.shape[1] + 1
    vertex, gain, bound, _ = merge_lists(
        weights, a, b, c, lists, growth.penalty, to_the_end, 0.0, -np.inf
    )
    counters = growth.counters[0]
    counters.merges += 1
    counters.undecided += gain <= bound
    if counters.merges == WINDOW:
        counters.use_lists = 4 * counters.undecided <= WINDOW
        counters.merges, counters.undecided = 0, 0
    return (vertex if gain > bound else -1), gain


@njit(cache=True, nogil=True)
def settle_from_rows(growth: Growth, columns: Ints, a: Floats, b: Floats, c: Floats) -> None:
    """Settle the face on top by a pass over the rows of its corners, in their order.

    `columns` are the ascending vertices of the entries; they include all free vertices. Entries
    below the level are 0.
    """
    vertex, heap, key = growth.vertex, growth.heap, growth.key
    penalty = growth.penalty[columns]
    top = heap[0]
    before = place_among(columns, vertex[top])
    place, gain = scan_face_again(a, b, c, penalty, before, key[0])
    vertex[top], key[0] = columns[place], gain
    sift_down(heap, key, growth.counters[0].n_faces)


@njit(cache=True, nogil=True)
def settle_from_near_rows(
    weights: ColumnWeights,
    growth: Growth,
    columns: Ints,
    a: Floats,
    b: Floats,
    c: Floats,
    margin: float,
) -> None:
    """Settle the face on top from rows that are rounded differently from `weights`.

    The gain by `weights` exceeds the gain by the rows by at most `margin`. So the gains of all
    vertices that may be best are computed again.
    """
    penalty, top = growth.penalty, growth.heap[0]
    place, highest = -1, -np.inf
    for p in range(len(columns)):
        gain = (a[p] + b[p]) + c[p]
        if gain > highest and penalty[columns[p]] == 0:
            place, highest = p, gain
    vertex = columns[place]
    best = face_gain(weights, growth.corner[top], vertex, penalty)
    for p in range(len(columns)):
        u = columns[p]
        if (a[p] + b[p]) + c[p] >= best - margin and penalty[u] == 0:
            gain = face_gain(weights, growth.corner[top], u, penalty)
            if gain > best or (gain == best and u < vertex):
                vertex, best = u, gain
    growth.vertex[top], growth.key[0] = vertex, best
    sift_down(growth.heap, growth.key, growth.counters[0].n_faces)


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def face_gain(weights: ColumnWeights, corners: Ints, u: int, like: Floats) -> float:
    """The gain of vertex u in a face, added in the order of its corners."""
    a, b, c = corners
    return (weight(weights, a, u, like) + weight(weights, b, u, like)) + weight(
        weights, c, u, like
    )


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def split_top(growth: Growth) -> int:
    """Insert its vertex into the face on top: one face becomes three, without keys; return it.

    The slot on top becomes (a, b, v); unless v was the last vertex, (a, c, v) and (b, c, v)
    are appended.
    """
    cliques, penalty, corner, vertex, heap, _, _, records = growth
    counters, top = records[0], heap[0]
    v = vertex[top]
    a, b, c = corner[top, 0], corner[top, 1], corner[top, 2]
    # Entry by entry: a tuple assigned to a row takes numba seconds to compile.
    clique = cliques[counters.step]
    clique[0], clique[1], clique[2], clique[3] = v, a, b, c
    penalty[v] = -np.inf
    counters.step += 1
    if counters.step < len(cliques):
        second, third = counters.n_faces, counters.n_faces + 1
        corner[top, 2] = v
        corner[second, 0], corner[second, 1], corner[second, 2] = a, c, v
        corner[third, 0], corner[third, 1], corner[third, 2] = b, c, v
        counters.n_faces += 2
    return v


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _insert_top(growth: Growth, lists: TopLists) -> None:
    """Insert its vertex into the face on top, and set bounds as keys of the three new faces."""
    cliques, penalty, corner, vertex, heap, key, peak, records = growth
    top = heap[0]
    v = split_top(growth)
    if records[0].step == len(cliques):
        return
    second, third = records[0].n_faces - 2, records[0].n_faces - 1
    vertex[top] = vertex[second] = vertex[third] = -1
    a, b, c = corner[top, 0], corner[top, 1], corner[second, 1]
    key[0] = highest_gain(a, b, v, lists, peak, penalty)
    key[second] = highest_gain(a, c, v, lists, peak, penalty)
    key[third] = highest_gain(b, c, v, lists, peak, penalty)
    sift_new_faces(heap, key, second)


@njit(cache=True, nogil=True)
def rows_to_fetch(growth: Growth, lists: TopLists, kept: Bools, limit: int) -> Ints:
    """Vertices whose rows are needed by the faces nearest to the top of the heap.

    The corners of the face on top always come first. While lists are in use, corners with
    exhausted lists follow; after that, corners whose rows are not cached, and vertices that
    will soon be corners.
    """
    penalty, use_lists = growth.penalty, growth.counters[0].use_lists
    chosen = np.empty(limit, np.int64)
    seen = np.zeros(len(penalty), np.bool_)
    count = 0
    for position in range(min(growth.counters[0].n_faces, 64 * limit)):
        slot = growth.heap[position]
        vertex = growth.vertex[slot]
        decided = position > 0 and vertex >= 0 and penalty[vertex] == 0
        if decided and use_lists:
            continue
        for i in range(1 if decided else 3):
            v = vertex if decided else growth.corner[slot, i]
            if use_lists:
                highest_free_weight(v, lists, penalty)
                needed = lists.head[v] >= lists.length[v] and lists.floor[v] > -np.inf
            else:
                needed = not kept[v]
            if not seen[v] and (position == 0 or needed):
                seen[v] = True
                chosen[count] = v
                count += 1
                if count == limit:
                    return chosen
    return chosen[:count]


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def highest_gain(
    a: int, b: int, c: int, lists: TopLists, peak: Floats, penalty: Floats
) -> float:
    """An upper bound of the gains of a face: the sum of its corners' highest free weights."""
    return (_peak_of(a, lists, peak, penalty) + _peak_of(b, lists, peak, penalty)) + _peak_of(
        c, lists, peak, penalty
    )


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _peak_of(v: int, lists: TopLists, peak: Floats, penalty: Floats) -> float:
    """The highest weight of v to a free vertex, or a bound; cached while that vertex is free.

    Weights do not change and no vertex becomes free again, so no other weight becomes higher,
    even if the list is filled again.
    """
    record = peak[v]
    if record.vertex < 0 or penalty[record.vertex] != 0:
        record.weight = highest_free_weight(v, lists, penalty)
        record.vertex = -1
        if lists.head[v] < lists.length[v]:
            record.vertex = lists.vertex[v, lists.head[v]]
    return record.weight


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def merge_lists(
    weights: ColumnWeights,
    a: int,
    b: int,
    c: int,
    lists: TopLists,
    penalty: Floats,
    rounds: int,
    slack: float,
    sure: float,
) -> tuple[int, float, float, float]:
    """Merge the lists of three corners from the top until the best vertex met is certain.

    The number of rounds is limited; each round meets up to three vertices. Weights of lists are
    bounds of entries. Weights above `sure` are used in place of the entries: the sum of three
    exceeds that of the entries by `slack` at most. Entries below `sure` are computed from
    columns.

    Returns the best vertex met; its gain, or up to `slack` more; the bound; and the rival. The
    bound is the sum of the current weights of the merge. No vertex that was not met gains more,
    because floating-point addition keeps the order. Every other vertex met gains at most the
    rival, or less than gain − slack. Without slack the vertex is certain if its gain exceeds
    the bound; it is the lowest with this gain. With slack it is certain if gain − slack exceeds
    the bound and the rival.
    """
    like, listed, length, head, floor = lists
    end_a, end_b, end_c = length[a], length[b], length[c]
    at_a, at_b, at_c = head[a], head[b], head[c]
    best_vertex, best, rival = -1, -np.inf, -np.inf
    bound = np.inf
    for _ in range(rounds):
        while at_a < end_a and penalty[listed[a, at_a]] != 0:
            at_a += 1
        while at_b < end_b and penalty[listed[b, at_b]] != 0:
            at_b += 1
        while at_c < end_c and penalty[listed[c, at_c]] != 0:
            at_c += 1
        w_a = like[a, at_a] if at_a < end_a else floor[a]
        w_b = like[b, at_b] if at_b < end_b else floor[b]
        w_c = like[c, at_c] if at_c < end_c else floor[c]
        bound = (w_a + w_b) + w_c
        if best - slack > bound or (at_a >= end_a and at_b >= end_b and at_c >= end_c):
            break
        for own in range(3):
            if own == 0 and at_a < end_a:
                u = listed[a, at_a]
            elif own == 1 and at_b < end_b:
                u = listed[b, at_b]
            elif own == 2 and at_c < end_c:
                u = listed[c, at_c]
            else:
                continue
            gain = _gain_if_met(
                weights,
                u,
                own,
                (a, b, c),
                (at_a, at_b, at_c),
                w_b,
                w_c,
                lists,
                best - slack,
                sure,
            )
            if gain > best or (gain == best and u < best_vertex):
                best_vertex, best, rival = u, gain, best
            else:
                rival = max(rival, gain)
        at_a, at_b, at_c = at_a + 1, at_b + 1, at_c + 1
    return best_vertex, best, bound, rival


# Inlined by hand: a call would take a fifth of the time of the growth.
@njit(cache=True, nogil=True, inline="always", **NO_REFCOUNT)
def _gain_if_met(
    weights: ColumnWeights,
    u: int,
    own: int,
    corners: tuple[int, int, int],
    at: tuple[int, int, int],
    high_b: float,
    high_c: float,
    lists: TopLists,
    least: float,
    sure: float,
) -> float:
    """The gain of u, the current vertex of a list; −∞ if met before or too small.

    Vertices at earlier positions of a list are known already. If u is later in another list,
    that list has its weight; otherwise the floor of that list bounds it. The current weights of
    the lists bound entries that were not searched, so few searches and few products are needed.
    """
    like, floor = lists.weight, lists.floor
    a, b, c = corners
    at_a, at_b, at_c = at
    in_a = at_a if own == 0 else place_in_list(a, u, lists)
    w_a = like[a, in_a] if in_a >= 0 else floor[a]
    if (own > 0 and 0 <= in_a <= at_a) or (w_a + high_b) + high_c < least:
        return -np.inf
    in_b = at_b if own == 1 else place_in_list(b, u, lists)
    w_b = like[b, in_b] if in_b >= 0 else floor[b]
    if (own != 1 and 0 <= in_b < at_b + (own == 2)) or (w_a + w_b) + high_c < least:
        return -np.inf
    in_c = at_c if own == 2 else place_in_list(c, u, lists)
    w_c = like[c, in_c] if in_c >= 0 else floor[c]
    if own != 2 and 0 <= in_c < at_c:
        return -np.inf
    if (in_a < 0 or w_a <= sure) and (w_a + w_b) + w_c >= least:
        w_a = weight(weights, a, u, like)
    if (in_b < 0 or w_b <= sure) and (w_a + w_b) + w_c >= least:
        w_b = weight(weights, b, u, like)
    if (in_c < 0 or w_c <= sure) and (w_a + w_b) + w_c >= least:
        w_c = weight(weights, c, u, like)
    gain = (w_a + w_b) + w_c
    return gain if gain >= least else -np.inf
