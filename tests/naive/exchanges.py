"""Slow twins of exchanges: every exchange tried from scratch, and the best set by milp."""

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

UNIT = 2**40


def in_units(shares):
    return np.rint(np.asarray(shares, dtype=np.float64) * UNIT).astype(np.int64)


def keeps_to(constraints, nodes, before):
    """Whether a set keeps to all constraints; excluded nodes may stay if they are there already."""
    nodes = sorted(nodes)
    if set(constraints.forced.tolist()) - set(nodes):
        return False
    if (set(nodes) - set(before)) & set(constraints.excluded.tolist()):
        return False
    if constraints.group is not None:
        for number, room in enumerate(constraints.room):
            if (constraints.group[nodes] == number).sum() > room:
                return False
    if (
        constraints.too_alike is not None
        and constraints.too_alike.toarray()[np.ix_(nodes, nodes)].any()
    ):
        return False
    return constraints.cost is None or constraints.cost[nodes].sum() <= constraints.budget


def naive_exchanges(shares, constraints, selected, *, worth, tie_rank, listed=None):
    """The sets after each best exchange.

    `listed` are the rows that count of a node that comes in; when it is there, its whole row does.
    """
    n, now, sets = len(shares), sorted(selected), []
    whole = in_units(shares)
    listed = whole if listed is None else in_units(listed)
    while True:
        best, after = None, None
        fewer = [] if worth is None else [(None, out) for out in now]
        swaps = [(new, out) for new in range(n) for out in now]
        more = [] if worth is None else [(new, None) for new in range(n)]
        rows = {node: whole[node] for node in now}
        value = sum(np.max([rows[i] for i in now], axis=0).tolist())
        for new, out in [*fewer, *swaps, *more]:
            if new in now:
                continue
            there = [node for node in now if node != out]
            entering = [] if new is None else [new]
            if not keeps_to(constraints, [*there, *entering], now) or not [*there, *entering]:
                continue
            covered = np.max(
                [*(rows[i] for i in there), *(listed[i] for i in entering)], axis=0
            )
            gain = sum(covered.tolist()) - value
            gain -= (worth or 0) * UNIT * (len(there) + len(entering) - len(now))
            kind = 0 if new is None else 2 if out is None else 1
            places = [tie_rank[node] if node is not None else -1 for node in (new, out)]
            key = (gain, -kind, -places[0], -places[1])
            if gain > 0 and (best is None or key > best):
                best, after = key, sorted([*there, *entering])
        if best is None:
            return sets
        now = after
        sets.append(now)


def most_coverage(shares, size=None, *, worth=0.0):
    """The largest sum of best shares less `worth` for each node, over all sets of a size or any."""
    n = len(shares)
    first, second = np.nonzero((shares > 0) | np.eye(n, dtype=bool))
    m = len(first)
    # x_i: node i is selected; y_ij: i represents j.
    gain = np.concatenate([np.full(n, -worth), shares[first, second]])
    at = np.arange(m)
    one = sparse.csr_array((np.ones(m), (second, n + at)), shape=(n, n + m))
    only = sparse.csr_array((np.ones(m), (at, n + at)), shape=(m, n + m))
    only = only - sparse.csr_array((np.ones(m), (at, first)), shape=(m, n + m))
    number = sparse.csr_array((np.ones(n), (np.zeros(n, int), np.arange(n))), shape=(1, n + m))
    found = milp(
        -gain,
        integrality=np.repeat([1, 0], [n, m]),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(one, 0, 1),
            LinearConstraint(only, -np.inf, 0),
            LinearConstraint(number, size or 1, size or n),
        ],
        options={"mip_rel_gap": 0.0},
    )
    assert found.success
    return -float(found.fun)
