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

This file grows a TMFG without the matrix, from lists; `topofs.kernels.dense_growth` does the
same with a matrix and its roofs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.column_weights import ColumnWeights  # noqa: TC001
from topofs.kernels.compiler_hints import UNCOUNTED, fetch_entry
from topofs.kernels.face_heap import N_BELOW, sift_down, sift_up
from topofs.kernels.gain_scan import scan_face_again
from topofs.kernels.list_merge import highest_gain, merge_lists
from topofs.kernels.row_survey import place_among
from topofs.kernels.top_lists import TopLists, highest_free_weight, no_peaks

__all__ = [
    "Growth",
    "answer_from_rows",
    "grow",
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


@njit(cache=True, nogil=True, **UNCOUNTED)
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


@njit(cache=True, nogil=True, inline="always", **UNCOUNTED)
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


@njit(cache=True, nogil=True, **UNCOUNTED)
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


@njit(cache=True, nogil=True, **UNCOUNTED)
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


@njit(cache=True, nogil=True, **UNCOUNTED)
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


@njit(cache=True, nogil=True, **UNCOUNTED)
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
