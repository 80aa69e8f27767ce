"""Sums and strongest links of rows that come a tile at a time, in any order of the tiles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.larger import larger
from topofs.kernels.matrix_scan import sums_above

__all__ = ["Surveyed", "add_tile", "nothing_surveyed"]

Ids = npt.NDArray[np.int32]
Doubles = npt.NDArray[np.float64]

# Sums that run side by side.
LANES = 64
# Entries that are passed over at once if none of them is strong enough.
BLOCK = 32


class Surveyed(NamedTuple):
    """What is known of m rows of a similarity after some of their entries.

    weight, vertex : arrays, shape (m, k)
        The strongest links so far, falling; of equal ones the lowest vertex first.
    length : array of int64, shape (m,)
        How many there are.
    sums, rests : arrays of float64, shape (m,)
        Their sum is that of the entries.
    above : array of float64, shape (n_cuts, m)
        Sums of the entries above each cut.
    """

    weight: npt.NDArray[Any]
    vertex: Ids
    length: npt.NDArray[np.int64]
    sums: Doubles
    rests: Doubles
    above: Doubles


def nothing_surveyed(m: int, k: int, n_cuts: int, dtype: npt.DTypeLike) -> Surveyed:
    """Rows of which no entry is known."""
    return Surveyed(
        weight=np.zeros((m, k), dtype=dtype),
        vertex=np.zeros((m, k), dtype=np.int32),
        length=np.zeros(m, dtype=np.int64),
        sums=np.zeros(m),
        rests=np.zeros(m),
        above=np.zeros((n_cuts, m)),
    )


@njit(cache=True, nogil=True)
def add_tile(
    tile: npt.NDArray[Any],
    first: int,
    rows: Ids,
    columns: Ids,
    level: float,
    cuts: Doubles,
    round_off: float,
    surveyed: Surveyed,
) -> None:
    """Add the entries of some rows in some columns.

    Parameters
    ----------
    tile : array, shape (m, n_columns)
        The entries; those below `level` become 0.
    first : int
        Which of the surveyed rows the first row of the tile is.
    rows, columns : arrays of int32
        The vertices that all surveyed rows and the columns of the tile are; an entry of a vertex
        with itself is summed and not listed.
    level : float
        The threshold, or −∞.
    cuts : array of float64, shape (n_cuts,)
        Levels for the sums of larger entries.
    round_off : float
        3/2 of a power of two that no sum of absolute entries exceeds; the same for all tiles.
    surveyed : Surveyed
        Changed. What it holds in the end does not depend on the order of the tiles, but for the
        last bits of `rests` and `above`.
    """
    weight, vertex, length, sums, rests, above = surveyed
    k, n = weight.shape[1], tile.shape[1]
    one = np.empty(1, np.float64)
    for r in range(tile.shape[0]):
        row, here = tile[r], first + r
        if level > -np.inf:
            for u in range(n):
                row[u] = row[u] if row[u] >= level else 0
        _add_sums(row, round_off, here, sums, rests)
        for cut in range(len(cuts)):
            sums_above(tile[r : r + 1], cuts[cut], 0, 1, one)
            above[cut, here] += one[0]
        if k > 0:
            length[here] = _join_row(
                row, columns, rows[here], weight[here], vertex[here], length[here]
            )


@njit(cache=True, nogil=True)
def _add_sums(
    row: npt.NDArray[Any], round_off: float, here: int, sums: Doubles, rests: Doubles
) -> None:
    """Add entries as `topofs.kernels.matrix_scan.row_sums` does: the larger part is exact."""
    n = len(row)
    lanes, left = np.zeros(LANES), np.zeros(LANES)
    for j in range(0, n - n % LANES, LANES):
        for lane in range(LANES):
            entry = np.float64(row[j + lane])
            rounded = (entry + round_off) - round_off
            lanes[lane] += rounded
            left[lane] += entry - rounded
    for j in range(n - n % LANES, n):
        entry = np.float64(row[j])
        rounded = (entry + round_off) - round_off
        lanes[0] += rounded
        left[0] += entry - rounded
    sums[here] += lanes.sum()
    rests[here] += left.sum()


@njit(cache=True, nogil=True)
def _join_row(
    row: npt.NDArray[Any],
    columns: Ids,
    own: int,
    weight: npt.NDArray[Any],
    vertex: Ids,
    count: int,
) -> int:
    """Put the entries of a row into a list of the strongest; give its new length."""
    k = len(weight)
    # What is below the last of a full list stays outside.
    least = weight[k - 1] if count == k else -np.inf
    n = len(row)
    for start in range(0, n, BLOCK):
        end = min(start + BLOCK, n)
        largest = row[start]
        for j in range(1, end - start):
            largest = larger(row[np.uint64(start + j)], largest)
        if largest < least:
            continue
        for p in range(start, end):
            entry, u = row[p], columns[p]
            outside = entry < least or (count == k and entry == least and u > vertex[k - 1])
            if outside or u == own:
                continue
            count = min(count + 1, k)
            hole = count - 1
            while hole > 0 and (
                weight[hole - 1] < entry or (weight[hole - 1] == entry and vertex[hole - 1] > u)
            ):
                weight[hole], vertex[hole] = weight[hole - 1], vertex[hole - 1]
                hole -= 1
            weight[hole], vertex[hole] = entry, u
            if count == k:
                least = weight[k - 1]
    return count
