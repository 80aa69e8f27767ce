"""Run a plan from its datasets to the store, and go on where an earlier run stopped.

Items that share work are one task. Tasks run side by side, on this machine or on a cluster, and
outlive lost workers.
"""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from topofs.errors import import_extra
from topofs_study.datasets import load
from topofs_study.errors import DatasetError, StudyError, WorkersLostError
from topofs_study.running.work_item import Record, tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from topofs_study.datasets import Dataset
    from topofs_study.running.store import Store
    from topofs_study.running.work_item import Shape, WorkItem

    Task = tuple[WorkItem[Any], ...]

__all__ = ["Plan", "Survey", "Watcher", "run_plan", "run_tasks", "survey"]


class Plan(Protocol):
    """What is to be run: the datasets, and the work on each of them."""

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of datasets."""

    def shape_of(self, dataset: Dataset) -> Shape:
        """Give the sizes of a dataset, or refuse one that the plan cannot be run on."""

    def every_item(self, shapes: Mapping[str, Shape], store: Store) -> list[WorkItem[Any]]:
        """List all the work, with stand-ins where it follows from results that are not there."""

    def stages(
        self, shapes: Mapping[str, Shape], store: Store
    ) -> Iterator[list[WorkItem[Any]]]:
        """Give the work stage by stage; a stage may follow from what the store holds by then."""


class PlanOfOneStage:
    """A plan of which nothing follows from earlier results."""

    def every_item(self, shapes: Mapping[str, Shape], store: Store) -> list[WorkItem[Any]]:
        """List all the work."""
        raise NotImplementedError

    def stages(
        self, shapes: Mapping[str, Shape], store: Store
    ) -> Iterator[list[WorkItem[Any]]]:
        """Give everything at once."""
        yield self.every_item(shapes, store)


def check_names(what: str, given: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Refuse a name that is not allowed, and list those that are."""
    known = ", ".join(allowed)
    for name in given:
        if name not in allowed:
            raise StudyError(f"no {what} is called {name!r}; there are {known}")
    if not given:
        raise StudyError(f"no {what} is given; there are {known}")


def check_sizes(sizes: tuple[int, ...]) -> None:
    """Refuse no sizes, and those below 1."""
    if not sizes or min(sizes) < 1:
        given = ", ".join(map(str, sizes)) or "none"
        raise StudyError(f"sizes are {given}; every size must be at least 1")


class Watcher(Protocol):
    """Is told how a run gets on."""

    def planned(self, n_items: int, total_cost: float, n_done: int, done_cost: float) -> None:
        """Hear how much there is to do and how much an earlier run has done."""

    def started(self, task: tuple[WorkItem[Any], ...]) -> None:
        """Hear that a task was handed to a worker."""

    def finished(self, task: tuple[WorkItem[Any], ...], done_cost: float) -> None:
        """Hear that the records of a task are stored."""


@dataclass(frozen=True)
class Survey:
    """Which datasets of a plan can be run.

    Parameters
    ----------
    shapes : mapping of str to Shape
        Those that were read.
    missing : mapping of str to str
        Those that were not, with the reason.
    """

    shapes: Mapping[str, Shape]
    missing: Mapping[str, str]


def survey(plan: Plan, *, data_dir: str | None = None) -> Survey:
    """Read every dataset once, to learn its sizes and to find those that are missing.

    Parameters
    ----------
    plan : Plan
        What is to be run.
    data_dir : str, optional
        The folder to look in first.

    Returns
    -------
    Survey

    Raises
    ------
    StudyError
        The plan cannot be run on one of the datasets.
    UnknownDatasetError
        No dataset has a name that the plan gives.
    """
    shapes: dict[str, Shape] = {}
    missing: dict[str, str] = {}
    for name in plan.datasets:
        try:
            dataset = load(name, data_dir=data_dir)
        except DatasetError as error:
            missing[name] = str(error)
        else:
            shapes[name] = plan.shape_of(dataset)
    return Survey(shapes, missing)


def run_plan(
    plan: Plan,
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
    plan : Plan
        What is to be run.
    shapes : mapping of str to Shape
        The datasets that are there, from `survey`.
    store : Store
        Where records go, each as soon as its task is done.
    watcher : Watcher
        Is told of every step.
    data_dir : str, optional
        The folder with the datasets.
    jobs, scheduler
        As in `topofs_study.running.driver.run_tasks`.
    """

    def cost(items: list[WorkItem[Any]]) -> float:
        return sum(item.cost(shapes[item.dataset]) for item in items)

    everything = plan.every_item(shapes, store)
    known = store.keys()
    done = [item for item in everything if item.key in known]
    watcher.planned(len(everything), cost(everything), len(done), cost(done))
    for items in plan.stages(shapes, store):
        known = store.keys()
        for records in run_tasks(
            tasks([item for item in items if item.key not in known]),
            data_dir=data_dir,
            jobs=jobs,
            scheduler=scheduler,
            on_start=watcher.started,
        ):
            for record in records:
                store.add(record)
            task = [record.item for record in records]
            watcher.finished(tuple(task), cost(task))


_LOSSES_IN_A_ROW = 3


def run_tasks(
    tasks: Sequence[Task],
    *,
    data_dir: str | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    on_start: Callable[[Task], None] | None = None,
) -> Iterator[list[Record[Any]]]:
    """Run tasks and give their records as they come, in any order.

    Parameters
    ----------
    tasks : sequence of tuple of WorkItem
        The work. Every task may run in a process of its own.
    data_dir : str, optional
        The folder with the datasets, as the workers see it.
    jobs : int, default=1
        Number of worker processes; 1 works in this process, -1 takes every core.
    scheduler : str, optional
        Address of a dask.distributed scheduler that runs the tasks instead.
    on_start : callable, optional
        Called with each task when it is handed to a worker.

    Yields
    ------
    list of Record
        The records of one task.

    Raises
    ------
    WorkersLostError
        Workers ended three times in a row before any task was done.
    """
    remaining = dict(enumerate(tasks))
    losses = 0
    with _backend(jobs, scheduler):
        while remaining:
            try:
                for index, records in _run_once(remaining, data_dir, scheduler, on_start):
                    del remaining[index]
                    losses = 0
                    yield records
            except _lost_worker_errors() as error:
                losses += 1
                if losses == _LOSSES_IN_A_ROW:
                    raise WorkersLostError(
                        f"worker processes ended {losses} times in a row before a task was "
                        f"done ({type(error).__name__}). Short memory is the usual reason: "
                        "run the same command with a smaller --jobs; it goes on where it "
                        "stopped"
                    ) from error


def _run_once(
    remaining: dict[int, Task],
    data_dir: str | None,
    scheduler: str | None,
    on_start: Callable[[Task], None] | None,
) -> Iterator[tuple[int, list[Record[Any]]]]:
    """Hand out what remains, one task at a time, and give back what is done."""

    def calls() -> Iterator[Any]:
        for index, task in list(remaining.items()):
            if on_start is not None:
                on_start(task)
            yield delayed(_numbered)(index, task, data_dir)

    # A cluster is kept busy with everything there is; its size is not known here.
    pre_dispatch = "n_jobs" if scheduler is None else "all"
    parallel = Parallel(
        return_as="generator_unordered", batch_size=1, pre_dispatch=pre_dispatch
    )
    results: Iterator[tuple[int, list[Record[Any]]]] = parallel(calls())
    return results


def _numbered(index: int, task: Task, data_dir: str | None) -> tuple[int, list[Record[Any]]]:
    """Run a task and say which one it was."""
    return index, run_task(task, data_dir)


@contextmanager
def _backend(jobs: int, scheduler: str | None) -> Iterator[None]:
    """Let joblib send its work to processes of its own, or to dask."""
    if scheduler is None:
        with parallel_config(
            backend="loky",
            n_jobs=jobs,
            inner_max_num_threads=1,
            initializer=_leave_interrupts_to_the_driver,
        ):
            yield
        return
    distributed = import_extra("distributed", extra="dask", purpose="--scheduler")
    try:
        client = distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise StudyError(
            f"no dask scheduler answers at {scheduler!r}; start one with 'dask scheduler' and "
            "give its address, such as tcp://127.0.0.1:8786"
        ) from error
    with client, parallel_config(backend="dask", client=client, wait_for_workers_timeout=30):
        yield


def _leave_interrupts_to_the_driver() -> None:
    """Let Ctrl-C, which reaches every process of the terminal, end only the driver.

    It ends the workers in turn; on their own they would each print a traceback.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _lost_worker_errors() -> tuple[type[BaseException], ...]:
    """List the errors that say that a worker process is gone."""
    try:
        from distributed import KilledWorker
    except ModuleNotFoundError:
        return (TerminatedWorkerError,)
    return (TerminatedWorkerError, KilledWorker)


def run_task(task: tuple[WorkItem[Any], ...], data_dir: str | None) -> list[Record[Any]]:
    """Compute the items of one task."""
    # One thread: the workers share the cores, and sums come out the same everywhere.
    with threadpool_limits(1):
        workspace = task[0].workspace(_dataset(task[0].dataset, data_dir))
        return [compute_record(item, workspace) for item in task]


def compute_record(item: WorkItem[Any], workspace: Any) -> Record[Any]:
    """Compute one item and count its fits and its time."""
    start, fits_before = time.perf_counter(), workspace.n_fits
    result = item.compute(workspace)
    return Record(item, result, workspace.n_fits - fits_before, time.perf_counter() - start)


@lru_cache(maxsize=2)
def _dataset(name: str, data_dir: str | None) -> Dataset:
    """Give a dataset, read once by each worker while it works on it."""
    return load(name, data_dir=data_dir)
