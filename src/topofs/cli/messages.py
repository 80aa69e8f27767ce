"""What a person sees: results on the standard output, everything else on the error stream."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from topofs.tables import LeftOutColumn

__all__ = ["Messages", "Pace", "in_words", "print_json", "shown"]

_SHOWN_COLUMNS = 6

SECONDS_BETWEEN_LINES = 10
"""How often a line is printed where there is no terminal to draw a bar on."""


def shown(name: str) -> str:
    """Make a name safe to print: no markup, no control characters."""
    # rich is imported for what is printed: help and completion need none of it.
    from rich.markup import escape

    return escape("".join(c if c.isprintable() else "\ufffd" for c in name))


def print_json(content: Any) -> None:
    """Print a JSON document on the standard output."""
    import json

    print(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


class Messages:
    """Notes and progress on the error stream, or nothing at all."""

    def __init__(self, *, quiet: bool = False) -> None:
        from rich.console import Console

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
            + (f" and {more} more (topofs select --json lists all)" if more else "")
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
        """Show a bar while the block runs; where there is no terminal, a line now and then."""
        if not self.on_a_terminal:
            yield self._lines(text, unit)
            return
        # Here, so that the help does not wait for it.
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[done]}"),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
        )
        with bar:
            # How many there are is known with the first of them.
            task = bar.add_task(text, total=None, done="")
            yield lambda done, total: bar.update(
                task, completed=done, total=total, done=f"{done:,} of {total:,} {unit}"
            )

    def _lines(self, text: str, unit: str) -> Callable[[int, int], None]:
        """Print what is done, of how much, and how long the rest may take."""
        pace = Pace(SECONDS_BETWEEN_LINES)

        def report(done: int, total: int) -> None:
            if not done:
                pace.begin()
            elif done < total and pace.is_due():
                left = pace.time_left(done / total)
                self.console.print(f"{shown(text)}: {done:,} of {total:,} {unit}{left}")

        return report


class Pace:
    """Tells when the next line of a log is due, and how long work may still take."""

    def __init__(self, seconds_between: float) -> None:
        self._between = seconds_between
        self._began = self._last = time.monotonic()

    def begin(self) -> None:
        """Take the time that is left from here on; lines stay as far apart."""
        self._began = time.monotonic()

    def is_due(self) -> bool:
        """Whether the last line is long enough ago; if so the next one starts to wait."""
        now = time.monotonic()
        due = now - self._last >= self._between
        self._last = now if due else self._last
        return due

    def time_left(self, share: float) -> str:
        """Say how long the rest may take, when a share of the work is done."""
        if not share:
            return ""
        return f", {in_words((time.monotonic() - self._began) * (1 - share) / share)} left"


def in_words(seconds: float) -> str:
    """Say how long something takes, as precisely as it is worth, such as "about 2 h 13 min"."""
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours:
        return f"about {hours} h {minutes} min"
    return f"about {minutes} min" if minutes else "less than a minute"
