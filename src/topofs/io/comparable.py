"""From a table to what a measure can compare: numbers alone, or names as well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from topofs.errors import TableError
from topofs.io.annotated import AnnotatedTable, annotated_table
from topofs.io.numeric_table import (
    check_rows,
    compared,
    numeric_table,
    read_numbers,
    some_reasons,
)
from topofs.io.table import ColumnRoles, NamesInTable, names_in_table
from topofs.io.types import Column, TypedTable

if TYPE_CHECKING:
    from topofs.io.table import ComparableTable, Table

__all__ = ["ColumnTaker", "comparable_table"]


class ColumnTaker(Protocol):
    """What a measure says of the columns it takes: see `topofs.Measure`."""

    @property
    def takes_names(self) -> bool:
        """Whether columns may be names and categories."""

    @property
    def takes_arrays(self) -> bool:
        """Whether the table may be an array of numbers."""


def comparable_table(
    table: Table, roles: ColumnRoles | None = None, *, measure: ColumnTaker
) -> ComparableTable:
    """Read the columns that a measure can compare; name the others with the reason.

    Which measure "auto" stands for is not decided here: a table with names is handed over
    with its names.

    Parameters
    ----------
    table : Table
        An open table.
    roles : ColumnRoles, optional
        What the columns are for.
    measure : Measure
        One that takes names gets numbers, ordered categories and names; others get numbers
        alone, and truth values as 0 and 1.

    Returns
    -------
    ComparableTable
        With an array, and no more memory than that, where there are numbers only and the
        measure takes them so.

    Raises
    ------
    TableError
        There are not two rows and two such columns, or a value is infinite.

    Examples
    --------
    >>> import polars as pl
    >>> from topofs import Auto, Pearson
    >>> from topofs.io import Table
    >>> rows = pl.LazyFrame({"age": [7, 9, 8], "kind": ["oak", "elm", "oak"], "b": [1, 5, 2]})
    >>> table = Table("trees", rows, 3, dict(rows.collect_schema()), not_numbers={"kind": "text"})
    >>> [comparable_table(table, measure=measure).names for measure in (Auto(), Pearson())]
    [('age', 'kind', 'b'), ('age', 'b')]
    """
    if isinstance(table, AnnotatedTable):
        return annotated_table(table, roles)
    if not measure.takes_names:
        return numeric_table(table, roles)
    roles = (roles or ColumnRoles()).for_table(table)
    found = names_in_table(table, roles)
    if measure.takes_arrays and not found.columns:
        return numeric_table(table, roles, unusable=found.unusable)
    return _mixed_table(table, roles, found)


def _mixed_table(table: Table, roles: ColumnRoles, found: NamesInTable) -> ComparableTable:
    """Put the numbers of a table, columns of one array, beside its names, in the table's order."""
    check_rows(table)
    others = {c: why for c, why in table.not_numbers.items() if c not in found.columns}
    reasons = others | dict(found.unusable) | roles.reasons
    for column in roles.keep:
        if column in reasons:
            raise ValueError(
                f"--keep: the column {column!r} cannot be compared ({reasons[column]}); to carry "
                "it into the reduced table give it to --id"
            )
    amounts = [c for c in table.columns if c not in reasons and c not in found.columns]
    numbers = read_numbers(table, amounts)
    X = np.asarray(numbers.X, dtype=np.float64)
    columns = dict(found.columns) | {
        name: Column(name, nominal=False, values=X[:, i]) for i, name in enumerate(amounts)
    }
    reasons |= {c: why for c, why in numbers.constant.items() if c not in roles.keep}
    names = tuple(c for c in table.columns if c in columns and c not in reasons)
    if len(names) < 2:
        which = (
            f"one column that can be compared, {names[0]!r}"
            if names
            else "no column to compare"
        )
        held = f" ({some_reasons(reasons)})" if reasons else ""
        raise TableError(f"{table.name}: has {which}{held}; at least two are needed")
    mixed = TypedTable(tuple(columns[name] for name in names))
    compared_columns = compared(table, roles, reasons, X=mixed, names=names)
    notes = (*compared_columns.notes, *numbers.notes)
    return replace(compared_columns, notes=notes)
