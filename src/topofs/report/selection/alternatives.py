"""What could take the place of each selected column."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from topofs.report.selection.features import Features
    from topofs.selection import TopologicalFeatureSelector
    from topofs.selection.panel_answers import Substitute

__all__ = ["MOST_COLUMNS", "alternatives_of"]

MOST_COLUMNS = 60
"""For how many selected columns stand-ins are looked for."""

_MOST_EACH = 3


def alternatives_of(
    selector: TopologicalFeatureSelector, features: Features
) -> dict[int, tuple[Substitute, ...]]:
    """Find stand-ins for the selected columns, each with the rest fixed."""
    if not selector.has_groups:
        return {}
    first = features.order[: min(selector.n_features_, MOST_COLUMNS)]
    found: dict[int, tuple[Substitute, ...]] = {}
    # A rule of the user's own may have groups of a kind that cannot be searched.
    with suppress(AttributeError):
        for feature in first[np.isin(first, features.nodes)].tolist():
            found[feature] = selector.substitute(feature, n=_MOST_EACH)
    return found
