"""Columns as standardised vectors of variance 1, for the rule "variance"."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs.runtime import for_row_ranges, slices
from topofs.similarity.column_order import move_rows
from topofs.similarity.correlation import doubled_centred_ranks, unit_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topofs.typing import Bools, Doubles, Floats, Ints

# Values that are worked on at a time, 4 MiB of them as float64.
_BLOCK = 1 << 19


@dataclass(frozen=True, eq=False)
class StandardColumns:
    """Columns of a table, centred; the variance of each, over all of its rows here, is 1.

    Rows ``starts[i] … starts[i + 1] - 1`` of `values` belong to column i: one for numbers, one
    a level for names. `degrees` are the dimensions that they span at most: 1, or the levels
    less one. `ordered_rows` says that the samples are in an order of time.
    """

    values: Any
    starts: Ints
    degrees: Ints
    ordered_rows: bool = field(default=False, kw_only=True)

    @property
    def n_rows(self) -> int:
        """Rows of all columns together."""
        return int(self.values.shape[0])

    @property
    def n_samples(self) -> int:
        """The length of a row."""
        return int(self.values.shape[1])

    @property
    def single(self) -> bool:
        """Whether the columns were prepared in single precision."""
        return bool(self.values.dtype == np.float32)

    @cached_property
    def tails(self) -> Doubles:
        """Sum of the fourth powers of each column, a measure of heavy tails."""
        sums = np.empty(self.n_rows)
        for rows, block in self._blocks():
            np.square(block, out=block)
            sums[rows] = np.einsum("ij,ij->i", block, block)
        return np.asarray(np.add.reduceat(sums, self.starts[:-1]))

    def in_order(self, order: Ints) -> StandardColumns:
        """Put the columns in another order: the i-th is ``order[i]`` of these.

        Values are moved in place where possible, so this object must not be used afterwards.
        """
        rows, values = rows_of(order, self.starts), self.values
        if isinstance(values, np.ndarray) and values.flags.owndata and values.flags.writeable:
            move_rows(values, rows)
        else:
            values = values[rows]
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[order])])
        return replace(self, values=values, starts=starts, degrees=self.degrees[order])

    def rows(self, which: Ints) -> Doubles:
        """Give some rows as float64, in a fresh array."""
        return np.asarray(self.values[which]).astype(np.float64)

    def times(self, vectors: Doubles) -> Doubles:
        """Multiply all rows with some vectors (columns), in one pass over the table."""
        return np.asarray(self.values @ vectors.astype(self.values.dtype), dtype=np.float64)

    def two_products(self, left: Doubles, right: Doubles) -> tuple[Doubles, Doubles]:
        """Multiply all rows with two vectors, in one pass and added up in float64."""
        from topofs._kernels.column_products import two_products

        vectors, products = np.stack([left, right]), np.empty((2, self.n_rows))
        for_row_ranges(
            lambda first, last: two_products(self.values, vectors, products, first, last),
            *self.values.shape,
        )
        return products[0], products[1]

    def combined(self, weights: Doubles) -> Doubles:
        """Add up all rows, weighted by each column of `weights`, in one pass over the table."""
        found = self.values.T @ weights.astype(self.values.dtype)
        return np.asarray(found, dtype=np.float64)

    def gram_of_rows(self) -> Doubles:
        """Products of all pairs of rows."""
        gram = self.values @ self.values.T
        return np.asarray(gram, dtype=np.float64)

    def gram_of_samples(self) -> Doubles:
        """Products of all pairs of samples."""
        gram = np.zeros((self.n_samples, self.n_samples))
        step = max(4 * _BLOCK // self.n_samples, self.n_samples)
        for rows in slices(self.n_rows, step):
            # Added up in float64: in single precision a block at a time is accurate enough.
            block = self.values[rows]
            gram += block.T @ block
        return gram

    def forms(self, matrix: Doubles, basis: Doubles | None = None) -> Doubles:
        """Give x⊤ M x of each row x, or of x projected away from a basis.

        The basis is orthonormal, and M, symmetric, is orthogonal to it already.
        """
        forms = np.empty(self.n_rows)
        narrow = matrix.astype(self.values.dtype)
        step = max(1, 4 * _BLOCK // self.n_samples)
        for rows in slices(self.n_rows, step):
            block = self.values[rows]
            if basis is not None:
                wide = block.astype(np.float64)
                block = (wide - (wide @ basis) @ basis.T).astype(narrow.dtype)
            forms[rows] = np.einsum("ij,ij->i", block @ narrow, block)
        return forms

    def squared_products(self) -> Doubles:
        """Sum of the squared products of each row with all rows, a few rows at a time."""
        sums = np.empty(self.n_rows)
        step = max(1, _BLOCK // max(self.n_rows, self.n_samples))
        for start in range(0, self.n_rows, step):
            rows = np.arange(start, min(start + step, self.n_rows))
            gram = self.times(self.rows(rows).T)
            sums[rows] = np.einsum("ij,ij->j", gram, gram)
        return sums

    def _blocks(self) -> Iterator[tuple[slice, Doubles]]:
        step = max(1, _BLOCK // self.n_samples)
        for rows in slices(self.n_rows, step):
            yield rows, self.rows(np.arange(rows.start, rows.stop))


@dataclass(frozen=True, eq=False)
class SparseStandardColumns(StandardColumns):
    """The same for a sparse table, which stays sparse: `values` minus the `shifts` of rows."""

    shifts: Doubles

    def in_order(self, order: Ints) -> SparseStandardColumns:
        """Put the columns in another order; of a sparse table each is one row."""
        return replace(super().in_order(order), shifts=self.shifts[order])  # type: ignore[return-value, call-arg]

    def rows(self, which: Ints) -> Doubles:
        """Give some rows, dense."""
        return np.asarray(self.values[which].toarray() - self.shifts[which][:, None])

    def times(self, vectors: Doubles) -> Doubles:
        """Multiply all rows with some vectors."""
        return np.asarray(self.values @ vectors - np.outer(self.shifts, vectors.sum(axis=0)))

    def two_products(self, left: Doubles, right: Doubles) -> tuple[Doubles, Doubles]:
        """Multiply all rows with two vectors."""
        products = self.times(np.column_stack([left, right]))
        return products[:, 0], products[:, 1]

    def combined(self, weights: Doubles) -> Doubles:
        """Add up all rows with some weights."""
        return np.asarray(self.values.T @ weights - self.shifts @ weights)

    def gram_of_rows(self) -> Doubles:
        """Products of all pairs of rows."""
        gram = (self.values @ self.values.T).toarray()
        gram -= self.n_samples * np.outer(self.shifts, self.shifts)
        return np.asarray(gram)

    def gram_of_samples(self) -> Doubles:
        """Products of all pairs of samples."""
        gram = (self.values.T @ self.values).toarray()
        mixed = self.values.T @ self.shifts
        gram -= mixed[:, None] + mixed[None, :] - self.shifts @ self.shifts
        return np.asarray(gram)

    def forms(self, matrix: Doubles, basis: Doubles | None = None) -> Doubles:
        """Give the value of a quadratic form at each row, or at what a basis leaves of it."""
        forms = np.empty(self.n_rows)
        for rows, block in self._blocks():
            if basis is not None:
                block -= (block @ basis) @ basis.T  # noqa: PLW2901 - in place
            forms[rows] = np.einsum("ij,ij->i", block @ matrix, block)
        return forms


@dataclass(frozen=True, eq=False)
class KnownCovariance:
    """Columns whose products are known, and their values are not: on workers, or in a stream.

    `covariance`, `starts` and `degrees` are those of `StandardColumns`.
    """

    covariance: Doubles
    starts: Ints
    degrees: Ints
    n_samples: int
    single: bool

    @classmethod
    def of_numbers(cls, covariance: Floats, n_samples: int, *, single: bool) -> KnownCovariance:
        """One row of products a column."""
        n = len(covariance)
        wide = covariance.astype(np.float64, copy=False)
        return cls(wide, np.arange(n + 1), np.ones(n, np.int64), n_samples, single)

    def in_order(self, order: Ints) -> KnownCovariance:
        """Put the columns in another order: the i-th is ``order[i]`` of these."""
        rows = rows_of(order, self.starts)
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[order])])
        covariance = self.covariance[np.ix_(rows, rows)]
        return replace(self, covariance=covariance, starts=starts, degrees=self.degrees[order])


def rows_of(columns: Ints, starts: Ints) -> Ints:
    """List the rows of some columns: those of column i are ``starts[i] … starts[i + 1] - 1``."""
    sizes = np.diff(starts)[columns]
    before = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(sizes.sum()) + np.repeat(starts[columns] - before, sizes))


def standard_columns(table: Any) -> StandardColumns:
    """Standardise the columns of a table of numbers; a sparse one stays sparse.

    A missing value (NaN) becomes the mean of its column, so that it adds nothing.
    """
    if sparse.issparse(table):
        return _sparse(table)
    return _dense(table, lambda block: _unit_rows(np.ascontiguousarray(block.T)))


def standard_ranks(table: Floats) -> StandardColumns:
    """Standardise the ranks of the columns of a table; a missing value gets the middle rank."""
    return _dense(
        table, lambda block: unit_columns(np.nan_to_num(doubled_centred_ranks(block)))
    )


def _dense(table: Floats, unit: Callable[[Floats], Floats]) -> StandardColumns:
    n_samples, n_features = table.shape
    values = np.empty((n_features, n_samples), dtype=table.dtype)
    step = max(1, _BLOCK // n_samples)
    for some in slices(n_features, step):
        values[some] = unit(table[:, some])
    return StandardColumns(values, np.arange(n_features + 1), np.ones(n_features, np.int64))


def _unit_rows(block: Floats) -> Floats:
    missing = np.isnan(block)
    if not missing.any():
        return unit_columns(block)
    filled = block.astype(np.float64)
    # A power of two rounds nothing, and keeps sums of large numbers finite.
    largest = np.nanmax(np.abs(filled), axis=1, keepdims=True)
    filled = np.ldexp(filled, -np.frexp(largest)[1])
    for _ in range(2):
        # The second turn removes what rounding left of a mean far larger than the spread.
        filled -= np.nanmean(filled, axis=1, keepdims=True)
    filled[missing] = 0.0
    length = np.sqrt(np.einsum("ij,ij->i", filled, filled))[:, None]
    return np.asarray(filled / np.where(length > 0, length, 1.0))


def _sparse(table: Any) -> SparseStandardColumns:
    columns = sparse.csr_array(table.T, dtype=np.float64)
    n_samples = table.shape[0]
    row = np.repeat(np.arange(columns.shape[0]), np.diff(columns.indptr))
    largest = abs(columns).max(axis=1).toarray().ravel()
    # A power of two rounds nothing.
    columns.data = np.ldexp(columns.data, -np.frexp(largest)[1][row])
    # A column without zeros may lie far from 0, so its lowest value is subtracted.
    zeros = n_samples - np.diff(columns.indptr)
    lowest = np.where(zeros == 0, columns.min(axis=1).toarray().ravel(), 0.0)
    columns.data -= lowest[row]
    means = np.asarray(columns.sum(axis=1)).ravel() / n_samples
    # Around the mean, so that a column that hardly varies loses no digits.
    stored = np.bincount(row, (columns.data - means[row]) ** 2, minlength=columns.shape[0])
    length = np.sqrt(stored + zeros * means**2)
    columns.data = columns.data / length[row]
    starts, degrees = np.arange(len(length) + 1), np.ones(len(length), np.int64)
    return SparseStandardColumns(columns, starts, degrees, means / length)


def standard_blocks(values: Doubles, starts: Ints, nominal: Bools) -> StandardColumns:
    """Standardise centred ranks, and the levels of nominal columns as blocks of 0/1 rows.

    Levels are scaled alike, 1[x = l] / √nₗ, centred, and all of a column to a variance of 1.
    """
    degrees = np.asarray(np.diff(starts) - nominal, dtype=np.int64)
    per_row = np.repeat(degrees, np.diff(starts))
    is_level = np.repeat(nominal, np.diff(starts))
    lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
    standard = values / lengths[:, None]
    # A level of n samples has the mean n / S, scaled as its values are.
    standard[is_level] -= (lengths[is_level] / values.shape[1])[:, None]
    standard /= np.sqrt(per_row)[:, None]
    return StandardColumns(standard, np.asarray(starts, dtype=np.int64), degrees)


def covariance_of_blocks(
    gram: Doubles, starts: Ints, nominal: Bools, n_samples: int
) -> KnownCovariance:
    """Give the products of the rows of `standard_blocks` from those of the rows as they are."""
    degrees = np.asarray(np.diff(starts) - nominal, dtype=np.int64)
    per_row = np.repeat(degrees, np.diff(starts))
    is_level = np.repeat(nominal, np.diff(starts))
    lengths = np.sqrt(gram.diagonal())
    means = np.where(is_level, lengths / n_samples, 0.0)
    covariance = gram / np.multiply.outer(lengths, lengths)
    covariance -= n_samples * np.multiply.outer(means, means)
    covariance /= np.sqrt(np.multiply.outer(per_row, per_row))
    return KnownCovariance(covariance, starts, degrees, n_samples, single=False)
