"""The command ``topofs``: one module a command; parse, call, print."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from pathlib import Path

from topofs.errors import MissingExtraError, import_extra

__all__ = ["main"]

_NARROWEST = 20

_format_warning = warnings.formatwarning

# Exit statuses above it are those of signals.
_SIGNALS = 128


def main() -> None:
    """Run ``topofs`` with the arguments of the process, and end it with an exit status.

    0: all went well, 2: wrong usage, 3: wrong data, 1: should not happen; 130: interrupted, or
    128 and the number of another signal.
    """
    try:
        _run()
    except KeyboardInterrupt:
        # The application says this itself; it is still being imported.
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except SystemExit as end:
        if isinstance(end.code, int) and end.code > _SIGNALS:
            from topofs.cli.signals import end_at_once

            # Threads may be compiling, or wait for ever where they were being started.
            with suppress(OSError):
                sys.stdout.flush()
            end_at_once(end.code)
        raise


def _run() -> None:
    try:
        import_extra("typer", extra="cli", purpose="The command topofs")
    except MissingExtraError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    _open_closed_streams()
    warnings.formatwarning = _as_note
    if os.environ.get("COLUMNS", "").isdigit() and int(os.environ["COLUMNS"]) < _NARROWEST:
        del os.environ["COLUMNS"]  # 0 means that nobody knows
    from topofs.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark in its place.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")

    app(prog_name="topofs")


def _as_note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Give a warning for users a line; one for programmers keeps its place in the code."""
    if issubclass(category, UserWarning):
        return f"note: {message}\n"
    return _format_warning(message, category, filename, lineno, line)


def _open_closed_streams() -> None:
    """Send what is printed nowhere where a stream was closed before the start (``>&-``).

    Otherwise the next file that is opened would take its place.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - to the end
