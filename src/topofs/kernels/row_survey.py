"""What is kept of a block of rows when the matrix itself is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.matrix_scan import row_sums, sums_above
from topofs.kernels.top_lists import TopLists, fill_list

__all__ = ["refill_lists", "survey_rows", "wanted_vertices"]

Doubles = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def survey_rows(
    block: npt.NDArray[Any],
    first: int,
    level: float,
    cuts: Doubles,
    totals: Doubles,
    lists: TopLists,
) -> None:
    """Take the sums and the strongest links of whole rows.

    Parameters
    ----------
    block : array, shape (m, n)
        The rows first … first + m − 1 of the similarity; entries below `level` become 0.
    first : int
        The first row.
    level : float
        The threshold, or −∞.
    cuts : array of float64, shape (n_cuts,)
        Levels for the sums of larger entries.
    totals : array of float64, shape (1 + n_cuts, n)
        Sum of each row, and sums of its entries above each cut.
    lists : TopLists
        The lists to fill; the row's own vertex is left out.
    """
    n_rows, n = block.shape
    penalty = np.zeros(n, block.dtype)
    values = np.empty(2 * n, block.dtype)
    places = np.empty(2 * n, np.int64)
    one = np.empty(1, np.float64)
    for r in range(n_rows):
        row = block[r]
        if level > -np.inf:
            for u in range(n):
                row[u] = row[u] if row[u] >= level else 0
        row_sums(block[r : r + 1], 0, 1, one)
        totals[0, first + r] = one[0]
        for cut in range(len(cuts)):
            sums_above(block[r : r + 1], cuts[cut], 0, 1, one)
            totals[1 + cut, first + r] = one[0]
        if lists.weight.shape[1] > 0:
            penalty[first + r] = -np.inf
            fill_list(first + r, row, penalty, lists, values, places)
            penalty[first + r] = 0


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

    Parameters
    ----------
    block : array, shape (m, n_columns)
        Row r belongs to ``vertices[r]``; entries below `level` become 0.
    vertices, columns : arrays of int64
        What the rows and columns of the block are; columns ascend, and all free vertices are
        among them.
    level : float
        The threshold, or −∞.
    penalty : array, shape (n,)
        0 for a free vertex, −∞ for a used one.
    lists : TopLists
        The lists to fill.
    """
    n_columns = len(columns)
    values = np.empty(2 * n_columns, block.dtype)
    places = np.empty(2 * n_columns, np.int64)
    penalty_here = penalty[columns]
    for r in range(len(vertices)):
        row, v = block[r], vertices[r]
        for u in range(n_columns):
            row[u] = row[u] if row[u] >= level else 0
        own = np.searchsorted(columns, v)
        among = own < n_columns and columns[own] == v
        if among:
            before = penalty_here[own]
            penalty_here[own] = -np.inf
        fill_list(v, row, penalty_here, lists, values, places)
        if among:
            penalty_here[own] = before
        for position in range(lists.length[v]):
            lists.vertex[v, position] = columns[lists.vertex[v, position]]


@njit(cache=True, nogil=True)
def wanted_vertices(
    heap: IntArray,
    size: int,
    corner: IntArray,
    vertex: IntArray,
    penalty: npt.NDArray[Any],
    lists: TopLists,
    limit: int,
) -> IntArray:
    """Corners whose lists have run out, of the faces nearest to the top of the heap.

    The corners of the face on top come first, whether their lists have run out or not.
    """
    wanted = np.empty(limit, np.int64)
    seen = np.zeros(len(penalty), np.bool_)
    count = 0
    for position in range(min(size, 64 * limit)):
        slot = heap[position]
        if position > 0 and vertex[slot] >= 0 and penalty[vertex[slot]] == 0:
            continue
        for v in corner[slot]:
            at = lists.head[v]
            while at < lists.length[v] and penalty[lists.vertex[v, at]] != 0:
                at += 1
            lists.head[v] = at
            run_out = at >= lists.length[v] and lists.floor[v] > -np.inf
            if not seen[v] and (position == 0 or run_out):
                seen[v] = True
                wanted[count] = v
                count += 1
                if count == limit:
                    return wanted
    return wanted[:count]
