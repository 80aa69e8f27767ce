"""Rows of a similarity that are multiplied a tile at a time: their sums, links, or entries.

The product itself is a call of BLAS inside the kernel, so that a thread that multiplies a range
of rows needs the interpreter once, before all of its tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.column_weights import ColumnWeights, finish_row, is_plain
from topofs.kernels.row_survey import place_among
from topofs.kernels.tile_survey import Surveyed, add_row, nothing_surveyed, settle_lists

if TYPE_CHECKING:
    from topofs.kernels.top_lists import TopLists

__all__ = ["multiply_rows", "survey_products"]

Doubles = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int32]

# Columns of a tile: with some hundred rows, it is finished in the cache that it was made in.
WIDTH = 1024


@njit(cache=True, nogil=True)
def survey_products(
    left: ColumnWeights,
    right: ColumnWeights,
    columns: Ids,
    first: int,
    last: int,
    cuts: Doubles,
    round_off: float,
    diagonal: npt.NDArray[Any],
    totals: Doubles,
    lists: TopLists,
) -> None:
    """Take the sums and the strongest links of the rows first … last − 1 in some columns.

    `left` are all columns of the similarity, and entries below its level become 0; `right` are
    those that take part, and `columns`, ascending, says which they are. The `diagonal` is
    summed and not listed. `totals`, shape (1 + n_cuts, n), gets the sum of each row and those
    of its entries above each cut; shape (0, n) if nobody asks. `round_off` is that of
    `topofs.kernels.tile_survey.add_tile`.
    """
    rows, among, level = left.values[first:last], right.values, left.level
    m, n = last - first, len(columns)
    found = nothing_surveyed(m, lists.weight.shape[1], len(totals), lists.weight)
    plain_rows = is_plain(left, first, last)
    flat = np.empty(m * min(WIDTH, n), among.dtype)
    room = np.empty(min(WIDTH, n), lists.weight.dtype)
    for start in range(0, n, WIDTH):
        stop = min(start + WIDTH, n)
        gram = flat[: m * (stop - start)].reshape(m, stop - start)
        np.dot(rows, among[start:stop].T, gram)
        plain = plain_rows and is_plain(right, start, stop)
        here = columns[start:stop]
        for r in range(m):
            v = first + r
            row = room[: stop - start]
            finish_row(gram[r], left, v, right, start, plain, row)
            if here[0] <= v <= here[-1]:
                own = place_among(here, v)
                if own >= 0:
                    row[own] = diagonal[v]
            add_row(row, r, v, here, level, cuts, round_off, found)
    _hand_over(found, first, columns, totals, lists)


@njit(cache=True, nogil=True)
def _hand_over(
    found: Surveyed, first: int, columns: Ids, totals: Doubles, lists: TopLists
) -> None:
    """Write what was found of rows, and how strong a link outside a list may be."""
    for r in range(len(found.sums)):
        totals[0, first + r] = found.sums[r] + found.rests[r]
        for cut in range(len(found.above)):
            totals[1 + cut, first + r] = found.above[cut, r]
    if found.k > 0:
        settle_lists(found)
        weight, vertex, length, head, floor = lists
        for r in range(len(found.length)):
            v, count = first + r, found.length[r]
            for position in range(count):
                weight[v, position] = found.weight[r, position]
                vertex[v, position] = found.vertex[r, position]
            others = len(columns) - (place_among(columns, v) >= 0)
            length[v], head[v] = count, 0
            floor[v] = weight[v, count - 1] if count < others else -np.inf


@njit(cache=True, nogil=True)
def multiply_rows(
    left: ColumnWeights, right: ColumnWeights, first: int, last: int, block: npt.NDArray[Any]
) -> None:
    """Write entries of some columns with others into the columns first … last − 1 of a block.

    A range of the others, so that threads can share the work. The level is not applied.
    """
    rows, among = left.values, right.values
    m = len(rows)
    plain_rows = is_plain(left, 0, m)
    flat = np.empty(m * min(WIDTH, last - first), among.dtype)
    for start in range(first, last, WIDTH):
        stop = min(start + WIDTH, last)
        gram = flat[: m * (stop - start)].reshape(m, stop - start)
        np.dot(rows, among[start:stop].T, gram)
        plain = plain_rows and is_plain(right, start, stop)
        for r in range(m):
            finish_row(gram[r], left, r, right, start, plain, block[r, start:stop])
