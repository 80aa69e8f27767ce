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
* an answer by scan: a pass over three rows of the matrix, where the lists are given up;
* an answer from rows that the caller brings, where there is no matrix.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import ColumnWeights, is_matrix, row
from topofs.kernels.face_heap import sift_down, sift_up
from topofs.kernels.gain_scan import scan_face, scan_face_again, scan_three_faces
from topofs.kernels.list_merge import highest_gain, merge_lists
from topofs.kernels.row_survey import place_among
from topofs.kernels.top_lists import (
    Scratch,
    TopLists,
    empty_lists,
    fill_list,
    highest_free_weight,
    make_scratch,
)

__all__ = [
    "Growth",
    "answer_from_rows",
    "grow",
    "start_growth",
    "tmfg_cliques",
    "wanted_vertices",
]

Matrix = npt.NDArray[Any]
Weights = Matrix | ColumnWeights
IntArray = npt.NDArray[np.int64]

# Length of the lists; 32 to 64 were equally fast, 96 slower (docs/performance.md).
LIST_LENGTH = 32
# The lists are given up when more than a quarter of a window of questions needed a scan.
WINDOW = 64

# A numpy record, whose fields have names here and in a compiled kernel.
_FIELDS = [
    ("step", np.int64),
    ("n_faces", np.int64),
    ("first_free", np.int64),
    ("questions", np.int64),
    ("scans", np.int64),
    ("use_lists", np.bool_),
]
COUNTERS = np.dtype((np.record, np.dtype(_FIELDS, align=True)))


class Growth(NamedTuple):
    """A TMFG on its way.

    cliques : array of int64, shape (n - 3, 4)
        The cliques; the first `step` of them are known.
    penalty : array, shape (n,)
        0 for a free vertex, −∞ for a used one.
    corner : array of int64, shape (2n - 4, 3)
        The corners (a, b, c) of each face slot; the first `n_faces` are in use.
    vertex, key : arrays, shape (2n - 4,)
        For each slot a vertex and its gain, or −1 and an upper bound of the gains.
    heap : array of int64, shape (2n - 4,)
        The slots in use, as a heap ordered by (−key, slot).
    counters : array of one record
        `step` and `n_faces`; `first_free`, below which no vertex is free; `use_lists`, whether
        faces are answered by lists; `questions` asked of the lists and `scans` needed beside
        them in the current window.
    """

    cliques: IntArray
    penalty: npt.NDArray[Any]
    corner: IntArray
    vertex: IntArray
    key: npt.NDArray[Any]
    heap: IntArray
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
        Length of the lists; it changes the time, never the result.

    Returns
    -------
    array of int64, shape (n - 3, 4)
        Row 0 is `start`; each later row is (v, a, b, c): vertex v went into face (a, b, c).
    """
    n = len(similarity)
    growth = start_growth(n, start, similarity.dtype)
    grow(similarity, growth, empty_lists(n, min(list_length, n), similarity.dtype))
    return growth.cliques


def start_growth(n: int, start: IntArray, dtype: npt.DTypeLike) -> Growth:
    """A tetrahedron with its four faces (a, b, c), (a, b, d), (a, c, d), (b, c, d)."""
    n_slots = 2 * n - 4
    growth = Growth(
        cliques=np.empty((n - 3, 4), dtype=np.int64),
        penalty=np.zeros(n, dtype=dtype),
        corner=np.empty((n_slots, 3), dtype=np.int64),
        vertex=np.full(n_slots, -1, dtype=np.int64),
        key=np.full(n_slots, np.inf, dtype=dtype),
        heap=np.arange(n_slots, dtype=np.int64),
        counters=np.zeros(1, dtype=COUNTERS),
    )
    a, b, c, d = start
    growth.cliques[0] = start
    growth.penalty[start] = -np.inf
    growth.corner[:4] = [(a, b, c), (a, b, d), (a, c, d), (b, c, d)]
    counters = growth.counters[0]
    counters.step, counters.n_faces, counters.use_lists = 1, 4, True
    return growth


@njit(cache=True, nogil=True)
def grow(weights: Weights, growth: Growth, lists: TopLists) -> bool:
    """Insert vertices until none is free, or until rows are needed that are not at hand.

    With a matrix the answer is True: everything is done. With columns it is False as long as
    the face on top waits for `answer_from_rows`; call again after that.
    """
    cliques, penalty, corner, vertex, key, heap, records = growth
    counters = records[0]
    dense = is_matrix(weights)
    scratch = make_scratch(len(penalty) if dense else 0, penalty)
    if dense:
        for v in cliques[0]:
            fill_list(v, row(weights, v), penalty, lists, scratch)
    while counters.step < len(cliques):
        while penalty[counters.first_free] != 0:
            counters.first_free += 1
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            a, b, c = corner[top]
            bound = np.inf
            if counters.use_lists or not dense:
                bound = highest_gain(a, b, c, lists, penalty)
            if bound < key[top]:
                vertex[top], key[top] = -1, bound
            else:
                if counters.use_lists:
                    found, gain = _answer_by_lists(weights, growth, lists, scratch)
                elif dense:
                    found, gain = _answer_by_scan(weights, growth)
                else:
                    found, gain = -1, bound
                if found < 0:
                    return False
                vertex[top], key[top] = found, gain
            sift_down(heap, counters.n_faces, key)
            top = heap[0]
        _insert_top(weights, growth, lists, scratch)
    return True


@njit(cache=True, nogil=True)
def _answer_by_lists(
    weights: Weights, growth: Growth, lists: TopLists, scratch: Scratch
) -> tuple[int, float]:
    """Best free vertex of the face on top and its gain by lists; −1 if they do not decide.

    With a matrix they are filled again where they have run out, and rows decide the rest.
    """
    counters, penalty, top = growth.counters[0], growth.penalty, growth.heap[0]
    ceiling = growth.key[top]
    a, b, c = growth.corner[top]
    dense = is_matrix(weights)
    vertex, gain, bound = merge_lists(weights, a, b, c, lists, penalty)
    if gain < bound and dense:
        refilled = False
        for v in (a, b, c):
            if lists.head[v] >= lists.length[v] - 1 and lists.floor[v] > -np.inf:
                fill_list(v, row(weights, v), penalty, lists, scratch)
                refilled = True
        if refilled:
            vertex, gain, bound = merge_lists(weights, a, b, c, lists, penalty)
    _count_question(counters, gain < bound or (gain == bound and not dense))
    if gain > bound:
        return vertex, gain
    if not dense:
        return -1, gain
    rows = row(weights, a), row(weights, b), row(weights, c)
    if gain == bound:
        # Nothing is better, but a lower vertex that no list has may be as good.
        lower, equal = scan_face(*rows, penalty, counters.first_free, vertex, gain)
        return (lower if equal == gain else vertex), gain
    return scan_face(*rows, penalty, counters.first_free, len(penalty), min(ceiling, bound))


@njit(cache=True, nogil=True)
def _count_question(counters: Any, scanned: bool) -> None:  # noqa: FBT001
    """Count a question; at the end of a window decide whether the lists stay in use."""
    counters.questions += 1
    counters.scans += scanned
    if counters.questions == WINDOW:
        counters.use_lists = 4 * counters.scans <= WINDOW
        counters.questions = 0
        counters.scans = 0


@njit(cache=True, nogil=True)
def _answer_by_scan(weights: Weights, growth: Growth) -> tuple[int, float]:
    """Best free vertex of the face on top and its gain by a pass over its corners' rows."""
    first_free, penalty, top = growth.counters[0].first_free, growth.penalty, growth.heap[0]
    a, b, c = growth.corner[top]
    rows = row(weights, a), row(weights, b), row(weights, c)
    return scan_face_again(*rows, penalty, first_free, growth.vertex[top], growth.key[top])


@njit(cache=True, nogil=True)
def answer_from_rows(
    growth: Growth,
    columns: IntArray,
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    c: npt.NDArray[Any],
) -> None:
    """Answer the face on top by a pass over rows that were computed elsewhere.

    Parameters
    ----------
    growth : Growth
        Changed: vertex and key of the face on top, and its place in the heap.
    columns : array of int64
        What the entries of the rows lead to: ascending, all free vertices among them.
    a, b, c : arrays, shape (len(columns),)
        The rows of the corners (a, b, c), in this order; entries below the level are 0.
    """
    vertex, key, heap = growth.vertex, growth.key, growth.heap
    penalty = growth.penalty[columns]
    top = heap[0]
    before = place_among(columns, vertex[top])
    place, gain = scan_face_again(a, b, c, penalty, 0, before, key[top])
    vertex[top], key[top] = columns[place], gain
    sift_down(heap, growth.counters[0].n_faces, key)


@njit(cache=True, nogil=True)
def _insert_top(weights: Weights, growth: Growth, lists: TopLists, scratch: Scratch) -> None:
    """Put its vertex into the face on top: one face becomes three."""
    cliques, penalty, corner, vertex, key, heap, records = growth
    counters, top = records[0], heap[0]
    v = vertex[top]
    a, b, c = corner[top]
    # Entry by entry: a tuple assigned to a row takes numba seconds to compile.
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
    if is_matrix(weights) and not counters.use_lists:
        rows = row(weights, a), row(weights, b), row(weights, c), row(weights, v)
        ab, ac, bc = scan_three_faces(*rows, penalty, counters.first_free)
        vertex[top], key[top] = ab
        vertex[second], key[second] = ac
        vertex[third], key[third] = bc
    else:
        if is_matrix(weights):
            fill_list(v, row(weights, v), penalty, lists, scratch)
        vertex[top], key[top] = -1, highest_gain(a, b, v, lists, penalty)
        vertex[second], key[second] = -1, highest_gain(a, c, v, lists, penalty)
        vertex[third], key[third] = -1, highest_gain(b, c, v, lists, penalty)
    sift_down(heap, counters.n_faces, key)
    sift_up(heap, second, key)
    sift_up(heap, third, key)
    counters.n_faces += 2


@njit(cache=True, nogil=True)
def wanted_vertices(growth: Growth, lists: TopLists, limit: int) -> IntArray:
    """Corners whose lists have run out, of the faces nearest to the top of the heap.

    The corners of the face on top come first, whether their lists have run out or not.
    """
    penalty = growth.penalty
    wanted = np.empty(limit, np.int64)
    seen = np.zeros(len(penalty), np.bool_)
    count = 0
    for position in range(min(growth.counters[0].n_faces, 64 * limit)):
        slot = growth.heap[position]
        vertex = growth.vertex[slot]
        if position > 0 and vertex >= 0 and penalty[vertex] == 0:
            continue
        for v in growth.corner[slot]:
            highest_free_weight(v, lists, penalty)
            run_out = lists.head[v] >= lists.length[v] and lists.floor[v] > -np.inf
            if not seen[v] and (position == 0 or run_out):
                seen[v] = True
                wanted[count] = v
                count += 1
                if count == limit:
                    return wanted
    return wanted[:count]
