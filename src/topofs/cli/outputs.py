"""The files of a command: checked before the work, written together after it."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from topofs.errors import TableError
from topofs.io.atomic_write import NotPutBackError, followed, replacing_together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = ["check_outputs", "write_together"]


def check_outputs(
    paths: Iterable[Path | None],
    *,
    source: str,
    what: str = "the table",
    report: Path | None = None,
) -> None:
    """Refuse files that cannot be written, before any work is done; a report must be a page.

    `source` is what is read.
    """
    from topofs.report.document import check_page_ending

    seen: set[Path] = set()
    for path in (*paths, report):
        if path is None:
            continue
        place = followed(path)
        if place in seen:
            raise ValueError(
                f"{path} is given for two different files; give each a name of its own"
            )
        seen.add(place)
        if path.is_dir():
            raise IsADirectoryError(f"{path}: is a folder; give the name of a file to write")
        if not path.parent.is_dir():
            raise FileNotFoundError(
                f"{path}: the folder {path.parent} does not exist; make it first"
            )
        if _is_source(path, source):
            raise ValueError(
                f"{path}: is {what} that is read, and would be overwritten; give another "
                "name for the output"
            )
    if report is not None:
        check_page_ending(report)


def write_together(*files: tuple[Path | None, Callable[[Path], None]]) -> list[Path]:
    """Write the files that are wanted, and give their names.

    All of them appear, or none does and the old ones stay.
    """
    writers = {path: write for path, write in files if path is not None}
    with _naming(None), replacing_together(writers) as unfinished:
        for (path, write), temporary in zip(writers.items(), unfinished, strict=True):
            with _naming(path):
                write(temporary)
    return list(writers)


def _is_source(path: Path, source: str) -> bool:
    """Whether both are one ordinary file, through links or another spelling of the name."""
    try:
        read = os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(source)  # noqa: PTH116
        return stat.S_ISREG(read.st_mode) and os.path.samestat(read, path.stat())
    except (OSError, ValueError):
        return False  # one of them is not there, or no file


@contextmanager
def _naming(path: Path | None) -> Iterator[None]:
    """Say which file could not be written, in place of a temporary name."""
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
