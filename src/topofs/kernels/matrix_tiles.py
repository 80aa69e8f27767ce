"""Tiles of a matrix of similarities: products that become entries, and their mirror images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import finish_row, is_plain

if TYPE_CHECKING:
    from topofs.kernels.column_weights import ColumnWeights

__all__ = ["finish_tile"]

Matrix = npt.NDArray[np.floating[Any]]

# Rows that are finished before they are mirrored: a line of the cache for each column.
_ROWS = 8


@njit(cache=True, nogil=True)
def finish_tile(
    gram: Matrix, weights: ColumnWeights, first: int, left: int, matrix: Matrix
) -> None:
    """Write the entries of a tile of the lower triangle of a matrix, and their mirror image.

    `gram`, C-contiguous, are products of the columns from `first` on with those from `left` on;
    what it has above the diagonal is not looked at, and the level is not applied. A thread that
    fills a tile needs the interpreter for the product and for this.
    """
    m, width = gram.shape
    right = left + width
    plain = is_plain(weights, first, first + m) and is_plain(weights, left, right)
    for start in range(first, first + m, _ROWS):
        stop = min(start + _ROWS, first + m)
        for i in range(start, stop):
            end = min(right, i + 1)
            products, row = gram[i - first, : end - left], matrix[i, left:end]
            finish_row(products, weights, i, weights, left, plain, row)
        for j in range(left, min(right, stop)):
            for i in range(max(start, j + 1), stop):
                matrix[j, i] = matrix[i, j]
