"""Exchanges: add, drop and swap nodes of a set while its coverage rises.

`exchanges` repeats the best exchange; `Coverage(refine=True)` begins with the greedy set. The
gain of a swap is the gain of the candidate minus the loss of the dropped node, plus the part of
this loss that the candidate covers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import UNIT, units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topofs.constraints import Constraints
    from topofs.network import NodeWeights
    from topofs.rules.coverage import MatrixCoverage
    from topofs.typing import Bools, Ints

# Candidates evaluated at a time.
_ROWS = 256

# Complete rows of all nodes are used up to this number of entries.
_MOST_FULL = 1 << 25

_NEVER = np.iinfo(np.int64).min // 2


def exchanges(
    model: MatrixCoverage,
    constraints: Constraints,
    selected: Ints,
    *,
    worth: float | None,
    weights: NodeWeights | None = None,
    tie_rank: Ints | None = None,
) -> Iterator[Ints]:
    r"""Repeat the best exchange as long as one improves the objective.

    A swap of a selected node for another gains if :math:`F(S) = \sum_j \max_{i \in S} w_{ij}`
    rises. If the size is free, a node is dropped or added if F(S) minus `worth` per node rises.
    Among equal gains a drop comes before a swap, and a swap before an addition; then the lowest
    tie_rank decides, first that of the new node. full rows are used. If full rows of all
    nodes would take too much memory, only selected nodes have them, and candidates are
    evaluated by their strongest links.

    `selected` is the initial set. `worth` is the least gain of one more node, in nodes; None if
    the size is fixed. Shares count by `weights`, if given. `tie_rank` decides between equal gains;
    by default the number of the node.
    Constraints hold after each exchange, and forced nodes stay. Yields the ascending set after
    each exchange.

    References
    ----------
    .. [1] E. Schubert and P. J. Rousseeuw (2021). Fast and eager k-medoids clustering.
       Information Systems 101, 101804: gains that all swaps of a candidate share.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.rules.coverage import MatrixCoverage
    >>> from topofs.constraints import Constraints
    >>> shares = np.eye(5)
    >>> shares[[0, 0, 0, 0, 1, 3], [1, 2, 3, 4, 2, 4]] = 0.6, 0.6, 0.6, 0.6, 0.9, 0.9
    >>> model = MatrixCoverage(np.maximum(shares, shares.T))
    >>> for after in exchanges(model, Constraints.none(5), np.array([0, 1]), worth=None):
    ...     after.tolist()
    [1, 3]
    """
    # Nodes are numbered by their rank here.
    tie_rank = np.arange(constraints.n_nodes) if tie_rank is None else tie_rank
    by_tie_rank = np.argsort(tie_rank)
    constraints = constraints.renumbered(by_tie_rank)

    def rows_of(nodes: Ints, full: Ints | None = None) -> Any:
        rows = sparse.csr_array(model.rows(by_tie_rank[nodes], full))
        if weights is not None:
            of_nodes = replace(weights, selected=weights.selected[by_tie_rank[nodes]])
            rows = of_nodes.applied(rows)
        return _like(rows, units(rows.data))[:, by_tie_rank]

    many = int(model.truncated.sum()) * len(tie_rank) > _MOST_FULL
    rows = rows_of(np.arange(len(tie_rank)), tie_rank[:0] if many else None)
    now = np.sort(tie_rank[selected])
    selected_rows = rows_of(now)
    while best := _best_exchange(rows, selected_rows, now, constraints, worth):
        added, dropped = best
        now = np.concatenate([now, added])
        order = np.argsort(now)
        order = order[~np.isin(now[order], dropped)]
        if len(added):
            selected_rows = sparse.vstack([selected_rows, rows_of(added)], format="csr")
        now, selected_rows = now[order], selected_rows[order]
        yield np.sort(by_tie_rank[now])


def _like(rows: Any, amounts: Ints) -> Any:
    """Sparse rows with the same pattern and other values."""
    return sparse.csr_array((amounts, rows.indices, rows.indptr), shape=rows.shape)


def _best_exchange(
    rows: Any, selected_rows: Any, now: Ints, constraints: Constraints, worth: float | None
) -> tuple[Ints, Ints] | None:
    """Nodes to add and to drop in the best exchange; None if no exchange gains."""
    first, second, nearest = _two_best(selected_rows)
    lost = np.zeros(len(now), np.int64)
    np.add.at(lost, nearest, first - second)
    lost[np.isin(now, constraints.forced)] = -_NEVER
    price = None if worth is None else int(worth * UNIT)
    may_add = np.isin(np.arange(rows.shape[0]), constraints.open_beside(now))
    nothing = now[:0]
    found: list[tuple[int, Ints, Ints]] = []
    if price is not None and len(now) > 1:
        if_dropped = np.where(_spare(now, constraints), lost, -_NEVER)
        at = int(if_dropped.argmin())
        found.append((int(price - if_dropped[at]), nothing, now[at : at + 1]))
    swap, add = (0, nothing, nothing), (0, nothing, nothing)
    for start in range(0, rows.shape[0], _ROWS):
        some = np.arange(start, min(start + _ROWS, rows.shape[0]))
        shared, made_up = _gains(rows[start : start + _ROWS], first, second, nearest, len(now))
        may_swap = _may_replace(some, now, constraints)
        gain = np.where(may_swap, shared[:, None] + made_up - lost, _NEVER)
        row, at = divmod(int(gain.argmax()), len(now))
        if gain[row, at] > swap[0]:
            swap = int(gain[row, at]), some[row : row + 1], now[at : at + 1]
        if price is not None:
            gain = np.where(may_add[some], shared - price, _NEVER)
            row = int(gain.argmax())
            if gain[row] > add[0]:
                add = int(gain[row]), some[row : row + 1], nothing
    best = max([*found, swap, add], key=lambda exchange: exchange[0])
    return None if best[0] <= 0 else best[1:]


def _two_best(rows: Any) -> tuple[Ints, Ints, Ints]:
    """The largest and the second largest amount of each column, and the row of the largest."""
    j, amounts, n = rows.indices, rows.data, rows.shape[1]
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    first, second, nearest = (np.zeros(n, np.int64) for _ in range(3))
    np.maximum.at(first, j, amounts)
    largest = amounts == first[j]
    nearest[j[largest]] = row[largest]
    others = row != nearest[j]
    np.maximum.at(second, j[others], amounts[others])
    return first, second, nearest


def _gains(
    rows: Any, first: Ints, second: Ints, nearest: Ints, n_selected: int
) -> tuple[Ints, Ints]:
    """The gain of each candidate, and the part of a dropped node's loss that it covers."""
    j, amounts, n_rows = rows.indices, rows.data, rows.shape[0]
    beyond = np.maximum(amounts - first[j], 0)
    made_up = np.maximum(amounts - second[j], 0) - beyond
    shared = _like(rows, beyond).sum(axis=1)
    # Duplicate entries are added up.
    by_nearest = sparse.csr_array(
        (made_up, nearest[j], rows.indptr), shape=(n_rows, n_selected)
    )
    return shared, by_nearest.toarray()


def _spare(selected: Ints, constraints: Constraints) -> Bools:
    """Whether more nodes of the group of each selected node are selected than demanded."""
    if constraints.demand is None or constraints.group is None:
        return np.ones(len(selected), dtype=np.bool_)
    more = constraints.count_by_group(selected) > constraints.demand
    # Nodes without a group (-1) use the last entry.
    return np.append(more, True)[constraints.group[selected]]


def _may_replace(nodes: Ints, selected: Ints, constraints: Constraints) -> Bools:
    """Whether each candidate (row) may replace each selected node."""
    candidate = constraints.allowed[nodes] & ~np.isin(nodes, selected)
    able = np.repeat(candidate[:, None], len(selected), axis=1)
    if constraints.group is not None and constraints.room is not None:
        group, taken = constraints.group[nodes], constraints.group[selected]
        left = constraints.room - np.bincount(
            taken[taken >= 0], minlength=len(constraints.room)
        )
        # Nodes without a group (-1) use the last entry, which has room for all.
        has_room = np.append(left, 1)[group] > 0
        able &= has_room[:, None] | (group[:, None] == taken)
    if constraints.demand is not None and constraints.group is not None:
        same = constraints.group[nodes][:, None] == constraints.group[selected]
        able &= _spare(selected, constraints) | same
    if constraints.too_alike is not None:
        near = sparse.csr_array(constraints.too_alike)[nodes][:, selected].toarray() != 0
        able &= near.sum(axis=1, keepdims=True) == near
    if constraints.cost is not None:
        money = max(0.0, constraints.budget - constraints.cost[selected].sum())
        able &= constraints.cost[nodes][:, None] <= money + constraints.cost[selected]
    return able
