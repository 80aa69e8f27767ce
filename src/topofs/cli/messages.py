"""What a person sees: results on the standard output, everything else on the error stream."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from topofs.tables import LeftOutColumn

__all__ = ["Messages", "Output", "print_json", "shown"]

_SHOWN_COLUMNS = 6


def shown(name: str) -> str:
    r"""Make a name safe to print: no markup, no control characters.

    Examples
    --------
    >>> shown("a[bold]\x1b[31m")
    'a\\[bold]�[31m'
    """
    return escape("".join(c if c.isprintable() else "\ufffd" for c in name))


class Output(Console):
    """The standard output: lines stay whole, and a closed pipe ends the command in peace."""

    def __init__(self) -> None:
        super().__init__(highlight=False, emoji=False)

    def say(self, text: str) -> None:
        """Print a line that is not wrapped."""
        self.print(text, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Leave the decision to the application; rich would end the process with 1."""
        raise BrokenPipeError


def print_json(content: Any) -> None:
    """Print a JSON document on the standard output."""
    print(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


class Messages:
    """Notes and progress on the error stream.

    Parameters
    ----------
    quiet : bool
        Say nothing.

    Attributes
    ----------
    console : rich.console.Console
        The error stream.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(
            stderr=True, soft_wrap=True, highlight=False, emoji=False, quiet=quiet
        )

    @property
    def on_a_terminal(self) -> bool:
        """Whether there is someone to show progress to."""
        return self.console.is_terminal and not self.console.quiet

    def note(self, text: str) -> None:
        """Say something that the user may want to know."""
        self.console.print(f"[dim]note:[/] {text}")

    def notes(self, texts: Iterable[str]) -> None:
        """Say several things."""
        for text in texts:
            self.note(shown(text))

    def left_out(self, columns: Sequence[LeftOutColumn]) -> None:
        """Name the columns that take no part because of what they hold."""
        found = [column for column in columns if not column.asked_for]
        if not found:
            return
        named = [f"{shown(c.name)} ({shown(c.reason)})" for c in found[:_SHOWN_COLUMNS]]
        more = len(found) - len(named)
        self.note(
            f"{len(found)} column{'s' * (len(found) > 1)} left out: {', '.join(named)}"
            + (f" and {more} more" if more else "")
        )

    def written(self, paths: Iterable[Path]) -> None:
        """Name the files that were written."""
        for path in paths:
            self.console.print(f"[dim]written:[/] {shown(str(path))}")

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show what goes on while the block runs; on a terminal only."""
        if not self.on_a_terminal:
            yield
            return
        with self.console.status(f"[dim]{shown(text)} …[/]"):
            yield

    @contextmanager
    def counting(self, text: str, unit: str) -> Iterator[Callable[[int, int], None]]:
        """Show a bar while the block runs; on a terminal only."""
        # Here, so that the help does not wait for it.
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn(f"{{task.completed}} of {{task.total}} {unit}"),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
            disable=not self.on_a_terminal,
        )
        with bar:
            task = bar.add_task(text, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
