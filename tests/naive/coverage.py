"""Slow twins of what a growing selection covers."""

import numpy as np


def curve(similarity, order):
    """Mean best similarity to one of the first k, for k = 0 … n."""
    rows = similarity.astype(np.float64)
    best = [[max(row[order[:k]]) for row in rows] for k in range(1, len(order) + 1)]
    return np.concatenate([[0.0], np.mean(best, axis=1)])


def nearest(similarity, order, k):
    """For each node the other one of the first k that is most like it, lowest first; or None."""
    found = []
    for node, row in enumerate(similarity):
        others = sorted(other for other in order[:k] if other != node)
        best = max(others, key=lambda other: (row[other], -other), default=None)
        found.append(None if best is None else (best, row[best]))
    return found
