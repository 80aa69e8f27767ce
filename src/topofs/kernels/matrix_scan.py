"""One pass over a square matrix: what must be known before it is filtered."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = ["largest_asymmetry", "row_sums", "sums_above", "zero_below"]

Matrix = npt.NDArray[Any]

# A tile and its mirror stay in the cache; 64 was the fastest of 8 to 256.
TILE = 64


@njit(cache=True, nogil=True)
def largest_asymmetry(matrix: Matrix, first: int, last: int) -> float:
    """Largest |w_ij − w_ji| over the rows first … last − 1 and the columns up to the diagonal.

    Parameters
    ----------
    matrix : array of float32 or float64, shape (n, n), C-contiguous
        Finite.
    first, last : int
        A range of rows, so that threads can share the work.

    Returns
    -------
    float
    """
    largest = 0.0
    for i0 in range(first, last, TILE):
        i1 = min(i0 + TILE, last)
        for j0 in range(0, i1, TILE):
            for i in range(i0, i1):
                for j in range(j0, min(j0 + TILE, i)):
                    difference = abs(matrix[i, j] - matrix[j, i])
                    largest = difference if difference > largest else largest
    return largest


@njit(cache=True, nogil=True)
def row_sums(matrix: Matrix, first: int, last: int, sums: npt.NDArray[np.float64]) -> float:
    """Write the sums of the rows first … last − 1 into `sums`; return their largest |w_ij|.

    Eight sums run side by side and are added in a fixed order, so that the bits depend on
    nothing but the row.
    """
    n = matrix.shape[1]
    lanes = np.zeros(8, np.float64)
    peaks = np.zeros(8, np.float64)
    for i in range(first, last):
        row = matrix[i]
        lanes[:] = 0.0
        for j in range(0, n - 7, 8):
            for lane in range(8):
                weight = row[j + lane]
                lanes[lane] += weight
                peaks[lane] = max(peaks[lane], abs(weight))
        for j in range(n - n % 8, n):
            lanes[0] += row[j]
            peaks[0] = max(peaks[0], abs(row[j]))
        sums[i] = _add_lanes(lanes)
    largest = 0.0
    for peak in peaks:
        largest = max(largest, peak)
    return largest


@njit(cache=True, nogil=True)
def sums_above(
    matrix: Matrix, level: float, first: int, last: int, sums: npt.NDArray[np.float64]
) -> None:
    """Write Σ_j w_ij·[w_ij > level] of the rows first … last − 1 into `sums`.

    The order of summation is that of `row_sums`.
    """
    n = matrix.shape[1]
    lanes = np.zeros(8, np.float64)
    for i in range(first, last):
        row = matrix[i]
        lanes[:] = 0.0
        for j in range(0, n - 7, 8):
            for lane in range(8):
                weight = row[j + lane]
                lanes[lane] += weight if weight > level else 0.0
        for j in range(n - n % 8, n):
            lanes[0] += row[j] if row[j] > level else 0.0
        sums[i] = _add_lanes(lanes)


@njit(cache=True, nogil=True)
def zero_below(
    matrix: Matrix, level: float, first: int, last: int, sums: npt.NDArray[np.float64]
) -> None:
    """Set the entries of the rows first … last − 1 that are below `level` to 0.

    The sums of the rows after that go into `sums`; they are those of `row_sums`.
    """
    n = matrix.shape[1]
    lanes = np.zeros(8, np.float64)
    for i in range(first, last):
        row = matrix[i]
        lanes[:] = 0.0
        for j in range(0, n - 7, 8):
            for lane in range(8):
                weight = row[j + lane] if row[j + lane] >= level else 0
                row[j + lane] = weight
                lanes[lane] += weight
        for j in range(n - n % 8, n):
            row[j] = row[j] if row[j] >= level else 0
            lanes[0] += row[j]
        sums[i] = _add_lanes(lanes)


@njit(cache=True, nogil=True)
def _add_lanes(lanes: npt.NDArray[np.float64]) -> float:
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + (
        (lanes[4] + lanes[5]) + (lanes[6] + lanes[7])
    )
