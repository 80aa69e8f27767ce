"""Write tables, and any file whole or not at all.

`write_columns` and `write_records` write CSV, TSV or Parquet, by the ending of the name.
`replacing` lets a new file take the place of an old one in one step, and `replacing_together`
several or none. What is temporary until then is known here, so that a process which ends at once
can remove it.
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

    From one text file to another the very text goes over; otherwise values and types do. The
    rows are streamed.

    Parameters
    ----------
    table : Table
        An open table.
    columns : sequence of str
        The columns, in any order.
    path : pathlib.Path
        The file to write; it must not be the one the table is read from.
    in_given_order : bool, default=False
        Whether the columns come in the order in which they are given.

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

    ending = check_ending(path)
    wanted = set(columns)
    chosen = columns if in_given_order else [c for c in table.columns if c in wanted]
    source = table.stored
    if table.as_written is not None and ending != ".parquet":
        source = table.as_written
    rows = table.select(chosen) if source is None else source.select(columns_named(chosen))
    _sink(rows, path, ending)


def write_records(records: Sequence[Any], path: Path, *, kind: type | None = None) -> None:
    r"""Write dataclasses of one kind as a table, one a row, a field a column.

    Parameters
    ----------
    records : sequence of dataclass
        At least one, unless `kind` says what they would be.
    path : pathlib.Path
        The file to write.
    kind : type, optional
        The dataclass.

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

    columns = fields(kind or records[0])
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
            # polars has put the number of the system's error into a sentence.
            code = int(number[1])
            raise OSError(code, os.strerror(code), str(path)) from error
        if isinstance(error, OSError):
            raise
        raise TableError(f"the table cannot be written as {ending} ({reason})") from error


# Files that appear whole or not at all

# A name may have 255 bytes at most, and the temporary one is longer.
_SHOWN_STEM = 40

_SECONDS_TO_MOVE = 5

_temporary: set[Path] = set()
"""The temporary files and folders that there are now."""

_moving = threading.Lock()
"""Held while files are moved to their places or put back."""


class NotPutBackError(OSError):
    """A file stays replaced although others could not be; the message says where the old one is."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a new folder that is removed at the end of the block, with all that is in it."""
    folder = Path(tempfile.gettempdir(), f"topofs-{token_hex(8)}")
    with _known(folder):
        folder.mkdir(mode=0o700)
        yield folder


def remove_temporary() -> None:
    """Remove the temporary files and folders of all blocks: the process ends at once after it.

    Files that are on their way to their places, or back, arrive first; none is moved any more.
    """
    _moving.acquire(timeout=_SECONDS_TO_MOVE)  # and never released
    for path in list(_temporary):
        _remove(path)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`, with its ending, that takes its place at the end.

    When the block raises, the temporary file is removed and a file that stood at `path`
    before stays as it was. The move is one `os.replace`, so a reader sees the old file or
    the new one, never a part. A link is followed; a device or a pipe, such as
    ``/dev/stdout``, cannot be replaced and is given itself.
    """
    with replacing_together([path]) as (unfinished,):
        yield unfinished


@contextmanager
def replacing_together(paths: Iterable[str | os.PathLike[str]]) -> Iterator[list[Path]]:
    """Do as `replacing` does for several files, all different: all of them appear, or none does.

    No file is moved to its place before the block has ended well. Where one cannot be moved,
    those moved before it make way for the old files again: OSError names it, and nothing was
    changed; NotPutBackError where one could not be put back.
    """
    with ExitStack() as stack:
        moves = [stack.enter_context(_prepared(path)) for path in paths]
        yield [move.unfinished for move in moves]
        files = [move for move in moves if move.unfinished != move.target]
        for move in files:
            # Without an old file it keeps the permissions that it was made with.
            if move.target.exists():
                with _naming(move.path):
                    move.unfinished.chmod(move.target.stat().st_mode & 0o777)
        # No fsync: it guards against a power cut only, and the command can be run again.
        _move_all(files)


@dataclass(frozen=True)
class _Move:
    """A file to be moved to its place: the path as it was given, and where it leads."""

    path: str | os.PathLike[str]
    unfinished: Path
    target: Path


@contextmanager
def _prepared(path: str | os.PathLike[str]) -> Iterator[_Move]:
    """Make the temporary file; at the end of the block it is gone, moved or not."""
    target = followed(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file to write")
    if target.exists() and not target.is_file():
        yield _Move(path, target, target)
        return
    name = f".{target.stem[:_SHOWN_STEM]}-{token_hex(8)}{target.suffix}"
    unfinished = target.with_name(name)
    with _known(unfinished):
        with _naming(path):
            # What replaces a private file is private from the start; of 0o666 the system takes
            # away what the umask says.
            mode = 0o600 if target.exists() else 0o666
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode))
        yield _Move(path, unfinished, target)


@contextmanager
def _known(path: Path) -> Iterator[None]:
    """Remove a path at the end of the block; `remove_temporary` knows of it before it exists."""
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
    """Remove a file if possible; Windows removes none that is read-only."""
    with suppress(OSError):
        try:
            path.unlink()
        except PermissionError:
            path.chmod(0o600)
            path.unlink()


def followed(path: str | os.PathLike[str]) -> Path:
    """Follow the links of a path to where a file would be written; OSError where they circle."""
    try:
        target = Path(path).resolve()
    except RuntimeError:  # before Python 3.13
        target = Path(path)
    if target.is_symlink():
        raise OSError(f"{path}: is a link that leads back to itself; give another name")
    return target


def _move_all(moves: list[_Move]) -> None:
    """Move the files one after the other; if one cannot be moved, undo those before it."""
    old_files = []
    with _moving, ExitStack() as undo:
        for number, move in enumerate(moves):
            with _naming(move.path):
                # The last one is moved or not: it never has to be put back.
                if number < len(moves) - 1:
                    old_files.append(_second_name(move))
                    undo.callback(_put_back, old_files[-1], move)
                os.replace(move.unfinished, move.target)  # noqa: PTH105 - it is atomic
        undo.pop_all()
        for old in old_files:
            _forget(old)


def _second_name(move: _Move) -> Path | None:
    """Give the old file a second name, beside the first; None where there is no old file."""
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
    """Let the old file stand at its place again, where the new one has come there."""
    try:
        if move.unfinished.exists():
            _forget(old)
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
    """Name the file in an error: the name of a temporary one would tell nobody anything."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
