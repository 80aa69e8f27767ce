"""Numbers and names of a table side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topofs.errors import TableError
from topofs.tables.column import Column
from topofs.tables.numbers_in_table import check_rows, left_out_columns, notes_on, read_numbers
from topofs.tables.table import ComparableTable
from topofs.tables.typed_table import TypedTable

if TYPE_CHECKING:
    from topofs.tables.column_roles import ColumnRoles
    from topofs.tables.names_in_table import NamesInTable
    from topofs.tables.table import Table

__all__ = ["mixed_table"]

_SHOWN = 3


def mixed_table(table: Table, roles: ColumnRoles, found: NamesInTable) -> ComparableTable:
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
    numbers = read_numbers(
        table, [c for c in table.columns if c not in reasons and c not in found.columns]
    )
    columns = dict(found.columns) | _number_columns(numbers.names, numbers.X)
    for column, why in numbers.constant.items():
        if column not in roles.keep:
            reasons[column] = why
    names = tuple(c for c in table.columns if c in columns and c not in reasons)
    _check_enough(table, names, reasons)
    return ComparableTable(
        X=TypedTable(tuple(columns[name] for name in names)),
        names=names,
        left_out=left_out_columns(table, roles, reasons),
        roles=roles,
        notes=notes_on(table),
    )


def _number_columns(names: tuple[str, ...], X: np.ndarray) -> dict[str, Column]:
    amounts = np.asarray(X, dtype=np.float64)
    return {
        name: Column(name, nominal=False, values=amounts[:, i]) for i, name in enumerate(names)
    }


def _check_enough(table: Table, names: tuple[str, ...], reasons: dict[str, str]) -> None:
    if len(names) > 1:
        return
    held = "; ".join(f"{column}: {why}" for column, why in list(reasons.items())[:_SHOWN])
    held = f" ({held})" if held else ""
    which = (
        f"one column that can be compared, {names[0]!r}" if names else "no column to compare"
    )
    raise TableError(f"{table.name}: has {which}{held}; at least two are needed")
