"""Pearson's correlation of a sparse table without making it dense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.similarity.correlation import finish_correlation, unit_columns
from topofs.similarity.grids import ANY_GRID, EXACT, NO_GRID, grids_of_runs
from topofs.similarity.operator import RowsAlike, SimilarityOperator
from topofs.similarity.table import is_constant

__all__ = ["sparse_correlation"]

Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]

# Columns whose S·Σx² − (Σx)² keeps fewer than about ten digits are centred in dense blocks.
_LEAST_SPREAD = 1e-6
_DENSE_COLUMNS = 1024


def sparse_correlation(X: sparse.csc_array) -> SimilarityOperator:
    """Prepare the columns of a sparse table without duplicate entries for their correlation.

    Counts and other multiples x of a power of two with S·Σx² < 2⁵³ give the bits of the dense
    computation, because all sums are exact.
    """
    n_samples = X.shape[0]
    columns = sparse.csr_array(X.T, dtype=np.float64)
    row = np.repeat(np.arange(columns.shape[0]), np.diff(columns.indptr))
    largest = abs(columns).max(axis=1).toarray().ravel()
    # A power of two rounds nothing.
    columns.data = np.ldexp(columns.data, -np.frexp(largest)[1][row])
    sums = np.asarray(columns.sum(axis=1)).ravel()
    squares = np.asarray(columns.multiply(columns).sum(axis=1)).ravel()
    spreads = n_samples * squares - sums * sums
    constant = is_constant(X)
    grid = grids_of_runs(columns.data, columns.indptr)
    some = (grid > NO_GRID) & (grid < ANY_GRID)
    exact = some & (n_samples * squares < EXACT * 4.0 ** np.where(some, grid, 0))
    accurate = exact | (spreads > _LEAST_SPREAD * n_samples * squares)
    if not (accurate | constant).all():
        return _DenseBlocks(sparse.csr_array(X.T), X.dtype)
    spreads[constant] = np.inf
    return _SparseGram(columns, sums, spreads, X.dtype)


@dataclass(frozen=True)
class _SparseGram(RowsAlike):
    """The formula of `Correlation` by the sparse Gram matrix of columns that are not centred."""

    values: sparse.csr_array
    sums: Doubles
    spreads: Doubles
    dtype: np.dtype[Any]

    def block(self, rows: slice, columns: slice) -> Floats:
        gram = (self.values[rows] @ self.values[columns].T).toarray()
        return finish_correlation(
            gram,
            float(self.n_samples),
            (self.sums[rows], self.sums[columns]),
            (self.spreads[rows], self.spreads[columns]),
        )


@dataclass(frozen=True)
class _DenseBlocks(RowsAlike):
    """Correlation of columns that must be centred: a few of them dense at a time."""

    values: sparse.csr_array
    dtype: np.dtype[Any]

    def block(self, rows: slice, columns: slice) -> Floats:
        left = unit_columns(self.values[rows].toarray())
        start, stop, _ = columns.indices(self.n_features)
        block = np.empty((len(left), stop - start), dtype=self.dtype)
        for first in range(start, stop, _DENSE_COLUMNS):
            last = min(first + _DENSE_COLUMNS, stop)
            right = unit_columns(self.values[first:last].toarray())
            block[:, first - start : last - start] = left @ right.T
        np.clip(block, -1.0, 1.0, out=block)
        return block
