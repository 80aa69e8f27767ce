"""One pass over a square matrix before it is filtered: sums, extremes and symmetry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from topofs._kernels.compiler import larger, njit
from topofs.typing import Doubles, Floats

# A tile and its mirror stay in the cache; 64 was the fastest of 8 to 256.
TILE = 64
# Sums computed together; they stay in the nearest cache.
LANES = 64


@njit(cache=True, nogil=True)
def check_rows(matrix: Floats, first: int, last: int, sums: Doubles) -> tuple[float, float]:
    """Largest |w_ij| and largest |w_ij − w_ji| of the rows first … last − 1; writes their sums.

    Mirrored entries are compared up to the diagonal. A sum is not finite if an entry is not
    finite; sums are those of `row_sums`. The matrix is C-contiguous.
    """
    largest, asymmetry = 0.0, 0.0
    for i in range(first, last, TILE):
        stop = min(i + TILE, last)
        # The rows of a tile are still in the cache when they are compared.
        largest = larger(row_sums(matrix, i, stop, sums), largest)
        asymmetry = larger(np.float64(_asymmetry_of_tile(matrix, i, stop)), asymmetry)
    return largest, asymmetry


@njit(cache=True, nogil=True)
def _asymmetry_of_tile(matrix: Floats, i0: int, i1: int) -> Any:
    """Largest |w_ij − w_ji| of the rows i0 … i1 − 1, at most `TILE`."""
    largest = matrix.dtype.type(0)
    mirror = np.empty((TILE, TILE), matrix.dtype)
    for j0 in range(0, i1, TILE):
        j1 = min(j0 + TILE, i1)
        # Copy in runs: if rows lie a power of two apart, reading one column misses the cache.
        for j in range(j0, j1):
            run = matrix[j, i0:i1]
            for i in range(i1 - i0):
                mirror[j - j0, i] = run[i]
        for i in range(i0, i1):
            run = matrix[i, j0:j1]
            for j in range(j1 - j0):
                largest = larger(abs(run[j] - mirror[j, i - i0]), largest)
    return largest


@njit(cache=True, nogil=True)
def row_sums(matrix: Floats, first: int, last: int, sums: Doubles) -> float:
    """Write the sums of the rows first … last − 1 into `sums`; return their largest |w_ij|.

    The bits are those of `topofs.similarity_matrix.row_sums`, which explains the method.
    """
    n = matrix.shape[1]
    largest, n_bits = 0.0, 0
    while n >> n_bits:
        n_bits += 1
    for i in range(first, last):
        row = matrix[i]
        peak = row.dtype.type(0)
        for j in range(n):
            peak = larger(abs(row[j]), peak)
        largest = larger(np.float64(peak), largest)
        # Adding it and subtracting it rounds to a multiple of its last bit.
        able, exponent = np.isfinite(peak), n_bits
        if able:
            exponent += math.frexp(np.float64(peak))[1]
            able = exponent < 1023
        total, rest = lane_sums(row, math.ldexp(1.5, exponent) if able else 0.0)
        sums[i] = total + rest
    return largest


@njit(cache=True, nogil=True)
def lane_sums(row: Floats, round_off: float) -> tuple[float, float]:
    """Sum the entries rounded by `round_off`, which is exact, and the rounding errors."""
    n = len(row)
    lanes, rests = np.zeros(LANES), np.zeros(LANES)
    for j in range(0, n - n % LANES, LANES):
        part = row[j : j + LANES]
        for lane in range(LANES):
            weight = np.float64(part[lane])
            rounded = (weight + round_off) - round_off
            lanes[lane] += rounded
            rests[lane] += weight - rounded
    for j in range(n - n % LANES, n):
        weight = np.float64(row[j])
        rounded = (weight + round_off) - round_off
        lanes[0] += rounded
        rests[0] += weight - rounded
    return lanes.sum(), rests.sum()


@njit(cache=True, nogil=True)
def exact_sums(matrix: Floats, level: float, sums: Doubles) -> None:
    """Write Σ_j w_ij·[w_ij > level], Σ_j w_ij, Σ_j w_ij² and Σ_j w_ij³ of each row.

    The sums, of shape (n_rows, 4), do not depend on the order of the columns.
    """
    for i in range(matrix.shape[0]):
        for kind in range(4):
            total, rest = 0.0, 0.0
            for weight in matrix[i]:
                term = np.float64(weight)
                for _ in range(kind - 1):
                    term *= weight
                if kind > 0 or weight > level:
                    # Knuth's two-sum: the rounding errors are summed separately.
                    after = total + term
                    added = after - total
                    rest += (total - (after - added)) + (term - added)
                    total = after
            sums[i, kind] = total + rest


@njit(cache=True, nogil=True)
def sum_above(row: Floats, level: float) -> float:
    """Σ_j w_j·[w_j > level], up to rounding."""
    n = len(row)
    lanes = np.zeros(LANES)
    for j in range(0, n - n % LANES, LANES):
        part = row[j : j + LANES]
        for lane in range(LANES):
            lanes[lane] += part[lane] if part[lane] > level else 0.0
    for j in range(n - n % LANES, n):
        lanes[0] += row[j] if row[j] > level else 0.0
    return lanes.sum()


@njit(cache=True, nogil=True)
def zero_below(matrix: Floats, level: float, first: int, last: int, sums: Doubles) -> None:
    """Set the entries of the rows first … last − 1 that are below `level` to 0.

    The new sums of the rows are written into `sums`; they are those of `row_sums`.
    """
    for i in range(first, last):
        row = matrix[i]
        for j in range(len(row)):
            row[j] = row[j] if row[j] >= level else 0
        row_sums(matrix, i, i + 1, sums)
