"""The Laplacian score as He, Cai and Niyogi write it: dense matrices, one column at a time."""

import numpy as np


def laplacian_scores(X, n_neighbors):
    """Build S, D and L in full and evaluate the quotient for every column."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    n = len(X)
    distances = np.array([[np.sqrt(((a - b) ** 2).sum()) for b in X] for a in X])
    joined = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = [j for j in np.argsort(distances[i], kind="stable") if j != i]
        for j in others[:n_neighbors]:
            joined[i, j] = joined[j, i] = True
    width = (distances[joined] ** 2).mean()
    S = np.where(joined, np.exp(-(distances**2) / width), 0.0)
    D = np.diag(S.sum(axis=1))
    L = D - S
    one = np.ones(n)
    scores = []
    for f in X.T:
        centred = f - (f @ D @ one) / (one @ D @ one)
        scores.append((centred @ L @ centred) / (centred @ D @ centred))
    return np.array(scores)
