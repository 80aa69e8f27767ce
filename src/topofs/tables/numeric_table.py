"""The columns of a table that can be compared, as one array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError
from topofs.tables.column_roles import ColumnRoles, LeftOutColumn
from topofs.tables.complaints import as_table_errors
from topofs.tables.exact_names import columns_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.tables.table import Table

__all__ = ["NumericTable", "numeric_table"]

_FEW_ROWS = 10
_FIRST_ROUNDED = 2.0**53
_SHOWN = 3


@dataclass(frozen=True, eq=False)
class NumericTable:
    """What a selector is given, and what it is not given.

    Attributes
    ----------
    X : array of float64 or float32, shape (n_samples, n_features)
        Fortran order; NaN marks a missing value. Every column varies, except those that are
        to be kept whatever they hold.
    names : tuple of str
        The columns of X, in the order of the table.
    left_out : tuple of LeftOutColumn
        The other columns of the table, in its order.
    roles : ColumnRoles
        The roles, as they apply to this table.
    notes : tuple of str
        What may matter to someone who trusts the result.
    """

    X: npt.NDArray[np.floating[Any]]
    names: tuple[str, ...]
    left_out: tuple[LeftOutColumn, ...]
    roles: ColumnRoles
    notes: tuple[str, ...] = ()


def numeric_table(table: Table, roles: ColumnRoles | None = None) -> NumericTable:
    """Read the columns of numbers that vary; name the others with the reason.

    The rows are read in batches straight into the array: memory holds the array and a few
    batches. It is float32 where all columns are, otherwise float64.

    Parameters
    ----------
    table : Table
        An open table.
    roles : ColumnRoles, optional
        What the columns are for.

    Returns
    -------
    NumericTable

    Raises
    ------
    TableError
        There are not two rows and two such columns, or a value is infinite.

    Examples
    --------
    >>> rows = pl.LazyFrame({"a": [1, 2], "b": [0.5, 0.1], "c": [7, 7]})
    >>> from topofs.tables import Table
    >>> table = Table("tiny", rows, 2, dict(rows.collect_schema()))
    >>> numbers = numeric_table(table)
    >>> numbers.names, numbers.left_out
    (('a', 'b'), (LeftOutColumn(name='c', reason='constant', asked_for=False),))
    """
    roles = (roles or ColumnRoles()).for_table(table)
    _check_kept(table, roles)
    if table.n_samples < 2:
        rows = "one row" if table.n_samples else "no rows"
        raise TableError(f"{table.name}: has {rows}; at least two are needed")
    reasons: dict[str, str] = dict(table.not_numbers) | roles.reasons
    candidates = [column for column in table.columns if column not in reasons]
    if not candidates:
        held = "; ".join(f"{column}: {why}" for column, why in list(reasons.items())[:_SHOWN])
        raise TableError(f"{table.name}: has no column of numbers to select from ({held})")
    X = _read(table, candidates)
    lowest, highest = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    _check_finite(table.name, candidates, X, np.isinf(lowest) | np.isinf(highest))
    constant, missing = lowest == highest, np.isnan(highest)
    for column in np.flatnonzero(constant | missing):
        if candidates[column] not in roles.keep:
            found = "all missing" if missing[column] else _constant(highest[[column]])
            reasons[candidates[column]] = found
    kept = [i for i, column in enumerate(candidates) if column not in reasons]
    names = tuple(candidates[i] for i in kept)
    if (constant | missing).all():
        raise _nothing_varies(table.name, len(candidates), _constant(highest[constant]))
    _check_enough(table.name, names)
    return NumericTable(
        X=_only(X, kept),
        names=names,
        left_out=_left_out(table, roles, reasons),
        roles=roles,
        notes=table.notes + _notes(table.n_samples),
    )


def _read(table: Table, columns: Sequence[str]) -> npt.NDArray[np.floating[Any]]:
    """Fill an array batch by batch, in the order of the rows."""
    small = all(table.schema[column] == pl.Float32 for column in columns)
    kind: Any = pl.Float32 if small else pl.Float64
    X: npt.NDArray[np.floating[Any]] = np.empty(
        (table.n_samples, len(columns)), dtype=np.float32 if small else np.float64, order="F"
    )
    filled = 0
    with as_table_errors(table.name):
        numbers = table.rows.select(columns_named(columns).cast(kind))
        for batch in numbers.collect_batches(maintain_order=True, engine="streaming"):
            X[filled : filled + batch.height] = batch.to_numpy()
            filled += batch.height
    if filled != table.n_samples:
        raise TableError(
            f"{table.name}: {filled} rows were read and {table.n_samples} counted; the file "
            "was changed meanwhile, or a quotation mark in it is not closed"
        )
    return X


def _only(
    X: npt.NDArray[np.floating[Any]], columns: Sequence[int]
) -> npt.NDArray[np.floating[Any]]:
    """Keep some columns, ascending; they move to the front in place, nothing is copied."""
    for to, column in enumerate(columns):
        if to != column:
            X[:, to] = X[:, column]
    return X[:, : len(columns)]


def _check_kept(table: Table, roles: ColumnRoles) -> None:
    for column in roles.keep:
        if column in table.not_numbers:
            raise ValueError(
                f"--keep: the column {column!r} holds {table.not_numbers[column]}, not numbers; "
                "to carry it into the reduced table give it to --id"
            )


def _check_finite(
    name: str,
    columns: Sequence[str],
    X: npt.NDArray[np.floating[Any]],
    infinite: npt.NDArray[np.bool_],
) -> None:
    if infinite.any():
        first = int(infinite.argmax())
        row = int(np.isinf(X[:, first]).argmax()) + 1
        others = int(infinite.sum()) - 1
        more = f" ({others} other columns, too)" if others else ""
        raise TableError(
            f"{name}: the column {columns[first]!r} holds an infinite value in row {row}{more}; "
            "replace it, or leave the column out with --drop"
        )


def _constant(values: npt.NDArray[np.floating[Any]]) -> str:
    """Whole numbers from 2⁵³ on may differ in digits that a float64 does not hold."""
    rounded = bool((np.abs(values) >= _FIRST_ROUNDED).any())
    return "constant at double precision" if rounded else "constant"


def _nothing_varies(name: str, n_candidates: int, constant: str) -> TableError:
    which = f"all {n_candidates} columns of numbers are"
    if n_candidates == 1:
        which = "its one column of numbers is"
    return TableError(f"{name}: {which} {constant} or all missing; nothing can be compared")


def _check_enough(name: str, names: Sequence[str]) -> None:
    if len(names) == 1:
        raise TableError(
            f"{name}: has one column of numbers that varies, {names[0]!r}; at least two are "
            "needed (columns are separated by a comma, a tab, a semicolon or a bar)"
        )


def _left_out(
    table: Table, roles: ColumnRoles, reasons: dict[str, str]
) -> tuple[LeftOutColumn, ...]:
    return tuple(
        LeftOutColumn(column, reasons[column], asked_for=column in roles.reasons)
        for column in table.columns
        if column in reasons
    )


def _notes(n_samples: int) -> tuple[str, ...]:
    if n_samples < _FEW_ROWS:
        return (f"with {n_samples} rows columns look alike by chance: trust this little",)
    return ()
