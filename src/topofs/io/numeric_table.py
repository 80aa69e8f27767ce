"""The columns of numbers of a table, as one array."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError
from topofs.io.frames import FIRST_ROUNDED, from_lowest
from topofs.io.hints import hints_of_numbers
from topofs.io.table import (
    ColumnRoles,
    ComparableTable,
    LeftOutColumn,
    as_table_errors,
    holds_names,
    measures_of_names,
)
from topofs.io.types import CONSTANT, ROUNDED, why_constant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from topofs.io.table import Table

__all__ = [
    "Numbers",
    "check_rows",
    "compared",
    "numeric_table",
    "read_numbers",
    "some_reasons",
]

_FEW_ROWS = 10
_SHOWN = 3
_LONG_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class Numbers:
    """Columns of float64 or float32 in Fortran order, all finite or NaN; why some do not vary.

    Whole numbers beyond 2⁵³ are counted from the lowest of their column; `rounded` are the columns
    whose values float64 does not tell apart even so.
    """

    X: npt.NDArray[np.floating[Any]]
    constant: Mapping[str, str]
    rounded: Sequence[str] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader may want to know of the columns."""
        if not self.rounded:
            return ()
        more = f" and {len(self.rounded) - 1} more" if len(self.rounded) > 1 else ""
        return (
            f"the whole numbers in {self.rounded[0]!r}{more} span more than 2**53: some that "
            "differ count as equal",
        )


def numeric_table(
    table: Table,
    roles: ColumnRoles | None = None,
    *,
    unusable: Mapping[str, str] | None = None,
) -> ComparableTable:
    """Read the columns of numbers that vary; name the others with the reason.

    The rows are read in batches straight into the array: memory holds the array and a few
    batches. It is float32 where all columns are, otherwise float64.

    Parameters
    ----------
    table : Table
        An open table.
    roles : ColumnRoles, optional
        What the columns are for.
    unusable : mapping of str to str, optional
        Further columns to leave out, with the reason.

    Returns
    -------
    ComparableTable
        With an array.

    Raises
    ------
    TableError
        There are not two rows and two such columns, or a value is infinite.

    Examples
    --------
    >>> rows = pl.LazyFrame({"a": [1, 2], "b": [0.5, 0.1], "c": [7, 7]})
    >>> from topofs.io import Table
    >>> table = Table("tiny", rows, 2, dict(rows.collect_schema()))
    >>> numbers = numeric_table(table)
    >>> numbers.names, numbers.left_out
    (('a', 'b'), (LeftOutColumn(name='c', reason='constant', asked_for=False),))
    """
    roles = (roles or ColumnRoles()).for_table(table)
    _check_forced(table, roles)
    check_rows(table)
    reasons: dict[str, str] = dict(table.not_numbers) | dict(unusable or {}) | roles.reasons
    candidates = [column for column in table.columns if column not in reasons]
    if not candidates:
        held = some_reasons(reasons)
        if unusable is not None:
            raise TableError(f"{table.name}: has no column to select from ({held})")
        named = any(holds_names(table.schema[c]) for c in reasons if c not in roles.reasons)
        advice = f"; --similarity {measures_of_names()} compares names" if named else ""
        raise TableError(
            f"{table.name}: has no column of numbers to select from ({held}){advice}"
        )
    numbers = read_numbers(table, candidates)
    reasons |= {c: why for c, why in numbers.constant.items() if c not in roles.keep}
    used = [i for i, column in enumerate(candidates) if column not in reasons]
    names = tuple(candidates[i] for i in used)
    if len(numbers.constant) == len(candidates):
        raise _nothing_varies(table.name, numbers.constant)
    _check_enough(table.name, names, reasons)
    found = compared(table, roles, reasons, X=_only(numbers.X, used), names=names)
    return replace(found, notes=(*found.notes, *numbers.notes))


def read_numbers(table: Table, columns: Sequence[str]) -> Numbers:
    """Read some columns of numbers, and find those that do not vary."""
    if not columns:
        return Numbers(np.empty((table.n_samples, 0), order="F"), {})
    X = _read(table, columns)
    lowest, highest = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    rounded = []
    for i, series in _long_numbers(table, columns, lowest, highest):
        found = from_lowest(series)
        if found is not None:
            X[:, i], told_apart = found
            lowest[i], highest[i] = np.fmin.reduce(X[:, i]), np.fmax.reduce(X[:, i])
            rounded += [] if told_apart else [columns[i]]
    _check_finite(table.name, columns, X, np.isinf(lowest) | np.isinf(highest))
    constant, missing = lowest == highest, np.isnan(highest)
    reasons = {
        columns[i]: why_constant(float(highest[i]))
        for i in np.flatnonzero(constant | missing).tolist()
    }
    return Numbers(X, reasons, rounded)


def _long_numbers(
    table: Table,
    columns: Sequence[str],
    lowest: npt.NDArray[np.floating[Any]],
    highest: npt.NDArray[np.floating[Any]],
) -> Iterator[tuple[int, pl.Series]]:
    """The columns of whole numbers and decimals that float64 may have rounded, as they are.

    Many columns at once: each time, the whole of a text file is read.
    """
    beyond = np.flatnonzero((lowest <= -FIRST_ROUNDED) | (highest >= FIRST_ROUNDED)).tolist()
    kinds = [table.schema[column] for column in columns]
    long = [i for i in beyond if kinds[i].is_integer() or kinds[i].is_decimal()]
    for start in range(0, len(long), _LONG_AT_ONCE):
        some = long[start : start + _LONG_AT_ONCE]
        with as_table_errors(table.name):
            frame = table.select([columns[i] for i in some]).collect(engine="streaming")
        yield from zip(some, frame.iter_columns(), strict=True)


def check_rows(table: Table) -> None:
    """Make sure that a table has two rows."""
    if table.n_samples < 2:
        rows = "one row" if table.n_samples else "no rows"
        raise TableError(f"{table.name}: has {rows}; at least two are needed")


def compared(
    table: Table,
    roles: ColumnRoles,
    reasons: Mapping[str, str],
    *,
    X: Any,
    names: tuple[str, ...],
) -> ComparableTable:
    """Put the columns that are compared beside those that are not, and why."""
    hints = hints_of_numbers(X, names, leaving_out="with --drop")
    notes = (*table.notes, *hints)
    if table.n_samples < _FEW_ROWS:
        few = f"with {table.n_samples} rows columns look alike by chance: trust this little"
        notes = (*notes, few)
    left_out = tuple(
        LeftOutColumn(column, reasons[column], asked_for=column in roles.reasons)
        for column in table.columns
        if column in reasons
    )
    return ComparableTable(X, names, left_out, roles, notes)


def some_reasons(reasons: Mapping[str, str]) -> str:
    """Name the first columns that take no part, with the reason."""
    return "; ".join(f"{column}: {why}" for column, why in list(reasons.items())[:_SHOWN])


def _read(table: Table, columns: Sequence[str]) -> npt.NDArray[np.floating[Any]]:
    """Fill an array batch by batch, in the order of the rows."""
    small = all(table.schema[column] == pl.Float32 for column in columns)
    kind: Any = pl.Float32 if small else pl.Float64
    X: npt.NDArray[np.floating[Any]] = np.empty(
        (table.n_samples, len(columns)), dtype=np.float32 if small else np.float64, order="F"
    )
    filled = 0
    with as_table_errors(table.name):
        numbers = table.select(columns).cast(kind)
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


def _check_forced(table: Table, roles: ColumnRoles) -> None:
    for column in roles.keep:
        if column in table.not_numbers:
            raise ValueError(
                f"--keep: the column {column!r} holds {table.not_numbers[column]}, not numbers; "
                f"compare it with --similarity {measures_of_names()}, or give it to --id to carry "
                "it along"
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


def _nothing_varies(name: str, constant: Mapping[str, str]) -> TableError:
    which = f"all {len(constant)} columns of numbers are"
    if len(constant) == 1:
        which = "its one column of numbers is"
    why = ROUNDED if ROUNDED in constant.values() else CONSTANT
    return TableError(f"{name}: {which} {why} or all missing; nothing can be compared")


def _check_enough(name: str, names: Sequence[str], reasons: Mapping[str, str]) -> None:
    if len(names) == 1:
        hint = (
            some_reasons(reasons)
            or "columns are separated by a comma, a tab, a semicolon or a bar"
        )
        raise TableError(
            f"{name}: has one column of numbers that varies, {names[0]!r}; at least two are "
            f"needed ({hint})"
        )
