"""Products of columns in float64: of sparse tables, and for the rule "variance".

A sparse table lies in memory twice: column by column, as `starts`, `samples` and `data` have it,
and sample by sample, as `sample_starts`, `columns` and `sample_data`. Both ascend. Every sum over
samples is taken in their order, so that the bits of a product depend on its two columns only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs._kernels.compiler import njit
from topofs.typing import Doubles, Floats

# Indices of a sparse table come as 32 or 64 bits.
Indices = npt.NDArray[np.integer[Any]]


@njit(cache=True, nogil=True)
def moments_of_columns(
    starts: Indices, data: Floats, largest: Doubles, sums: Doubles, squares: Doubles
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
    some: Indices,
    starts: Indices,
    samples: Indices,
    data: Floats,
    sample_starts: Indices,
    columns: Indices,
    sample_data: Floats,
    products: Doubles,
) -> None:
    """Write the products of some columns with the first columns of the table by samples.

    `products` has one row for each of `some`, and may have fewer columns than the table.
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
    some: Indices,
    starts: Indices,
    samples: Indices,
    data: Floats,
    dense: Floats,
    products: Doubles,
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
def write_mirrored(block: Floats, rows: Indices, columns: Indices, matrix: Floats) -> None:
    """Write a block and its mirror image into a symmetric matrix; the last columns are rows.

    In the square that rows and columns share, entries on and below the diagonal are read.
    """
    n_rows, n_columns = block.shape
    others = n_columns - n_rows
    for k in range(n_rows):
        for j in range(others + k + 1):
            matrix[rows[k], columns[j]] = block[k, j]
    for j in range(n_columns):
        for k in range(max(0, j - others), n_rows):
            matrix[columns[j], rows[k]] = block[k, j]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def two_products(
    rows: Floats, vectors: Doubles, products: Doubles, first: int, last: int
) -> None:
    """Multiply the rows first … last − 1 with two vectors, added up in float64, shape (2, n)."""
    left, right = vectors[0], vectors[1]
    for i in range(first, last):
        row = rows[i]
        with_left, with_right = 0.0, 0.0
        for s in range(row.shape[0]):
            value = np.float64(row[s])
            with_left += value * left[s]
            with_right += value * right[s]
        products[0, i] = with_left
        products[1, i] = with_right


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def deflate_rows(
    covariance: Doubles, direction: Doubles, squares: Doubles, first: int, last: int
) -> None:
    """Subtract u uᵀ from the rows first … last − 1 in place, and sum up the squares of each."""
    n = covariance.shape[0]
    for i in range(first, last):
        weight, total = direction[i], 0.0
        for j in range(n):
            entry = covariance[i, j] - weight * direction[j]
            covariance[i, j] = entry
            total += entry * entry
        squares[i] = total
