"""Dates as numbers: days since the beginning of 1970.

Rows in the order of time, as a column tells it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError
from topofs.io.table import as_table_errors, columns_named
from topofs.io.text_values import MISSING, shape_of, shortened
from topofs.io.types import TypedTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.io.table import ComparableTable, Table


__all__ = ["days_of_text", "in_time_order", "time_order", "with_dates_as_numbers"]


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


_MONTH = re.compile(r"\d{4}-\d{2}")


_NANOSECONDS = re.compile(r"[.,]\d{6}(\d+)")


_FIRST = datetime(1, 1, 1, tzinfo=UTC)


_MICROSECOND = timedelta(microseconds=1)


def time_order(table: Table, column: str) -> npt.NDArray[np.intp]:
    """Tell the order of the rows by a column of times."""
    with as_table_errors(table.name):
        values = table.select([column]).collect(engine="streaming").to_series()
    kind = table.schema[column]
    if kind in (pl.String, pl.Categorical, pl.Enum):
        values = _from_text(table.name, column, values.cast(pl.String).to_list())
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
    # Ranks of the values as they are: as floats, times in nanoseconds lose their order.
    return np.argsort(values.rank("dense").to_numpy(), kind="stable")


def in_time_order(table: Table, compared: ComparableTable) -> ComparableTable:
    """Put the rows into the order of the column that tells their time."""
    assert compared.roles.time is not None
    order = time_order(table, compared.roles.time)
    X = compared.X
    if isinstance(X, TypedTable):
        return replace(compared, X=X.take(order), order=order)
    rows: Any = X.tocsr()[order].tocsc() if hasattr(X, "tocsr") else X[order]
    return replace(compared, X=rows, order=order)


def _from_text(name: str, column: str, values: list[str | None]) -> pl.Series:
    """Nanoseconds since the beginning of the year 1, null where there is no value."""
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
        # Python leaves out the digits beyond microseconds.
        rest = _NANOSECONDS.search(text)
        nanoseconds = int(rest[1].ljust(3, "0")[:3]) if rest else 0
        times.append((time - _FIRST) // _MICROSECOND * 1000 + nanoseconds)
    return pl.Series(column, times, dtype=pl.Int128)
