"""Rows in the order of time, as a column tells it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError
from topofs.tables.asking_polars import as_table_errors
from topofs.tables.typed_table import TypedTable

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.tables.table import ComparableTable, Table

__all__ = ["in_time_order", "time_order"]

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
