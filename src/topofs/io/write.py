"""Write tables; write any file completely or not at all.

`write_columns` and `write_records` write CSV, TSV or Parquet, by the ending of the name.
`replacing` replaces an old file by a new one in one step; `replacing_together` replaces several
files or none. This module records temporary files, so that a process that ends at once can
remove them.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from topofs.errors import TableError
from topofs.text import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import polars as pl

    from topofs.io.table import Table

ENDINGS = (".csv", ".tsv", ".parquet")
"""The endings of the formats that can be written."""

_SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")


def check_ending(path: str | os.PathLike[str]) -> str:
    """Tell the format that a file is to be written in."""
    ending = Path(path).suffix.lower()
    if ending in ENDINGS:
        return ending
    raise ValueError(
        f"{path}: cannot write {ending or 'a file without an ending'}; end the name in "
        f"{joined(ENDINGS, 'or')}"
    )


def write_columns(
    table: Table, columns: Sequence[str], path: Path, *, in_given_order: bool = False
) -> None:
    r"""Write some columns of a table, in the order of its columns and rows.

    From one text file to another the text is copied unchanged; otherwise values and types are.
    The rows are streamed.

    Parameters
    ----------
    table : Table
        An open table.
    columns : sequence of str
        The columns, in any order.
    path : pathlib.Path
        The file to write; it must not be the one the table is read from.
    in_given_order : bool, default=False
        Whether to write the columns in the given order.

    Raises
    ------
    OSError
        The file cannot be written.
    TableError
        The format cannot hold the columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topofs.io import open_table
    >>> with TemporaryDirectory() as folder:
    ...     path, smaller = Path(folder) / "trees.csv", Path(folder) / "smaller.tsv"
    ...     _ = path.write_text("id,height,kind\n007,1.50,oak\n008,2,elm\n")
    ...     with open_table(path) as table:
    ...         write_columns(table, ["height", "id"], smaller)
    ...     smaller.read_text()
    'id\theight\n007\t1.50\n008\t2\n'
    """
    from topofs.io.table import columns_named

    wanted = set(columns)
    chosen = columns if in_given_order else [c for c in table.columns if c in wanted]
    if table.source is not None:
        from topofs.io.batches import write_batches

        write_batches(table.source, chosen, path)
        return
    ending = check_ending(path)
    source = table.stored
    if table.as_written is not None and ending != ".parquet":
        source = table.as_written
    rows = table.select(chosen) if source is None else source.select(columns_named(chosen))
    _sink(rows, path, ending)


def write_records(
    records: Sequence[Any],
    path: Path,
    *,
    kind: type | None = None,
    only: Sequence[str] | None = None,
) -> None:
    r"""Write dataclasses of one kind as a table, one a row, a field a column.

    Parameters
    ----------
    records : sequence of dataclass
        At least one, unless `kind` is given.
    path : pathlib.Path
        The file to write.
    kind : type, optional
        The dataclass.
    only : sequence of str, optional
        The fields to write; by default all.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topofs.io import LeftOutColumn
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "left_out.csv"
    ...     write_records([LeftOutColumn("a", "text")], path)
    ...     path.read_text()
    'name,reason,asked_for\na,text,false\n'
    """
    import polars as pl

    columns = [f for f in fields(kind or records[0]) if only is None or f.name in only]
    frame = pl.DataFrame(
        {field.name: [getattr(record, field.name) for record in records] for field in columns},
        infer_schema_length=None,
    )
    if not records:
        types = {"float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean}
        frame = frame.cast({f.name: types.get(str(f.type), pl.String) for f in columns})
    _sink(frame.lazy(), path, check_ending(path))


def _sink(rows: pl.LazyFrame, path: Path, ending: str) -> None:
    from polars.exceptions import PanicException, PolarsError

    try:
        if ending == ".parquet":
            rows.sink_parquet(path)
        else:
            rows.sink_csv(path, separator="\t" if ending == ".tsv" else ",")
    except (PolarsError, PanicException, OSError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        number = _SYSTEM_ERROR.search(reason)
        if number is not None:
            # polars puts the number of the system's error into a sentence.
            code = int(number[1])
            raise OSError(code, os.strerror(code), str(path)) from error
        if isinstance(error, OSError):
            raise
        raise TableError(f"the table cannot be written as {ending} ({reason})") from error


# Files written completely or not at all

# A name may have at most 255 bytes, and the temporary one is longer.
_SHOWN_STEM = 40

_SECONDS_TO_MOVE = 5

_temporary: set[Path] = set()
"""The current temporary files and folders."""

_moving = threading.Lock()
"""Held while files are moved to their places or put back."""


class NotPutBackError(OSError):
    """A replaced file could not be restored; the message gives the path of the old file."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a new folder that is removed with its contents at the end of the block."""
    folder = Path(tempfile.gettempdir(), f"topofs-{token_hex(8)}")
    with _known(folder):
        folder.mkdir(mode=0o700)
        yield folder


def remove_temporary() -> None:
    """Remove the temporary files and folders of all blocks, just before the process ends.

    Moves in progress finish first; no further file is moved.
    """
    _moving.acquire(timeout=_SECONDS_TO_MOVE)  # and never released
    for path in list(_temporary):
        _remove(path)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`, with its ending, that replaces it at the end.

    If the block raises, the temporary file is removed and an existing file at `path` is not
    changed. The move is one `os.replace`, so a reader sees the old file or the new one, never a
    part. A path without an ending that is not there yet is a folder. A link is followed; a
    device or a pipe, such as ``/dev/stdout``, cannot be replaced, so its own path is given.
    """
    with replacing_together([path]) as (unfinished,):
        yield unfinished


@contextmanager
def replacing_together(paths: Iterable[str | os.PathLike[str]]) -> Iterator[list[Path]]:
    """Do what `replacing` does for several different files: all of them are replaced, or none.

    Files are moved only after the block has succeeded. If a file cannot be moved, the old files
    are restored and OSError names the file. NotPutBackError: an old file could not be restored.
    """
    with ExitStack() as stack:
        moves = [stack.enter_context(_prepared(path)) for path in paths]
        yield [move.unfinished for move in moves]
        files = [move for move in moves if move.unfinished != move.target]
        for move in files:
            # Without an old file it keeps its initial permissions.
            if move.target.exists():
                with _naming(move.path):
                    move.unfinished.chmod(move.target.stat().st_mode & 0o777)
        # No fsync: it guards against a power cut only, and the command can be run again.
        _move_all(files)


@dataclass(frozen=True)
class _Move:
    """A file to be moved: the given path, and the target of its links."""

    path: str | os.PathLike[str]
    unfinished: Path
    target: Path


@contextmanager
def _prepared(path: str | os.PathLike[str]) -> Iterator[_Move]:
    """Make the temporary file; it is gone at the end of the block, moved or removed."""
    target = followed(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file to write")
    is_folder = not target.suffix and not target.exists()
    if target.exists() and not target.is_file():
        yield _Move(path, target, target)
        return
    name = f".{target.stem[:_SHOWN_STEM]}-{token_hex(8)}{target.suffix}"
    unfinished = target.with_name(name)
    with _known(unfinished):
        with _naming(path):
            # A file that replaces a private one is private from the start; the system applies
            # the umask to 0o666.
            mode = 0o600 if target.exists() else 0o666
            if is_folder:
                unfinished.mkdir()
            else:
                os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode))
        yield _Move(path, unfinished, target)


@contextmanager
def _known(path: Path) -> Iterator[None]:
    """Remove a path at the end of the block; it is recorded for `remove_temporary` first."""
    _temporary.add(path)
    try:
        yield
    finally:
        _remove(path)
        _temporary.discard(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        _unlink(path)


def _unlink(path: Path) -> None:
    """Remove a file if possible; Windows does not remove a read-only file."""
    with suppress(OSError):
        try:
            path.unlink()
        except PermissionError:
            path.chmod(0o600)
            path.unlink()


def followed(path: str | os.PathLike[str]) -> Path:
    """Follow the links of a path to its target; OSError if they form a circle."""
    try:
        target = Path(path).resolve()
    except RuntimeError:  # before Python 3.13
        target = Path(path)
    if target.is_symlink():
        raise OSError(f"{path}: is a link that leads back to itself; give another name")
    return target


def _move_all(moves: list[_Move]) -> None:
    """Move the files one after the other; if one fails, undo the earlier moves."""
    old_files = []
    with _moving, ExitStack() as undo:
        for number, move in enumerate(moves):
            with _naming(move.path):
                # The last move never has to be undone.
                if number < len(moves) - 1:
                    old_files.append(_second_name(move))
                    undo.callback(_put_back, old_files[-1], move)
                os.replace(move.unfinished, move.target)  # noqa: PTH105 - it is atomic
        undo.pop_all()
        for old in old_files:
            _forget(old)


def _second_name(move: _Move) -> Path | None:
    """Give the old file a second name, beside the first; None without an old file."""
    if not move.target.exists():
        return None
    old = move.unfinished.with_name(f"{move.unfinished.name}.old")
    try:
        old.hardlink_to(move.target)
    except OSError:
        # Not every file system has hard links.
        try:
            shutil.copy2(move.target, old)
        except BaseException:
            _forget(old)
            raise
    return old


def _put_back(old: Path | None, move: _Move) -> None:
    """Restore the old file if the new one has replaced it."""
    try:
        if move.unfinished.exists():
            _forget(old)
        elif old is None and move.target.is_dir():
            shutil.rmtree(move.target)
        elif old is None:
            move.target.unlink(missing_ok=True)
        else:
            os.replace(old, move.target)  # noqa: PTH105 - it is atomic
    except OSError as error:
        where = f"the old one is {old}" if old else "there was none before"
        raise NotPutBackError(
            f"{move.path}: was replaced and cannot be put back ({error.strerror}); {where}"
        ) from error


def _forget(old: Path | None) -> None:
    """Remove the second name of an old file."""
    if old is not None:
        _unlink(old)


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the target in an error instead of the temporary file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
