"""Columns of several kinds as numbers: `Column`, `TypedTable`, and the columns that take part.

A column of a frame or array is numbers, ordered categories (both amounts) or names (codes of
levels). `text_values` decides what text means. The columns of a table are read together,
because a table has one decimal mark.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.io.frames import (
    FIRST_ROUNDED,
    NamedArray,
    as_array,
    column_name,
    dense_values,
    from_lowest,
    infinite_value,
    is_frame,
    is_missing,
    library_of,
    named_series,
    readable_table,
    series_at,
    too_small,
    with_floats,
)
from topofs.io.text_values import (
    GROUP_MARKS,
    MISSING,
    UNITS,
    WAYS,
    FormatCounts,
    as_number,
    decimal_mark,
    hint_of,
    is_float,
    marks_disagree,
    seen_in,
    text_kind,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from topofs.io.text_values import Mark
    from topofs.typing import Bools, Doubles, Ints

RARE = 5
"""Levels of fewer samples than this are merged into one."""

MOST_LEVELS = 1000
"""A column of names with more levels than this, rare ones merged, takes no part: each level is a
row of its own in the product, and as many are an identifier's."""

CONSTANT = "constant"
ROUNDED = "constant at double precision"
ALL_MISSING = "all missing"
HARDLY_REPEATS = "names that hardly repeat, as an identifier's do"
"""Why a column takes no part."""

TIMES = (dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64)
"""The types of values that are dates or times."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table.

    `nominal` columns hold names (levels without an order) rather than amounts or ranks. `values`
    are amounts, positions of ordered categories, or codes of the levels from 0; NaN where missing.
    Infinite values are refused with a ValueError. `why` is the reason why the column takes no
    part regardless of its values (dates, or numbers mixed with text). `written` describes an
    unusual notation of numbers in text. `hint` names another possible meaning of the text.
    """

    name: str
    nominal: bool
    values: Doubles
    why: str | None = None
    written: str | None = None
    hint: str | None = None

    def __post_init__(self) -> None:
        infinite = np.isinf(self.values)
        if infinite.any():
            raise infinite_value(self.name, int(infinite.argmax()))


@dataclass(frozen=True)
class LeftOutColumn:
    """A column that takes no part in the selection.

    Attributes
    ----------
    name : str
        The column.
    reason : str
        Why, in a few words.
    asked_for : bool
        Whether the user gave it that role; if not, its values are the reason.
    """

    name: str
    reason: str
    asked_for: bool = False


def level_codes(values: Doubles) -> Ints:
    """Number the levels of a nominal column from 0, missing included; merge rare levels."""
    levels, codes, counts = np.unique(
        values, return_inverse=True, return_counts=True, equal_nan=True
    )
    merged = merged_levels(counts, last_is_missing=bool(np.isnan(levels[-1])))
    return np.asarray(merged[codes], dtype=np.int64)


def merged_levels(counts: Ints, *, last_is_missing: bool) -> Ints:
    """Number the levels of a nominal column from their counts; rare levels share a number."""
    often = counts >= RARE
    # Do not merge two names and a few missing values: they would become one level.
    few = len(counts) == 3 and last_is_missing and not often.any()
    if len(counts) > 2 and not often.all() and not few:
        return np.asarray(np.where(often, np.cumsum(often) - 1, often.sum()), dtype=np.int64)
    return np.arange(len(counts))


def usable_columns(columns: Sequence[Column]) -> Bools:
    """Tell which columns can be compared with others at all: see `why_left_out`."""
    return np.array([why_left_out(column) is None for column in columns], dtype=np.bool_)


def why_left_out(column: Column) -> str | None:
    """Give the reason why a column cannot be compared with others; None if it can.

    Numbers must vary. Names must repeat: among observed values, the number of different names
    is at most half of the number of values, and some name is in at least `RARE` rows. This does
    not apply to a column of two names, or of one name and missing values. More than
    `MOST_LEVELS` names are too many. Files and frames both use this function.
    """
    if column.why is not None:
        return column.why
    given = column.values[~np.isnan(column.values)]
    if not len(given):
        return ALL_MISSING
    if column.nominal:
        counts = np.unique(given, return_counts=True)[1]
        return why_names_are_left_out(counts, len(column.values))
    lowest, highest = given.min(), given.max()
    return None if lowest < highest else why_constant(float(highest))


def why_constant(value: float) -> str:
    """Give the reason why a column of numbers is constant, from its value; NaN: no value."""
    if np.isnan(value):
        return ALL_MISSING
    return ROUNDED if abs(value) >= FIRST_ROUNDED else CONSTANT


def why_names_are_left_out(counts: Ints, n_samples: int) -> str | None:
    """Give the reason from the counts of the names; missing values are not among them."""
    n_given = int(counts.sum())
    if not n_given:
        return ALL_MISSING
    if len(counts) == 1 and n_given == n_samples:
        return CONSTANT
    if len(counts) > 2 and 2 * len(counts) > n_given:
        return HARDLY_REPEATS
    if len(counts) > 2 and (counts < RARE).all():
        return f"no value in {RARE} rows or more"
    n_missing = n_samples - n_given
    if n_missing:
        counts = np.append(counts, n_missing)
    too_many = merged_levels(counts, last_is_missing=n_missing > 0).max() >= MOST_LEVELS
    return f"more than {MOST_LEVELS:,} names" if too_many else None


@dataclass(frozen=True, eq=False)
class TypedTable:
    """Columns of several kinds, indexed like an array: ``table[:, positions]``."""

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of columns."""
        return (len(self.columns[0].values) if self.columns else 0, len(self.columns))

    @property
    def has_nominal(self) -> bool:
        """Whether a column holds names."""
        return any(column.nominal for column in self.columns)

    @property
    def is_mixed(self) -> bool:
        """Whether a column of names takes part: names that repeat, in two levels or more.

        A table with such a column is not compared as numbers alone.
        """
        nominal = np.array([column.nominal for column in self.columns], dtype=np.bool_)
        return bool((nominal & self._usable).any())

    @property
    def numbers(self) -> Doubles:
        """All columns as an array; names as codes."""
        return np.column_stack([column.values for column in self.columns])

    @cached_property
    def left_out(self) -> dict[int, str]:
        """Positions of the columns that take no part, with the reasons."""
        reasons = ((i, why_left_out(column)) for i, column in enumerate(self.columns))
        return {i: why for i, why in reasons if why is not None}

    @property
    def _usable(self) -> Bools:
        usable = np.ones(len(self.columns), dtype=np.bool_)
        usable[list(self.left_out)] = False
        return usable

    def __getitem__(self, key: tuple[slice, Ints]) -> TypedTable:
        return TypedTable(tuple(self.columns[position] for position in key[1]))

    def take(self, rows: npt.NDArray[np.intp]) -> TypedTable:
        """Give some rows, as often as they are named."""
        return TypedTable(
            tuple(replace(column, values=column.values[rows]) for column in self.columns)
        )

    def without_values(self, columns: Bools) -> TypedTable:
        """Make some columns constant, so that they take no part."""
        return TypedTable(
            tuple(
                replace(column, values=np.zeros_like(column.values)) if out else column
                for column, out in zip(self.columns, columns, strict=True)
            )
        )

    @property
    def read_from_text(self) -> tuple[Column, ...]:
        """The columns of text with a message: see `Column`."""
        return tuple(c for c in self.columns if c.why or c.written or c.hint)

    def incomparable(self) -> tuple[Bools, Bools]:
        """Tell which columns take no part."""
        unusable = ~self._usable
        names = np.array(
            [
                c.why is not None or (c.nominal and np.unique(c.values).size > 1)
                for c in self.columns
            ],
            dtype=np.bool_,
        )
        identifiers = unusable & names
        return unusable & ~identifiers, identifiers


def typed_table(X: Any, *, names: Sequence[str] | None = None) -> TypedTable:
    """Read a table of at least two samples and one column, of numbers or names.

    `names` are the names of the columns of a table that has none.
    """
    table = TypedTable(tuple(read_columns(X, names=names)))
    n_samples, n_features = table.shape
    if n_samples < 2 or n_features < 1:
        raise too_small(n_samples, n_features)
    return table


# Columns of text


@dataclass(frozen=True, eq=False)
class _TextColumn:
    """A column of text; its meaning also depends on the other columns.

    `words` are the values that are not missing, and `given` marks their rows.
    """

    name: str
    words: list[str]
    given: Bools

    @cached_property
    def seen(self) -> FormatCounts:
        return seen_in(self.words)

    def settled(self, likely: Mark | None) -> Column:
        """Give the column as numbers or as codes of its names."""
        kind = text_kind(self.seen, likely=likely)
        hint = hint_of(self.seen, kind)
        if kind.holds == "numbers":
            values = self._read(lambda text: as_number(text, kind.decimal))
            whole = 0 < self.seen.total == self.seen.of("whole") and not self.seen.of(*UNITS)
            # An infinite value is reported before rounded values.
            if whole and FIRST_ROUNDED <= np.nanmax(np.abs(values)) < np.inf:
                values = self._from_lowest(values)
            unusual = self.seen.unusual(kind.decimal)
            ways = [f"{WAYS[way]}, such as {example}" for way, example in unusual.items()]
            written = " and ".join(ways) or None
            return Column(self.name, nominal=False, values=values, written=written, hint=hint)
        if kind.holds == "truth values":
            values = self._read(lambda text: text.lower() == "true")
            return Column(self.name, nominal=True, values=values)
        # No array of text: each row would take as much memory as the longest text.
        code: dict[str, float] = {word: i for i, word in enumerate(sorted(set(self.words)))}
        code |= {word: np.nan for word in code if not word.strip()}
        values = np.full(len(self.given), np.nan)
        values[self.given] = [code[word] for word in self.words]
        why = kind.words if kind.holds in {"dates", "unclear"} else None
        return Column(self.name, nominal=True, values=values, why=why, hint=hint)

    def _read(self, convert: Callable[[str], float]) -> Doubles:
        values = np.full(len(self.given), np.nan)
        texts = (word.strip() for word in self.words)
        values[self.given] = [np.nan if text in MISSING else convert(text) for text in texts]
        return values

    def _from_lowest(self, values: Doubles) -> Doubles:
        """Whole numbers minus their lowest, where float64 does not distinguish them."""
        exact = np.full(len(self.given), None, dtype=object)
        texts = (word.strip() for word in self.words)
        exact[self.given] = [
            None if text in MISSING else int(re.sub(GROUP_MARKS, "", text)) for text in texts
        ]
        found = from_lowest(exact)
        return values if found is None else found[0]


def _settled(columns: Sequence[Column | _TextColumn]) -> list[Column]:
    """Settle the columns of text of a table, which has one decimal mark as a rule."""
    text = [column.seen for column in columns if isinstance(column, _TextColumn)]
    likely = decimal_mark(text)
    unclear = likely is None and any(seen.of("1,234") for seen in text)
    if unclear and not marks_disagree(text):
        numbers = [c.values for c in columns if isinstance(c, Column) and not c.nominal]
        if any((v != np.round(v))[~np.isnan(v)].any() for v in numbers):
            likely = "."
    return [c.settled(likely) if isinstance(c, _TextColumn) else c for c in columns]


# Columns of frames and arrays


def has_nominal_columns(table: Any) -> bool:
    """Whether a data frame has a column that is not a number: text, categories, booleans."""
    if not is_frame(table):
        return False
    if library_of(table) == "polars":
        return any(not dtype.is_numeric() and str(dtype) != "Null" for dtype in table.dtypes)
    from pandas.api import types

    for i, dtype in enumerate(table.dtypes):
        if types.is_object_dtype(dtype):
            if any(kind_of(value) != "numbers" for value in series_at(table, i).dropna()):
                return True
        elif types.is_bool_dtype(dtype) or not types.is_numeric_dtype(dtype):
            return True
    return False


def text_column(table: Any) -> str | None:
    """Find the first column that holds text which is not a number."""
    columns: list[tuple[str, list[Any]]] = []
    if is_frame(table):
        columns = [(name, series.to_list()) for name, series in named_series(table)]
    elif isinstance(table, np.ndarray) and table.ndim == 2:
        columns = [(f"x{i}", column.tolist()) for i, column in enumerate(table.T)]
    for name, values in columns:
        if any(isinstance(value, str) and not is_float(value) for value in values):
            return name
    return None


def check_no_times(table: Any) -> None:
    """Refuse a frame with a column of parsed dates or times, which is no number; such an array."""
    if isinstance(table, np.ndarray) and table.dtype.kind in "mM":
        raise refusal("x0", "timestamps")
    if is_frame(table):
        for name, dtype in zip(table.columns, table.dtypes, strict=True):
            if _is_time(dtype):
                raise refusal(column_name(name), "timestamps")


def read_columns(table: Any, *, names: Sequence[str] | None = None) -> list[Column]:
    """Read the columns of a table (a frame, or input of numpy) as numbers.

    Amounts are numbers, whatever their type. Ordered categories (an ordered pandas
    categorical, a polars Enum) become ranks. Text, booleans and other categories are nominal.
    Text that holds numbers becomes numbers, also with decimal commas or thousands separators.
    Dates, and text that is mostly numbers, take no part. Mixed types, nested, infinite or too
    large values raise a ValueError that names the column. `names` are the names of the columns
    of an array.
    """
    table = readable_table(table, names=names)
    if isinstance(table, NamedArray):
        table, names = table.values, table.names
    table = dense_values(table, what="similarity 'mixed', unlike 'pearson', takes")
    return _settled(_columns(table, names))


def text_as_numbers(
    table: Any, *, names: Sequence[str] | None, advice: str
) -> tuple[Any, tuple[Column, ...]]:
    """Replace columns of text that hold numbers or truth values by these values.

    A column of other text is refused with its name and with `advice`, the end of the sentence.
    Also gives the columns, which describe the notation of their numbers. `names` are the names
    of the columns of an array.
    """
    if not _has_text(table):
        return table, ()
    found = _columns(table, names)
    read = {}
    for i, (text, column) in enumerate(zip(found, _settled(found), strict=True)):
        if not isinstance(text, _TextColumn):
            continue
        if column.nominal and text_kind(text.seen).holds != "truth values":
            raise ValueError(f"column {column.name!r} holds {column.why or 'text'}, {advice}")
        read[i] = column
    numbers = with_floats(table, {i: column.values for i, column in read.items()})
    return numbers, tuple(c for c in read.values() if c.written or c.hint)


def _has_text(table: Any) -> bool:
    if is_frame(table):
        for i, dtype in enumerate(table.dtypes):
            if str(dtype).startswith(
                ("object", "Object", "String", "str", "large_str")
            ) and any(isinstance(value, str) for value in series_at(table, i).to_list()):
                return True
        return False
    if not isinstance(table, np.ndarray):
        return False
    kind = table.dtype.kind
    return kind in "UT" or (kind == "O" and any(isinstance(value, str) for value in table.flat))


def _columns(table: Any, names: Sequence[str] | None) -> list[Column | _TextColumn]:
    """The columns of a readable table; the meaning of text depends on all of them."""
    if is_frame(table):
        read = _polars_column if library_of(table) == "polars" else _pandas_column
        return [read(name, series) for name, series in named_series(table)]
    values = as_array(table)
    if values.dtype.kind in "mM":
        raise refusal("x0" if names is None else names[0], "timestamps")
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


def _pandas_column(name: str, series: Any) -> Column | _TextColumn:
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
            raise refusal(name, "complex numbers")
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(name, bool(types.is_bool_dtype(dtype)), values)
    if types.is_string_dtype(dtype):
        return _object_column(name, series.to_numpy(dtype=object))
    if _is_time(dtype):
        return _time_column(name, series.isna().to_numpy())
    raise refusal(name, f"values of type {dtype}")


def _is_time(dtype: Any) -> bool:
    """Whether a type of pandas or polars is one of dates or times."""
    if hasattr(dtype, "is_temporal"):
        return bool(dtype.is_temporal())
    return getattr(dtype, "kind", "") in "mM" or "Period" in type(dtype).__name__


def _polars_column(name: str, series: Any) -> Column | _TextColumn:
    dtype = series.dtype
    if dtype.is_numeric() or str(dtype) in {"Boolean", "Null"}:
        values = series.cast(float).to_numpy().astype(np.float64)
        return Column(name, str(dtype) == "Boolean", values)
    if dtype.is_temporal():
        return _time_column(name, series.is_null().to_numpy())
    if dtype.is_nested():
        raise refusal(name, "nested values")
    word = str(dtype).partition("(")[0]
    if word == "Enum":
        codes = series.to_physical().cast(float).to_numpy()
        return Column(name, nominal=False, values=codes.astype(np.float64))
    if word == "Categorical":
        codes = series.cast(str).rank("dense").cast(float).to_numpy()
        return Column(name, nominal=True, values=codes.astype(np.float64))
    if word in {"String", "Object"}:
        return _object_column(name, np.array(series.to_list(), dtype=object))
    raise refusal(name, f"values of type {dtype}")


def _object_column(name: str, values: npt.NDArray[Any]) -> Column | _TextColumn:
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
        return _TextColumn(name, values[~missing].tolist(), ~missing)
    if kind == "timestamps":
        return _time_column(name, missing)
    if kind not in {"booleans", "numbers"}:
        raise refusal(name, kind)
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


def _time_column(name: str, missing: Bools) -> Column:
    """A column of dates or times, which takes no part; its values are not read."""
    values = np.where(missing, np.nan, np.arange(len(missing), dtype=np.float64))
    return Column(name, nominal=True, values=values, why="dates or times")


def kind_of(value: Any) -> str:
    """Name the kind of a value, in the plural."""
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


def refusal(name: str, kind: str) -> ValueError:
    """Make the error for a column of values that no measure compares."""
    advice = {
        "timestamps": "turn it into a number (days since a date), or leave it out",
        "nested values": "spread it over columns of its own, or leave it out",
    }.get(kind, "turn it into numbers or text, or leave it out")
    return ValueError(f"column {name!r} holds {kind}: {advice}")
