"""Run a benchmark from the plan to the store, and go on where an earlier run stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs_study.datasets import load as load_dataset
from topofs_study.errors import DatasetError, UnknownDatasetError
from topofs_study.benchmark.plan import cost, plan_benchmark
from topofs_study.benchmark.run import run_task
from topofs_study.running.executor import run_tasks
from topofs_study.paper.plan import Shape
from topofs_study.running.driver import Survey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.benchmark.plan import Benchmark
    from topofs_study.running.store import Store
    from topofs_study.running.driver import Watcher

__all__ = ["run_benchmark", "survey"]


def survey(benchmark: Benchmark, *, data_dir: str | None = None) -> Survey:
    """Read every dataset once, to learn its sizes and to find those that are missing.

    Parameters
    ----------
    benchmark : Benchmark
        What is to be run.
    data_dir : str, optional
        The folder to look in first.

    Returns
    -------
    Survey
    """
    shapes: dict[str, Shape] = {}
    missing: dict[str, str] = {}
    for name in benchmark.datasets:
        try:
            dataset = load_dataset(name, data_dir=data_dir)
        except UnknownDatasetError:
            raise
        except DatasetError as error:
            missing[name] = str(error)
        else:
            n_samples, n_features = dataset.X.shape
            shapes[name] = Shape(n_samples * 7 // 10, n_features, len(np.unique(dataset.y)))
    return Survey(shapes, missing)


def run_benchmark(
    benchmark: Benchmark,
    shapes: Mapping[str, Shape],
    store: Store,
    watcher: Watcher,
    *,
    data_dir: str | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
) -> None:
    """Run what is not yet in the store.

    Parameters
    ----------
    benchmark : Benchmark
        What is to be run.
    shapes : mapping of str to Shape
        The datasets that are there, from `survey`.
    store : Store
        Where records go, each as soon as it is done.
    watcher : Watcher
        Is told of every step.
    data_dir : str, optional
        The folder with the datasets.
    jobs, scheduler
        As in `topofs_study.running.executor.run_tasks`.
    """
    items = plan_benchmark(benchmark, shapes)
    costs = {item.key: cost(item, shapes[item.dataset]) for item in items}
    known = store.keys()
    done = [item for item in items if item.key in known]
    watcher.planned(
        len(items), sum(costs.values()), len(done), sum(costs[item.key] for item in done)
    )
    for records in run_tasks(
        [(item,) for item in items if item.key not in known],
        data_dir=data_dir,
        jobs=jobs,
        scheduler=scheduler,
        on_start=watcher.started,
        work=run_task,
    ):
        for record in records:
            store.add(record)
        task = tuple(record.item for record in records)
        watcher.finished(task, sum(costs[item.key] for item in task))
