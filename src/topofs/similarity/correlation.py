"""Pearson's correlation between the columns of a table.

Spearman's rank correlation between the columns of a table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from topofs.similarity.base import Measure
from topofs.similarity.operator import SimilarityOperator, Squared, dense
from topofs.similarity.scale import correlation_scale
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs.network import Scale
    from topofs.similarity.standard_columns import StandardColumns


__all__ = ["CorrelationMeasure", "Pearson", "Spearman", "pearson", "spearman"]


SQUARED = "Let opposite columns count as alike, or not."


"""What it does to square a correlation."""


ROWS = ("independent", "ordered")


ROWS_WORDS = f"Rows are: {', '.join(ROWS)} (or --time COLUMN)."


"""What rows may be, and what it does to say so."""


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
    `topofs.similarity.correlation_blocks.Correlation`), so equal correlations come out equal to the
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
    from topofs.similarity.table import check_table

    return dense(Pearson(squared=squared).operator(check_table(X)))


@dataclass(frozen=True, repr=False)
class CorrelationMeasure(Measure):
    """A correlation of values or of ranks, or its square: base of `Pearson` and `Spearman`."""

    squared: bool = parameter(default=True, help=SQUARED, choices=(True, False))
    rows: str = parameter("independent", help=ROWS_WORDS, choices=ROWS)

    has_columns: ClassVar[bool] = True
    of_ranks: ClassVar[bool] = False

    @property
    def shares_variance(self) -> bool:
        """Whether a value is a share of variance."""
        return self.squared

    def share_of(self, values: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
        """Square correlations that are not squared yet; by a negative one nothing is shared."""
        return values if self.squared else np.square(np.maximum(values, 0))

    def scale(
        self, operator: SimilarityOperator | None, *, n_samples: int, n_features: int
    ) -> Scale:
        """Take off the bias of the square and count what chance explains as 0."""
        return correlation_scale(
            operator,
            n_samples=n_samples,
            n_features=n_features,
            squared=self.squared,
            ranks=self.of_ranks,
            ordered_rows=self.rows == "ordered",
        )

    def of_correlation(
        self, correlation: npt.NDArray[np.floating[Any]]
    ) -> npt.NDArray[np.floating[Any]]:
        """Square correlations, or leave them."""
        return np.square(correlation) if self.squared else correlation


@dataclass(frozen=True, repr=False)
class Pearson(CorrelationMeasure):
    """Pearson's correlation, or its square: the share of variance of a linear link.

    Parameters
    ----------
    squared : bool, default=True
        Square the correlation, so that strong negative links count as links.
    rows : {"independent", "ordered"}, default="independent"
        "ordered": the rows are in an order of time and may depend on each other. What chance
        gives is then that of fewer samples, found for each pair of columns from their
        autocorrelations (see `topofs.similarity.noise_floor`).

    Examples
    --------
    >>> from topofs import Pearson
    >>> Pearson(), Pearson(squared=False).words
    (Pearson(), 'Pearson correlation')
    """

    takes_sparse: ClassVar[bool] = True
    products: ClassVar[str | None] = "values"

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return "squared Pearson correlation" if self.squared else "Pearson correlation"

    @property
    def correlation(self) -> Pearson:
        """The same, not squared."""
        return Pearson(squared=False)

    def operator(self, table: Any) -> SimilarityOperator:
        """Prepare the columns of a checked table, dense or sparse, with NaN where missing."""
        from scipy import sparse

        from topofs.similarity.correlation_blocks import (
            correlation_of_values,
            pairwise_correlation,
        )
        from topofs.similarity.sparse import sparse_correlation
        from topofs.similarity.table import has_missing

        operator: SimilarityOperator
        if sparse.issparse(table):
            operator = sparse_correlation(table)
        elif has_missing(table):
            operator = pairwise_correlation(table.T, table.dtype)
        else:
            operator = correlation_of_values(table)
        return Squared(operator) if self.squared else operator

    def standard_columns(self, table: Any) -> StandardColumns:
        """Standardise the values; a missing one lies at the mean."""
        from topofs.similarity.standard_columns import standard_columns

        return replace(standard_columns(table), ordered_rows=self.rows == "ordered")


register(Pearson())


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
        from topofs.similarity.correlation_blocks import (
            correlation_of_ranks,
            doubled_centred_ranks,
            pairwise_correlation,
        )

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
