"""For each vertex of the graph, its strongest links to free vertices, strongest first.

What is kept of a block of rows when the matrix itself is not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs._kernels.cache_folder import njit
from topofs._kernels.compiler_hints import NO_REFCOUNT, larger
from topofs._kernels.matrix_scan import row_sums

__all__ = [
    "Scratch",
    "TopLists",
    "empty_lists",
    "fill_list",
    "highest_free_weight",
    "list_rows",
    "make_scratch",
    "no_peaks",
    "place_among",
    "place_in_list",
    "refill_lists",
    "sort_links",
    "strongest_first",
    "survey_rows",
]


# Vertices per block in the search for a threshold.
BLOCK = 32


class TopLists(NamedTuple):
    """The lists of all vertices; entries of vertex v are ``head[v] … length[v] - 1``.

    `weight`, falling weights or bounds of them, and `vertex`, what they lead to, have shape (n,
    k). Entries before ``head[v]`` lead to used vertices; later ones may, too. No free vertex
    outside the list has a larger weight than `floor`: −∞ if there is none, ∞ as long as the
    list was never filled.
    """

    weight: npt.NDArray[Any]
    vertex: npt.NDArray[np.int32]
    length: npt.NDArray[np.int64]
    head: npt.NDArray[np.int64]
    floor: npt.NDArray[Any]


def empty_lists(n: int, k: int, dtype: npt.DTypeLike) -> TopLists:
    """Lists of k entries for n vertices, none of them filled."""
    return TopLists(
        weight=np.empty((n, k), dtype=dtype),
        vertex=np.empty((n, k), dtype=np.int32),
        length=np.zeros(n, dtype=np.int64),
        head=np.zeros(n, dtype=np.int64),
        floor=np.full(n, np.inf, dtype=dtype),
    )


def no_peaks(n: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Records for the strongest links of n vertices to free ones; none is known."""
    fields = np.dtype([("weight", dtype), ("vertex", np.int32)], align=True)
    peaks = np.zeros(n, dtype=np.dtype((np.record, fields)))
    peaks["vertex"] = -1
    return peaks


class Scratch(NamedTuple):
    """Room for `fill_list` to work in: arrays of shape (2n,) for rows of n entries."""

    values: npt.NDArray[Any]
    places: npt.NDArray[np.int32]


@njit(cache=True, nogil=True)
def make_scratch(n: int, like: npt.NDArray[Any]) -> Scratch:
    """Room for rows of n entries, in the type of the array `like`."""
    return Scratch(np.empty(2 * n, like.dtype), np.empty(2 * n, np.int32))


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def highest_free_weight(v: int, lists: TopLists, penalty: npt.NDArray[Any]) -> float:
    """An upper bound of the weights of v to free vertices, reached if the list has a free one."""
    weight, vertex, length, head, floor = lists
    position = head[v]
    while position < length[v] and penalty[vertex[v, position]] != 0:
        position += 1
    head[v] = position
    highest = floor[v]
    if position < length[v]:
        highest = weight[v, position]
    return highest


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def place_in_list(v: int, u: int, lists: TopLists) -> int:
    """Where the free vertex u stands in the list of v, or −1."""
    _, vertex, length, head, _ = lists
    first = head[v]
    place = -1 - first
    listed = vertex[v, first : length[v]]
    # From 0 to the end, without one in between and with nothing added, these are vector
    # instructions.
    for position in range(len(listed)):
        if listed[position] == u:
            place = position
    return first + place


@njit(cache=True, nogil=True)
def fill_list(
    v: int,
    row: npt.NDArray[Any],
    penalty: npt.NDArray[Any],
    lists: TopLists,
    scratch: Scratch,
) -> None:
    """Fill the list of v from its row with the k strongest free vertices.

    The penalty is 0 for a free vertex and −∞ for a used one. The k-th largest of the maxima of
    blocks is a lower bound of the k-th largest weight, so only blocks that reach it are looked
    at. Of equal weights the lowest vertices come first; where they tie at the end of the list,
    the floor says that as large a weight is outside.
    """
    k = lists.weight.shape[1]
    values, places = scratch
    n_blocks = _block_maxima(row, penalty, values)
    threshold = -np.inf
    kept = values[n_blocks:]
    if n_blocks > k:
        for block in range(n_blocks):
            kept[block], places[block] = values[block], block
        strongest_first(kept, places, n_blocks, k)
        threshold = kept[k - 1]
    count, outside = _gather(row, penalty, threshold, values[:n_blocks], kept, places)
    if count > k:
        strongest_first(kept, places, count, k)
        count, outside = k, True
    sort_links(kept, places, count)
    for position in range(count):
        lists.weight[v, position] = kept[position]
        lists.vertex[v, position] = places[position]
    lists.head[v] = 0
    lists.length[v] = count
    lists.floor[v] = lists.weight[v, count - 1] if outside else -np.inf


@njit(cache=True, nogil=True)
def _block_maxima(
    row: npt.NDArray[Any], penalty: npt.NDArray[Any], maxima: npt.NDArray[Any]
) -> int:
    """Write the largest free weight of each block (−∞ without one); return their number."""
    n = len(row)
    n_blocks = (n + BLOCK - 1) // BLOCK
    for block in range(n_blocks):
        largest = row.dtype.type(-np.inf)
        for j in range(min(n - block * BLOCK, BLOCK)):
            u = np.uint64(block * BLOCK + j)
            largest = larger(row[u] + penalty[u], largest)
        maxima[block] = largest
    return n_blocks


@njit(cache=True, nogil=True)
def _gather(
    row: npt.NDArray[Any],
    penalty: npt.NDArray[Any],
    threshold: float,
    maxima: npt.NDArray[Any],
    kept: npt.NDArray[Any],
    places: npt.NDArray[np.int32],
) -> tuple[int, bool]:
    """Write the free weights from the threshold on, and where they are; count them.

    The flag tells whether a free vertex was left out.
    """
    count = 0
    outside = False
    for block in range(len(maxima)):
        if maxima[block] < threshold or maxima[block] == -np.inf:
            outside = outside or maxima[block] > -np.inf
            continue
        for u in range(block * BLOCK, min(len(row), (block + 1) * BLOCK)):
            if penalty[u] == 0:
                if row[u] >= threshold:
                    kept[count] = row[u]
                    places[count] = u
                    count += 1
                else:
                    outside = True
    return count, outside


@njit(cache=True, nogil=True)
def strongest_first(
    values: npt.NDArray[Any], places: npt.NDArray[np.int32], count: int, k: int
) -> None:
    """Rearrange the first `count` values, with their places, so that the k strongest lead.

    Of equal values the one at the lowest place is the strongest; the k-th stands last among
    the k. Hoare's selection; invariant: what stands before `low` is as strong as what stands
    from it on, what stands after `high` as weak as what stands up to it, and the k-th lies
    between.
    """
    low, high = 0, count - 1
    while low < high:
        pivot, at = values[(low + high) // 2], places[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while _stronger(values[i], places[i], pivot, at):
                i += 1
            while _stronger(pivot, at, values[j], places[j]):
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                places[i], places[j] = places[j], places[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break


@njit(cache=True, nogil=True)
def sort_links(values: npt.NDArray[Any], places: npt.NDArray[np.int32], count: int) -> None:
    """Sort the first `count` values, with their places, the strongest first (Shell's sort)."""
    gap = 40
    while gap > 0:
        for position in range(gap, count):
            value, place, hole = values[position], places[position], position
            while hole >= gap and _stronger(
                value, place, values[hole - gap], places[hole - gap]
            ):
                values[hole], places[hole] = values[hole - gap], places[hole - gap]
                hole -= gap
            values[hole], places[hole] = value, place
        # 40, 13, 4, 1
        gap //= 3


@njit(cache=True, nogil=True)
def _stronger(value: float, place: int, other: float, there: int) -> bool:
    """Whether a value is larger than another, or as large and at a lower place."""
    return value > other or (value == other and place < there)


Doubles = npt.NDArray[np.float64]


IntArray = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def survey_rows(block: npt.NDArray[Any], first: int, sums: Doubles, lists: TopLists) -> None:
    """Take the sums and the strongest links of the rows first … first + m − 1.

    The row's own vertex is left out of its list.
    """
    n_rows, n = block.shape
    penalty = np.zeros(n, block.dtype)
    scratch = make_scratch(n, block)
    row_sums(block, 0, n_rows, sums[first : first + n_rows])
    if lists.weight.shape[1] == 0:
        return
    for r in range(n_rows):
        _list_others(first + r, block[r], penalty, lists, scratch)


@njit(cache=True, nogil=True)
def list_rows(
    matrix: npt.NDArray[Any],
    vertices: IntArray,
    first: int,
    last: int,
    penalty: npt.NDArray[Any],
    lists: TopLists,
) -> None:
    """Fill the lists of the vertices at the places first … last − 1 from their rows of a matrix.

    The penalty, of shape (n,), is 0 for a free vertex and −∞ for a used one.
    """
    scratch = make_scratch(len(matrix), matrix)
    others = penalty.copy()
    for place in range(first, last):
        _list_others(vertices[place], matrix[vertices[place]], others, lists, scratch)


@njit(cache=True, nogil=True)
def _list_others(
    v: int,
    row: npt.NDArray[Any],
    penalty: npt.NDArray[Any],
    lists: TopLists,
    scratch: Scratch,
) -> None:
    """Fill the list of v from its row with free vertices other than v itself."""
    before = penalty[v]
    penalty[v] = -np.inf
    fill_list(v, row, penalty, lists, scratch)
    penalty[v] = before


@njit(cache=True, nogil=True)
def refill_lists(
    block: npt.NDArray[Any],
    vertices: IntArray,
    columns: IntArray,
    level: float,
    penalty: npt.NDArray[Any],
    lists: TopLists,
) -> None:
    """Fill the lists of some vertices from rows that hold some columns only.

    Row r of the block belongs to ``vertices[r]``; entries below `level` become 0. Columns
    ascend, and all free vertices, whose penalty is 0 and not −∞, are among them.
    """
    n_columns = len(columns)
    scratch = make_scratch(n_columns, block)
    penalty_here = penalty[columns]
    for r in range(len(vertices)):
        row, v = block[r], vertices[r]
        for u in range(n_columns):
            row[u] = row[u] if row[u] >= level else 0
        own = place_among(columns, v)
        if own >= 0:
            before = penalty_here[own]
            penalty_here[own] = -np.inf
        fill_list(v, row, penalty_here, lists, scratch)
        if own >= 0:
            penalty_here[own] = before
        for position in range(lists.length[v]):
            lists.vertex[v, position] = columns[lists.vertex[v, position]]


@njit(cache=True, nogil=True)
def place_among(columns: npt.NDArray[np.integer[Any]], v: int) -> int:
    """Where v stands among ascending columns, or −1.

    Invariant: what lies before `low` is below v, what lies from `high` on is not.
    """
    low, high = 0, len(columns)
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low if low < len(columns) and columns[low] == v else -1
