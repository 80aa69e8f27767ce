"""Pearson's correlation of a sparse table; only its dense columns are stored densely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from topofs.runtime import for_each, slices
from topofs.similarity.correlation import (
    ANY_GRID,
    EXACT,
    NO_GRID,
    CorrelationOperator,
    finish_correlation,
    grids_of_runs,
    unit_columns,
)
from topofs.similarity.table import is_constant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topofs.typing import Bools, Doubles, Floats, Ints

# Columns whose S·Σx² − (Σx)² keeps fewer than about ten digits are centred.
_LEAST_SPREAD = 1e-6
# A column with at least this share of stored entries is dense: multiplying all of its values
# with vector instructions takes no longer than visiting the stored ones.
_DENSE = 0.25
# Sparse columns that a thread multiplies at a time, dense ones, and values made float64 for it.
_ROWS, _DENSE_ROWS, _CHUNK = 64, 256, 1 << 20
# Products that are made correlations at a time.
_FINISHED = 1 << 17
# Sums of fourth powers of values between these bounds neither overflow nor vanish.
_MOST_BITS = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class SparseCorrelation(CorrelationOperator):
    r"""The formula of `Correlation` by the Gram matrix of columns that are not centred.

    `values` are all columns, one a row; `chosen` are those that are compared, in their order.
    Columns of which most values are stored lie dense in memory, as `dense` (n_samples, n_dense),
    and are multiplied by BLAS, those among them that must be centred as unit columns. The others
    lie there column by column and, in `by_samples`, sample by sample, and a product goes through
    the samples of one of them. `place` is where each column is among the dense ones, or −1 −
    where it is among the sparse ones. What is added up is float64; whether a column is dense
    depends on that column alone.
    """

    by_samples: sparse.csr_array
    dense: Floats
    place: Ints
    sums: Doubles
    spreads: Doubles
    chosen: Ints

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return len(self.chosen)

    @property
    def series(self) -> sparse.csr_array:
        """The columns that are compared, one a row."""
        return self.values[self.chosen]

    def select(self, columns: slice | Ints) -> SparseCorrelation:
        """The similarity among some of the columns."""
        return replace(self, chosen=self.chosen[columns])

    def cross(self, rows: slice | Ints, other: SparseCorrelation) -> Floats:
        """Entries between some columns of this and all of another selection of the same."""
        left, right = self.chosen[rows], other.chosen
        sums, spreads = self.sums[right], self.spreads[right]
        products = self._products(left, right)
        # A few rows at a time: temporaries are as large as what is finished.
        step = max(1, _FINISHED // max(1, len(right)))
        for some in slices(len(left), step):
            finish_correlation(
                products[some],
                float(self.n_samples),
                (self.sums[left[some]], sums),
                (self.spreads[left[some]], spreads),
            )
        return self._entries(products, rows, other)

    def triangle(self) -> Iterator[tuple[Ints, Ints]]:
        """Give rows and columns of blocks that cover every pair once, the largest first.

        The last columns of a block are its rows.
        """
        place = self.place[self.chosen]
        dense, thin = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        # As they follow each other in memory.
        dense, thin = dense[np.argsort(place[dense])], thin[np.argsort(-place[thin])]
        both = np.concatenate([dense, thin])
        for first in reversed(range(0, len(thin), _ROWS)):
            stop = len(dense) + min(first + _ROWS, len(thin))
            yield both[len(dense) + first : stop], both[:stop]
        for first in reversed(range(0, len(dense), _DENSE_ROWS)):
            stop = min(first + _DENSE_ROWS, len(dense))
            yield both[first:stop], both[:stop]

    def _products(self, left: Ints, right: Ints) -> Doubles:
        """Products of columns: dense with dense, sparse with dense, and sparse with sparse."""
        products = np.empty((len(left), len(right)))
        a, b = self.place[left], self.place[right]
        left_dense, right_dense = np.flatnonzero(a >= 0), np.flatnonzero(b >= 0)
        left_thin, right_thin = np.flatnonzero(a < 0), np.flatnonzero(b < 0)

        def put(rows: Ints, columns: Ints, product: Callable[[], Doubles]) -> None:
            if len(rows) and len(columns):
                products[np.ix_(rows, columns)] = product()

        def of_thin() -> Doubles:
            rows, columns = left[left_thin], right[right_thin]
            starts = self.values.indptr
            stored = [(starts[some + 1] - starts[some]).sum() for some in (rows, columns)]
            # Visit the samples of the columns with fewer entries: it is faster.
            if stored[1] < stored[0]:
                return self._of_sparse(columns, -1 - a[left_thin]).T
            return self._of_sparse(rows, -1 - b[right_thin])

        put(left_dense, right_dense, lambda: self._of_dense(a[left_dense], b[right_dense]))
        put(left_thin, right_dense, lambda: self._of_both(left[left_thin], b[right_dense]))
        put(left_dense, right_thin, lambda: self._of_both(right[right_thin], a[left_dense]).T)
        put(left_thin, right_thin, of_thin)
        return products

    def _of_dense(self, left: Ints, right: Ints) -> Doubles:
        """Products of dense columns: some samples of them at a time, in float64."""
        products = np.zeros((len(left), len(right)))
        step = max(256, _CHUNK // (len(left) + len(right)))
        for first in range(0, len(self.dense), step):
            samples = self.dense[first : first + step]
            a, b = (_taken(samples, some).astype(np.float64) for some in (left, right))
            products += a.T @ b
        return products

    def _of_both(self, columns: Ints, others: Ints) -> Doubles:
        """Products of sparse columns with dense ones."""
        from topofs._kernels.column_products import products_with_dense

        dense, by = _taken(self.dense, others), self.values
        products = np.empty((len(columns), len(others)))

        def multiply(rows: slice) -> None:
            some = columns[rows]
            products_with_dense(some, by.indptr, by.indices, by.data, dense, products[rows])

        for_each(multiply, slices(len(columns), _ROWS))
        return products

    def _of_sparse(self, columns: Ints, others: Ints) -> Doubles:
        """Products of sparse columns with some of the sparse ones by samples."""
        from topofs._kernels.column_products import products_with_sparse

        by, samples = self.values, self.by_samples
        stop = int(others.max()) + 1
        as_they_are = stop == len(others) and bool((np.diff(others) == 1).all())
        products = np.empty((len(columns), len(others)))

        def multiply(rows: slice) -> None:
            found = products[rows] if as_they_are else np.empty((len(columns[rows]), stop))
            products_with_sparse(
                columns[rows],
                *(by.indptr, by.indices, by.data),
                *(samples.indptr, samples.indices, samples.data),
                found,
            )
            if not as_they_are:
                products[rows] = found[:, others]

        for_each(multiply, slices(len(columns), _ROWS))
        return products


def _taken(table: Floats, columns: Ints) -> Floats:
    """Some columns of a dense table; neighbours are not copied."""
    if len(columns) == 1 + columns[-1] - columns[0] and (np.diff(columns) == 1).all():
        return table[:, columns[0] : columns[-1] + 1]
    return table[:, columns]


def sparse_correlation(X: sparse.csc_array) -> SparseCorrelation:
    """Prepare the columns of a sparse table without duplicate entries for their correlation.

    Counts and other multiples x of a power of two with S·Σx² < 2⁵³ give the bits of the dense
    computation, because all sums are exact.
    """
    from topofs._kernels.column_products import moments_of_columns

    n_samples, n_features = X.shape
    X = X if X.has_sorted_indices else X.sorted_indices()
    starts, data = X.indptr, X.data
    largest, sums, squares = np.empty((3, n_features))
    with np.errstate(over="ignore"):
        moments_of_columns(starts, data, largest, sums, squares)
    bits = np.frexp(largest)[1].astype(np.int64)
    if (abs(bits[largest > 0]) > _MOST_BITS).any():
        # A power of two rounds nothing.
        data = np.ldexp(data, np.repeat(-bits, np.diff(starts)))
        moments_of_columns(starts, data, largest, sums, squares)
    spreads = n_samples * squares - sums * sums
    grid = grids_of_runs(data, starts)
    some = (grid > NO_GRID) & (grid < ANY_GRID)
    exact = some & (n_samples * squares < EXACT * 4.0 ** np.where(some, grid, 0))
    constant = is_constant(X)
    accurate = exact | constant | (spreads > _LEAST_SPREAD * n_samples * squares)
    by_columns = sparse.csr_array((data, X.indices, starts), shape=X.shape[::-1])
    is_dense = (np.diff(starts) >= _DENSE * n_samples) | ~accurate
    dense = _dense_columns(by_columns, np.flatnonzero(is_dense), accurate)
    sums[~accurate], spreads[~accurate] = 0.0, n_samples
    spreads[constant] = np.inf
    place = np.where(is_dense, np.cumsum(is_dense) - 1, -np.cumsum(~is_dense))
    # The sparse columns, sample by sample.
    thin = by_columns[np.flatnonzero(~is_dense)]
    by_samples = sparse.csr_array(sparse.csc_array(thin).T)
    return SparseCorrelation(
        values=by_columns,
        dtype=X.dtype,
        by_samples=by_samples,
        dense=dense,
        place=place,
        sums=sums,
        spreads=spreads,
        chosen=np.arange(n_features),
    )


def _dense_columns(by_columns: sparse.csr_array, columns: Ints, accurate: Bools) -> Floats:
    """Some columns as a dense table; inaccurate ones become unit columns in float64."""
    dtype = by_columns.dtype if accurate.all() else np.dtype(np.float64)
    dense = np.empty((by_columns.shape[1], len(columns)), dtype=dtype)
    for rows in slices(len(columns), _ROWS):
        block = by_columns[columns[rows]].toarray().astype(dtype)
        wrong = ~accurate[columns[rows]]
        if wrong.any():
            block[wrong] = unit_columns(block[wrong])
        dense[:, rows] = block.T
    return dense
