"""Spearman's rank correlation between the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from topofs.similarity.operator import SimilarityOperator, Squared, dense
from topofs.similarity.pearson import CorrelationMeasure
from topofs.terms import register

if TYPE_CHECKING:
    from topofs.similarity.standard_columns import StandardColumns

__all__ = ["Spearman", "spearman"]


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
    from topofs.similarity.table import check_table

    table = check_table(X, no_sparse="similarity 'spearman', unlike 'pearson', takes")
    return dense(Spearman(squared=squared).operator(table))


@dataclass(frozen=True, repr=False)
class Spearman(CorrelationMeasure):
    """Spearman's rank correlation, or its square.

    Parameters
    ----------
    squared : bool, default=True
        Square the correlation, so that strong negative links count as links.
    rows : {"independent", "ordered"}, default="independent"
        As in `topofs.Pearson`.

    Examples
    --------
    >>> from topofs import Spearman
    >>> Spearman(squared=False)
    Spearman(squared=False)
    """

    products: ClassVar[str | None] = "ranks"
    of_ranks: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return ("squared " if self.squared else "") + "Spearman rank correlation"

    @property
    def correlation(self) -> Spearman:
        """The same, not squared."""
        return Spearman(squared=False)

    def operator(self, table: npt.NDArray[np.floating[Any]]) -> SimilarityOperator:
        """Rank the columns of a checked table."""
        from topofs.similarity.correlation import correlation_of_ranks
        from topofs.similarity.missing import pairwise_correlation
        from topofs.similarity.ranks import doubled_centred_ranks

        ranks = doubled_centred_ranks(table)
        operator: SimilarityOperator
        if np.isnan(ranks).any():
            operator = pairwise_correlation(ranks, table.dtype)
        else:
            operator = correlation_of_ranks(ranks, table.dtype)
        return Squared(operator) if self.squared else operator

    def standard_columns(self, table: npt.NDArray[np.floating[Any]]) -> StandardColumns:
        """Standardise the ranks; a missing value has the middle one."""
        from topofs.similarity.standard_columns import standard_ranks

        return replace(standard_ranks(table), ordered_rows=self.rows == "ordered")


register(Spearman())
