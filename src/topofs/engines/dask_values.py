"""What the client does with what comes back from the chunks: checks and assembly."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["check_complete", "put_block"]

Floats = npt.NDArray[np.floating[Any]]


def check_complete(lowest: Floats, highest: Floats) -> None:
    """Refuse a table with missing or infinite values.

    Parameters
    ----------
    lowest, highest : arrays of float, shape (n_features,)
        The extremes of each column; NaN where it has one.

    Examples
    --------
    >>> check_complete(np.array([0.0, np.nan]), np.array([1.0, np.nan]))
    Traceback (most recent call last):
    ValueError: 1 of 2 columns of X have missing values (the first is column 1), ...
    """
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

    Examples
    --------
    >>> similarity = np.zeros((2, 2))
    >>> put_block(similarity, np.array([[1.0, 8.0], [0.5, 1.0]]), slice(0, 2), slice(0, 2))
    >>> similarity.tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    if rows == columns:
        above = np.triu_indices(len(block), k=1)
        block[above] = block.T[above]
        similarity[rows, rows] = block
    else:
        similarity[rows, columns] = block
        similarity[columns, rows] = block.T
