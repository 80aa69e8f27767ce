"""The methods of the benchmark: a training table in, an order of its columns out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.rules import Coverage
from topofs.selection import InfiniteFeatureSelector, TopologicalFeatureSelector
from topofs_study.benchmark.laplacian import laplacian_scores
from topofs_study.paper.settings import Setting

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "COVERAGE",
    "DEFAULT",
    "METHODS",
    "METHOD_NAMES",
    "PUBLISHED",
    "Order",
    "rank_columns",
]

PUBLISHED = {
    "tfs_pearson": Setting("pearson"),
    "tfs_pearson_squared": Setting("pearson", squared=True),
    "tfs_spearman": Setting("spearman"),
    "tfs_spearman_squared": Setting("spearman", squared=True),
    "tfs_energy_0.1": Setting("energy", alpha=0.1),
    "tfs_energy_0.5": Setting("energy", alpha=0.5),
    "tfs_energy_0.9": Setting("energy", alpha=0.9),
}
"""TFS as published, one fixed setting of the paper's grid each."""

COVERAGE: dict[str, dict[str, Any]] = {
    "coverage": {},
    "coverage_edges": {"rule": Coverage(reach="edges")},
    "coverage_similarity": {"rule": Coverage(reach="similarity")},
    "coverage_spearman": {"similarity": "spearman"},
}
"""The variants of the coverage rule, by what they change of the default estimator."""

DEFAULT = "coverage"
"""The method that the estimator uses unless it is told otherwise."""

METHOD_NAMES = {
    "random": "random subsets",
    "all": "all columns",
    "variance": "largest variance",
    "laplacian": "Laplacian score",
    "inf_fs": "Inf-FS",
    "tfs_pearson": "TFS, Pearson",
    "tfs_pearson_squared": "TFS, Pearson squared",
    "tfs_spearman": "TFS, Spearman",
    "tfs_spearman_squared": "TFS, Spearman squared",
    "tfs_energy_0.1": "TFS, energy 0.1",
    "tfs_energy_0.5": "TFS, energy 0.5",
    "tfs_energy_0.9": "TFS, energy 0.9",
    "tfs_tuned": "TFS, tuned with labels",
    "coverage": "coverage (default)",
    "coverage_edges": "coverage, edges",
    "coverage_similarity": "coverage, whole similarity",
    "coverage_spearman": "coverage, Spearman",
}
"""What to call each method."""

METHODS = tuple(METHOD_NAMES)
"""Every method of the benchmark."""


@dataclass(frozen=True, eq=False)
class Order:
    """The columns of a table, best first.

    Parameters
    ----------
    columns : array of int, shape (n_features,)
        Positions.
    n_auto : int or None
        How many of them the method itself would keep, if it has an opinion.
    """

    columns: npt.NDArray[np.intp]
    n_auto: int | None = None


def rank_columns(method: str, X: npt.NDArray[np.float64]) -> Order:
    """Rank the columns of a training table.

    Parameters
    ----------
    method : str
        One of `METHODS`, but neither "random" nor "tfs_tuned": those need more than a table.
    X : array, shape (n_samples, n_features)
        The table; every column varies.

    Returns
    -------
    Order

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 1.0], [3.0, 6.5, 2.0]])
    >>> rank_columns("variance", X).columns
    array([2, 1, 0])
    """
    if method == "all":
        return Order(np.arange(X.shape[1]))
    if method == "variance":
        return Order(np.argsort(-X.var(axis=0), kind="stable"))
    if method == "laplacian":
        return Order(np.argsort(laplacian_scores(X), kind="stable"))
    selector = _selector(method)
    with warnings.catch_warnings():
        # The automatic size warns of tables without structure; here it is the result.
        warnings.simplefilter("ignore")
        selector.fit(X)
    n_auto = selector.n_features_ if method in COVERAGE else None
    return Order(np.argsort(selector.ranking_), n_auto)


def _selector(method: str) -> Any:
    """Build the estimator behind a method."""
    if method == "inf_fs":
        return InfiniteFeatureSelector()
    if method in COVERAGE:
        return TopologicalFeatureSelector(**COVERAGE[method])
    setting = PUBLISHED[method]
    return TopologicalFeatureSelector.paper(similarity=setting.measure)
