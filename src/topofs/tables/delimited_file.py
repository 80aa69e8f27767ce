"""CSV and its relatives as tables: the separator, the names, the type of every column."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

import polars as pl

from topofs.errors import TableError
from topofs.tables.asking_polars import as_table_errors, columns_named
from topofs.tables.numbers_in_text import numbers_in_text
from topofs.tables.records import check_records, not_utf8
from topofs.tables.table import Table
from topofs.tables.text_values import is_float

if TYPE_CHECKING:
    from pathlib import Path

    from topofs.tables.text_values import Mark

__all__ = ["open_delimited"]

_SEPARATORS = (",", "\t", ";", "|")
_SAMPLE = 20
_QUOTED = re.compile(r'"[^"]*"')
_OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_SETTLED = (pl.Int64, pl.Float64, pl.Boolean)
# polars 1 takes whole numbers for Int64 however long they are, and fails to read them.
_LONG_ARE_INT64 = pl.__version__.startswith("1.")
_SURE_DIGITS = 18


def open_delimited(path: Path, name: str, *, decimal: Mark | None) -> Table:
    """Open a text file with a line of column names.

    Types are inferred from every line: a word in the last one is found like one in the first.
    A column of numbers may have spaces around them and the usual marks of missing values
    (`topofs.tables.text_values.MISSING`), decimal commas and thousands set apart; `decimal` says
    which of the two a comma is, where the columns do not.
    """
    separator, names = _header(path, name)
    _check_names(names, name)
    records = check_records(path, separator=separator, n_columns=len(names), name=name)
    if not records.n_rows:
        raise TableError(f"{name}: has a line of names and no rows below it")
    n_rows = records.n_rows if records.blank_at_end else None
    with as_table_errors(name):
        found = _scan(path, separator).collect_schema()
        types = [t if t in _SETTLED else pl.String() for t in found.dtypes()]
        # Names come from the header as it was read here: polars leaves doubled marks in.
        own = found.names()
        text = _scan(path, separator, dict.fromkeys(own, pl.String()), n_rows)
        text = _renamed(text, own, names)
        settled = dict(zip(names, types, strict=True))
        unsure = _unsure_numbers(text, settled, is_ascii=records.is_ascii)
        settled |= dict.fromkeys(unsure, pl.String())
        in_text = numbers_in_text(
            text,
            [c for c, t in settled.items() if t == pl.String],
            floats=[c for c, t in settled.items() if t == pl.Float64],
            whole=[c for c, t in settled.items() if t == pl.Int64],
            decimal=decimal,
        )
        # What is a float with a point may be none with a comma.
        as_text = {*in_text.types, *in_text.not_numbers}
        types = [pl.String() if c in as_text else t for c, t in settled.items()]
        rows = _scan(path, separator, dict(zip(own, types, strict=True)), n_rows)
        rows = _renamed(rows, own, names)
    return Table(
        name=name,
        rows=rows.with_columns(in_text.expressions),
        n_samples=records.n_rows,
        schema=dict(zip(names, types, strict=True)) | dict(in_text.types),
        as_written=text,
        not_numbers=in_text.not_numbers,
        not_names=in_text.not_names,
        dates=in_text.dates,
        notes=(*_notes(names), *in_text.notes),
    )


def _scan(
    path: Path,
    separator: str,
    schema: dict[str, pl.DataType] | None = None,
    n_rows: int | None = None,
) -> pl.LazyFrame:
    return pl.scan_csv(
        path,
        separator=separator,
        schema=schema,
        infer_schema_length=None,
        n_rows=n_rows,
        glob=False,
    )


def _renamed(rows: pl.LazyFrame, before: list[str], names: list[str]) -> pl.LazyFrame:
    changes = {old: new for old, new in zip(before, names, strict=True) if old != new}
    return rows.rename(changes) if changes else rows


def _unsure_numbers(
    text: pl.LazyFrame, types: dict[str, pl.DataType], *, is_ascii: bool
) -> list[str]:
    """Find the columns that polars takes for numbers, and may fail to read as such.

    They hold whole numbers that may be too long for Int64, or digits that are not ASCII.
    """
    whole = [column for column, kind in types.items() if kind == pl.Int64]
    numbers = [column for column, kind in types.items() if kind in {pl.Int64, pl.Float64}]
    unsure: list[str] = []
    if _LONG_ARE_INT64 and whole:
        is_long = columns_named(whole).str.len_bytes() > _SURE_DIGITS
        unsure += _columns_with_any(text, is_long)
    if numbers and not is_ascii:
        unsure += _columns_with_any(text, columns_named(numbers).str.contains(r"[^\x00-\x7F]"))
    return unsure


def _columns_with_any(text: pl.LazyFrame, condition: pl.Expr) -> list[str]:
    """The columns where a condition holds in some row."""
    found = text.select(condition.any()).collect(engine="streaming").row(0, named=True)
    return [column for column, holds in found.items() if holds]


def _header(path: Path, name: str) -> tuple[str, list[str]]:
    """Find the separator that splits the first line and fits the lines below it best."""
    with path.open("rb") as file:
        start = file.read(4)
    if not start:
        raise TableError(f"{name}: the file is empty")
    if start.startswith(_OTHER_ENCODINGS):
        raise TableError(
            f"{name}: this is UTF-16 or UTF-32; convert the file to UTF-8 first, for example "
            "with: iconv -f utf-16 -t utf-8"
        )
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(islice(file, _SAMPLE))
    except UnicodeDecodeError as error:
        raise not_utf8(name, error.object[error.start], _line_of(path)) from None
    if any("\0" in line for line in lines):
        raise TableError(f"{name}: this is not a table of text (it holds zero bytes)")
    if not lines[0].strip():
        raise TableError(f"{name}: the first line is empty; it must hold the column names")
    if lines[0].endswith("\r") and lines[0].count('"') % 2 == 0:
        raise TableError(
            f"{name}: line 1 ends in a carriage return alone, as lines did on old Macs; convert "
            r"the line ends first, for example with: tr '\r' '\n'"
        )
    separator = max(_SEPARATORS, key=lambda candidate: _fit(lines, candidate))
    try:
        return separator, next(csv.reader(lines, delimiter=separator))
    except csv.Error as error:
        raise TableError(f"{name}: the column names cannot be read ({error})") from None


def _fit(lines: list[str], separator: str) -> tuple[bool, int]:
    """Rank a separator: first those that occur, and in every line as often as in the first."""
    counts = [_QUOTED.sub("", line).count(separator) for line in lines if line.strip()]
    return counts[0] > 0 and len(set(counts)) == 1, counts[0]


def _line_of(path: Path) -> int:
    """Find the first line that is not UTF-8."""
    with path.open("rb") as file:
        return next(
            number
            for number, line in enumerate(file, 1)
            if line.decode(errors="ignore").encode() != line
        )


def _check_names(names: list[str], name: str) -> None:
    # polars gives a repeated name a number of its own accord.
    twice = [column for column, count in Counter(names).items() if count > 1]
    if not twice:
        return
    if twice[0] == "":
        raise TableError(f"{name}: several columns have no name; name them in the first line")
    raise TableError(
        f"{name}: the column {twice[0]!r} is there more than once; rename one of them"
    )


def _notes(names: list[str]) -> tuple[str, ...]:
    if "" in names:
        return (
            f"column {names.index('') + 1} has no name; if it numbers the rows, leave it out "
            "with --drop ''",
        )
    if all(is_float(column) for column in names):
        return ("the first line was taken for column names, and all of them are numbers",)
    return ()
