"""What the benchmark runs, as work items in the order in which they are most useful.

A run that is cut short should still answer the question. So every method comes first on every
split, with a few random subsets; then the tuning with labels, which costs as much as twenty
methods and is run on the first splits only; then more random subsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs_study.benchmark.item import BenchmarkItem
from topofs_study.benchmark.methods import METHODS, SIZES
from topofs_study.errors import StudyError
from topofs_study.running.driver import PlanOfOneStage, check_names, check_sizes
from topofs_study.running.work_item import Shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.datasets import Dataset
    from topofs_study.running.store import Store
    from topofs_study.running.work_item import WorkItem

__all__ = ["N_SEEDS", "N_SPLITS", "N_TUNED_SPLITS", "Benchmark"]

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
        """Give the sizes of a dataset; how many columns vary depends on the split.

        Parameters
        ----------
        dataset : Dataset
            The dataset.

        Returns
        -------
        Shape
        """
        n_samples, n_features = dataset.X.shape
        return Shape(n_samples * 4 // 5, n_features, len(np.unique(dataset.y)))

    def every_item(
        self,
        shapes: Mapping[str, Shape],
        store: Store,  # noqa: ARG002 - nothing here follows from earlier results
    ) -> list[WorkItem[Any]]:
        """List every item, what matters most first.

        Parameters
        ----------
        shapes : mapping of str to Shape
            The datasets that are there.
        store : Store
            The results so far.

        Returns
        -------
        list of WorkItem
            Every method but the tuned one, and the first five random subsets, split by split;
            the tuned one on the first splits; the other random subsets.

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
        return BenchmarkItem(
            dataset,
            method,
            split,
            () if method == "all" else tuple(sizes),
            seeds if method == "random" else range(0),
        )
