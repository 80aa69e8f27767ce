"""Formats that keep labels apart, as tables: the labels become one more column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from topofs.errors import TableError
from topofs.tables.arrays import READERS
from topofs.tables.table import Table

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LABELS", "open_arrays"]

LABELS = "target"
"""The column that the labels are put into; the last one."""


def open_arrays(path: Path, name: str, *, kind: str, limit: int) -> Table:
    """Read a table and its labels; its columns have no names and are called x0, x1 and so on."""
    try:
        found = READERS[kind](path, max_bytes=limit)
    except TableError as error:
        # The path may be that of a temporary copy.
        raise TableError(str(error).replace(str(path), name)) from error
    columns = {f"x{i}": found.X[:, i] for i in range(found.X.shape[1])}
    frame = pl.DataFrame(columns | {LABELS: found.y})
    return Table(
        name=name,
        rows=frame.lazy(),
        n_samples=frame.height,
        schema=dict(frame.schema),
        not_numbers={LABELS: "text"} if frame.schema[LABELS] == pl.String else {},
        label=LABELS,
    )
