"""The mean threshold: a separate step between similarity and graph."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["threshold_links_in_place", "threshold_mean", "threshold_mean_in_place"]

Matrix = npt.NDArray[np.floating[Any]]


def threshold_mean(similarity: npt.ArrayLike) -> Matrix:
    r"""Set every entry below the mean of the whole matrix, diagonal included, to 0.

    .. math:: w_{ij} = s_{ij}\,[s_{ij} \ge \bar s], \qquad \bar s = n^{-2} \sum_{ij} s_{ij}

    The authors' program does this between the similarity and the TMFG; their text does not
    mention it.

    Parameters
    ----------
    similarity : array-like of float, shape (n, n)
        Symmetric, finite.

    Returns
    -------
    array, shape (n, n)
        A new matrix; float32 for float32 input, else float64.

    Examples
    --------
    >>> from topofs.similarity import threshold_mean
    >>> threshold_mean([[1.0, 0.25], [0.25, 1.0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    from topofs.similarity_matrix import check_similarity_matrix

    matrix = check_similarity_matrix(similarity)
    values = matrix.values.copy()
    _zero_below(values, matrix.mean)
    return values


def threshold_mean_in_place(similarity: Matrix) -> float:
    """Do the same to a matrix that needs no check, without a copy; return its new mean."""
    from topofs.similarity_matrix import sum_and_peak

    total, _ = sum_and_peak(similarity)
    return _zero_below(similarity, total / similarity.size)


def threshold_links_in_place(similarity: Matrix) -> float:
    """Set entries below the mean of those off the diagonal to 0; return the new mean of all.

    Entries that are equal up to rounding are all links, or none is.
    """
    from topofs.similarity_matrix import sum_and_peak

    n = len(similarity)
    total = sum_and_peak(similarity)[0] - math.fsum(np.diagonal(similarity))
    mean = total / max(1, n * (n - 1))
    return _zero_below(similarity, mean - 1e-9 * abs(mean))


def _zero_below(similarity: Matrix, level: float) -> float:
    """Set entries below the level to 0 and return the mean of what is left."""
    from topofs.matrix_sums import zero_below
    from topofs.row_threads import for_row_ranges

    n = len(similarity)
    sums = np.empty(n)
    for_row_ranges(lambda i, j: zero_below(similarity, level, i, j, sums), n, n)
    return math.fsum(sums) / similarity.size
