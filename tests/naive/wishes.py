"""Greedy coverage under wishes, from scratch at every step."""

import itertools

import numpy as np


def naive_wished(shares, *, chosen=(), excluded=(), group=None, most=None, alike=None):
    """Nodes in greedy order and what each adds; every gain is computed anew from all shares.

    Chosen nodes come first, in the order in which they add most; then linked nodes, then nodes
    that represent themselves alone, by index.
    """
    shares = np.asarray(shares, dtype=np.float64)
    n = len(shares)
    linked = (shares > 0).sum(axis=1) > 1
    taken, gains = [], []

    def allowed(v):
        if v in excluded:
            return False
        grouped = group is not None and group[v] is not None
        if grouped and sum(group[u] == group[v] for u in taken) >= most:
            return False
        return alike is None or not any(alike[u][v] for u in taken)

    def gain(v):
        before = shares[taken].max(axis=0) if taken else np.zeros(n)
        return float(np.maximum(shares[v] - before, 0).sum())

    for pool in (
        list(chosen),
        np.flatnonzero(linked).tolist(),
        np.flatnonzero(~linked).tolist(),
    ):
        forced = pool == list(chosen) and not taken
        while True:
            open_ = [v for v in pool if v not in taken and (forced or allowed(v))]
            if not open_:
                break
            best = max(open_, key=lambda v: (gain(v), -v))
            gains.append(gain(best))
            taken.append(best)
    return taken, gains


def best_within_budget(shares, cost, budget):
    """The most coverage that any affordable set has."""
    shares = np.asarray(shares, dtype=np.float64)
    n, best = len(shares), 0.0
    for size in range(1, n + 1):
        for some in itertools.combinations(range(n), size):
            if cost[list(some)].sum() <= budget:
                best = max(best, shares[list(some)].max(axis=0).sum())
    return best
