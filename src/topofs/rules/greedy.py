"""Rankings by greedy coverage, for any reach and any wishes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.kernels.greedy import Limits, Turns, greedy_cover
from topofs.rules.rule import Ranking

if TYPE_CHECKING:
    from topofs.rules.reach import MatrixReach, PathReach
    from topofs.rules.wishes import Wishes

__all__ = ["beginnings", "greedy_ranking", "limits_of"]

MOST_ENUMERATED = 40
"""With up to so many nodes, a budget is tried with every pair of nodes as a beginning."""

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


def greedy_ranking(
    reach: PathReach | MatrixReach,
    wishes: Wishes,
    *,
    place: Ints | None = None,
    isolated_early: bool = False,
) -> Ranking:
    r"""Order nodes greedily so that the first of them represent as many others as can be.

    The k-th node is the one that adds most to

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij}

    of those that the wishes allow beside the nodes before it.

    Parameters
    ----------
    reach : PathReach or MatrixReach
        The shares w.
    wishes : Wishes
        Who must, may and may not be selected together. Where nodes have costs, the better of
        two sets is taken: by what a node adds, and by what it adds for its cost; with few
        nodes, of sets with every beginning.
    place : array of int, shape (n_nodes,), optional
        Of nodes that add the same, as isolated ones do, the one with the lowest place comes
        first; by default the lowest node (see `topofs.rules.tied.places_by_strength`).
    isolated_early : bool, default=False
        Whether isolated nodes come before others that add no more than themselves, and are
        selected by themselves; or after all others.

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
    >>> from topofs.rules.reach import MatrixReach
    >>> from topofs.rules.wishes import Wishes
    >>> shares = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.5], [0.0, 0.5, 1.0]])
    >>> ranking = greedy_ranking(MatrixReach(shares), Wishes.none(3))
    >>> ranking.order.tolist(), ranking.scores[ranking.order].round(3).tolist()
    ([1, 2, 0], [2.3, 0.5, 0.2])
    """
    isolated = reach.isolated()
    place = np.arange(wishes.n_nodes) if place is None else place
    turns = _turns(isolated, wishes, place, isolated_early=isolated_early)
    order, gains, end = _taken(reach, turns, wishes)
    scores = np.zeros(wishes.n_nodes)
    scores[order] = gains
    rest = np.setdiff1d(np.arange(wishes.n_nodes), order)
    rest = rest[np.argsort(place[rest])]
    everyone = np.concatenate([order, rest])
    return Ranking(everyone, scores, max(1, end), reach, isolated, len(order), place=place)


def _turns(
    isolated: npt.NDArray[np.bool_],
    wishes: Wishes,
    place: Ints,
    *,
    isolated_early: bool,
) -> Turns:
    others = np.ones(wishes.n_nodes, dtype=np.bool_)
    others[wishes.chosen] = False
    if wishes.cost is not None:
        # What is alone may be cheap: nobody waits for the others.
        isolated = np.zeros_like(isolated)
    alone = np.flatnonzero(others & isolated)
    alone = alone[np.argsort(place[alone])]
    linked = np.flatnonzero(others & ~isolated)
    return Turns(np.sort(wishes.chosen), linked, alone, int(isolated_early), place)


def _taken(
    reach: PathReach | MatrixReach, turns: Turns, wishes: Wishes
) -> tuple[Ints, Doubles, int]:
    """The order of the kernel; with costs the better of two."""
    kernel, n = reach.kernel, wishes.n_nodes
    by_gain = greedy_cover(kernel, turns, limits_of(wishes), np.empty(n, np.int64))
    if wishes.cost is None:
        return by_gain
    limits, key = limits_of(wishes, by_cost=True), np.empty(n, np.float64)
    by_cost = [
        greedy_cover(kernel, _starting_with(first, turns), limits, key)
        for first in (turns.first, *beginnings(turns.first, wishes, turns.place))
    ]
    best = max([by_gain, *by_cost], key=lambda one: one[1].sum())
    # The same set, in the order in which its nodes add most.
    within = np.zeros(n, dtype=np.bool_)
    within[best[0]] = True
    limits = limits_of(wishes)._replace(allowed=within)
    return greedy_cover(kernel, turns, limits, np.empty(n, np.int64))


def beginnings(first: Ints, wishes: Wishes, place: Ints) -> list[Ints]:
    """Some nodes with every other, and pair of them, that may stand beside; few nodes only."""
    if wishes.n_nodes > MOST_ENUMERATED:
        return []

    def candidates(beside: Ints) -> list[int]:
        return sorted(wishes.open_beside(beside).tolist(), key=place.__getitem__)

    found = []
    for one in candidates(first):
        found.append(np.append(first, one))
        others = candidates(found[-1])
        found += [np.append(found[-1], two) for two in others if place[two] > place[one]]
    return found


def _starting_with(first: Ints, turns: Turns) -> Turns:
    linked, alone = (part[~np.isin(part, first)] for part in (turns.linked, turns.alone))
    return turns._replace(first=np.sort(first), linked=linked, alone=alone)


def limits_of(wishes: Wishes, *, by_cost: bool = False) -> Limits:
    """Put wishes into the form that the kernel takes; `by_cost`: a gain counts for its cost."""
    n = wishes.n_nodes
    starts, columns = np.zeros(n + 1, np.int64), np.empty(0, np.int64)
    if wishes.too_alike is not None:
        rows = sparse.csr_array(wishes.too_alike)
        starts, columns = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
    return Limits(
        allowed=wishes.allowed,
        group=np.full(n, -1, np.int64) if wishes.group is None else wishes.group,
        room=np.empty(0, np.int64) if wishes.room is None else wishes.room,
        starts=starts,
        columns=columns,
        cost=np.empty(0) if wishes.cost is None else wishes.cost,
        budget=float(wishes.budget),
        by_cost=int(by_cost),
    )
