"""Greedy coverage under wishes, from scratch at every step."""

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
    """The most coverage that any affordable set has: all sets, each built from a smaller one."""
    shares = np.asarray(shares, dtype=np.float64)
    covered, spent = np.zeros((1, len(shares))), np.zeros(1)
    for node, row in enumerate(shares):
        covered = np.concatenate([covered, np.maximum(covered, row)])
        spent = np.concatenate([spent, spent + cost[node]])
    return float(covered.sum(axis=1)[spent <= budget].max())
