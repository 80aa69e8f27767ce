"""Greedy column subset selection under wishes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.rules.chance_gain import WORTH
from topofs.rules.greedy import beginnings
from topofs.rules.rule import Ranking
from topofs.rules.variance_reach import VarianceReach
from topofs.rules.wishes import OpenNodes

if TYPE_CHECKING:
    from topofs.rules.residuals import Residuals
    from topofs.rules.variance_space import VarianceSpace
    from topofs.rules.wishes import Wishes

__all__ = ["variance_ranking"]

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

FULL_ORDER = 2e9
"""All columns are put in order one by one where that takes so many multiplications."""

BY_ITSELF = 200
"""Where nobody asked for a number, at least so many columns are put in order one by one."""

_NEAR = 16
_SAME, _SAME_SINGLE = 1e-9, 1e-6


@dataclass
class _Found:
    """What a search took, in order."""

    nodes: list[int]
    gains: list[float]
    end: int | None
    no_structure: bool
    remaining: Doubles

    @property
    def total(self) -> float:
        return float(sum(self.gains))


def variance_ranking(space: VarianceSpace, wishes: Wishes) -> Ranking:
    """Order nodes so that each next one explains most of what is left of all.

    Nodes that were not reached follow by what they would explain next, then nodes that are
    explained already, the strongest first; those that may not be selected come last.
    """
    ranking = _ranking_of_columns(space, wishes.renumbered(space.nodes))
    scores = np.empty(wishes.n_nodes)
    scores[space.nodes] = ranking.scores
    return replace(ranking, order=space.nodes[ranking.order], scores=scores)


def _ranking_of_columns(space: VarianceSpace, wishes: Wishes) -> Ranking:
    """The same for columns as they stand in the space: what ties goes to the first of them."""
    found = _search(space, wishes) if wishes.cost is None else _within_budget(space, wishes)
    n = wishes.n_nodes
    rest = np.setdiff1d(np.arange(n), found.nodes)
    strength = space.residuals().gains()[0] if len(rest) else np.empty(0)
    left = found.remaining[rest]
    keys = (left, strength[rest])
    # Rounded: equal ones differ by rounding only. Those explained have -inf left.
    order = rest[np.lexsort([rest, *(-np.round(key, 9) for key in reversed(keys))])]
    taken = np.array(found.nodes, dtype=np.int64)
    everyone, n_selectable = wishes.given(taken).applied(np.concatenate([taken, order]))
    scores = np.zeros(n)
    scores[found.nodes] = found.gains
    scores[rest] = np.where(np.isfinite(left), left, 0.0)
    scores[everyone[n_selectable:]] = 0.0
    covered = np.full(n, found.total / n)
    covered[: len(found.gains)] = np.cumsum(found.gains) / n
    return Ranking(
        everyone,
        scores,
        max(1, len(taken) if found.end is None else found.end),
        VarianceReach(space),
        np.full(n, found.no_structure),
        n_selectable,
        np.minimum(covered, 1.0),
    )


def _within_budget(space: VarianceSpace, wishes: Wishes) -> _Found:
    """The better of two sets, by gain and by gain for its cost; few nodes: of many more."""
    found = [_search(space, wishes), _search(space, wishes, by_cost=True)]
    more = beginnings(wishes.chosen, wishes, np.arange(wishes.n_nodes))
    found += [_search(space, wishes.given(first), by_cost=True) for first in more]
    best = max(found, key=lambda one: one.total)
    # The same set, in the order in which its nodes add most.
    outside = np.setdiff1d(np.arange(wishes.n_nodes), best.nodes)
    again = _search(space, replace(wishes, excluded=outside))
    again.remaining[outside] = best.remaining[outside]
    return again


def _search(space: VarianceSpace, wishes: Wishes, *, by_cost: bool = False) -> _Found:
    """Take nodes one by one, those chosen beforehand first, while they add something."""
    residuals = space.residuals()
    pick = _Picker(residuals, wishes.cost if by_cost else None)
    state = OpenNodes(wishes, [])
    found = _Found([], [], None, no_structure=False, remaining=np.empty(0))
    untaken = np.ones(wishes.n_nodes, dtype=np.bool_)
    n_taken = 0  # dimensions

    def take(node: int) -> None:
        nonlocal n_taken
        is_left = pick.is_left(node)
        found.gains.append(residuals.take(node) if is_left else 0.0)
        n_taken += int(space.degrees[node]) if is_left else 0
        found.nodes.append(node)
        untaken[node] = False
        state.take(node)

    forced = np.zeros_like(untaken)
    forced[wishes.chosen] = True
    for _ in range(len(wishes.chosen)):
        node = pick.best(forced & untaken)
        take(int(np.flatnonzero(forced & untaken)[0]) if node is None else node)
    whole = wishes.cost is not None or (
        wishes.n_nodes * float(space.n_dimensions) ** 2 <= FULL_ORDER
    )
    by_size = wishes.n_wanted is not None
    wanted = BY_ITSELF if wishes.n_wanted is None else wishes.n_wanted
    while True:
        node = pick.best(state.mask() & untaken)
        if node is None:
            break
        if found.end is None:
            beyond = _beyond_chance(space, residuals, node, pick.gain, n_taken)
            if not found.nodes:
                found.no_structure = beyond <= residuals.left[node]
            elif beyond <= WORTH:
                found.end = len(found.nodes)
        if not whole and len(found.nodes) >= wanted and (by_size or found.end is not None):
            break
        take(node)
    found.remaining = residuals.gains()[0]
    return found


def _beyond_chance(
    space: VarianceSpace, residuals: Residuals, node: int, gain: float, n_taken: int
) -> float:
    left = residuals.left
    own, degrees = float(left[node]), int(space.degrees[node])
    return gain - space.chance.others(degrees, own, float(left.sum()), n_taken)


class _Picker:
    """Finds the node that explains most; of equal ones the strongest, then the first."""

    def __init__(self, residuals: Residuals, cost: Doubles | None) -> None:
        self._residuals = residuals
        self._cost = cost
        self._strength = residuals.gains()[0]
        self._same = _SAME_SINGLE if residuals.single else _SAME
        self.gain = 0.0

    def is_left(self, node: int) -> bool:
        """Whether anything of a node is not explained."""
        return bool(np.isfinite(self._residuals.exact(np.array([node]))[0]))

    def best(self, candidates: Mask) -> int | None:
        """The best candidate, and its gain as `gain`; None where all are explained."""
        gains, doubt = self._residuals.gains()
        gains[~candidates] = -np.inf
        if self._cost is not None:
            gains, doubt = gains / self._cost, doubt / self._cost
        while True:
            surest = (gains - doubt).max(initial=-np.inf)
            if not np.isfinite(surest):
                return None
            near = np.flatnonzero(gains + doubt >= surest - self._same * abs(surest))
            if len(near) > 2 * _NEAR:
                by_gain = near[np.argsort(-gains[near], kind="stable")[:_NEAR]]
                by_strength = near[np.argsort(-self._strength[near], kind="stable")[:_NEAR]]
                near = np.union1d(by_gain, by_strength)
            exact = self._residuals.exact(near)
            some = np.isfinite(exact)
            if some.any():
                break
            gains[near] = -np.inf
        near, exact = near[some], exact[some]
        worth = exact if self._cost is None else exact / self._cost[near]
        places = np.arange(len(near))
        for key in (worth, self._strength[near]):
            places = places[key[places] >= key[places].max() * (1 - self._same)]
        self.gain = float(exact[places[0]])
        return int(near[places[0]])
