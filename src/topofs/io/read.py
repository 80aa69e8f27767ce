"""Open a table, whatever its format and wherever it comes from.

`open_table` looks at the first bytes, unpacks what is packed, within a limit, and hands the file
to the reader of its format. Every reader gives a `Table`. Parquet files and labelled arrays are
read here; CSV in `delimited`, AnnData in `annotated`.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from topofs.errors import TableError
from topofs.io.annotated import holds_annotated, is_annotated_ending, open_annotated
from topofs.io.arrays import MAX_BYTES, READERS, bytes_of, refuse_oversize
from topofs.io.batches import is_many_files, scan_table
from topofs.io.delimited import open_delimited
from topofs.io.table import Table, as_table_errors
from topofs.io.text_columns import numbers_in_text
from topofs.io.write import temporary_folder

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from topofs.io.text_values import Mark

_STANDARD_INPUT = "-"
_LABELS = "target"
_EXPANSION = 20

_GZIP, _ZIP, _HDF5 = b"\x1f\x8b", b"PK\x03\x04", b"\x89HDF"
_READ = "CSV, TSV, Parquet, .h5ad, .mat and .npz are read"
_EXCEL = (
    f"an Excel workbook, and {_READ}; save the sheet as CSV, or convert it, for example with: "
    "python -c \"import pandas; pandas.read_excel('t.xlsx').to_csv('t.csv', index=False)\""
)
_FOREIGN = {
    _ZIP: "a zip archive; unpack it first",
    b"\xd0\xcf\x11\xe0": _EXCEL,
    b"ARROW1": "an Arrow or Feather file; end its name in .arrow or .feather",
    _HDF5: "an HDF5 file; save the table as Parquet",
    b"SQLite format 3": "an SQLite database; save the table as CSV or Parquet",
    b"BZh": "packed with bzip2; unpack it first",
    b"\xfd7zXZ": "packed with xz; unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first",
    b"%PDF": "a PDF document, not a table",
}
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
# An object with a first name, or a list of lists or objects.
_JSON = re.compile(rb'\s*(\{\s*"|\[\s*[\[{]\s*["0-9\-])')


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file.

    `layer` is a layer of an AnnData file; other files are refused with it. `usual_layer` is
    used for an AnnData file if no layer is given. `decimal` is the decimal mark of numbers in
    text; without it the mark is detected. `dates_as_numbers` turns dates into days; without it
    dates are left out. `max_bytes` limits the unpacked size of a packed file and the size of a
    pipe.
    """

    layer: str | None = None
    usual_layer: str | None = None
    decimal: Mark | None = None
    dates_as_numbers: bool = False
    max_bytes: int | None = None

    def limit(self, packed: int = 0) -> int:
        """Largest unpacked size of a packed file of some size, or size of a pipe."""
        if self.max_bytes is not None:
            return self.max_bytes
        return max(MAX_BYTES, _EXPANSION * packed)


@contextmanager
def open_table(
    source: str | os.PathLike[str], *, how: ReadOptions | None = None
) -> Iterator[Table]:
    r"""Open a table for as long as the block lasts.

    The content decides, not the ending: CSV with any of the separators comma, tab, semicolon
    and bar, Parquet, AnnData (.h5ad), MATLAB (variables ``X`` and ``Y``) and numpy archives
    (``X`` and ``y``). Packed with gzip, or from the standard input, the table is first copied to a
    temporary file, so that memory never holds it whole; of AnnData files it does. A copy is no
    longer than `how` allows. A folder, a pattern or an Arrow file is read in batches
    (`topofs.io.scan_table`).

    Parameters
    ----------
    source : path-like
        The file, the folder or the pattern, or ``"-"`` for the standard input.
    how : ReadOptions, optional
        The layer of an AnnData file, the decimal mark of numbers, and the size limit of
        unpacked files and pipes.

    Yields
    ------
    Table

    Raises
    ------
    TableError
        No table can be read; the message says what to do.

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
    from_stdin = str(source) == _STANDARD_INPUT
    if from_stdin and sys.stdin is None:
        raise TableError("standard input is closed; give the name of a file")
    path = Path(source)
    if not from_stdin and not is_many_files(str(source)):
        _check_there(path)
    with ExitStack() as stack:
        if not from_stdin and is_many_files(str(source)):
            if how.layer is not None:
                raise ValueError(
                    f"--layer {how.layer}: {source} is no AnnData file, and has no layers"
                )
            yield table_of_batches(source)
            return
        on_disk = not from_stdin and path.is_file()
        limit = how.limit(path.stat().st_size if on_disk else 0)
        name = path.name if on_disk else str(path)
        name = "standard input" if from_stdin else name
        opened = sys.stdin.buffer if from_stdin else stack.enter_context(path.open("rb"))
        stream = io.BufferedReader(cast("Any", opened))
        stack.callback(stream.detach)
        is_packed = stream.peek(len(_GZIP)).startswith(_GZIP)
        # A pipe can be read only once.
        if is_packed or not on_disk:
            path = stack.enter_context(temporary_folder()) / "table"
            whole = gzip.GzipFile(fileobj=stream) if is_packed else stream
            what = "unpacked, this" if is_packed else "a copy of this"
            _copy(whole, path, name, what, limit)
        yield _open_file(path, name, how)


def _check_there(path: Path) -> None:
    if not path.exists():
        raise TableError(f"{path}: there is no such file")
    try:
        str(path).encode()
    except UnicodeEncodeError:
        name = path.name.encode(errors="backslashreplace").decode()
        raise TableError(f"{name}: the name of the file is not UTF-8; rename it") from None


def _copy(stream: io.BufferedIOBase, path: Path, name: str, what: str, limit: int) -> None:
    """Copy a stream to a file, unless it is longer than the limit."""
    try:
        with path.open("wb") as file:
            while block := stream.read(1 << 20):
                refuse_oversize(name, what, file.tell() + len(block), limit)
                file.write(block)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise TableError(f"{name}: the gzip file is damaged ({error})") from error


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(16)


def _open_file(path: Path, name: str, how: ReadOptions) -> Table:
    limit, start = how.limit(path.stat().st_size), _first_bytes(path)
    # Without anndata only the name identifies an AnnData file.
    named = is_annotated_ending(name.removesuffix(".gz"))
    if start.startswith(_HDF5) and (named or holds_annotated(path)):
        return open_annotated(path, name, layer=how.layer or how.usual_layer, limit=limit)
    table = _open_plain(path, name, start, decimal=how.decimal, limit=limit)
    if how.layer is not None:
        raise ValueError(f"--layer {how.layer}: {name} is no AnnData file, and has no layers")
    return table


def _open_plain(
    path: Path, name: str, start: bytes, *, decimal: Mark | None, limit: int
) -> Table:
    if start.startswith(b"MATLAB "):
        return _open_arrays(path, name, kind="mat", limit=limit)
    ending = Path(name.removesuffix(".gz")).suffix.lower()
    if _JSON.match(start) or ending in _JSON_ENDINGS:
        read = "read_json('t.json')"
        if ending in _JSON_ENDINGS[1:]:
            read = "read_ndjson('t.jsonl')"
        raise TableError(
            f"{name}: this is JSON, and {_READ}; convert it, for example with: "
            f"python -c \"import polars; polars.{read}.write_csv('t.csv')\""
        )
    # Test for plain text first: a column may be called PAR1.
    if not all(byte in b"\t\n\r" or 0x20 <= byte < 0x7F for byte in start):
        if start.startswith(b"PAR1"):
            return _open_parquet(path, name, decimal=decimal, limit=limit)
        members = _members(path) if start.startswith(_ZIP) else []
        if any(member.endswith(".npy") for member in members):
            return _open_arrays(path, name, kind="npz", limit=limit)
        if "xl/workbook.xml" in members:
            raise TableError(f"{name}: this is {_EXCEL}")
        for magic, what in _FOREIGN.items():
            if start.startswith(magic):
                raise TableError(f"{name}: this is {what}")
    return open_delimited(path, name, decimal=decimal)


def _members(path: Path) -> list[str]:
    """The names of the files in a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        return []


def table_of_batches(path: str | os.PathLike[str]) -> Table:
    """Open a table of more rows than memory holds; its types are those of Arrow."""
    source = scan_table(path)
    frame = pl.from_arrow(source.schema.empty_table())
    assert isinstance(frame, pl.DataFrame)
    schema = dict(frame.schema)
    with as_table_errors(source.name):
        rows = pl.scan_pyarrow_dataset(source.dataset)
    n_samples = source.n_rows
    if n_samples is None:
        n_samples = sum(batch.num_rows for batch in source.read(source.names[:1], 1 << 16))
        source = replace(source, n_rows=n_samples)
    return Table(source.name, rows, n_samples, schema, source=source)


def _open_arrays(path: Path, name: str, *, kind: str, limit: int) -> Table:
    """Read a table and its labels; its columns have no names and are called x0, x1 and so on."""
    try:
        found = READERS[kind](path, max_bytes=limit)
    except TableError as error:
        # The path may be that of a temporary copy.
        raise TableError(str(error).replace(str(path), name)) from error
    columns = {f"x{i}": found.X[:, i] for i in range(found.X.shape[1])}
    frame = pl.DataFrame(columns | {_LABELS: found.y})
    return Table(
        name=name,
        rows=frame.lazy(),
        n_samples=frame.height,
        schema=dict(frame.schema),
        not_numbers={_LABELS: "text"} if frame.schema[_LABELS] == pl.String else {},
        label=_LABELS,
    )


def _open_parquet(path: Path, name: str, *, decimal: Mark | None, limit: int) -> Table:
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
        notes=(*_lost_orders(path, schema), *in_text.notes),
    )


def kind_of(dtype: pl.DataType) -> str | None:
    """Describe the values of a column that are not numbers; None for numbers."""
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


def _lost_orders(path: Path, schema: dict[str, pl.DataType]) -> tuple[str, ...]:
    """Name ordered categories written by pandas that polars reads without order."""
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
