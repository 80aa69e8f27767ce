"""The mean coverage of random lists, exactly, and tables of many kinds to compare with."""

from math import comb

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

from tests.matrices import factor_table


def mean_of_random_lists(shares):
    """The mean coverage of random lists of 1, 2, … n nodes.

    The r-th largest share of a node is the best one in a list of k where the list has that node
    and k − 1 of the n − r beyond it: C(n − r, k − 1) of all C(n, k) lists.
    """
    n = len(shares)
    falling = -np.sort(-np.asarray(shares, dtype=np.float64), axis=0).mean(axis=1)
    return np.array(
        [
            sum(falling[r] * (comb(n - r - 1, k - 1) / comb(n, k)) for r in range(n))
            for k in range(1, n + 1)
        ]
    )


def _groups(rng, sizes, noise, n_samples=120, n_lonely=0):
    columns = []
    for size in sizes:
        factor = rng.normal(size=(n_samples, 1))
        columns.append(factor + noise * rng.normal(size=(n_samples, size)))
    return np.column_stack([*columns, rng.normal(size=(n_samples, n_lonely))])


def _chain(rng, n, step):
    walk = [rng.normal(size=120)]
    for _ in range(n - 1):
        walk.append(np.sqrt(1 - step**2) * walk[-1] + step * rng.normal(size=120))
    return np.column_stack(walk)


def _star(rng, n, noise):
    parts = rng.normal(size=(120, n))
    return np.column_stack([parts.sum(axis=1), parts[:, : n // 2] + noise, parts])


def _counts(rng, n):
    cells = rng.integers(0, 4, size=150)
    means = rng.gamma(0.8, 1.0, size=(4, n))[cells] * rng.gamma(4, 0.25, size=(150, 1))
    return rng.poisson(means)


def _copies(rng, n):
    base = factor_table(80, n, seed=int(rng.integers(10**6)), n_factors=3)
    return base[:, rng.integers(0, n, size=2 * n)] + 0.01 * rng.normal(size=(80, 2 * n))


_REAL = [
    table(return_X_y=True)[0]
    for table in (load_breast_cancer, load_wine, load_digits, load_diabetes)
]


def _real(rng, number):
    X = _REAL[number]
    rows = rng.choice(len(X), size=min(len(X), int(rng.integers(60, 400))), replace=False)
    X = X[rows]
    X = X[:, X.min(axis=0) < X.max(axis=0)]
    return X[:, rng.permutation(X.shape[1])[: int(rng.integers(8, 40))]]


KINDS = {
    "tight groups": lambda rng: _groups(rng, rng.integers(2, 9, size=3), 0.2, n_lonely=6),
    "noisy groups": lambda rng: _groups(rng, rng.integers(3, 12, size=4), 1.0, n_lonely=4),
    "unequal groups": lambda rng: _groups(rng, [25, 6, 2, 2], rng.uniform(0.2, 1.5)),
    "one group": lambda rng: _groups(rng, [12], rng.uniform(0.3, 2), n_lonely=15),
    "business": lambda rng: _groups(rng, [6] * 4, 0.5, n_lonely=15),
    "factors": lambda rng: factor_table(100, 30, seed=int(rng.integers(10**6)), n_factors=4),
    "many factors": lambda rng: factor_table(
        100, 30, seed=int(rng.integers(10**6)), n_factors=12
    ),
    "chain": lambda rng: _chain(rng, 30, rng.uniform(0.1, 0.8)),
    "star": lambda rng: _star(rng, 12, rng.uniform(0, 1)),
    "counts": lambda rng: _counts(rng, 25),
    "copies": lambda rng: _copies(rng, 12),
    "noise": lambda rng: rng.normal(size=(60, 20)),
    "cancer": lambda rng: _real(rng, 0),
    "wine": lambda rng: _real(rng, 1),
    "digits": lambda rng: _real(rng, 2),
    "diabetes": lambda rng: _real(rng, 3),
}


def table_of(kind, seed):
    """A table of a kind, without constant columns."""
    X = np.asarray(KINDS[kind](np.random.default_rng(seed)), dtype=np.float64)
    return X[:, X.min(axis=0) < X.max(axis=0)]
