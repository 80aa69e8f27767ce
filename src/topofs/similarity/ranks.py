"""Average ranks of every column at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.row_threads import for_each

__all__ = ["doubled_centred_ranks"]

Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]

# Values ranked at a time, so that caches hold them.
_BLOCK = 1 << 16
# Columns of a table that lie in one line of the cache.
_LEAST = 8


def doubled_centred_ranks(X: Floats) -> Doubles:
    """Give 2·rank − (m + 1), one row a column of X, by average ranks among m observed values.

    These are whole numbers that sum to zero in each row; NaN stays where X is missing.
    """
    n_samples, n_features = X.shape
    ranks = np.empty((n_features, n_samples))

    def rank(some: slice) -> None:
        _write_ranks(np.ascontiguousarray(X[:, some].T), ranks[some])

    step = max(_LEAST, _BLOCK // max(1, n_samples))
    for_each(rank, [slice(first, first + step) for first in range(0, n_features, step)])
    return ranks


def _write_ranks(rows: Floats, ranks: Doubles) -> None:
    """Give every value 2·rank − (m + 1), where m values of its row are not NaN.

    Equal values at the sorted positions first … last (from 0) share the average rank
    (first + last) / 2 + 1, whatever order they stand in.
    """
    length = rows.shape[1]
    order = np.argsort(rows, axis=1)  # NaN comes last
    order += length * np.arange(len(rows))[:, None]
    sorted_rows = rows.ravel()[order]
    begins = np.ones((len(rows), length + 1), np.bool_)
    np.not_equal(sorted_rows[:, 1:], sorted_rows[:, :-1], out=begins[:, 1:-1])
    missing = np.isnan(sorted_rows)
    observed = length - missing.sum(axis=1, keepdims=True)
    if begins.all():
        doubled = 2.0 * np.arange(length) - (observed - 1)
    else:
        # Runs of equal values, over all rows: where each begins, and how many it has.
        first = np.flatnonzero(begins[:, :-1])
        counts = np.diff(first, append=rows.size)
        doubled = np.repeat(2.0 * (first % length) + counts - 1, counts).reshape(rows.shape)
        doubled -= observed - 1
    doubled[missing] = np.nan
    ranks.reshape(-1)[order] = doubled
