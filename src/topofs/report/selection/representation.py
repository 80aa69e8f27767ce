"""Who represents whom, for a page: what a rule with groups found beside the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.selection.representing import running_groups

if TYPE_CHECKING:
    from topofs.report.selection.features import Features
    from topofs.rules.running_groups import RunningGroups
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["Representation", "representation_of"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Representation:
    """What a rule with groups says of a selection: the representatives at every size.

    `adds` is what each feature adds at its turn to what those before it represent, in columns'
    worth; 0 outside the network and where it cannot be selected. `isolated` features represent
    no other and no other represents them, ascending; none where the rule does not tell. The
    rule may select them by itself.
    `through` has, for each change of `running`, the feature next to it on the way to its
    representative, or -1.
    """

    running: RunningGroups
    adds: Floats
    isolated: Ints
    isolated_selected: bool
    through: Ints


def representation_of(
    selector: TopologicalFeatureSelector, features: Features
) -> Representation:
    """Read off a fitted selector who represents whom."""
    running = running_groups(selector)
    isolated = getattr(selector, "isolated_", np.empty(0, dtype=np.int64))
    free = np.setdiff1d(isolated, features.forced)
    by_itself = selector.at("auto").support_ if selector.rule_.has_end else selector.support_
    return Representation(
        running=running,
        adds=_adds(running, features),
        isolated=isolated,
        isolated_selected=bool(selector.rule_.has_end and len(free) and by_itself[free].all()),
        through=np.where(running.through < 0, -1, features.nodes[running.through]),
    )


def _adds(running: RunningGroups, features: Features) -> Floats:
    """The steps of the curve; the scores themselves where they are the same but for rounding."""
    adds = np.zeros(features.n_features)
    steps = len(features.nodes) * np.diff(running.curve)
    adds[features.nodes[features.node_order()]] = steps
    adds[features.order[features.most :]] = 0.0
    return features.scores if np.allclose(adds, features.scores, atol=1e-9) else adds
