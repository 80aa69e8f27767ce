"""CSV and its relatives as tables: the separator, the names, the type of every column.

One pass over the bytes of a delimited file, to see that every line is a record.

polars fills a short line with missing values and reads bytes that are no text where nobody
looks at them; here both are found, with the line they are in.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError
from topofs.io.table import Table, as_table_errors, columns_named
from topofs.io.text_numbers import numbers_in_text
from topofs.io.text_values import is_float

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from topofs.io.text_values import Mark


__all__ = ["Records", "check_records", "open_delimited"]


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
    (`topofs.io.text_values.MISSING`), decimal commas and thousands set apart; `decimal` says
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


_BLOCK = 1 << 20


_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


@dataclass(frozen=True)
class Records:
    """Number of records below the one of names, and what else the pass saw.

    `blank_at_end`: whether empty lines follow the last record; `is_ascii`: whether all is ASCII.
    """

    n_rows: int
    blank_at_end: bool
    is_ascii: bool = True


def check_records(path: Path, *, separator: str, n_columns: int, name: str) -> Records:
    """Make sure that every record has as many fields as there are columns, in UTF-8.

    A separator or a line break between quotation marks belongs to the field. Memory holds one
    block of the file.
    """
    scan = _Scan(name, ord(separator), n_columns)
    with path.open("rb") as file:
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            file.seek(0)
        while block := file.read(_BLOCK):
            scan.take(block)
    scan.end()
    return Records(max(scan.n_records - 1, 0), scan.n_blank > 0, scan.is_ascii)


class _Scan:
    """The state between two blocks: where the pass stands in the record it is in.

    Invariant: after `take`, everything up to the last line break outside quotation marks has
    been checked; the counts `separators` and `length` belong to the unfinished record, `last`
    is the byte before the next block, and `stray_line` the line of a quotation mark that
    began inside a field and is still open.
    """

    def __init__(self, name: str, separator: int, n_columns: int) -> None:
        self.name = name
        self.separator = separator
        self.n_columns = n_columns
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.decoded_all = True
        self.is_ascii = True
        self.inside = False
        self.separators = 0
        self.length = 0
        self.last = _NEWLINE
        self.stray_line: int | None = None
        self.n_records = 0
        self.n_blank = 0
        self.n_lines = 0
        self.record_line = 1

    def take(self, block: bytes) -> None:
        """Check the records that end in this block."""
        self._check_encoding(block)
        codes = np.frombuffer(block, dtype=np.uint8)
        is_separator, is_end = codes == self.separator, codes == _NEWLINE
        quotes = codes == _QUOTE
        stray = None
        if self.inside or quotes.any():
            stray = self._stray_mark(block, np.flatnonzero(quotes), is_separator | is_end)
            inside = (np.cumsum(quotes) + self.inside) % 2 == 1
            is_separator &= ~inside
            is_end &= ~inside
            self.inside = bool(inside[-1])
        ends = np.flatnonzero(is_end)
        if stray is not None:
            ends = ends[ends < stray]
        separators_before = np.searchsorted(np.flatnonzero(is_separator), ends)
        if len(ends):
            self._finish_records(block, codes, ends, separators_before)
        if stray is not None:
            self._refuse_mark(self._line_of_mark(block, stray))
        done = int(ends[-1]) + 1 if len(ends) else 0
        done_separators = int(separators_before[-1]) if len(ends) else 0
        self.separators += int(is_separator.sum()) - done_separators
        self.length += len(block) - done
        if done:
            self.record_line = self.n_lines + block[:done].count(b"\n") + 1
        self.n_lines += block.count(b"\n")
        self.last = block[-1]

    def end(self) -> None:
        """Check what stands after the last line break."""
        if self.stray_line is not None:
            self._refuse_mark(self.stray_line)
        if self.inside:
            raise TableError(
                f"{self.name}: a quotation mark in line {self.record_line} is never closed; "
                "close it, or double it where it is part of the text"
            )
        if self.length:
            if self.n_blank:
                self._refuse_blank(self.record_line - 1)
            self._check_fields(self.separators + 1, self.record_line)
            self.n_records += 1

    def _stray_mark(
        self, block: bytes, marks: npt.NDArray[np.intp], is_break: npt.NDArray[np.bool_]
    ) -> int | None:
        """Find the first quotation that begins inside a field and goes on beyond its end."""
        opened = marks[int(self.inside) :: 2]
        before = np.frombuffer(block, dtype=np.uint8)[opened - 1]
        if len(opened) and opened[0] == 0:
            before[0] = self.last
        # A mark after another one is the second of a doubled mark.
        stray = opened[~np.isin(before, (self.separator, _NEWLINE, _QUOTE))]
        if self.stray_line is not None:
            stray = np.concatenate([[-1], stray])
        if not len(stray):
            return None
        end = len(block)
        marks, breaks = np.append(marks, end), np.append(np.flatnonzero(is_break), end)
        closes = marks[np.searchsorted(marks, stray, side="right")]
        first = _first(breaks[np.searchsorted(breaks, stray)] < closes)
        if first is not None:
            return int(stray[first])
        still_open = closes[-1] == end
        self.stray_line = self._line_of_mark(block, int(stray[-1])) if still_open else None
        return None

    def _line_of_mark(self, block: bytes, at: int) -> int:
        """The line of a mark in this block; the one still open before it is at −1."""
        if at < 0 and self.stray_line is not None:
            return self.stray_line
        return self.n_lines + block[:at].count(b"\n") + 1

    def _refuse_mark(self, line: int) -> None:
        raise TableError(
            f"{self.name}: line {line} has a quotation mark inside a field, such as the inch "
            'mark of 5"; put the whole field between quotation marks and double the one '
            'inside: "5"""'
        )

    def _finish_records(
        self,
        block: bytes,
        codes: npt.NDArray[np.uint8],
        ends: npt.NDArray[np.intp],
        separators_before: npt.NDArray[np.intp],
    ) -> None:
        separators = np.diff(separators_before, prepend=0)
        lengths = np.diff(ends, prepend=-1) - 1
        separators[0] += self.separators
        lengths[0] += self.length
        before = codes[ends - 1]
        if ends[0] == 0:
            before[0] = self.last
        blank = (lengths == 0) | ((lengths == 1) & (before == _RETURN))
        wrong = (separators != self.n_columns - 1) & ~blank
        for at in _first(wrong), _first_after_blank(blank, self.n_blank):
            if at is not None:
                line = self._line_of(block, ends, at)
                if wrong[at]:
                    self._check_fields(int(separators[at]) + 1, line)
                self._refuse_blank(line - 1)
        self.n_records += int((~blank).sum())
        full = np.flatnonzero(~blank)
        self.n_blank = (
            len(blank) - 1 - int(full[-1]) if len(full) else self.n_blank + len(blank)
        )
        self.separators = self.length = 0

    def _line_of(self, block: bytes, ends: npt.NDArray[np.intp], record: int) -> int:
        if record == 0:
            return self.record_line
        return self.n_lines + block[: int(ends[record - 1]) + 1].count(b"\n") + 1

    def _check_fields(self, n_fields: int, line: int) -> None:
        if n_fields != self.n_columns:
            fields = "1 field" if n_fields == 1 else f"{n_fields} fields"
            raise TableError(
                f"{self.name}: line {line} has {fields} and line 1 names {self.n_columns} "
                "columns; mend the line (a field that holds the separator needs quotation "
                "marks)"
            )

    def _refuse_blank(self, line: int) -> None:
        raise TableError(f"{self.name}: line {line} is empty; remove it")

    def _check_encoding(self, block: bytes) -> None:
        if self.decoded_all and block.isascii():
            return
        self.is_ascii = False
        pending = len(self.decoder.getstate()[0])
        try:
            self.decoder.decode(block)
        except UnicodeDecodeError as error:
            before = block[: max(error.start - pending, 0)]
            line = self.n_lines + before.count(b"\n") + 1
            raise not_utf8(self.name, error.object[error.start], line) from None
        self.decoded_all = not self.decoder.getstate()[0]


def not_utf8(name: str, byte: int, line: int) -> TableError:
    """Make the error for a byte that is no UTF-8."""
    return TableError(
        f"{name}: line {line} is not UTF-8 (byte 0x{byte:02x}); convert the file first, for "
        "example with: iconv -f latin1 -t utf-8"
    )


def _first(mask: npt.NDArray[np.bool_]) -> int | None:
    return int(mask.argmax()) if mask.any() else None


def _first_after_blank(blank: npt.NDArray[np.bool_], n_blank: int) -> int | None:
    """The first record that has an empty line just before it."""
    before: npt.NDArray[Any] = np.concatenate([[n_blank > 0], blank[:-1]])
    return _first(before & ~blank)
