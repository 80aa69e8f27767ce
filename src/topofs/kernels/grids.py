"""Grids of powers of two that the values of a column lie on, so that sums of them are exact."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit

__all__ = [
    "ANY_GRID",
    "EXACT",
    "NO_GRID",
    "exact_grids_of_rows",
    "grid_of_values",
    "grids_of_rows",
    "grids_of_sparse_rows",
]

Values = npt.NDArray[Any]
IntArray = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

# The grid of values that lie on none, and that of zeros, which lie on all.
NO_GRID, ANY_GRID = -(10**6), 10**6
# Below this the power of two that makes whole numbers of the values is too large for float64.
LOWEST = -1000
# Every integer up to this one is a float64, so sums of products below it are exact.
EXACT = 2.0**53
# A range of more steps has a sum of squares beyond it.
RANGE_BITS = 27
# Half a range beyond these may overflow, or have no digits left.
SMALLEST, LARGEST = 2.0**-970, 2.0**1022


@njit(cache=True, nogil=True)
def exact_grids_of_rows(
    columns: Values, lowest: Doubles, highest: Doubles, grids: IntArray, shifts: Doubles
) -> None:
    """Find the coarsest grid of each row on which its sums are exact, or `NO_GRID`.

    With x₀ the lowest value of a row, c = (x − x₀)·2⁻ᵉ − shift are whole numbers near 0 and
    S·Σc² < 2⁵³: the largest such e goes into `grids`, the shift into `shifts`. Rows are finite,
    `lowest` and `highest` their extremes.
    """
    n = columns.shape[1]
    for i in range(len(columns)):
        row, first, last = columns[i], lowest[i], highest[i]
        grids[i], shifts[i] = NO_GRID, 0.0
        if first == last:
            grids[i] = 0
            continue
        half = last / 2 - first / 2
        if not SMALLEST < half < LARGEST:
            continue
        exponent = math.frexp(half)[1] + 1 - RANGE_BITS
        scale = math.ldexp(1.0, -exponent)
        bits = np.int64(0)
        for j in range(n):
            step = row[j] * scale
            if step != np.rint(step):
                bits = np.int64(-1)
                break
            bits |= np.int64((row[j] - first) * scale)
        if bits < 0:
            continue
        exponent += _zeros_at_end(bits)
        scale = math.ldexp(1.0, -exponent)
        total = 0.0
        for j in range(n):
            total += (row[j] - first) * scale
        shift, squares = np.rint(total / n), 0.0
        for j in range(n):
            squares += ((row[j] - first) * scale - shift) ** 2
        if n * squares < EXACT:
            grids[i], shifts[i] = exponent, shift


@njit(cache=True, nogil=True)
def grid_of_values(values: Values) -> int:
    """Find the largest e such that all values are whole multiples of 2ᵉ, at most 2⁵³ of them.

    `NO_GRID` where there is none, or a value is not finite; `ANY_GRID` for zeros.
    """
    peak = 0.0
    for value in values:
        if abs(value) > peak:
            peak = abs(np.float64(value))
    exponent = math.frexp(peak)[1] - 53 if peak > 0 else 0
    if exponent < LOWEST or peak == np.inf:
        return NO_GRID
    scale = math.ldexp(1.0, -exponent)
    bits = np.int64(0)
    for value in values:
        step = value * scale
        if step != np.rint(step):
            return NO_GRID
        bits |= np.int64(step)
    return ANY_GRID if bits == 0 else exponent + _zeros_at_end(bits)


@njit(cache=True, nogil=True)
def _zeros_at_end(bits: np.int64) -> int:
    count = 0
    while bits & 1 == 0:
        bits >>= 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def grids_of_rows(columns: Values, grids: IntArray) -> None:
    """Write `grid_of_values` of each row."""
    for i in range(len(columns)):
        grids[i] = grid_of_values(columns[i])


@njit(cache=True, nogil=True)
def grids_of_sparse_rows(data: Values, starts: npt.NDArray[Any], grids: IntArray) -> None:
    """Write `grid_of_values` of each row of a sparse table, from data[starts[i]] on."""
    for i in range(len(grids)):
        grids[i] = grid_of_values(data[starts[i] : starts[i + 1]])
