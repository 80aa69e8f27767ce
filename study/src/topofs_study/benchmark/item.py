"""The work item of the benchmark: one method on one split, all classifiers and sizes.

A method ranks the columns of the training part once; the ranking is cut at every size, and
every classifier is fitted on every cut. The test part is seen by nothing but the scores.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.model_selection import train_test_split

from topofs_study.benchmark.methods import Order, rank_columns
from topofs_study.paper.classifiers import CLASSIFIERS, METRICS, score_classifier
from topofs_study.paper.protocols import PROTOCOLS
from topofs_study.paper.settings import GRIDS
from topofs_study.paper.splits import N_FOLDS, TrainTest, tuning_folds
from topofs_study.running.identity import Identity
from topofs_study.running.work_item import WorkItem

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs_study.datasets import Dataset
    from topofs_study.paper.settings import Setting
    from topofs_study.running.work_item import Shape

__all__ = ["BenchmarkItem", "Row", "SplitWorkspace", "varying_split"]

Row = tuple[str, int, int, str, float]
"""Size ("10", "auto", "all"), columns used, seed, classifier, balanced accuracy."""

_PROTOCOL = PROTOCOLS["corrected"]
_CACHED_SPLITS = 2


@dataclass
class SplitWorkspace:
    """A split on which every classifier can be fitted, with a count of the fits.

    Parameters
    ----------
    split : TrainTest
        Training part and test part.
    n_fits : int
        Classifiers fitted so far.
    """

    split: TrainTest
    n_fits: int = 0

    def rows(self, label: str, columns: npt.NDArray[np.intp], *, seed: int = 0) -> list[Row]:
        """Score some columns with every classifier.

        Parameters
        ----------
        label : str
            The size, as it is called.
        columns : ndarray of int
            The columns.
        seed : int
            Of a random subset.

        Returns
        -------
        list of Row
        """
        return [
            (label, len(columns), seed, name, self.score(name, columns)) for name in CLASSIFIERS
        ]

    def score(self, classifier: str, columns: npt.NDArray[np.intp]) -> float:
        """Score some columns with a classifier.

        Parameters
        ----------
        classifier : str
            One of `CLASSIFIERS`.
        columns : ndarray of int
            The columns.

        Returns
        -------
        float
            The balanced accuracy on the test part.
        """
        # In the order of the table, so that a subset has one score whoever chose it.
        columns = np.sort(columns)
        self.n_fits += 1
        return score_classifier(classifier, self.split, columns, columns, metrics=METRICS[:1])[
            0
        ]


@dataclass(frozen=True)
class BenchmarkItem(WorkItem[SplitWorkspace]):
    """One method on one split.

    The result has ``n_varying`` (columns to choose from) and ``rows`` (see `Row`).

    Parameters
    ----------
    dataset, method : str
        Of what.
    split : int
        The number of the split, which is its seed.
    sizes : tuple of int
        Numbers of columns to keep; none for all columns.
    seeds : range, optional
        Of random subsets.

    Examples
    --------
    >>> BenchmarkItem("wine", "random", 0, (10,), range(5)).key
    'benchmark/label-free/wine/random//split-00-seeds-00-04/10'
    """

    kind: ClassVar[str] = "benchmark"
    result_type: ClassVar[type] = dict

    dataset: str
    method: str
    split: int
    sizes: tuple[int, ...] = ()
    seeds: range = range(0)

    @property
    def identity(self) -> Identity:
        """What a store knows the item by."""
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
        """Give back the item that has an identity."""
        # split-00 or split-00-seeds-00-04
        _, split, *rest = identity.part.split("-")
        seeds = range(int(rest[1]), int(rest[2]) + 1) if rest else range(0)
        return cls(identity.dataset, identity.method, int(split), identity.sizes, seeds)

    @property
    def label(self) -> str:
        """What a person is told while it runs."""
        return f"{self.dataset} {self.identity.part} {self.method}"

    def cost(self, shape: Shape) -> float:
        """Estimate the work, in units that only compare items."""
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
        """Split the dataset."""
        return SplitWorkspace(_split_of_dataset(dataset, self.split))

    def compute(self, workspace: SplitWorkspace) -> dict[str, Any]:
        """Rank, cut and score."""
        n_varying = workspace.split.X_train.shape[1]
        sizes = [size for size in self.sizes if size <= n_varying]
        rows: list[Row] = []
        if self.method == "random":
            for size in sizes:
                for seed in self.seeds:
                    columns = self._random_columns(size, seed, n_varying)
                    rows += workspace.rows(str(size), columns, seed=seed)
        elif self.method == "tfs_tuned":
            rows = _tuned_rows(workspace, sizes)
        else:
            order = rank_columns(self.method, workspace.split.X_train)
            for label, size in _cuts(self.method, order, sizes):
                rows += workspace.rows(label, order.columns[:size])
        return {"n_varying": n_varying, "rows": rows}

    def _random_columns(self, size: int, seed: int, n_columns: int) -> npt.NDArray[np.intp]:
        """Draw a subset; its identity alone decides which."""
        identity = f"benchmark/{self.dataset}/{self.split}/{size}/{seed}".encode()
        generator = np.random.default_rng(list(hashlib.sha256(identity).digest()))
        return generator.choice(n_columns, size=size, replace=False)


def varying_split(X: npt.ArrayLike, y: npt.NDArray[Any], seed: int) -> TrainTest:
    """Split rows 70 to 30, every class in proportion; keep what varies on the larger part.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The whole table.
    y : array of shape (n_samples,)
        The class of each row.
    seed : int
        Of the split.

    Returns
    -------
    TrainTest
        Without the columns that are constant on the training part.
    """
    table, classes = np.asarray(X, dtype=np.float64), np.asarray(y).ravel()
    train, test = train_test_split(
        np.arange(len(classes)), test_size=0.3, stratify=classes, random_state=seed
    )
    kept = np.flatnonzero(_PROTOCOL.varying(table[train]))
    return TrainTest(
        table[np.ix_(train, kept)], classes[train], table[np.ix_(test, kept)], classes[test]
    )


def _cuts(method: str, order: Order, sizes: list[int]) -> list[tuple[str, int]]:
    """List where a ranking is cut, and what to call it."""
    if method == "all":
        return [("all", len(order.columns))]
    cuts = [(str(size), size) for size in sizes]
    return cuts if order.n_auto is None else [*cuts, ("auto", order.n_auto)]


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
        fold = SplitWorkspace(split.rows(train, validation))
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
def _split_of_dataset(dataset: Dataset, seed: int) -> TrainTest:
    """Give a split of a dataset, made once by each worker while it works on it."""
    return varying_split(dataset.X, dataset.y, seed)
