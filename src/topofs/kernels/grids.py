"""The coarsest grid of powers of two that the values of a column lie on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.larger import larger

__all__ = ["NO_GRID", "grid_of_values", "grids_of_rows", "grids_of_sparse_rows"]

Values = npt.NDArray[Any]
IntArray = npt.NDArray[np.int64]

# The grid of a column that lies on none.
NO_GRID = -(10**6)
# Below this the power of two that makes whole numbers of the values is too large for float64.
LOWEST = -1000


@njit(cache=True, nogil=True)
def grid_of_values(values: Values, bits: int) -> int:
    """Find the largest e such that all values are whole multiples of 2ᵉ.

    Parameters
    ----------
    values : array of float32 or float64
        A column.
    bits : int
        The digits of their type, 24 or 53: no value may be more than 2**bits multiples.

    Returns
    -------
    int
        0 for zeros; `NO_GRID` where there is none, or a value is not finite.
    """
    peak = values.dtype.type(0)
    for j in range(len(values)):
        peak = larger(abs(values[j]), peak)
    if peak == 0 or not np.isfinite(peak):
        return 0 if peak == 0 else NO_GRID
    exponent = math.frexp(np.float64(peak))[1] - bits
    if exponent < LOWEST:
        return NO_GRID
    scale = math.ldexp(1.0, -exponent)
    found = np.int64(0)
    for value in values:
        step = value * scale
        if step != np.rint(step):
            return NO_GRID
        found |= np.int64(step)
    while found & 1 == 0:
        found >>= 1
        exponent += 1
    return exponent


@njit(cache=True, nogil=True)
def grids_of_rows(columns: Values, bits: int, grids: IntArray) -> None:
    """Write `grid_of_values` of each row."""
    for i in range(len(columns)):
        grids[i] = grid_of_values(columns[i], bits)


@njit(cache=True, nogil=True)
def grids_of_sparse_rows(
    data: Values, starts: npt.NDArray[Any], bits: int, grids: IntArray
) -> None:
    """Write `grid_of_values` of each row of a sparse table, from data[starts[i]] on."""
    for i in range(len(grids)):
        grids[i] = grid_of_values(data[starts[i] : starts[i + 1]], bits)
