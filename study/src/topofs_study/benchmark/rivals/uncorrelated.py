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
    """Choose, for each size, so many columns, no two of them correlated above a threshold."""
    alike = squared_correlations(X)
    return {size: _bisected(alike, size) for size in sizes}


def kept_below(
    alike: npt.NDArray[np.float64], threshold: float, most: int
) -> npt.NDArray[np.intp]:
    """Keep the first `most` columns whose r² with none kept before is above a threshold."""
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
