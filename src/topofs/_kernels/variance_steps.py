"""Steps of the search for columns that explain most variance, over a range of rows each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs._kernels.cache_folder import njit

__all__ = ["deflate_rows", "two_products"]

Doubles = npt.NDArray[np.float64]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def two_products(
    rows: npt.NDArray[np.floating[Any]],
    vectors: Doubles,
    products: Doubles,
    first: int,
    last: int,
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
