"""Parquet files as tables: their schema says what every column holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl

from topofs.tables.complaints import as_table_errors
from topofs.tables.table import Table

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["kind_of", "open_parquet"]


def open_parquet(path: Path, name: str) -> Table:
    """Open a Parquet file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.parquet"
    ...     pl.DataFrame({"width": [1, 2], "kind": ["oak", "elm"]}).write_parquet(path)
    ...     open_parquet(path, "tiny.parquet").not_numbers
    {'kind': 'text'}
    """
    rows = pl.scan_parquet(path, glob=False)
    with as_table_errors(name):
        schema = dict(rows.collect_schema())
        n_samples = rows.select(pl.len()).collect().item()
    kinds = {column: kind_of(dtype) for column, dtype in schema.items()}
    return Table(
        name=name,
        rows=rows,
        n_samples=n_samples,
        schema=schema,
        not_numbers={column: kind for column, kind in kinds.items() if kind is not None},
        notes=_notes(path, schema),
    )


def kind_of(dtype: pl.DataType) -> str | None:
    """Say what a column holds in place of numbers; None for numbers.

    Examples
    --------
    >>> kind_of(pl.Int8()), kind_of(pl.Boolean()), kind_of(pl.Date())
    (None, None, 'dates or times')
    """
    if dtype.is_numeric() or dtype == pl.Boolean:
        return None
    if dtype == pl.Null:
        return "all missing"
    if dtype == pl.String:
        return "text"
    if dtype in (pl.Categorical, pl.Enum):
        return "categories"
    if dtype.is_temporal():
        return "dates or times"
    return f"values of type {dtype}"


def _notes(path: Path, schema: dict[str, pl.DataType]) -> tuple[str, ...]:
    """Name the ordered categories that pandas has written and polars reads without order."""
    try:
        described = json.loads(pl.read_parquet_metadata(path)["pandas"])["columns"]
        ordered = [
            column["name"]
            for column in described
            if (column["metadata"] or {}).get("ordered") is True
        ]
    except (LookupError, TypeError, ValueError):
        return ()
    return tuple(
        f"the order of the categories of {column!r} is lost between pandas and polars: they "
        "are names here; to keep it store their positions"
        for column in ordered
        if schema.get(column) == pl.Categorical
    )
