"""What FSEVAL's protocol runs: the first seed of everything, then the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs_study.benchmark.fseval.item import FOREST, K_MEANS, FsevalItem
from topofs_study.benchmark.fseval.protocol import FOREST_SEEDS
from topofs_study.benchmark.fseval.published import published_shares
from topofs_study.benchmark.methods import DEFAULT, GREEDY, METHODS, SELECTORS
from topofs_study.errors import StudyError
from topofs_study.running.driver import PlanOfOneStage
from topofs_study.running.work_item import Shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.datasets import Dataset
    from topofs_study.running.store import Store
    from topofs_study.running.work_item import WorkItem

__all__ = ["FSEVAL_METHODS", "FsevalBenchmark"]

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
        """Give the sizes of a dataset.

        Parameters
        ----------
        dataset : Dataset
            The dataset.

        Returns
        -------
        Shape
        """
        n_samples, n_features = dataset.X.shape
        return Shape(n_samples, n_features, len(np.unique(dataset.y)))

    def every_item(
        self,
        shapes: Mapping[str, Shape],
        store: Store,  # noqa: ARG002 - nothing here follows from earlier results
    ) -> list[WorkItem[Any]]:
        """List every item: k-means, the first seed of the forests, the other seeds.

        Parameters
        ----------
        shapes : mapping of str to Shape
            The datasets that are there.
        store : Store
            The results so far.

        Returns
        -------
        list of WorkItem
        """
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
