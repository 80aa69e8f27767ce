"""Rows in the order of time, as a column tells it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
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


def time_order(table: Table, column: str) -> npt.NDArray[np.intp]:
    """Tell the order of the rows by a column of times."""
    with as_table_errors(table.name):
        values = table.select([column]).collect(engine="streaming").to_series()
    kind = table.schema[column]
    if kind in (pl.String, pl.Categorical, pl.Enum):
        times: Any = _from_text(table.name, column, values.cast(pl.String).to_list())
    elif kind.is_numeric() and not kind.is_nested():
        times = values.cast(pl.Float64).to_numpy()
    elif kind.is_temporal():
        times = values.to_physical().cast(pl.Float64).to_numpy()
    else:
        raise TableError(
            f"{table.name}: the column {column!r} of --time holds {kind}; give numbers or dates"
        )
    missing = np.isnan(times)
    if missing.any():
        raise TableError(
            f"{table.name}: the column {column!r} of --time has no value in row "
            f"{int(missing.argmax()) + 1}; leave such rows out"
        )
    return np.argsort(times, kind="stable")


def in_time_order(table: Table, compared: ComparableTable) -> ComparableTable:
    """Put the rows into the order of the column that tells their time."""
    assert compared.roles.time is not None
    order = time_order(table, compared.roles.time)
    X = compared.X
    if isinstance(X, TypedTable):
        return replace(compared, X=X.take(order), order=order)
    rows: Any = X.tocsr()[order].tocsc() if hasattr(X, "tocsr") else X[order]
    return replace(compared, X=rows, order=order)


def _from_text(name: str, column: str, values: list[str | None]) -> npt.NDArray[np.float64]:
    times = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        text = "" if value is None else value.strip()
        if not text:
            continue
        try:
            time = datetime.fromisoformat(f"{text}-01" if _MONTH.fullmatch(text) else text)
        except ValueError:
            raise TableError(
                f"{name}: the column {column!r} of --time holds {text!r} in row {row + 1}; give "
                "numbers, or dates such as 2024-03-31 or 2024-03-31T12:00"
            ) from None
        times[row] = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return times
