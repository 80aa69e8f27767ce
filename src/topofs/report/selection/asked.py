"""What the user asked for beside a number: limits, costs and sizes that are terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.selection.sizes import Budget, MinShare, Size

if TYPE_CHECKING:
    from topofs.report.selection.features import Features
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["Asked", "Explained", "asked_of"]


@dataclass(frozen=True)
class Explained:
    """A column that was left out, and the selected one that explains it.

    Attributes
    ----------
    name : str
        Untrusted text.
    by : str or None
        The selected column; None where none explains it.
    share : float
        The share of its variance.
    """

    name: str
    by: str | None
    share: float


@dataclass(frozen=True, eq=False)
class Asked:
    """Limits and sizes.

    Attributes
    ----------
    at_most : int or None
        How many selected columns of a group there may be.
    n_groups, n_free : int
        How many groups there are, and how many columns are in none.
    max_similarity : float or None
        No two selected columns are more alike.
    size : Size or None
        Where it is more than a number.
    cost : array of float, shape (n_features,), or None
        What each column costs.
    spent : float
        What the selected ones cost.
    left_out : tuple of Explained
        Where only redundant columns are left out: which, and why.
    """

    at_most: int | None
    n_groups: int
    n_free: int
    max_similarity: float | None
    size: Size | None
    cost: npt.NDArray[np.float64] | None
    spent: float
    left_out: tuple[Explained, ...]

    @property
    def leaves_out_redundant(self) -> bool:
        """Whether everything is selected but what another one explains."""
        return isinstance(self.size, MinShare)

    @property
    def within_budget(self) -> bool:
        """Whether costs decided how many are selected."""
        return isinstance(self.size, Budget)


def asked_of(selector: TopologicalFeatureSelector, features: Features) -> Asked:
    """Read off a fitted selector what was asked of it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import Budget, TopologicalFeatureSelector
    >>> from topofs.report.selection.features import features_of
    >>> selector = TopologicalFeatureSelector(Budget(3)).fit(load_wine().data)
    >>> asked_of(selector, features_of(selector)).spent
    3.0
    """
    given = selector.n_features_to_select
    size = given if isinstance(given, Size) else None
    names = list(features.names)
    n_groups = n_free = 0
    if selector.at_most is not None:
        group, labels = selector.at_most.groups(names)
        n_groups, n_free = len(labels), int((group < 0).sum())
    cost = size.costs(names, len(names)) if isinstance(size, Budget) else None
    return Asked(
        at_most=None if selector.at_most is None else int(selector.at_most.number),
        n_groups=n_groups,
        n_free=n_free,
        max_similarity=selector.max_similarity,
        size=size,
        cost=cost,
        spent=0.0 if cost is None else float(cost[selector.support_].sum()),
        left_out=_left_out(selector, features) if isinstance(size, MinShare) else (),
    )


def _left_out(
    selector: TopologicalFeatureSelector, features: Features
) -> tuple[Explained, ...]:
    """The nodes that are not selected, those that are explained best first."""
    names, by, share = features.names, selector.representative_, selector.shares_
    others = features.nodes[~selector.support_[features.nodes]]
    others = others[np.argsort(-share[others], kind="stable")]
    return tuple(
        Explained(names[i], names[by[i]] if by[i] >= 0 else None, float(share[i]))
        for i in others.tolist()
    )
