"""The data of the benchmarks."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np


def factor_table(n_features, n_samples=1000, *, dtype=np.float64, n_factors=8):
    """Columns driven by eight common factors and noise of their own."""
    rng = np.random.default_rng(n_features)
    factors = rng.normal(size=(n_samples, n_factors))
    loadings = rng.normal(size=(n_factors, n_features))
    return (factors @ loadings + rng.normal(size=(n_samples, n_features))).astype(dtype)


def uniform_matrix(n_features):
    """A symmetric matrix of independent uniform numbers: no structure at all."""
    matrix = np.random.default_rng(n_features).random((n_features, n_features))
    return np.tril(matrix) + np.tril(matrix, -1).T


def relathe():
    """Training part of RELATHE (word counts full of ties), or None where it is not at hand."""
    from scipy.io import loadmat
    from sklearn.model_selection import train_test_split
    from sklearn.utils import shuffle

    default = Path(__file__).parents[2] / "shared" / "datasets"
    path = Path(os.environ.get("TOPOFS_DATA", default)) / "RELATHE.mat"
    if not path.exists():
        return None
    contents = loadmat(path)
    X, y = shuffle(contents["X"], contents["Y"].ravel(), random_state=0)
    X = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)[0]
    return X[:, np.ptp(X.astype(float), axis=0) > 0]
