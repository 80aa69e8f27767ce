"""The features of a fitted selector: names, scores and the order of their selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.selection.wishes import resolve_columns

if TYPE_CHECKING:
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["Features", "Ties", "features_of", "ties_at"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Features:
    """What is known of each feature, in the order of the table; names are untrusted text.

    `strengths`, the sums of the weights of edges, and `scores` are 0 outside the network.
    `score_groups` are equal for equal scores and ascend with them; -1 outside the network and
    where the score plays no part because the feature is forced or cannot be selected.
    The first k of `order` are selected at size k, forced ones first; no more than `most` of
    them go together. `nodes` are the features of the network's nodes, ascending.
    """

    names: tuple[str, ...]
    scores: Floats
    strengths: Floats
    score_groups: Ints
    forced: Ints
    order: Ints
    nodes: Ints
    excluded: Ints
    most: int

    @property
    def n_features(self) -> int:
        """Number of features, in the network or not."""
        return len(self.names)

    def node_order(self) -> Ints:
        """Nodes of the network in the order of selection."""
        return np.searchsorted(self.nodes, self.order[np.isin(self.order, self.nodes)])


@dataclass(frozen=True)
class Ties:
    """The score at the cut; how many features with it are selected, and how many are not."""

    score: float
    inside: int
    outside: int


def features_of(selector: TopologicalFeatureSelector) -> Features:
    """Read the features off a fitted selector."""
    n = selector.n_features_in_
    names = selector._column_names()  # noqa: SLF001 - as every message names them
    strengths = selector.strength_
    groups = np.full(n, -1)
    groups[selector.nodes_] = np.unique(selector.scores_[selector.nodes_], return_inverse=True)[
        1
    ]
    groups[selector.forced_] = -1
    order = np.argsort(selector.ranking_)
    groups[order[selector.n_selectable_ :]] = -1
    return Features(
        names=tuple(map(str, names)),
        scores=selector.scores_,
        strengths=strengths,
        score_groups=groups,
        forced=selector.forced_,
        order=order,
        nodes=selector.nodes_,
        excluded=resolve_columns(selector.exclude, names.tolist(), n, what="exclude"),
        most=selector.n_selectable_,
    )


def ties_at(features: Features, n_selected: int) -> Ties | None:
    """Find the features among which the cut had to choose."""
    order, groups = features.order, features.score_groups
    if n_selected == features.n_features:
        return None
    last, following = order[n_selected - 1], order[n_selected]
    if groups[last] < 0 or groups[last] != groups[following]:
        return None
    same = groups[order] == groups[last]
    inside = int(same[:n_selected].sum())
    return Ties(float(features.scores[last]), inside, int(same.sum()) - inside)
