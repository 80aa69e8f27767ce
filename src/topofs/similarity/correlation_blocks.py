"""Correlation of complete columns by matrix products, exact for columns on a grid and ranks.

Correlation over the samples that two columns share, by matrix products.

Grids of powers of two that the values of a column lie on, so that sums of them are exact.

Average ranks of every column at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.runtime import for_each, for_row_ranges
from topofs.similarity.operator import Columns, RowsAlike

if TYPE_CHECKING:
    from topofs._kernels.column_weights import ColumnWeights


__all__ = [
    "ANY_GRID",
    "EXACT",
    "NO_GRID",
    "Correlation",
    "PairwiseCorrelation",
    "correlation_of_ranks",
    "correlation_of_values",
    "doubled_centred_ranks",
    "exact_grids_of_rows",
    "finish_correlation",
    "grids_of_runs",
    "pairwise_correlation",
    "unit_columns",
]


Floats = npt.NDArray[np.floating[Any]]


Doubles = npt.NDArray[np.float64]


# Values prepared at a time, 2 MiB of them, so that all threads have some and caches hold them:
# each row is prepared by itself in any case.
_BLOCK = 1 << 18


@dataclass(frozen=True)
class Correlation(RowsAlike):
    r"""Correlation from the Gram matrix G = C C⊤ of prepared columns C, the rows of `values`.

    .. math:: r_{ij} = \frac{S\,G_{ij} - s_i s_j}{\sqrt{v_i v_j}}

    A column whose values are whole multiples of a power of two (integers, halves, tens of
    1024), but for a constant, is kept as those multiples c (shifted near zero) with s = Σc
    (`sums`) and v = S·Σc² − s² (`spreads`): as long as S·Σc² < 2⁵³ all are whole numbers that
    float64 holds exactly, so no blocking, thread count or order of summation, no shift and no
    power of two that scales the column can change a bit of r. Any other column is centred and
    scaled to unit length, with s = 0 and v = S. A constant one has v = ∞, which makes its
    correlations 0. S is `scale`, which is 1 where every sum is zero.
    """

    values: Floats
    scale: float
    sums: Doubles
    spreads: Doubles
    dtype: np.dtype[Any]

    @property
    def non_negative(self) -> bool:
        """Correlations have both signs."""
        return False

    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of the given rows and columns."""
        return self.cross(rows, self.select(columns))

    def select(self, columns: Columns) -> Correlation:
        """The correlation among some of the columns; a slice shares their memory."""
        return replace(
            self,
            values=_rows(self.values, columns),
            sums=self.sums[columns],
            spreads=self.spreads[columns],
        )

    def cross(self, rows: Columns, other: Correlation) -> Floats:
        """Entries between some columns of this and all of another selection of the same."""
        gram = self.values[rows] @ other.values.T
        sums, spreads = (self.sums[rows], other.sums), (self.spreads[rows], other.spreads)
        return finish_correlation(gram, self.scale, sums, spreads)

    def column_weights(self, level: float) -> ColumnWeights:
        """What a kernel needs to compute any entry; entries below `level` become 0."""
        from topofs._kernels.column_weights import CORRELATION, ColumnWeights

        return ColumnWeights(
            kind=CORRELATION,
            values=self.values,
            scale=self.scale,
            sums=self.sums,
            spreads=self.spreads,
            alpha=0.0,
            deviation=np.empty(0),
            level=level,
        )

    def unit_columns(self) -> Floats:
        """The columns centred and scaled to unit length, one a row."""
        if self.scale == 1.0 and not self.sums.any() and (self.spreads == 1.0).all():
            return self.values
        return unit_columns(self.values)

    def approximate_mean(self) -> float:
        """Σᵢⱼ rᵢⱼ = ‖Σᵢ uᵢ‖² for unit columns u."""
        total = self.unit_columns().sum(axis=0, dtype=np.float64)
        return float(total @ total / self.n_features**2)


def _rows(values: Floats, chosen: Columns) -> Floats:
    """Some rows; a slice shares their memory, otherwise all cores copy."""
    if isinstance(chosen, slice):
        return values[chosen]
    copied = np.empty((len(chosen), values.shape[1]), dtype=values.dtype)

    def copy(first: int, last: int) -> None:
        copied[first:last] = values[chosen[first:last]]

    for_row_ranges(copy, *copied.shape)
    return copied


def finish_correlation(
    gram: Floats, scale: float, sums: tuple[Doubles, Doubles], spreads: tuple[Doubles, Doubles]
) -> Floats:
    """Turn a block of the Gram matrix into correlations, in place."""
    if scale != 1.0:
        gram *= gram.dtype.type(scale)
    if sums[0].any() and sums[1].any():
        gram -= np.multiply.outer(*sums)
    if (spreads[0] != 1.0).any() or (spreads[1] != 1.0).any():
        # sqrt(v·v) == v in floating point, so columns that are copies correlate exactly 1.
        gram /= np.sqrt(np.multiply.outer(*spreads))
    np.clip(gram, -1.0, 1.0, out=gram)
    return gram


def correlation_of_values(X: Floats) -> Correlation:
    """Prepare the columns of a complete table for Pearson's correlation."""
    n_samples = len(X)
    values = np.empty(X.T.shape, dtype=X.dtype)
    grid, shift = np.empty(len(values), dtype=np.int64), np.empty(len(values))
    lowest, highest = np.empty((2, len(values)))

    def take(rows: slice) -> None:
        values[rows] = X.T[rows]
        part = values[rows]
        lowest[rows], highest[rows] = part.min(axis=1), part.max(axis=1)
        grid[rows], shift[rows] = exact_grids_of_rows(part, lowest[rows], highest[rows])

    blocks = _blocks_of_rows(values)
    for_each(take, blocks)
    exact, constant = grid > NO_GRID, lowest == highest
    if exact.any():
        values = values.astype(np.float64, copy=False)

    def prepare(rows: slice) -> None:
        part, kept = values[rows], exact[rows]
        if not kept.any():
            unit = _to_unit_rows(part.astype(np.float64, copy=False))
            if unit is not part:
                part[...] = unit
            return
        low, by, off = (of[rows][kept, None] for of in (lowest, grid, shift))
        part[kept] = _times_power_of_two(part[kept] - low, -by) - off
        part[~kept] = unit_columns(part[~kept])

    for_each(prepare, blocks)
    if not exact.any():
        spreads = np.where(constant, np.inf, 1.0)
        return Correlation(values, 1.0, np.zeros(len(values)), spreads, X.dtype)
    sums = np.where(exact, values.sum(axis=1), 0.0)
    squares = np.where(exact, np.einsum("ij,ij->i", values, values), 1.0)
    spreads = np.where(constant, np.inf, n_samples * squares - sums * sums)
    return Correlation(values, float(n_samples), sums, spreads, X.dtype)


def unit_columns(columns: Floats) -> Floats:
    """Centre rows and scale them to unit length, in float64; constant ones become zeros.

    The result has the type of the input.
    """
    unit = np.empty_like(columns)
    for rows in _blocks_of_rows(columns):
        unit[rows] = _to_unit_rows(columns[rows].astype(np.float64))
    return unit


def _blocks_of_rows(columns: Floats) -> list[slice]:
    """Cut into blocks of rows, so that temporaries stay far below the size of the table."""
    step = max(1, _BLOCK // max(1, columns.shape[1]))
    return [slice(start, start + step) for start in range(0, len(columns), step)]


def _times_power_of_two(values: Doubles, exponent: npt.NDArray[Any]) -> Doubles:
    """The bits of np.ldexp, in place, in a tenth of its time."""
    with np.errstate(over="ignore", under="ignore"):
        factor = np.ldexp(1.0, exponent)
    if np.isinf(factor).any() or not factor.all():
        np.ldexp(values, exponent, out=values)
    else:
        values *= factor
    return values


def _to_unit_rows(columns: Doubles) -> Doubles:
    """Centre and scale rows, in place: large arrays that come and go take time of their own."""
    # A power of two rounds nothing, and keeps the squares from overflowing or vanishing.
    highest, lowest = columns.max(axis=1), columns.min(axis=1)
    _, exponent = np.frexp(np.maximum(highest, -lowest)[:, None])
    unit = _times_power_of_two(columns, -exponent)
    constant = highest == lowest
    for _ in range(2):
        # The second turn removes what rounding left of a mean far larger than the spread.
        unit -= unit.mean(axis=1, keepdims=True)
    unit[constant] = 0.0
    largest = np.maximum(unit.max(axis=1), -unit.min(axis=1))[:, None]
    unit /= np.where(largest > 0, largest, 1.0)
    length = np.sqrt(np.einsum("ij,ij->i", unit, unit))[:, None]
    unit /= np.where(length > 0, length, 1.0)
    return unit


def correlation_of_ranks(doubled: Floats, dtype: np.dtype[Any]) -> Correlation:
    """Prepare ranks, one row a column, for Spearman's correlation.

    They come as 2·rank − (S + 1), whole numbers that sum to zero: rᵢⱼ = Gᵢⱼ / √(Gᵢᵢ Gⱼⱼ).
    """
    squares = np.einsum("ij,ij->i", doubled, doubled)
    values, spreads = doubled, np.where(squares > 0, squares, np.inf)
    if not (squares < EXACT).all():
        values, spreads = unit_columns(doubled), np.where(squares > 0, 1.0, np.inf)
    return Correlation(values, 1.0, np.zeros(len(values)), spreads, dtype)


# Values of pairs that are looked at together; they stay in the cache.
_BLOCK_OF_PAIRS = 1 << 14


_LEAST_SPREAD = float(np.sqrt(np.finfo(np.float64).eps))


@dataclass(frozen=True)
class PairwiseCorrelation(RowsAlike):
    r"""Pairwise-complete correlation: each pair uses the samples where both are observed.

    With `mask` M (1 where observed) and `values` C (0 where missing), for every pair at once:
    count :math:`m = M M^\top`, sums :math:`s = C M^\top`, squares :math:`q = C^{2} M^\top`,
    products :math:`G = C C^\top`, and

    .. math::
       r_{ij} = \frac{m_{ij} G_{ij} - s_{ij} s_{ji}}
                     {\sqrt{(m_{ij} q_{ij} - s_{ij}^2)\,(m_{ij} q_{ji} - s_{ji}^2)}}

    A pair that shares fewer than two samples, or on whose shared samples one column is
    constant, has no correlation and gets 0. A pair for which one of the two differences
    under the root loses more than half of its digits (a column whose spread lies mostly in
    samples that the other misses) is computed by itself, from the `columns` as given, with NaN.
    All three arrays have one row a feature.
    """

    columns: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    mask: npt.NDArray[np.float64]
    dtype: np.dtype[Any]

    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of the given rows and columns."""
        left, left_mask = self.values[rows], self.mask[rows]
        right, right_mask = self.values[columns].T, self.mask[columns].T
        count = left_mask @ right_mask
        left_sum, right_sum = left @ right_mask, left_mask @ right
        left_spread, left_lost = _spread(count, left_sum, (left * left) @ right_mask)
        right_spread, right_lost = _spread(count, right_sum, left_mask @ (right * right))
        correlation = count * (left @ right)
        correlation -= left_sum * right_sum
        correlation /= np.sqrt(left_spread * right_spread)
        i, j = np.nonzero(left_lost | right_lost)
        pairs = i + (rows.start or 0), j + (columns.start or 0)
        correlation[i, j] = _correlation_of_pairs(self.columns, *pairs)
        np.clip(correlation, -1.0, 1.0, out=correlation)
        return correlation

    def shared_samples(
        self, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Count the samples that both columns of pairs have; a row and a column: of a block."""
        if left.ndim == 2:
            return np.asarray(self.mask[left[:, 0]] @ self.mask[right[0]].T)
        # One pair at a time: a row may have millions of samples.
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([self.mask[i] @ self.mask[j] for i, j in pairs], dtype=np.float64)


def _spread(
    count: Floats, total: Floats, squares: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """m·q − s², and where it has lost more than half of its digits (there 1 stands for it)."""
    highest = count * squares
    spread = highest - total * total
    lost = spread <= _LEAST_SPREAD * highest
    spread[lost] = 1.0
    return spread, lost


def _correlation_of_pairs(
    columns: npt.NDArray[np.float64], left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Correlate pairs of rows over the samples that both have; 0 where it is undefined."""
    found = np.zeros(len(left))
    step = max(1, _BLOCK_OF_PAIRS // max(1, columns.shape[1]))
    for first in range(0, len(left), step):
        i, j = left[first : first + step], right[first : first + step]
        x, y = columns[i], columns[j]
        apart = np.isnan(x) | np.isnan(y)
        x[apart] = y[apart] = np.nan
        extremes = [extreme.reduce(z, axis=1) for z in (x, y) for extreme in (np.fmin, np.fmax)]
        low_x, high_x, low_y, high_y = extremes
        vary = np.flatnonzero((low_x < high_x) & (low_y < high_y))
        apart = apart[vary]
        x = _centred(x[vary], apart, low_x[vary], high_x[vary])
        y = _centred(y[vary], apart, low_y[vary], high_y[vary])
        lengths = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
        found[first + vary] = (x * y).sum(axis=1) / lengths
    return found


def _centred(
    rows: npt.NDArray[np.float64],
    missing: npt.NDArray[np.bool_],
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Shift rows to the mean of what they have, scale them by their range; 0 where missing."""
    # Large ones are halved first, so that their range does not overflow; small ones are not,
    # for half of the smallest float is 0.
    half = np.where(np.maximum(high, -low) > 1.0, 0.5, 1.0)
    rows *= half[:, None]
    rows -= (half * low)[:, None]
    rows /= (half * high - half * low)[:, None]
    rows[missing] = 0.0
    rows -= (rows.sum(axis=1) / (~missing).sum(axis=1))[:, None]
    rows[missing] = 0.0
    return rows


def pairwise_correlation(columns: Floats, dtype: np.dtype[Any]) -> PairwiseCorrelation:
    """Prepare columns with missing values (NaN), one a row.

    Whole numbers stay so (shifted near zero), other rows are centred and scaled to at most 1.
    """
    observed = ~np.isnan(columns)
    values = np.where(observed, columns, 0.0).astype(np.float64)
    counts = np.maximum(observed.sum(axis=1, keepdims=True), 1)
    whole = (values == np.rint(values)).all(axis=1, keepdims=True)
    largest = np.abs(values).max(axis=1, keepdims=True)
    whole &= largest < 2.0**53
    # A power of two rounds nothing, and keeps the sums from overflowing.
    exponent = np.where(whole, 0, np.frexp(largest)[1])
    np.ldexp(values, -exponent, out=values)
    for _ in range(2):
        # The second turn removes what rounding left of a mean far larger than the spread.
        centre = values.sum(axis=1, keepdims=True) / counts
        values -= np.where(whole, np.rint(centre), centre)
        values[~observed] = 0.0
    largest = np.abs(values).max(axis=1, keepdims=True)
    values /= np.where(whole | (largest == 0), 1.0, largest)
    given = np.ascontiguousarray(columns, dtype=np.float64)
    return PairwiseCorrelation(given, values, observed.astype(np.float64), dtype)


Values = npt.NDArray[Any]


Ints = npt.NDArray[np.int64]


# The grid of values that lie on none, and that of zeros, which lie on all.
NO_GRID, ANY_GRID = -(10**6), 10**6


# Below this the power of two that makes whole numbers of the values is too large for float64.
LOWEST = -1000


# Every integer up to this one is a float64, so sums of products below it are exact.
EXACT = 2.0**53


# A range of more steps has a sum of squares beyond it.
RANGE_BITS = 27


# Half a range beyond these may overflow, or have no digits left.
SMALLEST, LARGEST = 2.0**-970, 2.0**1022


# So many values of a row tell that most rows of reals lie on no grid.
FIRST = 8


# Values looked at together; they stay in the cache.
BLOCK = 1 << 15


# Values too large for a grid become infinite steps, which the sum of squares rules out.
_QUIET = np.errstate(over="ignore", under="ignore", invalid="ignore")


@_QUIET
def exact_grids_of_rows(
    columns: Values, lowest: Doubles, highest: Doubles
) -> tuple[Ints, Doubles]:
    """Find the coarsest grid of each row on which its sums are exact, or `NO_GRID`.

    With x₀ the lowest value of a row, c = (x − x₀)·2⁻ᵉ − shift are whole numbers near 0 and
    S·Σc² < 2⁵³: given are the largest such e and the shift. Rows are finite, `lowest` and
    `highest` their extremes.
    """
    grids, shifts = np.full(len(columns), NO_GRID), np.zeros(len(columns))
    grids[lowest == highest] = 0
    half = highest / 2 - lowest / 2
    exponent = np.frexp(half)[1].astype(np.int64) + 1 - RANGE_BITS
    able = np.flatnonzero((half > SMALLEST) & (half < LARGEST))
    first = columns[able, :FIRST] * np.ldexp(1.0, -exponent[able])[:, None]
    able = able[(first == np.rint(first)).all(axis=1)]
    step = max(1, BLOCK // max(1, columns.shape[1]))
    for start in range(0, len(able), step):
        some = able[start : start + step]
        grids[some], shifts[some] = _exact_grids(columns[some], lowest[some], exponent[some])
    return grids, shifts


def _exact_grids(rows: Values, lowest: Doubles, exponent: Ints) -> tuple[Ints, Doubles]:
    """The same of rows that vary, which lie on a finer grid of 2 to the `exponent`, or on none."""
    n = rows.shape[1]
    steps = rows * np.ldexp(1.0, -exponent)[:, None]
    whole = (steps == np.rint(steps)).all(axis=1)
    np.subtract(rows, lowest[:, None], out=steps)
    steps *= np.ldexp(1.0, -exponent)[:, None]
    bits = np.bitwise_or.reduce(steps.astype(np.int64), axis=1)
    zeros = _zeros_at_end(np.where(whole, bits, 1))
    steps *= np.ldexp(1.0, -zeros)[:, None]
    shifts = np.rint(steps.sum(axis=1) / n)
    steps -= shifts[:, None]
    # Whole numbers: where a sum below the limit is exact, its order does not matter.
    exact = whole & (n * np.einsum("ij,ij->i", steps, steps) < EXACT)
    return np.where(exact, exponent + zeros, NO_GRID), np.where(exact, shifts, 0.0)


@_QUIET
def grids_of_runs(values: Values, starts: npt.NDArray[Any]) -> Ints:
    """Find the grids of runs of values: of ``values[starts[i]:starts[i + 1]]`` for each i.

    A grid is the largest e such that all values are whole multiples of 2ᵉ, at most 2⁵³ of them;
    `NO_GRID` where there is none, or a value is not finite; `ANY_GRID` for zeros, and for none.
    """
    n_runs = len(starts) - 1
    grids = np.full(n_runs, ANY_GRID)
    first = 0
    while first < n_runs:
        # As many runs as a cache holds, at least one.
        fits = np.searchsorted(starts, starts[first] + BLOCK, side="right") - 1
        last = min(max(first + 1, int(fits)), n_runs)
        lengths = np.diff(starts[first : last + 1])
        filled = lengths > 0
        if filled.any():
            part = values[starts[first] : starts[last]]
            grids[first:last][filled] = _grids_of_runs(part, lengths[filled])
        first = last
    return grids


def _grids_of_runs(values: Values, lengths: Ints) -> Ints:
    """The same of runs that follow each other; none is empty."""
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    values = values.astype(np.float64)
    peak = np.fmax.reduceat(np.abs(values), first)
    exponent = np.where(peak > 0, np.frexp(peak)[1].astype(np.int64) - 53, 0)
    able = (exponent >= LOWEST) & np.isfinite(peak)
    exponent[~able] = 0
    values *= np.repeat(np.ldexp(1.0, -exponent), lengths)
    able &= np.logical_and.reduceat(values == np.rint(values), first)
    # Where a run has no grid, its words count for nothing.
    values[np.repeat(~able, lengths)] = 0.0
    bits = np.bitwise_or.reduceat(values.astype(np.int64), first)
    found = np.where(bits == 0, ANY_GRID, exponent + _zeros_at_end(bits))
    return np.where(able, found, NO_GRID)


def _zeros_at_end(bits: Ints) -> Ints:
    """How many zeros each word ends with; 0 for the word 0."""
    lowest = (bits & -bits).astype(np.float64)
    return np.where(bits == 0, 0, np.frexp(lowest)[1].astype(np.int64) - 1)


# Values ranked at a time, so that caches hold them.
_BLOCK_OF_RANKS = 1 << 16


# Columns of a table that lie in one line of the cache.
_LEAST = 8


def doubled_centred_ranks(X: Floats) -> Doubles:
    """Give 2·rank − (m + 1), one row a column of X, by average ranks among m observed values.

    These are whole numbers that sum to zero in each row; NaN stays where X is missing.
    """
    n_samples, n_features = X.shape
    ranks = np.empty((n_features, n_samples))

    def rank(some: slice) -> None:
        _write_ranks(np.ascontiguousarray(X[:, some].T), ranks[some])

    step = max(_LEAST, _BLOCK_OF_RANKS // max(1, n_samples))
    for_each(rank, [slice(first, first + step) for first in range(0, n_features, step)])
    return ranks


def _write_ranks(rows: Floats, ranks: Doubles) -> None:
    """Give every value 2·rank − (m + 1), where m values of its row are not NaN.

    Equal values at the sorted positions first … last (from 0) share the average rank
    (first + last) / 2 + 1, whatever order they stand in.
    """
    length = rows.shape[1]
    order = np.argsort(rows, axis=1)  # NaN comes last
    order += length * np.arange(len(rows))[:, None]
    sorted_rows = rows.ravel()[order]
    begins = np.ones((len(rows), length + 1), np.bool_)
    np.not_equal(sorted_rows[:, 1:], sorted_rows[:, :-1], out=begins[:, 1:-1])
    missing = np.isnan(sorted_rows)
    observed = length - missing.sum(axis=1, keepdims=True)
    if begins.all():
        doubled = 2.0 * np.arange(length) - (observed - 1)
    else:
        # Runs of equal values, over all rows: where each begins, and how many it has.
        first = np.flatnonzero(begins[:, :-1])
        counts = np.diff(first, append=rows.size)
        doubled = np.repeat(2.0 * (first % length) + counts - 1, counts).reshape(rows.shape)
        doubled -= observed - 1
    doubled[missing] = np.nan
    ranks.reshape(-1)[order] = doubled
