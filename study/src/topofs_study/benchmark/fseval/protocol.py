"""The two measures of FSEVAL, as its package sdufseval 1.3.0 computes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics.cluster import contingency_matrix
from sklearn.model_selection import StratifiedKFold, cross_val_score

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "FOREST_SEEDS",
    "K_MEANS_SEEDS",
    "SHARES",
    "forest_accuracy",
    "k_means_accuracy",
    "n_columns_of",
    "random_order",
]

SHARES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
"""Shares of the columns that are reported here; FSEVAL has every multiple of 0.005."""

FOREST_SEEDS = 5
K_MEANS_SEEDS = 10

_FOLDS = 5
_TREES = 100


def n_columns_of(share: float, n_features: int) -> int:
    """Give the number of columns that a share stands for.

    Parameters
    ----------
    share : float
        In (0, 1].
    n_features : int
        Columns of the table.

    Returns
    -------
    int
        Rounded up.

    Examples
    --------
    >>> n_columns_of(0.005, 325)
    2
    """
    return max(1, min(math.ceil(share * n_features), n_features))


def forest_accuracy(X: npt.NDArray[Any], y: npt.NDArray[Any], seed: int) -> float:
    """Score a random forest of 100 trees on five stratified, shuffled folds.

    Parameters
    ----------
    X : array, shape (n_samples, n_columns)
        The chosen columns, best first.
    y : array, shape (n_samples,)
        The classes.
    seed : int
        Of the folds and of the forest.

    Returns
    -------
    float
        The mean accuracy.
    """
    codes = np.unique(y, return_inverse=True)[1]
    folds = StratifiedKFold(n_splits=_FOLDS, shuffle=True, random_state=seed)
    forest = RandomForestClassifier(n_estimators=_TREES, random_state=seed)
    return float(cross_val_score(forest, X, codes, scoring="accuracy", cv=folds).mean())


def k_means_accuracy(X: npt.NDArray[Any], y: npt.NDArray[Any], seed: int) -> float:
    """Cluster the rows by k-means and match clusters with classes as well as possible.

    Parameters
    ----------
    X : array, shape (n_samples, n_columns)
        The chosen columns, as they are.
    y : array, shape (n_samples,)
        The classes; there are as many clusters.
    seed : int
        Of k-means.

    Returns
    -------
    float
        The share of the rows whose cluster is matched with their class.
    """
    found = KMeans(n_clusters=len(np.unique(y)), random_state=seed, n_init="auto").fit(X)
    counts = contingency_matrix(y, found.labels_)
    classes, clusters = linear_sum_assignment(counts, maximize=True)
    return float(counts[classes, clusters].sum() / counts.sum())


def random_order(n_features: int, seed: int) -> npt.NDArray[np.intp]:
    """Rank columns at random as FSEVAL does.

    Parameters
    ----------
    n_features : int
        How many.
    seed : int
        The number of the repetition.

    Returns
    -------
    array of int, shape (n_features,)
    """
    scores = np.random.RandomState(seed).rand(n_features)
    return np.argsort(scores)[::-1]
