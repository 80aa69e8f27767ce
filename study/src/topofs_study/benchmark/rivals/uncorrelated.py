"""Dropping correlated columns: walk through the table, drop what is too like a column kept.

As feature-engine's DropCorrelatedFeatures does with a threshold on the absolute correlation:
columns in the order of the table, the first of each group stays. The threshold for a number of
columns is found by bisection: the lowest at which enough columns stay; of those, the first ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs_study.benchmark.rivals.unit_columns import squared_correlations

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["kept_below", "uncorrelated_columns"]

_BISECTIONS = 20


def uncorrelated_columns(
    X: npt.NDArray[np.floating[Any]], sizes: Sequence[int]
) -> dict[int, npt.NDArray[np.intp]]:
    """Choose as many columns as wanted, no two of them correlated above a threshold.

    Parameters
    ----------
    X : array, shape (n_samples, n_features)
        Every column varies.
    sizes : sequence of int
        Numbers of columns, none above n_features.

    Returns
    -------
    dict of int to array of int
        The columns of each size, in the order of the table.
    """
    alike = squared_correlations(X)
    return {size: _bisected(alike, size) for size in sizes}


def kept_below(
    alike: npt.NDArray[np.float64], threshold: float, most: int
) -> npt.NDArray[np.intp]:
    """Walk through the columns and keep those that are like none kept before.

    Parameters
    ----------
    alike : array, shape (n_features, n_features)
        r² of every pair.
    threshold : float
        Columns with a larger r² are too like each other.
    most : int
        Where to stop.

    Returns
    -------
    array of int
        The first columns that are kept.
    """
    possible = np.ones(len(alike), dtype=bool)
    kept: list[int] = []
    column = 0
    while len(kept) < most:
        further = np.flatnonzero(possible[column:])
        if not len(further):
            break
        column += int(further[0])
        kept.append(column)
        possible &= alike[column] <= threshold
        column += 1
    return np.array(kept, dtype=np.intp)


def _bisected(alike: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.intp]:
    """Lower the threshold as long as enough columns stay."""
    low, high = 0.0, 1.0
    best = kept_below(alike, high, size)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        found = kept_below(alike, middle, size)
        if len(found) >= size:
            high, best = middle, found
        else:
            low = middle
    return best
