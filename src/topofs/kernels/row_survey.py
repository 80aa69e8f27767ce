"""What is kept of a block of rows when the matrix itself is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.matrix_scan import row_sums
from topofs.kernels.top_lists import Scratch, TopLists, fill_list, make_scratch

__all__ = ["list_rows", "place_among", "refill_lists", "survey_rows"]

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
