"""A progress bar for a run: what is running, done and left, and how long it may take."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column

from topofs.cli.messages import Pace, format_duration

if TYPE_CHECKING:
    from types import TracebackType

    from topofs_study.running.work_item import WorkItem

__all__ = ["RunProgress"]

# A run takes hours.
_SECONDS_BETWEEN_LINES = 30


class RunProgress:
    """Watches a run and shows how it gets on; the bar moves with the cost of the work.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to draw; the error stream by default. Where that is no terminal, a line is
        printed now and then.
    """

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
        """Hear how much there is to do and how much an earlier run has done.

        Parameters
        ----------
        n_items, n_done : int
            Work items of the plan, and those with a record.
        total_cost, done_cost : float
            Their cost.
        """
        self.n_items, self.n_done, self._cost_before = n_items, n_done, done_cost
        self._began = time.monotonic()
        self._task = self._bar.add_task(
            "run", total=total_cost, counts="", estimate="", running=""
        )
        self._bar.update(self._task, completed=done_cost)
        self._show(0.0)

    def started(self, task: tuple[WorkItem[Any], ...]) -> None:
        """Hear that a task was handed to a worker.

        Parameters
        ----------
        task : tuple of WorkItem
            The task.
        """
        with self._lock:
            self._running[task[0].key] = task[0].label
        self._show(0.0)

    def finished(self, task: tuple[WorkItem[Any], ...], done_cost: float) -> None:
        """Hear that the records of a task are stored.

        Parameters
        ----------
        task : tuple of WorkItem
            The task.
        done_cost : float
            Its cost.
        """
        with self._lock:
            self._running.pop(task[0].key, None)
            self.n_done += len(task)
        self._show(done_cost)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
