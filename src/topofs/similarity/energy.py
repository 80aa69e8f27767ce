"""The energy coefficient of Inf-FS: dispersion blended with dissimilarity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topofs.similarity.base import Measure, dense
from topofs.similarity.correlation import Spearman
from topofs.similarity.table import check_table
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Doubles, Floats

__all__ = ["Energy", "check_alpha", "energy"]


def energy(X: Any, *, alpha: float = 0.5) -> Floats:
    r"""Energy coefficient between all pairs of columns.

    .. math::
       \varphi_{ij} = \alpha \max(\sigma_i, \sigma_j) + (1 - \alpha)(1 - |\rho_{ij}|)

    σ is the population standard deviation of a column scaled to [0, 1], ρ is Spearman's
    correlation. On the diagonal, φᵢᵢ = α·σᵢ.

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Numbers; NaN marks a missing value.
    alpha : float, default=0.5
        Weight of the dispersion, in [0, 1].

    Returns
    -------
    array, shape (n_features, n_features)
        Exactly symmetric, between 0 and 1; float64, or float32 for float32 input.

    References
    ----------
    .. [1] Roffo, Melzi & Cristani, "Infinite Feature Selection", ICCV 2015.
    .. [2] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.

    Examples
    --------
    >>> from topofs.similarity import energy
    >>> energy([[0, 0], [0, 1], [1, 0], [1, 1]], alpha=0.5).tolist()
    [[0.25, 0.75], [0.75, 0.25]]
    """
    measure = Energy(alpha)
    table = check_table(X, no_sparse="similarity 'energy', unlike 'pearson', takes")
    return dense(measure.operator(table))


def check_alpha(alpha: Any) -> None:
    """Refuse a weight outside [0, 1]."""
    if not isinstance(alpha, Real) or not 0 <= float(alpha) <= 1:
        raise ValueError(f"alpha is {alpha!r}; it must be a number in [0, 1]")


@dataclass(frozen=True, repr=False)
class Energy(Measure):
    """The energy coefficient of Inf-FS: it grows with what columns do not share.

    Parameters
    ----------
    alpha : float, default=0.5
        Weight of the dispersion, in [0, 1].

    Examples
    --------
    >>> from topofs import Energy
    >>> Energy(alpha=0.25)
    Energy(alpha=0.25)
    """

    alpha: float = parameter(0.5, help="Weight of dispersion.", check=check_alpha)

    products: ClassVar[str | None] = "ranks"
    means_alike: ClassVar[bool] = False
    why_no_scale: ClassVar[str] = (
        "grows with what columns do not share, so no column represents another by it"
    )

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return "energy coefficient (spread and difference)"

    def operator(self, table: Floats) -> SimilarityOperator:
        """Rank the columns of a checked table and take their spread."""
        ranks: Any = Spearman(squared=False).operator(table)
        deviation = _unit_range_deviation(table)
        blend: SimilarityOperator = replace(
            ranks, kind="blend", alpha=self.alpha, deviation=deviation
        )
        return blend


register(Energy())


def _unit_range_deviation(X: Floats) -> Doubles:
    """Population standard deviation of each column scaled to [0, 1], over observed values."""
    lowest = np.fmin.reduce(X, axis=0).astype(np.float64)
    highest = np.fmax.reduce(X, axis=0).astype(np.float64)
    varying = highest > lowest
    lowest, highest = lowest[varying], highest[varying]
    # A power of two rounds nothing, and keeps a range from overflowing or vanishing.
    exponent = -np.frexp(np.maximum(highest, -lowest))[1]
    lowest, highest = np.ldexp(lowest, exponent), np.ldexp(highest, exponent)
    unit = np.ldexp(X[:, varying].astype(np.float64), exponent)
    unit = (unit - lowest) / (highest - lowest)
    deviation = np.zeros(X.shape[1])
    deviation[varying] = np.nanstd(unit, axis=0)
    return deviation
