"""An order of columns that depends on their values only; it breaks ties between columns.

Columns are sorted by hashes of their values. The hashes do not depend on the order of the
columns. They depend on the order of the rows only where nothing else distinguishes two columns.
A hash is a sum over values. Each term needs only the value and the span of its column, so dask
workers can hash the rows of a column in parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs.io.types import TypedTable
from topofs.runtime import for_each, slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from topofs.typing import Bools, Doubles, Floats, Ints

    Hashes = npt.NDArray[np.uint64]

# The forms of a column that are hashed: its values; their distances above the mean, in steps of
# the range; the same of the mirror image; the same without the sign.
ITSELF, STANDING, MIRRORED, DISTANCE = 0, 1, 2, 3
# The span of a column, known before its values are hashed: its extremes, and the distance of
# its mean from the lowest value, as a share of the range.
LOW, HIGH, MEAN = 0, 1, 2
# Number of steps of a column's range. A step is far larger than rounding, and no simple
# fraction of the range lies on the border of two steps.
STEPS = 1021.7368
# No power of two beyond these overflows or vanishes.
MOST_BITS = 1000
# Values of columns copied at a time, and values of a tile: few enough for a cache.
_BLOCK, BLOCK = 1 << 17, 1 << 14
# Columns of a table that lie in one line of the cache.
_LEAST = 8
# Odd factors, so that products lose no information, and the shifts of each step in bits.
_ODD, FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFF51AFD7ED558CCD)
FIRST, SECOND, LAST = np.uint64(33), np.uint64(29), np.uint64(32)


def value_order(table: Any) -> Ints:
    """Order the columns of a table by their values alone; exact copies by position.

    The order has no meaning, but it does not depend on the positions of the columns. Scaling,
    shifting or mirroring a column does not move it, unless it then equals another column. The
    order of the rows matters only where nothing else distinguishes two columns.
    """
    n_samples = table.shape[0]
    spans, multisets = _first_look(table)
    rows, nothing = HashedRows(table, spans), np.zeros(n_samples, np.uint64)

    def both_ways(some: Ints) -> Hashes:
        return same_mirrored(*rows.hashes_both_ways(rows.of_rows(DISTANCE, multisets), some))

    return order_by_keys(
        multisets,
        both_ways,
        lambda some: rows.hashes(STANDING, rows.of_rows(STANDING, multisets), some),
        lambda some: rows.hashes(ITSELF, nothing, some),
        lambda some: rows.hashes(ITSELF, row_numbers(0, n_samples), some),
    )


def order_of_blocks(blocks: Callable[[], Iterator[Floats]], spans: Doubles) -> Ints:
    """Order the columns of a table in blocks of rows as `value_order` does.

    `blocks` gives the rows, in arrays of shape (rows, n_features), for each of one or two passes.
    """
    everyone = np.arange(len(spans))
    multisets = np.zeros(len(spans), np.uint64)
    for block in blocks():
        part = HashedRows(block, spans)
        multisets += part.hashes(DISTANCE, np.zeros(len(block), np.uint64), everyone)

    @cache
    def further_keys() -> Hashes:
        some = np.flatnonzero(tied_keys(multisets))
        found, first = np.zeros((5, len(some)), np.uint64), 0
        for block in blocks():
            part = HashedRows(block, spans)
            found += part.further_hashes(
                part.of_rows(DISTANCE, multisets),
                part.of_rows(STANDING, multisets),
                first,
                some,
            )
            first += len(block)
        there, back, *others = found
        keys = np.zeros((4, len(multisets)), np.uint64)
        keys[:, some] = [same_mirrored(there, back), *others]
        return keys

    return order_by_keys(
        multisets, *(lambda some, k=k: further_keys()[k, some] for k in range(4))
    )


def tied_keys(keys: Hashes) -> Bools:
    """Which keys occur more than once."""
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[which] > 1)


def matrix_order(matrix: Floats) -> Ints:
    """Order the columns that a similarity compares by their similarities, as `value_order` does."""
    n = len(matrix)
    own = hash_rows(matrix.diagonal()[:, None], np.zeros(1, np.uint64))

    def hashes(seeds: Hashes, some: Ints) -> Hashes:
        found = np.empty(len(some), np.uint64)
        step = max(1, _BLOCK // n)
        for first in range(0, len(some), step):
            rows = some[first : first + step]
            found[first : first + step] = hash_rows(matrix[rows], seeds)
        return found + own[some]

    first = hashes(np.zeros(n, np.uint64), np.arange(n))
    # Break remaining ties by the hashes of the other columns.
    return order_by_keys(first, lambda some: hashes(first, some))


def order_by_keys(first: Hashes, *others: Callable[[Ints], Hashes]) -> Ints:
    """Sort by the first key, and break ties by each further key."""
    keys = [first]
    for other in others:
        order = np.lexsort(keys[::-1])
        equal = np.ones(len(order) - 1, np.bool_)
        for key in keys:
            equal &= key[order[1:]] == key[order[:-1]]
        tied = np.zeros(len(order), np.bool_)
        tied[order[1:][equal]] = tied[order[:-1][equal]] = True
        if not tied.any():
            return order
        keys.append(np.zeros(len(order), np.uint64))
        keys[-1][tied] = other(np.flatnonzero(tied))
    return np.lexsort(keys[::-1])


def inverse_permutation(order: Ints) -> Ints:
    """The position of each item in an order."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def move_rows(
    matrix: npt.NDArray[Any], order: Ints, *, columns: Ints | slice = slice(None)
) -> None:
    """Move row ``order[i]`` of a matrix to row i, without a second matrix.

    The columns of each row are reordered by `columns` at the same time.
    """
    done = np.zeros(len(order), np.bool_)
    for start in range(len(order)):
        if done[start]:
            continue
        # Each row of a cycle moves once; the first row is kept aside until its position is
        # free.
        row, kept = start, matrix[start, columns].copy()
        while order[row] != start:
            matrix[row] = matrix[order[row], columns]
            done[row] = True
            row = order[row]
        matrix[row] = kept
        done[row] = True


@dataclass(frozen=True)
class HashedRows:
    """Hashes of some rows of a table with known spans of its columns.

    The hashes of a column add up over parts of the rows, those of a row over parts of columns.
    """

    table: Any
    spans: Doubles

    def hashes(self, what: int, seeds: Hashes, some: Ints) -> Hashes:
        """Hashes of the values of some columns; `seeds` distinguish the rows."""
        found = np.empty(len(some), np.uint64)

        def hash_part(part: slice) -> None:
            columns, spans = _columns(self.table, some[part]), self.spans[some[part]]
            found[part] = hash_columns(columns, what, spans, seeds)

        for_each(hash_part, _parts(self.table.shape[0], len(some)))
        return found

    def hashes_both_ways(self, seeds: Hashes, some: Ints) -> tuple[Hashes, Hashes]:
        """Hashes of the columns as given, and of their mirror images."""
        return self.hashes(STANDING, seeds, some), self.hashes(MIRRORED, seeds, some)

    def further_hashes(
        self, distances: Hashes, standings: Hashes, first: int, some: Ints
    ) -> Hashes:
        """All hashes of some columns beyond the first; the rows begin at row `first`.

        `distances` and `standings` are the hashes of the rows.
        """
        n_samples = self.table.shape[0]
        nothing = np.zeros(n_samples, np.uint64)
        return np.stack(
            [
                *self.hashes_both_ways(distances, some),
                self.hashes(STANDING, standings, some),
                self.hashes(ITSELF, nothing, some),
                self.hashes(ITSELF, row_numbers(first, first + n_samples), some),
            ]
        )

    def of_rows(self, what: int, seeds: Hashes) -> Hashes:
        """Hashes of rows that do not depend on the positions of the rows.

        The seeds distinguish the columns.
        """
        n_samples, n_features = self.table.shape
        found = np.zeros(n_samples, np.uint64)
        for part in _parts(n_samples, n_features):
            columns = _columns(self.table, np.arange(n_features)[part])
            values = take_columns(columns, what, self.spans[part])
            found += hash_rows(values.T, seeds[part])
        return found


def row_numbers(first: int, last: int) -> Hashes:
    """Seeds of rows by their positions."""
    return np.arange(first, last, dtype=np.uint64) * _ODD


def same_mirrored(there: Hashes, back: Hashes) -> Hashes:
    """Add the hashes of a column and of its mirror image: the same for both columns."""
    found: Hashes = mixed(there) + mixed(back)
    return found


def _first_look(table: Any) -> tuple[Doubles, Hashes]:
    """The spans of all columns, and hashes of their distances from the mean."""
    n_samples, n_features = table.shape
    spans, hashes = np.empty((n_features, 3)), np.empty(n_features, np.uint64)
    nothing = np.zeros(n_samples, np.uint64)

    def look(some: slice) -> None:
        columns = _columns(table, np.arange(n_features)[some])
        spans[some] = spans_of_rows(columns)
        hashes[some] = hash_columns(columns, DISTANCE, spans[some], nothing)

    for_each(look, _parts(n_samples, n_features))
    return spans, hashes


def spans_of_columns(table: Any) -> Doubles:
    """Give the span of each column, one a row; all columns vary."""
    return _first_look(table)[0]


# Half of a range that is the least float is 0: the result is NaN.
@np.errstate(divide="ignore", invalid="ignore")
def spans_of_rows(rows: Floats) -> Doubles:
    """Give `LOW`, `HIGH` and `MEAN` of each row, leaving NaN out; two values of a row differ.

    For values on a grid the terms of the mean's sum are exact, so neither the order of the
    values nor their division into parts changes a bit of it.
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


def spans_of_sums(
    lowest: Doubles, highest: Doubles, sums: Doubles, exponent: Ints, n_samples: Any
) -> Doubles:
    """Give spans from Σ(x − lowest)·2⁻ᵉ, bit for bit where this sum is exact."""
    half_range = highest / 2 - lowest / 2
    bits = np.clip(np.frexp(half_range)[1].astype(np.int64), -MOST_BITS, MOST_BITS)
    means = np.ldexp(sums, exponent - 1 - bits) / n_samples / np.ldexp(half_range, -bits)
    return np.column_stack([lowest, highest, means])


def hash_rows(rows: Floats, seeds: Hashes) -> Hashes:
    """Give the sum of the mixed bits of each row: whole numbers, summed exactly in any order.

    Both zeros hash alike, and so do all NaN. Seeds distinguish the columns; equal seeds make
    the order of the columns irrelevant.
    """
    return hash_columns(rows, ITSELF, np.empty((len(rows), 3)), seeds)


def take_columns(columns: Floats, what: int, spans: Doubles) -> Doubles:
    """Copy one form of some columns, one per row: ITSELF, STANDING, MIRRORED or DISTANCE.

    ITSELF does not need the spans.
    """
    rows = np.empty(columns.shape)
    for (some, samples), part in _tiles(columns):
        rows[some, samples] = _what_counts(part, what, spans[some])
    return rows


def hash_columns(columns: Floats, what: int, spans: Doubles, seeds: Hashes) -> Hashes:
    """Give the hash of one form of each column, one per row: sums over all samples."""
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
    """Values, or their distances above the mean in steps of the range; NaN stays."""
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


def mixed(words: Hashes) -> Hashes:
    """Spread the bits of each word over all 64."""
    words = words.copy()
    _mix(words, np.empty_like(words))
    return words


def _mix(words: Hashes, beside: Hashes) -> None:
    """The same in place; the second array is overwritten."""
    for shift in (FIRST, SECOND):
        np.right_shift(words, shift, out=beside)
        np.bitwise_xor(words, beside, out=words)
        np.multiply(words, FACTOR, out=words)
    np.right_shift(words, LAST, out=beside)
    np.bitwise_xor(words, beside, out=words)


def _parts(n_samples: int, n_columns: int) -> list[slice]:
    """Cut columns into parts that a cache holds."""
    step = max(_LEAST, _BLOCK // max(1, n_samples))
    return slices(n_columns, step)


def _columns(table: Any, some: Ints) -> Doubles:
    """A copy of some ascending columns, one per row; codes of names become negative."""
    if isinstance(table, TypedTable):
        columns = [table.columns[position] for position in some]
        parts = [-1 - column.values if column.nominal else column.values for column in columns]
        return np.array(parts, dtype=np.float64)
    together = some[-1] - some[0] == len(some) - 1
    # A slice is faster than a list of positions.
    part = table[:, some[0] : some[-1] + 1] if together else table[:, some]
    part = part.toarray() if sparse.issparse(part) else part
    return np.array(part.T, dtype=np.float64, order="C")
