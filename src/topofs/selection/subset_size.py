"""How many features to select, and which of them always."""

from __future__ import annotations

from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["column_position", "resolve_size"]


def resolve_size(
    n_features_to_select: Any, n_features: int, *, least: int = 0, auto: bool = False
) -> int:
    """Turn `n_features_to_select` into a count between 1 and `n_features`.

    Parameters
    ----------
    n_features_to_select : int, float or None
        A count; a fraction in (0, 1], rounded down but never to zero; None for half.
    n_features : int
        Number of columns.
    least : int, default=0
        Number of columns that are selected in any case.
    auto : bool, default=False
        Whether "auto", which is resolved elsewhere, is among the sizes that an error names.

    Returns
    -------
    int

    Examples
    --------
    >>> resolve_size(3, 10), resolve_size(0.25, 10), resolve_size(None, 10)
    (3, 2, 5)
    """
    given = n_features_to_select
    size = 0
    if given is None:
        size = max(1, n_features // 2)
    elif _is_whole(given):
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


def column_position(column: Any, names: Sequence[str] | None, n_features: int) -> int:
    """Find the position of a column given by name or position.

    Columns of a table without names are called x0, x1, …, as scikit-learn does.
    """
    if isinstance(column, str):
        if names is None:
            names = [f"x{position}" for position in range(n_features)]
        found = [position for position, name in enumerate(names) if name == column]
        if not found:
            near = get_close_matches(column, names, n=1)
            advice = f": did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"there is no column {column!r} among the {n_features} of X{advice}"
            )
        return found[0]
    if _is_whole(column):
        if 0 <= column < n_features:
            return int(column)
        raise ValueError(f"column {column} is not one of 0 … {n_features - 1}")
    raise ValueError(f"{column!r} is neither the name nor the position of a column")


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
