"""The columns of text of a file: find numbers, truth values and dates, and convert them.

`text_values` decides the meaning of the values. Here polars counts them, batch by batch, and
converts them when rows are read; dates become days since the beginning of 1970. A column of
times may also define the order of the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import polars.selectors as cs

from topofs.errors import TableError
from topofs.io.table import as_table_errors, columns_named
from topofs.io.text_values import (
    CURRENCY_FIRST,
    CURRENCY_LAST,
    GROUP_MARKS,
    MISSING,
    MULTIPLE,
    PADDED,
    PERCENT,
    WAYS,
    ZEROS,
    FormatCounts,
    decimal_mark,
    marks_disagree,
    shape_of,
    text_kind,
)
from topofs.io.types import TypedTable
from topofs.text import listed, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from topofs.io.table import ComparableTable, Table
    from topofs.io.text_values import Mark, TextKind

_ENOUGH_FOR_ZEROS = 10_000
_SHOWN = 6


@dataclass(frozen=True)
class NumbersInText:
    """The kinds of the columns of text.

    `types` has the columns of whole numbers, numbers, truth values, or missing values only, and
    `expressions` convert their text. `not_numbers` describes the other columns; among them,
    `not_names` are not names either, and `dates` are dates. `notes` describe unusual notations
    of numbers and text that is nearly a number.
    """

    types: Mapping[str, pl.DataType]
    expressions: Sequence[pl.Expr]
    not_numbers: Mapping[str, str]
    not_names: frozenset[str]
    dates: frozenset[str]
    notes: tuple[str, ...]


_WIDER: dict[pl.DataType, pl.DataType] = {
    pl.Int64(): pl.Int128(),
    pl.Int128(): pl.Float64(),
    pl.Float64(): pl.String(),
}


class TextSurvey:
    """What columns of text hold, found batch by batch.

    `kinds` has the narrowest of Int64, Int128 and Float64 that reads all values of a column,
    spaces and marks of missing values aside, or String. `seen` counts the values of columns
    that are String from their first batch on.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, pl.DataType] = {}
        self.seen: dict[str, FormatCounts] = {}
        self._given: set[str] = set()

    @property
    def types(self) -> dict[str, pl.DataType]:
        """The kinds of the columns of numbers; Float64 where all values are missing."""
        return {
            column: kind if column in self._given else pl.Float64()
            for column, kind in self.kinds.items()
            if kind != pl.String
        }

    def begin(self, column: str, kind: pl.DataType) -> None:
        """Add a column whose values so far are numbers of a kind."""
        self.kinds[column] = kind
        self._given.add(column)

    def add(self, batch: pl.DataFrame) -> None:
        """Look at the next rows of the columns of text."""
        if not batch.width:
            return
        new = [column for column in batch.columns if column not in self.kinds]
        self.kinds |= dict.fromkeys(new, pl.Int64())
        columns = [column for column in batch.columns if self.kinds[column] != pl.String]
        stripped = batch.select(columns_named(columns).str.strip_chars())
        stripped = stripped.select(pl.when(~cs.all().is_in(MISSING)).then(cs.all()))
        n_missing = {values.name: values.null_count() for values in stripped.iter_columns()}
        self._given |= {column for column, n in n_missing.items() if n < batch.height}
        while columns:
            read = stripped.select(
                columns_named([column]).cast(self.kinds[column], strict=False)
                for column in columns
            )
            columns = [
                c.name for c in read.iter_columns() if c.null_count() > n_missing[c.name]
            ]
            self.kinds |= {column: _WIDER[self.kinds[column]] for column in columns}
            columns = [column for column in columns if self.kinds[column] != pl.String]
        self.seen |= {c: FormatCounts() for c in new if self.kinds[c] == pl.String}
        _count(
            batch.select(columns_named(c for c in batch.columns if c in self.seen)), self.seen
        )


def numbers_in_text(
    text: pl.LazyFrame,
    columns: Sequence[str],
    *,
    floats: Sequence[str] = (),
    whole: Sequence[str] = (),
    decimal: Mark | None = None,
    survey: TextSurvey | None = None,
) -> NumbersInText:
    """Tell which columns of text hold numbers, in one pass over the rows, or in a few.

    `columns` are not yet known to be numbers; `floats` are numbers if the point is the decimal
    mark, `whole` in any case. The `decimal` mark is detected if it is not given. `survey` has
    looked at `columns`; without one this function does.
    """
    if survey is None:
        survey = TextSurvey()
        for batch in _batches(text, columns):
            survey.add(batch)
    types = {column: kind for column, kind in survey.types.items() if column in set(columns)}
    padded = _padded(text, [*whole, *(c for c, kind in types.items() if kind == pl.Int64)])
    others = [column for column in columns if column not in types]
    points = [*floats, *(c for c, kind in types.items() if kind == pl.Float64)]
    if decimal == ",":
        others, points = [*points, *others], []
    later = _seen(text, [column for column in others if column not in survey.seen])
    seen = {column: survey.seen.get(column) or later[column] for column in others}
    likely = decimal_mark(seen.values())
    if likely == "," and points:
        # A file usually has one decimal mark, so points are then thousands separators.
        looked_at = _seen(text, points)
        seen |= {c: s for c, s in looked_at.items() if s.of("1.234") and not s.of("1.5")}
    elif likely is None and points and not marks_disagree(seen.values()):
        likely = "."
    kinds = {c: text_kind(shapes, decimal=decimal, likely=likely) for c, shapes in seen.items()}
    numbers = {c: kind for c, kind in kinds.items() if kind.holds == "numbers"}
    truths = [c for c, kind in kinds.items() if kind.holds == "truth values"]
    not_numbers = {c: k for c, k in kinds.items() if c not in numbers and c not in truths}
    padded |= {c: s.example("padded") for c, s in seen.items() if s.of("padded")}
    padded = {c: example for c, example in padded.items() if c not in kinds or c in numbers}

    types = {c: kind for c, kind in types.items() if c not in not_numbers}
    types |= dict.fromkeys(numbers, pl.Float64())
    expressions = [
        (_number(c, numbers[c].decimal, seen[c]) if c in numbers else _stripped(c)).cast(
            kind, strict=False
        )
        for c, kind in types.items()
    ]
    return NumbersInText(
        types=types | dict.fromkeys(truths, pl.Boolean()),
        expressions=[*expressions, *map(_truth, truths)],
        not_numbers={c: _with_option(kind) for c, kind in not_numbers.items()},
        not_names=frozenset(c for c, kind in not_numbers.items() if kind.holds != "names"),
        dates=frozenset(c for c, kind in not_numbers.items() if kind.holds == "dates"),
        notes=tuple(notes_of_text(numbers, seen, not_numbers, padded)),
    )


def _padded(text: pl.LazyFrame, columns: Sequence[str]) -> dict[str, str]:
    """Find the columns of whole numbers with zeros before one of the first, and such a number."""
    if not columns:
        return {}
    head = text.select(columns_named(columns)).head(_ENOUGH_FOR_ZEROS)
    found = head.select(
        stripped.filter(stripped.str.contains(PADDED.pattern)).first()
        for stripped in map(_stripped, columns)
    )
    examples = found.collect(engine="streaming").row(0)
    return {c: repr(shortened(e)) for c, e in zip(columns, examples, strict=True) if e}


def _seen(text: pl.LazyFrame, columns: Sequence[str]) -> dict[str, FormatCounts]:
    """Count the values of some columns, in one pass; memory holds a batch of rows."""
    seen = {column: FormatCounts() for column in columns}
    for batch in _batches(text, columns):
        _count(batch, seen)
    return seen


def _batches(text: pl.LazyFrame, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    if columns:
        rows = text.select(columns_named(columns))
        yield from rows.collect_batches(maintain_order=True, engine="streaming")


def _count(batch: pl.DataFrame, seen: Mapping[str, FormatCounts]) -> None:
    """Count the values of a batch by column."""
    for series in batch.iter_columns():
        counted = series.drop_nulls().to_frame().group_by("*", maintain_order=True).len()
        for value, times in counted.iter_rows():
            seen[series.name].add(value, times)


def _stripped(column: str) -> pl.Expr:
    return columns_named([column]).str.strip_chars()


def _is_given(stripped: pl.Expr) -> pl.Expr:
    return stripped.is_not_null() & ~stripped.is_in(MISSING)


def _truth(column: str) -> pl.Expr:
    stripped = _stripped(column)
    return pl.when(_is_given(stripped)).then(stripped.str.to_lowercase() == "true")


def _number(column: str, mark: Mark, seen: FormatCounts) -> pl.Expr:
    """The text of numbers as polars reads it; `text_values.as_number` is its twin in Python."""
    plain = _stripped(column)
    if seen.of("currency"):
        plain = plain.str.replace(CURRENCY_FIRST.pattern, "${1}${3}")
        plain = plain.str.replace(CURRENCY_LAST.pattern, "${1}")
    if seen.of("%"):
        plain = plain.str.replace(PERCENT.pattern, "${1}")
    bare = plain.str.replace(MULTIPLE.pattern, "${1}") if seen.of("k") else plain
    bare = bare.str.replace_all(GROUP_MARKS, "")
    if mark == ",":
        bare = bare.str.replace_all(".", "", literal=True)
        bare = bare.str.replace_all(",", ".", literal=True)
    else:
        bare = bare.str.replace_all(",", "", literal=True)
    if seen.of("k"):
        letter = plain.str.extract(MULTIPLE.pattern, 2)
        bare = bare + letter.replace_strict(ZEROS, default=None).fill_null("")
    return bare


def notes_of_text(
    numbers: Mapping[str, TextKind],
    seen: Mapping[str, FormatCounts],
    not_numbers: Mapping[str, TextKind],
    padded: Mapping[str, str],
) -> Iterator[str]:
    """Describe unusual notations of numbers, and text that is nearly a number."""
    unusual = {column: seen[column].unusual(kind.decimal) for column, kind in numbers.items()}
    for way, words in WAYS.items():
        written = {column: found[way] for column, found in unusual.items() if way in found}
        if written:
            otherwise = {",": ".", ".": ","}.get(way)
            option = f" (--decimal {otherwise} reads the comma otherwise)" if otherwise else ""
            yield (
                f"numbers with {words} in {_listed(written)}, such as "
                f"{next(iter(written.values()))}, are read as such{option}"
            )
    nearly = {c: (k.holds, k.mistaken) for c, k in not_numbers.items() if k.mistaken}
    if among := {c: example for c, (holds, example) in nearly.items() if holds == "unclear"}:
        yield (
            f"text such as {next(iter(among.values()))} among the numbers of {_listed(among)}: "
            "left out; leave such cells empty to have the numbers compared"
        )
    if beside := {c: example for c, (holds, example) in nearly.items() if holds == "names"}:
        yield (
            f"text such as {next(iter(beside.values()))} in {_listed(beside)} is taken "
            "for names; write plain numbers to have amounts compared"
        )
    if padded:
        yield (
            f"numbers such as {next(iter(padded.values()))} in {_listed(padded)} begin "
            "with zeros, as identifiers and codes do: if they are, leave them out with --drop"
        )


def _listed(columns: Mapping[str, object]) -> str:
    return listed(list(columns), most=_SHOWN, quoted=True)


def _with_option(kind: TextKind) -> str:
    """Describe the values of a column, with the option that changes their meaning."""
    if kind.holds == "dates":
        return f"{kind.words}; --dates numbers uses them"
    return f"{kind.words}; --decimal says which" if kind.settled_by_mark else kind.words


# Dates as numbers

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE_PARTS = re.compile(r"([0-9]+)([-/.])([0-9]+)(?:[-/.]([0-9]+))?(.*)")
_TIME_PARTS = re.compile(
    r"[T ]([0-9]+):([0-9]+)(?::([0-9]+)(?:[.,]([0-9]+))?)?(?: ?([AaPp])[Mm])?"
    r"(Z| ?[+-][0-9]{2}:?[0-9]{2})?"
)


def with_dates_as_numbers(table: Table) -> Table:
    """Turn the columns of dates of a table into days, from any form."""
    expressions = {
        column: _days(column, dtype)
        for column, dtype in table.schema.items()
        if dtype.is_temporal()
    }
    for column in table.dates:
        with as_table_errors(table.name):
            values = table.select([column]).unique().collect().to_series().to_list()
        texts = [text for text in values if text is not None]
        try:
            days = days_of_text([text.strip() for text in texts])
        except ValueError as error:
            raise TableError(f"{table.name}: the dates of {column!r} {error}") from None
        expressions[column] = columns_named([column]).replace_strict(
            texts, days, default=None, return_dtype=pl.Float64
        )
    if not expressions:
        return table
    return replace(
        table,
        rows=table.rows.with_columns(expressions.values()),
        schema={c: pl.Float64() if c in expressions else t for c, t in table.schema.items()},
        not_numbers={c: w for c, w in table.not_numbers.items() if c not in expressions},
        not_names=table.not_names - table.dates,
        dates=frozenset(),
    )


def _days(column: str, dtype: pl.DataType) -> pl.Expr:
    """Days from a date, a time stamp, a time of the day or a span of time."""
    physical = columns_named([column]).to_physical().cast(pl.Float64)
    if dtype == pl.Date:
        return physical
    unit = "ns" if dtype == pl.Time else getattr(dtype, "time_unit", "us")
    return physical / {"ms": 86400e3, "us": 86400e6, "ns": 86400e9}[unit]


def days_of_text(texts: Sequence[str]) -> list[float | None]:
    """Turn the dates of a column into days; None where one is missing.

    If both day and month are small numbers, the column must decide: with points the first is
    the day, otherwise a number above 12 is.
    """
    found = [_DATE_PARTS.fullmatch(text) for text in texts if text not in MISSING]
    short = [parts for parts in found if parts is not None and len(parts[1]) < 4]
    day_first = any(p[2] == "." or int(p[1]) > 12 for p in short)
    month_first = any(p[2] != "." and int(p[3]) > 12 for p in short)
    if short and day_first == month_first:
        raise ValueError(
            f"such as {short[0].string!r} may have the day first or the month: write them as "
            "2024-12-31"
        )
    return [None if text in MISSING else _day(text, day_first=day_first) for text in texts]


def _day(text: str, *, day_first: bool) -> float:
    parts = _DATE_PARTS.fullmatch(text)
    if parts is None or shape_of(text) != "date":
        raise ValueError(f"include {shortened(text)!r}, which is none: write it as 2024-12-31")
    first, second, third = int(parts[1]), int(parts[3]), int(parts[4] or 1)
    year, month, day = (first, second, third) if len(parts[1]) == 4 else (third, second, first)
    if len(parts[1]) < 4 and not day_first:
        month, day = day, month
    try:
        days = (date(year, month, day) - _EPOCH.date()).days
    except ValueError:
        raise ValueError(f"include {text!r}, a day that does not exist: mend it") from None
    return days + _part_of_day(parts[5])


def _part_of_day(text: str) -> float:
    """A time as a part of the day, in universal time where a zone is given."""
    parts = _TIME_PARTS.fullmatch(text)
    if parts is None:
        return 0.0
    hour, minute, second = (int(parts[i] or 0) for i in (1, 2, 3))
    if parts[5]:
        hour = hour % 12 + 12 * (parts[5] in "pP")
    seconds = 3600 * hour + 60 * minute + second + float(f"0.{parts[4] or 0}")
    zone = (parts[6] or "Z").strip().replace(":", "")
    if zone != "Z":
        away = 3600 * int(zone[1:3]) + 60 * int(zone[3:5])
        seconds -= away if zone[0] == "+" else -away
    return seconds / 86400


# Rows in the order of time

_MONTH = re.compile(r"\d{4}-\d{2}")
_NANOSECONDS = re.compile(r"[.,]\d{6}(\d+)")
_FIRST_DAY = datetime(1, 1, 1, tzinfo=UTC)


def in_time_order(table: Table, compared: ComparableTable) -> ComparableTable:
    """Sort the rows by the column of their times."""
    assert compared.roles.time is not None
    order = _time_order(table, compared.roles.time)
    X = compared.X
    if isinstance(X, TypedTable):
        X = X.take(order)
    else:
        X = X.tocsr()[order].tocsc() if hasattr(X, "tocsr") else X[order]
    return replace(compared, X=X, order=order)


def _time_order(table: Table, column: str) -> npt.NDArray[np.intp]:
    with as_table_errors(table.name):
        values = table.select([column]).collect(engine="streaming").to_series()
    kind = table.schema[column]
    if kind in (pl.String, pl.Categorical, pl.Enum):
        times = _nanoseconds(table.name, column, values.cast(pl.String).to_list())
        values = pl.Series(column, times, dtype=pl.Int128)
    elif not (kind.is_numeric() or kind.is_temporal()):
        raise TableError(
            f"{table.name}: the column {column!r} of --time holds {kind}; give numbers or dates"
        )
    missing = (values.is_nan() if kind.is_float() else values.is_null()).fill_null(value=True)
    if missing.any():
        raise TableError(
            f"{table.name}: the column {column!r} of --time has no value in row "
            f"{int(missing.to_numpy().argmax()) + 1}; leave such rows out"
        )
    # Rank the original values: as floats, times in nanoseconds lose their order.
    return np.argsort(values.rank("dense").to_numpy(), kind="stable")


def _nanoseconds(name: str, column: str, values: Sequence[str | None]) -> list[int | None]:
    """Nanoseconds since the beginning of the year 1, None where there is no value."""
    times: list[int | None] = []
    for row, value in enumerate(values):
        text = "" if value is None else value.strip()
        if not text:
            times.append(None)
            continue
        try:
            time = datetime.fromisoformat(f"{text}-01" if _MONTH.fullmatch(text) else text)
        except ValueError:
            raise TableError(
                f"{name}: the column {column!r} of --time holds {text!r} in row {row + 1}; give "
                "numbers, or dates such as 2024-03-31 or 2024-03-31T12:00"
            ) from None
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        # Python drops the digits beyond microseconds.
        rest = _NANOSECONDS.search(text)
        nanoseconds = int(rest[1].ljust(3, "0")[:3]) if rest else 0
        times.append((time - _FIRST_DAY) // timedelta(microseconds=1) * 1000 + nanoseconds)
    return times
