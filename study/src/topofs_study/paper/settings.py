"""The settings that the study tunes, in the order in which ties are broken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs.selection.compatibility import measure_of
from topofs.similarity import Energy

if TYPE_CHECKING:
    from topofs.similarity import Measure

__all__ = ["BASELINES", "GRIDS", "SIZES", "TUNED_METHODS", "Setting"]

SIZES = (10, 50, 100, 150, 200)
"""The paper's numbers of features to keep."""

TUNED_METHODS = ("tfs", "inf_fs")
"""The two methods the paper compares."""

BASELINES = ("random", "variance", "all")
"""The rivals without settings: random subsets, largest variance, every feature."""


@dataclass(frozen=True)
class Setting:
    """How one ranking of the features is made.

    Parameters
    ----------
    similarity : {"pearson", "spearman", "energy"}
        The similarity; Inf-FS always weighs by the energy.
    squared : bool
        Whether each correlation is squared.
    alpha : float or None
        The mixture of the energy.
    theta : float or None
        Share of the inverse spectral radius that damps the paths (Inf-FS only).
    """

    similarity: str
    squared: bool = False
    alpha: float | None = None
    theta: float | None = None

    @property
    def measure(self) -> Measure:
        """The similarity as a term of the library."""
        if self.alpha is not None:
            return Energy(self.alpha)
        return measure_of(self.similarity).replace(squared=self.squared)


_TENTHS = tuple(tenth / 10 for tenth in range(1, 10))

GRIDS = {
    "tfs": (
        Setting("pearson"),
        Setting("pearson", squared=True),
        Setting("spearman"),
        Setting("spearman", squared=True),
        *(Setting("energy", alpha=alpha) for alpha in _TENTHS),
    ),
    "inf_fs": tuple(
        Setting("energy", alpha=alpha, theta=theta) for alpha in _TENTHS for theta in _TENTHS
    ),
}
"""The settings tried for each method; the first of equal ones wins."""
