"""Exchanges: add, drop and swap nodes of a set while what it represents rises."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.kernels.units import UNIT, units
from topofs.rules.wishes import OpenNodes

if TYPE_CHECKING:
    from topofs.rules.reach import MatrixReach
    from topofs.rules.rule import Ranking
    from topofs.rules.wishes import Wishes

__all__ = ["refined_ranking"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_ROWS = 256
_NEVER = np.iinfo(np.int64).min // 2


def refined_ranking(
    ranking: Ranking, wishes: Wishes, selected: Ints, *, worth: float | None
) -> Ranking:
    r"""Improve a set of nodes by exchanges, and put it before all others.

    The best exchange is made again and again, as long as there is one by which
    :math:`F(S) = \sum_j \max_{i \in S} w_{ij}` rises and the wishes hold: a node for a selected
    one; and, where the size is free, one node more or less, if F(S) less `worth` for each node
    rises.

    Parameters
    ----------
    ranking : Ranking
        The greedy one.
    wishes : Wishes
        Whom they force stays.
    selected : array of int
        The set to begin with.
    worth : float or None
        What a node more must add, in nodes; None where the size stays.

    Returns
    -------
    Ranking
        The improved set in its greedy order, then the others in theirs.

    References
    ----------
    .. [1] E. Schubert and P. J. Rousseeuw (2021). Fast and eager k-medoids clustering.
       Information Systems 101, 101804: gains that all swaps of a candidate share.
    """
    reach: Any = ranking.reach
    matrix: MatrixReach = reach if reach.by_matrix else reach.as_matrix()
    place = np.arange(wishes.n_nodes) if ranking.place is None else ranking.place
    found = _Exchanges(matrix, wishes, place, worth).improved(selected)
    inside = np.isin(ranking.order, found)
    order = np.concatenate([ranking.order[inside], ranking.order[~inside]])
    scores = np.zeros(wishes.n_nodes)
    scores[order] = matrix.gains_along(order, ranking.exact)
    return replace(ranking, order=order, scores=scores, end=len(found))


@dataclass(frozen=True)
class _Exchanges:
    """Exchanges of nodes, of equal gain those of the lowest places first."""

    reach: MatrixReach
    wishes: Wishes
    place: Ints
    worth: float | None

    def improved(self, selected: Ints) -> Ints:
        """Make the best exchange as long as there is one."""
        shares = sparse.csr_array(self.reach.matrix)
        amounts = sparse.csr_array(
            (units(shares.data), shares.indices, shares.indptr), shape=shares.shape
        )
        now, value = np.sort(selected), self._value(selected)
        refused = np.zeros(len(self.place), dtype=np.bool_)
        while True:
            found = self._best(now, amounts, refused)
            if found is None:
                return now
            added, dropped = found
            after = np.setdiff1d(now, dropped)
            after = np.union1d(after, added)
            reached = self._value(after)
            if reached > value:
                now, value = after, reached
                refused[:] = False
            else:
                # The strongest links of a node are less than its whole row, and promised more.
                refused[added] = True
                if not len(added):
                    return now

    def _value(self, selected: Ints) -> int:
        """F(S) in units, less what its nodes must be worth."""
        shares = self.reach.representatives(selected)[1]
        least = 0.0 if self.worth is None else self.worth
        return int(units(shares).sum()) - int(least * UNIT) * len(selected)

    def _best(self, now: Ints, amounts: Any, refused: Bools) -> tuple[Ints, Ints] | None:
        """Nodes to add and to drop, by the exchange that gains most; None where none gains."""
        by_place = now[np.argsort(self.place[now])]
        first, second, nearest = self._two_best(by_place)
        lost = np.bincount(nearest, first - second, minlength=len(now)).astype(np.int64)
        lost = np.where(np.isin(by_place, self.wishes.chosen), -_NEVER, lost)
        candidates = self.wishes.allowed & ~refused
        candidates[now] = False
        everyone = np.flatnonzero(candidates)
        everyone = everyone[np.argsort(self.place[everyone])]
        nobody = np.empty(0, dtype=np.int64)
        best: tuple[int, Ints, Ints] = (0, nobody, nobody)
        worth = None if self.worth is None else int(self.worth * UNIT)
        if worth is not None and len(now) > 1:
            at = int(np.argmin(lost))
            if worth - lost[at] > best[0]:
                best = int(worth - lost[at]), nobody, by_place[at : at + 1]
        limits = _Limits(self.wishes, by_place)
        for start in range(0, len(everyone), _ROWS):
            some = everyone[start : start + _ROWS]
            shared, swaps = _gains(amounts[some], first, second, nearest, len(now))
            gain = shared[:, None] + swaps - lost[None, :]
            gain[~limits.swaps(some)] = _NEVER
            row, column = divmod(int(np.argmax(gain)), gain.shape[1])
            if gain[row, column] > best[0]:
                pair = some[row : row + 1], by_place[column : column + 1]
                best = int(gain[row, column]), *pair
            if worth is not None:
                adds = np.where(limits.adds(some), shared - worth, _NEVER)
                row = int(np.argmax(adds))
                if adds[row] > best[0]:
                    best = int(adds[row]), some[row : row + 1], nobody
        return None if best[0] <= 0 else best[1:]

    def _two_best(self, selected: Ints) -> tuple[Ints, Ints, Ints]:
        """The largest and the second largest share of each node, and who gives the largest."""
        n = len(self.place)
        first, second = np.zeros(n, np.int64), np.zeros(n, np.int64)
        nearest = np.zeros(n, np.int64)
        for at, node in enumerate(selected.tolist()):
            row = units(self.reach.whole_row(node))
            better = row > first
            second = np.where(better, first, np.maximum(second, row))
            nearest[better] = at
            first = np.maximum(first, row)
        return first, second, nearest


def _gains(
    rows: Any, first: Ints, second: Ints, nearest: Ints, n_selected: int
) -> tuple[Ints, Ints]:
    """What candidates add, and what of a dropped node's loss each makes up for beside that."""
    j, amounts = rows.indices, rows.data
    beyond = np.maximum(amounts - first[j], 0)
    made_up = np.maximum(amounts - second[j], 0) - beyond
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    shared = np.zeros(rows.shape[0], np.int64)
    np.add.at(shared, row, beyond)
    swaps = np.zeros((rows.shape[0], n_selected), np.int64)
    np.add.at(swaps, (row, nearest[j]), made_up)
    return shared, swaps


class _Limits:
    """Which nodes may be added to a set, and which may take the place of which."""

    def __init__(self, wishes: Wishes, selected: Ints) -> None:
        self._wishes, self._selected = wishes, selected
        self._open = OpenNodes(wishes, selected.tolist())

    def adds(self, nodes: Ints) -> Bools:
        """Whether each of some nodes may be added."""
        return self._open.mask()[nodes]

    def swaps(self, nodes: Ints) -> Bools:
        """Whether each of some nodes may take the place of each selected one."""
        wishes, selected = self._wishes, self._selected
        able = np.ones((len(nodes), len(selected)), dtype=np.bool_)
        if wishes.group is not None and wishes.room is not None:
            group, taken = wishes.group, wishes.group[selected]
            room = np.append(
                wishes.room - np.bincount(taken[taken >= 0], minlength=len(wishes.room)), 1
            )
            able &= (room[group[nodes]] > 0)[:, None] | (
                group[nodes][:, None] == taken[None, :]
            )
        if wishes.too_alike is not None:
            near = sparse.csr_array(wishes.too_alike)[nodes][:, selected].toarray() != 0
            able &= near.sum(axis=1, keepdims=True) - near == 0
        if wishes.cost is not None:
            left = wishes.budget - wishes.cost[selected].sum()
            able &= wishes.cost[nodes][:, None] <= left + wishes.cost[selected][None, :]
        return able
