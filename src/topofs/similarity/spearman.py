"""Spearman's rank correlation between the columns of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.similarity.correlation import correlation_of_ranks
from topofs.similarity.missing import pairwise_correlation
from topofs.similarity.operator import SimilarityOperator, Squared, dense
from topofs.similarity.ranks import doubled_centred_ranks
from topofs.similarity.table import check_table

__all__ = ["SPARSE_ADVICE", "spearman", "spearman_operator"]

SPARSE_ADVICE = (
    "ranks need a dense table, and X is sparse: use similarity 'pearson', or pass X.toarray()"
)


def spearman(X: Any, *, squared: bool = False) -> npt.NDArray[np.floating[Any]]:
    """Spearman's correlation between all pairs of columns: Pearson's of their average ranks.

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Numbers; NaN marks a missing value.
    squared : bool, default=False
        Return the square of each entry.

    Returns
    -------
    array, shape (n_features, n_features)
        Exactly symmetric, diagonal 1; float64, or float32 for float32 input. An undefined
        correlation (a constant column) is 0.

    Notes
    -----
    With 2·rank − (S + 1), whole numbers that sum to zero, the Gram matrix is exact for
    S < 30,000, so equal correlations come out equal to the last bit. With missing values
    each column is ranked once over its own observed values, and a pair is correlated over
    the samples that both have.

    References
    ----------
    .. [1] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.

    Examples
    --------
    >>> from topofs.similarity import spearman
    >>> spearman([[1, 1], [2, 10], [3, 100]]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return dense(
        spearman_operator(check_table(X, sparse_advice=SPARSE_ADVICE), squared=squared)
    )


def spearman_operator(X: npt.NDArray[np.floating[Any]], *, squared: bool) -> SimilarityOperator:
    """Prepare Spearman's correlation of a checked table, block by block on demand."""
    ranks = doubled_centred_ranks(X)
    operator: SimilarityOperator
    if np.isnan(ranks).any():
        operator = pairwise_correlation(ranks, X.dtype)
    else:
        operator = correlation_of_ranks(ranks, X.dtype)
    return Squared(operator) if squared else operator
