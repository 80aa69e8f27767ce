"""The command ``topofs``: one module a command; parse, call, print."""

from __future__ import annotations

import sys

from topofs.errors import MissingExtraError, import_extra

__all__ = ["main"]


def main() -> None:
    """Run ``topofs`` with the arguments of the process, and end it with an exit status.

    The status is 0 when all went well, 2 for wrong usage, 3 for wrong data, 130 after an
    interruption and 1 for what should not happen.

    Examples
    --------
    >>> import sys
    >>> from unittest.mock import patch
    >>> with patch.object(sys, "argv", ["topofs", "--version"]):
    ...     main()
    Traceback (most recent call last):
    SystemExit: 0
    """
    try:
        import_extra("typer", extra="cli", purpose="The command topofs")
    except MissingExtraError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    from topofs.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark in its place.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")

    app(prog_name="topofs")
