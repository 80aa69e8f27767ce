"""Pairs of columns that are alike: found block by block, kept as a sparse matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.similarity.operator import SimilarityOperator

__all__ = ["pairs_from"]

_ROWS = 256
_BYTES = 24
"""What a pair takes while all are put together: two positions and a value."""


def pairs_from(
    similarity: SimilarityOperator,
    level: float,
    *,
    memory: int,
    strict: bool = False,
    change: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None,
) -> sparse.csr_array:
    """A symmetric matrix of the pairs whose similarity, changed first, reaches a level."""
    n = similarity.n_features
    left: list[npt.NDArray[np.int64]] = []
    right: list[npt.NDArray[np.int64]] = []
    values: list[npt.NDArray[Any]] = []
    n_pairs = 0
    for start in range(0, n, _ROWS):
        stop = min(start + _ROWS, n)
        block = similarity.block(slice(start, stop), slice(0, stop))
        block = block if change is None else change(block)
        least = block.dtype.type(level)
        i, j = np.nonzero(block > least if strict else block >= least)
        below = j < i + start
        i, j = i[below], j[below]
        n_pairs += len(i)
        if 2 * n_pairs * _BYTES > memory:
            raise ValueError(
                f"more than {n_pairs:,} pairs of the {n:,} columns have a similarity of "
                f"{level:g} or more, which do not fit into memory ({memory / 1e9:.3g} GB): ask "
                "for a higher similarity, or allow more memory"
            )
        left.append(i + start)
        right.append(j)
        values.append(block[i, j].astype(np.float64))
    rows, columns = np.concatenate(left), np.concatenate(right)
    both = (np.concatenate([rows, columns]), np.concatenate([columns, rows]))
    found = np.concatenate(values)
    return sparse.coo_array((np.concatenate([found, found]), both), shape=(n, n)).tocsr()
