"""What the client does with what comes back from the chunks: checks and assembly."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["check_complete", "put_block"]

Floats = npt.NDArray[np.floating[Any]]


def check_complete(lowest: Floats, highest: Floats) -> None:
    """Refuse missing and infinite values by the extremes of columns, NaN where one is missing."""
    n_features = len(lowest)
    missing = np.flatnonzero(np.isnan(lowest) | np.isnan(highest))
    if missing.size:
        raise ValueError(
            f"{missing.size} of {n_features} columns of X have missing values (the first is "
            f"column {missing[0]}), which a dask table may not: fill them in first (as by "
            "X.fillna), or load the table with X.compute()"
        )
    infinite = np.flatnonzero(np.isinf(lowest) | np.isinf(highest))
    if infinite.size:
        raise ValueError(f"column {infinite[0]} of X holds an infinite value")


def put_block(similarity: Floats, block: Floats, rows: slice, columns: slice) -> None:
    """Put a block of the lower triangle, and its mirror image, into the matrix.

    Of a block on the diagonal only the entries below the diagonal count.
    """
    if rows == columns:
        above = np.triu_indices(len(block), k=1)
        block[above] = block.T[above]
        similarity[rows, rows] = block
    else:
        similarity[rows, columns] = block
        similarity[columns, rows] = block.T
