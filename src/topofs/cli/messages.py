"""What a person sees: results on the standard output, everything else on the error stream.

What the library refuses, in the words of the command line: the one place that translates.

The standard output of a command, which is for results.
"""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from topofs.io import LeftOutColumn


__all__ = [
    "Messages",
    "Output",
    "Pace",
    "in_options",
    "in_words",
    "print_json",
    "shown",
    "spoken",
]


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


_SIZE = "n_features_to_select"


_TERMS = "similarity|graph|rule"


_SENTENCES = (
    # How many columns.
    (rf"^{_SIZE} is 'auto', which needs", "{size} auto needs"),
    (
        rf"^{_SIZE} is (\S+), but X has (\d+) features: give .*",
        r"{size} \1: there are \2 columns to select from; give at most \2",
    ),
    (rf"^{_SIZE} is UntilCoverage\(.*?\), which", "--coverage"),
    (rf"^{_SIZE} is MinShare\(.*?\), which", "--min-share"),
    (rf"^{_SIZE} is Budget\(.*\), which", "--budget"),
    (r"^MinShare (keeps|ranks)", r"--min-share \1"),
    (r"leave graph out", "leave --graph out"),
    (r"^the total of a budget is (.*); got (\S+)$", r"--budget \2: give \1"),
    (r"^a coverage of (\S+) cannot", r"--coverage \1 cannot"),
    (r"the budget of (\S+?)(:?) ", r"--budget \1\2 "),
    (r"raise the budget", "raise --budget"),
    (r"^cost( has|:)", r"--cost\1"),
    (r"^(the column .* (?:has no cost|costs \S+); )", r"--cost: \1"),
    # Constraints.
    (r"^AtMost takes (.*); got (\S+)$", r"--at-most \2: give \1"),
    (r"^at_most( has|:)", r"--groups\1"),
    (r"\b(at_most|max_similarity)\b(?! is )", lambda m: f"--{m[0].replace('_', '-')}"),
    (r"^(keep|exclude) names", r"--\1 names"),
    (r"(give a count, a fraction), or None for half$", r"\1, or nothing for half"),
    (r"min_carriers=(\d+)", r"--min-carriers \1"),
    (r"^min_carriers is '?([^';,]*)'?([;,]) ", r"--min-carriers \1\2 "),
    (_SIZE, "{size}"),
    # Terms and their parameters.
    (r"similarity__rows='ordered' allows", "--time COLUMN or --rows ordered allows"),
    (rf"\b({_TERMS}|threshold|device)='(\w+)'", r"--\1 \2"),
    (r"^device is '([^']*)'(,|;)", r"--device \1\2"),
    (rf"\b({_TERMS}) '(\w+)'", r"--\1 \2"),
    (r"allow more memory", "allow more --memory"),
    (r"^(\w+) is '?([^';]*)'?; ", r"--\1 \2: "),
)


"""Patterns of the library's sentences, each with what the command line says instead."""


def spoken(sentence: str, *, size: str = "-k") -> str:
    """Translate a sentence of the library, in which a size is called by its option."""
    for pattern, said in _SENTENCES:
        words = said.replace("{size}", size) if isinstance(said, str) else said
        sentence = re.sub(pattern, words, sentence)
    return re.sub(r"^--\w+", lambda option: option[0].replace("_", "-"), sentence)


@contextmanager
def in_options(*, size: str = "-k") -> Iterator[None]:
    """Translate what is refused while the block runs."""
    try:
        yield
    except ValueError as error:
        # What is wrong with a table is said about the table.
        if type(error) is not ValueError:
            raise
        raise ValueError(spoken(str(error), size=size)) from error


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
