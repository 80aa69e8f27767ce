"""Files and frames in, one typed table with its names out; columns out to a file.

What reads and writes files needs polars and is imported when it is first used; frames and
arrays do not.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from topofs.errors import import_extra
from topofs.tables.column import Column
from topofs.tables.given import NamedArray
from topofs.tables.typed_table import TypedTable, typed_table

if TYPE_CHECKING:
    from topofs.tables.column_roles import ColumnRoles, LeftOutColumn
    from topofs.tables.comparing import comparable_table
    from topofs.tables.numbers_in_table import numeric_table
    from topofs.tables.opening import open_table
    from topofs.tables.table import ComparableTable, Table
    from topofs.tables.writing import write_columns, write_records

__all__ = [
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
    "typed_table",
    "write_columns",
    "write_records",
]

# No module here has the name of what it defines, or it would take its place.
_FILES = {
    "ColumnRoles": "column_roles",
    "ComparableTable": "table",
    "LeftOutColumn": "column_roles",
    "Table": "table",
    "comparable_table": "comparing",
    "numeric_table": "numbers_in_table",
    "open_table": "opening",
    "write_columns": "writing",
    "write_records": "writing",
}


def __getattr__(name: str) -> object:
    if name not in _FILES:
        raise AttributeError(f"module 'topofs.tables' has no attribute {name!r}")
    import_extra("polars", extra="cli", purpose="Reading and writing tables")
    return getattr(import_module(f"topofs.tables.{_FILES[name]}"), name)
