"""One work item in, one record out: a function of the item and the data alone.

Items that share a dataset also share a `Workspace`, which remembers rankings and fits, so
that nothing is computed twice; what an item gives back does not depend on it.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from topofs_study.paper.classifiers import METRICS, score_classifier
from topofs_study.paper.plan import N_RANDOM_SUBSETS, Shape
from topofs_study.paper.protocols import PROTOCOLS
from topofs_study.paper.settings import GRIDS, Setting
from topofs_study.paper.splits import PAIR_SEEDS, TrainTest, tuning_folds, halves, train_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from topofs_study.datasets import Dataset
    from topofs_study.paper.protocols import Ranker
    from topofs_study.running.work_item import WorkItem

__all__ = ["Record", "Workspace", "run", "run_task", "shape_of"]


@dataclass(frozen=True)
class Record:
    """What came of one work item.

    Parameters
    ----------
    item : WorkItem
        What was run.
    result : list or dict
        Numbers by size, ready for JSON. Tuning: a balanced accuracy for each setting of the
        grid. Test: balanced accuracy, F1 and Matthews correlation (for random subsets a
        list of them), followed, where the protocol shifts the test columns, by the three
        scores with aligned columns. Pair: the balanced accuracy. A split: the counts of its
        classes.
    n_fits : int
        Classifiers fitted for this item and for no earlier one of its task.
    seconds : float
        Time it took.
    """

    item: WorkItem
    result: Any
    n_fits: int
    seconds: float


class Workspace:
    """A dataset with its parts, and the rankings and fits made on them so far.

    Parameters
    ----------
    dataset : Dataset
        The dataset.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.whole = train_test(dataset.X, dataset.y, test_rows=dataset.test_rows)
        self.n_fits = 0
        self._kept: dict[str, NDArray[np.intp]] = {}
        self._parts: dict[str, TrainTest] = {}
        self._rankers: dict[tuple[str, str], Ranker] = {}
        self._rankings: dict[tuple[str, str, str, Setting], NDArray[np.intp]] = {}
        self._fits: dict[tuple[str, str, bytes, bytes], tuple[float, ...]] = {}

    def part(self, name: str) -> TrainTest:
        """Give the tables of a part: the test part, a fold or a half of the training table.

        Parameters
        ----------
        name : str
            As in `WorkItem.part`.

        Returns
        -------
        TrainTest
        """
        if name == "test":
            return self.whole
        if name not in self._parts:
            kind, *numbers = name.split("-")
            y = self.whole.y_train
            if kind == "fold":
                train, test = tuning_folds(y)[int(numbers[0])]
            else:
                both = halves(y, PAIR_SEEDS[int(numbers[0])])
                train, test = both if numbers[1] == "0" else both[::-1]
            self._parts[name] = self.whole.rows(train, test)
        return self._parts[name]

    def kept(self, protocol: str) -> NDArray[np.intp]:
        """Give the columns that vary on the training table.

        Parameters
        ----------
        protocol : str
            Name of the protocol.

        Returns
        -------
        ndarray of int
        """
        if protocol not in self._kept:
            varying = PROTOCOLS[protocol].varying(self.whole.X_train)
            self._kept[protocol] = np.flatnonzero(varying)
        return self._kept[protocol]

    def rankings(
        self, protocol: str, part: str, method: str, settings: Sequence[Setting]
    ) -> list[NDArray[np.intp]]:
        """Rank the kept columns for each setting, best first.

        Parameters
        ----------
        protocol, part, method : str
            What to rank, on what.
        settings : sequence of Setting
            How.

        Returns
        -------
        list of ndarray of int
            Positions among the kept columns, one array for each setting.
        """
        missing = [s for s in settings if (protocol, part, method, s) not in self._rankings]
        if missing:
            ranker = self._ranker(protocol, part)
            if method == "inf_fs":
                found = ranker.inf_fs(missing)
            else:
                found = {setting: ranker.tfs(setting) for setting in set(missing)}
            for setting, order in found.items():
                self._rankings[protocol, part, method, setting] = order
        return [self._rankings[protocol, part, method, setting] for setting in settings]

    def score(
        self, item: WorkItem, positions: NDArray[np.intp], *, aligned: bool = False
    ) -> tuple[float, ...]:
        """Fit the classifier of an item on some columns, once for equal columns.

        Parameters
        ----------
        item : WorkItem
            Gives protocol, part and classifier.
        positions : ndarray of int
            Positions among the kept columns, in the order the classifier sees them.
        aligned : bool
            Whether the test table is read at the same columns whatever the protocol says.

        Returns
        -------
        tuple of float
            Balanced accuracy, and on the test part F1 and Matthews correlation.
        """
        kept = self.kept(item.protocol)
        train_columns = kept[positions]
        test_columns = train_columns
        if item.part == "test" and not aligned:
            test_columns = PROTOCOLS[item.protocol].test_columns(positions, kept)
        key = (item.classifier, item.part, train_columns.tobytes(), test_columns.tobytes())
        if key not in self._fits:
            self._fits[key] = score_classifier(
                item.classifier,
                self.part(item.part),
                train_columns,
                test_columns,
                metrics=METRICS if item.part == "test" else METRICS[:1],
            )
            self.n_fits += 1
        return self._fits[key]

    def _ranker(self, protocol: str, part: str) -> Ranker:
        """Give the ranker of a part, with the similarities it has computed so far."""
        if (protocol, part) not in self._rankers:
            # Matrices of another part are not needed again: items come part by part.
            self._rankers.clear()
            X = self.part(part).X_train[:, self.kept(protocol)]
            self._rankers[protocol, part] = PROTOCOLS[protocol].ranker(X)
        return self._rankers[protocol, part]


def shape_of(dataset: Dataset) -> Shape:
    """Give what the plan has to know of a dataset.

    Parameters
    ----------
    dataset : Dataset
        The dataset.

    Returns
    -------
    Shape
    """
    split = train_test(dataset.X, dataset.y, test_rows=dataset.test_rows)
    n_features = min(int(p.varying(split.X_train).sum()) for p in PROTOCOLS.values())
    return Shape(len(split.y_train), n_features, len(np.unique(split.y_train)))


def run(item: WorkItem, workspace: Workspace) -> Record:
    """Compute one work item.

    Parameters
    ----------
    item : WorkItem
        What to compute.
    workspace : Workspace
        The dataset of the item, with the work of earlier items.

    Returns
    -------
    Record
        Apart from the two counters, the same whatever the workspace remembers.
    """
    start, fits_before = time.perf_counter(), workspace.n_fits
    result: Any
    if item.kind == "split":
        result = _class_counts(item, workspace)
    elif item.method == "random":
        result = [_random_subsets(item, size, workspace) for size in item.sizes]
    elif item.kind == "tune":
        result = _tuning_scores(item, workspace)
    else:
        subsets = zip(item.sizes, _orders(item, workspace), strict=True)
        result = [_test_scores(item, order[:size], workspace) for size, order in subsets]
        if item.kind == "pair":
            result = [scores[0] for scores in result]
    seconds = time.perf_counter() - start
    return Record(item, result, workspace.n_fits - fits_before, seconds)


def run_task(task: tuple[WorkItem, ...], data_dir: str | None) -> list[Record]:
    """Compute the items of one task, in a worker process or in this one.

    Parameters
    ----------
    task : tuple of WorkItem
        Items of one dataset.
    data_dir : str, optional
        The folder to look for it in.

    Returns
    -------
    list of Record
        One for each item, in order.
    """
    # One thread: the workers share the cores, and sums come out the same everywhere.
    with threadpool_limits(1):
        workspace = Workspace(_dataset(task[0].dataset, data_dir))
        return [run(item, workspace) for item in task]


@lru_cache(maxsize=2)
def _dataset(name: str, data_dir: str | None) -> Dataset:
    """Give a dataset, read once by each worker while it works on it."""
    from topofs_study.datasets import load

    return load(name, data_dir=data_dir)


def _class_counts(item: WorkItem, workspace: Workspace) -> dict[str, Any]:
    """Count the rows of each class in both parts, and the columns before and after pruning."""
    whole = workspace.whole
    counts = {}
    for part, y in (("train", whole.y_train), ("test", whole.y_test)):
        classes, sizes = np.unique(y, return_counts=True)
        counts[part] = [[c.item(), int(n)] for c, n in zip(classes, sizes, strict=True)]
    before, after = whole.X_train.shape[1], len(workspace.kept(item.protocol))
    return {"counts": counts, "n_features_before": before, "n_features_after": after}


def _tuning_scores(item: WorkItem, workspace: Workspace) -> list[list[float]]:
    """Score each size and each setting of the grid."""
    orders = workspace.rankings(item.protocol, item.part, item.method, GRIDS[item.method])
    return [[workspace.score(item, order[:size])[0] for order in orders] for size in item.sizes]


def _test_scores(
    item: WorkItem, positions: NDArray[np.intp], workspace: Workspace
) -> tuple[float, ...]:
    """Give the scores of a subset, and beside shifted ones those with aligned columns."""
    aligned = workspace.score(item, positions, aligned=True)
    if item.method == "all":
        # With every column kept, the paper's program has nothing to index: nothing shifts.
        return aligned
    scores = workspace.score(item, positions)
    return scores if scores is aligned else scores + aligned


def _orders(item: WorkItem, workspace: Workspace) -> list[NDArray[np.intp]]:
    """Rank the kept columns for each size."""
    if item.settings:
        return workspace.rankings(item.protocol, item.part, item.method, item.settings)
    kept = workspace.kept(item.protocol)
    if item.method == "variance":
        variances = workspace.part(item.part).X_train[:, kept].var(axis=0)
        return [np.argsort(-variances, kind="stable")] * len(item.sizes)
    return [np.arange(len(kept))] * len(item.sizes)


def _random_subsets(item: WorkItem, size: int, workspace: Workspace) -> list[tuple[float, ...]]:
    """Score ten random subsets, the same subsets for every classifier."""
    kept = workspace.kept(item.protocol)
    scores = []
    for seed in range(N_RANDOM_SUBSETS):
        identity = f"random/{item.dataset}/{size}/{seed}".encode()
        generator = np.random.default_rng(list(hashlib.sha256(identity).digest()))
        subset = generator.choice(len(kept), size=size, replace=False)
        scores.append(workspace.score(item, subset))
    return scores
