"""Variance: select columns that together explain most of the variance of all columns.

Top down: the rule `Variance`, its search, and `VarianceCoverage`, the share of a column that
one selected column or all of them explain. `topofs.rules.residuals` holds the residuals of the
columns beyond the taken ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topofs.constraints import OpenNodes
from topofs.network import Needs
from topofs.rules.base import (
    CoverageModel,
    Ranking,
    Rule,
    RunningGroups,
    ScoreWords,
    assign_self,
    running_over_all,
)
from topofs.rules.greedy import greedy_ranking, starting_sets
from topofs.similarity.column_order import inverse_permutation
from topofs.similarity.noise_floor import degrees_floor
from topofs.similarity.standard_columns import rows_of
from topofs.terms import register

if TYPE_CHECKING:
    from topofs.constraints import Constraints
    from topofs.network import Network
    from topofs.rules.residuals import VarianceSpace
    from topofs.typing import Bools, Doubles, Ints

# The least that a column must explain beyond chance, in columns: itself and half of another.
WORTH = 1.5

# All columns are ordered one by one if that takes at most this number of multiplications.
FULL_ORDER = 2e9

# If no size is given, at least this number of columns is ordered one by one.
BY_ITSELF = 200

# Gains with a smaller relative difference are equal; in single precision.
_SAME, _SAME_SINGLE = 1e-9, 1e-6

# Of more than twice as many near-best columns, only this number by each key is computed
# exactly.
_NEAR = 16

# Columns multiplied with all others at a time.
_COLUMNS = 16


@dataclass(frozen=True, repr=False)
class Variance(Rule):
    r"""Each next column is the one that explains most of the remaining variance.

    Greedy column subset selection, or principal variables [1]_ [2]_ [3]_ [4]_. With K the
    residual covariance of the standardised columns beyond those selected, the next column
    maximises

    .. math:: \sum_i \frac{K_{ij}^2}{K_{jj}},

    the variance of all columns, in columns, that a regression on it explains beyond the
    selected ones; it is the strength of j in the network of squared partial covariances given
    the selected. A column of names is a block B of indicator columns, taken as a whole, and
    explains :math:`\operatorname{tr}(K_{BB}^{+} K_{B:} K_{:B})`.

    The rule needs columns, not a graph or a matrix of similarities: a step costs O(n·S) for n
    columns and S samples, and memory is that of the table. The automatic end is where the next
    column would explain less than one and a half columns (itself and half of another) beyond
    chance. Chance is what the best column explains of others in the same table with the values
    of each column shuffled.

    Notes
    -----
    Columns are compared as the measure does: by values (`Pearson`), by ranks (`Spearman`), or
    by ranks and indicators (`Mixed`). A missing value becomes the mean of its column (the
    middle rank), so that it adds nothing. A column is explained if less than 1e-10 of its
    variance is left (1e-5 in single precision). Explained columns come last in the ranking,
    those that would have explained most at the start first. After S − 1 columns of S samples,
    all columns are explained. Gains with a relative difference below 10⁻⁹ (10⁻⁶ in single
    precision) are equal: the column that would have explained more at the start comes first,
    then the values decide. So the order of the columns in the table does not matter, even if
    one is a multiple of another; among exact copies the first is taken.

    If the exact order of all columns would take long, columns beyond the requested number, or
    beyond the end, are ordered by what each would explain next.

    References
    ----------
    .. [1] G. P. McCabe (1984). Principal variables. Technometrics 26(2), 137-144.
    .. [2] A. K. Farahat, A. Ghodsi and M. S. Kamel (2011). An efficient greedy method for
       unsupervised feature selection. IEEE International Conference on Data Mining, 161-170.
    .. [3] L. Puggini and S. McLoone (2017). Forward selection component analysis: algorithms
       and applications. IEEE Transactions on Pattern Analysis and Machine Intelligence 39(12),
       2395-2408.
    .. [4] A. Sood and T. Hastie (2023). A statistical view of column subset selection.
       arXiv:2307.12892.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> X = load_wine(as_frame=True).data
    >>> selector = TopologicalFeatureSelector(3, rule="variance").fit(X)
    >>> selector.get_feature_names_out().tolist()
    ['alcalinity_of_ash', 'flavanoids', 'color_intensity']
    """

    has_end: ClassVar[bool] = True
    has_groups: ClassVar[bool] = True
    explains_together: ClassVar[bool] = True
    default_graph: ClassVar[str | None] = None

    @property
    def needs(self) -> Needs:
        """The columns themselves."""
        return Needs(graph=False, columns=True)

    @property
    def words(self) -> ScoreWords:
        """The names of its scores."""
        return ScoreWords(
            "Explains",
            "what each explains beyond those before it",
            "variance explained",
            axis="columns' worth of variance, best first",
        )

    @property
    def sentence(self) -> str:
        """A sentence that describes the ranking."""
        return (
            "The first column selected is the one that explains most of the variance of all "
            "columns, each next one the one that explains most of what is left; columns that "
            "are explained fully come last."
        )

    @property
    def ties_words(self) -> str:
        """The criterion that decides between equal scores, in words."""
        return "what each explains by itself"

    @property
    def end_words(self) -> str:
        """The condition at the automatic end."""
        return (
            "the next column would explain less than itself and half of another beyond chance"
        )

    def rank(self, network: Network, constraints: Constraints) -> Ranking:
        """Order the nodes greedily, forced nodes first."""
        from topofs.rules.residuals import variance_space

        space = variance_space(network.columns, network.memory, value_rank=network.value_rank)
        return variance_ranking(space, constraints)

    def rerank(self, ranking: Ranking, constraints: Constraints) -> Ranking:
        """Order the nodes greedily under other constraints."""
        model: Any = ranking.coverage_model
        if isinstance(model, VarianceCoverage):
            return variance_ranking(model.space, constraints)
        # After `MinShare`, only the shares of pairs are known.
        return greedy_ranking(model, constraints)


register(Variance())


def variance_ranking(space: VarianceSpace, constraints: Constraints) -> Ranking:
    """Order nodes so that each next one explains most of the remaining variance.

    Nodes beyond the search follow by what they would explain next, then explained nodes, the
    strongest first. Nodes that the constraints forbid come last.
    """
    # Columns in the order of the space: among equal ones the first is taken.
    constraints = constraints.renumbered(space.nodes)
    n = constraints.n_nodes
    if constraints.cost is None:
        found = _Search(space, constraints)
    else:
        found = _best_within_budget(space, constraints)
    taken, total = np.array(found.nodes, dtype=np.int64), found.total
    rest = np.setdiff1d(np.arange(n), taken)
    left = found.remaining[rest]
    # Round, because equal gains differ by rounding only. Explained nodes have -inf.
    keys = (rest, -np.round(found.strength[rest], 9), -np.round(left, 9))
    order, n_selectable = constraints.with_forced(taken).applied(
        np.concatenate([taken, rest[np.lexsort(keys)]])
    )
    scores = np.zeros(n)
    scores[taken] = found.gains
    scores[rest] = np.where(np.isfinite(left), left, 0.0)
    scores[order[n_selectable:]] = 0.0
    scores_of_nodes = np.empty(n)
    scores_of_nodes[space.nodes] = scores
    covered = np.full(n, total / n)
    covered[: len(taken)] = np.cumsum(found.gains) / n
    return Ranking(
        space.nodes[order],
        scores_of_nodes,
        end=max(1, len(taken) if found.end is None else found.end),
        coverage_model=VarianceCoverage(space),
        isolated=np.full(n, found.no_structure),
        selectable=n_selectable,
        covered=np.minimum(covered, 1.0),
    )


def _best_within_budget(space: VarianceSpace, constraints: Constraints) -> _Search:
    """The best of several sets within the budget, in greedy order."""
    everyone = np.arange(constraints.n_nodes)
    starts = starting_sets(constraints, everyone)
    found = [_Search(space, constraints)]
    found += [_Search(space, constraints.with_forced(start), by_cost=True) for start in starts]
    best = max(found, key=lambda search: search.total)
    outside = np.setdiff1d(everyone, best.nodes)
    again = _Search(space, replace(constraints, excluded=outside))
    again.remaining[outside] = best.remaining[outside]
    return again


class _Search:
    """Takes nodes one by one, forced nodes first, while they explain something.

    `nodes` are those taken and `gains` what each explained; `remaining` is what each node would
    explain next, and `strength` what it would have explained first.
    """

    def __init__(
        self, space: VarianceSpace, constraints: Constraints, *, by_cost: bool = False
    ) -> None:
        self._space, self._residuals = space, space.residuals()
        self._cost = constraints.cost if by_cost else None
        self._open = OpenNodes(constraints, [])
        self._untaken = np.ones(constraints.n_nodes, dtype=np.bool_)
        self._n_dimensions = 0
        self.nodes: list[int] = []
        self.gains: list[float] = []
        self.end: int | None = None
        self.no_structure = False
        self.strength = self._residuals.gains()[0]
        self._take_forced(constraints.forced)
        while (demanded := self._open.demanded()).any():
            self._take_best_of(demanded)
        self._take_best(constraints)
        self.remaining = self._residuals.gains()[0]

    @property
    def total(self) -> float:
        """What all taken nodes explain, summed like the curve: `sum` rounds differently."""
        return float(np.cumsum([0.0, *self.gains])[-1])

    def _take_forced(self, forced: Ints) -> None:
        is_forced = np.zeros_like(self._untaken)
        is_forced[forced] = True
        for _ in range(len(forced)):
            self._take_best_of(is_forced & self._untaken)

    def _take_best_of(self, candidates: Bools) -> None:
        """Take the best candidate; the first if all are explained."""
        best = self._best(candidates)
        self._take(int(np.flatnonzero(candidates)[0]) if best is None else best[0])

    def _take_best(self, constraints: Constraints) -> None:
        """Take open nodes, best first: all of them, or the wanted number for a large table."""
        steps = constraints.n_nodes * float(self._space.n_dimensions) ** 2
        whole = constraints.cost is not None or steps <= FULL_ORDER
        by_size = constraints.n_wanted is not None
        wanted = BY_ITSELF if constraints.n_wanted is None else constraints.n_wanted
        while best := self._best(self._open.mask() & self._untaken):
            node, gain = best
            if self.end is None:
                left, degrees = self._residuals.left, int(self._space.degrees[node])
                own, total = float(left[node]), float(left.sum())
                chance = self._space.chance.others(degrees, own, total, self._n_dimensions)
                if not self.nodes:
                    self.no_structure = gain - chance <= own
                elif gain - chance <= WORTH:
                    self.end = len(self.nodes)
            enough = len(self.nodes) >= wanted and (by_size or self.end is not None)
            if enough and not whole:
                break
            self._take(node)

    def _take(self, node: int) -> None:
        gain = 0.0
        if np.isfinite(self._residuals.exact(np.array([node]))[0]):
            gain = self._residuals.take(node)
            self._n_dimensions += int(self._space.degrees[node])
        self.gains.append(gain)
        self.nodes.append(node)
        self._untaken[node] = False
        self._open.take(node)

    def _best(self, candidates: Bools) -> tuple[int, float] | None:
        """The candidate that explains most, and its gain; None if all are explained.

        Among equal ones it is the strongest, then the first.
        """
        same = _SAME_SINGLE if self._residuals.single else _SAME
        gains, doubt = self._residuals.gains()
        gains[~candidates] = -np.inf
        if self._cost is not None:
            gains, doubt = gains / self._cost, doubt / self._cost
        while True:
            surest = (gains - doubt).max(initial=-np.inf)
            if not np.isfinite(surest):
                return None
            near = np.flatnonzero(gains + doubt >= surest - same * abs(surest))
            if len(near) > 2 * _NEAR:
                by_gain = near[np.argsort(-gains[near], kind="stable")[:_NEAR]]
                by_strength = near[np.argsort(-self.strength[near], kind="stable")[:_NEAR]]
                near = np.union1d(by_gain, by_strength)
            exact = self._residuals.exact(near)
            some = np.isfinite(exact)
            if some.any():
                break
            gains[near] = -np.inf
        near, exact = near[some], exact[some]
        worth = exact if self._cost is None else exact / self._cost[near]
        best = np.arange(len(near))
        for key in (worth, self.strength[near]):
            best = best[key[best] >= key[best].max() * (1 - same)]
        return int(near[best[0]]), float(exact[best[0]])


@dataclass(frozen=True, eq=False)
class VarianceCoverage(CoverageModel):
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
        """The column of the space of each node."""
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
        return assign_self(representative, share, selected)

    def running(self, order: Ints, n_exact: int | None = None) -> RunningGroups:  # noqa: ARG002
        """Find the representative of each node, and what all explain together, in an order."""
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

    def explained(self, selected: Ints) -> Doubles:
        """The share of each node that the selected ones explain together; 1 for themselves."""
        share = np.zeros(self.n_nodes)
        if len(selected):
            along = self.space.coordinates(self._rows(selected))
            rows = np.einsum("ij,ij->i", along, along)
            share = np.add.reduceat(rows, self.space.starts[:-1])[self._place]
        share[selected] = 1.0
        return np.asarray(np.minimum(share, 1.0))

    def retained(self, selected: Ints, of: Ints, before: Doubles) -> Doubles:
        """The explained variance of some nodes after adding each candidate."""
        residuals = self.space.residuals(self._rows(selected) if len(selected) else None)
        already = self.explained(selected)[of]
        kept = np.zeros(self.n_nodes)
        for start in range(0, len(of), _COLUMNS):
            part = slice(start, start + _COLUMNS)
            explained = (
                already[part] + residuals.explained_of(self._place[of[part]])[self._place]
            )
            kept += np.minimum(explained, before[part]).sum(axis=1)
        return kept

    def neighbors(self, of: Ints) -> Bools:
        """Which nodes share with some of these more than chance explains."""
        related = np.zeros(self.n_nodes, dtype=np.bool_)
        related[of] = True
        degrees = self.space.degrees[self._place]
        n_samples = self.space.chance.n_samples
        for start in range(0, len(of), _COLUMNS):
            some = of[start : start + _COLUMNS]
            own, other = np.broadcast_arrays(degrees[:, None], degrees[some])
            floor = degrees_floor(n_samples, self.n_nodes, own.ravel(), other.ravel())
            # A block may explain all of a smaller block, and only a part of a larger one.
            shares = self.shares(some) * own / np.minimum(own, other)
            related |= (shares > floor.reshape(shares.shape)).any(axis=1)
        return related

    def coverage(self, selected: Ints) -> float:
        """The mean of `explained`, without computing the share of each node."""
        if not len(selected):
            return 0.0
        return min(1.0, self.space.explained(self._rows(selected)) / self.n_nodes)

    def representative_of(self, node: int, among: Ints) -> tuple[int, float]:
        """Which of some nodes explains most of another node, and its share; -1: none."""
        if not len(among):
            return -1, 0.0
        shares = self.shares(among, slice(node, node + 1))[0]
        return int(among[shares.argmax()]), float(shares.max())

    def shares(self, by: Ints, of: slice = slice(None)) -> Doubles:
        """What each of some nodes (columns of the result) explains of a range of nodes."""
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
        """The shares of row nodes that column nodes explain; 1 for a node itself."""
        by = np.arange(*columns.indices(self.n_nodes))
        found = self.shares(by, rows)
        own = np.arange(*rows.indices(self.n_nodes))
        found[own[:, None] == by] = 1.0
        return found

    def _rows(self, nodes: Ints) -> Ints:
        """The rows of some nodes, ascending."""
        return rows_of(np.sort(self._place[nodes]), self.space.starts)
