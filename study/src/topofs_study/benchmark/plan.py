"""What the benchmark runs, as work items in the order in which they are most useful.

A run that is cut short should still answer the question. So every method comes first on every
split, with a few random subsets; then the tuning with labels, which costs as much as twenty
methods and is run on the first splits only; then more random subsets.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.model_selection import train_test_split

from topofs_study.benchmark.methods import METHODS, SIZES, Order, rank_columns
from topofs_study.benchmark.unseen_rows import CLASSIFIERS, UnseenRows
from topofs_study.errors import StudyError
from topofs_study.paper.protocols import GRIDS, PROTOCOLS
from topofs_study.paper.splits import N_FOLDS, TrainTest, random_columns, tuning_folds
from topofs_study.running.driver import PlanOfOneStage, check_names, check_sizes
from topofs_study.running.work_item import Identity, Shape, WorkItem

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from topofs_study.datasets import Dataset
    from topofs_study.paper.protocols import Setting
    from topofs_study.running.store import Store

__all__ = ["Benchmark"]

Row = tuple[str, int, int, str, float]
"""Size ("10", "auto", "all"), columns used, seed, classifier, balanced accuracy."""

Measured = tuple[str, int, str, float]
"""Size, seed, measure, value."""

TEST_SHARE = 0.2
"""Share of the rows that are not seen."""

STABILITY_SIZE = 50
"""The number of columns at which stability is measured."""

_PROTOCOL = PROTOCOLS["corrected"]
_CACHED_SPLITS = 2


@dataclass
class SplitWorkspace:
    """A split on which subsets can be scored, with a count of the fits."""

    split: TrainTest
    kept: npt.NDArray[np.intp]
    n_columns: int
    n_fits: int = 0

    def __post_init__(self) -> None:
        self._unseen = UnseenRows(self.split)

    @property
    def n_varying(self) -> int:
        """Columns to choose from."""
        return int(self.split.X_train.shape[1])

    def rows(
        self, label: str, columns: npt.NDArray[np.intp], *, seed: int = 0
    ) -> tuple[list[Row], list[Measured]]:
        """Score some columns in every way."""
        # In the order of the table, so that a subset has one score whoever chose it.
        columns = np.sort(columns)
        self.n_fits += len(CLASSIFIERS)
        accuracies, measures = self._unseen.everything(columns)
        return (
            [(label, len(columns), seed, *pair) for pair in accuracies.items()],
            [(label, seed, *pair) for pair in measures.items()],
        )

    def accuracies(self) -> list[Row]:
        """Score all columns with every classifier."""
        size, columns = self.n_varying, np.arange(self.n_varying)
        return [("all", size, 0, name, self.score(name, columns)) for name in CLASSIFIERS]

    def score(self, classifier: str, columns: npt.NDArray[np.intp]) -> float:
        """Score some columns with a classifier."""
        self.n_fits += 1
        return self._unseen.score(classifier, np.sort(columns))


@dataclass(frozen=True)
class BenchmarkItem(WorkItem[SplitWorkspace]):
    """One method on one split.

    The result has ``n_columns`` (of the dataset), ``n_varying`` (columns to choose from),
    ``rows`` (see `Row`), ``measures`` (see `Measured`), ``chosen`` (for each seed the columns of
    the dataset at `STABILITY_SIZE`, where there are as many) and ``seconds`` (CPU time of the
    ranking, the one thing that is not the same again).

    Examples
    --------
    >>> BenchmarkItem("wine", "random", 0, (10,), range(5)).key
    'benchmark-80/label-free/wine/random//split-00-seeds-00-04/10'
    """

    kind: ClassVar[str] = "benchmark-80"
    result_type: ClassVar[type] = dict

    dataset: str
    method: str
    split: int
    sizes: tuple[int, ...] = ()
    seeds: range = range(0)

    @property
    def identity(self) -> Identity:
        part = f"split-{self.split:02d}"
        if self.seeds:
            part += f"-seeds-{self.seeds[0]:02d}-{self.seeds[-1]:02d}"
        return Identity(
            kind=self.kind,
            protocol="label-free",
            dataset=self.dataset,
            method=self.method,
            part=part,
            sizes=self.sizes,
        )

    @classmethod
    def from_identity(cls, identity: Identity) -> BenchmarkItem:
        # split-00 or split-00-seeds-00-04
        _, split, *rest = identity.part.split("-")
        seeds = range(int(rest[1]), int(rest[2]) + 1) if rest else range(0)
        return cls(identity.dataset, identity.method, int(split), identity.sizes, seeds)

    @property
    def label(self) -> str:
        return f"{self.dataset} {self.identity.part} {self.method}"

    def cost(self, shape: Shape) -> float:
        rankings = 1.0
        subsets = float(len(self.seeds) or 1)
        if self.method == "tfs_tuned":
            rankings += len(GRIDS["tfs"]) * N_FOLDS
            subsets += len(GRIDS["tfs"]) * N_FOLDS * (N_FOLDS - 1) / N_FOLDS
        sizes = self.sizes or (shape.n_features,)
        fits = subsets * len(CLASSIFIERS) * sum(50 + size for size in sizes) / 50
        n_rows = shape.n_train * (5 + shape.n_classes)
        return fits * n_rows + rankings * shape.n_features**2 / 50

    def workspace(self, dataset: Dataset) -> SplitWorkspace:
        return _split_of_dataset(dataset, self.split)

    def compute(self, workspace: SplitWorkspace) -> dict[str, Any]:
        n_varying = workspace.n_varying
        sizes = [size for size in self.sizes if size <= n_varying]
        found: dict[str, Any] = {"n_columns": workspace.n_columns, "n_varying": n_varying}
        if self.method == "tfs_tuned":
            return found | {"rows": _tuned_rows(workspace, sizes), **_NOTHING_ELSE}
        if self.method == "all":
            return found | {"rows": workspace.accuracies(), **_NOTHING_ELSE}
        asked = sorted({*sizes, STABILITY_SIZE})
        start = time.process_time()
        orders = self._orders(workspace.split.X_train, asked)
        seconds = (time.process_time() - start) / len(orders)
        rows: list[Row] = []
        measures: list[Measured] = []
        chosen = []
        for seed, order in orders.items():
            cuts = [(str(size), size) for size in sizes]
            if order.n_auto is not None:
                cuts.append(("auto", order.n_auto))
            for label, size in cuts:
                scored = workspace.rows(label, order.first(size), seed=seed)
                rows += scored[0]
                measures += scored[1]
            if n_varying >= STABILITY_SIZE:
                columns = workspace.kept[order.first(STABILITY_SIZE)]
                chosen.append([seed, sorted(columns.tolist())])
        found |= {"rows": rows, "measures": measures}
        return found | {"chosen": chosen, "seconds": seconds}

    def _orders(self, X: npt.NDArray[np.float64], sizes: list[int]) -> dict[int, Order]:
        """Rank the columns; random subsets have one order a seed."""
        if self.method != "random":
            return {0: rank_columns(self.method, X, sizes)}
        identity = f"benchmark/{self.dataset}/{self.split}"
        return {
            seed: Order(
                np.empty(0, dtype=np.intp),
                sets={
                    size: random_columns(f"{identity}/{size}/{seed}", X.shape[1], size)
                    for size in sizes
                    if size <= X.shape[1]
                },
            )
            for seed in self.seeds
        }


def varying_split(
    X: npt.ArrayLike, y: npt.NDArray[Any], seed: int
) -> tuple[TrainTest, npt.NDArray[np.intp]]:
    """Split rows 80 to 20, every class in proportion; keep what varies on the larger part."""
    table, classes = np.asarray(X, dtype=np.float64), np.asarray(y).ravel()
    train, test = train_test_split(
        np.arange(len(classes)), test_size=TEST_SHARE, stratify=classes, random_state=seed
    )
    kept = np.flatnonzero(_PROTOCOL.varying(table[train]))
    split = TrainTest(
        table[np.ix_(train, kept)], classes[train], table[np.ix_(test, kept)], classes[test]
    )
    return split, kept


_NOTHING_ELSE: dict[str, Any] = {"measures": [], "chosen": [], "seconds": None}


def _tuned_rows(workspace: SplitWorkspace, sizes: list[int]) -> list[Row]:
    """Choose the setting of each classifier and size by cross-validation, then score it.

    A setting wins by its mean balanced accuracy over the folds of the training part; the
    first of equal ones.
    """
    grid = GRIDS["tfs"]
    means = np.zeros((len(CLASSIFIERS), len(sizes), len(grid)))
    split = workspace.split
    parts = tuning_folds(split.y_train)
    for train, validation in parts:
        fold = SplitWorkspace(
            split.rows(train, validation), workspace.kept, workspace.n_columns
        )
        orders = _published_orders(fold.split.X_train)
        for c, classifier in enumerate(CLASSIFIERS):
            for s, size in enumerate(sizes):
                scores = [fold.score(classifier, orders[setting][:size]) for setting in grid]
                means[c, s] += np.array(scores) / len(parts)
        workspace.n_fits += fold.n_fits
    orders = _published_orders(split.X_train)
    rows: list[Row] = []
    for c, classifier in enumerate(CLASSIFIERS):
        for s, size in enumerate(sizes):
            columns = orders[grid[_PROTOCOL.winner(means[c, s].tolist())]][:size]
            rows.append((str(size), size, 0, classifier, workspace.score(classifier, columns)))
    return rows


def _published_orders(X: npt.NDArray[np.float64]) -> dict[Setting, npt.NDArray[np.intp]]:
    """Rank the columns with every setting of the paper's grid."""
    ranker = _PROTOCOL.ranker(X)
    return {setting: ranker.tfs(setting) for setting in GRIDS["tfs"]}


@lru_cache(maxsize=_CACHED_SPLITS)
def _split_of_dataset(dataset: Dataset, seed: int) -> SplitWorkspace:
    """Give a split of a dataset, made once by each worker while it works on it."""
    split, kept = varying_split(dataset.X, dataset.y, seed)
    return SplitWorkspace(split, kept, dataset.X.shape[1])


N_SPLITS = 10
"""Random splits of each dataset."""

N_SEEDS = 20
"""Random subsets of each size on each split."""

N_TUNED_SPLITS = 3
"""Splits on which TFS is tuned with labels."""

_SEEDS_OF_AN_ITEM = 5


@dataclass(frozen=True)
class Benchmark(PlanOfOneStage):
    """What is to be run.

    Parameters
    ----------
    datasets : tuple of str
        Names of datasets.
    methods : tuple of str
        Names of methods.
    sizes : tuple of int
        Numbers of columns to keep; a dataset is run at those it has the columns for.
    n_splits, n_seeds : int
        Random splits of each dataset; random subsets of each size on each of them.

    Examples
    --------
    >>> Benchmark(datasets=("wine",), methods=("random", "pca"))
    Traceback (most recent call last):
    topofs_study.errors.StudyError: no method is called 'pca'; there are random, all, variance, ...
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...] = METHODS
    sizes: tuple[int, ...] = SIZES
    n_splits: int = N_SPLITS
    n_seeds: int = N_SEEDS

    def __post_init__(self) -> None:
        check_names("method", self.methods, METHODS)
        for what, number in (("splits", self.n_splits), ("seeds", self.n_seeds)):
            if number < 1:
                raise StudyError(f"the number of {what} is {number}; it must be at least 1")
        check_sizes(self.sizes)

    def shape_of(self, dataset: Dataset) -> Shape:
        """Give the sizes of a dataset; how many columns vary depends on the split."""
        n_samples, n_features = dataset.X.shape
        return Shape(n_samples * 4 // 5, n_features, len(np.unique(dataset.y)))

    def every_item(
        self,
        shapes: Mapping[str, Shape],
        store: Store,  # noqa: ARG002 - nothing here follows from earlier results
    ) -> list[WorkItem[Any]]:
        """List every item, what matters most first.

        Examples
        --------
        >>> from topofs_study.running.work_item import Shape
        >>> tiny = Benchmark(("wine",), ("random", "variance"), n_splits=1, n_seeds=7)
        >>> for item in tiny.every_item({"wine": Shape(124, 13, 3)}, store=None):
        ...     print(item.key)
        benchmark-80/label-free/wine/random//split-00-seeds-00-04/10
        benchmark-80/label-free/wine/variance//split-00/10
        benchmark-80/label-free/wine/random//split-00-seeds-05-06/10
        """
        plain = [name for name in METHODS if name in self.methods and name != "tfs_tuned"]
        tuned = [name for name in ("tfs_tuned",) if name in self.methods]
        random = [name for name in ("random",) if name in self.methods]
        blocks = [
            range(first, min(first + _SEEDS_OF_AN_ITEM, self.n_seeds))
            for first in range(0, self.n_seeds, _SEEDS_OF_AN_ITEM)
        ]
        splits = range(self.n_splits)
        stages = [(plain, splits, blocks[0]), (tuned, splits[:N_TUNED_SPLITS], blocks[0])]
        stages += [(random, splits, block) for block in blocks[1:]]
        names = sorted(
            (name for name in self.datasets if name in shapes),
            key=lambda name: self._item(name, shapes, "variance", 0).cost(shapes[name]),
        )
        return [
            self._item(dataset, shapes, method, split, block)
            for methods, some_splits, block in stages
            for split in some_splits
            for dataset in names
            for method in methods
        ]

    def _item(
        self,
        dataset: str,
        shapes: Mapping[str, Shape],
        method: str,
        split: int,
        seeds: range = range(0),
    ) -> BenchmarkItem:
        """One method on one split, at the sizes that the dataset has the columns for."""
        sizes = sorted({size for size in self.sizes if size <= shapes[dataset].n_features})
        kept = () if method == "all" else tuple(sizes)
        return BenchmarkItem(
            dataset, method, split, kept, seeds if method == "random" else range(0)
        )
