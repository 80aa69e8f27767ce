"""Columns without their mean and their unit, and how alike they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["in_fewest_rows", "squared_correlations", "unit_columns"]


def unit_columns(X: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    """Centre the columns of a table, which all vary, and scale them to length 1."""
    centred = np.asarray(X, dtype=np.float64) - np.mean(X, axis=0)
    return np.asarray(centred / np.linalg.norm(centred, axis=0))


def in_fewest_rows(columns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Turn the columns into a space of no more rows than columns: lengths and angles stay."""
    if columns.shape[0] <= columns.shape[1]:
        return columns
    return np.asarray(np.linalg.qr(columns, mode="r"))


def squared_correlations(X: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    """Give r² of every pair of columns: ones on the diagonal, nothing above 1."""
    units = unit_columns(X)
    squares = np.minimum((units.T @ units) ** 2, 1.0)
    np.fill_diagonal(squares, 1.0)
    return squares
