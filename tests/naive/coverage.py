"""Slow twins of coverage: every gain of every node at every step, paths by Floyd-Warshall."""

from fractions import Fraction

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


def naive_cover(weights, forced=(), strength=None):
    """Order and gains of greedy facility location, in exact arithmetic.

    Of equal gains the strongest comes first, then the lowest index. The forced nodes come first,
    in the order of what they add, the others given them. Shares count to 40 binary digits.
    """
    n = len(weights)
    strength = [0.0] * n if strength is None else list(strength)
    exact = [[Fraction(round(float(w) * 2**40), 2**40) for w in row] for row in weights]
    covered = [Fraction(0)] * n
    order, gains = [], []
    while len(order) < n:
        left = [i for i in range(n) if i not in order]
        first = [i for i in left if i in forced]
        best, best_gain = None, Fraction(-1)
        for i in first or left:
            gain = sum(max(exact[i][j] - covered[j], Fraction(0)) for j in range(n))
            if gain > best_gain or (gain == best_gain and strength[i] > strength[best]):
                best, best_gain = i, gain
        covered = [max(covered[j], exact[best][j]) for j in range(n)]
        order.append(best)
        gains.append(float(best_gain))
    return order, gains


def naive_path_weights(edges, least):
    """Best product along any path; several edges count only from `least` on.

    `edges` is a symmetric matrix of edge weights, 0 where there is no edge.
    """
    n = len(edges)
    best = np.array(edges, dtype=float)
    np.fill_diagonal(best, 1.0)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                best[i, j] = max(best[i, j], best[i, k] * best[k, j])
    weights = np.where(best >= least, best, 0.0)
    weights = np.maximum(weights, edges)
    np.fill_diagonal(weights, 1.0)
    return weights


def naive_nearest(weights, selected):
    """The selected node with the largest weight for each node, the lowest of equal ones."""
    representative, share = [], []
    for j in range(len(weights)):
        best, best_weight = -1, 0.0
        for i in sorted(selected):
            if weights[i][j] > best_weight:
                best, best_weight = i, weights[i][j]
        if j in selected:
            best, best_weight = j, 1.0
        representative.append(best)
        share.append(best_weight)
    return representative, share


def naive_strongest(weights, n_links):
    """The weights of pairs that are among the strongest of either node, and the diagonal."""
    n = len(weights)
    kept = np.eye(n)
    for i in range(n):
        others = sorted((j for j in range(n) if j != i), key=lambda j: -weights[i][j])
        for j in others[:n_links]:
            kept[i, j] = kept[j, i] = weights[i][j]
    return kept
