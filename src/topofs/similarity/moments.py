r"""Moments of columns that merge: counts, sums, squares and products, pairwise where values miss.

`Moments` are sums over some rows. `moments_of` computes them for a block of rows, and `merged`
adds those of two sets of rows. The result depends neither on the cut of the rows into blocks nor
on the order of merging: bit for bit for whole numbers, up to rounding for others. A stream of
batches, the chunks of a dask table and `partial_fit` all use this module. `MomentCorrelation` is
the similarity that moments give.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.runtime import for_each
from topofs.similarity.column_order import spans_of_sums
from topofs.similarity.correlation import ANY_GRID, NO_GRID, grids_of_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from topofs.typing import Bools, Doubles, Floats, Ints

# Columns whose largest value lies between these powers of two are not scaled.
_ORDINARY = 300
# The exponent of a column of zeros: any other column decides.
_ZEROS = -(10**6)
# A range of more steps than 2 to this power has a sum of squares that is not exact.
_RANGE_BITS = 27
# This many values of a column show that most columns of reals lie on no grid.
_FIRST = 8
# A variance below this share of the sum of squares is rounding.
_ROUNDING = 256 * float(np.finfo(np.float64).eps)
# Missing and infinite values are handled by the extremes.
_QUIET = np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")


@dataclass(frozen=True, eq=False)
class Moments:
    r"""Sums over some rows of a table, for all pairs of its n columns.

    With :math:`c = 2^{-e} x - a` for the `exponent` e and the `centre` a of a column, sums run
    over the rows in which both columns i and j have a value:

    .. math:: m_{ij} = \sum 1, \quad s_{ij} = \sum c_i, \quad q_{ij} = \sum c_i^2, \quad
       G_{ij} = \sum c_i c_j .

    Attributes
    ----------
    n_rows : int
        Number of rows.
    counts : array, shape (n, n) or (1, 1)
        m. Without missing values all pairs share one entry.
    sums, squares : array, shape (n, n) or (n, 1)
        s and q. Without missing values a column has one entry for all pairs.
    products : array, shape (n, n)
        G, symmetric.
    centre, exponent : array, shape (n,)
        a and e.
    grid : array of int, shape (n,)
        The largest power of two of which all values are multiples; see `grids_of_runs`.
    lowest, highest : array, shape (n,)
        The extremes; NaN without a value.
    """

    n_rows: int
    counts: Doubles
    sums: Doubles
    squares: Doubles
    products: Doubles
    centre: Doubles
    exponent: Ints
    grid: Ints
    lowest: Doubles
    highest: Doubles

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.products)

    @property
    def complete(self) -> bool:
        """Whether no value is missing."""
        return self.counts.shape == (1, 1)

    @property
    def observed(self) -> Doubles:
        """Number of values of each column."""
        if self.complete:
            return np.full(self.n_features, self.counts[0, 0])
        return self.counts.diagonal().copy()

    @property
    def own_sums(self) -> Doubles:
        """The sum of c of each column."""
        return self.sums[:, 0].copy() if self.complete else self.sums.diagonal().copy()

    @property
    def constant(self) -> Bools:
        """Which columns have at most one value."""
        return np.asarray((self.lowest == self.highest) | np.isnan(self.lowest))

    def select(self, columns: Ints) -> Moments:
        """The moments of some columns."""
        pairs = np.ix_(columns, columns)
        counts, sums, squares = self.counts, self.sums, self.squares
        if self.complete or (counts[pairs] == self.n_rows).all():
            counts = np.full((1, 1), float(self.n_rows))
            sums = self.own_sums[columns, None]
            squares = self.products.diagonal()[columns, None].copy()
        else:
            counts, sums, squares = counts[pairs], sums[pairs], squares[pairs]
        return Moments(
            self.n_rows,
            counts,
            sums,
            squares,
            self.products[pairs],
            self.centre[columns],
            self.exponent[columns],
            self.grid[columns],
            self.lowest[columns],
            self.highest[columns],
        )

    def spans(self) -> Doubles:
        """The extremes and the mean of each column, as `spans_of_columns` gives them."""
        lowest = np.ldexp(self.lowest, -self.exponent)
        above = self.own_sums + self.observed * (self.centre - lowest)
        return spans_of_sums(self.lowest, self.highest, above, self.exponent, self.observed)

    def standard_covariance(self) -> Doubles:
        """Products of the columns centred at their own means, each of length 1.

        A missing value lies at the mean.
        """
        observed = np.maximum(self.observed, 1.0)
        centred = _shifted(self, self.centre + self.own_sums / observed).products
        length = np.sqrt(np.maximum(centred.diagonal(), 0.0))
        length[length == 0] = 1.0
        covariance: Doubles = centred / np.multiply.outer(length, length)
        return covariance


@_QUIET
def moments_of(block: Floats, *, centred: bool = True) -> Moments:
    """Give the moments of some rows.

    Parameters
    ----------
    block : array, shape (n_features, n_rows)
        One column of the table a row; NaN where a value is missing. Whole numbers of any type are
        given as floats.
    centred : bool, default=True
        Shift each column to its mean, or to the value of its grid next to it. Without, sums are
        those of the values.

    Returns
    -------
    Moments
        Where a value is infinite, `lowest` or `highest` is, and the sums have no meaning.
    """
    n, n_rows = block.shape
    values = np.empty((n, n_rows))
    centre, sums, lowest, highest = np.zeros((4, n))
    exponent, grid = np.zeros(n, np.int64), np.full(n, NO_GRID)
    counts = np.full(n, float(n_rows))
    missing: list[Bools | None] = [None] * n

    def prepare(i: int) -> None:
        row = values[i]
        row[:] = block[i]
        # NaN if a value is missing.
        low, high = row.min(initial=np.inf), row.max(initial=-np.inf)
        gaps = None
        if np.isnan(low) or not n_rows:
            gaps = missing[i] = np.isnan(row)
            counts[i] = n_rows - np.count_nonzero(gaps)
            low, high = np.nan, np.nan
            if counts[i]:
                low, high = np.fmin.reduce(row), np.fmax.reduce(row)
            row[gaps] = 0.0
        lowest[i], highest[i] = low, high
        grid[i] = _grid_of(row, low, high)
        exponent[i] = _exponent_of(max(abs(low), abs(high)))
        if exponent[i] > _ZEROS and exponent[i]:
            np.ldexp(row, -exponent[i], out=row)
        if centred and counts[i] and np.isfinite([low, high]).all():
            centre[i] = _centre(row.sum() / counts[i], grid[i : i + 1], exponent[i : i + 1])[0]
            row -= centre[i]
            if gaps is not None:
                row[gaps] = 0.0
        sums[i] = row.sum()

    for_each(prepare, range(n))
    products = values @ values.T
    gappy = np.array([i for i in range(n) if missing[i] is not None], dtype=np.int64)
    if not len(gappy):
        shared: tuple[Doubles, Doubles, Doubles] = (
            np.full((1, 1), float(n_rows)),
            sums[:, None],
            products.diagonal()[:, None].copy(),
        )
    else:
        shared = _pairwise(values, sums, products, counts, gappy, missing)
    return Moments(n_rows, *shared, products, centre, exponent, grid, lowest, highest)


def _pairwise(
    values: Doubles,
    sums: Doubles,
    products: Doubles,
    counts: Doubles,
    gappy: Ints,
    missing: list[Bools | None],
) -> tuple[Doubles, Doubles, Doubles]:
    """Counts, sums and squares of pairs; the columns without gaps need no product."""
    n = len(values)
    mask = np.empty((len(gappy), values.shape[1]))
    for row, i in zip(mask, gappy.tolist(), strict=True):
        np.logical_not(missing[i], out=row, casting="unsafe")
    # Of a complete and a gappy column, the gappy one decides; of two complete ones, all rows.
    pair_counts = np.minimum.outer(counts, counts)
    pair_counts[np.ix_(gappy, gappy)] = mask @ mask.T
    pair_sums = np.repeat(sums[:, None], n, axis=1)
    pair_sums[:, gappy] = values @ mask.T
    pair_squares = np.repeat(products.diagonal()[:, None], n, axis=1)
    np.square(values, out=values)
    pair_squares[:, gappy] = values @ mask.T
    return pair_counts, pair_sums, pair_squares


def _grid_of(row: Doubles, low: float, high: float) -> int:
    """The grid of the values of a column; `NO_GRID` where sums would not be exact anyway."""
    half = high / 2 - low / 2
    if np.isfinite(half) and half > 0:
        exponent = int(np.frexp(half)[1]) + 1 - _RANGE_BITS
        first = np.ldexp(row[:_FIRST], -exponent)
        if not (first == np.rint(first)).all():
            return NO_GRID
    elif half != 0:
        return NO_GRID if np.isinf(low) or np.isinf(high) else ANY_GRID
    return int(grids_of_runs(row, np.array([0, len(row)]))[0])


def _exponent_of(peak: float) -> int:
    """A power of two that brings a column of very large or very small values near 1."""
    if not np.isfinite(peak) or peak == 0:
        return _ZEROS
    exponent = int(np.frexp(peak)[1])
    return exponent if abs(exponent) > _ORDINARY else 0


def _centre(mean: Any, grid: Ints, exponent: Ints) -> Doubles:
    """The point of the grid next to the mean; the mean without a grid."""
    on_grid = (grid > NO_GRID) & (grid < ANY_GRID)
    step = np.ldexp(1.0, np.where(on_grid, grid - np.maximum(exponent, _ZEROS), 0))
    on_grid &= (step > 0) & np.isfinite(step)
    step = np.where(on_grid, step, 1.0)
    return np.asarray(np.where(on_grid, step * np.rint(mean / step), mean), dtype=np.float64)


@_QUIET
def merged(parts: Iterable[Moments]) -> Moments:
    """Add up the moments of sets of rows of the same columns."""
    return reduce(_add, parts)


def _add(a: Moments, b: Moments) -> Moments:
    exponent = np.maximum(a.exponent, b.exponent)
    a, b = _scaled(a, exponent), _scaled(b, exponent)
    grid = np.minimum(a.grid, b.grid)
    total = a.own_sums + a.observed * a.centre + b.own_sums + b.observed * b.centre
    centre = _centre(total / np.maximum(a.observed + b.observed, 1.0), grid, exponent)
    a, b = _shifted(a, centre), _shifted(b, centre)
    if a.complete and b.complete:
        sums, squares = a.sums + b.sums, a.squares + b.squares
    else:
        shape = a.products.shape
        sums = np.broadcast_to(a.sums, shape) + b.sums
        squares = np.broadcast_to(a.squares, shape) + b.squares
    counts = a.counts + b.counts
    return Moments(
        a.n_rows + b.n_rows,
        counts,
        sums,
        squares,
        a.products + b.products,
        centre,
        exponent,
        grid,
        np.fmin(a.lowest, b.lowest),
        np.fmax(a.highest, b.highest),
    )


def _scaled(moments: Moments, exponent: Ints) -> Moments:
    """The same moments with other powers of two."""
    by = moments.exponent - exponent
    if not by.any():
        return moments
    by = np.maximum(by, -4000)
    return replace(
        moments,
        sums=np.ldexp(moments.sums, by[:, None]),
        squares=np.ldexp(moments.squares, 2 * by[:, None]),
        products=np.ldexp(moments.products, np.add.outer(by, by)),
        centre=np.ldexp(moments.centre, by),
        exponent=exponent,
    )


def _shifted(moments: Moments, centre: Doubles) -> Moments:
    """The same moments around other centres."""
    by = moments.centre - centre
    if not by.any():
        return moments
    crossed = moments.sums * by
    products = moments.products + crossed
    products += crossed.T
    products += moments.counts * np.multiply.outer(by, by)
    by = by[:, None]
    return replace(
        moments,
        sums=moments.sums + moments.counts * by,
        squares=moments.squares + by * (2 * moments.sums + moments.counts * by),
        products=products,
        centre=centre,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class MomentCorrelation:
    r"""Correlations from moments, or their squares; `kind` is "plain" or "squared".

    .. math::
       r_{ij} = \frac{m_{ij} G_{ij} - s_{ij} s_{ji}}
                     {\sqrt{(m_{ij} q_{ij} - s_{ij}^2)\,(m_{ij} q_{ji} - s_{ji}^2)}}

    With `ranks` the columns are ranks that sum to zero, so that :math:`G_{ij} / \sqrt{G_{ii}
    G_{jj}}` are the bits of complete columns in memory. A pair on whose shared rows one column
    is constant has 0.
    """

    moments: Moments
    dtype: np.dtype[Any]
    kind: str = "plain"
    ranks: bool = False

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return self.moments.n_features

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.moments.n_rows

    @property
    def non_negative(self) -> bool:
        """Whether no entry can be negative."""
        return self.kind == "squared"

    @property
    def shared_samples(self) -> Callable[[Ints, Ints], Doubles] | None:
        """The number of rows that pairs of columns share; None if that is the same for all."""
        counts = self.moments.counts
        return None if self.moments.complete else lambda left, right: counts[left, right]

    def select(self, columns: Ints) -> MomentCorrelation:
        """The similarity among some of the columns."""
        return replace(self, moments=self.moments.select(columns))

    def diagonal(self) -> Floats:
        """Ones."""
        return np.ones(self.n_features, dtype=self.dtype)

    @_QUIET
    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of the given rows and columns."""
        moments = self.moments
        found = moments.products[rows, columns].copy()
        if moments.complete and self.ranks:
            own = moments.products.diagonal()
            found /= np.sqrt(np.multiply.outer(own[rows], own[columns]))
            found[~np.isfinite(found)] = 0.0
        else:
            everywhere = slice(None), slice(None)
            pair, back = (
                ((rows, columns), (columns, rows))
                if not moments.complete
                else ((rows, slice(None)), (columns, slice(None)))
            )
            count = moments.counts[everywhere if moments.complete else pair]
            left, right = moments.sums[pair], moments.sums[back].T
            left_spread = _spread(count, left, moments.squares[pair])
            right_spread = _spread(count, right, moments.squares[back].T)
            found *= count
            found -= left * right
            found /= np.sqrt(left_spread * right_spread)
            found[np.broadcast_to(left_spread <= 0, found.shape)] = 0.0
            found[np.broadcast_to(right_spread <= 0, found.shape)] = 0.0
        np.clip(found, -1.0, 1.0, out=found)
        if self.kind == "squared":
            np.square(found, out=found)
        return found


def _spread(count: Doubles, total: Doubles, squares: Doubles) -> Doubles:
    """m·q − s², and 0 where only rounding is left."""
    highest = count * squares
    spread = highest - total * total
    return np.asarray(np.where(spread > _ROUNDING * highest, spread, 0.0))
