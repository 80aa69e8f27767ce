"""Read files and frames into one typed table with names; write columns to a file.

Reading and writing files needs polars, which is imported on first use. Frames and arrays do not
need it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from topofs.errors import import_extra
from topofs.io.batches import BatchSource, scan_table
from topofs.io.frames import NamedArray
from topofs.io.types import Column, LeftOutColumn, TypedTable, typed_table

if TYPE_CHECKING:
    from topofs.io.comparable import comparable_table, numeric_table
    from topofs.io.read import open_table
    from topofs.io.table import ColumnRoles, ComparableTable, Table
    from topofs.io.write import write_columns, write_records

__all__ = [
    "BatchSource",
    "Column",
    "ColumnRoles",
    "ComparableTable",
    "LeftOutColumn",
    "NamedArray",
    "Table",
    "TypedTable",
    "comparable_table",
    "numeric_table",
    "open_table",
    "scan_table",
    "typed_table",
    "write_columns",
    "write_records",
]

# The files of names that need polars; no file has the name of what it defines.
_FILES = {
    "ColumnRoles": "table",
    "ComparableTable": "table",
    "Table": "table",
    "comparable_table": "comparable",
    "numeric_table": "comparable",
    "open_table": "read",
    "write_columns": "write",
    "write_records": "write",
}


def __getattr__(name: str) -> object:
    if name not in _FILES:
        raise AttributeError(f"module 'topofs.io' has no attribute {name!r}")
    import_extra("polars", extra="cli", purpose="Reading and writing tables")
    return getattr(import_module(f"topofs.io.{_FILES[name]}"), name)
