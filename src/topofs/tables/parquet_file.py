"""Parquet files as tables: their schema says what every column holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl

from topofs.tables.arrays.checked import bytes_of, refuse_oversize
from topofs.tables.asking_polars import as_table_errors
from topofs.tables.numbers_in_text import numbers_in_text
from topofs.tables.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from topofs.tables.text_values import Mark

__all__ = ["kind_of", "open_parquet"]


def open_parquet(path: Path, name: str, *, decimal: Mark | None, limit: int) -> Table:
    """Open a Parquet file."""
    stored = pl.scan_parquet(path, glob=False)
    with as_table_errors(name):
        schema = dict(stored.collect_schema())
        n_samples = stored.select(pl.len()).collect().item()
        refuse_oversize(name, "the table", bytes_of((n_samples, len(schema))), limit)
        in_text = numbers_in_text(
            stored, [c for c, t in schema.items() if t == pl.String], decimal=decimal
        )
    return Table(
        name=name,
        rows=stored.with_columns(in_text.expressions),
        n_samples=n_samples,
        schema=schema | dict(in_text.types),
        not_numbers={
            column: in_text.not_numbers.get(column, kind)
            for column, dtype in schema.items()
            if column not in in_text.types and (kind := kind_of(dtype)) is not None
        },
        not_names=in_text.not_names,
        dates=in_text.dates,
        stored=stored,
        notes=(*_notes(path, schema), *in_text.notes),
    )


def kind_of(dtype: pl.DataType) -> str | None:
    """Say what a column holds in place of numbers; None for numbers."""
    if dtype.is_numeric() or dtype == pl.Boolean:
        return None
    if dtype == pl.Null:
        return "all missing"
    if dtype == pl.String:
        return "text"
    if dtype in (pl.Categorical, pl.Enum):
        return "categories"
    if dtype.is_temporal():
        return "dates or times; --dates numbers uses them"
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
