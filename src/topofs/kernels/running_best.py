"""The best of a growing set, for each row of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit

__all__ = ["add_running_best", "doubled", "running_best"]

Block = npt.NDArray[np.floating[Any]]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def running_best(block: Block, order: Ints, first_row: int) -> tuple[Ints, Ints, Floats]:
    """List where the best entry of each row changes as columns are added one by one.

    Row r of the block belongs to node ``first_row + r``, which is never its own best. Back come
    the number of changes in each row; the positions in `order` at which the best changes, row
    by row, ascending in a row; and the best from there on. Invariant: after position p,
    ``best`` is the largest entry among ``order[: p + 1]`` but the node itself, and ``holder``
    the lowest column that has it.
    """
    n_rows, n = block.shape
    counts = np.zeros(n_rows, np.int64)
    positions = np.empty(16 * n_rows + 16, np.int64)
    values = np.empty(16 * n_rows + 16, np.float64)
    total = 0
    for row in range(n_rows):
        best, holder = -np.inf, n
        for position in range(n):
            column = order[position]
            entry = block[row, column]
            if column == first_row + row or entry < best:
                continue
            if entry > best or column < holder:
                if total == positions.shape[0]:
                    positions = doubled(positions)
                    values = doubled(values)
                best, holder = entry, column
                positions[total] = position
                values[total] = entry
                total += 1
                counts[row] += 1
    return counts, positions[:total].copy(), values[:total].copy()


@njit(cache=True, nogil=True)
def add_running_best(block: Block, order: Ints, curve: Floats) -> None:
    """Add to ``curve[p]`` the sum over the rows of their best entry among ``order[: p + 1]``.

    The diagonal counts.
    """
    n_rows, n = block.shape
    for row in range(n_rows):
        best = -np.inf
        for position in range(n):
            entry = np.float64(block[row, order[position]])
            best = max(best, entry)
            curve[position] += best


@njit(cache=True, nogil=True)
def doubled(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Copy an array into one of twice its length, for more to come."""
    longer = np.empty(2 * array.shape[0], array.dtype)
    longer[: array.shape[0]] = array
    return longer
