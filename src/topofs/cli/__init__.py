"""The command ``topofs``: one module per command, which parses, calls and prints."""

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

# Larger exit statuses are those of signals.
_SIGNALS = 128


def main() -> None:
    """Run ``topofs`` with the arguments of the process, and end it with an exit status.

    0: success, 2: wrong usage, 3: wrong data, 1: unexpected error, 130: interrupted, or 128
    plus the number of another signal.
    """
    try:
        _run()
    except KeyboardInterrupt:
        # An interrupt during the import of the application, which reports later ones.
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except SystemExit as end:
        if isinstance(end.code, int) and end.code > _SIGNALS:
            from topofs.cli.signals import end_at_once

            # Threads may be compiling, or may hang if they were just being started.
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
        del os.environ["COLUMNS"]  # 0 means unknown
    from topofs.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A terminal shows a question mark for characters that it cannot show.
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
    """Print a warning for users in one line; a warning for programmers keeps its code position."""
    if issubclass(category, UserWarning):
        return f"note: {message}\n"
    return _format_warning(message, category, filename, lineno, line)


def _open_closed_streams() -> None:
    """Redirect a stream that was closed before the start (``>&-``) to the null device.

    Otherwise the next opened file would get its descriptor.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            null = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
            setattr(sys, name, null)
