"""Levels of columns of names, and which columns can be compared at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.tables.column import Column

__all__ = ["MOST_LEVELS", "RARE", "level_codes", "usable_columns"]

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
    """Tell which columns can be compared with others at all.

    Numbers that vary, and names with two to `MOST_LEVELS` levels after rare ones are merged;
    no dates.
    """
    return np.array([_is_usable(column) for column in columns], dtype=np.bool_)


def _is_usable(column: Column) -> bool:
    if column.why is not None:
        return False
    if column.nominal:
        all_different = len(np.unique(column.values)) == len(column.values) > 2
        return bool(0 < level_codes(column.values).max() < MOST_LEVELS and not all_different)
    observed = column.values[~np.isnan(column.values)]
    return len(observed) > 0 and bool(observed.min() < observed.max())
