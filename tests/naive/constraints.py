"""The best set that a budget pays for, by all sets."""

import numpy as np


def best_within_budget(shares, cost, budget):
    """The most coverage that any affordable set has: all sets, each built from a smaller one."""
    shares = np.asarray(shares, dtype=np.float64)
    covered, spent = np.zeros((1, len(shares))), np.zeros(1)
    for node, row in enumerate(shares):
        covered = np.concatenate([covered, np.maximum(covered, row)])
        spent = np.concatenate([spent, spent + cost[node]])
    return float(covered.sum(axis=1)[spent <= budget].max())
