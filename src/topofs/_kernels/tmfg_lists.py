"""The growth of a TMFG: its state, its start, its loop, and all that changes its heap.

Each face slot holds the corners (a, b, c) of a face, a vertex and a key; the slots form a heap
ordered by (−key, slot). Inserting v into (a, b, c) turns the slot into (a, b, v) and appends
(a, c, v) and (b, c, v).

Invariant: the key of a slot is never below the best gain of its face over the free vertices.
If its vertex is free, the key is that gain and the vertex the lowest that has it.

Free vertices only ever leave, so gains only fall, and a slot that nobody touches keeps the
invariant. The slot on top is therefore final as soon as its vertex is free: no other face gains
more, and of those that gain as much it is the oldest. Otherwise that slot alone gets a lower
key or a free vertex:

* a bound: the sum of the corners' highest free weights, which costs next to nothing;
* an answer by lists: the corners' strongest free vertices are merged from the top;
* an answer from rows that the caller brings.

This file grows a TMFG without the matrix, from lists; `topofs._kernels.tmfg_dense` does the
same with a matrix and its block_maxima.

The best free vertex of a face from the lists of its corners (Fagin's threshold algorithm).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs._kernels.cache_folder import njit
from topofs._kernels.column_weights import ColumnWeights, weight
from topofs._kernels.compiler_hints import NO_REFCOUNT, fetch_entry
from topofs._kernels.faces import N_BELOW, scan_face_again, sift_down, sift_up
from topofs._kernels.top_lists import (
    TopLists,
    highest_free_weight,
    no_peaks,
    place_among,
    place_in_list,
)

__all__ = [
    "Growth",
    "answer_from_rows",
    "grow",
    "highest_gain",
    "merge_lists",
    "split_top",
    "start_growth",
    "wanted_vertices",
]


IntArray = npt.NDArray[np.int64]


# The lists are given up when more than a quarter of a window of questions needed a scan.
WINDOW = 64


# A numpy record, whose fields have names here and in a compiled kernel.
_FIELDS = [
    ("step", np.int64),
    ("n_faces", np.int64),
    ("questions", np.int64),
    ("scans", np.int64),
    ("use_lists", np.bool_),
]


COUNTERS = np.dtype((np.record, np.dtype(_FIELDS, align=True)))


class Growth(NamedTuple):
    """A TMFG on its way: `step` cliques are known, `n_faces` face slots are in use.

    `penalty` is 0 for a free vertex, −∞ for a used one. Each face slot has its corners (a, b,
    c), in this order, and a vertex, or a negative number. `heap` are the slots in use, ordered
    by (−key, slot), and `key`, in the order of the heap, is the gain of the slot's vertex, or
    an upper bound of the gains. `peak` records for each vertex its strongest link to a free one
    when it was last looked for: `weight` and `vertex`, −1 for none. `counters`, one record, has
    `step` and `n_faces`; `use_lists`, whether faces are answered by lists; `questions` asked of
    the lists and `scans` needed beside them in the current window.
    """

    cliques: IntArray
    penalty: npt.NDArray[Any]
    corner: IntArray
    vertex: IntArray
    heap: IntArray
    key: npt.NDArray[Any]
    peak: npt.NDArray[Any]
    counters: npt.NDArray[Any]

    @property
    def n_free(self) -> int:
        """Number of vertices that are not in the graph yet."""
        return len(self.cliques) - int(self.counters[0].step)

    @property
    def uses_lists(self) -> bool:
        """Whether faces are answered by lists."""
        return bool(self.counters[0].use_lists)

    @property
    def corners_on_top(self) -> IntArray:
        """The corners of the face on top of the heap."""
        return self.corner[self.heap[0]]


def start_growth(n: int, start: IntArray, dtype: npt.DTypeLike) -> Growth:
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
    """Insert vertices until none is free, or until rows are needed that are not at hand.

    The answer is False as long as the face on top waits for `answer_from_rows`; call again
    after that.
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
                    found, gain = _answer_by_lists(weights, growth, lists)
                if found < 0:
                    return False
                vertex[top], key[0] = found, gain
            sift_down(heap, key, counters.n_faces)
            top = heap[0]
        _insert_top(growth, lists)
    return True


@njit(cache=True, nogil=True, inline="always", **NO_REFCOUNT)
def _fetch_next(growth: Growth, lists: TopLists) -> None:
    """Ask for what will be read of the face that comes to the top if the one there sinks."""
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
def _answer_by_lists(
    weights: ColumnWeights, growth: Growth, lists: TopLists
) -> tuple[int, float]:
    """Best free vertex of the face on top and its gain by lists; −1 if they do not decide."""
    a, b, c = growth.corner[growth.heap[0]]
    to_the_end = lists.weight.shape[1] + 1
    vertex, gain, bound, _ = merge_lists(
        weights, a, b, c, lists, growth.penalty, to_the_end, 0.0, -np.inf
    )
    _count_question(growth.counters[0], gain <= bound)
    return (vertex if gain > bound else -1), gain


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _count_question(counters: Any, scanned: bool) -> None:  # noqa: FBT001
    """Count a question; at the end of a window decide whether the lists stay in use."""
    counters.questions += 1
    counters.scans += scanned
    if counters.questions == WINDOW:
        counters.use_lists = 4 * counters.scans <= WINDOW
        counters.questions = 0
        counters.scans = 0


@njit(cache=True, nogil=True)
def answer_from_rows(
    growth: Growth,
    columns: IntArray,
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    c: npt.NDArray[Any],
) -> None:
    """Answer the face on top by a pass over the rows of its corners, in their order.

    `columns` are what the entries of the rows lead to: ascending, all free vertices among them.
    Entries below the level are 0.
    """
    vertex, heap, key = growth.vertex, growth.heap, growth.key
    penalty = growth.penalty[columns]
    top = heap[0]
    before = place_among(columns, vertex[top])
    place, gain = scan_face_again(a, b, c, penalty, before, key[0])
    vertex[top], key[0] = columns[place], gain
    sift_down(heap, key, growth.counters[0].n_faces)


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def split_top(growth: Growth) -> int:
    """Put its vertex into the face on top: one face becomes three, without keys; return it.

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
    """Put its vertex into the face on top, and bounds on the three new faces."""
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
    sift_down(heap, key, second)
    sift_up(heap, key, second)
    sift_up(heap, key, third)


@njit(cache=True, nogil=True)
def wanted_vertices(
    growth: Growth, lists: TopLists, kept: npt.NDArray[np.bool_], limit: int
) -> IntArray:
    """Vertices whose rows are wanted by the faces nearest to the top of the heap.

    The corners of the face on top come first, in any case. As long as lists are in use, corners
    follow whose lists have run out; then those whose rows are not kept, and vertices that will
    soon be corners.
    """
    penalty, use_lists = growth.penalty, growth.counters[0].use_lists
    wanted = np.empty(limit, np.int64)
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
                wanted_now = lists.head[v] >= lists.length[v] and lists.floor[v] > -np.inf
            else:
                wanted_now = not kept[v]
            if not seen[v] and (position == 0 or wanted_now):
                seen[v] = True
                wanted[count] = v
                count += 1
                if count == limit:
                    return wanted
    return wanted[:count]


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def highest_gain(
    a: int,
    b: int,
    c: int,
    lists: TopLists,
    peak: npt.NDArray[Any],
    penalty: npt.NDArray[Any],
) -> float:
    """An upper bound of the gains of a face: the sum of its corners' highest free weights."""
    return (_peak_of(a, lists, peak, penalty) + _peak_of(b, lists, peak, penalty)) + _peak_of(
        c, lists, peak, penalty
    )


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _peak_of(
    v: int, lists: TopLists, peak: npt.NDArray[Any], penalty: npt.NDArray[Any]
) -> float:
    """The highest weight of v to a free vertex, or a bound, kept as long as that one is free.

    Weights do not change, and free vertices only leave: no other becomes higher, however often
    the list is filled again.
    """
    if peak[v].vertex < 0 or penalty[peak[v].vertex] != 0:
        _find_peak(v, lists, peak, penalty)
    return peak[v].weight


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _find_peak(
    v: int, lists: TopLists, peak: npt.NDArray[Any], penalty: npt.NDArray[Any]
) -> None:
    record = peak[v]
    record.weight = highest_free_weight(v, lists, penalty)
    record.vertex = -1
    if lists.head[v] < lists.length[v]:
        record.vertex = lists.vertex[v, lists.head[v]]


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def merge_lists(
    weights: ColumnWeights,
    a: int,
    b: int,
    c: int,
    lists: TopLists,
    penalty: npt.NDArray[Any],
    rounds: int,
    slack: float,
    sure: float,
) -> tuple[int, float, float, float]:
    """Merge the lists of three corners from the top until the best vertex met is certain.

    It ends after so many rounds at the latest; each of them meets up to three vertices. Weights
    of lists are bounds of entries. Where they are above `sure`, they stand for the entries: a
    sum of three exceeds that of the entries by `slack` at most. For others columns are
    multiplied.

    Back come the best vertex met; its gain, or up to `slack` more than that; a bound that no
    vertex exceeds that was not met, the sum of the weights the merge has come down to, whose
    order floating-point addition keeps; and a rival: every other vertex met gains that at most,
    or less than gain − slack. Without slack the vertex is certain if its gain exceeds the
    bound, and the lowest of those that gain as much. With slack it is certain if gain − slack
    exceeds the bound and the rival.
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


# A call of its own would cost a fifth of the growth.
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
    """The gain of u, to which one list has come; −∞ if it was met before or gains less than that.

    What a list has had before is known already. A list that is yet to have u has its weight,
    one that will not bounds it, and what the lists have come to bounds what is not looked up: so
    little is searched and few columns are multiplied.
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
