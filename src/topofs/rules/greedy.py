"""Greedy coverage under constraints, for any coverage model.

`greedy_ranking` takes nodes in phases: forced nodes, demanded nodes, nodes that add more than
themselves, and the other nodes. `_NumpySearch`, for small matrices, and `_KernelSearch`, for
paths and large matrices, take the nodes of a phase one by one. Both compute shares in whole
numbers (see `topofs._kernels.numpy_or_numba.UNIT`), so they give the same bits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import PART, UNIT, parts, units, use_numpy
from topofs.constraints import OpenNodes
from topofs.network import NodeWeights
from topofs.rules.base import Ranking

if TYPE_CHECKING:
    from collections.abc import Callable

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
    n, is_isolated = constraints.n_nodes, model.isolated()
    tie_rank = np.arange(n) if tie_rank is None else tie_rank
    # At least one node is selected, unless no node has relevance.
    least = 1 if relevance is None else 0
    wanted = max(least, constraints.n_wanted or 0)

    matrix: Any = None if relevance is None else model.as_matrix()

    def searching(weights: NodeWeights | None = None) -> _NumpySearch | _KernelSearch:
        searched: Any = model if weights is None else matrix
        by_numpy = searched.by_matrix and use_numpy(n)
        search = (_NumpySearch if by_numpy else _KernelSearch)(searched, tie_rank, weights)
        search.begin(constraints)
        return search

    weights = None if relevance is None else relevance.weights
    if constraints.cost is None:
        first = demanded_nodes(model, constraints, tie_rank, weights)
        order, gains, end = _in_phases(
            *(searching, constraints, first, is_isolated, isolated, support_quarters),
            *(relevance, matrix, wanted),
        )
    else:
        order = _best_within_budget(searching(weights), model, constraints, tie_rank, weights)
        search = searching()
        search.take(order)
        gains = search.gains[: len(order)]
        end, wanted = int((gains > 1).sum()), len(order)
    scores = np.zeros(n)
    scores[order] = gains
    rest = np.setdiff1d(np.arange(n), order)
    return Ranking(
        order=np.concatenate([order, rest[np.argsort(tie_rank[rest])]]),
        scores=scores,
        end=max(least, end),
        coverage_model=model,
        isolated=is_isolated,
        selectable=len(order),
        tie_rank=tie_rank,
        exact=max(end, wanted) if model.truncated.any() else None,
        relevance=relevance,
    )


def _in_phases(
    searching: Callable[..., _NumpySearch | _KernelSearch],
    constraints: Constraints,
    first: Ints,
    is_isolated: Bools,
    isolated: str,
    support_quarters: int,
    relevance: NodeRelevance | None,
    matrix: Any,
    wanted: int,
) -> tuple[Ints, Doubles, int]:
    """The order of the nodes, their gains, and the number of nodes up to the end.

    The nodes `first` follow the forced ones.
    """
    others = np.ones(constraints.n_nodes, dtype=np.bool_)
    others[constraints.forced] = others[first] = False
    linked = np.flatnonzero(others & ~is_isolated)
    isolated_nodes, everyone = np.flatnonzero(others & is_isolated), np.flatnonzero(others)
    search = searching()
    search.run(constraints.forced, limited=False)
    search.take(first)
    relevant: Ints = np.empty(0, np.int64)
    if relevance is None:
        # Up to the end: nodes that add more than themselves.
        end = search.run(linked, least=int(UNIT))
    else:
        forced = search.order[: search.n_taken].copy()
        relevant, end = _by_relevance(
            searching, matrix, constraints, forced, relevance, support_quarters, wanted
        )
        search.take(relevant[: end - len(forced)])
    if isolated == KEEP:
        end = search.run(np.setdiff1d(isolated_nodes, search.order[:end]))
    wanted = max(end, wanted)
    search.take(relevant[~np.isin(relevant, search.order[:end])], n_exact=wanted)
    # Beyond the end, by gain and support.
    rest = np.setdiff1d(
        linked if isolated == LAST else everyone, search.order[: search.n_taken]
    )
    search.run(rest, support_quarters=support_quarters, n_exact=wanted)
    if isolated == LAST:
        rest = np.setdiff1d(isolated_nodes, search.order[: search.n_taken])
        search.run(rest, n_exact=wanted)
    return search.order[: search.n_taken], search.gains[: search.n_taken], end


def _by_relevance(
    searching: Callable[..., _NumpySearch | _KernelSearch],
    matrix: MatrixCoverage,
    constraints: Constraints,
    forced: Ints,
    relevance: NodeRelevance,
    support_quarters: int,
    wanted: int,
) -> tuple[Ints, int]:
    """The nodes with relevance in their order, and the number of nodes up to the end."""
    n, weights, least = constraints.n_nodes, relevance.at_end, int(relevance.least * UNIT)
    others = np.setdiff1d(np.arange(n), forced)
    if relevance.proven is None:
        search = searching(weights)
        search.take(forced)
        end = search.run(others, least=least)
        rest, wanted = np.setdiff1d(others, search.order[:end]), max(end, wanted)
        n_taken = search.run(rest, least=0, support_quarters=support_quarters, n_exact=wanted)
        return search.order[len(forced) : n_taken], end
    weighted = sparse.csr_array(weights.applied(matrix.matrix))
    amounts, row = units(weighted.data), np.repeat(np.arange(n), np.diff(weighted.indptr))

    def some_adds(selected: Ints) -> bool:
        """Whether a node beside some adds more than chance gives."""
        covered = np.zeros(n, np.int64)
        for node in selected.tolist():
            index, shares = matrix.entries(node)
            mine = units(weights.of_row(node, index, shares))
            covered[index] = np.maximum(covered[index], mine)
        gains = np.zeros(n, np.int64)
        np.add.at(gains, row, np.maximum(amounts - covered[weighted.indices], 0))
        return bool(gains[constraints.open_beside(selected)].max(initial=0) > least)

    while True:
        search = searching(relevance.weights)
        search.take(forced)
        n_taken = search.run(others, least=0, support_quarters=support_quarters, n_exact=wanted)
        order = search.order[:n_taken]
        # Gains never rise along the order: the end lies between two sizes.
        low, end = len(forced) - 1, len(forced)
        while end < n_taken and some_adds(order[:end]):
            low, end = end, min(n_taken, 2 * end + 1)
        while end - low > 1:
            middle = (low + end) // 2
            low, end = (middle, end) if some_adds(order[:middle]) else (low, middle)
        # Complete rows count up to the end.
        if end <= wanted or not matrix.truncated.any():
            return order[len(forced) :], end
        wanted = end


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


def _best_within_budget(
    search: _NumpySearch | _KernelSearch,
    model: PathCoverage | MatrixCoverage,
    constraints: Constraints,
    tie_rank: Ints,
    weights: NodeWeights | None,
) -> Ints:
    """The best of several sets within the budget, in greedy order."""
    everyone = np.arange(constraints.n_nodes)

    def taken(constraints: Constraints, *, by_cost: bool = False) -> tuple[Ints, Doubles]:
        search.begin(constraints, by_cost=by_cost)
        search.run(constraints.forced, limited=False)
        search.take(demanded_nodes(model, constraints, tie_rank, weights, by_cost=by_cost))
        rest = np.setdiff1d(everyone, search.order[: search.n_taken])
        n_taken = search.run(rest)
        return search.order[:n_taken], search.gains[:n_taken]

    starts = starting_sets(constraints, tie_rank)
    found = [taken(constraints)]
    found += [taken(constraints.with_forced(start), by_cost=True) for start in starts]
    best, _ = max(found, key=lambda nodes_and_gains: float(nodes_and_gains[1].sum()))
    return taken(replace(constraints, excluded=np.setdiff1d(everyone, best)))[0]


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
