"""Tables in files: read lazily, told apart column by column, written whole or not at all."""

from topofs.errors import import_extra

# The modules of this room import polars at their top; say here what brings it.
import_extra("polars", extra="cli", purpose="Reading and writing tables")

from topofs.tables.column_roles import ColumnRoles, LeftOutColumn  # noqa: E402
from topofs.tables.comparable_table import ComparableTable  # noqa: E402
from topofs.tables.comparing import comparable_table  # noqa: E402
from topofs.tables.numeric_table import numeric_table  # noqa: E402
from topofs.tables.opening import open_table  # noqa: E402
from topofs.tables.table import Table  # noqa: E402
from topofs.tables.writing import write_columns, write_records  # noqa: E402

__all__ = [
    "ColumnRoles",
    "ComparableTable",
    "LeftOutColumn",
    "Table",
    "comparable_table",
    "numeric_table",
    "open_table",
    "write_columns",
    "write_records",
]
