"""Rankings by greedy coverage, for any reach and any constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs._kernels.dispatch import PART, UNIT, parts, units, use_numpy
from topofs.rules.base import Ranking

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.constraints import Constraints
    from topofs.rules.coverage_model import MatrixCoverage, PathCoverage

__all__ = ["DROP", "KEEP", "LAST", "Limits", "beginnings", "greedy_ranking", "limits_of"]

MOST_ENUMERATED = 40
"""With up to so many nodes, a budget is tried with every pair of nodes as a beginning."""

QUARTERS = 2
"""Beyond the end, this many quarters of the support count beside the gain: λ = 1/2.

Chosen by a rule written beforehand: `python -m benchmarks.beyond_auto`.
"""

DROP, KEEP, LAST = "drop", "keep", "last"
"""What becomes of isolated nodes: see `greedy_ranking`."""

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


class Limits(NamedTuple):
    """What may be taken together: nodes that are `allowed`, and `room` nodes of each group.

    The group of a node is -1 for none; CSR rows list the nodes that may not be taken beside it.
    `cost` is what each node costs, empty where nothing does, and `budget` what may be spent;
    `by_cost` is 1 to take the node that adds most for its cost, 0 the one that adds most.
    """

    allowed: npt.NDArray[np.bool_]
    group: Ints
    room: Ints
    starts: Ints
    columns: Ints
    cost: Doubles
    budget: float
    by_cost: int


class _Phase(NamedTuple):
    """Nodes whose turn it is, and how they are taken.

    `limited` says whether limits count; nodes worth `least` units or less stay; so many
    `quarters` of the support count beside the gain; and whole rows count for the first `exact`.
    """

    nodes: Ints
    limited: bool = True
    least: int = -1
    quarters: int = 0
    exact: int = np.iinfo(np.int64).max


class _Search(Protocol):
    order: Ints
    gains: Doubles

    def run(self, phase: _Phase) -> int:
        """Take nodes of a phase; tell how many are taken in all."""


def greedy_ranking(
    reach: PathCoverage | MatrixCoverage,
    constraints: Constraints,
    *,
    place: Ints | None = None,
    isolated: str = DROP,
    quarters: int = QUARTERS,
) -> Ranking:
    r"""Order nodes greedily so that the first of them represent as many others as can be.

    The k-th node is the one that adds most to

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij}

    of those that the constraints allow beside the nodes before it, as long as that is more than the
    node itself: up to the end. Beyond it, the next node c is the one for which the sum of what
    it adds and of

    .. math:: \lambda \sum_j w_{cj} \prod_{i \in S} (1 - w_{ij})

    is largest: the support that it gives to what is left of every node, if the errors of its
    representatives were independent. A near-copy of a selected node gives almost none, a second
    one of a noisy group much, and an isolated node represents itself.

    Parameters
    ----------
    reach : PathCoverage or MatrixCoverage
        The shares w.
    constraints : Constraints
        Who must, may and may not be selected together. Where nodes have costs, the better of
        two sets is taken: by what a node adds, and by what it adds for its cost; with few
        nodes, of sets with every beginning.
    place : array of int, shape (n_nodes,), optional
        Of nodes that are worth the same, the one with the lowest place comes first; by default
        the lowest node (see `topofs.rules.base.ranks_by_strength`).
    isolated : {"drop", "keep", "last"}, default="drop"
        Isolated nodes come beyond the end, as what they are worth there says; or before it; or
        after all others.
    quarters : int, default=2
        λ in quarters.

    Returns
    -------
    Ranking
        Nodes that may not be selected beside those before them come last, with score 0.

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
    >>> from topofs.rules.coverage_model import MatrixCoverage
    >>> from topofs.constraints import Constraints
    >>> shares = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.5], [0.0, 0.5, 1.0]])
    >>> ranking = greedy_ranking(MatrixCoverage(shares), Constraints.none(3))
    >>> ranking.order.tolist(), ranking.scores[ranking.order].round(3).tolist()
    ([1, 2, 0], [2.3, 0.5, 0.2])
    """
    n, alone = constraints.n_nodes, reach.isolated()
    place = np.arange(n) if place is None else place
    search = _searcher(reach, place)
    # One node at least is selected.
    wanted = max(1, constraints.n_wanted or 0)
    if constraints.cost is None:
        others = np.ones(n, dtype=np.bool_)
        others[constraints.chosen] = False
        linked, lonely = np.flatnonzero(others & ~alone), np.flatnonzero(others & alone)
        found = search(limits_of(constraints))
        found.run(_Phase(constraints.chosen, limited=False))
        end = found.run(_Phase(linked, least=int(UNIT)))
        if isolated == KEEP:
            end = found.run(_Phase(lonely))
        rest = linked if isolated == LAST else np.flatnonzero(others)
        rest = np.setdiff1d(rest, found.order[:end])
        n_taken = found.run(_Phase(rest, quarters=quarters, exact=wanted))
        if isolated == LAST:
            n_taken = found.run(_Phase(lonely, exact=wanted))
        order, gains = found.order[:n_taken], found.gains[:n_taken]
    else:
        order, gains = _affordable(search, constraints, place)
        end, wanted = int((gains > 1).sum()), len(order)
    scores = np.zeros(n)
    scores[order] = gains
    rest = np.setdiff1d(np.arange(n), order)
    rest = rest[np.argsort(place[rest])]
    everyone = np.concatenate([order, rest])
    exact = max(end, wanted) if reach.cut.any() else None
    return Ranking(
        everyone, scores, max(1, end), reach, alone, len(order), place=place, exact=exact
    )


def _affordable(
    search: Callable[[Limits], _Search], constraints: Constraints, place: Ints
) -> tuple[Ints, Doubles]:
    """The better of two sets that can be paid, best first: by gain, and by gain for the cost."""

    def taken(first: Ints, limits: Limits) -> tuple[Ints, Doubles]:
        found = search(limits)
        found.run(_Phase(first, limited=False))
        others = np.setdiff1d(np.arange(constraints.n_nodes), first)
        n_taken = found.run(_Phase(others))
        return found.order[:n_taken], found.gains[:n_taken]

    by_gain = taken(constraints.chosen, limits_of(constraints))
    by_cost = limits_of(constraints, by_cost=True)
    starts = [constraints.chosen, *beginnings(constraints.chosen, constraints, place)]
    best = max([by_gain, *(taken(start, by_cost) for start in starts)], key=_total)
    # The same set, in the order in which its nodes add most.
    within = np.zeros(constraints.n_nodes, dtype=np.bool_)
    within[best[0]] = True
    return taken(constraints.chosen, limits_of(constraints)._replace(allowed=within))


def _total(taken: tuple[Ints, Doubles]) -> float:
    return float(taken[1].sum())


def beginnings(first: Ints, constraints: Constraints, place: Ints) -> list[Ints]:
    """Some nodes with every other, and pair of them, that may stand beside; few nodes only."""
    if constraints.n_nodes > MOST_ENUMERATED:
        return []

    def candidates(beside: Ints) -> list[int]:
        return sorted(constraints.open_beside(beside).tolist(), key=place.__getitem__)

    found = []
    for one in candidates(first):
        found.append(np.append(first, one))
        others = candidates(found[-1])
        found += [np.append(found[-1], two) for two in others if place[two] > place[one]]
    return found


def limits_of(constraints: Constraints, *, by_cost: bool = False) -> Limits:
    """Put constraints into the form that a search takes; `by_cost`: a gain counts for its cost."""
    n = constraints.n_nodes
    starts, columns = np.zeros(n + 1, np.int64), np.empty(0, np.int64)
    if constraints.too_alike is not None:
        rows = sparse.csr_array(constraints.too_alike)
        starts, columns = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
    return Limits(
        allowed=constraints.allowed,
        group=np.full(n, -1, np.int64) if constraints.group is None else constraints.group,
        room=np.empty(0, np.int64) if constraints.room is None else constraints.room,
        starts=starts,
        columns=columns,
        cost=np.empty(0) if constraints.cost is None else constraints.cost,
        budget=float(constraints.budget),
        by_cost=int(by_cost),
    )


def _searcher(reach: PathCoverage | MatrixCoverage, place: Ints) -> Callable[[Limits], _Search]:
    """What begins a search under limits: by numpy where the table is small, else by kernels."""
    if reach.by_matrix and use_numpy(len(place)):
        shares = sparse.csr_array(reach.matrix)  # type: ignore[union-attr]
        by_place = np.argsort(place)
        turned = _WholeNumbers(sparse.csr_array(shares[by_place][:, by_place].T))
        return lambda limits: _NumpySearch(reach, by_place, turned, limits)
    return lambda limits: _KernelSearch(reach, place, limits)


class _KernelSearch:
    """A lazy greedy search by compiled kernels."""

    def __init__(self, reach: Any, place: Ints, limits: Limits) -> None:
        from topofs._kernels.coverage import begin_search

        self._reach, self._kernel, self._place, self._limits = (
            reach,
            reach.kernel,
            place,
            limits,
        )
        key = np.empty(len(place), np.float64 if limits.by_cost else np.int64)
        self._state, self._search = begin_search(self._kernel, limits, key)
        self.order, self.gains = self._search.order, self._search.gains

    def run(self, phase: _Phase) -> int:
        """Take nodes of a phase; tell how many are taken in all."""
        from topofs._kernels.coverage import begin_phase, cover_by_row, take_best

        heap, search, reach = phase.nodes.astype(np.int64), self._search, self._kernel
        start = reach, self._state, search, self._limits, self._place, heap
        begin_phase(*start, phase.quarters)
        how = int(phase.limited), phase.least, phase.quarters, self._reach.cut, phase.exact
        while (node := take_best(*start, *how)) >= 0:
            row = self._reach.row(int(node))
            cover_by_row(self._state[0], search, units(row), parts(row))
        return int(search.counters[0])


class _WholeNumbers:
    """Sparse rows of shares in units and in parts, as floats: sums of these are exact."""

    def __init__(self, rows: Any) -> None:
        self.starts, self.columns = rows.indptr.astype(np.int64), rows.indices
        self.units, self.parts = (part(rows.data).astype(np.float64) for part in (units, parts))
        self.row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))

    def entries(self, rows: Ints) -> Any:
        """Positions of the entries of some rows."""
        n = len(self.starts) - 1
        if 2 * len(rows) > n:
            inside = np.zeros(n, dtype=np.bool_)
            inside[rows] = True
            return np.flatnonzero(inside[self.row])
        lengths = self.starts[rows + 1] - self.starts[rows]
        begins = np.cumsum(lengths) - lengths
        return np.arange(lengths.sum()) + np.repeat(self.starts[rows] - begins, lengths)


class _NumpySearch:
    """The same search by numpy: what each node adds is brought up to date after each one taken.

    Nodes are numbered by their place here, so that the first of equal ones is taken; row j of
    `turned` has the shares of j that each node explains. Whole numbers are held as floats, whose
    sums are exact below 2⁵³.
    """

    def __init__(
        self, reach: Any, by_place: Ints, turned: _WholeNumbers, limits: Limits
    ) -> None:
        n = len(by_place)
        self._reach, self._by_place, self._turned = reach, by_place, turned
        self._place = np.argsort(by_place)
        self._limits, self._room = limits, np.append(limits.room, n)
        self._open, self._group = limits.allowed[by_place], limits.group[by_place]
        self._cost = limits.cost[by_place] if len(limits.cost) else np.zeros(n)
        self._money = limits.budget
        self._gain, self._covered = self._summed(slice(None), turned.units), np.zeros(n)
        self._left = np.full(n, float(PART))
        self._support: Doubles | None = None
        self._cut = reach.cut
        self.order, self.gains = np.empty(n, np.int64), np.empty(n)
        self._n_taken = 0

    def run(self, phase: _Phase) -> int:
        """Take nodes of a phase; tell how many are taken in all."""
        waiting = np.zeros(len(self._open), dtype=np.bool_)
        waiting[self._place[phase.nodes]] = True
        self._support = None
        if phase.quarters:
            left = self._left[self._turned.row]
            self._support = self._summed(slice(None), self._turned.parts * left)
        while True:
            able = waiting & self._may_be_taken() if phase.limited else waiting
            worth = self._gain
            if self._support is not None:
                worth = worth + np.floor(phase.quarters * self._support / 4)
            key = worth / self._cost if self._limits.by_cost else worth
            first = int(np.argmax(np.where(able, key, -1)))
            if not able[first] or worth[first] <= phase.least:
                return self._n_taken
            waiting[first] = False
            self._take(first, by_row=self._n_taken < phase.exact)

    def _may_be_taken(self) -> npt.NDArray[np.bool_]:
        has_room = self._room[self._group] > 0
        return np.asarray(self._open & has_room & (self._cost <= self._money))

    def _summed(self, entries: Any, amounts: Doubles) -> Doubles:
        """Sum amounts of entries by the node that explains."""
        columns = self._turned.columns[entries]
        total = np.bincount(columns, amounts, minlength=len(self._by_place))
        return np.asarray(total, dtype=np.float64)

    def _take(self, node: int, *, by_row: bool) -> None:
        number = int(self._by_place[node])
        if by_row and self._cut[number]:
            whole = self._reach.row(number)[self._by_place]
        else:
            whole = self._reach.listed_row(number)[self._by_place]
        row, part = units(whole).astype(np.float64), parts(whole).astype(np.float64)
        after = np.maximum(self._covered, row)
        self.order[self._n_taken] = number
        self.gains[self._n_taken] = (after - self._covered).sum() / UNIT
        self._n_taken += 1
        at = self._turned.entries(np.flatnonzero(after > self._covered))
        j, amounts = self._turned.row[at], self._turned.units[at]
        lost = np.maximum(amounts - self._covered[j], 0) - np.maximum(amounts - after[j], 0)
        self._gain = self._gain - self._summed(at, lost)
        self._covered = after
        left = np.floor(self._left * (PART - part) / PART)
        if self._support is not None:
            at = self._turned.entries(np.flatnonzero(left < self._left))
            gone = (self._left - left)[self._turned.row[at]]
            self._support = self._support - self._summed(at, self._turned.parts[at] * gone)
        self._left = left
        self._close(node, number)

    def _close(self, node: int, number: int) -> None:
        """Close what may not stand beside a node that is taken, and pay."""
        limits = self._limits
        self._open[node] = False
        if self._group[node] >= 0:
            self._room[self._group[node]] -= 1
        if len(limits.columns):
            near = limits.columns[limits.starts[number] : limits.starts[number + 1]]
            self._open[self._place[near]] = False
        self._money -= self._cost[node]
