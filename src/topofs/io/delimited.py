"""CSV and similar formats as tables: the separator, the names, the type of every column.

`open_delimited` reads the line of names and hands the rows to polars. Before that, one pass
over the bytes checks that every line is a record, and finds the types of the columns on the
way. It is written by hand because polars fills short lines with missing values and accepts
invalid bytes in columns that are not read; this pass reports both with the line.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import polars.selectors as cs
from polars.exceptions import PolarsError

from topofs.errors import TableError
from topofs.io.table import Table, as_table_errors
from topofs.io.text_columns import TextSurvey, numbers_in_text
from topofs.io.text_values import is_float

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from topofs.io.text_values import Mark

_SEPARATORS = (",", "\t", ";", "|")
_SAMPLE = 20
_QUOTED = re.compile(r'"[^"]*"')
_OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
# polars unpacks a file that begins so.
_PACKED = (b"x^", b"x\x01")

_BLOCK = 1 << 22
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def open_delimited(path: Path, name: str, *, decimal: Mark | None) -> Table:
    """Open a text file with a line of column names.

    Types are found from all lines. A column of numbers may have surrounding spaces, the
    usual marks of missing values (`topofs.io.text_values.MISSING`), decimal commas and
    thousands separators. `decimal` gives the meaning of a comma if the columns do not decide
    it.
    """
    separator, names = _header(path, name)
    _check_names(names, name)
    types = _ColumnTypes(names, separator)
    with as_table_errors(name):
        records = check_records(
            path, separator=separator, n_columns=len(names), name=name, take=types.add
        )
        if not records.n_rows:
            raise TableError(f"{name}: has a line of names and no rows below it")
        n_rows = records.n_rows if records.blank_at_end else None
        scan = partial(pl.scan_csv, path, separator=separator, n_rows=n_rows, glob=False)
        # Use the names as read here: polars keeps doubled quotation marks.
        own = scan(infer_schema_length=0).collect_schema().names()
        renamed = {old: new for old, new in zip(own, names, strict=True) if old != new}
        text = scan(schema=dict.fromkeys(own, pl.String())).rename(renamed)
        found = types.found
        in_text = numbers_in_text(
            text,
            [c for c, t in found.items() if t == pl.String],
            floats=[c for c, t in found.items() if t == pl.Float64],
            whole=[c for c, t in found.items() if t == pl.Int64],
            decimal=decimal,
            survey=types.survey,
        )
        # A float by the decimal point may not be a number by the decimal comma.
        as_text = {*in_text.types, *in_text.not_numbers}
        found = {c: pl.String() if c in as_text else t for c, t in found.items()}
        rows = scan(schema=dict(zip(own, found.values(), strict=True))).rename(renamed)
    return Table(
        name=name,
        rows=rows.with_columns(in_text.expressions),
        n_samples=records.n_rows,
        schema=found | dict(in_text.types),
        as_written=text,
        not_numbers=in_text.not_numbers,
        not_names=in_text.not_names,
        dates=in_text.dates,
        notes=(*_notes(names), *in_text.notes),
    )


class _ColumnTypes:
    """The types by which polars reads the columns of a text file, found block by block.

    A column is Int64 as long as polars reads all its values so, then Float64, then String;
    `survey` looks at the text.
    """

    def __init__(self, names: list[str], separator: str) -> None:
        self._types: dict[str, pl.DataType] = dict.fromkeys(names, pl.Int64())
        self._separator = separator
        self._given: set[str] = set()
        self.survey = TextSurvey()

    @property
    def found(self) -> dict[str, pl.DataType]:
        """The type of each column; Float64 where all values are missing."""
        empty = self._types.keys() - self._given
        return self._types | {c: pl.Float64() for c in empty if self._types[c] != pl.String}

    def add(self, records: bytes) -> None:
        """Read a block of whole records, and widen types by which polars does not read it."""
        while (block := self._read(records)) is None:
            text = self._parse(records, dict.fromkeys(self._types, pl.String()))
            numbers = [c for c, kind in self._types.items() if kind != pl.String]
            wider = {c: self._wider(text.get_column(c), self._types[c]) for c in numbers}
            if all(wider[column] == self._types[column] for column in numbers):
                # The parser refuses what a cast accepts.
                wider = dict.fromkeys(numbers, pl.String())
            for column in self._given & wider.keys():
                if wider[column] == pl.String:
                    self.survey.begin(column, self._types[column])
            self._types |= wider
        if len(self._given) < block.width:
            self._given |= {c.name for c in block.iter_columns() if c.null_count() < len(c)}
        self.survey.add(block.select(cs.string()))

    def _read(self, records: bytes) -> pl.DataFrame | None:
        """The records by the types; None where some are too narrow."""
        try:
            block = self._parse(records, self._types)
        except PolarsError:
            return None
        # "nan" is a mark of a missing value.
        nan = any(c.is_nan().any() for c in block.iter_columns() if c.dtype == pl.Float64)
        return None if nan else block

    def _parse(self, records: bytes, types: dict[str, pl.DataType]) -> pl.DataFrame:
        # Without a line before it, polars would take text such as "x^2" for packed bytes.
        return pl.read_csv(
            b"-\n" + records,
            separator=self._separator,
            has_header=False,
            skip_lines=1,
            schema=types,
        )

    def _wider(self, values: pl.Series, kind: pl.DataType) -> pl.DataType:
        """The first type, from a given one on, by which polars reads all values."""
        n_missing = values.null_count()
        if kind == pl.Int64:
            # Longer whole numbers stay text: floats would round them.
            for whole, found in ((pl.Int64(), kind), (pl.Int128(), pl.String())):
                if values.cast(whole, strict=False).null_count() == n_missing:
                    return found
        floats = values.cast(pl.Float64, strict=False)
        is_read = floats.null_count() == n_missing and not floats.is_nan().any()
        return pl.Float64() if is_read else pl.String()


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
    if start.startswith(_PACKED):
        raise TableError(
            f"{name}: the first line begins as a packed file does; put the first column name "
            "between quotation marks"
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
    """Number of records below the names; whether empty lines follow the last record."""

    n_rows: int
    blank_at_end: bool


def check_records(
    path: Path,
    *,
    separator: str,
    n_columns: int,
    name: str,
    take: Callable[[bytes], None],
) -> Records:
    """Check that the file is UTF-8 and every record has one field per column.

    A separator or a line break between quotation marks belongs to the field. Memory holds one
    block of the file. The pass over blocks detects a fault; `_refuse_fault` locates it. `take`
    gets the sound records below the names, block by block.
    """
    code, is_sound, inside = ord(separator), True, False
    # The record that continues in the next block: its parts, separators and bytes.
    parts: list[bytes] = []
    separators, length, last = 0, 0, _NEWLINE
    n_records, n_blank = 0, 0
    for block in _blocks_of_text(path, name):
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
            n_separators = np.diff(np.searchsorted(at_separators, ends), prepend=-separators)
            lengths = np.diff(ends, prepend=-1 - length) - 1
            before = codes[ends - 1]
            before[ends == 0] = last
            blank = (lengths == 0) | ((lengths == 1) & (before == _RETURN))
            is_sound &= bool((blank | (n_separators == n_columns - 1)).all())
            is_sound &= not (~blank & np.append(n_blank > 0, blank[:-1])).any()
            full = np.flatnonzero(~blank)
            names_end = 0 if n_records else length + int(ends[0]) + 1
            whole = b"".join([*parts, block[: ends[-1] + 1]])[names_end:].rstrip(b"\r\n")
            if is_sound and whole:
                take(whole)
            parts = [block[ends[-1] + 1 :]]
            n_records += len(full)
            n_blank = len(blank) - 1 - int(full[-1]) if len(full) else n_blank + len(blank)
            separators, length = int((at_separators > ends[-1]).sum()), -1 - int(ends[-1])
        else:
            parts.append(block)
            separators += len(at_separators)
        length += len(block)
        last = block[-1]
    if length:
        n_records += 1
        is_sound &= not n_blank and separators == n_columns - 1
        if is_sound and not inside and n_records > 1:
            take(b"".join(parts))
    if inside or not is_sound:
        _refuse_fault(path, separator=separator, n_columns=n_columns, name=name)
    return Records(max(n_records - 1, 0), n_blank > 0)


def _blocks_of_text(path: Path, name: str) -> Iterator[bytes]:
    """Read a file block by block, without the mark of its encoding; refuse what is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            file.seek(0)
        while block := file.read(_BLOCK):
            if not (block.isascii() and not decoder.getstate()[0]):
                try:
                    decoder.decode(block)
                except UnicodeDecodeError as error:
                    raise not_utf8(name, error.object[error.start], _line_of(path)) from None
            yield block


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
