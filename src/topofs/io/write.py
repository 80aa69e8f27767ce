"""Write tables: CSV, TSV or Parquet, by the ending of the name."""

from __future__ import annotations

import os
import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from topofs.errors import TableError
from topofs.io.table import columns_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.io.table import Table

__all__ = ["ENDINGS", "check_ending", "write_columns", "write_records"]

ENDINGS = (".csv", ".tsv", ".parquet")
"""The endings of the formats that can be written."""

_TYPES = {"float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean}
_SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")


def check_ending(path: str | os.PathLike[str]) -> str:
    """Tell the format that a file is to be written in."""
    ending = Path(path).suffix.lower()
    if ending in ENDINGS:
        return ending
    raise ValueError(
        f"{path}: cannot write {ending or 'a file without an ending'}; end the name in "
        f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
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
    columns = fields(kind or records[0])
    frame = pl.DataFrame(
        {field.name: [getattr(record, field.name) for record in records] for field in columns},
        infer_schema_length=None,
    )
    if not records:
        frame = frame.cast({f.name: _TYPES.get(str(f.type), pl.String) for f in columns})
    _sink(frame.lazy(), path, check_ending(path))


def _sink(rows: pl.LazyFrame, path: Path, ending: str) -> None:
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
