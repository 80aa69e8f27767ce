"""CSV and similar formats as tables: the separator, the names, the type of every column.

`open_delimited` reads the line of names and hands the rows to polars. Before that, one pass
over the bytes checks that every line is a record. It is written by hand because polars fills
short lines with missing values and accepts invalid bytes in columns that are not read; this
pass reports both with the line.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from topofs.errors import TableError
from topofs.io.table import Table, as_table_errors, columns_named
from topofs.io.text_columns import numbers_in_text
from topofs.io.text_values import is_float

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from topofs.io.text_values import Mark

_SEPARATORS = (",", "\t", ";", "|")
_SAMPLE = 20
_QUOTED = re.compile(r'"[^"]*"')
_OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)

_SETTLED = (pl.Int64, pl.Float64, pl.Boolean)
# polars 1 infers Int64 for whole numbers of any length, and fails to read long ones.
_LONG_ARE_INT64 = pl.__version__.startswith("1.")
_SURE_DIGITS = 18

_BLOCK = 1 << 20
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def open_delimited(path: Path, name: str, *, decimal: Mark | None) -> Table:
    """Open a text file with a line of column names.

    Types are inferred from all lines. A column of numbers may have surrounding spaces, the
    usual marks of missing values (`topofs.io.text_values.MISSING`), decimal commas and
    thousands separators. `decimal` gives the meaning of a comma if the columns do not decide
    it.
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
        # Use the names as read here: polars keeps doubled quotation marks.
        own = found.names()
        renamed = {old: new for old, new in zip(own, names, strict=True) if old != new}
        text = _scan(path, separator, dict.fromkeys(own, pl.String()), n_rows).rename(renamed)
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
        # A float by the decimal point may not be a number by the decimal comma.
        as_text = {*in_text.types, *in_text.not_numbers}
        types = [pl.String() if c in as_text else t for c, t in settled.items()]
        rows = _scan(path, separator, dict(zip(own, types, strict=True)), n_rows).rename(
            renamed
        )
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


def _unsure_numbers(
    text: pl.LazyFrame, types: dict[str, pl.DataType], *, is_ascii: bool
) -> list[str]:
    """Find the columns that polars infers as numbers and may fail to read.

    They hold whole numbers too long for Int64, or digits that are not ASCII.
    """
    whole = [column for column, kind in types.items() if kind == pl.Int64]
    numbers = [column for column, kind in types.items() if kind in {pl.Int64, pl.Float64}]
    conditions = []
    if _LONG_ARE_INT64 and whole:
        conditions.append(columns_named(whole).str.len_bytes() > _SURE_DIGITS)
    if numbers and not is_ascii:
        conditions.append(columns_named(numbers).str.contains(r"[^\x00-\x7F]"))
    unsure: list[str] = []
    for condition in conditions:
        found = text.select(condition.any()).collect(engine="streaming").row(0, named=True)
        unsure += [column for column, holds in found.items() if holds]
    return unsure


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
    """Rank a separator: separators that occur equally often in every line come first."""
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
    # polars numbers repeated names.
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


@dataclass(frozen=True)
class Records:
    """Number of records below the names, and further results of the pass.

    `blank_at_end`: whether empty lines follow the last record; `is_ascii`: whether all is ASCII.
    """

    n_rows: int
    blank_at_end: bool
    is_ascii: bool = True


def check_records(path: Path, *, separator: str, n_columns: int, name: str) -> Records:
    """Check that the file is UTF-8 and every record has one field per column.

    A separator or a line break between quotation marks belongs to the field. Memory holds one
    block of the file. The pass over blocks detects a fault; `_refuse_fault` locates it.
    """
    code, decoder = ord(separator), codecs.getincrementaldecoder("utf-8")()
    is_ascii, is_sound, inside = True, True, False
    # Separators and bytes of the record that continues in the next block.
    separators, length, last = 0, 0, _NEWLINE
    n_records, n_blank = 0, 0
    with path.open("rb") as file:
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            file.seek(0)
        while block := file.read(_BLOCK):
            if not (block.isascii() and not decoder.getstate()[0]):
                is_ascii = False
                try:
                    decoder.decode(block)
                except UnicodeDecodeError as error:
                    raise not_utf8(name, error.object[error.start], _line_of(path)) from None
            codes = np.frombuffer(block, dtype=np.uint8)
            is_separator, is_end, marks = codes == code, codes == _NEWLINE, codes == _QUOTE
            if inside or marks.any():
                opened = np.flatnonzero(marks)[int(inside) :: 2]
                before = codes[opened - 1]
                before[opened == 0] = last
                # A quotation mark directly after another one is part of a doubled mark.
                is_sound &= bool(np.isin(before, (code, _NEWLINE, _QUOTE)).all())
                is_quoted = (np.cumsum(marks) + inside) % 2 == 1
                is_separator &= ~is_quoted
                is_end &= ~is_quoted
                inside = bool(is_quoted[-1])
            ends, at_separators = np.flatnonzero(is_end), np.flatnonzero(is_separator)
            if len(ends):
                n_separators = np.diff(
                    np.searchsorted(at_separators, ends), prepend=-separators
                )
                lengths = np.diff(ends, prepend=-1 - length) - 1
                before = codes[ends - 1]
                before[ends == 0] = last
                blank = (lengths == 0) | ((lengths == 1) & (before == _RETURN))
                is_sound &= bool((blank | (n_separators == n_columns - 1)).all())
                is_sound &= not (~blank & np.append(n_blank > 0, blank[:-1])).any()
                full = np.flatnonzero(~blank)
                n_records += len(full)
                n_blank = len(blank) - 1 - int(full[-1]) if len(full) else n_blank + len(blank)
                separators, length = int((at_separators > ends[-1]).sum()), -1 - int(ends[-1])
            else:
                separators += len(at_separators)
            length += len(block)
            last = block[-1]
    if length:
        n_records += 1
        is_sound &= not n_blank and separators == n_columns - 1
    if inside or not is_sound:
        _refuse_fault(path, separator=separator, n_columns=n_columns, name=name)
    return Records(max(n_records - 1, 0), n_blank > 0, is_ascii)


def _refuse_fault(path: Path, *, separator: str, n_columns: int, name: str) -> None:
    """Go through a file mark by mark and name the line of the first fault, if there is one."""
    comma = separator.encode()
    marks = re.compile(b'["\n' + re.escape(comma) + b"]")
    record_line, n_fields = 1, 1
    after_blank = inside = False
    # The line of a quotation that began inside a field, while it is open.
    stray_line = None
    for line, last, text, ends, is_blank in _pieces_of_lines(path):
        if not inside and not last:
            record_line, n_fields = line, 1
        for mark in marks.finditer(text):
            at = mark.start()
            if mark[0] == b'"':
                before = text[at - 1 : at] if at else last
                is_stray = not inside and before not in (b"", comma, b'"')
                stray_line = line if is_stray else None
                inside = not inside
            elif stray_line is not None:
                raise _stray_mark(name, stray_line)
            elif mark[0] == comma and not inside:
                n_fields += 1
        if is_blank:
            after_blank |= not inside
        elif ends and not inside:
            _check_record(name, record_line, n_fields, n_columns, after_blank=after_blank)
    if stray_line is not None:
        raise _stray_mark(name, stray_line)
    if inside:
        raise TableError(
            f"{name}: a quotation mark in line {record_line} is never closed; "
            "close it, or double it where it is part of the text"
        )


def _pieces_of_lines(path: Path) -> Iterator[tuple[int, bytes, bytes, bool, bool]]:
    """Read lines in pieces of at most `_BLOCK` bytes.

    Yields the number of the line, the byte before the piece (none at the begin of a line), the
    piece, whether it ends the line, and whether it ends a blank one.
    """
    line, last, length = 1, b"", 0
    with path.open("rb") as file:
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            file.seek(0)
        text = file.readline(_BLOCK)
        while text:
            following = file.readline(_BLOCK)
            length += len(text)
            has_end = text.endswith(b"\n")
            is_blank = has_end and length == 1 + ((last + text)[-2:-1] == b"\r")
            yield line, last, text, has_end or not following, is_blank
            line, last, length = (line + 1, b"", 0) if has_end else (line, text[-1:], length)
            text = following


def _stray_mark(name: str, line: int) -> TableError:
    return TableError(
        f"{name}: line {line} has a quotation mark inside a field, such as the inch "
        'mark of 5"; put the whole field between quotation marks and double the one '
        'inside: "5"""'
    )


def _check_record(
    name: str, line: int, n_fields: int, n_columns: int, *, after_blank: bool
) -> None:
    if n_fields != n_columns:
        fields = "1 field" if n_fields == 1 else f"{n_fields} fields"
        raise TableError(
            f"{name}: line {line} has {fields} and line 1 names {n_columns} columns; mend the "
            "line (a field that holds the separator needs quotation marks)"
        )
    if after_blank:
        raise TableError(f"{name}: line {line - 1} is empty; remove it")


def not_utf8(name: str, byte: int, line: int) -> TableError:
    """Make the error for a byte that is not UTF-8."""
    return TableError(
        f"{name}: line {line} is not UTF-8 (byte 0x{byte:02x}); convert the file first, for "
        "example with: iconv -f latin1 -t utf-8"
    )
