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

__all__ = ["Asked", "asked_of"]


@dataclass(frozen=True, eq=False)
class Asked:
    """Limits; `size` where it is more than a number, and `cost`, of each feature, of a budget.

    `n_free` columns are in no group, `spent` is what the selected ones cost. Where only redundant
    columns are left out, `n_redundant` are, and none explains those of `unexplained`.
    """

    at_most: int | None
    n_groups: int
    n_free: int
    max_similarity: float | None
    size: Size | None
    cost: npt.NDArray[np.float64] | None
    spent: float
    n_redundant: int
    unexplained: tuple[str, ...]


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
    out = np.empty(0, dtype=np.int64)
    if isinstance(size, MinShare):
        out = features.nodes[~selector.support_[features.nodes]]
    by = selector.representative_[out] if len(out) else out
    return Asked(
        at_most=None if selector.at_most is None else int(selector.at_most.number),
        n_groups=n_groups,
        n_free=n_free,
        max_similarity=selector.max_similarity,
        size=size,
        cost=cost,
        spent=0.0 if cost is None else float(cost[selector.support_].sum()),
        n_redundant=int((by >= 0).sum()),
        unexplained=tuple(names[i] for i in out[by < 0].tolist()),
    )
