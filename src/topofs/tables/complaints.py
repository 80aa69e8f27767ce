"""The complaints of polars, in one line that names the table."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from polars.exceptions import PanicException, PolarsError

from topofs.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["as_table_errors"]


@contextmanager
def as_table_errors(name: str) -> Iterator[None]:
    """Turn what polars raises in the block, panics of its Rust part included, into ours."""
    try:
        yield
    except (PolarsError, PanicException) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise TableError(f"{name}: the table cannot be read ({reason})") from error
