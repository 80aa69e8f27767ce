"""Columns by their very names: for polars ``*`` and ``^…$`` are patterns otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars.selectors as cs

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

__all__ = ["columns_named"]


def columns_named(names: Iterable[str]) -> pl.Expr:
    """Select the columns that have exactly these names, in this order."""
    return cs.by_name(*names).as_expr()
