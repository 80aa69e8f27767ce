"""From a table to what a similarity can compare: numbers alone, or names as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topofs.tables.column_roles import ColumnRoles
from topofs.tables.mixed_table import mixed_table
from topofs.tables.names_in_table import names_in_table
from topofs.tables.numbers_in_table import numeric_table

if TYPE_CHECKING:
    from topofs.tables.table import ComparableTable, Table

__all__ = ["MEASURES_OF_NAMES", "comparable_table"]

MEASURES_OF_NAMES = ("auto", "mixed")
"""The similarities that compare names as well as numbers."""


def comparable_table(
    table: Table, roles: ColumnRoles | None = None, *, similarity: str = "auto"
) -> ComparableTable:
    """Read the columns that a similarity can compare; name the others with the reason.

    Parameters
    ----------
    table : Table
        An open table.
    roles : ColumnRoles, optional
        What the columns are for.
    similarity : str, default="auto"
        "mixed" takes numbers, ordered categories and names; "auto" does where there are
        names to compare; others take numbers alone, and truth values as 0 and 1.

    Returns
    -------
    ComparableTable
        Without names an array, and no more memory than that.

    Raises
    ------
    TableError
        There are not two rows and two such columns, or a value is infinite.

    Examples
    --------
    >>> import polars as pl
    >>> from topofs.tables import Table
    >>> rows = pl.LazyFrame({"age": [7, 9, 8], "kind": ["oak", "elm", "oak"], "b": [1, 5, 2]})
    >>> table = Table("trees", rows, 3, dict(rows.collect_schema()), not_numbers={"kind": "text"})
    >>> comparable_table(table).names, comparable_table(table, similarity="pearson").names
    (('age', 'kind', 'b'), ('age', 'b'))
    """
    if similarity not in MEASURES_OF_NAMES:
        return numeric_table(table, roles)
    roles = (roles or ColumnRoles()).for_table(table)
    found = names_in_table(table, roles)
    if similarity == "auto" and not found.columns:
        return numeric_table(table, roles, unusable=found.unusable)
    return mixed_table(table, roles, found)
