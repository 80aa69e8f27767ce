"""The values of one column, as labels or as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError
from topofs.tables.asking_polars import as_table_errors
from topofs.tables.names_in_table import holds_names
from topofs.tables.text_values import MISSING_CLASSES

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.tables.table import Table

__all__ = ["column_values"]


def column_values(table: Table, column: str) -> npt.NDArray[Any]:
    """Read one column of a table: float64, or labels as objects, with None where one is missing."""
    kind = table.schema[column]
    with as_table_errors(table.name):
        series = table.select([column]).collect(engine="streaming").to_series()
    if kind.is_numeric():
        return np.asarray(series.cast(pl.Float64).to_numpy())
    if not holds_names(kind):
        held, advice = table.not_numbers.get(column, kind), ""
        if kind.is_temporal():
            held, advice = "dates or times", "; --dates numbers makes days of dates"
        raise TableError(
            f"{table.name}: the column {column!r} holds {held}; a target is a number, a class or a "
            f"truth value{advice}"
        )
    labels = series.cast(pl.String).str.strip_chars().to_list()
    return np.array(
        [None if label is None or label in MISSING_CLASSES else label for label in labels],
        dtype=object,
    )
