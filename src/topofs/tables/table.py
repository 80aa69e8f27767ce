"""`Table`: what is known of a table before its rows are read; `ComparableTable`: after."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topofs.tables.asking_polars import columns_named
from topofs.tables.given import NamedArray
from topofs.tables.typed_table import TypedTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from topofs.tables.column_roles import ColumnRoles, LeftOutColumn

__all__ = ["ComparableTable", "Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """A table that lies in a file, with the type of every column.

    Nothing but the description is in memory: the frames are lazy and can be read again and
    again, column by column.

    Attributes
    ----------
    name : str
        What to call it: the name of the file, or "standard input".
    rows : polars.LazyFrame
        All columns with their types, in the order of the file.
    n_samples : int
        Number of rows.
    schema : mapping of str to polars.DataType
        The type of each column, in the order of the file.
    as_written : polars.LazyFrame or None
        For text files: the same columns as the very text that the file holds, so that they
        can be written again without a change.
    not_numbers : mapping of str to str
        The columns that hold no numbers, with what they hold instead.
    not_names : frozenset of str
        The columns of text that hold no names either: dates, or what is unclear.
    dates : frozenset of str
        The columns of text that hold dates.
    stored : polars.LazyFrame or None
        The columns with the types they have in the file, where some are read as others.
    label : str or None
        For the formats that keep labels apart from the table: the column they are in.
    notes : tuple of str
        What a reader of the table may want to know.
    """

    name: str
    rows: pl.LazyFrame
    n_samples: int
    schema: Mapping[str, pl.DataType]
    as_written: pl.LazyFrame | None = None
    not_numbers: Mapping[str, str] = field(default_factory=dict)
    not_names: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()
    stored: pl.LazyFrame | None = None
    label: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the file."""
        return tuple(self.schema)

    def select(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Give the rows of some columns."""
        return self.rows.select(columns_named(columns))


@dataclass(frozen=True, eq=False)
class ComparableTable:
    """Columns of a table in the form that a similarity takes.

    Attributes
    ----------
    X : array of float64 or float32, sparse matrix, or TypedTable, shape (n_samples, n_features)
        An array in Fortran order where all columns are numbers, NaN for a missing value; a
        sparse matrix where the file holds one.
        Every column can be compared, except those that are forced, whatever they hold.
    names : tuple of str
        The columns of X, in the order of the table.
    left_out : tuple of LeftOutColumn
        The other columns of the table, in its order.
    roles : ColumnRoles
        The roles, as they apply to this table.
    notes : tuple of str
        What may matter to someone who trusts the result.
    order : array of int or None
        The rows of the table that the rows of X are, where they are not in its order.
    """

    X: Any
    names: tuple[str, ...]
    left_out: tuple[LeftOutColumn, ...]
    roles: ColumnRoles
    notes: tuple[str, ...] = ()
    order: npt.NDArray[np.intp] | None = None

    @property
    def named(self) -> NamedArray | TypedTable:
        """X with its names, as estimators take it."""
        return self.X if isinstance(self.X, TypedTable) else NamedArray(self.X, self.names)
