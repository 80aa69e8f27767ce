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
    """Subtract u uᵀ from some rows in place, and sum up the squares of each.

    Parameters
    ----------
    covariance : array of float64, shape (n, n)
        Overwritten, in the rows first … last − 1.
    direction : array of float64, shape (n,)
        u.
    squares : array of float64, shape (n,)
        Gets the sum of squares of each of these rows.
    first, last : int
        The rows.
    """
    n = covariance.shape[0]
    for i in range(first, last):
        weight, total = direction[i], 0.0
        for j in range(n):
            entry = covariance[i, j] - weight * direction[j]
            covariance[i, j] = entry
            total += entry * entry
        squares[i] = total
