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
    """A column that was left out, and the selected one, if any, that explains a share of it."""

    name: str
    by: str | None
    share: float


@dataclass(frozen=True, eq=False)
class Asked:
    """Limits; `size` where it is more than a number, and `cost`, of each feature, of a budget.

    `n_free` columns are in no group, `spent` is what the selected ones cost, and `left_out`
    says which columns are redundant where only these are left out.
    """

    at_most: int | None
    n_groups: int
    n_free: int
    max_similarity: float | None
    size: Size | None
    cost: npt.NDArray[np.float64] | None
    spent: float
    left_out: tuple[Explained, ...]


def asked_of(selector: TopologicalFeatureSelector, features: Features) -> Asked:
    """Read off a fitted selector what was asked of it."""
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
