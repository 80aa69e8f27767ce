"""Who stands for whom, for a page: what rule "coverage" found beside the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.report.selection.coverage import Coverage
from topofs.rules.running_groups import running_groups

if TYPE_CHECKING:
    from topofs.report.selection.features import Features
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["Standing", "standing_of"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Standing:
    """What rule "coverage" says of a selection.

    Attributes
    ----------
    stop : int
        The size at which the selection stops by itself.
    asked_for : bool
        Whether a size was given, rather than "auto".
    reach : str
        Whom a feature may stand for: "paths", "edges" or "similarity".
    isolated : array of int
        Features that share with no other more than chance explains, ascending.
    isolated_kept : bool
        Whether the automatic size keeps them.
    through : array of int
        For each change of `SelectionSummary.coverage`: the feature next to it on the way to
        its representative, or -1.
    n_links : int or None
        Links that carry shared variance; None where links play no part.
    """

    stop: int
    asked_for: bool
    reach: str
    isolated: Ints
    isolated_kept: bool
    through: Ints
    n_links: int | None


def standing_of(
    selector: TopologicalFeatureSelector, features: Features
) -> tuple[Coverage, Standing]:
    """Read off a fitted selector who stands for whom.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted with rule "coverage".
    features : Features
        Its features.

    Returns
    -------
    coverage : Coverage
        The representatives of the nodes at every size. Its curve is that of `coverage_`,
        unless features that are kept in any case come before the ranking.
    standing : Standing
        What else the rule found.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> from topofs.report.selection.features import features_of
    >>> selector = TopologicalFeatureSelector(2).fit(load_wine().data)
    >>> coverage, standing = standing_of(selector, features_of(selector))
    >>> standing.stop, standing.asked_for, float(coverage.curve[4].round(2))
    (4, True, 0.57)
    """
    groups = running_groups(selector, features.node_order())
    given = selector.n_features_to_select
    standing = Standing(
        stop=selector.at("auto").n_features_,
        asked_for=not (isinstance(given, str) and given == "auto"),
        reach=selector.reach,
        isolated=selector.isolated_,
        isolated_kept=selector.isolated == "keep",
        through=np.where(groups.through < 0, -1, features.nodes[groups.through]),
        n_links=groups.n_links,
    )
    return Coverage(groups.curve, groups.starts, groups.positions, groups.values), standing
