"""The columns of names, truth values and ordered categories of a table, as codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from topofs.tables.asking_polars import as_table_errors
from topofs.tables.column import Column
from topofs.tables.levels import why_left_out
from topofs.tables.text_values import MISSING_CLASSES
from topofs.terms import registered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs.tables.column_roles import ColumnRoles
    from topofs.tables.table import Table

__all__ = ["NamesInTable", "holds_names", "measures_of_names", "names_in_table"]


@dataclass(frozen=True, eq=False)
class NamesInTable:
    """The columns of names that can be compared, or are forced; the others with the reason."""

    columns: Mapping[str, Column]
    unusable: Mapping[str, str]


def holds_names(dtype: pl.DataType) -> bool:
    """Whether columns of a type are compared level by level: text, categories, truth values."""
    return dtype in (pl.String, pl.Categorical, pl.Enum, pl.Boolean)


def measures_of_names() -> str:
    """Name the measures that compare names as well as numbers."""
    able = [
        name
        for name, measure in registered("similarity").items()
        if getattr(measure, "takes_names", False)
    ]
    return " or ".join(sorted(able))


def names_in_table(table: Table, roles: ColumnRoles) -> NamesInTable:
    """Read the columns that hold names, and tell which of them can be compared.

    An Enum is a list of ordered categories; text, other categories and truth values have no
    order. Blank text counts as missing, and in a text file the marks of missing values do, as in
    its numbers. What is a date, or mostly numbers and therefore more likely a mistake, is no name.
    """
    candidates = [
        column
        for column, dtype in table.schema.items()
        if holds_names(dtype) and column not in roles.reasons
    ]
    columns: dict[str, Column] = {}
    unusable: dict[str, str] = {}
    if not candidates:
        return NamesInTable(columns, unusable)
    with as_table_errors(table.name):
        frame = table.select(candidates).collect(engine="streaming")
    for series in frame.iter_columns():
        column = _coded(_without_marks(series, in_text_file=table.as_written is not None))
        reason = why_left_out(column)
        if series.name in table.not_names:
            reason = table.not_numbers[series.name]
        if reason is None or series.name in roles.keep:
            columns[series.name] = column
        else:
            unusable[series.name] = reason
    return NamesInTable(columns, unusable)


def _without_marks(series: pl.Series, *, in_text_file: bool) -> pl.Series:
    """Leave the values missing that stand for a missing one."""
    if series.dtype != pl.String:
        return series
    stripped = series.str.strip_chars()
    if in_text_file:
        return stripped.set(stripped.is_in(MISSING_CLASSES), None)
    return series.set(stripped == "", None)


def _coded(values: pl.Series) -> Column:
    if values.dtype == pl.Boolean:
        codes = values.cast(pl.Float64)
    elif values.dtype == pl.Enum:
        codes = values.to_physical().cast(pl.Float64)
    else:
        codes = values.cast(pl.String).rank("dense").cast(pl.Float64)
    numbers = np.array(codes.to_numpy(), dtype=np.float64)
    return Column(values.name, nominal=values.dtype != pl.Enum, values=numbers)
