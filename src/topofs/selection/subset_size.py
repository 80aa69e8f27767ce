"""How many features to select, and which of them always."""

from __future__ import annotations

from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.tables.given import column_name
from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["column_position", "resolve_size"]


def resolve_size(
    n_features_to_select: Any, n_features: int, *, least: int = 0, auto: bool = False
) -> int:
    """Turn `n_features_to_select` into a count between 1 and `n_features`.

    A fraction is rounded down, but never to zero. `least` columns are selected in any case;
    `auto` tells whether an error names "auto", which is resolved elsewhere, among the sizes.
    """
    given = n_features_to_select
    size = 0
    if given is None:
        size = max(1, n_features // 2)
    elif is_whole(given):
        size = int(given)
    elif isinstance(given, (float, np.floating)) and 0 < given <= 1:
        # The fraction as it is written: 0.29 of 100 is 29, although 0.29 * 100 < 29.
        size = max(1, int(Decimal(str(given)) * n_features))
    if not 1 <= size <= n_features:
        or_auto = "'auto', " if auto else ""
        raise ValueError(
            f"n_features_to_select is {given!r}, but X has {n_features} features: give "
            f"{or_auto}a whole number from 1 to {n_features}, a fraction in (0, 1], or None for "
            "half"
        )
    if size < least:
        raise ValueError(
            f"keep names {least} columns, but only {size} are to be selected: raise "
            "n_features_to_select or keep fewer"
        )
    return size


def column_position(column: Any, names: Sequence[str]) -> int:
    """The position of a column given by name or position."""
    if isinstance(column, str):
        found = [position for position, name in enumerate(names) if name == column]
        if not found:
            near = get_close_matches(column, names, n=1)
            advice = f": did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"there is no column {column!r} among the {len(names)} of X{advice}"
            )
        return found[0]
    if is_whole(column):
        if 0 <= column < len(names):
            return int(column)
        name = column_name(column)
        advice = f"; give the name {name!r} for that label" if name in names else ""
        raise ValueError(f"column {column} is not one of 0 … {len(names) - 1}{advice}")
    if isinstance(column, tuple) and column_name(column) in names:
        return column_position(column_name(column), names)
    raise ValueError(f"{column!r} is neither the name nor the position of a column")
