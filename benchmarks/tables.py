"""The data of the benchmarks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np


def factor_table(
    n_features: int, n_samples: int = 1000, *, dtype: Any = np.float64, n_factors: int = 8
) -> np.ndarray[Any, Any]:
    """Columns driven by eight common factors and noise of their own."""
    rng = np.random.default_rng(n_features)
    factors = rng.normal(size=(n_samples, n_factors))
    loadings = rng.normal(size=(n_factors, n_features))
    return (factors @ loadings + rng.normal(size=(n_samples, n_features))).astype(dtype)


def uniform_matrix(n_features):
    """A symmetric matrix of independent uniform numbers: no structure at all."""
    matrix = np.random.default_rng(n_features).random((n_features, n_features))
    return np.tril(matrix) + np.tril(matrix, -1).T


def noisy_factors(n_factors, noise, seed, *, n_features=5000, n_samples=300):
    """Columns driven by common factors and by noise of a given standard deviation."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n_samples, n_factors))
    loadings = rng.normal(size=(n_factors, n_features))
    return factors @ loadings + noise * rng.normal(size=(n_samples, n_features))


def data_folder() -> Path:
    """Where the datasets lie."""
    default = Path(__file__).parents[2] / "shared" / "datasets"
    return Path(os.environ.get("TOPOFS_DATA", default))


def datasets():
    """(name, columns that vary) of every dataset at hand."""
    for path in sorted(data_folder().glob("*.*")):
        if path.suffix in {".mat", ".npz"}:
            X = matrix_of(path).astype(np.float64)
            yield path.stem, X[:, np.ptp(X, axis=0) > 0]


def matrix_of(path: Path) -> np.ndarray[Any, Any]:
    """The table of a .mat or .npz file, as it was stored."""
    from scipy.io import loadmat

    contents = loadmat(path) if path.suffix == ".mat" else np.load(path)
    return np.asarray(contents["X"])


def relathe():
    """Training part of RELATHE (word counts full of ties), or None where it is not at hand."""
    from scipy.io import loadmat
    from sklearn.model_selection import train_test_split
    from sklearn.utils import shuffle

    path = data_folder() / "RELATHE.mat"
    if not path.exists():
        return None
    contents = loadmat(path)
    X, y = shuffle(contents["X"], contents["Y"].ravel(), random_state=0)
    X = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)[0]
    return X[:, np.ptp(X.astype(float), axis=0) > 0]
