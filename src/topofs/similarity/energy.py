"""The energy coefficient of Inf-FS: dispersion blended with dissimilarity."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from topofs.similarity.base import Measure
from topofs.similarity.correlation import Spearman
from topofs.similarity.operator import Columns, SimilarityOperator, Transformed, dense
from topofs.terms import parameter, register

if TYPE_CHECKING:
    from topofs._kernels.column_weights import ColumnWeights

__all__ = ["Energy", "check_alpha", "energy"]

Floats = npt.NDArray[np.floating[Any]]


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
    from topofs.similarity.table import check_table

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
        ranks = Spearman(squared=False).operator(table)
        return _Energy(ranks, _unit_range_deviation(table), self.alpha)


register(Energy())


@dataclass(frozen=True)
class _Energy(Transformed):
    """φ from Spearman's correlation."""

    deviation: npt.NDArray[np.float64]
    alpha: float

    def diagonal(self) -> Floats:
        return (self.alpha * self.deviation).astype(self.dtype)

    def select(self, columns: Columns) -> _Energy:
        return _Energy(self.inner.select(columns), self.deviation[columns], self.alpha)

    def column_weights(self, level: float) -> ColumnWeights:
        from topofs._kernels.column_weights import ENERGY

        weights: ColumnWeights = self.inner.column_weights(level)
        return weights._replace(kind=ENERGY, alpha=self.alpha, deviation=self.deviation)

    def approximate_mean(self) -> None:
        return None

    def _transform(self, block: Floats, rows: Columns, other: Self, columns: Columns) -> None:
        np.abs(block, out=block)
        np.subtract(1.0, block, out=block)
        block *= 1 - self.alpha
        block += self.alpha * np.maximum.outer(self.deviation[rows], other.deviation[columns])


def _unit_range_deviation(X: Floats) -> npt.NDArray[np.float64]:
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
