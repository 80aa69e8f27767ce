"""One entry of a similarity, computed from two columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = ["CORRELATION", "ENERGY", "SQUARED", "ColumnWeights", "weight"]

# What becomes of a correlation.
CORRELATION, SQUARED, ENERGY = 0, 1, 2


class ColumnWeights(NamedTuple):
    """A similarity between n features, entry by entry, from prepared columns.

    kind : int
        CORRELATION, SQUARED or ENERGY.
    values : array, shape (n, S), C-contiguous
        The columns C of `topofs.similarity.correlation.Correlation`.
    scale, sums, spreads
        S, s and v of the formula r = (S·G_ij − s_i s_j) / √(v_i v_j).
    alpha, deviation
        For ENERGY: α, and the standard deviation of each column.
    level : float
        Entries below it are 0.
    """

    kind: int
    values: npt.NDArray[Any]
    scale: float
    sums: npt.NDArray[np.float64]
    spreads: npt.NDArray[np.float64]
    alpha: float
    deviation: npt.NDArray[np.float64]
    level: float


@njit(cache=True, nogil=True)
def weight(weights: ColumnWeights, i: int, j: int, like: npt.NDArray[Any]) -> float:
    """Compute entry (i, j) from two columns, in the type of the array `like`.

    The operations and their order are those of `Correlation.block`, so that columns of whole
    numbers give the bits of the matrix.
    """
    gram = weights.scale * _dot(weights.values[i], weights.values[j])
    gram -= weights.sums[i] * weights.sums[j]
    entry = gram / np.sqrt(weights.spreads[i] * weights.spreads[j])
    entry = min(1.0, max(-1.0, entry))
    if weights.kind == SQUARED:
        entry = entry * entry
    elif weights.kind == ENERGY:
        dispersion = max(weights.deviation[i], weights.deviation[j])
        entry = (1.0 - abs(entry)) * (1.0 - weights.alpha) + weights.alpha * dispersion
    rounded = like.dtype.type(entry)
    return rounded if rounded >= weights.level else like.dtype.type(0)


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def _dot(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
    """Sum of products in float64; in any order, which changes no sum of whole numbers."""
    total = 0.0
    for s in range(len(left)):
        total += np.float64(left[s]) * np.float64(right[s])
    return total
