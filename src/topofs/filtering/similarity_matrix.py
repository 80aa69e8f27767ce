"""The one check that every similarity matrix passes before it is filtered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["SimilarityMatrix", "check_similarity_matrix"]

# Tiles of 256 × 256 fit the cache: reading a tile and its mirror costs one pass over the matrix.
_TILE = 256


@dataclass(frozen=True)
class SimilarityMatrix:
    """A matrix that passed `check_similarity_matrix`.

    Attributes
    ----------
    values : array of float32 or float64, shape (n, n)
        C-contiguous, finite, symmetric up to rounding.
    mean : float
        Mean of all n² entries, the diagonal included.
    labels : tuple of str or None
        Column names, where the matrix came as a data frame.
    """

    values: npt.NDArray[np.floating[Any]]
    mean: float
    labels: tuple[str, ...] | None


def check_similarity_matrix(similarity: npt.ArrayLike) -> SimilarityMatrix:
    """Check that a matrix is square, finite and symmetric, and take its mean on the way.

    Symmetric means up to rounding: two mirrored entries may differ by √ε times the larger of
    1 and the largest entry around them (products of matrices, such as `numpy.corrcoef`, are
    off by the last bit). The work is done in tiles, without an n × n temporary.

    Parameters
    ----------
    similarity : array-like, shape (n, n)
        A similarity between n features; a data frame lends its column names as labels.

    Returns
    -------
    SimilarityMatrix

    Raises
    ------
    ValueError
        If the matrix is not square, not symmetric, or has NaN or infinite entries; the
        message names the first offending entry.

    Examples
    --------
    >>> check_similarity_matrix([[1.0, 0.5], [0.5, 1.0]]).mean
    0.75
    >>> check_similarity_matrix([[1.0, 0.5], [0.4, 1.0]])
    Traceback (most recent call last):
    ValueError: the similarity is not symmetric: entry (0, 1) is 0.5 but entry (1, 0) is 0.4
    """
    values = np.asarray(similarity)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(
            f"the similarity must be a square matrix; got the shape {values.shape}"
        )
    if values.shape[0] == 0:
        raise ValueError("the similarity is empty; give at least one feature")
    if values.dtype not in (np.float32, np.float64):
        if not np.can_cast(values.dtype, np.float64, casting="same_kind"):
            raise ValueError(f"the similarity must hold real numbers; got {values.dtype}")
        values = values.astype(np.float64)
    values = np.ascontiguousarray(values)
    total = _sum_of_symmetric_tiles(values)
    names = getattr(similarity, "columns", None)
    labels = None if names is None else tuple(str(name) for name in names)
    return SimilarityMatrix(values, total / values.size, labels)


def _sum_of_symmetric_tiles(values: npt.NDArray[np.floating[Any]]) -> float:
    n = len(values)
    tolerance = float(np.sqrt(np.finfo(values.dtype).eps))
    total = 0.0
    for i in range(0, n, _TILE):
        for j in range(0, i + 1, _TILE):
            tile = values[i : i + _TILE, j : j + _TILE]
            mirror = values[j : j + _TILE, i : i + _TILE]
            largest = max(1.0, float(tile.max()), -float(tile.min()))
            # A NaN or an infinity makes the difference NaN, which is not <= anything.
            with np.errstate(invalid="ignore", over="ignore"):
                difference = float(np.abs(tile - mirror.T).max())
            if not difference <= tolerance * largest or not np.isfinite(largest):
                _raise_first_offence(values, tolerance)
            total += float(tile.sum(dtype=np.float64))
            if i != j:
                total += float(mirror.sum(dtype=np.float64))
    return total


def _raise_first_offence(values: npt.NDArray[np.floating[Any]], tolerance: float) -> None:
    """Name the first offending entry, row by row; values that cannot be used come first."""
    for i, row in enumerate(values):
        bad = np.flatnonzero(~np.isfinite(row))
        if bad.size:
            raise ValueError(
                f"entry ({i}, {bad[0]}) of the similarity is {row[bad[0]]}; every entry must "
                "be a finite number (put 0 where a similarity is undefined)"
            )
    largest = max(1.0, float(np.abs(values).max()))
    for strictest in (tolerance * largest, tolerance):
        for i, row in enumerate(values):
            bad = np.flatnonzero(np.abs(row - values[:, i]) > strictest)
            if bad.size:
                j = bad[0]
                raise ValueError(
                    f"the similarity is not symmetric: entry ({i}, {j}) is {row[j]} but entry "
                    f"({j}, {i}) is {values[j, i]}"
                )
