"""Levels of columns of names, and which columns can be compared at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.tables.given import FIRST_ROUNDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.tables.column import Column

__all__ = [
    "CONSTANT",
    "HARDLY_REPEATS",
    "MOST_LEVELS",
    "RARE",
    "ROUNDED",
    "level_codes",
    "usable_columns",
    "why_constant",
    "why_left_out",
]

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


def level_codes(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Number the levels of a nominal column from 0: missing is one, rare ones are merged."""
    levels, codes, counts = np.unique(
        values, return_inverse=True, return_counts=True, equal_nan=True
    )
    often = counts >= RARE
    # Two names and missing values in a few rows: merged, all of them would be one level.
    few = len(counts) == 3 and np.isnan(levels[-1]) and not often.any()
    if len(counts) > 2 and not often.all() and not few:
        codes = np.where(often, np.cumsum(often) - 1, often.sum())[codes]
    return np.asarray(codes, dtype=np.int64)


def usable_columns(columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    """Tell which columns can be compared with others at all: see `why_left_out`."""
    return np.array([why_left_out(column) is None for column in columns], dtype=np.bool_)


def why_left_out(column: Column) -> str | None:
    """Say why a column cannot be compared with others; None where it can.

    Numbers must vary. Names must repeat: of the values that are there, however many are missing,
    at most half are different, and one is in `RARE` rows or more; two names alone, or one that is
    there or not, need not. Beyond `MOST_LEVELS` they are too many. The one place of these reasons,
    for files and for frames.
    """
    if column.why is not None:
        return column.why
    given = column.values[~np.isnan(column.values)]
    if not len(given):
        return ALL_MISSING
    if column.nominal:
        return _why_names_are_left_out(column.values, given)
    lowest, highest = given.min(), given.max()
    return None if lowest < highest else why_constant(float(highest))


def why_constant(value: float) -> str:
    """Say why a column of numbers does not vary, from the one that it holds; NaN: it has none."""
    if np.isnan(value):
        return ALL_MISSING
    return ROUNDED if abs(value) >= FIRST_ROUNDED else CONSTANT


def _why_names_are_left_out(
    values: npt.NDArray[np.float64], given: npt.NDArray[np.float64]
) -> str | None:
    counts = np.unique(given, return_counts=True)[1]
    if len(counts) == 1 and len(given) == len(values):
        return CONSTANT
    if len(counts) > 2 and 2 * len(counts) > len(given):
        return HARDLY_REPEATS
    if len(counts) > 2 and (counts < RARE).all():
        return f"no value in {RARE} rows or more"
    too_many = level_codes(values).max() >= MOST_LEVELS
    return f"more than {MOST_LEVELS:,} names" if too_many else None
