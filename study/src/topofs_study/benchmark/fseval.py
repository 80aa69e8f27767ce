"""FSEVAL's protocol: rank the whole table without labels, then score shares of the columns.

The two measures are those of its package sdufseval 1.3.0. With its shares and its seeds a row of
topofs can stand beside the rows that its authors published.

References
----------
M. Rajabinasab et al., "Worse than Random", arXiv 2605.22973, 2026; the package is sdufseval.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.cluster import contingency_matrix
from sklearn.model_selection import StratifiedKFold, cross_val_score

from topofs_study.benchmark.methods import (
    DEFAULT,
    GREEDY,
    METHODS,
    SELECTORS,
    Order,
    rank_columns,
)
from topofs_study.errors import StudyError
from topofs_study.running.driver import PlanOfOneStage
from topofs_study.running.store import Store
from topofs_study.running.work_item import Identity, Shape, WorkItem

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from topofs_study.datasets import Dataset
    from topofs_study.running.work_item import Record

__all__ = ["FsevalBenchmark", "FsevalSummary", "summarise_fseval"]

SHARES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
"""Shares of the columns that are reported here; FSEVAL has every multiple of 0.005."""

FOREST_SEEDS = 5
K_MEANS_SEEDS = 10

_FOLDS = 5
_TREES = 100


def n_columns_of(share: float, n_features: int) -> int:
    """Give the number of columns that a share stands for.

    Examples
    --------
    >>> n_columns_of(0.005, 325)
    2
    """
    return max(1, min(math.ceil(share * n_features), n_features))


def forest_accuracy(X: npt.NDArray[Any], y: npt.NDArray[Any], seed: int) -> float:
    """Score a random forest of 100 trees on five stratified, shuffled folds."""
    codes = np.unique(y, return_inverse=True)[1]
    folds = StratifiedKFold(n_splits=_FOLDS, shuffle=True, random_state=seed)
    forest = RandomForestClassifier(n_estimators=_TREES, random_state=seed)
    return float(cross_val_score(forest, X, codes, scoring="accuracy", cv=folds).mean())


def k_means_accuracy(X: npt.NDArray[Any], y: npt.NDArray[Any], seed: int) -> float:
    """Cluster the rows by k-means and match clusters with classes as well as possible."""
    found = KMeans(n_clusters=len(np.unique(y)), random_state=seed, n_init="auto").fit(X)
    counts = contingency_matrix(y, found.labels_)
    classes, clusters = linear_sum_assignment(counts, maximize=True)
    return float(counts[classes, clusters].sum() / counts.sum())


def random_order(n_features: int, seed: int) -> npt.NDArray[np.intp]:
    """Rank columns at random as FSEVAL does."""
    scores = np.random.RandomState(seed).rand(n_features)
    return np.argsort(scores)[::-1]


FSEVAL_NAMES = {"lung_small": "lung_discrete", "MADELON": "madelon"}
"""Datasets that have another name there."""

RANDOM = "Random"
"""Their mean of ten random rankings."""


def published_shares() -> pd.DataFrame:
    """Give their means at the shares that are reported here.

    Examples
    --------
    >>> published_shares()["method"].unique().tolist()
    ['Correlation', 'LIDFS', 'Laplacian', 'Random', 'SCFS', 'VCSDFS', 'Variance']
    """
    with (files("topofs_study.benchmark") / "fseval.csv").open(encoding="utf-8") as stream:
        table = pd.read_csv(stream)
    here = {there: here for here, there in FSEVAL_NAMES.items()}
    table["dataset"] = table["dataset"].replace(here)
    return table


FOREST, K_MEANS = "rf_accuracy", "kmeans_accuracy"


@dataclass
class WholeTable:
    """A dataset, with a count of the fits."""

    dataset: Dataset
    n_fits: int = 0

    def columns(self, method: str, size: int, seed: int) -> npt.NDArray[np.intp]:
        """Give the first columns of a ranking of the whole table."""
        if method == "random":
            return random_order(self.dataset.X.shape[1], seed)[:size]
        kept, order = _order(self.dataset, method)
        return kept[order.first(size)]


@dataclass(frozen=True)
class FsevalItem(WorkItem[WholeTable]):
    """One method on one table.

    The result is a list of pairs: a share of the columns, and the mean accuracy.

    Examples
    --------
    >>> FsevalItem("colon", "coverage", "rf_accuracy", 2).key
    'fseval/whole-table/colon/coverage/rf_accuracy/seed-2/'
    """

    kind: ClassVar[str] = "fseval"
    result_type: ClassVar[type] = list

    dataset: str
    method: str
    metric: str
    seed: int = 0

    @property
    def identity(self) -> Identity:
        return Identity(
            kind=self.kind,
            protocol="whole-table",
            dataset=self.dataset,
            method=self.method,
            classifier=self.metric,
            part=f"seed-{self.seed}",
        )

    @classmethod
    def from_identity(cls, identity: Identity) -> FsevalItem:
        seed = int(identity.part.removeprefix("seed-"))
        return cls(identity.dataset, identity.method, identity.classifier, seed)

    @property
    def label(self) -> str:
        return f"{self.dataset} {self.method} {self.metric} {self.seed}"

    def cost(self, shape: Shape) -> float:
        columns = sum(n_columns_of(share, shape.n_features) for share in SHARES)
        per_fit = 50.0 if self.metric == FOREST else 1.0
        return per_fit * shape.n_train * (10.0 + columns / 10) + shape.n_features**2 / 50

    def workspace(self, dataset: Dataset) -> WholeTable:
        return WholeTable(dataset)

    def compute(self, workspace: WholeTable) -> list[tuple[float, float]]:
        X, y = np.asarray(workspace.dataset.X), np.asarray(workspace.dataset.y).ravel()
        score, seeds = forest_accuracy, range(self.seed, self.seed + 1)
        if self.metric == K_MEANS:
            score, seeds = k_means_accuracy, range(K_MEANS_SEEDS)
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # few distinct rows
            for share in SHARES:
                size = n_columns_of(share, X.shape[1])
                values = [
                    score(X[:, workspace.columns(self.method, size, seed)], y, seed)
                    for seed in seeds
                ]
                workspace.n_fits += len(values)
                found.append((share, float(np.mean(values))))
        return found


@lru_cache(maxsize=16)
def _order(dataset: Dataset, method: str) -> tuple[npt.NDArray[np.intp], Order]:
    """Rank the columns that vary, once for all seeds; where they stand, and their order."""
    X = np.asarray(dataset.X, dtype=np.float64)
    kept = np.flatnonzero(np.ptp(X, axis=0) > 0)
    sizes = sorted({n_columns_of(share, X.shape[1]) for share in SHARES})
    return kept, rank_columns(method, X[:, kept], sizes)


FSEVAL_METHODS = (DEFAULT, "coverage_paths", "rule_variance", GREEDY, "random")
"""What is run unless other methods are named."""


@dataclass(frozen=True)
class FsevalBenchmark(PlanOfOneStage):
    """What is to be run.

    Parameters
    ----------
    datasets : tuple of str
        Names of datasets; those that FSEVAL has no numbers for are refused.
    methods : tuple of str
        Names of methods that need no labels.

    Examples
    --------
    >>> FsevalBenchmark(("wine",))
    Traceback (most recent call last):
    topofs_study.errors.StudyError: FSEVAL has no numbers for 'wine'; ...
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...] = FSEVAL_METHODS

    def __post_init__(self) -> None:
        there = published_shares()["dataset"].unique()
        for name in self.datasets:
            if name not in there:
                raise StudyError(
                    f"FSEVAL has no numbers for {name!r}; it has {', '.join(there)}"
                )
        known = [name for name in METHODS if name not in ("all", "tfs_tuned")]
        for name in self.methods:
            if name not in known:
                raise StudyError(
                    f"no method of this protocol is called {name!r}; there are "
                    f"{', '.join(known)}"
                )
        if not self.methods:
            raise StudyError(f"no method is given; there are {', '.join(SELECTORS)} and others")

    def shape_of(self, dataset: Dataset) -> Shape:
        """Give the sizes of a dataset."""
        n_samples, n_features = dataset.X.shape
        return Shape(n_samples, n_features, len(np.unique(dataset.y)))

    def every_item(
        self,
        shapes: Mapping[str, Shape],
        store: Store,  # noqa: ARG002 - nothing here follows from earlier results
    ) -> list[WorkItem[Any]]:
        """List every item: k-means, the first seed of the forests, the other seeds."""
        names = sorted(
            (name for name in self.datasets if name in shapes),
            key=lambda name: FsevalItem(name, DEFAULT, FOREST).cost(shapes[name]),
        )
        passes = [(K_MEANS, 0), *((FOREST, seed) for seed in range(FOREST_SEEDS))]
        return [
            FsevalItem(dataset, method, metric, seed)
            for metric, seed in passes
            for dataset in names
            for method in self.methods
        ]


_CELL = ["dataset", "share_of_columns"]


@dataclass(frozen=True)
class FsevalSummary:
    """Means over the datasets that every method of ours was run on.

    Attributes
    ----------
    metric : str
        ``rf_accuracy`` or ``kmeans_accuracy``.
    table : pandas.DataFrame
        ``source`` ("topofs" or "published"), ``method``, a column a share with the mean
        accuracy, ``mean``, and ``over_random``, the mean difference from their random rankings;
        the largest first.
    by_dataset : pandas.DataFrame
        Datasets by methods: differences from their random rankings.
    n_seeds, most_seeds : int
        Seeds behind a value, the fewest and the most.
    """

    metric: str
    table: pd.DataFrame
    by_dataset: pd.DataFrame
    n_seeds: int
    most_seeds: int


def load_fseval(path: str | os.PathLike[str], benchmark: FsevalBenchmark) -> pd.DataFrame:
    """Read what a store holds of a benchmark; see `fseval_frame`."""
    with Store(path, read_only=True) as store:
        frame = fseval_frame(store.records(FsevalItem))
    return frame[
        frame["dataset"].isin(benchmark.datasets) & frame["method"].isin(benchmark.methods)
    ]


def fseval_frame(records: Iterable[Record[FsevalItem]]) -> pd.DataFrame:
    """Give every value as one row."""
    rows = [
        (record.item.dataset, record.item.method, record.item.metric, record.item.seed, *pair)
        for record in records
        for pair in record.result
    ]
    columns = ["dataset", "method", "metric", "seed", "share_of_columns", "value"]
    return pd.DataFrame(rows, columns=columns)


def summarise_fseval(frame: pd.DataFrame) -> list[FsevalSummary]:
    """Compare with the published rows, both protocols.

    Parameters
    ----------
    frame : pandas.DataFrame
        ``dataset, method, metric, seed, share_of_columns, value``, as `load_fseval` reads it.

    Returns
    -------
    list of FsevalSummary
        Those that there are values of.
    """
    found = (_summary(frame[frame["metric"] == name], name) for name in (FOREST, K_MEANS))
    return [summary for summary in found if summary is not None]


def _summary(frame: pd.DataFrame, metric: str) -> FsevalSummary | None:
    """Average over the cells that every method has."""
    ours = frame.pivot_table(index=_CELL, columns="method", values="value").dropna()
    if ours.empty:
        return None
    there = published_shares().query("metric == @metric")
    theirs = there.pivot_table(index=_CELL, columns="method", values="value")
    both = {"topofs": ours, "published": theirs.reindex(ours.index)}
    # Two methods of the two sides may have one name, so the side is part of it.
    wide = pd.concat(both, axis=1)
    lead = wide.sub(wide["published", RANDOM], axis=0)
    table = wide.groupby("share_of_columns").mean().T
    table.columns = [f"{share:g}" for share in table.columns]
    table["mean"] = table.mean(axis=1)
    table["over_random"] = lead.mean()
    table = table.rename_axis(["source", "method"]).reset_index()
    seeds = frame.groupby(["dataset", "method"])["seed"].nunique()
    return FsevalSummary(
        metric,
        table.sort_values("over_random", ascending=False, ignore_index=True),
        lead.groupby("dataset").mean(),
        int(seeds.min()),
        int(seeds.max()),
    )
