"""One similarity for numbers, ranks and names: shared variance between columns of any kind.

Numbers become ranks, names 0/1 rows, one a level; products of these rows give Spearman's ρ²,
the correlation ratio and Cramér's V². `Auto` compares by `Mixed` where there are names, else by
`Pearson`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topofs.io.types import Column, TypedTable, level_codes, read_columns, usable_columns
from topofs.runtime import slices
from topofs.similarity.autocorrelation import (
    EffectiveSamples,
    autocorrelations,
    inflation,
    n_lags,
    slowest_scores,
)
from topofs.similarity.base import Measure, dense
from topofs.similarity.correlation import (
    ROWS,
    ROWS_WORDS,
    SQUARED,
    Pearson,
    doubled_centred_ranks,
)
from topofs.similarity.noise_floor import (
    FlooredScale,
    Margins,
    contingency_floors,
    correlation_floors,
    degrees_floor,
)
from topofs.similarity.streamed import StreamedTable
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.io.target import Target
    from topofs.network import Scale
    from topofs.similarity.base import SimilarityOperator
    from topofs.similarity.standard_columns import KnownCovariance, StandardColumns
    from topofs.typing import Bools, Doubles, Ints

__all__ = ["Auto", "Mixed", "MixedSimilarity", "mixed"]

# Shared variance with names is rounded to a multiple of 1 / ROUNDING, about 1e-12.
ROUNDING = 2.0**40
# Entries ranked at a time.
RANKED_ENTRIES = 2**23
# Most entries of a product of levels in memory, and of a part of one.
CELLS = 2**22
# Counting is faster than a product where two columns have more cells than this on average.
COUNTED_CELLS = 2**8


def mixed(X: Any, *, corrected: bool = True) -> Doubles:
    r"""Shared variance between columns of numbers, ordered categories and names.

    Every column becomes a block: numbers and ordered categories the centred unit vector of
    their average ranks, a nominal column of K levels the K columns
    :math:`1[x = \text{level}] / \sqrt{n_\text{level}}`. One matrix product gives

    .. math::
       T_{ij} = \lVert Q_i^\top Q_j \rVert_F^2 \ (- 1 \text{ if both are nominal}), \qquad
       s_{ij} = \frac{T_{ij}}{\min(d_i, d_j)},

    d = 1 for numbers and K − 1 for names: Spearman's ρ², the correlation ratio η² of the
    ranks, and Cramér's V², in one formula. Chance gives T a mean of
    :math:`d_i d_j / (S-1)`, more for columns of many levels; corrected for it,

    .. math::
       \tilde s_{ij} = \max\left(0, \frac{T_{ij} - d_i d_j / (S-1)}
                                         {\min(\tilde d_i, \tilde d_j)}\right), \qquad
       \tilde d = d - \frac{d^2}{S-1},

    all three are comparable.

    Parameters
    ----------
    X : data frame or array, shape (n_samples, n_features)
        pandas or polars; or anything numpy makes a table of. See Notes for what is nominal.
    corrected : bool, default=True
        Return s̃ rather than s.

    Returns
    -------
    array of float64, shape (n_features, n_features)
        Exactly symmetric, in [0, 1], diagonal 1. A column that cannot be compared (constant,
        names that hardly repeat, or more than 1,000 different ones) has zeros.

    Notes
    -----
    Text, booleans and unordered categories are nominal; an ordered pandas categorical and a
    polars Enum are ranked. A missing name is a level of its own, a missing number has the
    middle rank. Levels of fewer than 5 samples are merged, unless the column has two. A
    column with more than 1,000 levels after that is taken for an identifier. Levels are
    counted in blocks of a fixed size, however many there are.

    The product is one of whole numbers (doubled ranks and counts), exact in float64, and
    sums over levels are rounded to 1e-12, so that no blocking or number of threads changes a
    bit.

    References
    ----------
    .. [1] W. Bergsma (2013). A bias-correction for Cramér's V and Tschuprow's T. Journal of
       the Korean Statistical Society 42(3), 323-328.
    .. [2] H. Cramér (1946). Mathematical methods of statistics, chapter 21. Princeton.

    Examples
    --------
    >>> import pandas as pd
    >>> from topofs.similarity import mixed
    >>> table = pd.DataFrame({
    ...     "mass": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    ...     "age": [2, 1, 3, 4, 6, 5],
    ...     "sex": ["f", "f", "f", "m", "m", "m"],
    ... })
    >>> mixed(table, corrected=False).round(3).tolist()
    [[1.0, 0.784, 0.771], [0.784, 1.0, 0.771], [0.771, 0.771, 1.0]]
    """
    columns = read_columns(X)
    usable = np.flatnonzero(usable_columns(columns))
    similarity = np.eye(len(columns))
    operator = mixed_operator([columns[i] for i in usable], corrected=corrected)
    similarity[np.ix_(usable, usable)] = dense(operator)
    return similarity


@dataclass(frozen=True, repr=False)
class Mixed(Measure):
    """Shared variance between columns of numbers, ordered categories and names.

    Parameters
    ----------
    rows : {"independent", "ordered"}, default="independent"
        As in `topofs.Pearson`. The levels of names count by the numbers that stay most alike
        from one row to the next.

    Examples
    --------
    >>> from topofs import Mixed
    >>> Mixed().takes_names
    True
    """

    rows: str = parameter("independent", help=ROWS_WORDS, choices=ROWS)

    takes_names: ClassVar[bool] = True
    takes_batches: ClassVar[bool] = True
    takes_arrays: ClassVar[bool] = False
    has_columns: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return (
            "shared variance (Spearman² between numbers, η² between numbers and names, "
            "Cramér's V² between names)"
        )

    @property
    def shares_variance(self) -> bool:
        """Whether a value is a share of variance."""
        return True

    def operator(self, table: TypedTable | StreamedTable) -> MixedSimilarity:
        """Rank the numbers and count the levels of a table."""
        if isinstance(table, StreamedTable):
            return mixed_of_stream(table)
        return mixed_operator(table.columns, ordered_rows=self.rows == "ordered")

    def standard_columns(
        self, table: TypedTable | StreamedTable
    ) -> StandardColumns | KnownCovariance:
        """Standardise ranks, and the levels of names as blocks of indicators."""
        from topofs.similarity.standard_columns import covariance_of_blocks, standard_blocks

        if isinstance(table, StreamedTable):
            found = mixed_of_stream(table)
            return covariance_of_blocks(found.gram, found.starts, found.nominal, table.n_rows)
        coded = mixed_operator(table.columns)
        columns = standard_blocks(coded.all_rows(), coded.starts, coded.nominal)
        return replace(columns, ordered_rows=self.rows == "ordered")

    def n_standard_rows(self, table: TypedTable | StreamedTable) -> int:
        """Count one row a column, and one a level of names."""
        if isinstance(table, StreamedTable):
            return int(table.starts[-1])
        return sum(
            int(level_codes(column.values).max()) + 1 if column.nominal else 1
            for column in table.columns
        )

    def scale(self, operator: Any, *, n_samples: int, n_features: int) -> Scale:  # noqa: ARG002
        """Set values that chance explains to 0; the bias is subtracted already."""
        return FlooredScale(operator)

    def relevance(
        self, table: TypedTable, target: Target, *, n_compared: int
    ) -> tuple[Doubles, Doubles]:
        """Compare columns with a target as with each other: classes are names."""
        values = target.y.astype(np.float64)
        column = Column("target", nominal=bool(target.classes), values=values)
        # In rows with a target, a column may be constant.
        usable = np.flatnonzero(usable_columns(table.columns))
        n, shares, floors = len(usable), np.zeros(table.shape[1]), np.ones(table.shape[1])
        if n and usable_columns([column])[0]:
            operator = self.operator(TypedTable((*table[:, usable].columns, column)))
            shares[usable] = operator.block(slice(0, n), slice(n, n + 1)).ravel()
            floors[usable] = operator.floors(np.arange(n), np.full(n, n), n_compared)
        return shares, floors


register(Mixed())


@dataclass(frozen=True, eq=False)
class MixedSimilarity:
    """The similarity of `mixed`, any block on demand.

    `numbers` holds doubled centred ranks, whole numbers, one row a column; `codes` the level of
    each sample in the columns of names, from 0, which become 0/1 rows where a product needs
    them, some at a time. Rows ``starts[i] … starts[i + 1] - 1`` of that product belong to
    column i, `spreads` are their sums of squares. `nominal` are names of three levels or more.
    `autocorrelation` has a row a column, where the rows are in an order of time.
    """

    numbers: Doubles
    codes: npt.NDArray[np.int16]
    spreads: Doubles
    starts: Ints
    nominal: Bools
    corrected: bool
    autocorrelation: Doubles | None = None

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return len(self.nominal)

    @property
    def n_samples(self) -> int:
        """The number S of samples."""
        return int(self.numbers.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the finished similarity."""
        return np.dtype(np.float64)

    @property
    def degrees(self) -> Ints:
        """Degrees of freedom: 1 for numbers, K − 1 for names."""
        return np.asarray(np.diff(self.starts) - self.nominal, dtype=np.int64)

    def block(self, rows: slice, columns: slice) -> Doubles:
        """Entries of the given rows and columns."""
        i, j = range(*rows.indices(self.n_features)), range(*columns.indices(self.n_features))
        shared = self._shared(i, j)
        left, right = self.degrees[i.start : i.stop, None], self.degrees[None, j.start : j.stop]
        if not self.nominal.any():
            # Numbers alone: all have one degree.
            left, right = left[:1], right[:, :1]
        if self.corrected:
            free = self._free_samples(np.asarray(i)[:, None], np.asarray(j)[None, :])
            shared -= left * right / free
            shared /= np.minimum(
                _corrected_degrees(left, free), _corrected_degrees(right, free)
            )
        else:
            shared /= np.minimum(left, right)
        return np.clip(shared, 0.0, 1.0, out=shared)

    def diagonal(self) -> Doubles:
        """Ones."""
        return np.ones(self.n_features)

    def floors(self, left: Ints, right: Ints, n_compared: int | None = None) -> Doubles:
        """Noise floors of pairs of columns, on the scale of the entries.

        `n_compared` is the number of columns whose pairs are compared; by default all.
        """
        n_compared = self.n_features if n_compared is None else n_compared
        d, e = self.degrees[left], self.degrees[right]
        floors = degrees_floor(self.n_samples, n_compared, d, e)
        samples = np.array([float(self.n_samples)])
        floors[(d == 1) & (e == 1)] = correlation_floors(samples, n_compared, ranks=True)
        margins = self._margins
        both = np.flatnonzero((margins.levels[left] > 0) & (margins.levels[right] > 0))
        if len(both):
            a, b = margins[left[both]], margins[right[both]]
            shared = contingency_floors(self.n_samples, n_compared, a, b)
            floors[both] = shared / np.minimum(d, e)[both]
        if self.autocorrelation is not None:
            # Floors of fewer samples: exact between numbers, otherwise in proportion.
            floors = np.minimum(floors * inflation(self.autocorrelation, left, right), 1.0)
            numbers = (d == 1) & (e == 1)
            effective = EffectiveSamples(self.n_samples, self.autocorrelation)
            fewer = effective(left[numbers], right[numbers])
            floors[numbers] = correlation_floors(fewer, n_compared, ranks=True)
        if not self.corrected:
            return floors
        free = self._free_samples(left, right)
        smaller = np.minimum(_corrected_degrees(d, free), _corrected_degrees(e, free))
        shared = floors * np.minimum(d, e) - d * e / free
        # An infinite floor stays infinite.
        corrected = np.divide(shared, smaller, out=floors.copy(), where=np.isfinite(floors))
        return np.asarray(np.maximum(corrected, 0.0))

    @cached_property
    def _margins(self) -> Margins:
        """The levels of columns of names and of numbers of two values; 0 levels for others."""
        n = self.n_features
        margins = Margins(np.zeros(n, np.int64), np.zeros(n), np.zeros(n, np.int64))
        for i in np.flatnonzero(self.nominal):
            _set_margins(margins, int(i), self.spreads[self.starts[i] : self.starts[i + 1]])
        # The ranks of k samples of one value and m - k of another are k - m and k; those of
        # missing values are 0.
        lowest, highest, there = self._extremes()
        numbers = np.flatnonzero(~self.nominal)
        for row in np.flatnonzero(highest - lowest == there):
            fewer = min(highest[row], -lowest[row])
            _set_margins(margins, int(numbers[row]), np.array([fewer, self.n_samples - fewer]))
        return margins

    def _extremes(self) -> tuple[Doubles, Doubles, Ints]:
        """The lowest and highest rank of the columns of numbers, and the ranks other than 0."""
        lowest, highest = self.numbers.min(axis=1), self.numbers.max(axis=1)
        return lowest, highest, np.count_nonzero(self.numbers, axis=1)

    def _free_samples(self, left: Ints, right: Ints) -> Any:
        """Effective number of free samples of a pair: S − 1, or fewer in ordered rows."""
        if self.autocorrelation is None:
            return self.n_samples - 1
        return (self.n_samples - 1) / inflation(self.autocorrelation, left, right)

    def _shared(self, i: range, j: range) -> Doubles:
        """T for the columns i and j, in parts that are small enough."""
        n_cells = self._n_rows(i) * self._n_rows(j)
        if n_cells > COUNTED_CELLS * len(i) * len(j):
            return np.array([[self._counted(a, b) for b in j] for a in i])
        if n_cells <= CELLS:
            return self._by_product(i, j)
        if len(i) >= len(j):
            return np.concatenate([self._shared(part, j) for part in _halves(i)])
        return np.concatenate([self._shared(i, part) for part in _halves(j)], axis=1)

    def _counted(self, a: int, b: int) -> float:
        """T for two columns, from sums over the samples of each level or pair of levels."""
        if self.nominal[a] < self.nominal[b]:
            a, b = b, a
        shape = self._n_rows(range(a, a + 1)), self._n_rows(range(b, b + 1))
        rows = self._row_of[a], self._row_of[b]
        if self.nominal[b]:
            cells = self.codes[rows[0]].astype(np.int64) * shape[1] + self.codes[rows[1]]
            sums = np.bincount(cells, minlength=shape[0] * shape[1]).astype(np.float64)
        elif self.nominal[a]:
            by_level = np.bincount(self.codes[rows[0]], self.numbers[rows[1]], shape[0])
            sums = by_level.astype(np.float64)
        else:
            sums = np.atleast_1d(self.numbers[rows[0]] @ self.numbers[rows[1]])
        gram = sums.reshape(shape)
        return float(self._summed(gram, range(a, a + 1), range(b, b + 1))[0, 0])

    def _by_product(self, i: range, j: range) -> Doubles:
        """T for the columns i and j, from the product of their rows, some samples at a time."""
        step = self.n_samples
        if self.nominal[i.start : i.stop].any() or self.nominal[j.start : j.stop].any():
            step = max(1, CELLS // (self._n_rows(i) + self._n_rows(j)))
        gram = np.zeros((self._n_rows(i), self._n_rows(j)))
        # Whole numbers: their sums are exact, however the samples are cut.
        for samples in slices(self.n_samples, step):
            left = self._rows(i, samples)
            gram += left @ (left if i == j else self._rows(j, samples)).T
        return self._summed(gram, i, j)

    def _summed(self, gram: Doubles, i: range, j: range) -> Doubles:
        """T from the products of rows: their squared cosines, summed over levels."""
        np.square(gram, out=gram)
        spreads = (self.spreads[self.starts[k.start] : self.starts[k.stop]] for k in (i, j))
        gram /= np.multiply.outer(*spreads)
        for axis, part in enumerate((i, j)):
            starts = self.starts[part.start : part.stop]
            if len(starts) < gram.shape[axis]:
                gram = np.add.reduceat(gram, starts - starts[0], axis=axis)
        if self.nominal.any():
            gram -= np.logical_and.outer(
                self.nominal[i.start : i.stop], self.nominal[j.start : j.stop]
            )
            # Cells are summed in another order where i and j change places.
            np.rint(gram * ROUNDING, out=gram)
            gram /= ROUNDING
        return gram

    def _n_rows(self, part: range) -> int:
        """Rows of the product that some columns take: one each, or one a level."""
        return int(self.starts[part.stop] - self.starts[part.start])

    @cached_property
    def _row_of(self) -> Ints:
        """Where each column lies in `numbers`, or in `codes`."""
        counts = np.cumsum(self.nominal), np.cumsum(~self.nominal)
        return np.asarray(np.where(self.nominal, *counts) - 1, dtype=np.int64)

    def _rows(self, part: range, samples: slice) -> Doubles:
        """Rows of the product for some columns."""
        nominal = self.nominal[part.start : part.stop]
        row_of = self._row_of[part.start : part.stop]
        if not nominal.any():
            return self.numbers[row_of[0] : row_of[-1] + 1, samples]
        first = self.starts[part.start : part.stop] - self.starts[part.start]
        numbers = self.numbers[row_of[~nominal], samples]
        rows = np.zeros((self._n_rows(part), numbers.shape[1]))
        rows[first[~nominal]] = numbers
        for start, row in zip(first[nominal], row_of[nominal], strict=True):
            rows[start + self.codes[row, samples], np.arange(rows.shape[1])] = 1.0
        return rows

    def all_rows(self) -> Doubles:
        """All rows of the product, 8 bytes per sample."""
        return self._rows(range(self.n_features), slice(None))


@dataclass(frozen=True, eq=False)
class MixedOfProducts(MixedSimilarity):
    """The same from the products of all rows, `gram`, where the rows are not in memory.

    `extremes` are the lowest and highest rank of each column of numbers, and how many ranks are
    not 0.
    """

    gram: Doubles = field(kw_only=True)
    extremes: tuple[Doubles, Doubles, Ints] = field(kw_only=True)
    n_rows: int = field(kw_only=True)

    @property
    def n_samples(self) -> int:
        """The number S of samples."""
        return self.n_rows

    def _extremes(self) -> tuple[Doubles, Doubles, Ints]:
        return self.extremes

    def _shared(self, i: range, j: range) -> Doubles:
        rows, columns = (slice(self.starts[k.start], self.starts[k.stop]) for k in (i, j))
        return self._summed(self.gram[rows, columns].copy(), i, j)


def mixed_of_stream(table: StreamedTable) -> MixedOfProducts:
    """Prepare the similarity of the columns of a stream."""
    gram = table.levels.products
    nominal = np.array([column.nominal for column in table.columns], dtype=np.bool_)
    starts = table.starts
    spreads = gram.diagonal().copy()
    # A row of a level holds ones, so its sum of squares is the number of its samples.
    extremes = []
    for column in table.columns:
        if not column.nominal:
            ranks, counts = column.ranking.ranks, column.ranking.counts
            there = ranks[counts > 0]
            n_not_zero = int(counts[ranks != 0].sum())
            extremes.append((there[0], there[-1], n_not_zero))
    lowest, highest, n_other = np.array(extremes, dtype=np.float64).reshape(-1, 3).T
    return MixedOfProducts(
        np.empty((len(lowest), 0)),
        np.empty((int(nominal.sum()), 0), np.int16),
        spreads,
        starts,
        nominal,
        corrected=True,
        gram=gram,
        extremes=(lowest, highest, n_other.astype(np.int64)),
        n_rows=table.n_rows,
    )


def _set_margins(margins: Margins, column: int, counts: Doubles) -> None:
    margins.levels[column] = len(counts)
    margins.reciprocals[column] = (1 / counts).sum()
    margins.fewest[column] = counts.min()


def _corrected_degrees(degrees: Ints, free: Any) -> Doubles:
    # With as many levels as samples no information is left: everything becomes 0.
    rest = degrees - degrees**2 / free
    return np.asarray(np.where(rest > 0, rest, np.inf))


def _halves(part: range) -> tuple[range, range]:
    middle = (part.start + part.stop) // 2
    return range(part.start, middle), range(middle, part.stop)


def mixed_operator(
    columns: Sequence[Column], *, corrected: bool = True, ordered_rows: bool = False
) -> MixedSimilarity:
    """Prepare the similarity of columns that can be compared (see `usable_columns`)."""
    coded = [_coded(column) for column in columns]
    nominal = np.array([column.nominal for column in coded], dtype=np.bool_)
    # One row a column, or one a level.
    n_rows = [int(column.values.max()) + 1 if column.nominal else 1 for column in coded]
    starts = np.concatenate([[0], np.cumsum(n_rows)]).astype(np.int64)
    n_samples = len(coded[0].values) if coded else 0
    numbers = np.flatnonzero(~nominal)
    ranks = np.empty((len(numbers), n_samples))
    # A few at a time: ranking takes several times the memory of what is ranked.
    n_ranked = max(1, RANKED_ENTRIES // max(1, n_samples))
    for first in range(0, len(numbers), n_ranked):
        some = numbers[first : first + n_ranked]
        amounts = np.column_stack([coded[i].values for i in some])
        ranked = np.nan_to_num(doubled_centred_ranks(amounts), copy=False)
        ranks[first : first + len(some)] = ranked
    codes = np.empty((int(nominal.sum()), n_samples), np.int16)
    spreads = np.empty(int(starts[-1]))
    spreads[starts[numbers]] = np.einsum("ij,ij->i", ranks, ranks)
    for row, i in enumerate(np.flatnonzero(nominal)):
        codes[row] = coded[i].values
        spreads[starts[i] : starts[i + 1]] = np.bincount(codes[row])
    autocorrelation = None
    if ordered_rows:
        autocorrelation = np.empty((len(coded), n_lags(n_samples)))
        autocorrelation[numbers] = autocorrelations(ranks)
        for row, i in enumerate(np.flatnonzero(nominal)):
            autocorrelation[i] = autocorrelations(slowest_scores(codes[row])[None, :])[0]
    return MixedSimilarity(ranks, codes, spreads, starts, nominal, corrected, autocorrelation)


def _coded(column: Column) -> Column:
    """The column with its rare levels merged; all formulas treat two levels as a number."""
    if not column.nominal:
        return column
    levels = level_codes(column.values)
    return Column(column.name, nominal=levels.max() > 1, values=levels.astype(np.float64))


@dataclass(frozen=True, repr=False)
class Auto(Measure):
    """`Mixed` where columns of names take part, else `Pearson`.

    Parameters
    ----------
    squared : bool, default=True
        As in `Pearson`; plays no part where there are names.
    rows : {"independent", "ordered"}, default="independent"
        As in `Pearson` and `Mixed`.

    Examples
    --------
    >>> import pandas as pd
    >>> from topofs import Auto
    >>> from topofs.io import typed_table
    >>> towns = pd.DataFrame({"size": [1, 2, 3, 4], "coast": ["yes", "no", "no", "yes"]})
    >>> Auto().for_table(typed_table(towns)), Auto().for_table(towns[["size"]].to_numpy())
    (Mixed(), Pearson())
    """

    squared: bool = parameter(default=True, help=SQUARED, choices=(True, False))
    rows: str = parameter("independent", help=ROWS_WORDS, choices=ROWS)

    takes_names: ClassVar[bool] = True
    takes_batches: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    has_columns: ClassVar[bool] = True
    products: ClassVar[str | None] = "values"

    def for_table(self, table: Any) -> Measure:
        """Give the measure that suits the columns which take part."""
        by_names = isinstance(table, TypedTable) and table.is_mixed
        # Of a stream without moments of values, names take part.
        if by_names or (isinstance(table, StreamedTable) and table.values is None):
            return Mixed(rows=self.rows)
        return Pearson(squared=self.squared, rows=self.rows)

    def operator(self, table: Any) -> SimilarityOperator:
        """Prepare the columns for the measure that suits them."""
        return self.for_table(table).operator(table)

    def scale(
        self, operator: SimilarityOperator | None, *, n_samples: int, n_features: int
    ) -> Scale | None:
        """Refuse: the scale is known only after the table has decided the measure."""
        raise NotImplementedError


register(Auto())
