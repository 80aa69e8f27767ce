"""What the benchmark runs, as work items in the order in which they are most useful.

A run that is cut short should still answer the question. So every method comes first on every
split, with a few random subsets; then the tuning with labels, which costs as much as twenty
methods and is run on the first splits only; then more random subsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs_study.errors import StudyError
from topofs_study.benchmark.methods import METHODS
from topofs_study.paper.classifiers import CLASSIFIERS
from topofs_study.paper.settings import GRIDS, SIZES
from topofs_study.paper.splits import N_FOLDS
from topofs_study.running.work_item import WorkItem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.paper.plan import Shape

__all__ = [
    "N_SEEDS",
    "N_SPLITS",
    "N_TUNED_SPLITS",
    "Benchmark",
    "cost",
    "plan_benchmark",
    "seeds_of",
    "split_of",
]

N_SPLITS = 10
"""Random splits of each dataset."""

N_SEEDS = 20
"""Random subsets of each size on each split."""

N_TUNED_SPLITS = 3
"""Splits on which TFS is tuned with labels."""

_SEEDS_OF_AN_ITEM = 5
_KIND = "benchmark"


@dataclass(frozen=True)
class Benchmark:
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
        known = ", ".join(METHODS)
        for name in self.methods:
            if name not in METHODS:
                raise StudyError(f"no method is called {name!r}; there are {known}")
        if not self.methods:
            raise StudyError(f"no method is given; there are {known}")
        for what, number in (("splits", self.n_splits), ("seeds", self.n_seeds)):
            if number < 1:
                raise StudyError(f"the number of {what} is {number}; it must be at least 1")
        if not self.sizes or min(self.sizes) < 1:
            given = ", ".join(map(str, self.sizes)) or "none"
            raise StudyError(f"sizes are {given}; every size must be at least 1")


def plan_benchmark(benchmark: Benchmark, shapes: Mapping[str, Shape]) -> list[WorkItem]:
    """List the work, what matters most first.

    Parameters
    ----------
    benchmark : Benchmark
        What is to be run.
    shapes : mapping of str to Shape
        The datasets that are there.

    Returns
    -------
    list of WorkItem
        Every method but the tuned one, and the first five random subsets, split by split;
        the tuned one on the first splits; the other random subsets.

    Examples
    --------
    >>> from topofs_study.paper.plan import Shape
    >>> tiny = Benchmark(("wine",), ("random", "variance"), n_splits=1, n_seeds=7)
    >>> for item in plan_benchmark(tiny, {"wine": Shape(124, 13, 3)}):
    ...     print(item.key)
    benchmark/label-free/wine/random//split-00-seeds-00-04/10
    benchmark/label-free/wine/variance//split-00/10
    benchmark/label-free/wine/random//split-00-seeds-05-06/10
    """
    plain = [name for name in METHODS if name in benchmark.methods and name != "tfs_tuned"]
    tuned = [name for name in ("tfs_tuned",) if name in benchmark.methods]
    random = [name for name in ("random",) if name in benchmark.methods]
    blocks = [
        (first, min(first + _SEEDS_OF_AN_ITEM, benchmark.n_seeds) - 1)
        for first in range(0, benchmark.n_seeds, _SEEDS_OF_AN_ITEM)
    ]
    splits = range(benchmark.n_splits)
    stages = [(plain, splits, blocks[0]), (tuned, splits[:N_TUNED_SPLITS], blocks[0])]
    stages += [(random, splits, block) for block in blocks[1:]]
    names = _by_cost(benchmark, shapes)
    return [
        _item(benchmark, dataset, shapes[dataset], method, split, block)
        for methods, some_splits, block in stages
        for split in some_splits
        for dataset in names
        for method in methods
    ]


def split_of(item: WorkItem) -> int:
    """Give the number of the split of an item.

    Parameters
    ----------
    item : WorkItem
        An item of `plan_benchmark`.

    Returns
    -------
    int
    """
    return int(item.part.split("-")[1])


def seeds_of(item: WorkItem) -> range:
    """Give the seeds of the random subsets of an item.

    Parameters
    ----------
    item : WorkItem
        An item of `plan_benchmark` with method "random".

    Returns
    -------
    range
    """
    first, last = item.part.split("-")[3:]
    return range(int(first), int(last) + 1)


def cost(item: WorkItem, shape: Shape) -> float:
    """Estimate the work of an item, in units that only compare items.

    Parameters
    ----------
    item : WorkItem
        An item of `plan_benchmark`.
    shape : Shape
        Sizes of its dataset.

    Returns
    -------
    float
        Positive.
    """
    rankings = 1.0
    subsets = float(len(seeds_of(item))) if item.method == "random" else 1.0
    if item.method == "tfs_tuned":
        rankings += len(GRIDS["tfs"]) * N_FOLDS
        subsets += len(GRIDS["tfs"]) * N_FOLDS * (N_FOLDS - 1) / N_FOLDS
    sizes = item.sizes or (shape.n_features,)
    fits = subsets * len(CLASSIFIERS) * sum(50 + size for size in sizes) / 50
    return fits * shape.n_train * (5 + shape.n_classes) + rankings * shape.n_features**2 / 50


def _item(
    benchmark: Benchmark,
    dataset: str,
    shape: Shape,
    method: str,
    split: int,
    block: tuple[int, int],
) -> WorkItem:
    """One method on one split, all classifiers and sizes."""
    part = f"split-{split:02d}"
    if method == "random":
        part += f"-seeds-{block[0]:02d}-{block[1]:02d}"
    sizes = sorted({size for size in benchmark.sizes if size <= shape.n_features})
    if method == "all":
        sizes = []
    return WorkItem(_KIND, "label-free", dataset, method, part=part, sizes=tuple(sizes))


def _by_cost(benchmark: Benchmark, shapes: Mapping[str, Shape]) -> list[str]:
    """Order the datasets that are there, cheap ones first."""

    def weight(dataset: str) -> float:
        return cost(
            _item(benchmark, dataset, shapes[dataset], "variance", 0, (0, 0)), shapes[dataset]
        )

    return sorted((name for name in benchmark.datasets if name in shapes), key=weight)
