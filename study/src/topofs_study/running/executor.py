"""Run tasks side by side, on this machine or on a cluster, and outlive lost workers."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from topofs.errors import import_extra
from topofs_study.errors import StudyError, WorkersLostError
from topofs_study.running.task import run_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from topofs_study.running.work_item import Record, WorkItem

    Task = tuple[WorkItem[Any], ...]

__all__ = ["run_tasks"]

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
