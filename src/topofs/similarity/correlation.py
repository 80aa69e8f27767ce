"""Correlation of complete columns by matrix products, exact for columns on a grid and ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.row_threads import for_each, for_row_ranges
from topofs.similarity.grids import EXACT, NO_GRID, exact_grids_of_rows
from topofs.similarity.operator import Columns, RowsAlike

if TYPE_CHECKING:
    from topofs.kernels.column_weights import ColumnWeights

__all__ = [
    "Correlation",
    "correlation_of_ranks",
    "correlation_of_values",
    "finish_correlation",
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
        from topofs.kernels.column_weights import CORRELATION, ColumnWeights

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
