"""One work item of the benchmark in, one record out.

A method ranks the columns of the training part once; the ranking is cut at every size, and
every classifier is fitted on every cut. The test part is seen by nothing but the scores.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from topofs_study.benchmark.methods import Order, rank_columns
from topofs_study.benchmark.plan import seeds_of, split_of
from topofs_study.paper.classifiers import CLASSIFIERS, METRICS, score_classifier
from topofs_study.paper.protocols import PROTOCOLS
from topofs_study.paper.run import Record
from topofs_study.paper.settings import GRIDS
from topofs_study.paper.splits import TrainTest, tuning_folds

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs_study.paper.settings import Setting
    from topofs_study.running.work_item import WorkItem

__all__ = ["Row", "run_item", "run_task", "varying_split"]

Row = tuple[str, int, int, str, float]
"""Size ("10", "auto", "all"), columns used, seed, classifier, balanced accuracy."""

_PROTOCOL = PROTOCOLS["corrected"]
_CACHED_SPLITS = 2


def run_task(task: tuple[WorkItem, ...], data_dir: str | None) -> list[Record]:
    """Compute the items of one task, in a worker process or in this one.

    Parameters
    ----------
    task : tuple of WorkItem
        Items of `topofs_study.benchmark.plan.plan_benchmark`.
    data_dir : str, optional
        The folder to look for their dataset in.

    Returns
    -------
    list of Record
        One for each item, in order.
    """
    # One thread: the workers share the cores, and sums come out the same everywhere.
    with threadpool_limits(1):
        return [
            run_item(item, _split_of_dataset(item.dataset, split_of(item), data_dir))
            for item in task
        ]


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


def run_item(item: WorkItem, split: TrainTest) -> Record:
    """Compute one work item.

    Parameters
    ----------
    item : WorkItem
        What to compute.
    split : TrainTest
        The split of its dataset.

    Returns
    -------
    Record
        Its result has ``n_varying`` (columns to choose from) and ``rows`` (see `Row`).
    """
    start = time.perf_counter()
    scorer = _Scorer(split)
    n_varying = split.X_train.shape[1]
    sizes = [size for size in item.sizes if size <= n_varying]
    rows: list[Row] = []
    if item.method == "random":
        for size in sizes:
            for seed in seeds_of(item):
                columns = _random_columns(item, size, seed, n_varying)
                rows += scorer.rows(str(size), columns, seed=seed)
    elif item.method == "tfs_tuned":
        rows = _tuned_rows(split, sizes, scorer)
    else:
        order = rank_columns(item.method, split.X_train)
        for label, size in _cuts(item.method, order, sizes):
            rows += scorer.rows(label, order.columns[:size])
    result = {"n_varying": n_varying, "rows": rows}
    return Record(item, result, scorer.n_fits, time.perf_counter() - start)


@dataclass
class _Scorer:
    """Fits every classifier on some columns of a split, and counts the fits."""

    split: TrainTest
    n_fits: int = 0

    def rows(self, label: str, columns: npt.NDArray[np.intp], *, seed: int = 0) -> list[Row]:
        return [
            (label, len(columns), seed, name, self.score(name, columns)) for name in CLASSIFIERS
        ]

    def score(self, classifier: str, columns: npt.NDArray[np.intp]) -> float:
        # In the order of the table, so that a subset has one score whoever chose it.
        columns = np.sort(columns)
        self.n_fits += 1
        return score_classifier(classifier, self.split, columns, columns, metrics=METRICS[:1])[0]


def _cuts(method: str, order: Order, sizes: list[int]) -> list[tuple[str, int]]:
    """List where a ranking is cut, and what to call it."""
    if method == "all":
        return [("all", len(order.columns))]
    cuts = [(str(size), size) for size in sizes]
    return cuts if order.n_auto is None else [*cuts, ("auto", order.n_auto)]


def _random_columns(
    item: WorkItem, size: int, seed: int, n_columns: int
) -> npt.NDArray[np.intp]:
    """Draw a subset; its identity alone decides which."""
    identity = f"benchmark/{item.dataset}/{split_of(item)}/{size}/{seed}".encode()
    generator = np.random.default_rng(list(hashlib.sha256(identity).digest()))
    return generator.choice(n_columns, size=size, replace=False)


def _tuned_rows(split: TrainTest, sizes: list[int], scorer: _Scorer) -> list[Row]:
    """Choose the setting of each classifier and size by cross-validation, then score it.

    A setting wins by its mean balanced accuracy over the folds of the training part; the
    first of equal ones.
    """
    grid = GRIDS["tfs"]
    means = np.zeros((len(CLASSIFIERS), len(sizes), len(grid)))
    parts = tuning_folds(split.y_train)
    for train, validation in parts:
        fold = _Scorer(split.rows(train, validation))
        orders = _published_orders(fold.split.X_train)
        for c, classifier in enumerate(CLASSIFIERS):
            for s, size in enumerate(sizes):
                scores = [fold.score(classifier, orders[setting][:size]) for setting in grid]
                means[c, s] += np.array(scores) / len(parts)
        scorer.n_fits += fold.n_fits
    orders = _published_orders(split.X_train)
    rows: list[Row] = []
    for c, classifier in enumerate(CLASSIFIERS):
        for s, size in enumerate(sizes):
            columns = orders[grid[_PROTOCOL.winner(means[c, s].tolist())]][:size]
            rows.append((str(size), size, 0, classifier, scorer.score(classifier, columns)))
    return rows


def _published_orders(X: npt.NDArray[np.float64]) -> dict[Setting, npt.NDArray[np.intp]]:
    """Rank the columns with every setting of the paper's grid."""
    ranker = _PROTOCOL.ranker(X)
    return {setting: ranker.tfs(setting) for setting in GRIDS["tfs"]}


@lru_cache(maxsize=_CACHED_SPLITS)
def _split_of_dataset(name: str, seed: int, data_dir: str | None) -> TrainTest:
    """Give a split of a dataset, made once by each worker while it works on it."""
    from topofs_study.datasets import load

    dataset = load(name, data_dir=data_dir)
    return varying_split(dataset.X, dataset.y, seed)
