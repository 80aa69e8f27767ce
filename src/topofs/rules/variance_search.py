"""Greedy column subset selection under constraints.

Who explains whom: one chosen column by itself, and all of them together.

What the best column would explain of others by chance: from the table, shuffled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.constraints import OpenNodes
from topofs.rules.base import Ranking, RunningGroups, running_over_all
from topofs.rules.coverage_model import themselves
from topofs.rules.greedy import beginnings
from topofs.similarity.column_order import inverse_permutation
from topofs.similarity.noise_floor import degrees_floor
from topofs.similarity.standard_columns import rows_of

if TYPE_CHECKING:
    from topofs.constraints import Constraints
    from topofs.rules.residuals import Residuals, VarianceSpace
    from topofs.similarity.standard_columns import StandardColumns


__all__ = [
    "WORTH",
    "ChanceGain",
    "VarianceCoverage",
    "chance_gain",
    "normal_chance",
    "variance_ranking",
]


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


def variance_ranking(space: VarianceSpace, constraints: Constraints) -> Ranking:
    """Order nodes so that each next one explains most of what is left of all.

    Nodes that were not reached follow by what they would explain next, then nodes that are
    explained already, the strongest first; those that may not be selected come last.
    """
    ranking = _ranking_of_columns(space, constraints.renumbered(space.nodes))
    scores = np.empty(constraints.n_nodes)
    scores[space.nodes] = ranking.scores
    return replace(ranking, order=space.nodes[ranking.order], scores=scores)


def _ranking_of_columns(space: VarianceSpace, constraints: Constraints) -> Ranking:
    """The same for columns as they stand in the space: what ties goes to the first of them."""
    found = (
        _search(space, constraints)
        if constraints.cost is None
        else _within_budget(space, constraints)
    )
    n = constraints.n_nodes
    rest = np.setdiff1d(np.arange(n), found.nodes)
    strength = space.residuals().gains()[0] if len(rest) else np.empty(0)
    left = found.remaining[rest]
    keys = (left, strength[rest])
    # Rounded: equal ones differ by rounding only. Those explained have -inf left.
    order = rest[np.lexsort([rest, *(-np.round(key, 9) for key in reversed(keys))])]
    taken = np.array(found.nodes, dtype=np.int64)
    everyone, n_selectable = constraints.given(taken).applied(np.concatenate([taken, order]))
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
        VarianceCoverage(space),
        np.full(n, found.no_structure),
        n_selectable,
        np.minimum(covered, 1.0),
    )


def _within_budget(space: VarianceSpace, constraints: Constraints) -> _Found:
    """The better of two sets, by gain and by gain for its cost; few nodes: of many more."""
    found = [_search(space, constraints), _search(space, constraints, by_cost=True)]
    more = beginnings(constraints.chosen, constraints, np.arange(constraints.n_nodes))
    found += [_search(space, constraints.given(first), by_cost=True) for first in more]
    best = max(found, key=lambda one: one.total)
    # The same set, in the order in which its nodes add most.
    outside = np.setdiff1d(np.arange(constraints.n_nodes), best.nodes)
    again = _search(space, replace(constraints, excluded=outside))
    again.remaining[outside] = best.remaining[outside]
    return again


def _search(space: VarianceSpace, constraints: Constraints, *, by_cost: bool = False) -> _Found:
    """Take nodes one by one, those chosen beforehand first, while they add something."""
    residuals = space.residuals()
    pick = _Picker(residuals, constraints.cost if by_cost else None)
    state = OpenNodes(constraints, [])
    found = _Found([], [], None, no_structure=False, remaining=np.empty(0))
    untaken = np.ones(constraints.n_nodes, dtype=np.bool_)
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
    forced[constraints.chosen] = True
    for _ in range(len(constraints.chosen)):
        node = pick.best(forced & untaken)
        take(int(np.flatnonzero(forced & untaken)[0]) if node is None else node)
    whole = constraints.cost is not None or (
        constraints.n_nodes * float(space.n_dimensions) ** 2 <= FULL_ORDER
    )
    by_size = constraints.n_wanted is not None
    wanted = BY_ITSELF if constraints.n_wanted is None else constraints.n_wanted
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


# Columns that are multiplied with all others at a time.
_COLUMNS = 16


@dataclass(frozen=True, eq=False)
class VarianceCoverage:
    """A column represents another by the share of its variance that it explains alone.

    For numbers that is r²; for blocks of d and e dimensions e·‖Kᵢⱼ‖², what the block j of e
    explains of the block i.
    """

    space: VarianceSpace

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self.space.nodes)

    @cached_property
    def _place(self) -> Ints:
        """Which column of the space each node is."""
        return inverse_permutation(self.space.nodes)

    def representatives(self, selected: Ints) -> tuple[Ints, Doubles]:
        """Find the selected node that explains most of each node, and its share."""
        representative = np.full(self.n_nodes, -1, dtype=np.int64)
        share = np.zeros(self.n_nodes)
        selected = np.sort(selected)
        for start in range(0, len(selected), _COLUMNS):
            some = selected[start : start + _COLUMNS]
            shares = self.shares(some)
            best = shares.argmax(axis=1)
            found = shares[np.arange(self.n_nodes), best]
            better = found > share
            representative[better], share[better] = some[best[better]], found[better]
        return themselves(representative, share, selected)

    def path(self, representative: int, node: int) -> Ints:  # noqa: ARG002 - as for any reach
        """List nobody: a node is represented directly."""
        return np.empty(0, dtype=np.int64)

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:  # noqa: ARG002
        """Follow who represents whom, and what all explain together, in an order."""
        groups = running_over_all(self, order)
        residuals = self.space.residuals()
        gains = np.zeros(self.n_nodes)
        left = residuals.gains()[0]
        for at, column in enumerate(self._place[order].tolist()):
            if np.isfinite(residuals.exact(np.array([column]))[0]):
                gains[at] = residuals.take(column)
                left = residuals.gains()[0]
            if not np.isfinite(left).any():
                break
        curve = np.minimum(np.cumsum(gains) / self.n_nodes, 1.0)
        return replace(groups, curve=np.concatenate([[0.0], curve]))

    def together(self, selected: Ints) -> Doubles:
        """Tell the share of each node that the selected ones explain together; 1 for themselves."""
        share = np.zeros(self.n_nodes)
        if len(selected):
            along = self.space.coordinates(self._rows(selected))
            rows = np.einsum("ij,ij->i", along, along)
            share = np.add.reduceat(rows, self.space.starts[:-1])[self._place]
        share[selected] = 1.0
        return np.asarray(np.minimum(share, 1.0))

    def kept_with(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """Tell what stays explained of some nodes with each node beside the selected ones."""
        residuals = self.space.residuals(self._rows(selected) if len(selected) else None)
        already = self.together(selected)[of]
        kept = np.zeros(self.n_nodes)
        for start in range(0, len(of), _COLUMNS):
            part = slice(start, start + _COLUMNS)
            explained = (
                already[part] + residuals.explained_of(self._place[of[part]])[self._place]
            )
            kept += np.minimum(explained, before[part]).sum(axis=1)
        return kept

    def related_to(self, of: Ints) -> npt.NDArray[np.bool_]:
        """Tell which nodes share with some of these more than chance explains."""
        related = np.zeros(self.n_nodes, dtype=np.bool_)
        related[of] = True
        degrees = self.space.degrees[self._place]
        n_samples = self.space.chance.n_samples
        for start in range(0, len(of), _COLUMNS):
            some = of[start : start + _COLUMNS]
            own, other = np.broadcast_arrays(degrees[:, None], degrees[some])
            floor = degrees_floor(n_samples, self.n_nodes, own.ravel(), other.ravel())
            # Of two blocks, all of the smaller may be explained, and a part of the larger.
            shares = self.shares(some) * own / np.minimum(own, other)
            related |= (shares > floor.reshape(shares.shape)).any(axis=1)
        return related

    def coverage(self, selected: Ints) -> float:
        """Tell the mean of `together`, without the share of each node."""
        if not len(selected):
            return 0.0
        return min(1.0, self.space.explained(self._rows(selected)) / self.n_nodes)

    def shares(self, by: Ints, of: slice = slice(None)) -> Doubles:
        """Tell what some nodes (columns of the result) explain of a range of nodes, one by one."""
        by, others = self._place[by], self._place[of]
        starts = self.space.starts
        rows, rows_of_others = rows_of(by, starts), rows_of(others, starts)
        shares = np.square(self.space.products(rows, rows_of_others))
        for axis, (columns, n_rows) in enumerate(
            [(others, len(rows_of_others)), (by, len(rows))]
        ):
            if n_rows > len(columns):
                ends = np.cumsum(np.diff(starts)[columns])
                firsts = np.concatenate([[0], ends[:-1]])
                shares = np.add.reduceat(shares, firsts, axis=axis)
        shares *= self.space.degrees[by]
        return np.asarray(np.minimum(shares, 1.0))

    def block(self, rows: slice, columns: slice) -> Doubles:
        """Tell what the nodes of columns explain of those of rows: all of themselves."""
        by = np.arange(*columns.indices(self.n_nodes))
        found = self.shares(by, rows)
        own = np.arange(*rows.indices(self.n_nodes))
        found[own[:, None] == by] = 1.0
        return found

    def _rows(self, nodes: Ints) -> Ints:
        """The rows of some nodes, ascending."""
        return rows_of(np.sort(self._place[nodes]), self.space.starts)


WORTH = 1.5


"""What a column must explain beyond chance to be selected: itself, and half of another."""


SHUFFLES, SHUFFLES_OF_MANY = 20, 5


"""How often a table is shuffled, and how often one of more than `MANY` values."""


MANY = 1 << 17


MOST_COLUMNS = 500


MOST_VALUES = 1 << 19


"""How many columns and values of a large table are shuffled."""


@dataclass(frozen=True)
class ChanceGain:
    """What a column explains of others where nothing is linked.

    A column that spans d dimensions explains d·(G − gⱼ) / ν of the others on average, with G the
    variance that is left of all columns, gⱼ its own, and ν = S − 1 − t the dimensions that are
    left of S samples after t were taken. The best column of the shuffled tables explains `spread`
    more than that, for d = 1.
    """

    n_samples: int
    n_features: int
    spread: float

    def others(self, degrees: int, own: float, left: float, n_taken: int) -> float:
        """Tell what the best column may explain of others; infinite where no sample is left."""
        free = self.n_samples - 1 - n_taken
        if free < 1:
            return np.inf
        more = self.spread * np.sqrt(degrees) * (left / self.n_features)
        return float((degrees * (left - own) + more * (self.n_samples - 1)) / free)


def chance_gain(columns: StandardColumns) -> ChanceGain:
    """Shuffle the values of each column by itself, and see what the best explains of others.

    Of a large table some columns are taken, spread evenly over all kinds of tails. The order
    of the columns plays no part. Where samples are in an order of time, each column is moved
    round by some samples instead, so that those that follow each other stay together.
    """
    n, n_samples = len(columns.degrees), columns.n_samples
    by_values = np.argsort(columns.tails, kind="stable")
    most = max(2, min(MOST_COLUMNS, MOST_VALUES // n_samples))
    if n > most:
        by_values = by_values[np.linspace(0, n - 1, most).round().astype(np.int64)]
    parts = [np.arange(columns.starts[i], columns.starts[i + 1]) for i in by_values]
    values = columns.rows(np.concatenate(parts))
    sizes = np.array([len(part) for part in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    degrees = columns.degrees[by_values]
    generator = np.random.default_rng(0)
    times = SHUFFLES if values.size <= MANY else SHUFFLES_OF_MANY
    shuffle = _moved_round if columns.ordered_rows else _shuffled
    more = [
        _beyond_mean(shuffle(values, sizes, generator), starts, sizes, degrees)
        for _ in range(times)
    ]
    spread = max(more) * np.sqrt(n / len(by_values))
    return ChanceGain(n_samples, n, float(spread))


def normal_chance(n_samples: int, n_features: int) -> ChanceGain:
    """Give the same for normal columns, without shuffling.

    The squared correlations with n − 1 others add up to about χ²ₙ₋₁ / (S − 1); the best of n
    columns and `SHUFFLES` tables is its quantile 1 − 1 / (n · `SHUFFLES` + 1).
    """
    from scipy import stats

    others = n_features - 1
    best = stats.chi2.isf(1 / (n_features * SHUFFLES + 1), max(others, 1))
    return ChanceGain(n_samples, n_features, float((best - others) / (n_samples - 1)))


def _shuffled(
    values: Doubles, sizes: npt.NDArray[np.int64], generator: np.random.Generator
) -> Doubles:
    """The samples of each column in another order."""
    n, n_samples = len(sizes), values.shape[1]
    if len(values) == n:
        return np.asarray(generator.permuted(values, axis=1))
    # The rows of a column stay together.
    places = generator.permuted(np.tile(np.arange(n_samples), (n, 1)), axis=1)
    return np.take_along_axis(values, np.repeat(places, sizes, axis=0), axis=1)


def _moved_round(
    values: Doubles, sizes: npt.NDArray[np.int64], generator: np.random.Generator
) -> Doubles:
    """The samples of each column begin somewhere else and go on from there."""
    n, n_samples = len(sizes), values.shape[1]
    begin = np.repeat(generator.integers(n_samples, size=n), sizes)
    places = (begin[:, None] + np.arange(n_samples)) % n_samples
    return np.take_along_axis(values, places, axis=1)


def _beyond_mean(
    shuffled: Doubles,
    starts: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    degrees: npt.NDArray[np.int64],
) -> float:
    """How much more than the average the best column of one shuffled table explains."""
    n, n_samples = len(sizes), shuffled.shape[1]
    gram = shuffled @ shuffled.T
    np.square(gram, out=gram)
    # The rows of a column are orthonormal but for a factor, so that no inverse is needed.
    others = np.add.reduceat(gram.sum(axis=1), starts) * degrees - 1.0
    mean = degrees * (n - 1) / (n_samples - 1)
    return float(((others - mean) / np.sqrt(degrees)).max())
