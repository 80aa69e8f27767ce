"""The mean threshold: a separate step between similarity and graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["threshold_mean"]


def threshold_mean(
    similarity: npt.ArrayLike, *, copy: bool = True
) -> npt.NDArray[np.floating[Any]]:
    r"""Set every entry below the mean of the whole matrix, diagonal included, to 0.

    .. math:: w_{ij} = s_{ij}\,[s_{ij} \ge \bar s], \qquad \bar s = n^{-2} \sum_{ij} s_{ij}

    The authors' program does this between the similarity and the TMFG; their text does not
    mention it.

    Parameters
    ----------
    similarity : array-like of float, shape (n, n)
        The similarity matrix.
    copy : bool, default=True
        False overwrites an array that is given, to save its memory.

    Returns
    -------
    array, shape (n, n)
        float32 for float32 input, else float64.

    Examples
    --------
    >>> from topofs.similarity import threshold_mean
    >>> threshold_mean([[1.0, 0.25], [0.25, 1.0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    values = np.asarray(similarity)
    dtype = np.float32 if values.dtype == np.float32 else np.float64
    values = np.array(values, dtype=dtype, copy=True if copy else None)
    mean = values.mean(dtype=np.float64)
    for row in values:
        row[row < mean] = 0
    return values
