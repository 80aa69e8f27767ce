"""Pearson's correlation between the columns of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.similarity.correlation import correlation_of_values
from topofs.similarity.missing import pairwise_correlation
from topofs.similarity.operator import SimilarityOperator, Squared, dense
from topofs.similarity.sparse_table import sparse_correlation
from topofs.similarity.table import check_table

__all__ = ["pearson", "pearson_operator"]


def pearson(X: Any, *, squared: bool = False) -> npt.NDArray[np.floating[Any]]:
    r"""Pearson's correlation between all pairs of columns.

    .. math::
       r_{ij} = \frac{\sum_s (x_{si} - \bar x_i)(x_{sj} - \bar x_j)}
                     {\sqrt{\sum_s (x_{si} - \bar x_i)^2 \sum_s (x_{sj} - \bar x_j)^2}}

    Parameters
    ----------
    X : array-like or sparse matrix, shape (n_samples, n_features)
        Numbers; NaN marks a missing value in dense input. A sparse table stays sparse.
    squared : bool, default=False
        Return r² (shared variance) instead of r.

    Returns
    -------
    array, shape (n_features, n_features)
        Exactly symmetric, diagonal 1; float64, or float32 for float32 input. An undefined
        correlation (a constant column) is 0.

    Notes
    -----
    Columns of whole numbers go through the exact Gram matrix (see
    `topofs.similarity.correlation.Correlation`), so equal correlations come out equal to the
    last bit. Missing values are handled pair by pair, over the samples both columns have.

    References
    ----------
    .. [1] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.

    Examples
    --------
    >>> from topofs.similarity import pearson
    >>> pearson([[1, 2, 3], [2, 4, 1], [3, 6, 2]]).tolist()
    [[1.0, 1.0, -0.5], [1.0, 1.0, -0.5], [-0.5, -0.5, 1.0]]
    """
    return dense(pearson_operator(check_table(X), squared=squared))


def pearson_operator(X: Any, *, squared: bool) -> SimilarityOperator:
    """Prepare Pearson's correlation of a checked table, block by block on demand."""
    operator: SimilarityOperator
    if sparse.issparse(X):
        operator = sparse_correlation(X)
    elif np.isnan(X).any():
        operator = pairwise_correlation(X.T, X.dtype)
    else:
        operator = correlation_of_values(X)
    return Squared(operator) if squared else operator
