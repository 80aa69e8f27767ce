"""Mutual information between binned columns: links of any shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from topofs.similarity.measure import Measure
from topofs.similarity.operator import SimilarityOperator, dense
from topofs.similarity.shared_variance import FlooredScale
from topofs.terms import is_whole, parameter, register

if TYPE_CHECKING:
    from topofs.network import Scale

__all__ = ["MutualInformation", "mutual_information"]

Doubles = npt.NDArray[np.float64]

MOST_BINS = 255
"""A bin is one byte, and one is for missing values."""


def mutual_information(X: Any, *, n_bins: int | None = None) -> Doubles:
    r"""Informational correlation between all pairs of columns, from binned values.

    Each column is cut into bins of equal counts (equal values stay together), which for its
    negative are the same bins in reverse order. With
    :math:`n_{ab}` the samples in bin a of one column and b of the other,

    .. math::
       I_{ij} = \sum_{ab} \frac{n_{ab}}{S} \log \frac{S\,n_{ab}}{n_a n_b}
                - \frac{d_i d_j}{2S}, \qquad
       s_{ij} = \frac{1 - e^{-2 \max(0, I_{ij})}}{1 - e^{-2 \min(H_i, H_j)}},

    d the number of bins less one. The first formula is the mutual information less its bias
    under independence (Miller and Madow); the second puts it on the scale of a squared
    correlation, which it equals for normal columns (Linfoot) but for the loss of binning,
    and reaches 1 where one binned column tells the other (H is the entropy).

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Numbers; NaN marks a missing value and is a bin of its own.
    n_bins : int, optional
        Bins a column; by default :math:`\sqrt{S/5}`, at least 2 and at most 16, so that a
        cell of two independent columns expects five samples. A column whose middle value
        would lie between two bins (an even number of bins, an odd one of samples) has one
        bin more.

    Returns
    -------
    array of float64, shape (n_features, n_features)
        Exactly symmetric, in [0, 1], diagonal 1; 0 for constant columns.

    Notes
    -----
    Time is O(n² (S + b²)) with b bins: the cells of each pair are counted, which takes fewer
    steps than a product of one-hot rows. It sees links that are not monotone, which no
    correlation does, and sees the others less sharply.

    References
    ----------
    .. [1] E. H. Linfoot (1957). An informational measure of correlation. Information and
       Control 1(1), 85-89.
    .. [2] G. A. Miller (1955). Note on the bias of information estimates. Information Theory
       in Psychology, 95-100.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.similarity import mutual_information, pearson
    >>> x = np.linspace(-1, 1, 500)
    >>> X = np.column_stack([x, x**2, np.random.default_rng(0).normal(size=500)])
    >>> mutual_information(X).round(2).tolist()
    [[1.0, 0.96, 0.05], [0.96, 1.0, 0.05], [0.05, 0.05, 1.0]]
    >>> pearson(X, squared=True).round(2).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    from topofs.similarity.table import check_table

    measure = MutualInformation(n_bins)
    table = check_table(X, no_sparse="similarity 'mutual_information', unlike 'pearson', takes")
    return np.asarray(dense(measure.operator(table)), np.float64)


def check_bins(n_bins: Any) -> None:
    """Refuse a number of bins that a byte does not hold."""
    if n_bins is not None and not (is_whole(n_bins) and 2 <= n_bins <= MOST_BINS):
        raise ValueError(
            f"n_bins is {n_bins!r}; it must be a whole number from 2 to {MOST_BINS}"
        )


@dataclass(frozen=True, repr=False)
class MutualInformation(Measure):
    """Mutual information of binned columns, on the scale of a squared correlation.

    Parameters
    ----------
    n_bins : int, optional
        Bins a column, 2 to 255; by default as many as the samples can fill.

    Examples
    --------
    >>> from topofs import MutualInformation
    >>> MutualInformation(n_bins=8)
    MutualInformation(n_bins=8)
    """

    n_bins: int | None = parameter(None, help="Bins a column, 2 to 255.", check=check_bins)

    short_name: ClassVar[str] = "mutual_information"
    needs_independent_rows: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return "shared information, on the scale of a squared correlation"

    def operator(self, table: npt.NDArray[np.floating[Any]]) -> SimilarityOperator:
        """Cut the columns of a checked table into bins."""
        from topofs.similarity.binned_information import mutual_information_operator

        return mutual_information_operator(table, n_bins=self.n_bins)

    def scale(self, operator: Any, *, n_samples: int, n_features: int) -> Scale:  # noqa: ARG002
        """Count what chance explains as 0; its bias is off already."""
        return FlooredScale(operator)


register(MutualInformation())
