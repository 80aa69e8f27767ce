"""Average ranks of every column at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.ranks import write_centred_ranks
from topofs.row_threads import for_row_ranges

__all__ = ["doubled_centred_ranks"]


def doubled_centred_ranks(X: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    """Give 2·rank − (m + 1), one row a column of X, by average ranks among m observed values.

    These are whole numbers that sum to zero in each row; NaN stays where X is missing.
    """
    n_samples, n_features = X.shape
    ranks = np.empty((n_features, n_samples))

    def rank(first: int, last: int) -> None:
        rows = np.ascontiguousarray(X[:, first:last].T)
        write_centred_ranks(rows, np.argsort(rows, axis=1), ranks[first:last])

    for_row_ranges(rank, n_features, n_samples)
    return ranks
