"""Columns of text that hold numbers after all: with spaces, plus signs, marks for missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from topofs.tables.exact_names import columns_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "DECIMAL_COMMA",
    "MISSING",
    "MISSING_CLASSES",
    "NumbersInText",
    "comma_hint",
    "numbers_in_text",
    "shortened",
]

MISSING_CLASSES = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
"""What stands for a missing value among words; the rest of `MISSING` may be a class there."""

MISSING = (*MISSING_CLASSES, "None", "?", "-", ".")
"""What stands for a missing value in a column that otherwise holds numbers."""

DECIMAL_COMMA = r"[+-]?[\d.]*,\d+([eE][+-]?\d+)?"
"""A number with a comma where a point should be."""

_SHOWN = 20


@dataclass(frozen=True)
class NumbersInText:
    """What columns of text turned out to hold.

    Attributes
    ----------
    types : mapping of str to polars.DataType
        The columns that hold whole numbers, numbers, or nothing at all.
    not_numbers : mapping of str to str
        The others, with what they hold.
    """

    types: Mapping[str, pl.DataType]
    not_numbers: Mapping[str, str]

    @property
    def expressions(self) -> list[pl.Expr]:
        """Turn the text of the columns in `types` into numbers."""
        return [_stripped(column).cast(t, strict=False) for column, t in self.types.items()]


def numbers_in_text(text: pl.LazyFrame, columns: Sequence[str]) -> NumbersInText:
    """Tell which columns of text hold numbers, in one pass over the rows.

    Examples
    --------
    >>> text = pl.LazyFrame({"a": [" 1", "NA"], "b": ["x", "2"], "c": ["+1.5", "2"]})
    >>> found = numbers_in_text(text, ["a", "b", "c"])
    >>> found.types, found.not_numbers
    ({'a': Int64, 'c': Float64}, {'b': "text, such as 'x'"})
    """
    if not columns:
        return NumbersInText({}, {})
    counts = text.select(
        expression for column in columns for expression in _looked_at(column)
    ).collect(engine="streaming")
    types: dict[str, pl.DataType] = {}
    not_numbers: dict[str, str] = {}
    answers = iter(counts.row(0))
    for column, given, not_whole, odd in zip(columns, answers, answers, answers, strict=True):
        if odd is not None:
            not_numbers[column] = f"text, such as {shortened(odd)!r}{comma_hint(odd)}"
        else:
            types[column] = pl.Int64() if given and not not_whole else pl.Float64()
    return NumbersInText(types, not_numbers)


def _looked_at(column: str) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """How many values are given, how many are not whole, and the first that is no number."""
    stripped = _stripped(column)
    given = stripped.is_not_null() & ~stripped.is_in(MISSING)
    not_whole = given & stripped.cast(pl.Int64, strict=False).is_null()
    odd = given & stripped.cast(pl.Float64, strict=False).is_null()
    return (
        given.sum().alias(f"{column}\0given"),
        not_whole.sum().alias(f"{column}\0not whole"),
        pl.when(odd).then(stripped).drop_nulls().first().alias(f"{column}\0odd"),
    )


def _stripped(column: str) -> pl.Expr:
    return columns_named([column]).str.strip_chars()


def comma_hint(text: str) -> str:
    """Say what to do about a number that is written with a comma.

    Examples
    --------
    >>> comma_hint("1,5"), comma_hint("oak")
    ('; numbers need a decimal point in place of the comma', '')
    """
    if re.fullmatch(DECIMAL_COMMA, text):
        return "; numbers need a decimal point in place of the comma"
    return ""


def shortened(text: str) -> str:
    """Cut a long text, to be named in a message.

    Examples
    --------
    >>> shortened("a name of many letters")
    'a name of many lett…'
    """
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
