"""What `reproduce` and `benchmark` share: options, datasets, and a run that can be stopped."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column

from topofs.cli.messages import Pace, format_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.running.driver import Plan
    from topofs_study.running.work_item import WorkItem

Datasets = Annotated[
    str | None,
    typer.Option(
        metavar="A,B", help="Datasets; all that are found, or else the embedded ones."
    ),
]
DataDir = Annotated[
    Path | None, typer.Option(help="The folder with the datasets, looked in first.")
]
StoreFile = Annotated[
    Path | None, typer.Option(help="The file for the results; OUT/store.sqlite by default.")
]
Out = Annotated[Path, typer.Option(help="The folder for the tables and the report.")]
Jobs = Annotated[
    int, typer.Option(help="Worker processes; -1 takes every core.", show_default=True)
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on this dask.distributed cluster instead."),
]


def names(value: str | None) -> tuple[str, ...] | None:
    """Split ``a,b`` into its names.

    Examples
    --------
    >>> names("wine, colon,wine")
    ('wine', 'colon')
    """
    if value is None:
        return None
    return tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))


def numbers(value: str | None) -> tuple[int, ...] | None:
    """Split ``10,50`` into its numbers."""
    found = names(value)
    if found is None:
        return None
    wrong = [name for name in found if not name.isdecimal()]
    if wrong or not found:
        raise typer.BadParameter(
            f"{wrong[0] if wrong else value!r} is not a number of features; give whole numbers "
            "such as 10,50",
            param_hint="--sizes",
        )
    return tuple(int(name) for name in found)


def available_datasets(data_dir: Path | None, *, replay: bool) -> tuple[str, ...]:
    """List the paper's datasets that are on this machine, or else the embedded ones."""
    from topofs_study.datasets import registry
    from topofs_study.datasets.entries import find
    from topofs_study.errors import DatasetNotFoundError

    of_paper = [entry for entry in registry().values() if not entry.embedded]
    found = [entry.name for entry in of_paper if find(entry, data_dir=data_dir) is not None]
    notes = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
    if found:
        absent = [entry.name for entry in of_paper if entry.name not in found]
        if absent:
            notes.print(f"not here, so left out: {', '.join(absent)}")
        return tuple(found)
    advice = "give --data-dir, or fetch some with `topofs datasets fetch NAME`"
    if replay or data_dir is not None:
        where = f" in {data_dir}" if data_dir is not None else ""
        raise DatasetNotFoundError(f"none of the paper's datasets was found{where}; {advice}")
    notes.print(f"none of the paper's datasets was found ({advice}): running the embedded ones")
    return tuple(name for name, entry in registry().items() if entry.embedded)


def run_to_store(
    plan: Plan, path: Path, *, data_dir: Path | None, jobs: int, scheduler: str | None
) -> dict[str, str]:
    """Run what a store does not hold yet; an interruption leaves what is done."""
    from topofs.cli.app import exit_status
    from topofs_study.errors import DatasetError
    from topofs_study.running.driver import run_plan, survey
    from topofs_study.running.store import Store

    folder = None if data_dir is None else str(data_dir)
    found = survey(plan, data_dir=folder)
    if not found.shapes:
        raise DatasetError("; ".join(found.missing.values()))
    if path.parent.exists() and not path.parent.is_dir():
        raise NotADirectoryError(f"{path.parent}: is a file; give a folder with --out")
    path.parent.mkdir(parents=True, exist_ok=True)
    with Store(path) as store, RunProgress() as progress:
        try:
            run_plan(
                plan,
                found.shapes,
                store,
                progress,
                data_dir=folder,
                jobs=jobs,
                scheduler=scheduler,
            )
        except KeyboardInterrupt as error:
            _errors().print(
                f"stopped: {progress.n_done} of {progress.n_items} results are in "
                f"{escape(str(path))}; the same command goes on from there"
            )
            raise typer.Exit(exit_status(error)) from None
    return dict(found.missing)


def print_missing(missing: Mapping[str, str]) -> None:
    """Say which datasets could not be read."""
    for reason in missing.values():
        _errors().print(f"[red]not run:[/] {escape(reason)}")


def _errors() -> Console:
    return Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)


# A run takes hours.
_SECONDS_BETWEEN_LINES = 30


class RunProgress:
    """Watches a run and shows how it gets on; the bar moves with the cost of the work."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, emoji=False, soft_wrap=True)
        self._pace = Pace(_SECONDS_BETWEEN_LINES)
        self._bar = Progress(
            BarColumn(bar_width=30),
            *(
                TextColumn(text, table_column=Column(no_wrap=True))
                for text in (
                    "{task.percentage:>3.0f} %",
                    "{task.fields[counts]}",
                    "{task.fields[estimate]}",
                    "[dim]{task.fields[running]}",
                )
            ),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = TaskID(0)
        self._lock = threading.Lock()
        self._running: dict[str, str] = {}
        self._began = time.monotonic()
        self._cost_before = 0.0
        self.n_items = 0
        self.n_done = 0

    def planned(self, n_items: int, total_cost: float, n_done: int, done_cost: float) -> None:
        """Hear how much there is to do and how much an earlier run has done."""
        self.n_items, self.n_done, self._cost_before = n_items, n_done, done_cost
        self._began = time.monotonic()
        self._task = self._bar.add_task(
            "run", total=total_cost, counts="", estimate="", running=""
        )
        self._bar.update(self._task, completed=done_cost)
        self._show(0.0)

    def started(self, task: tuple[WorkItem[Any], ...]) -> None:
        """Hear that a task was handed to a worker."""
        with self._lock:
            self._running[task[0].key] = task[0].label
        self._show(0.0)

    def finished(self, task: tuple[WorkItem[Any], ...], done_cost: float) -> None:
        """Hear that the records of a task are stored."""
        with self._lock:
            self._running.pop(task[0].key, None)
            self.n_done += len(task)
        self._show(done_cost)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def _show(self, advance: float) -> None:
        """Redraw the line."""
        with self._lock:
            names = list(self._running.values())
        running = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")
        left = self.n_items - self.n_done
        self._bar.update(
            self._task,
            advance=advance,
            counts=f"{self.n_done} done, {left} left",
            estimate=self._estimate(advance),
            running=running,
        )
        if not self._console.is_terminal and left and self._pace.is_due():
            task = self._bar.tasks[self._task]
            estimate = task.fields["estimate"]
            more = f", {estimate} left" if estimate else ""
            self._console.print(
                f"{task.percentage:.0f} % of the work: {task.fields['counts']}{more}; running "
                f"{running or 'nothing'}",
                markup=False,
                highlight=False,
            )

    def _estimate(self, advance: float) -> str:
        """Estimate the time left, if the rest goes as fast as what this run has done."""
        task = self._bar.tasks[self._task]
        done_here = task.completed + advance - self._cost_before
        if done_here <= 0 or task.total is None:
            return ""
        left = task.total - task.completed - advance
        seconds = (time.monotonic() - self._began) * left / done_here
        return format_duration(seconds)
