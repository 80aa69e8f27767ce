"""Products of the columns of a sparse table, and sums over them, in float64.

A table lies in memory twice: column by column, as `starts`, `samples` and `data` have it, and
sample by sample, as `sample_starts`, `columns` and `sample_data`. Both ascend. Every sum over
samples is taken in their order, so that the bits of a product depend on its two columns only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs._kernels.cache_folder import njit

__all__ = [
    "moments_of_columns",
    "products_with_dense",
    "products_with_sparse",
    "write_mirrored",
]

Ints = npt.NDArray[np.integer[Any]]
Values = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def moments_of_columns(
    starts: Ints, data: Values, largest: Doubles, sums: Doubles, squares: Doubles
) -> None:
    """Write the largest absolute value, the sum and the sum of squares of each column."""
    for i in range(len(sums)):
        highest, total, square = 0.0, 0.0, 0.0
        for p in range(starts[i], starts[i + 1]):
            value = np.float64(data[p])
            highest = max(highest, abs(value))
            total += value
            square += value * value
        largest[i], sums[i], squares[i] = highest, total, square


@njit(cache=True, nogil=True)
def products_with_sparse(
    some: Ints,
    starts: Ints,
    samples: Ints,
    data: Values,
    sample_starts: Ints,
    columns: Ints,
    sample_data: Values,
    products: Doubles,
) -> None:
    """Write the products of some columns with the first columns of the table by samples.

    `products` has one row for each of `some`, and as many columns as are wanted.
    """
    stop = products.shape[1]
    for k in range(len(some)):
        row = products[k]
        row[:] = 0.0
        for p in range(starts[some[k]], starts[some[k] + 1]):
            sample, value = samples[p], np.float64(data[p])
            for q in range(sample_starts[sample], sample_starts[sample + 1]):
                j = columns[q]
                if j >= stop:
                    break
                row[j] += value * sample_data[q]


@njit(cache=True, nogil=True)
def products_with_dense(
    some: Ints, starts: Ints, samples: Ints, data: Values, dense: Values, products: Doubles
) -> None:
    """Write the products of some columns with those of a dense table, sample by sample."""
    n_dense = dense.shape[1]
    for k in range(len(some)):
        row = products[k]
        row[:] = 0.0
        for p in range(starts[some[k]], starts[some[k] + 1]):
            value, others = np.float64(data[p]), dense[samples[p]]
            for j in range(n_dense):
                row[j] += value * others[j]


@njit(cache=True, nogil=True)
def write_mirrored(block: Values, rows: Ints, columns: Ints, matrix: Values) -> None:
    """Write a block into a symmetric matrix, and its mirror image; the last columns are the rows.

    Of the square that rows and columns share, what is on and below its diagonal counts.
    """
    n_rows, n_columns = block.shape
    others = n_columns - n_rows
    for k in range(n_rows):
        for j in range(others + k + 1):
            matrix[rows[k], columns[j]] = block[k, j]
    for j in range(n_columns):
        for k in range(max(0, j - others), n_rows):
            matrix[columns[j], rows[k]] = block[k, j]
