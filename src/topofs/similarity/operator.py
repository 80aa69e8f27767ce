"""A similarity as blocks: what every measure offers, and how blocks become a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["SimilarityOperator", "Squared", "dense"]

Block = npt.NDArray[np.floating[Any]]

# Rows computed at a time: enough for a fast product, few enough to stay in the cache.
_ROWS = 256


class SimilarityOperator(Protocol):
    """A symmetric n × n matrix that is never held whole: any block of it on demand."""

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the finished similarity, float32 or float64."""

    def block(self, rows: slice, columns: slice) -> Block:
        """Entries of the given rows and columns, in a fresh array that may be overwritten."""

    def diagonal(self) -> Block:
        """The n diagonal entries, exact where the definition gives them."""


@dataclass(frozen=True)
class Squared:
    """Each entry of another operator, squared."""

    inner: SimilarityOperator

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return self.inner.n_features

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the finished similarity."""
        return self.inner.dtype

    def block(self, rows: slice, columns: slice) -> Block:
        """Entries of the given rows and columns."""
        block = self.inner.block(rows, columns)
        np.square(block, out=block)
        return block

    def diagonal(self) -> Block:
        """The n diagonal entries."""
        return np.asarray(np.square(self.inner.diagonal()))


def dense(operator: SimilarityOperator) -> Block:
    """Fill the whole matrix from the blocks of its lower triangle.

    The upper triangle is a copy of the lower one, so the result is exactly symmetric. Beyond
    the result, memory holds one block of rows.

    Parameters
    ----------
    operator : SimilarityOperator
        The similarity.

    Returns
    -------
    array of float32 or float64, shape (n, n)
    """
    n = operator.n_features
    similarity = np.empty((n, n), dtype=operator.dtype)
    above = np.triu_indices(min(_ROWS, n), k=1)
    for start in range(0, n, _ROWS):
        stop = min(start + _ROWS, n)
        similarity[start:stop, :stop] = operator.block(slice(start, stop), slice(0, stop))
        similarity[:start, start:stop] = similarity[start:stop, :start].T
        square = similarity[start:stop, start:stop]
        if stop - start < _ROWS:
            above = np.triu_indices(stop - start, k=1)
        square[above] = square.T[above]
    np.fill_diagonal(similarity, operator.diagonal())
    return similarity
