"""The methods of the benchmark: a training table in, an order of its columns out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs import Coverage, InfiniteFeatureSelector, Links, TopologicalFeatureSelector
from topofs_study.benchmark.rivals import (
    cluster_medoids,
    facility_location_order,
    greedy_subset_order,
    laplacian_scores,
    mcfs_order,
    pivoted_qr_order,
    principal_features,
    spec_order,
    uncorrelated_columns,
)
from topofs_study.paper.protocols import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

SIZES = (10, 25, 50, 100, 200)
"""Numbers of columns to choose."""

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


SELECTORS: dict[str, dict[str, Any]] = {
    "coverage": {},
    "coverage_edges": {"graph": "tmfg", "rule": Coverage(reach="edges")},
    "coverage_paths": {"graph": "tmfg"},
    "coverage_similarity": {"graph": Links(strongest=None)},
    "coverage_spearman": {"similarity": "spearman"},
    "rule_variance": {"rule": "variance"},
}
"""Settings with an end of their own, by what they change of the default estimator."""

DEFAULT = "coverage"
"""The method that the estimator uses unless it is told otherwise."""

GREEDY = "greedy_subset"
"""The strongest rival."""

NEEDS_MATRIX = frozenset(
    {
        *("inf_fs", "ward_medoids", "average_medoids", "uncorrelated", "facility_location"),
        "coverage_similarity",
    }
)
"""Methods that hold an n × n matrix."""

METHOD_NAMES = {
    "random": "random subsets",
    "all": "all columns",
    "variance": "largest variance",
    "uncorrelated": "correlated columns dropped",
    "laplacian": "Laplacian score",
    "spec": "SPEC",
    "mcfs": "MCFS",
    "inf_fs": "Inf-FS",
    "principal_features": "principal feature analysis",
    "pivoted_qr": "pivoted QR",
    "average_medoids": "average-linkage medoids",
    "ward_medoids": "Ward medoids",
    "facility_location": "facility location, r²",
    GREEDY: "greedy subset selection",
    "tfs_pearson": "TFS, Pearson",
    "tfs_pearson_squared": "TFS, Pearson squared",
    "tfs_spearman": "TFS, Spearman",
    "tfs_spearman_squared": "TFS, Spearman squared",
    "tfs_energy_0.1": "TFS, energy 0.1",
    "tfs_energy_0.5": "TFS, energy 0.5",
    "tfs_energy_0.9": "TFS, energy 0.9",
    "tfs_tuned": "TFS, tuned with labels",
    DEFAULT: "coverage (default)",
    "coverage_edges": "coverage, edges of the TMFG",
    "coverage_paths": "coverage, paths of the TMFG",
    "coverage_similarity": "coverage, all pairs",
    "coverage_spearman": "coverage, Spearman",
    "rule_variance": "rule variance",
}
"""What to call each method."""

METHODS = tuple(METHOD_NAMES)
"""Every method of the benchmark."""


@dataclass(frozen=True, eq=False)
class Order:
    """The columns of a table, best first, or the columns of each size.

    Parameters
    ----------
    columns : array of int, shape (n_features,)
        Positions; empty where a method is asked size by size.
    n_auto : int or None
        How many of them the method itself would keep, if it has an opinion.
    sets : mapping of int to array of int
        The columns of a size, of a method that does not choose one after the other.
    """

    columns: npt.NDArray[np.intp]
    n_auto: int | None = None
    sets: Mapping[int, npt.NDArray[np.intp]] = field(default_factory=dict)

    def first(self, size: int) -> npt.NDArray[np.intp]:
        """Give the columns of a size."""
        return self.sets[size] if self.sets else self.columns[:size]


_ORDERS: dict[str, Callable[[Any, int], npt.NDArray[np.intp]]] = {
    "all": lambda X, _: np.arange(X.shape[1]),
    "variance": lambda X, _: np.argsort(-X.var(axis=0), kind="stable"),
    "laplacian": lambda X, _: np.argsort(laplacian_scores(X), kind="stable"),
    "spec": lambda X, _: spec_order(X),
    "mcfs": mcfs_order,
    "pivoted_qr": pivoted_qr_order,
    "facility_location": facility_location_order,
    GREEDY: greedy_subset_order,
}
"""Methods that put the first columns in order, by the table and their number."""

_SETS: dict[str, Callable[[Any, Sequence[int]], dict[int, npt.NDArray[np.intp]]]] = {
    "uncorrelated": uncorrelated_columns,
    "principal_features": principal_features,
    "average_medoids": lambda X, sizes: cluster_medoids(X, sizes, method="average"),
    "ward_medoids": lambda X, sizes: cluster_medoids(X, sizes, method="ward"),
}
"""Methods that are asked size by size."""


def rank_columns(
    method: str, X: npt.NDArray[np.float64], sizes: Sequence[int] = SIZES
) -> Order:
    """Rank the columns of a training table, or choose those of each size.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 1.0], [3.0, 6.5, 2.0]])
    >>> rank_columns("variance", X).columns
    array([2, 1, 0])
    """
    possible = [size for size in sizes if size <= X.shape[1]]
    if method in _SETS:
        return Order(np.empty(0, dtype=np.intp), sets=_SETS[method](X, possible))
    if method in _ORDERS:
        return Order(_ORDERS[method](X, max(possible, default=0)))
    selector = _selector(method)
    with warnings.catch_warnings():
        # The automatic size warns of tables without structure; here it is the result.
        warnings.simplefilter("ignore")
        selector.fit(X)
    n_auto = selector.n_features_ if method in SELECTORS else None
    return Order(np.argsort(selector.ranking_), n_auto)


def _selector(method: str) -> Any:
    """Build the estimator behind a method."""
    if method == "inf_fs":
        return InfiniteFeatureSelector()
    if method in SELECTORS:
        return TopologicalFeatureSelector(**SELECTORS[method])
    setting = PUBLISHED[method]
    return TopologicalFeatureSelector.paper(similarity=setting.measure)
