r"""Facility location on r² of all pairs: :math:`F(S) = \sum_j \max_{i \in S} r_{ij}^2`, greedily.

The plain function, with nothing taken off for chance and no graph. It is written out here because
the library that has it, apricot 0.6.1, gives columns twice once nothing is left to gain (its issue
19): of 20 columns and their 20 copies, asked for all 40, it lists 29.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs_study.benchmark.rivals.unit_columns import squared_correlations

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["facility_location_order"]

_DECIMALS = 10


def facility_location_order(
    X: npt.NDArray[np.floating[Any]], size: int
) -> npt.NDArray[np.intp]:
    """Order columns by what each adds to the function; after `size` of them, as they stand."""
    alike = squared_correlations(X)
    covered = np.zeros(len(alike))
    # Gains only shrink, so a column whose gain is up to date and still largest is the next.
    # Rounded, so that two columns that share only with each other tie, and the first wins.
    sums = alike.sum(axis=1).round(_DECIMALS).tolist()
    waiting = [(-gain, column, 0) for column, gain in enumerate(sums)]
    heapq.heapify(waiting)
    chosen: list[int] = []
    while waiting and len(chosen) < size:
        _, column, asked = heapq.heappop(waiting)
        if asked == len(chosen):
            chosen.append(column)
            np.maximum(covered, alike[column], out=covered)
        else:
            gain = np.maximum(alike[column] - covered, 0.0).sum()
            heapq.heappush(waiting, (-round(float(gain), _DECIMALS), column, len(chosen)))
    others = np.setdiff1d(np.arange(len(alike)), chosen)
    return np.concatenate([np.array(chosen, dtype=np.intp), others])
