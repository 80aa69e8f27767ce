"""Pearson's and Spearman's correlation between the columns of a table, and their squares.

The columns are prepared once, so that a matrix product gives all correlations: `Correlation` for
complete columns, `PairwiseCorrelation` where values are missing. Columns of whole numbers (or
multiples of any power of two) and ranks are kept as whole numbers: all sums are exact then, and
equal correlations come out equal to the last bit, however the product is computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from topofs.runtime import for_each, for_row_ranges, slices
from topofs.similarity.base import Measure, dense, similarity_rows
from topofs.similarity.noise_floor import (
    class_floors,
    correct_bias,
    correlation_floors,
    correlation_scale,
)
from topofs.similarity.table import check_table
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs._kernels.column_weights import ColumnWeights
    from topofs.io.target import Target
    from topofs.similarity.moments import MomentCorrelation
    from topofs.similarity.noise_floor import CorrelationScale
    from topofs.similarity.standard_columns import KnownCovariance, StandardColumns
    from topofs.typing import Bools, Doubles, Floats, Ints

__all__ = ["CorrelationMeasure", "Pearson", "Spearman", "pearson", "spearman"]

# Help of the parameters on the command line.
SQUARED = "Count opposite columns as alike, or not."
ROWS = ("independent", "ordered")
ROWS_WORDS = f"Rows are: {', '.join(ROWS)} (or --time COLUMN)."

# Values prepared at a time, 2 MiB: enough work for all threads, and few enough for caches. Each
# row is prepared by itself in any case.
_BLOCK = 1 << 18
# Values ranked at a time, and values of pairs or grids processed together: caches hold them.
_BLOCK_OF_RANKS, _BLOCK_OF_PAIRS, BLOCK = 1 << 16, 1 << 14, 1 << 15
# Columns of a table that lie in one line of the cache.
_LEAST = 8
# Rows of correlations computed at a time where only some pairs are wanted.
_ROWS_OF_PAIRS = 256
_LEAST_SPREAD = float(np.sqrt(np.finfo(np.float64).eps))

# Every integer up to this one is a float64, so sums of products below it are exact.
EXACT = 2.0**53
# The grid of values that lie on no grid, and that of zeros, which lie on every grid.
NO_GRID, ANY_GRID = -(10**6), 10**6
# Below this exponent the power of two that makes the values whole is too large for float64.
_LOWEST_GRID = -1000
# A range of more steps has a sum of squares beyond `EXACT`.
_RANGE_BITS = 27
# Half of a range outside these bounds may overflow, or have no digits left.
_SMALLEST, _LARGEST = 2.0**-970, 2.0**1022
# This many values of a row show that most rows of reals lie on no grid.
_FIRST = 8
# Values too large for a grid become infinite steps, which the sum of squares rules out.
_QUIET = np.errstate(over="ignore", under="ignore", invalid="ignore")


def pearson(X: Any, *, squared: bool = False) -> Floats:
    r"""Pearson's correlation between all pairs of columns.

    .. math::
       r_{ij} = \frac{\sum_s (x_{si} - \bar x_i)(x_{sj} - \bar x_j)}
                     {\sqrt{\sum_s (x_{si} - \bar x_i)^2 \sum_s (x_{sj} - \bar x_j)^2}}

    Parameters
    ----------
    X : array-like or sparse matrix, shape (n_samples, n_features)
        Numbers; NaN marks a missing value in dense input. A sparse table stays sparse.
    squared : bool, default=False
        Return r² (shared variance) instead of r.

    Returns
    -------
    array, shape (n_features, n_features)
        Exactly symmetric, diagonal 1; float64, or float32 for float32 input. An undefined
        correlation (a constant column) is 0.

    Notes
    -----
    Columns of whole numbers go through the exact Gram matrix (see
    `topofs.similarity.correlation.Correlation`), so equal correlations come out equal to the
    last bit. Missing values are handled pair by pair, over the samples both columns have.

    References
    ----------
    .. [1] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.

    Examples
    --------
    >>> from topofs.similarity import pearson
    >>> pearson([[1, 2, 3], [2, 4, 1], [3, 6, 2]]).tolist()
    [[1.0, 1.0, -0.5], [1.0, 1.0, -0.5], [-0.5, -0.5, 1.0]]
    """
    return dense(Pearson(squared=squared).operator(check_table(X)))


def spearman(X: Any, *, squared: bool = False) -> Floats:
    """Spearman's correlation between all pairs of columns: Pearson's of their average ranks.

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Numbers; NaN marks a missing value.
    squared : bool, default=False
        Return the square of each entry.

    Returns
    -------
    array, shape (n_features, n_features)
        Exactly symmetric, diagonal 1; float64, or float32 for float32 input. An undefined
        correlation (a constant column) is 0.

    Notes
    -----
    With 2·rank − (S + 1), whole numbers that sum to zero, the Gram matrix is exact for
    S < 30,000, so equal correlations come out equal to the last bit. With missing values
    each column is ranked once over its own observed values, and a pair is correlated over
    the samples that both have.

    References
    ----------
    .. [1] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.

    Examples
    --------
    >>> from topofs.similarity import spearman
    >>> spearman([[1, 1], [2, 10], [3, 100]]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    table = check_table(X, no_sparse="similarity 'spearman', unlike 'pearson', takes")
    return dense(Spearman(squared=squared).operator(table))


@dataclass(frozen=True, repr=False)
class CorrelationMeasure(Measure):
    """A correlation of values or of ranks, or its square: base of `Pearson` and `Spearman`."""

    squared: bool = parameter(default=True, help=SQUARED, choices=(True, False))
    rows: str = parameter("independent", help=ROWS_WORDS, choices=ROWS)

    has_columns: ClassVar[bool] = True
    of_ranks: ClassVar[bool] = False

    @property
    def shares_variance(self) -> bool:
        """Whether a value is a share of variance."""
        return self.squared

    def share_of(self, values: Floats) -> Floats:
        """Square correlations that are not squared yet; negative ones become 0."""
        return values if self.squared else np.square(np.maximum(values, 0))

    def scale(self, operator: Any, *, n_samples: int, n_features: int) -> CorrelationScale:
        """Subtract the bias of the square, and set values that chance explains to 0."""
        return correlation_scale(
            operator,
            n_samples=n_samples,
            n_features=n_features,
            squared=self.squared,
            ranks=self.of_ranks,
            ordered_rows=self.rows == "ordered",
        )

    def of_correlation(self, correlation: Floats) -> Floats:
        """Square correlations, or leave them."""
        return np.square(correlation) if self.squared else correlation

    def relevance(
        self, table: Any, target: Target, *, n_compared: int
    ) -> tuple[Doubles, Doubles]:
        r"""Square correlations with a number; for classes, the correlation ratio.

        With :math:`r_c` the correlation with being of class c, and :math:`p_c` the share of the
        class, the ratio is :math:`\eta^2 = \sum_c (1 - p_c)\, r_c^2`.
        """
        n, n_classes = table.shape[1], len(target.classes)
        columns = np.eye(n_classes)[target.y] if n_classes else target.y[:, None]
        if sparse.issparse(table):
            both: Any = sparse.csc_array(sparse.hstack([table, columns], format="csc"))
        else:
            both = np.hstack([table, columns])
        operator = self.replace(squared=True).operator(both)
        squares = operator.block(slice(0, n), slice(n, n + columns.shape[1]))
        scale = self.scale(operator, n_samples=len(columns), n_features=n_compared)
        left, right = np.arange(n)[:, None], np.arange(n, n + columns.shape[1])
        samples = np.full(n, float(len(columns)))
        if scale.shared_samples is not None:
            samples = scale.shared_samples(left, right[None, :]).min(axis=1)
        if not n_classes:
            floors = correlation_floors(samples, n_compared, ranks=self.of_ranks)
            shares, degrees = squares[:, 0], 1
        else:
            floors = class_floors(samples, n_compared, n_classes, ranks=self.of_ranks)
            shares, degrees = _correlation_ratios(squares, table, columns), n_classes - 1
        return correct_bias(shares, samples, degrees), correct_bias(floors, samples, degrees)


def _correlation_ratios(squares: Floats, table: Any, classes: Doubles) -> Doubles:
    """The share of the variance of columns between classes, from squared correlations."""
    if sparse.issparse(table) or not np.isnan(table).any():
        rest = 1 - classes.mean(axis=0)
    else:
        counts = (~np.isnan(table)).T.astype(np.float64) @ classes
        rest = 1 - counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    return np.asarray(np.minimum((squares * rest).sum(axis=1), 1.0))


@dataclass(frozen=True, repr=False)
class Pearson(CorrelationMeasure):
    """Pearson's correlation, or its square: the share of variance of a linear link.

    Parameters
    ----------
    squared : bool, default=True
        Square the correlation, so that strong negative links count as links.
    rows : {"independent", "ordered"}, default="independent"
        "ordered": the rows are in time order and may depend on each other. The noise floor is
        then that of fewer samples; their number is computed for each pair of columns from the
        autocorrelations (see `topofs.similarity.noise_floor`).

    Examples
    --------
    >>> from topofs import Pearson
    >>> Pearson(), Pearson(squared=False).words
    (Pearson(), 'Pearson correlation')
    """

    takes_sparse: ClassVar[bool] = True
    takes_batches: ClassVar[bool] = True
    products: ClassVar[str | None] = "values"

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return "squared Pearson correlation" if self.squared else "Pearson correlation"

    @property
    def correlation(self) -> Pearson:
        """The same, not squared."""
        return Pearson(squared=False)

    def operator(self, table: Any) -> CorrelationOperator | MomentCorrelation:
        """Prepare the columns of a checked table, dense or sparse, with NaN where missing."""
        from topofs.similarity.sparse import sparse_correlation
        from topofs.similarity.streamed import StreamedTable

        if isinstance(table, StreamedTable):
            return table.correlation(squared=self.squared)
        by = sparse_correlation if sparse.issparse(table) else correlation_of_values
        operator: CorrelationOperator = by(table)
        return replace(operator, kind="squared") if self.squared else operator

    def standard_columns(self, table: Any) -> StandardColumns | KnownCovariance:
        """Standardise the values; a missing one lies at the mean."""
        from topofs.similarity.standard_columns import standard_columns
        from topofs.similarity.streamed import StreamedTable

        if isinstance(table, StreamedTable):
            return table.covariance()
        return replace(standard_columns(table), ordered_rows=self.rows == "ordered")


register(Pearson())


@dataclass(frozen=True, repr=False)
class Spearman(CorrelationMeasure):
    """Spearman's rank correlation, or its square.

    Parameters
    ----------
    squared : bool, default=True
        Square the correlation, so that strong negative links count as links.
    rows : {"independent", "ordered"}, default="independent"
        As in `topofs.Pearson`.

    Examples
    --------
    >>> from topofs import Spearman
    >>> Spearman(squared=False)
    Spearman(squared=False)
    """

    takes_batches: ClassVar[bool] = True
    products: ClassVar[str | None] = "ranks"
    of_ranks: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return ("squared " if self.squared else "") + "Spearman rank correlation"

    @property
    def correlation(self) -> Spearman:
        """The same, not squared."""
        return Spearman(squared=False)

    def operator(self, table: Any) -> CorrelationOperator | MomentCorrelation:
        """Rank the columns of a checked table."""
        from topofs.similarity.streamed import StreamedTable

        if isinstance(table, StreamedTable):
            return table.rank_correlation(squared=self.squared)
        ranks = doubled_centred_ranks(table)
        by = pairwise_correlation if np.isnan(ranks).any() else correlation_of_ranks
        operator: CorrelationOperator = by(ranks, table.dtype)
        return replace(operator, kind="squared") if self.squared else operator

    def standard_columns(self, table: Any) -> StandardColumns | KnownCovariance:
        """Standardise the ranks; a missing value has the middle one."""
        from topofs.similarity.standard_columns import standard_ranks
        from topofs.similarity.streamed import StreamedTable

        if isinstance(table, StreamedTable):
            return table.rank_covariance()
        return replace(standard_ranks(table), ordered_rows=self.rows == "ordered")


register(Spearman())


@dataclass(frozen=True, eq=False, kw_only=True)
class CorrelationOperator:
    r"""Prepared columns whose correlations, or functions of these, are the entries.

    `kind` is "plain", "squared", or "blend", which is :math:`\alpha \max(\sigma_i, \sigma_j) +
    (1 - \alpha)(1 - |r_{ij}|)` with the `deviation` σ of each column.
    """

    values: Any
    dtype: np.dtype[Any]
    kind: str = "plain"
    alpha: float = 0.0
    deviation: Any = None

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return int(self.values.shape[0])

    @property
    def n_samples(self) -> int:
        """The length of a column."""
        return int(self.values.shape[1])

    @property
    def series(self) -> Any:
        """The columns, one per row: prepared, or as given where values are missing."""
        return self.values

    @property
    def non_negative(self) -> bool:
        """Whether no entry can be negative."""
        return self.kind != "plain"

    def diagonal(self) -> Floats:
        """Ones, but for a blend."""
        if self.kind == "blend":
            return np.asarray(self.alpha * self.deviation, dtype=self.dtype)
        return np.ones(self.n_features, dtype=self.dtype)

    def block(self, rows: Any, columns: Any) -> Floats:
        """Entries of the given rows and columns."""
        products: Any = self
        return np.asarray(products.cross(rows, products.select(columns)))

    def _entries(
        self, block: Floats, rows: Any, other: CorrelationOperator, columns: Any = slice(None)
    ) -> Floats:
        """Turn correlations between columns of two operators into entries, in place."""
        if self.kind == "squared":
            np.square(block, out=block)
        elif self.kind == "blend":
            np.abs(block, out=block)
            np.subtract(1.0, block, out=block)
            block *= 1 - self.alpha
            left, right = self.deviation[rows], other.deviation[columns]
            block += self.alpha * np.maximum.outer(left, right)
        return block


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlation(CorrelationOperator):
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

    scale: float
    sums: Doubles
    spreads: Doubles

    def select(self, columns: slice | Ints) -> Correlation:
        """The similarity among some of the columns; a slice shares their memory."""
        if isinstance(columns, slice):
            values = self.values[columns]
        else:
            values = np.empty((len(columns), self.n_samples), dtype=self.values.dtype)

            def copy(first: int, last: int) -> None:
                values[first:last] = self.values[columns[first:last]]

            for_row_ranges(copy, *values.shape)
        deviation = None if self.deviation is None else self.deviation[columns]
        sums, spreads = self.sums[columns], self.spreads[columns]
        return replace(self, values=values, sums=sums, spreads=spreads, deviation=deviation)

    def cross(self, rows: slice | Ints, other: Correlation) -> Floats:
        """Entries between some columns of this and all of another selection of the same."""
        gram = self.values[rows] @ other.values.T
        sums, spreads = (self.sums[rows], other.sums), (self.spreads[rows], other.spreads)
        block = finish_correlation(gram, self.scale, sums, spreads)
        return self._entries(block, rows, other)

    def column_weights(self, level: float) -> ColumnWeights:
        """What a kernel needs to compute any entry; entries below `level` become 0."""
        from topofs._kernels.column_weights import CORRELATION, ENERGY, SQUARED, ColumnWeights

        return ColumnWeights(
            kind={"plain": CORRELATION, "squared": SQUARED, "blend": ENERGY}[self.kind],
            values=self.values,
            scale=self.scale,
            sums=self.sums,
            spreads=self.spreads,
            alpha=self.alpha,
            deviation=np.empty(0) if self.deviation is None else self.deviation,
            level=level,
        )

    def approximate_mean(self) -> float | None:
        r"""The mean of all entries up to rounding, where a formula is cheaper than all entries.

        For unit columns U it is Σᵢⱼ rᵢⱼ = ‖Σᵢ uᵢ‖², and Σᵢⱼ r²ᵢⱼ = ‖U⊤ U‖²: S² numbers for n².
        """
        if self.kind == "blend" or (
            self.kind == "squared" and 2 * self.n_samples > self.n_features
        ):
            return None
        unit = self.values
        if self.scale != 1.0 or self.sums.any() or not (self.spreads == 1.0).all():
            unit = unit_columns(unit)
        if self.kind == "squared":
            return float(np.square(unit.T @ unit).sum() / self.n_features**2)
        total = unit.sum(axis=0, dtype=np.float64)
        return float(total @ total / self.n_features**2)


def correlations_of_pairs(operator: Any, left: Ints, right: Ints) -> Doubles | None:
    """Correlations of some pairs with their signs; None if the operator knows no sign.

    `left` must be ascending. Only the rows and columns of the pairs are computed.
    """
    if getattr(operator, "kind", None) not in {"plain", "squared"}:
        return None
    plain: Any = replace(operator, kind="plain")
    found, rows = np.empty(len(left)), np.unique(left)
    for first in range(0, len(rows), _ROWS_OF_PAIRS):
        some = rows[first : first + _ROWS_OF_PAIRS]
        pairs = slice(*np.searchsorted(left, [some[0], some[-1] + 1]))
        columns, at = np.unique(right[pairs], return_inverse=True)
        if hasattr(plain, "cross"):
            block = plain.select(some).cross(slice(None), plain.select(columns))
        else:
            block = similarity_rows(plain, some)[:, columns]
        found[pairs] = block[np.searchsorted(some, left[pairs]), at]
    return found


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


def correlation_of_values(X: Floats) -> Correlation | PairwiseCorrelation:
    """Prepare columns for Pearson's correlation; pairwise where values are missing."""
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
    if np.isnan(lowest).any():
        del values
        return pairwise_correlation(X.T, X.dtype)
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
        return Correlation(
            values=values,
            dtype=X.dtype,
            scale=1.0,
            sums=np.zeros(len(values)),
            spreads=np.where(constant, np.inf, 1.0),
        )
    sums = np.where(exact, values.sum(axis=1), 0.0)
    squares = np.where(exact, np.einsum("ij,ij->i", values, values), 1.0)
    spreads = np.where(constant, np.inf, n_samples * squares - sums * sums)
    return Correlation(
        values=values, dtype=X.dtype, scale=float(n_samples), sums=sums, spreads=spreads
    )


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
    return slices(len(columns), step)


def _times_power_of_two(values: Doubles, exponent: Any) -> Doubles:
    """The bits of np.ldexp, in place, in a tenth of its time."""
    with np.errstate(over="ignore", under="ignore"):
        factor = np.ldexp(1.0, exponent)
    if np.isinf(factor).any() or not factor.all():
        np.ldexp(values, exponent, out=values)
    else:
        values *= factor
    return values


def _to_unit_rows(columns: Doubles) -> Doubles:
    """Centre and scale rows in place, because allocating large arrays takes time."""
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

    The result is 2·rank − (S + 1), whole numbers that sum to zero: rᵢⱼ = Gᵢⱼ / √(Gᵢᵢ Gⱼⱼ).
    """
    squares = np.einsum("ij,ij->i", doubled, doubled)
    values, spreads = doubled, np.where(squares > 0, squares, np.inf)
    if not (squares < EXACT).all():
        values, spreads = unit_columns(doubled), np.where(squares > 0, 1.0, np.inf)
    sums = np.zeros(len(values))
    return Correlation(values=values, dtype=dtype, scale=1.0, sums=sums, spreads=spreads)


@dataclass(frozen=True, eq=False, kw_only=True)
class PairwiseCorrelation(CorrelationOperator):
    r"""Pairwise-complete correlation: each pair uses the samples where both are observed.

    With `mask` M (1 where observed) and `values` C (0 where missing), for every pair at once:
    count :math:`m = M M^\top`, sums :math:`s = C M^\top`, squares :math:`q = C^{2} M^\top`,
    products :math:`G = C C^\top`, and

    .. math::
       r_{ij} = \frac{m_{ij} G_{ij} - s_{ij} s_{ji}}
                     {\sqrt{(m_{ij} q_{ij} - s_{ij}^2)\,(m_{ij} q_{ji} - s_{ji}^2)}}

    A pair that shares fewer than two samples, or on whose shared samples one column is
    constant, has no correlation and gets 0. If one of the two differences under the root loses
    more than half of its digits, the pair is computed by itself, from the `columns` as given,
    with NaN. This happens where the spread of a column lies mostly in samples that the other
    column misses. All three arrays have one row a feature.
    """

    columns: Doubles
    mask: Doubles

    @property
    def series(self) -> Doubles:
        """The columns as they are, one a row."""
        return self.columns

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
        return self._entries(correlation, rows, self, columns)

    def shared_samples(self, left: Ints, right: Ints) -> Doubles:
        """Count the samples observed in both columns of each pair, or of each of a block."""
        if left.ndim == 2:
            return np.asarray(self.mask[left[:, 0]] @ self.mask[right[0]].T)
        # One pair at a time: a row may have millions of samples.
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([self.mask[i] @ self.mask[j] for i, j in pairs], dtype=np.float64)


def _spread(count: Floats, total: Floats, squares: Floats) -> tuple[Floats, Bools]:
    """m·q − s², and where it lost more than half of its digits (it is 1 there)."""
    highest = count * squares
    spread = highest - total * total
    lost = spread <= _LEAST_SPREAD * highest
    spread[lost] = 1.0
    return spread, lost


def _correlation_of_pairs(columns: Doubles, left: Ints, right: Ints) -> Doubles:
    """Correlate pairs of rows over the samples observed in both; 0 where undefined."""
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


def _centred(rows: Doubles, missing: Bools, low: Doubles, high: Doubles) -> Doubles:
    """Shift rows to the mean of observed values, scale them by the range; 0 where missing."""
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

    Whole numbers stay whole (shifted near zero); other rows are centred and scaled to at most
    1.
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
    mask = observed.astype(np.float64)
    return PairwiseCorrelation(values=values, dtype=dtype, columns=given, mask=mask)


def doubled_centred_ranks(X: Floats) -> Doubles:
    """Give 2·rank − (m + 1), one row a column of X, by average ranks among m observed values.

    These are whole numbers that sum to zero in each row; NaN stays where X is missing.
    """
    n_samples, n_features = X.shape
    ranks = np.empty((n_features, n_samples))

    def rank(some: slice) -> None:
        _write_ranks(np.ascontiguousarray(X[:, some].T), ranks[some])

    step = max(_LEAST, _BLOCK_OF_RANKS // max(1, n_samples))
    for_each(rank, slices(n_features, step))
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


@_QUIET
def exact_grids_of_rows(
    columns: Floats, lowest: Doubles, highest: Doubles
) -> tuple[Ints, Doubles]:
    """Find the coarsest grid of each row on which its sums are exact, or `NO_GRID`.

    With x₀ the lowest value of a row, c = (x − x₀)·2⁻ᵉ − shift are whole numbers near 0 and
    S·Σc² < 2⁵³: given are the largest such e and the shift. Rows are finite, `lowest` and
    `highest` their extremes.
    """
    grids, shifts = np.full(len(columns), NO_GRID), np.zeros(len(columns))
    grids[lowest == highest] = 0
    half = highest / 2 - lowest / 2
    exponent = np.frexp(half)[1].astype(np.int64) + 1 - _RANGE_BITS
    able = np.flatnonzero((half > _SMALLEST) & (half < _LARGEST))
    first = columns[able, :_FIRST] * np.ldexp(1.0, -exponent[able])[:, None]
    able = able[(first == np.rint(first)).all(axis=1)]
    step = max(1, BLOCK // max(1, columns.shape[1]))
    for start in range(0, len(able), step):
        some = able[start : start + step]
        grids[some], shifts[some] = _exact_grids(columns[some], lowest[some], exponent[some])
    return grids, shifts


def _exact_grids(rows: Floats, lowest: Doubles, exponent: Ints) -> tuple[Ints, Doubles]:
    """The same for rows that vary and lie on a finer grid, 2 to the `exponent`, or on none."""
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
def grids_of_runs(values: Floats, starts: Ints) -> Ints:
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


def _grids_of_runs(values: Floats, lengths: Ints) -> Ints:
    """The same of runs that follow each other; none is empty."""
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    values = values.astype(np.float64)
    peak = np.fmax.reduceat(np.abs(values), first)
    exponent = np.where(peak > 0, np.frexp(peak)[1].astype(np.int64) - 53, 0)
    able = (exponent >= _LOWEST_GRID) & np.isfinite(peak)
    exponent[~able] = 0
    values *= np.repeat(np.ldexp(1.0, -exponent), lengths)
    able &= np.logical_and.reduceat(values == np.rint(values), first)
    # The words of a run without a grid are ignored.
    values[np.repeat(~able, lengths)] = 0.0
    bits = np.bitwise_or.reduceat(values.astype(np.int64), first)
    found = np.where(bits == 0, ANY_GRID, exponent + _zeros_at_end(bits))
    return np.where(able, found, NO_GRID)


def _zeros_at_end(bits: Ints) -> Ints:
    """Number of trailing zeros of each word; 0 for the word 0."""
    lowest = (bits & -bits).astype(np.float64)
    return np.where(bits == 0, 0, np.frexp(lowest)[1].astype(np.int64) - 1)
