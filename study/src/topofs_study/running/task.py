"""Compute the items of one task, in a worker process or in this one."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from threadpoolctl import threadpool_limits

from topofs_study.datasets import load
from topofs_study.running.work_item import Record

if TYPE_CHECKING:
    from topofs_study.datasets import Dataset
    from topofs_study.running.work_item import WorkItem

__all__ = ["record_of", "run_task"]


def run_task(task: tuple[WorkItem[Any], ...], data_dir: str | None) -> list[Record[Any]]:
    """Compute the items of one task.

    Parameters
    ----------
    task : tuple of WorkItem
        Items of one dataset that share work.
    data_dir : str, optional
        The folder to look for it in.

    Returns
    -------
    list of Record
        One for each item, in order.
    """
    # One thread: the workers share the cores, and sums come out the same everywhere.
    with threadpool_limits(1):
        workspace = task[0].workspace(_dataset(task[0].dataset, data_dir))
        return [record_of(item, workspace) for item in task]


def record_of(item: WorkItem[Any], workspace: Any) -> Record[Any]:
    """Compute one item and count its fits and its time.

    Parameters
    ----------
    item : WorkItem
        What to compute.
    workspace : Workspace
        What `item.workspace` gave, with the work of earlier items of the task.

    Returns
    -------
    Record
        Apart from the two counters, the same whatever the workspace remembers.
    """
    start, fits_before = time.perf_counter(), workspace.n_fits
    result = item.compute(workspace)
    return Record(item, result, workspace.n_fits - fits_before, time.perf_counter() - start)


@lru_cache(maxsize=2)
def _dataset(name: str, data_dir: str | None) -> Dataset:
    """Give a dataset, read once by each worker while it works on it."""
    return load(name, data_dir=data_dir)
