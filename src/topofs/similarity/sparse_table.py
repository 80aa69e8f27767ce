"""Pearson's correlation of a sparse table without making it dense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.similarity.correlation import finish_correlation
from topofs.similarity.table import is_constant

__all__ = ["SparseCorrelation", "sparse_correlation"]

Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SparseCorrelation:
    """Correlation from the sparse Gram matrix; the formula of `Correlation`.

    Attributes
    ----------
    values : scipy.sparse.csr_array, shape (n_features, n_samples)
        The columns, one a row, not centred.
    sums, spreads : arrays of float64, shape (n_features,)
        s and v of the formula; v = ∞ for a constant column.
    dtype : dtype
        The type of the finished similarity.
    """

    values: sparse.csr_array
    sums: Doubles
    spreads: Doubles
    dtype: np.dtype[Any]

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return int(self.values.shape[0])

    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of the given rows and columns."""
        gram = (self.values[rows] @ self.values[columns].T).toarray()
        return finish_correlation(
            gram,
            float(self.values.shape[1]),
            (self.sums[rows], self.sums[columns]),
            (self.spreads[rows], self.spreads[columns]),
        )

    def diagonal(self) -> Floats:
        """Ones."""
        return np.ones(self.n_features, dtype=self.dtype)


def sparse_correlation(X: sparse.csc_array) -> SparseCorrelation:
    r"""Prepare the columns of a sparse table for Pearson's correlation.

    Counts and other whole numbers give the very bits of the dense computation, because all
    sums are exact. Other columns are scaled to at most 1, and lose about
    :math:`\log_{10}(\mu^2/\sigma^2)` digits, since they cannot be centred and stay sparse.

    Parameters
    ----------
    X : scipy.sparse.csc_array, shape (n_samples, n_features)
        Finite.

    Returns
    -------
    SparseCorrelation
    """
    n_samples = X.shape[0]
    columns = sparse.csr_array(X.T, dtype=np.float64)
    whole = np.ones(columns.shape[0], dtype=np.bool_)
    row = np.repeat(np.arange(columns.shape[0]), np.diff(columns.indptr))
    whole[row[columns.data != np.rint(columns.data)]] = False
    largest = abs(columns).max(axis=1).toarray().ravel()
    scale = np.where(whole | (largest == 0), 1.0, largest)
    columns.data = columns.data / scale[row]
    sums = np.asarray(columns.sum(axis=1)).ravel()
    squares = np.asarray(columns.multiply(columns).sum(axis=1)).ravel()
    spreads = np.where(is_constant(X), np.inf, n_samples * squares - sums * sums)
    spreads[spreads <= 0] = np.inf
    return SparseCorrelation(columns, sums, spreads, X.dtype)
