"""Dates as numbers: days since the beginning of 1970."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import polars as pl

from topofs.errors import TableError
from topofs.tables.asking_polars import as_table_errors, columns_named
from topofs.tables.text_values import MISSING, shape_of, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.tables.table import Table

__all__ = ["days_of_text", "with_dates_as_numbers"]

_PARTS = re.compile(r"([0-9]+)([-/.])([0-9]+)(?:[-/.]([0-9]+))?(.*)")
_TIME = re.compile(
    r"[T ]([0-9]+):([0-9]+)(?::([0-9]+)(?:[.,]([0-9]+))?)?(?: ?([AaPp])[Mm])?"
    r"(Z| ?[+-][0-9]{2}:?[0-9]{2})?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def with_dates_as_numbers(table: Table) -> Table:
    """Turn the columns of dates of a table into days, whatever form they have."""
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


def days_of_text(texts: Sequence[str]) -> list[float | None]:
    """Turn the dates of a column into days; None where one is missing.

    Which of two small numbers is the day, the column must tell: with points it is the first,
    otherwise one above 12 is.
    """
    given = [text for text in texts if text not in MISSING]
    parts = {text: _PARTS.fullmatch(text) for text in given}
    short = [p for p in parts.values() if p is not None and len(p[1]) < 4]
    day_first = any(p[2] == "." or int(p[1]) > 12 for p in short)
    month_first = any(p[2] != "." and int(p[3]) > 12 for p in short)
    if short and day_first == month_first:
        raise ValueError(
            f"such as {short[0].string!r} may have the day first or the month: write them as "
            "2024-12-31"
        )
    return [None if text in MISSING else _day(text, day_first=day_first) for text in texts]


def _day(text: str, *, day_first: bool) -> float:
    parts = _PARTS.fullmatch(text)
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
    return days + _time(parts[5])


def _time(text: str) -> float:
    """The part of a day, in universal time where a zone is given."""
    parts = _TIME.fullmatch(text)
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


def _days(column: str, dtype: pl.DataType) -> pl.Expr:
    """Days from a date, a time stamp, a time of the day or a span of time."""
    physical = columns_named([column]).to_physical().cast(pl.Float64)
    if dtype == pl.Date:
        return physical
    unit = "ns" if dtype == pl.Time else getattr(dtype, "time_unit", "us")
    return physical / {"ms": 86400e3, "us": 86400e6, "ns": 86400e9}[unit]
