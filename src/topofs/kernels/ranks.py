"""Average ranks from a sorting order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit

__all__ = ["write_centred_ranks"]


@njit(cache=True, nogil=True)
def write_centred_ranks(
    rows: npt.NDArray[Any], order: npt.NDArray[np.int64], ranks: npt.NDArray[np.float64]
) -> None:
    """Give every value 2·rank − (m + 1), where m values of its row are not NaN; NaN stays.

    `order` holds the positions of each row in ascending order, NaN last. Invariant: before each
    turn of the inner loop, sorted positions below `first` are done. Equal values at sorted
    positions first … last (from 0) share the average rank (first + last) / 2 + 1, whatever
    order they stand in.
    """
    n_rows, length = rows.shape
    for i in range(n_rows):
        observed = length
        while observed > 0 and np.isnan(rows[i, order[i, observed - 1]]):
            observed -= 1
            ranks[i, order[i, observed]] = np.nan
        first = 0
        while first < observed:
            value = rows[i, order[i, first]]
            last = first
            while last + 1 < observed and rows[i, order[i, last + 1]] == value:
                last += 1
            for position in range(first, last + 1):
                ranks[i, order[i, position]] = first + last - (observed - 1)
            first = last + 1
