"""Slow twins of relevance: one column and one target at a time, from sums of squares."""

import numpy as np
from scipy import stats


def naive_share(column, target, *, classes, ranks=False):
    """The share of a column's variance that a target explains, less what chance gives."""
    column = np.asarray(column, dtype=float)
    both = ~np.isnan(column)
    if not classes:
        both &= ~np.isnan(np.asarray(target, dtype=float))
    x, y = column[both], np.asarray(target)[both]
    if ranks:
        x = stats.rankdata(x)
        y = y if classes else stats.rankdata(y)
    if len(x) < 3 or np.ptp(x) == 0:
        return 0.0
    if not classes:
        share = np.corrcoef(x, y)[0, 1] ** 2 if np.ptp(y) else 0.0
        degrees = 1
    else:
        groups = [x[y == label] for label in np.unique(target)]
        between = sum(len(g) * (g.mean() - x.mean()) ** 2 for g in groups if len(g))
        share, degrees = between / ((x - x.mean()) ** 2).sum(), len(groups) - 1
    chance = degrees / (len(x) - 1)
    return max(0.0, (share - chance) / (1 - chance)) if chance < 1 else 0.0


def naive_floor(n_samples, n_columns, n_classes):
    """The share that the best of unrelated columns reaches in 1 of 20 tables, by simulation."""
    rng = np.random.default_rng(0)
    best = []
    for _ in range(400):
        X = rng.normal(size=(n_samples, n_columns))
        if n_classes:
            y = rng.permutation(np.arange(n_samples) % n_classes)
        else:
            y = rng.normal(size=n_samples)
        best.append(max(naive_share(x, y, classes=bool(n_classes)) for x in X.T))
    return np.quantile(best, 0.95)
