"""Principal feature analysis: columns with like loadings are clustered, each cluster gives one.

The loadings of every standardised column on the first q principal components are clustered by
k-means; the column nearest to the centre of a cluster stands for it. Here q components hold 90 %
of the variance, but are no more than columns are wanted; signs of loadings are dropped.

References
----------
Y. Lu, I. Cohen, X. S. Zhou and Q. Tian, "Feature selection using principal feature analysis",
ACM Multimedia 2007.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import svd
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from topofs_study.benchmark.rivals.unit_columns import unit_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["principal_features"]

_KEPT_VARIANCE = 0.9


def principal_features(
    X: npt.NDArray[np.floating[Any]], sizes: Sequence[int]
) -> dict[int, npt.NDArray[np.intp]]:
    """Choose, for each size, the columns nearest to the centres of as many clusters of loadings."""
    units = unit_columns(X)
    _, lengths, directions = svd(units, full_matrices=False, check_finite=False)
    shares = np.cumsum(lengths**2) / np.sum(lengths**2)
    enough = int(np.searchsorted(shares, _KEPT_VARIANCE)) + 1
    return {size: _nearest(np.abs(directions[: min(enough, size)].T), size) for size in sizes}


def _nearest(loadings: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.intp]:
    """Cluster the loadings; equal rows leave fewer clusters, filled up in order of the table."""
    k_means = KMeans(n_clusters=size, n_init=1, max_iter=100, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        distances = k_means.fit_transform(loadings)
    own = distances[np.arange(len(loadings)), k_means.labels_]
    chosen = [
        members[own[members].argmin()]
        for label in range(size)
        if len(members := np.flatnonzero(k_means.labels_ == label))
    ]
    others = np.setdiff1d(np.arange(len(loadings)), chosen)
    return np.sort(np.append(chosen, others[: size - len(chosen)]).astype(np.intp))
