"""The similarities by their definitions: one pair of columns at a time."""

import numpy as np


def naive_ranks(column):
    """Average ranks, from 1; NaN stays NaN."""
    ranks = np.full(len(column), np.nan)
    for i, x in enumerate(column):
        if not np.isnan(x):
            below, equal = np.sum(column < x), np.sum(column == x)
            ranks[i] = below + (equal + 1) / 2
    return ranks


def naive_correlation(x, y):
    """Pearson's correlation over the shared samples; 0 where it is undefined."""
    shared = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[shared], y[shared]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return (x @ y) / np.sqrt((x @ x) * (y @ y))


def naive_pearson(X, *, squared=False):
    X = np.asarray(X, dtype=float)
    n = X.shape[1]
    result = np.eye(n)
    for i in range(n):
        for j in range(i):
            result[i, j] = result[j, i] = naive_correlation(X[:, i], X[:, j])
    return result**2 if squared else result


def naive_spearman(X, *, squared=False):
    X = np.asarray(X, dtype=float)
    return naive_pearson(np.column_stack([naive_ranks(x) for x in X.T]), squared=squared)


def naive_energy(X, *, alpha):
    X = np.asarray(X, dtype=float)
    rho = naive_spearman(X)
    sigma = []
    for x in X.T:
        width = np.nanmax(x) - np.nanmin(x)
        sigma.append(np.nanstd((x - np.nanmin(x)) / width) if width > 0 else 0.0)
    n = X.shape[1]
    result = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            result[i, j] = alpha * max(sigma[i], sigma[j]) + (1 - alpha) * (1 - abs(rho[i, j]))
    for i in range(n):
        result[i, i] = alpha * sigma[i]
    return result
