"""Hashes of the values of columns, which depend on neither the order of columns nor of rows.

What a hash counts is known of each value alone once the span of its column is known, so the rows
of a column may be hashed in parts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit

__all__ = [
    "DISTANCE",
    "ITSELF",
    "MIRRORED",
    "MOST_BITS",
    "STANDING",
    "hash_columns",
    "hash_rows",
    "look_at_columns",
    "mixed",
    "spans_of_rows",
    "steps_of_rows",
    "take_columns",
]

Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]
Hashes = npt.NDArray[np.uint64]

# What of a column counts: its values; how far they lie above its mean, in steps of its range;
# the same of its mirror image; the same without its sign.
ITSELF, STANDING, MIRRORED, DISTANCE = 0, 1, 2, 3

# Steps of a column's range that count as different: far more than rounding, and a number of
# them that puts no simple fraction of the range on the border of two steps.
STEPS = 1021.7368

# What is known of a column before its values are hashed: its extremes, and how far its mean lies
# above the lowest value, as a share of the range.
LOW, HIGH, MEAN = 0, 1, 2
# No power of two beyond these overflows or vanishes.
MOST_BITS = 1000

# An odd factor, so that products lose nothing, and by how many bits a word is shifted when.
FACTOR = np.uint64(0xFF51AFD7ED558CCD)
FIRST, SECOND, LAST = np.uint64(33), np.uint64(29), np.uint64(32)


def mixed(words: Any) -> Any:
    """Spread the bits of a word, or of each of an array, over all 64."""
    words = (words ^ (words >> FIRST)) * FACTOR
    words = (words ^ (words >> SECOND)) * FACTOR
    return words ^ (words >> LAST)


_mixed_word = njit(cache=True, nogil=True)(mixed)


# Of a range that is the least of all floats, half is 0: as numpy divides, this gives NaN.
@njit(cache=True, nogil=True, error_model="numpy")
def spans_of_rows(rows: Doubles, spans: Doubles) -> None:
    """Write `LOW`, `HIGH` and `MEAN` of each row, leaving NaN out; two values of a row differ.

    The sum behind the mean has terms that are exact for values on a grid, so there neither the
    order of the values nor parts of them can change a bit of it.
    """
    for i in range(len(rows)):
        row = rows[i]
        low, high = np.inf, -np.inf
        for value in row:
            low = value if value < low else low
            high = value if value > high else high
        # Halved, so that the range of the largest floats does not overflow.
        half_low, half_range = low / 2, high / 2 - low / 2
        scale = math.ldexp(1.0, -min(max(math.frexp(half_range)[1], -MOST_BITS), MOST_BITS))
        total, count = 0.0, 0
        for value in row:
            if value == value:  # noqa: PLR0124 - not NaN
                total += (value / 2 - half_low) * scale
                count += 1
        spans[i, LOW], spans[i, HIGH] = low, high
        spans[i, MEAN] = total / count / (half_range * scale)


@njit(cache=True, nogil=True, error_model="numpy")
def steps_of_rows(rows: Doubles, spans: Doubles) -> None:
    """Replace values by how far they lie above the mean of their row, in steps of its range.

    NaN stays.
    """
    for i in range(len(rows)):
        row, low, high, mean = rows[i], spans[i, LOW], spans[i, HIGH], spans[i, MEAN]
        half_low, half_range = low / 2, high / 2 - low / 2
        for j in range(len(row)):
            row[j] = np.rint(((row[j] / 2 - half_low) / half_range - mean) * STEPS)


@njit(cache=True, nogil=True)
def hash_rows(rows: Doubles, seeds: Hashes, hashes: Hashes) -> None:
    """Write the sum of the mixed bits of each row: whole numbers, whose sum has no order.

    Both zeros are one, and so is every NaN; the rows are overwritten. Seeds tell the columns
    apart; they are equal where their order is not to count.
    """
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(row)):
            row[j] = row[j] + 0.0 if row[j] == row[j] else np.nan
        bits, total = row.view(np.uint64), np.uint64(0)
        for j in range(len(row)):
            total += _mixed_word(bits[j] + seeds[j])
        hashes[i] = total


@njit(cache=True, nogil=True)
def take_columns(columns: Floats, what: int, spans: Doubles, rows: Doubles) -> None:
    """Copy of some columns, one a row, what counts: ITSELF, STANDING, MIRRORED or DISTANCE.

    Nobody reads the spans where values count by themselves.
    """
    _copy_rows(columns, rows)
    _leave_what_counts(rows, what, spans)


@njit(cache=True, nogil=True)
def hash_columns(
    columns: Floats, what: int, spans: Doubles, seeds: Hashes, hashes: Hashes
) -> None:
    """Write the hash of what counts of each column, as `take_columns` and `hash_rows` do.

    A thread that hashes a range of columns needs the interpreter once. The columns are not
    changed.
    """
    rows = np.empty(columns.shape)
    take_columns(columns, what, spans, rows)
    hash_rows(rows, seeds, hashes)


@njit(cache=True, nogil=True)
def look_at_columns(columns: Floats, spans: Doubles, seeds: Hashes, hashes: Hashes) -> None:
    """Write the spans of whole columns and the hashes of DISTANCE, in one pass over them."""
    rows = np.empty(columns.shape)
    _copy_rows(columns, rows)
    spans_of_rows(rows, spans)
    _leave_what_counts(rows, DISTANCE, spans)
    hash_rows(rows, seeds, hashes)


@njit(cache=True, nogil=True)
def _copy_rows(columns: Floats, rows: Doubles) -> None:
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            rows[i, j] = columns[i, j]


@njit(cache=True, nogil=True)
def _leave_what_counts(rows: Doubles, what: int, spans: Doubles) -> None:
    if what == ITSELF:
        return
    steps_of_rows(rows, spans)
    if what == STANDING:
        return
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(row)):
            row[j] = -row[j] if what == MIRRORED else abs(row[j])
