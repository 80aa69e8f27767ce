"""Output of commands: results, notes, progress and files.

Results go to the standard output, as lines or as JSON; notes and progress to the error stream;
files are written all together or not at all. Only this module translates errors of the library
from Python parameters to command-line options.
"""

from __future__ import annotations

import glob
import json
import os
import re
import stat
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.errors import TableError
from topofs.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.table import Table as Printed

    from topofs.io import LeftOutColumn

SECONDS_BETWEEN_LINES = 10
"""Seconds between progress lines without a terminal."""

_SHOWN_COLUMNS = 6

# rich is imported where something is printed, because completion does not need it.


def shown(name: str) -> str:
    """Escape a name for output with markup."""
    from rich.markup import escape

    return escape(printable(name))


RIGHT: dict[str, Any] = {"justify": "right"}
FOLD: dict[str, Any] = {"overflow": "fold"}


def new_table(
    columns: Mapping[str, dict[str, Any]],
    rows: Iterable[Sequence[str]] = (),
    *,
    show_header: bool = True,
) -> Printed:
    """Give a table for output: titles with their layout, and rows."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=show_header)
    for title, layout in columns.items():
        table.add_column(shown(title), **layout)
    for row in rows:
        table.add_row(*map(Text, map(printable, row)))
    return table


def _standard_output() -> Console:
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Let the application handle it; rich would exit with 1."""
            raise BrokenPipeError

    return Output(highlight=False, emoji=False)


class Messages:
    """The result of a command, its notes and its progress."""

    def __init__(
        self, *, quiet: bool = False, as_json: bool = False, notes: bool = True
    ) -> None:
        from rich.console import Console

        self._quiet, self._as_json = quiet, as_json
        self.console: Console = Console(
            stderr=True, soft_wrap=True, highlight=False, emoji=False, quiet=quiet or not notes
        )

    def result(
        self,
        content: Callable[[], dict[str, Any]],
        lines: Iterable[str | Printed],
        files: Mapping[str, str] | None = None,
    ) -> None:
        """Print the result as JSON or as lines, and name the written files.

        Lines are printed without wrapping or markup; a table may have markup.
        """
        if self._as_json:
            # An output that cannot hold every name, such as a pipe on Windows, gets escapes.
            is_utf8 = str(sys.stdout.encoding).lower().replace("-", "") == "utf8"
            text = json.dumps(content(), indent=2, ensure_ascii=not is_utf8, allow_nan=False)
            print(text)
        elif not self._quiet:
            output = _standard_output()
            for line in lines:
                if isinstance(line, str):
                    output.print(printable(line), markup=False, soft_wrap=True)
                else:
                    output.print(line)
        for path in (files or {}).values():
            self.console.print(f"[dim]written:[/] {shown(path)}")

    def note(self, text: str) -> None:
        """Print a note for the user."""
        self.console.print(f"[dim]note:[/] {shown(text)}")

    def left_out(self, columns: Sequence[LeftOutColumn]) -> None:
        """Name the columns that take no part because of their values."""
        found = [column for column in columns if not column.asked_for]
        if not found:
            return
        named = [f"{c.name} ({c.reason})" for c in found[:_SHOWN_COLUMNS]]
        more = len(found) - len(named)
        self.note(
            f"{len(found)} column{'s' * (len(found) > 1)} left out: {', '.join(named)}"
            + (f" and {more} more (topofs select --json lists all)" if more else "")
        )

    @property
    def _on_a_terminal(self) -> bool:
        return self.console.is_terminal and not self.console.quiet

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show the current work during the block; on a terminal only."""
        if not self._on_a_terminal:
            yield
            return
        with self.console.status(f"[dim]{shown(text)} …[/]"):
            yield

    @contextmanager
    def counting(self, text: str, unit: str) -> Iterator[Callable[[int, int], None]]:
        """Show a progress bar during the block; without a terminal, print lines."""
        if not self._on_a_terminal:
            yield self._lines(text, unit)
            return
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
            # The first report gives the total.
            task = bar.add_task(text, total=None, done="")
            yield lambda done, total: bar.update(
                task, completed=done, total=total, done=f"{done:,} of {total:,} {unit}"
            )

    def _lines(self, text: str, unit: str) -> Callable[[int, int], None]:
        """Print the work done, the total, and the estimated rest of the time."""
        pace = Pace(SECONDS_BETWEEN_LINES)

        def report(done: int, total: int) -> None:
            if not done:
                pace.begin()
            elif done < total and pace.is_due():
                left = pace.time_left(done / total)
                self.console.print(f"{shown(text)}: {done:,} of {total:,} {unit}{left}")

        return report


# An earlier estimate of the remaining time mostly measures the start.
_LEAST_SHARE = 0.01


class Pace:
    """Times the lines of a log, and estimates the remaining time."""

    def __init__(self, seconds_between: float) -> None:
        self._between = seconds_between
        self._began = self._last = time.monotonic()

    def begin(self) -> None:
        """Estimate the remaining time from now on; the interval of lines stays."""
        self._began = time.monotonic()

    def is_due(self) -> bool:
        """Whether a line is due; if so, the next interval starts."""
        now = time.monotonic()
        due = now - self._last >= self._between
        self._last = now if due else self._last
        return due

    def time_left(self, share: float) -> str:
        """Estimate the remaining time after a share of the work; nothing in the first hundredth."""
        if share < _LEAST_SHARE:
            return ""
        return (
            f", {format_duration((time.monotonic() - self._began) * (1 - share) / share)} left"
        )


def format_duration(seconds: float) -> str:
    """Write a duration with suitable precision, such as "about 2 h 13 min"."""
    hours, minutes = divmod(round(seconds / 60), 60)
    if hours:
        return f"about {hours} h {minutes} min"
    return f"about {minutes} min" if minutes else "less than a minute"


# Translation of the library's messages for the command line.


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
    (r"^AtLeast takes (.*); got (\S+)$", r"--at-least \2: give \1"),
    (r"^(?:at_most|at_least)( has|:)", r"--groups\1"),
    (r"\b(at_most|at_least|max_similarity)\b(?! is )", lambda m: f"--{m[0].replace('_', '-')}"),
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
"""Patterns of the library's messages, each with its replacement."""


def translated(sentence: str, *, size: str = "-k") -> str:
    """Translate a message of the library; `size` is the option of the size."""
    for pattern, said in _SENTENCES:
        words = said.replace("{size}", size) if isinstance(said, str) else said
        sentence = re.sub(pattern, words, sentence)
    return re.sub(r"^--\w+", lambda option: option[0].replace("_", "-"), sentence)


@contextmanager
def error_translation(*, size: str = "-k") -> Iterator[None]:
    """Translate what is refused while the block runs."""
    try:
        yield
    except ValueError as error:
        # Errors of a table name the table.
        if type(error) is not ValueError:
            raise
        raise ValueError(translated(str(error), size=size)) from error


# Files are checked before the work and written together after it. `topofs.io` imports numpy, so
# it is imported only for writing.


def check_outputs(
    source: str | Path,
    *files: tuple[Path | None, Callable[[Path], Any] | None],
    what: str = "the table",
) -> None:
    """Refuse files that cannot be written, before any work.

    `source` is the input. Each file comes with the check of its ending.
    """
    from topofs.io.write import followed

    wanted = [(path, check) for path, check in files if path is not None]
    seen: dict[str, Path] = {}
    for path, _ in wanted:
        place = followed(path)
        # Windows and macOS do not tell names apart that differ in case only.
        other = seen.get(str(place).casefold())
        if other is not None:
            raise ValueError(
                f"{path} is given for two different files; give each a name of its own"
                + (f", not that of {other.name} in another case" if other != place else "")
            )
        seen[str(place).casefold()] = place
        if path.is_dir():
            raise IsADirectoryError(f"{path}: is a folder; give the name of a file to write")
        if not path.parent.is_dir():
            raise FileNotFoundError(
                f"{path}: the folder {path.parent} does not exist; make it first"
            )
        if _is_source(path, str(source)):
            raise ValueError(
                f"{path}: is {what} that is read, and would be overwritten; give another "
                "name for the output"
            )
        if _is_among_files(path, str(source)):
            raise ValueError(
                f"{path}: lies among the files of {what} that is read; give a place outside"
            )
    for path, check in wanted:
        if check is not None:
            check(path)


def write_together(**files: tuple[Path | None, Callable[[Path], None]]) -> dict[str, str]:
    """Write the requested files, and give their names by option.

    All of them are written, or none, and then the old files stay.
    """
    from topofs.io.write import replacing_together

    writers = {path: write for path, write in files.values() if path is not None}
    with _naming(None), replacing_together(writers) as unfinished:
        for (path, write), temporary in zip(writers.items(), unfinished, strict=True):
            with _naming(path):
                write(temporary)
    return {name: str(path) for name, (path, _) in files.items() if path is not None}


def _is_source(path: Path, source: str) -> bool:
    """Whether both names denote the same ordinary file."""
    try:
        read = os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(source)  # noqa: PTH116
        return stat.S_ISREG(read.st_mode) and os.path.samestat(read, path.stat())
    except (OSError, ValueError):
        return False  # one of them does not exist or is not a file


def _is_among_files(path: Path, source: str) -> bool:
    """Whether a folder or a pattern that is read has, or would have, this part of a table."""
    from topofs.io.batches import FORMATS, is_many_files
    from topofs.io.write import followed

    if "://" in source or not is_many_files(source):
        return False
    if path.suffix and path.suffix.lower() not in FORMATS:
        return False
    place, read = followed(path), Path(os.path.abspath(source))  # noqa: PTH100 - keeps links
    if read.is_dir():
        return place.is_relative_to(read.resolve())
    if read.exists():
        return False
    same = any(_is_source(path, one) for one in glob.glob(source, recursive=True))  # noqa: PTH207
    return same or place.match(str(read))


@contextmanager
def _naming(path: Path | None) -> Iterator[None]:
    """Name the file that could not be written, instead of the temporary file."""
    from topofs.io.write import NotPutBackError

    try:
        yield
    except (BrokenPipeError, NotPutBackError, _NamedError):
        raise
    except OSError as error:
        name = path or error.filename
        reason = error.strerror or str(error)
        raise _NamedError(
            f"{name}: cannot be written ({reason}); nothing was changed"
        ) from error
    except TableError as error:
        if path is None:
            raise
        raise TableError(f"{path}: {error}") from error


class _NamedError(OSError):
    """An error that already names the file."""
