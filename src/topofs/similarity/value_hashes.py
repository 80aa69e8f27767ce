"""Hashes of the values of columns, which depend on neither the order of columns nor of rows.

What a hash counts is known of each value alone once the span of its column is known, so the rows
of a column may be hashed in parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "DISTANCE",
    "ITSELF",
    "MIRRORED",
    "MOST_BITS",
    "STANDING",
    "hash_columns",
    "hash_rows",
    "mixed",
    "spans_of_rows",
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

# Values worked on at a time: a few arrays of them stay in the cache.
BLOCK = 1 << 14

# An odd factor, so that products lose nothing, and by how many bits a word is shifted when.
FACTOR = np.uint64(0xFF51AFD7ED558CCD)
FIRST, SECOND, LAST = np.uint64(33), np.uint64(29), np.uint64(32)


def mixed(words: Hashes) -> Hashes:
    """Spread the bits of each word over all 64."""
    words = words.copy()
    _mix(words, np.empty_like(words))
    return words


def _mix(words: Hashes, beside: Hashes) -> None:
    """The same in place; the array beside is overwritten."""
    for shift in (FIRST, SECOND):
        np.right_shift(words, shift, out=beside)
        np.bitwise_xor(words, beside, out=words)
        np.multiply(words, FACTOR, out=words)
    np.right_shift(words, LAST, out=beside)
    np.bitwise_xor(words, beside, out=words)


# Of a range that is the least of all floats, half is 0: this gives NaN.
@np.errstate(divide="ignore", invalid="ignore")
def spans_of_rows(rows: Floats) -> Doubles:
    """Give `LOW`, `HIGH` and `MEAN` of each row, leaving NaN out; two values of a row differ.

    The sum behind the mean has terms that are exact for values on a grid, so there neither the
    order of the values nor parts of them can change a bit of it.
    """
    low, high = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
    for (some, _), part in _tiles(rows):
        low[some] = np.fmin(low[some], np.fmin.reduce(part, axis=1))
        high[some] = np.fmax(high[some], np.fmax.reduce(part, axis=1))
    # Halved, so that the range of the largest floats does not overflow.
    half_low, half_range = low / 2, high / 2 - low / 2
    scale = np.ldexp(1.0, -np.clip(np.frexp(half_range)[1], -MOST_BITS, MOST_BITS))
    total, count = np.zeros(len(rows)), np.zeros(len(rows))
    for (some, _), part in _tiles(rows):
        terms = np.divide(part, 2, dtype=np.float64, order="C")
        terms -= half_low[some, None]
        terms *= scale[some, None]
        sums, missing = terms.sum(axis=1), 0
        if np.isnan(sums).any():
            nan = np.isnan(terms)
            terms[nan] = 0.0
            sums, missing = terms.sum(axis=1), nan.sum(axis=1)
        total[some] += sums
        count[some] += terms.shape[1] - missing
    return np.column_stack([low, high, total / count / (half_range * scale)])


def hash_rows(rows: Floats, seeds: Hashes) -> Hashes:
    """Give the sum of the mixed bits of each row: whole numbers, whose sum has no order.

    Both zeros are one, and so is every NaN. Seeds tell the columns apart; they are equal where
    their order is not to count.
    """
    return hash_columns(rows, ITSELF, np.empty((len(rows), 3)), seeds)


def take_columns(columns: Floats, what: int, spans: Doubles) -> Doubles:
    """Copy of some columns, one a row, what counts: ITSELF, STANDING, MIRRORED or DISTANCE.

    Nobody reads the spans where values count by themselves.
    """
    rows = np.empty(columns.shape)
    for (some, samples), part in _tiles(columns):
        rows[some, samples] = _what_counts(part, what, spans[some])
    return rows


def hash_columns(columns: Floats, what: int, spans: Doubles, seeds: Hashes) -> Hashes:
    """Give the hash of what counts of each column, one a row: sums over all samples."""
    hashes, seeded = np.zeros(len(columns), np.uint64), seeds.any()
    for (some, samples), part in _tiles(columns):
        rows = _what_counts(part, what, spans[some])
        # Both zeros are one, and so is every NaN.
        if what != DISTANCE:
            rows += 0.0
        missing = np.isnan(rows)
        if missing.any():
            rows[missing] = np.nan
        words = rows.view(np.uint64)
        if seeded:
            words += seeds[samples]
        _mix(words, np.empty_like(words))
        hashes[some] += words.sum(axis=1)
    return hashes


@np.errstate(divide="ignore", invalid="ignore")
def _what_counts(columns: Floats, what: int, spans: Doubles) -> Doubles:
    """Values, or how far they lie above the mean, in steps of the range; NaN stays."""
    if what == ITSELF:
        return np.array(columns, dtype=np.float64, order="C")
    half_low = spans[:, LOW] / 2
    rows = np.divide(columns, 2, dtype=np.float64, order="C")
    rows -= half_low[:, None]
    rows /= (spans[:, HIGH] / 2 - half_low)[:, None]
    rows -= spans[:, MEAN, None]
    rows *= STEPS
    np.rint(rows, out=rows)
    if what == MIRRORED:
        np.negative(rows, out=rows)
    elif what == DISTANCE:
        np.abs(rows, out=rows)
    return rows


def _tiles(rows: Floats) -> Iterator[tuple[tuple[slice, slice], Floats]]:
    """Cut rows into tiles that a cache holds, each with the rows and samples that it has."""
    n_rows, n_samples = rows.shape
    step = max(1, BLOCK // max(1, n_samples))
    for first in range(0, n_rows, step):
        for start in range(0, n_samples, BLOCK):
            some, samples = slice(first, first + step), slice(start, start + BLOCK)
            yield (some, samples), rows[some, samples]
