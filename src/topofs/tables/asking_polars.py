"""polars, asked for columns by their very names, and its complaints in one line."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import polars.selectors as cs
from polars.exceptions import PanicException, PolarsError

from topofs.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import polars as pl

__all__ = ["as_table_errors", "columns_named"]


def columns_named(names: Iterable[str]) -> pl.Expr:
    """Select the columns of exactly these names: for polars ``*`` and ``^…$`` are patterns."""
    return cs.by_name(*names).as_expr()


@contextmanager
def as_table_errors(name: str) -> Iterator[None]:
    """Turn what polars raises in the block, panics of its Rust part included, into ours."""
    try:
        yield
    except (PolarsError, PanicException) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise TableError(f"{name}: the table cannot be read ({reason})") from error
