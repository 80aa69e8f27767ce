"""Take one direction out of a covariance, and sum up what is left."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = ["deflate_rows"]

Doubles = npt.NDArray[np.float64]


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
