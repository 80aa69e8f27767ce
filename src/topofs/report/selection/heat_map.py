"""How alike the selected features are, with like beside like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

__all__ = ["MOST_ROWS", "HeatMap", "heat_map"]

MOST_ROWS = 60
"""The most features that a heat map shows."""


@dataclass(frozen=True)
class HeatMap:
    """A symmetric square of similarities; `rows` are positions in the matrix that was given."""

    rows: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


def heat_map(similarity: npt.NDArray[np.float64]) -> HeatMap:
    """Order features so that like ones lie side by side.

    Average linkage on 1 − |s|, leaves in the optimal order (Bar-Joseph, Gifford & Jaakkola,
    "Fast optimal leaf ordering for hierarchical clustering", Bioinformatics 17, 2001).
    """
    m = len(similarity)
    if m < 3:
        return HeatMap(np.arange(m), similarity)
    distance = np.clip(1 - np.abs(similarity), 0, None)
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    rows = leaves_list(tree).astype(np.int64)
    return HeatMap(rows, similarity[np.ix_(rows, rows)])
