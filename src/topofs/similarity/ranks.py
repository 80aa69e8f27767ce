"""Average ranks of every column at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.ranks import write_centred_ranks
from topofs.row_threads import for_row_ranges

__all__ = ["doubled_centred_ranks"]


def doubled_centred_ranks(X: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    r"""Give each value :math:`2\,\mathrm{rank} - (m + 1)`, a whole number.

    The rank is the average rank among the m observed values of the column; doubled and
    centred it is an integer, and the integers of a column sum to zero.

    Parameters
    ----------
    X : array, shape (n_samples, n_features)
        NaN marks a missing value.

    Returns
    -------
    array of float64, shape (n_features, n_samples)
        One row a column of X; NaN where X is missing.

    Examples
    --------
    >>> import numpy as np
    >>> doubled_centred_ranks(np.array([[10.0], [30.0], [20.0], [20.0]])).tolist()
    [[-3.0, 3.0, 0.0, 0.0]]
    """
    n_samples, n_features = X.shape
    ranks = np.empty((n_features, n_samples))

    def rank(first: int, last: int) -> None:
        rows = np.ascontiguousarray(X[:, first:last].T)
        write_centred_ranks(rows, np.argsort(rows, axis=1), ranks[first:last])

    for_row_ranges(rank, n_features, n_samples)
    return ranks
