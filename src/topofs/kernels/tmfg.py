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
    make_scratch,
    next_free,
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
COUNTERS = np.dtype(
    (
        np.record,
        [
            ("step", np.int64),
            ("n_faces", np.int64),
            ("first_free", np.int64),
            ("questions", np.int64),
            ("scans", np.int64),
            ("use_lists", np.bool_),
        ],
    ),
    align=True,
)


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
    n = len(growth.penalty)
    counters = growth.counters[0]
    scratch = make_scratch(n if is_matrix(weights) else 0, growth.penalty)
    if is_matrix(weights):
        for v in growth.cliques[0]:
            fill_list(v, row(weights, v), growth.penalty, lists, scratch)
    while counters.step < n - 3:
        while growth.penalty[counters.first_free] != 0:
            counters.first_free += 1
        while not _top_is_final(growth):
            if not _improve_top(weights, growth, lists, scratch):
                return False
        _insert_top(weights, growth, lists, scratch)
    return True


@njit(cache=True, nogil=True)
def _top_is_final(growth: Growth) -> bool:
    """Whether the vertex of the face on top is free."""
    v = growth.vertex[growth.heap[0]]
    return v >= 0 and growth.penalty[v] == 0


@njit(cache=True, nogil=True)
def _improve_top(weights: Weights, growth: Growth, lists: TopLists, scratch: Scratch) -> bool:
    """Lower the key of the face on top, or find its vertex; False if that needs rows."""
    use_lists = growth.counters[0].use_lists
    top = growth.heap[0]
    if use_lists or not is_matrix(weights):
        a, b, c = growth.corner[top]
        bound = highest_gain(a, b, c, lists, growth.penalty)
        if bound < growth.key[top]:
            _set_top(growth, -1, bound)
            return True
    if use_lists:
        return _answer_by_lists(weights, growth, lists, scratch)
    if is_matrix(weights):
        _answer_by_scan(weights, growth)
        return True
    return False


@njit(cache=True, nogil=True)
def _set_top(growth: Growth, vertex: int, key: float) -> None:
    """Give the face on top its vertex, or −1, and its key, and move it to its place."""
    top = growth.heap[0]
    growth.vertex[top] = vertex
    growth.key[top] = key
    sift_down(growth.heap, growth.counters[0].n_faces, growth.key)


@njit(cache=True, nogil=True)
def _answer_by_lists(
    weights: Weights, growth: Growth, lists: TopLists, scratch: Scratch
) -> bool:
    """Answer the face on top by the lists of its corners; False if they do not decide.

    With a matrix they are filled again where they have run out, and rows decide the rest.
    """
    a, b, c = growth.corner[growth.heap[0]]
    vertex, gain, bound = merge_lists(weights, a, b, c, lists, growth.penalty)
    scanned = False
    if gain <= bound and is_matrix(weights):
        if gain < bound and _refill(weights, growth, lists, scratch):
            vertex, gain, bound = merge_lists(weights, a, b, c, lists, growth.penalty)
        if gain <= bound:
            scanned = gain < bound
            vertex, gain = _scan_below(weights, growth, vertex, gain, bound)
    decided = gain > bound or is_matrix(weights)
    _count_question(growth, scanned or not decided)
    if decided:
        _set_top(growth, vertex, gain)
    return decided


@njit(cache=True, nogil=True)
def _refill(weights: Weights, growth: Growth, lists: TopLists, scratch: Scratch) -> bool:
    """Fill lists of the face on top that have run out; say whether there were any."""
    refilled = False
    for v in growth.corner[growth.heap[0]]:
        if lists.head[v] >= lists.length[v] - 1 and lists.floor[v] > -np.inf:
            fill_list(v, row(weights, v), growth.penalty, lists, scratch)
            refilled = True
    return refilled


@njit(cache=True, nogil=True)
def _scan_below(
    weights: Weights, growth: Growth, vertex: int, gain: float, bound: float
) -> tuple[int, float]:
    """Scan rows for what the lists left open: `vertex` has `gain`, all others at most `bound`."""
    top = growth.heap[0]
    a, b, c = growth.corner[top]
    first_free, penalty = growth.counters[0].first_free, growth.penalty
    # If nothing is better, a lower vertex that no list has may still be as good.
    tied = gain == bound
    stop = vertex if tied else len(penalty)
    ceiling = gain if tied else min(growth.key[top], bound)
    found, found_gain = scan_face(
        row(weights, a), row(weights, b), row(weights, c), penalty, first_free, stop, ceiling
    )
    if tied and found_gain != gain:
        return vertex, gain
    return found, found_gain


@njit(cache=True, nogil=True)
def _count_question(growth: Growth, scanned: bool) -> None:  # noqa: FBT001
    """Count a question; at the end of a window decide whether the lists stay in use."""
    counters = growth.counters[0]
    counters.questions += 1
    counters.scans += scanned
    if counters.questions == WINDOW:
        counters.use_lists = 4 * counters.scans <= WINDOW
        counters.questions = 0
        counters.scans = 0


@njit(cache=True, nogil=True)
def _answer_by_scan(weights: Weights, growth: Growth) -> None:
    """Answer the face on top by a pass over the rows of its corners."""
    top = growth.heap[0]
    a, b, c = growth.corner[top]
    vertex, gain = scan_face_again(
        row(weights, a),
        row(weights, b),
        row(weights, c),
        growth.penalty,
        growth.counters[0].first_free,
        growth.vertex[top],
        growth.key[top],
    )
    _set_top(growth, vertex, gain)


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
        The rows of the corners (a, b, c), in this order, thresholded.
    """
    top = growth.heap[0]
    before = place_among(columns, growth.vertex[top])
    place, gain = scan_face_again(a, b, c, growth.penalty[columns], 0, before, growth.key[top])
    _set_top(growth, columns[place], gain)


@njit(cache=True, nogil=True)
def _insert_top(weights: Weights, growth: Growth, lists: TopLists, scratch: Scratch) -> None:
    """Put its vertex into the face on top: one face becomes three."""
    counters, corner = growth.counters[0], growth.corner
    top, size = growth.heap[0], counters.n_faces
    v = growth.vertex[top]
    a, b, c = corner[top]
    growth.cliques[counters.step] = (v, a, b, c)
    growth.penalty[v] = -np.inf
    counters.step += 1
    if counters.step == len(growth.cliques):
        return
    corner[top] = (a, b, v)
    corner[size] = (a, c, v)
    corner[size + 1] = (b, c, v)
    if is_matrix(weights) and not counters.use_lists:
        rows = row(weights, a), row(weights, b), row(weights, c), row(weights, v)
        scans = scan_three_faces(*rows, growth.penalty, counters.first_free)
        growth.vertex[top], growth.key[top] = scans[0]
        growth.vertex[size], growth.key[size] = scans[1]
        growth.vertex[size + 1], growth.key[size + 1] = scans[2]
    else:
        if is_matrix(weights):
            fill_list(v, row(weights, v), growth.penalty, lists, scratch)
        growth.vertex[top] = -1
        growth.key[top] = highest_gain(a, b, v, lists, growth.penalty)
        growth.key[size] = highest_gain(a, c, v, lists, growth.penalty)
        growth.key[size + 1] = highest_gain(b, c, v, lists, growth.penalty)
    sift_down(growth.heap, size, growth.key)
    sift_up(growth.heap, size, growth.key)
    sift_up(growth.heap, size + 1, growth.key)
    counters.n_faces = size + 2


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
            lists.head[v] = next_free(v, lists.head[v], lists, penalty)
            run_out = lists.head[v] >= lists.length[v] and lists.floor[v] > -np.inf
            if not seen[v] and (position == 0 or run_out):
                seen[v] = True
                wanted[count] = v
                count += 1
                if count == limit:
                    return wanted
    return wanted[:count]
