"""Open a table, whatever its format and wherever it comes from.

`ReadOptions`: what a user says about a file that the file does not say itself.

Formats that keep labels apart, as tables: the labels become one more column.

Parquet files as tables: their schema says what every column holds.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from topofs.errors import TableError
from topofs.io.annotated import holds_annotated, is_annotated_ending, open_annotated
from topofs.io.arrays import MAX_BYTES, READERS, bytes_of, refuse_oversize
from topofs.io.atomic_write import temporary_folder
from topofs.io.delimited import open_delimited
from topofs.io.table import Table, as_table_errors
from topofs.io.text_numbers import numbers_in_text

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from typing import IO

    from topofs.io.text_values import Mark


__all__ = [
    "LABELS",
    "STANDARD_INPUT",
    "ReadOptions",
    "kind_of",
    "open_arrays",
    "open_parquet",
    "open_table",
]


STANDARD_INPUT = "-"


"""The name that stands for the standard input."""


_GZIP = b"\x1f\x8b"


_ZIP = b"PK\x03\x04"


_HDF5 = b"\x89HDF"


_READ = "CSV, TSV, Parquet, .h5ad, .mat and .npz are read"


_EXCEL = (
    f"an Excel workbook, and {_READ}; save the sheet as CSV, or convert it, for example with: "
    "python -c \"import pandas; pandas.read_excel('t.xlsx').to_csv('t.csv', index=False)\""
)


_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")


# An object with a first name, or a list of lists or objects.
_JSON = re.compile(rb'\s*(\{\s*"|\[\s*[\[{]\s*["0-9\-])')


_FOREIGN = {
    _ZIP: "a zip archive; unpack it first",
    b"\xd0\xcf\x11\xe0": _EXCEL,
    b"ARROW1": "an Arrow or Feather file; save the table as Parquet",
    _HDF5: "an HDF5 file; save the table as Parquet",
    b"SQLite format 3": "an SQLite database; save the table as CSV or Parquet",
    b"BZh": "packed with bzip2; unpack it first",
    b"\xfd7zXZ": "packed with xz; unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first",
    b"%PDF": "a PDF document, not a table",
}


@contextmanager
def open_table(
    source: str | os.PathLike[str], *, how: ReadOptions | None = None
) -> Iterator[Table]:
    r"""Open a table for as long as the block lasts.

    The content decides, not the ending: CSV with any of the separators comma, tab, semicolon
    and bar, Parquet, AnnData (.h5ad), MATLAB (variables ``X`` and ``Y``), numpy archives
    (``X`` and ``y``), and the folders of the NIPS 2003 challenge. Packed with gzip, or from the
    standard input, the table is first copied to a temporary file, so that memory never holds
    it whole; of AnnData files it does. A copy is no longer than `how` allows.

    Parameters
    ----------
    source : path-like
        The file, or ``"-"`` for the standard input.
    how : ReadOptions, optional
        What the file does not say: the layer of an AnnData file, the decimal mark of numbers,
        what a packed file may take unpacked, and what a pipe may hold.

    Yields
    ------
    Table

    Raises
    ------
    TableError
        There is no table to read; the message says what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trees.csv"
    ...     _ = path.write_text("height;kind\n1.5;oak\n2;elm\n")
    ...     with open_table(path) as table:
    ...         table.schema["height"], table.not_numbers
    (Float64, {'kind': "text, such as 'oak'"})
    """
    how = how or ReadOptions()
    if str(source) == STANDARD_INPUT:
        if sys.stdin is None:
            raise TableError("standard input is closed; give the name of a file")
        with _copied(sys.stdin.buffer, "standard input", how) as path:
            yield _open_file(path, "standard input", how)
        return
    path = Path(source)
    _check_there(path)
    if path.is_dir() or path.is_file():
        with _unpacked(path, path.name, limit=how.limit(path.stat().st_size)) as plain:
            yield _open_file(plain, path.name, how)
        return
    # A pipe can be read only once.
    with path.open("rb") as stream, _copied(stream, str(path), how) as plain:
        yield _open_file(plain, str(path), how)


def _check_there(path: Path) -> None:
    if path.is_dir():
        if not any(path.glob("*_train.data")):
            raise TableError(f"{path}: is a folder; give the name of a file")
    elif not path.exists():
        raise TableError(f"{path}: there is no such file")
    try:
        str(path).encode()
    except UnicodeEncodeError:
        name = path.name.encode(errors="backslashreplace").decode()
        raise TableError(f"{name}: the name of the file is not UTF-8; rename it") from None


@contextmanager
def _copied(stream: IO[bytes], name: str, how: ReadOptions) -> Iterator[Path]:
    """Copy a stream to a temporary file, unpacked where it is packed."""
    start = stream.read(len(_GZIP))
    whole = io.BufferedReader(_Resumed(start, stream))
    with temporary_folder() as folder:
        path = folder / "table"
        if start == _GZIP:
            _unpack(gzip.GzipFile(fileobj=whole), path, name, how.limit())
        else:
            with path.open("wb") as file:
                _copy(whole, file, name, "a copy of this", how.limit())
        yield path


class _Resumed(io.RawIOBase):
    """A stream of which the first bytes were read already."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self._start, self._rest = start, rest

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Give the first bytes once, then what follows."""
        block, self._start = self._start or self._rest.read(len(buffer)), b""
        buffer[: len(block)] = block
        return len(block)


def _copy(stream: io.BufferedIOBase, file: IO[bytes], name: str, what: str, limit: int) -> None:
    """Copy a stream, unless it is longer than the limit."""
    while block := stream.read(1 << 20):
        refuse_oversize(name, what, file.tell() + len(block), limit)
        file.write(block)


@contextmanager
def _unpacked(path: Path, name: str, *, limit: int) -> Iterator[Path]:
    """Give the path itself, or that of an unpacked copy of a gzip file."""
    if path.is_dir() or not _starts_with(path, _GZIP):
        yield path
        return
    with temporary_folder() as folder:
        plain = folder / "table"
        with gzip.open(path) as packed:
            _unpack(packed, plain, name, limit)
        yield plain


def _unpack(packed: gzip.GzipFile, plain: Path, name: str, limit: int) -> None:
    try:
        with plain.open("wb") as file:
            _copy(packed, file, name, "unpacked, this", limit)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise TableError(f"{name}: the gzip file is damaged ({error})") from error


def _open_file(path: Path, name: str, how: ReadOptions) -> Table:
    limit = how.limit(path.stat().st_size)
    # Without anndata only the name can tell.
    named = is_annotated_ending(name.removesuffix(".gz"))
    if path.is_file() and _starts_with(path, _HDF5) and (named or holds_annotated(path)):
        return open_annotated(path, name, layer=how.layer or how.usual_layer, limit=limit)
    table = _open_plain(path, name, how)
    if how.layer is not None:
        raise ValueError(f"--layer {how.layer}: {name} is no AnnData file, and has no layers")
    return table


def _open_plain(path: Path, name: str, how: ReadOptions) -> Table:
    if path.is_dir():
        return open_arrays(path, name, kind="uci", limit=how.limit())
    limit = how.limit(path.stat().st_size)
    start = _first_bytes(path)
    if start.startswith(b"MATLAB "):
        return open_arrays(path, name, kind="mat", limit=limit)
    if _JSON.match(start) or Path(name.removesuffix(".gz")).suffix.lower() in _JSON_ENDINGS:
        raise TableError(f"{name}: this is {_json(name)}")
    if _is_text(start):
        # A column may be called PAR1.
        return open_delimited(path, name, decimal=how.decimal)
    if start.startswith(b"PAR1"):
        return open_parquet(path, name, decimal=how.decimal, limit=limit)
    if start.startswith(_ZIP) and _holds(path, ".npy"):
        return open_arrays(path, name, kind="npz", limit=limit)
    if start.startswith(_ZIP) and _holds(path, "xl/workbook.xml"):
        raise TableError(f"{name}: this is {_EXCEL}")
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise TableError(f"{name}: this is {what}")
    return open_delimited(path, name, decimal=how.decimal)


def _is_text(start: bytes) -> bool:
    """Whether a file begins as plain text does; the formats below have other bytes soon."""
    return all(byte in b"\t\n\r" or 0x20 <= byte < 0x7F for byte in start)


def _holds(path: Path, ending: str) -> bool:
    """Whether a zip archive has a file of such a name."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(member.endswith(ending) for member in archive.namelist())
    except zipfile.BadZipFile:
        return False


def _json(name: str) -> str:
    """Say what is read in place of JSON, and how to convert it."""
    lines = Path(name.removesuffix(".gz")).suffix.lower() in _JSON_ENDINGS[1:]
    read = "read_ndjson('t.jsonl')" if lines else "read_json('t.json')"
    return (
        f'JSON, and {_READ}; convert it, for example with: python -c "import polars; '
        f"polars.{read}.write_csv('t.csv')\""
    )


def _starts_with(path: Path, magic: bytes) -> bool:
    return _first_bytes(path).startswith(magic)


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(16)


_EXPANSION = 20


@dataclass(frozen=True)
class ReadOptions:
    """How a file is to be read.

    `layer` is that of an AnnData file, and no other file is read with it; `usual_layer` is taken
    where no layer is given and the file is an AnnData file. `decimal` is the mark of numbers in
    text, found out otherwise; `dates_as_numbers` makes days of dates, which are left out
    otherwise; `max_bytes` is what a packed file may take unpacked, and a pipe may hold, where
    that was said.
    """

    layer: str | None = None
    usual_layer: str | None = None
    decimal: Mark | None = None
    dates_as_numbers: bool = False
    max_bytes: int | None = None

    def limit(self, packed: int = 0) -> int:
        """How many bytes a packed file of some size, or a pipe, may take."""
        if self.max_bytes is not None:
            return self.max_bytes
        return max(MAX_BYTES, _EXPANSION * packed)


LABELS = "target"


"""The column that the labels are put into; the last one."""


def open_arrays(path: Path, name: str, *, kind: str, limit: int) -> Table:
    """Read a table and its labels; its columns have no names and are called x0, x1 and so on."""
    try:
        found = READERS[kind](path, max_bytes=limit)
    except TableError as error:
        # The path may be that of a temporary copy.
        raise TableError(str(error).replace(str(path), name)) from error
    columns = {f"x{i}": found.X[:, i] for i in range(found.X.shape[1])}
    frame = pl.DataFrame(columns | {LABELS: found.y})
    return Table(
        name=name,
        rows=frame.lazy(),
        n_samples=frame.height,
        schema=dict(frame.schema),
        not_numbers={LABELS: "text"} if frame.schema[LABELS] == pl.String else {},
        label=LABELS,
    )


def open_parquet(path: Path, name: str, *, decimal: Mark | None, limit: int) -> Table:
    """Open a Parquet file."""
    stored = pl.scan_parquet(path, glob=False)
    with as_table_errors(name):
        schema = dict(stored.collect_schema())
        n_samples = stored.select(pl.len()).collect().item()
        refuse_oversize(name, "the table", bytes_of((n_samples, len(schema))), limit)
        in_text = numbers_in_text(
            stored, [c for c, t in schema.items() if t == pl.String], decimal=decimal
        )
    return Table(
        name=name,
        rows=stored.with_columns(in_text.expressions),
        n_samples=n_samples,
        schema=schema | dict(in_text.types),
        not_numbers={
            column: in_text.not_numbers.get(column, kind)
            for column, dtype in schema.items()
            if column not in in_text.types and (kind := kind_of(dtype)) is not None
        },
        not_names=in_text.not_names,
        dates=in_text.dates,
        stored=stored,
        notes=(*_notes(path, schema), *in_text.notes),
    )


def kind_of(dtype: pl.DataType) -> str | None:
    """Say what a column holds in place of numbers; None for numbers."""
    if dtype.is_numeric() or dtype == pl.Boolean:
        return None
    if dtype == pl.Null:
        return "all missing"
    if dtype == pl.String:
        return "text"
    if dtype in (pl.Categorical, pl.Enum):
        return "categories"
    if dtype.is_temporal():
        return "dates or times; --dates numbers uses them"
    return f"values of type {dtype}"


def _notes(path: Path, schema: dict[str, pl.DataType]) -> tuple[str, ...]:
    """Name the ordered categories that pandas has written and polars reads without order."""
    try:
        described = json.loads(pl.read_parquet_metadata(path)["pandas"])["columns"]
        ordered = [
            column["name"]
            for column in described
            if (column["metadata"] or {}).get("ordered") is True
        ]
    except (LookupError, TypeError, ValueError):
        return ()
    return tuple(
        f"the order of the categories of {column!r} is lost between pandas and polars: they "
        "are names here; to keep it store their positions"
        for column in ordered
        if schema.get(column) == pl.Categorical
    )
