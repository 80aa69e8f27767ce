r"""Medoids of a hierarchical clustering of the columns.

Columns x and y of length 1 span lines whose projections are
:math:`\lVert x x^T - y y^T \rVert_F = \sqrt{2 (1 - r^2)}` apart, a Euclidean distance, so Ward's
method is clustered by :math:`\sqrt{1 - r^2}`; average linkage by :math:`1 - r^2`. The tree is cut
into as many clusters as columns are wanted, and each gives the column that shares most
(:math:`\sum r^2`) with its cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from topofs_study.benchmark.rivals.unit_columns import squared_correlations

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["cluster_medoids"]


def cluster_medoids(
    X: npt.NDArray[np.floating[Any]], sizes: Sequence[int], *, method: str
) -> dict[int, npt.NDArray[np.intp]]:
    """Choose one column of each cluster, for each size, in the order of the table."""
    alike = squared_correlations(X)
    apart = squareform(1.0 - alike, checks=False)
    if method == "ward":
        np.sqrt(apart, out=apart)
    joins = linkage(apart, method)[:, :2].astype(np.intp)
    return {size: _medoids(alike, _clusters(joins, size)) for size in sizes}


def _clusters(joins: npt.NDArray[np.intp], n_clusters: int) -> npt.NDArray[np.intp]:
    """Follow the first joins until so many clusters are left; exactly so many, ties or not."""
    n_columns = len(joins) + 1
    joined = joins[: n_columns - n_clusters]
    parent = np.arange(n_columns + len(joined))
    parent[joined] = n_columns + np.arange(len(joined))[:, None]
    while not np.array_equal(parent, parent[parent]):
        parent = parent[parent]
    return parent[:n_columns]


def _medoids(
    alike: npt.NDArray[np.float64], labels: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.intp]:
    """Give the column of each cluster that shares most with it; the first of equal ones."""
    found = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        shared = alike[np.ix_(members, members)].sum(axis=1)
        found.append(members[shared.argmax()])
    return np.sort(np.array(found, dtype=np.intp))
