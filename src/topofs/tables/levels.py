"""Levels of columns of names, and which columns can be compared at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.tables.column import Column

__all__ = [
    "HARDLY_REPEATS",
    "MOST_LEVELS",
    "RARE",
    "level_codes",
    "usable_columns",
    "why_incomparable",
]

HARDLY_REPEATS = "names that hardly repeat, as an identifier's do"
"""Why a column is not compared most of whose names are in one row alone."""

RARE = 5
"""Levels of fewer samples than this are merged into one."""

MOST_LEVELS = 1000
"""A column of names with more levels than this, rare ones merged, takes no part: each level is a
row of its own in the product, and as many are an identifier's."""


def level_codes(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Number the levels of a nominal column from 0: missing is one, rare ones are merged."""
    _, codes, counts = np.unique(
        values, return_inverse=True, return_counts=True, equal_nan=True
    )
    if len(counts) > 2 and (counts < RARE).any():
        often = counts >= RARE
        codes = np.where(often, np.cumsum(often) - 1, often.sum())[codes]
    return np.asarray(codes, dtype=np.int64)


def usable_columns(columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    """Tell which columns can be compared with others at all: see `why_incomparable`."""
    return np.array([why_incomparable(column) is None for column in columns], dtype=np.bool_)


def why_incomparable(column: Column) -> str | None:
    """Say why a column cannot be compared with others; None where it can.

    Numbers must vary. Names must repeat: of the values that are there, however many are missing,
    at most half are different, and one is in `RARE` rows or more; two names alone, or one that is
    there or not, need not. Beyond `MOST_LEVELS` they are too many.
    """
    if column.why is not None:
        return column.why
    given = column.values[~np.isnan(column.values)]
    if not len(given):
        return "all missing"
    if column.nominal:
        return _why_no_names(column.values, given)
    return "constant" if given.min() == given.max() else None


def _why_no_names(
    values: npt.NDArray[np.float64], given: npt.NDArray[np.float64]
) -> str | None:
    counts = np.unique(given, return_counts=True)[1]
    if len(counts) == 1 and len(given) == len(values):
        return "constant"
    if len(counts) > 2 and 2 * len(counts) > len(given):
        return HARDLY_REPEATS
    if len(counts) > 2 and (counts < RARE).all():
        return f"no value in {RARE} rows or more"
    too_many = level_codes(values).max() >= MOST_LEVELS
    return f"more than {MOST_LEVELS:,} names" if too_many else None
