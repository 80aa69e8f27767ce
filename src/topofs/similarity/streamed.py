"""A table whose rows are read in batches: what one or two passes over them have found.

`StreamedTable` stands for the table where a measure takes one. The rows can be read again in
blocks of values. `ranks_of` turns the distribution of a column into ranks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.io.types import Column, TypedTable, merged_levels
from topofs.runtime import slices
from topofs.similarity.column_order import order_of_blocks, spans_of_sums
from topofs.similarity.moments import MomentCorrelation, merged, moments_of
from topofs.similarity.standard_columns import KnownCovariance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topofs.io.text_values import FormatCounts, TextKind
    from topofs.similarity.moments import Moments
    from topofs.typing import Doubles, Floats, Ints

MOST_CARRIERS = 1 << 10
"""Carriers of a column are counted up to this number."""

# Values of changed rows at a time.
_VALUES = 1 << 22
# Rows of a similarity that are searched for equal entries at a time.
_ROWS = 256


@dataclass(frozen=True, eq=False)
class Distribution:
    """The values of a column of numbers and how often each is there, or those of a grid.

    A value up to ``values[k]`` and above ``values[k - 1]`` counts as ``values[k]``. Without
    `exact` several values of the column are one of the grid.
    """

    values: Doubles
    counts: Ints
    exact: bool = True

    @property
    def ranks(self) -> Doubles:
        """Doubled and centred average ranks: 2·rank − (m + 1) among m values."""
        below = np.cumsum(self.counts) - self.counts
        return np.asarray(2.0 * below + self.counts - self.counts.sum(), dtype=np.float64)

    @property
    def error(self) -> float:
        r"""Largest error of a rank correlation by this column, as an angle.

        The ranks on the grid are the projection of the exact ranks; with p the shares of the
        grid's values, the angle between both is at most :math:`\\arcsin \\sqrt{\\sum p^3}`.
        """
        if self.exact:
            return 0.0
        shares = self.counts / self.counts.sum()
        lost = float((shares**3).sum())
        return float(np.arcsin(np.sqrt(min(1.0, lost / max(1e-300, 1 - lost)))))

    def ranked(self, row: Floats) -> Doubles:
        """Replace values by their ranks; NaN stays."""
        missing = np.isnan(row)
        place = np.searchsorted(self.values, row).clip(0, len(self.values) - 1)
        found: Doubles = self.ranks[place]
        found[missing] = np.nan
        return found


@dataclass(frozen=True, eq=False)
class StreamedColumn:
    """A column of a streamed table.

    Attributes
    ----------
    name : str
        The column.
    code_counts : array of int or None
        The rows of each code of a column of names, and at the end those without a name; None for
        numbers.
    distribution : Distribution or None
        The values of a column of numbers, where they are ranked.
    carriers : int or None
        Rows with another value than the most frequent one, if they are few.
    """

    name: str
    code_counts: Ints | None = None
    distribution: Distribution | None = None
    carriers: int | None = None

    @property
    def is_named(self) -> bool:
        """Whether it holds names."""
        return self.code_counts is not None

    @cached_property
    def levels(self) -> Ints:
        """The level of each code, and at the end that of a missing name; rare ones are merged."""
        assert self.code_counts is not None
        there = np.flatnonzero(self.code_counts)
        levels = np.zeros(len(self.code_counts), np.int64)
        last = int(there[-1]) == len(levels) - 1
        levels[there] = merged_levels(self.code_counts[there], last_is_missing=last)
        return levels

    @cached_property
    def level_counts(self) -> Ints:
        """The rows of each level."""
        assert self.code_counts is not None
        counts = np.bincount(self.levels, weights=self.code_counts)
        return np.asarray(counts, dtype=np.int64)

    @property
    def many_values(self) -> bool:
        """Whether a column of names has two different codes, missing names included."""
        return self.code_counts is not None and int(np.count_nonzero(self.code_counts)) > 1

    @property
    def nominal(self) -> bool:
        """Whether it is compared level by level: two levels are compared as a number."""
        return self.is_named and len(self.level_counts) > 2

    @property
    def n_product_rows(self) -> int:
        """Rows of a product: one, or one a level."""
        return len(self.level_counts) if self.nominal else 1

    @cached_property
    def ranking(self) -> Distribution:
        """The distribution by which the column is ranked: of its values, or of its two levels."""
        if self.is_named:
            return Distribution(
                np.arange(len(self.level_counts), dtype=float), self.level_counts
            )
        assert self.distribution is not None
        return self.distribution

    def levels_of(self, row: Floats) -> Ints:
        """The level of each code; NaN is a missing name."""
        return self.levels[np.where(np.isnan(row), -1, row).astype(np.int64)]

    def span(self) -> Doubles:
        """The extremes and the mean of the values; names count as −1 − code."""
        if self.is_named:
            assert self.code_counts is not None
            counts = self.code_counts[-2::-1]
            values = np.asarray(-1.0 - np.arange(len(counts))[::-1], dtype=np.float64)
            values, counts = values[counts > 0], counts[counts > 0]
        else:
            assert self.distribution is not None
            values, counts = self.distribution.values, self.distribution.counts
        above = np.array([(counts * (values - values[0])).sum()])
        found = spans_of_sums(
            values[:1], values[-1:], above, np.zeros(1, np.int64), counts.sum()
        )
        return np.asarray(found[0], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class StreamedTable:
    """Columns of a table of which moments are in memory, and the rows are not.

    Attributes
    ----------
    columns : tuple of StreamedColumn
        The columns.
    n_rows : int
        Number of rows.
    dtype : numpy.dtype
        The type of the similarity: float32 if all columns are, else float64.
    values : Moments or None
        The moments of the values, if no names take part.
    blocks : callable or None
        ``blocks(positions)`` iterates over arrays of the values of some columns: numbers, and
        codes of names; one column a row. None where rows cannot be read again.
    head : array
        The first rows, one column a row, as `blocks` gives them.
    positions : array of int
        The positions of the columns in the source.
    left_out : dict of int to str
        The columns that cannot be compared, with the reasons.
    typed : bool
        Whether columns of several kinds were asked for, and not numbers alone.
    read_from_text : tuple of Column
        Columns of text with a message, without their values.
    text : dict of str to tuple
        The counts of notations of each column of text, and what it holds.
    """

    columns: tuple[StreamedColumn, ...]
    n_rows: int
    dtype: np.dtype[Any]
    values: Moments | None
    blocks: Callable[[Ints], Iterator[Floats]] | None
    head: Floats
    positions: Ints
    left_out: dict[int, str] = field(default_factory=dict)
    typed: bool = False
    read_from_text: tuple[Column, ...] = ()
    text: dict[str, tuple[FormatCounts, TextKind]] = field(default_factory=dict)

    @classmethod
    def of_moments(cls, moments: Moments, dtype: np.dtype[Any]) -> StreamedTable:
        """A table of which only the moments of numbers are known."""
        n = moments.n_features
        columns = tuple(StreamedColumn(f"x{i}") for i in range(n))
        head, positions = np.empty((n, 0)), np.arange(n)
        return cls(columns, moments.n_rows, dtype, moments, None, head, positions)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.n_rows, len(self.columns)

    @property
    def has_names(self) -> bool:
        """Whether a column of names takes part, or may."""
        return any(column.is_named for column in self.columns)

    @property
    def first_rows(self) -> Floats | TypedTable:
        """The first rows, as a table in memory."""
        if not self.has_names:
            return self.head.T
        return TypedTable(
            tuple(
                Column(column.name, column.is_named, np.asarray(row, dtype=np.float64))
                for column, row in zip(self.columns, self.head, strict=True)
            )
        )

    def rare_columns(self, least: int) -> dict[int, int]:
        """Find the columns that fewer than `least` rows carry, and count those rows."""
        if least > MOST_CARRIERS:
            raise ValueError(
                f"min_carriers is {least}; in a stream of batches give at most {MOST_CARRIERS:,}"
            )
        if least < 2:
            return {}
        return {
            i: column.carriers
            for i, column in enumerate(self.columns)
            if column.carriers is not None and column.carriers < least
        }

    def __getitem__(self, key: tuple[slice, Ints]) -> StreamedTable:
        """Some columns, as of an array: ``table[:, positions]``."""
        which = np.asarray(key[1])
        return replace(
            self,
            columns=tuple(self.columns[i] for i in which),
            values=None if self.values is None else self.values.select(which),
            head=self.head[which],
            left_out={i: self.left_out[k] for i, k in enumerate(which) if k in self.left_out},
            positions=self.positions[which],
        )

    # Similarities

    def correlation(self, *, squared: bool) -> MomentCorrelation:
        """Pearson's correlation."""
        assert self.values is not None
        kind = "squared" if squared else "plain"
        return MomentCorrelation(moments=self.values, dtype=self.dtype, kind=kind)

    def rank_correlation(self, *, squared: bool) -> MomentCorrelation:
        """Spearman's correlation."""
        kind = "squared" if squared else "plain"
        return MomentCorrelation(moments=self.ranks, dtype=self.dtype, kind=kind, ranks=True)

    @cached_property
    def ranks(self) -> Moments:
        """The moments of the ranks, in one pass over the rows."""
        by = [column.ranking for column in self.columns]
        return self._products(
            lambda block: np.stack([d.ranked(row) for d, row in zip(by, block, strict=True)])
        )

    @property
    def starts(self) -> Ints:
        """The first row of each column in a product of levels, and the number of rows."""
        return np.cumsum([0, *(column.n_product_rows for column in self.columns)])

    @cached_property
    def levels(self) -> Moments:
        """The moments of ranks and of the levels of names, in one pass over the rows.

        A missing number has the middle rank, a missing name is a level.
        """
        starts = self.starts

        def expanded(block: Floats) -> Doubles:
            rows = np.zeros((int(starts[-1]), block.shape[1]))
            for start, column, row in zip(starts, self.columns, block, strict=False):
                if column.nominal:
                    rows[start + column.levels_of(row), np.arange(len(row))] = 1.0
                    continue
                values = column.levels_of(row).astype(float) if column.is_named else row
                rows[start] = np.nan_to_num(column.ranking.ranked(values), copy=False)
            return rows

        return self._products(expanded)

    def _products(self, change: Callable[[Floats], Doubles]) -> Moments:
        """The moments of changed rows, some samples at a time."""
        assert self.blocks is not None
        blocks = self.blocks(self.positions)
        step = max(256, _VALUES // int(self.starts[-1]))
        return merged(
            moments_of(change(block[:, some]), centred=False)
            for block in blocks
            for some in slices(block.shape[1], step)
        )

    @property
    def rank_error(self) -> float:
        """Largest error of a rank correlation: the two largest angles of columns on a grid."""
        angles = sorted(
            column.distribution.error
            for column in self.columns
            if column.distribution is not None
        )
        return float(sum(angles[-2:]))

    def covariance(self) -> KnownCovariance:
        """Products of the standardised columns, for the rule "variance"."""
        assert self.values is not None
        return KnownCovariance.of_numbers(
            self.values.standard_covariance(), self.n_rows, single=self.dtype == np.float32
        )

    def rank_covariance(self) -> KnownCovariance:
        """The same of the ranks."""
        moments = self.ranks
        return KnownCovariance.of_numbers(
            moments.standard_covariance(), self.n_rows, single=self.dtype == np.float32
        )

    # Order of the columns

    def value_order(self, similarity: Any) -> Ints:
        """An order of the columns by their values, as `value_order` gives it in memory.

        It decides between equal columns only. Where no two entries of the similarity are equal,
        nor two sums of rows, it decides nothing, and the rows are not read again.
        """
        spans = self._spans()
        if self.blocks is None or not _has_equal_entries(similarity):
            return np.lexsort(spans.T[::-1])
        named = np.array([column.is_named for column in self.columns], dtype=np.bool_)

        def blocks() -> Iterator[Floats]:
            assert self.blocks is not None
            for block in self.blocks(self.positions):
                if named.any():
                    block = np.array(block, dtype=np.float64)  # noqa: PLW2901
                    block[named] = -1 - block[named]
                yield block.T

        return order_of_blocks(blocks, spans)

    def _spans(self) -> Doubles:
        """The extremes and the mean of each column."""
        if self.values is not None:
            return self.values.spans()
        return np.array([column.span() for column in self.columns])


def _has_equal_entries(similarity: Any) -> bool:
    """Whether two pairs of columns are equally alike, or two columns have equal sums."""
    n = similarity.n_features
    entries, sums = [], []
    for rows in slices(n, _ROWS):
        block = np.asarray(similarity.block(rows, slice(0, n)))
        sums.append(block.sum(axis=1))
        above = np.arange(n) > np.arange(rows.start, rows.stop)[:, None]
        entries.append(block[above])
    every = np.concatenate(entries)
    total = np.concatenate(sums)
    return len(np.unique(every)) < len(every) or len(np.unique(total)) < len(total)
