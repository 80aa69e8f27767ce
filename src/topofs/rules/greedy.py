"""Greedy coverage under constraints, for any coverage model.

`greedy_ranking` takes nodes in phases: forced nodes, demanded nodes, nodes that add more than
themselves, and the other nodes. `_NumpySearch`, for small matrices, and `_KernelSearch`, for
paths and large matrices, take the nodes of a phase one by one. Both compute shares in whole
numbers (see `topofs._kernels.numpy_or_numba.UNIT`), so they give the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import PART, UNIT, parts, units, use_numpy
from topofs.constraints import OpenNodes
from topofs.network import NodeWeights
from topofs.rules.base import Ranking

if TYPE_CHECKING:
    from topofs.constraints import Constraints
    from topofs.network import NodeRelevance
    from topofs.rules.coverage import MatrixCoverage, PathCoverage
    from topofs.typing import Bools, Doubles, Ints

# With up to this number of nodes, a budget is also spent starting from every pair of nodes.
MOST_ENUMERATED = 40

# Beyond the end, this many quarters of the support are added to the gain: λ = 1/2.
#
# Chosen by a rule written beforehand: `python -m benchmarks.beyond_auto`.
SUPPORT_QUARTERS = 2

# The parameter `isolated` of `greedy_ranking`.
DROP, KEEP, LAST = "drop", "keep", "last"

_ALL = np.iinfo(np.int64).max


def greedy_ranking(
    model: PathCoverage | MatrixCoverage,
    constraints: Constraints,
    *,
    tie_rank: Ints | None = None,
    isolated: str = DROP,
    support_quarters: int = SUPPORT_QUARTERS,
    relevance: NodeRelevance | None = None,
) -> Ranking:
    r"""Order nodes greedily so that the first ones represent as many others as possible.

    The k-th node is the one that adds most to

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij}

    among the nodes that the constraints allow with the earlier nodes. The end is where the gain
    is no more than the node itself. Beyond the end, the next node c is the one with the largest
    sum of its gain and of

    .. math:: \lambda \sum_j w_{cj} \prod_{i \in S} (1 - w_{ij})

    The second term is its support: the part of the unexplained variance that it would explain
    if the errors of the representatives were independent. A near-copy of a selected node has
    almost no support, a second node of a noisy group much, and an isolated node represents
    itself.

    With `relevance`, shares count by the weights of both nodes, :math:`a_i b_j w_{ij}`, in the
    gain and in the support. The support counts from the first node on, and the end is where no
    node would add more than `NodeRelevance.least` by the proven weights. If none are known, the
    support counts beyond the end, as without relevance. Nodes without relevance come last, by
    shares without weights. Scores are always gains without weights.

    Parameters
    ----------
    model : PathCoverage or MatrixCoverage
        The shares w.
    constraints : Constraints
        Which nodes must, may and may not be selected together. If nodes have costs, the best of
        several sets is taken: by gain, by gain per cost and, with few nodes, the sets that
        start from every pair of nodes.
    tie_rank : array of int, shape (n_nodes,), optional
        Among nodes of equal value, the one with the lowest rank comes first; by default the
        lowest node (see `topofs.rules.base.tie_breaking_ranks`).
    isolated : {"drop", "keep", "last"}, default="drop"
        "drop": isolated nodes come beyond the end, by their value there. "keep": they come
        before the end. "last": they come after all others.
    support_quarters : int, default=2
        λ in quarters.
    relevance : NodeRelevance, optional
        How much the nodes say about a target.

    Returns
    -------
    Ranking
        Nodes that the constraints forbid come last, with score 0.

    References
    ----------
    .. [1] G. L. Nemhauser, L. A. Wolsey and M. L. Fisher (1978). An analysis of
       approximations for maximizing submodular set functions. Mathematical Programming 14,
       265-294.
    .. [2] J. Leskovec et al. (2007). Cost-effective outbreak detection in networks. KDD,
       420-429: the better of the two orders is worth at least (1 − 1/e)/2 of the best set.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.rules.coverage import MatrixCoverage
    >>> from topofs.constraints import Constraints
    >>> shares = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.5], [0.0, 0.5, 1.0]])
    >>> ranking = greedy_ranking(MatrixCoverage(shares), Constraints.none(3))
    >>> ranking.order.tolist(), ranking.scores[ranking.order].round(3).tolist()
    ([1, 2, 0], [2.3, 0.5, 0.2])
    """
    n = constraints.n_nodes
    tie_rank = np.arange(n) if tie_rank is None else tie_rank
    # At least one node is selected, unless chance explains the relevance of all.
    least = 1 if relevance is None or relevance.proven is None else 0
    wanted = max(least, constraints.n_wanted or 0)
    greedy = _Greedy(model, constraints, tie_rank, isolated, support_quarters, relevance)
    if constraints.cost is None:
        search, end = greedy.in_phases(wanted)
        exact = max(end, wanted)
    else:
        search = greedy.within_budget()
        end, exact = int((search.gains[: search.n_taken] > 1).sum()), search.n_taken
    order, scores = search.order[: search.n_taken], np.zeros(n)
    scores[order] = search.gains[: search.n_taken]
    rest = np.setdiff1d(np.arange(n), order)
    return Ranking(
        order=np.concatenate([order, rest[np.argsort(tie_rank[rest])]]),
        scores=scores,
        end=max(least, end),
        coverage_model=model,
        isolated=greedy.is_isolated,
        selectable=len(order),
        tie_rank=tie_rank,
        exact=exact if model.truncated.any() else None,
        relevance=relevance,
    )


@dataclass(frozen=True, eq=False)
class _Greedy:
    """The searches of a greedy ranking; the fields are the arguments of `greedy_ranking`."""

    model: Any
    constraints: Constraints
    tie_rank: Ints
    isolated: str
    support_quarters: int
    relevance: NodeRelevance | None

    @cached_property
    def matrix(self) -> MatrixCoverage:
        """The shares as a matrix, which weights need."""
        found: MatrixCoverage = self.model.as_matrix()
        return found

    @cached_property
    def is_isolated(self) -> Bools:
        """Nodes that have a share only of themselves."""
        found: Bools = self.model.isolated()
        return found

    @property
    def weights(self) -> NodeWeights | None:
        """The weights of shares, if any."""
        return None if self.relevance is None else self.relevance.weights

    def others(self, nodes: Ints) -> Ints:
        """All nodes but some."""
        return np.setdiff1d(np.arange(self.constraints.n_nodes), nodes)

    def search(self, weights: NodeWeights | None = None) -> _NumpySearch | _KernelSearch:
        """Begin a search with nothing taken, in which shares count by weights."""
        model = self.model if weights is None else self.matrix
        by_numpy = model.by_matrix and use_numpy(self.constraints.n_nodes)
        search = (_NumpySearch if by_numpy else _KernelSearch)(model, self.tie_rank, weights)
        search.begin(self.constraints)
        return search

    def in_phases(self, wanted: int) -> tuple[_NumpySearch | _KernelSearch, int]:
        """Take all nodes that may be taken; also give the number of nodes up to the end."""
        search = self.search()
        search.run(self.constraints.forced, limited=False)
        search.take(demanded_nodes(self.model, self.constraints, self.tie_rank, self.weights))
        first = search.order[: search.n_taken].copy()
        everyone = self.others(first)
        linked = everyone[~self.is_isolated[everyone]]
        isolated_nodes = everyone[self.is_isolated[everyone]]
        relevant: Ints = np.empty(0, np.int64)
        if self.relevance is None:
            # Up to the end: nodes that add more than themselves.
            end = search.run(linked, least=int(UNIT))
        else:
            relevant, end = self.by_relevance(self.relevance, first, wanted)
            search.take(relevant[len(first) : end])
        if self.isolated == KEEP:
            end = search.run(np.setdiff1d(isolated_nodes, search.order[:end]))
        wanted = max(end, wanted)
        search.take(relevant[~np.isin(relevant, search.order[:end])], n_exact=wanted)
        # Beyond the end, by gain and support.
        rest = np.setdiff1d(
            linked if self.isolated == LAST else everyone, search.order[: search.n_taken]
        )
        search.run(rest, support_quarters=self.support_quarters, n_exact=wanted)
        if self.isolated == LAST:
            rest = np.setdiff1d(isolated_nodes, search.order[: search.n_taken])
            search.run(rest, n_exact=wanted)
        return search, end

    def by_relevance(
        self, relevance: NodeRelevance, first: Ints, wanted: int
    ) -> tuple[Ints, int]:
        """The nodes `first`, then those with relevance; and the number up to the end."""
        others, quarters = self.others(first), self.support_quarters
        if relevance.proven is None:
            search = self.search(relevance.weights)
            search.take(first)
            end = search.run(others, least=int(relevance.least * UNIT))
            rest, wanted = np.setdiff1d(others, search.order[:end]), max(end, wanted)
            search.run(rest, least=0, support_quarters=quarters, n_exact=wanted)
            return search.order[: search.n_taken], end
        while True:
            search = self.search(relevance.weights)
            search.take(first)
            search.run(others, least=0, support_quarters=quarters, n_exact=wanted)
            order = search.order[: search.n_taken]
            end = self.end_by(relevance.proven, relevance.least, order, n_first=len(first))
            # Complete rows count up to the end.
            if end <= wanted or not self.matrix.truncated.any():
                return order, end
            wanted = end

    def end_by(self, proven: NodeWeights, least: float, order: Ints, *, n_first: int) -> int:
        """The number of nodes of an order beside which no other node adds more than `least`."""
        weighted = sparse.csr_array(proven.applied(self.matrix.matrix))
        amounts = units(weighted.data)
        row = np.repeat(np.arange(weighted.shape[0]), np.diff(weighted.indptr))

        def some_adds(selected: Ints) -> bool:
            covered, gains = np.zeros((2, weighted.shape[0]), np.int64)
            for node in selected.tolist():
                index, shares = self.matrix.entries(node)
                mine = units(proven.of_row(node, index, shares))
                covered[index] = np.maximum(covered[index], mine)
            np.add.at(gains, row, np.maximum(amounts - covered[weighted.indices], 0))
            able = self.constraints.open_beside(selected)
            return bool(gains[able].max(initial=0) > int(least * UNIT))

        # Gains never rise along the order, so the end lies between two sizes.
        low, end = n_first - 1, n_first
        while end < len(order) and some_adds(order[:end]):
            low, end = end, min(len(order), 2 * end + 1)
        while end - low > 1:
            middle = (low + end) // 2
            low, end = (middle, end) if some_adds(order[:middle]) else (low, middle)
        return end

    def within_budget(self) -> _NumpySearch | _KernelSearch:
        """Take the best of several sets within the budget, in greedy order.

        If nodes without relevance can be paid, too, they follow by their gain.
        """
        constraints, search = self.constraints, self.search(self.weights)
        least = -1 if self.weights is None else 0

        def taken(constraints: Constraints, *, by_cost: bool = False) -> tuple[Ints, float]:
            search.begin(constraints, by_cost=by_cost)
            search.run(constraints.forced, limited=False)
            first = demanded_nodes(
                self.model, constraints, self.tie_rank, self.weights, by_cost=by_cost
            )
            search.take(first)
            n_taken = search.run(self.others(search.order[: search.n_taken]), least=least)
            return search.order[:n_taken], float(search.gains[:n_taken].sum())

        starts = starting_sets(constraints, self.tie_rank)
        found = [taken(constraints)]
        found += [taken(constraints.with_forced(start), by_cost=True) for start in starts]
        best, _ = max(found, key=lambda nodes_and_value: nodes_and_value[1])
        order, _ = taken(replace(constraints, excluded=self.others(best)))
        search = self.search()
        search.take(order)
        search.run(self.others(order))
        return search


def demanded_nodes(
    model: PathCoverage | MatrixCoverage,
    constraints: Constraints,
    tie_rank: Ints,
    weights: NodeWeights | None = None,
    *,
    by_cost: bool = False,
) -> Ints:
    """The demanded nodes beside the forced ones: each time the open one that adds most."""
    if constraints.demand is None:
        return np.empty(0, np.int64)
    matrix, n, found = model.as_matrix(), constraints.n_nodes, []
    shares = sparse.csr_array(matrix.matrix)
    even = NodeWeights(np.ones(n), np.ones(n))
    # What nodes add with weights decides, then what they add without.
    kinds = [even] if weights is None else [even, weights]
    amounts = [units(kind.applied(shares).data).astype(np.int64) for kind in kinds]
    covered = np.zeros((len(kinds), n), np.int64)
    columns, starts = shares.indices, shares.indptr[:-1]

    def cover(node: int) -> None:
        index, row = matrix.entries(node)
        for kind, mine in zip(kinds, covered, strict=True):
            mine[index] = np.maximum(mine[index], units(kind.of_row(node, index, row)))

    for node in constraints.forced.tolist():
        cover(node)
    state = OpenNodes(constraints, constraints.forced.tolist())
    price = constraints.cost if by_cost and constraints.cost is not None else np.ones(n)
    while len(able := np.flatnonzero(state.demanded())):
        adds = [
            np.add.reduceat(np.maximum(amount - mine[columns], 0), starts)[able] / price[able]
            for amount, mine in zip(amounts, covered, strict=True)
        ]
        best = int(able[np.lexsort((tie_rank[able], *(-gain for gain in adds)))[0]])
        cover(best)
        state.take(best)
        found.append(best)
    return np.array(found, np.int64)


def starting_sets(constraints: Constraints, tie_rank: Ints) -> list[Ints]:
    """The forced nodes; with few nodes, also together with each other node or pair."""
    sets = [constraints.forced]
    if constraints.n_nodes > MOST_ENUMERATED:
        return sets

    def candidates(beside: Ints) -> list[int]:
        return sorted(constraints.open_beside(beside).tolist(), key=tie_rank.__getitem__)

    for one in candidates(constraints.forced):
        sets.append(np.append(constraints.forced, one))
        with_one = sets[-1]
        sets += [
            np.append(with_one, two)
            for two in candidates(with_one)
            if tie_rank[two] > tie_rank[one]
        ]
    return sets


class _NumpySearch:
    """The search by numpy: after each taken node, the gains of all others are updated.

    Nodes are numbered by their rank, so argmax takes the lowest rank among equal gains. Whole
    numbers are stored as floats; their sums are exact below 2⁵³.
    """

    def __init__(self, model: Any, tie_rank: Ints, weights: NodeWeights | None) -> None:
        self._model, self._weights = model, weights
        self._tie_rank, self._by_tie_rank = tie_rank, np.argsort(tie_rank)
        matrix = sparse.csr_array(model.matrix)
        if weights is not None:
            matrix = sparse.csr_array(weights.applied(matrix))
        shares = matrix[self._by_tie_rank][:, self._by_tie_rank]
        # Row j lists the nodes that explain a share of j.
        explaining = sparse.csr_array(shares.T)
        self._starts, self._columns = explaining.indptr.astype(np.int64), explaining.indices
        self._units = units(explaining.data).astype(np.float64)
        self._parts = parts(explaining.data).astype(np.float64)
        self._row = np.repeat(np.arange(len(tie_rank)), np.diff(self._starts))

    def begin(self, constraints: Constraints, *, by_cost: bool = False) -> None:
        """Begin with nothing taken; `by_cost`: a gain counts for its cost."""
        n = len(self._tie_rank)
        constraints = constraints.renumbered(self._by_tie_rank)
        self._open = OpenNodes(constraints, []) if constraints.limited else None
        self._cost = constraints.cost if by_cost else None
        gain = np.bincount(self._columns, self._units, minlength=n)
        self._gain = np.asarray(gain, dtype=np.float64)
        self._support: Doubles | None = None
        self._covered, self._left = np.zeros(n), np.full(n, float(PART))
        self.order, self.gains, self.n_taken = np.empty(n, np.int64), np.empty(n), 0

    def take(self, nodes: Ints, *, n_exact: int = _ALL) -> None:
        """Take nodes in their order."""
        for node in self._tie_rank[nodes].tolist():
            self._take(node, full=self.n_taken < n_exact)

    def run(
        self,
        nodes: Ints,
        *,
        limited: bool = True,
        least: int = -1,
        support_quarters: int = 0,
        n_exact: int = _ALL,
    ) -> int:
        """Take nodes, best first, while their value is more than `least` units.

        `support_quarters` of the support are added to the gain, and the first `n_exact` nodes use
        complete rows. Gives the number of taken nodes.
        """
        waiting = np.zeros(len(self._tie_rank), dtype=np.bool_)
        waiting[self._tie_rank[nodes]] = True
        self._support = None
        if support_quarters:
            left = self._parts * self._left[self._row]
            support = np.bincount(self._columns, left, minlength=len(waiting))
            self._support = np.asarray(support, dtype=np.float64)
        while True:
            able = waiting
            if limited and self._open is not None:
                able = waiting & self._open.mask()
            worth = self._gain
            if self._support is not None:
                worth = worth + np.floor(support_quarters * self._support / 4)
            key = worth if self._cost is None else worth / self._cost
            first = int(np.argmax(np.where(able, key, -1)))
            if not able[first] or worth[first] <= least:
                return self.n_taken
            waiting[first] = False
            self._take(first, full=self.n_taken < n_exact)

    def _take(self, node: int, *, full: bool) -> None:
        number = int(self._by_tie_rank[node])
        index, shares = self._model.entries(number, full=full)
        row, weighted = np.zeros((2, len(self._tie_rank)))
        row[self._tie_rank[index]] = shares
        if self._weights is not None:
            shares = self._weights.of_row(number, index, shares)
        weighted[self._tie_rank[index]] = shares
        covered = np.maximum(self._covered, units(weighted))
        # The gain: Σ_j max(w_ij − max_{s ∈ S} w_sj, 0).
        self.order[self.n_taken] = number
        self.gains[self.n_taken] = (covered - self._covered).sum() / UNIT
        self.n_taken += 1
        if self._open is not None:
            self._open.take(node)
        left = np.floor(self._left * (PART - parts(row)) / PART)
        changed = covered > self._covered
        if self._support is not None:
            changed |= left < self._left
        rows = np.flatnonzero(changed)
        lengths = self._starts[rows + 1] - self._starts[rows]
        before = np.cumsum(lengths) - lengths
        entries = np.arange(lengths.sum()) + np.repeat(self._starts[rows] - before, lengths)
        j, columns = self._row[entries], self._columns[entries]
        lost = np.maximum(self._units[entries] - self._covered[j], 0)
        lost -= np.maximum(self._units[entries] - covered[j], 0)
        self._gain = self._gain - np.bincount(columns, lost, len(row))
        if self._support is not None:
            lost = self._parts[entries] * (self._left - left)[j]
            self._support = self._support - np.bincount(columns, lost, len(row))
        self._covered, self._left = covered, left


class Limits(NamedTuple):
    """`Constraints` as the kernels take them.

    The group of a node is -1 for none; CSR rows list the nodes that may not be taken with it.
    `cost` is empty without costs. `by_cost` is 1 to take the node of the largest gain per cost,
    0 to take the node of the largest gain.
    """

    allowed: Bools
    group: Ints
    room: Ints
    starts: Ints
    columns: Ints
    cost: Doubles
    budget: float
    by_cost: int


class _KernelSearch:
    """The same search by compiled kernels: lazy, with a heap of bounds."""

    def __init__(self, model: Any, tie_rank: Ints, weights: NodeWeights | None) -> None:
        self._model, self._weights, self._tie_rank = model, weights, tie_rank
        self._kernel = model.kernel if weights is None else model.weighted_kernel(weights)

    def begin(self, constraints: Constraints, *, by_cost: bool = False) -> None:
        """Begin with nothing taken; `by_cost`: a gain counts for its cost."""
        from topofs._kernels.coverage import begin_search

        n, pairs = constraints.n_nodes, constraints.too_alike
        group, room = constraints.group, constraints.room
        rows = sparse.csr_array((n, n)) if pairs is None else sparse.csr_array(pairs)
        self._limits = Limits(
            allowed=constraints.allowed,
            group=np.full(n, -1) if group is None or room is None else group,
            room=np.empty(0, np.int64) if room is None else room,
            starts=rows.indptr.astype(np.int64),
            columns=rows.indices.astype(np.int64),
            cost=np.empty(0) if constraints.cost is None else constraints.cost,
            budget=float(constraints.budget),
            by_cost=int(by_cost),
        )
        key = np.empty(n, np.float64 if by_cost else np.int64)
        self._state, self._search = begin_search(self._kernel, self._limits, key)
        self.order: Ints = self._search.order
        self.gains: Doubles = self._search.gains

    @property
    def n_taken(self) -> int:
        """Number of taken nodes."""
        return int(self._search.counters[0])

    def take(self, nodes: Ints, *, n_exact: int = _ALL) -> None:
        """Take nodes in their order."""
        for node in nodes:
            self.run(np.array([node]), limited=False, n_exact=n_exact)

    def run(
        self,
        nodes: Ints,
        *,
        limited: bool = True,
        least: int = -1,
        support_quarters: int = 0,
        n_exact: int = _ALL,
    ) -> int:
        """Take nodes, best first, as `_NumpySearch.run` does."""
        from topofs._kernels.coverage import begin_phase, cover_by_row, take_best

        heap, search = nodes.astype(np.int64), self._search
        start = self._kernel, self._state, search, self._limits, self._tie_rank, heap
        begin_phase(*start, support_quarters)
        how = int(limited), least, support_quarters, self._model.truncated, n_exact
        while (node := take_best(*start, *how)) >= 0:
            index, row = self._model.entries(int(node))
            weighted = row
            if self._weights is not None:
                weighted = self._weights.of_row(int(node), index, row)
            cover_by_row(self._state[0], search, units(weighted), parts(row))
        return self.n_taken
