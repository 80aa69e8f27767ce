"""Columns of any kind: what a table holds, told apart by type and put into numbers."""

from __future__ import annotations

import datetime as dt
import sys
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.tables.column import Column
from topofs.tables.given import (
    NamedArray,
    as_array,
    column_name,
    dense_values,
    is_frame,
    is_missing,
    library_of,
    named_series,
    readable_table,
    series_at,
    with_floats,
)
from topofs.tables.text_columns import TextColumn, settled_columns
from topofs.tables.text_values import is_float

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Column",
    "check_no_times",
    "has_nominal_columns",
    "has_text",
    "is_frame",
    "kind_of",
    "read_columns",
    "text_as_numbers",
    "text_column",
]

_NO_SPARSE = "similarity 'mixed', unlike 'pearson', takes"
TIMES = (dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64)


def has_nominal_columns(table: Any) -> bool:
    """Whether a data frame has a column that is not a number: text, categories, booleans."""
    if not is_frame(table):
        return False
    if library_of(table) == "polars":
        return any(not dtype.is_numeric() and str(dtype) != "Null" for dtype in table.dtypes)
    return any(not _is_pandas_number(series) for _, series in table.items())


def text_column(table: Any) -> str | None:
    """Find the first column that holds text which is not a number."""
    if is_frame(table):
        columns = [(name, series.to_list()) for name, series in named_series(table)]
    elif isinstance(table, np.ndarray) and table.ndim == 2:
        columns = [(f"x{i}", column.tolist()) for i, column in enumerate(table.T)]
    else:
        return None
    for name, values in columns:
        if any(isinstance(value, str) and not is_float(value) for value in values):
            return name
    return None


def check_no_times(table: Any) -> None:
    """Refuse a frame with a column of parsed dates or times, which is no number; such an array."""
    if isinstance(table, np.ndarray) and table.dtype.kind in "mM":
        raise _refusal("x0", "timestamps")
    if is_frame(table):
        for name, dtype in zip(table.columns, table.dtypes, strict=True):
            if _is_time(dtype):
                raise _refusal(column_name(name), "timestamps")


def has_text(table: Any) -> bool:
    """Whether a frame or an array holds text, of which only reading tells if it is numbers."""
    if is_frame(table):
        return any(
            any(isinstance(value, str) for value in series_at(table, i).to_list())
            for i, dtype in enumerate(table.dtypes)
            if _may_hold_text(dtype)
        )
    if not isinstance(table, np.ndarray):
        return False
    kind = table.dtype.kind
    return kind in "UT" or (kind == "O" and any(isinstance(v, str) for v in table.flat))


def _may_hold_text(dtype: Any) -> bool:
    word = str(dtype).partition("(")[0]
    return word in {"object", "Object", "String"} or word.startswith(("str", "large_str"))


def read_columns(table: Any, *, names: Sequence[str] | None = None) -> list[Column]:
    """Tell the columns of a table (a frame, or what numpy makes a table of) apart, as numbers.

    Amounts are numbers, whatever their type. Ordered categories (an ordered pandas
    categorical, a polars Enum) become ranks. Text, booleans and other categories are
    nominal; but text that is numbers becomes numbers, with decimal commas and thousands set
    apart, too, and dates, and text that is mostly numbers, take no part. Values that are of several
    types, nested, infinite or too large are a ValueError that names the column. `names` are
    those of the columns of an array.
    """
    table = readable_table(table, names=names)
    if isinstance(table, NamedArray):
        table, names = table.values, table.names
    return settled_columns(_columns(dense_values(table, what=_NO_SPARSE), names))


def text_as_numbers(
    table: Any, *, names: Sequence[str] | None, advice: str
) -> tuple[Any, tuple[Column, ...]]:
    """Put numbers and truth values in the place of the columns of text that hold them.

    A column of other text is refused with its name and with `advice`, the rest of the sentence.
    The columns are given, too, as they tell how their numbers were written. `names` are those of
    the columns of an array.
    """
    found = _columns(table, names)
    settled = settled_columns(found)
    read = {}
    for i, (text, column) in enumerate(zip(found, settled, strict=True)):
        if not isinstance(text, TextColumn):
            continue
        if column.nominal and not text.holds_truth:
            raise ValueError(f"column {column.name!r} holds {column.why or 'text'}, {advice}")
        read[i] = column
    numbers = with_floats(table, {i: column.values for i, column in read.items()})
    said = [column for column in read.values() if column.written or column.hint]
    return numbers, tuple(said)


def _columns(table: Any, names: Sequence[str] | None) -> list[Column | TextColumn]:
    """The columns of a readable table; what text means depends on all of them."""
    if is_frame(table):
        read = _polars_column if library_of(table) == "polars" else _pandas_column
        return [read(name, series) for name, series in named_series(table)]
    values = as_array(table)
    if values.dtype.kind in "mM":
        raise _refusal("x0" if names is None else names[0], "timestamps")
    if values.ndim != 2:
        raise ValueError(f"a table has rows and columns; got the shape {values.shape}")
    called = [f"x{i}" for i in range(values.shape[1])] if names is None else names
    if np.issubdtype(values.dtype, np.number) and not np.iscomplexobj(values):
        rows = np.ascontiguousarray(values.T, dtype=np.float64)
        return [
            Column(name, nominal=False, values=row)
            for name, row in zip(called, rows, strict=True)
        ]
    return [_object_column(name, row) for name, row in zip(called, values.T, strict=True)]


def _is_pandas_number(series: Any) -> bool:
    from pandas.api import types

    if types.is_object_dtype(series.dtype):
        return all(kind_of(value) == "numbers" for value in series.dropna())
    return bool(types.is_numeric_dtype(series.dtype) and not types.is_bool_dtype(series.dtype))


def _pandas_column(name: str, series: Any) -> Column | TextColumn:
    from pandas import CategoricalDtype
    from pandas.api import types

    dtype = series.dtype
    if isinstance(dtype, CategoricalDtype):
        codes = series.cat.codes.to_numpy().astype(np.float64)
        codes[codes < 0] = np.nan
        return Column(name, not dtype.ordered, codes)
    if types.is_object_dtype(dtype):
        return _object_column(name, series.to_numpy())
    if types.is_bool_dtype(dtype) or types.is_numeric_dtype(dtype):
        if getattr(dtype, "kind", "") == "c":
            raise _refusal(name, "complex numbers")
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(name, bool(types.is_bool_dtype(dtype)), values)
    if types.is_string_dtype(dtype):
        return _object_column(name, series.to_numpy(dtype=object))
    if _is_time(dtype):
        return _time_column(name, series.isna().to_numpy())
    raise _refusal(name, f"values of type {dtype}")


def _is_time(dtype: Any) -> bool:
    """Whether a type of pandas or polars is one of dates or times."""
    if hasattr(dtype, "is_temporal"):
        return bool(dtype.is_temporal())
    return getattr(dtype, "kind", "") in "mM" or "Period" in type(dtype).__name__


def _polars_column(name: str, series: Any) -> Column | TextColumn:
    dtype = series.dtype
    if dtype.is_numeric() or str(dtype) in {"Boolean", "Null"}:
        values = series.cast(float).to_numpy().astype(np.float64)
        return Column(name, str(dtype) == "Boolean", values)
    if dtype.is_temporal():
        return _time_column(name, series.is_null().to_numpy())
    if dtype.is_nested():
        raise _refusal(name, "nested values")
    word = str(dtype).partition("(")[0]
    if word == "Enum":
        codes = series.to_physical().cast(float).to_numpy()
        return Column(name, nominal=False, values=codes.astype(np.float64))
    if word == "Categorical":
        codes = series.cast(str).rank("dense").cast(float).to_numpy()
        return Column(name, nominal=True, values=codes.astype(np.float64))
    if word in {"String", "Object"}:
        return _object_column(name, np.array(series.to_list(), dtype=object))
    raise _refusal(name, f"values of type {dtype}")


def _object_column(name: str, values: npt.NDArray[Any]) -> Column | TextColumn:
    """A column of Python objects, all of one kind."""
    values = values.astype(object)
    missing = np.array([is_missing(value) for value in values], dtype=np.bool_)
    kinds = sorted({kind_of(value) for value in values[~missing]})
    if len(kinds) > 1:
        raise ValueError(
            f"column {name!r} mixes {' and '.join(kinds)}: convert it to one type, such as text"
        )
    kind = kinds[0] if kinds else "numbers"
    if kind == "text":
        return TextColumn(name, values[~missing].tolist(), ~missing)
    if kind == "timestamps":
        return _time_column(name, missing)
    if kind not in {"booleans", "numbers"}:
        raise _refusal(name, kind)
    numbers = np.full(len(values), np.nan)
    try:
        numbers[~missing] = values[~missing].astype(np.float64)
    except OverflowError as error:
        too_large = [abs(value) > sys.float_info.max for value in values[~missing]]
        row = int(np.flatnonzero(~missing)[np.argmax(too_large)])
        raise ValueError(
            f"column {name!r} has a number in row {row} that is too large for a float: "
            "take its logarithm, or leave it missing"
        ) from error
    return Column(name, kind == "booleans", numbers)


def _time_column(name: str, missing: npt.NDArray[np.bool_]) -> Column:
    """A column of dates or times, which takes no part; its values do not matter."""
    values = np.where(missing, np.nan, np.arange(len(missing), dtype=np.float64))
    return Column(name, nominal=True, values=values, why="dates or times")


def kind_of(value: Any) -> str:
    """Say what a value of a column is, in the plural."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, (bool, np.bool_)):
        return "booleans"
    if isinstance(value, (Real, np.integer, np.floating)) or type(value).__name__ == "Decimal":
        return "numbers"
    if isinstance(value, TIMES):
        return "timestamps"
    if isinstance(value, (list, tuple, dict, set, frozenset, np.ndarray)):
        return "nested values"
    return f"values of type {type(value).__name__}"


def _refusal(name: str, kind: str) -> ValueError:
    advice = {
        "timestamps": "turn it into a number (days since a date), or leave it out",
        "nested values": "spread it over columns of its own, or leave it out",
    }.get(kind, "turn it into numbers or text, or leave it out")
    return ValueError(f"column {name!r} holds {kind}: {advice}")
