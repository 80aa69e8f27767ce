"""From an open table to the columns that a measure compares: numbers, names or genes.

`comparable_table` chooses among the three. Each reads its columns, leaves out those that cannot be
compared, and names them with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from topofs.errors import TableError
from topofs.io.annotated import AnnotatedTable
from topofs.io.frames import FIRST_ROUNDED, from_lowest
from topofs.io.hints import hints_of_numbers
from topofs.io.table import (
    ColumnRoles,
    ComparableTable,
    as_table_errors,
    holds_names,
    measures_of_names,
)
from topofs.io.text_values import MISSING_CLASSES
from topofs.io.types import (
    CONSTANT,
    ROUNDED,
    Column,
    LeftOutColumn,
    TypedTable,
    why_constant,
    why_left_out,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from topofs.io.table import Table
    from topofs.typing import Bools, Floats

_FEW_ROWS = 10
_SHOWN_REASONS = 3
_LONG_AT_ONCE = 256


def comparable_table(
    table: Table, roles: ColumnRoles | None = None, *, measure: Any
) -> ComparableTable:
    """Read the columns that a measure can compare; list the others with the reasons.

    This function does not resolve the measure "auto": a table with names keeps its names.

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
        return _annotated_table(table, roles)
    if not measure.takes_names:
        return numeric_table(table, roles)
    roles = (roles or ColumnRoles()).for_table(table)
    found = names_in_table(table, roles)
    if measure.takes_arrays and not found.columns:
        return numeric_table(table, roles, unusable=found.unusable)
    return _mixed_table(table, roles, found)


def numeric_table(
    table: Table,
    roles: ColumnRoles | None = None,
    *,
    unusable: Mapping[str, str] | None = None,
) -> ComparableTable:
    """Read the columns of numbers that vary; list the others with the reasons.

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
    for column in roles.keep:
        if column in table.not_numbers:
            raise ValueError(
                f"--keep: the column {column!r} holds {table.not_numbers[column]}, not numbers; "
                f"compare it with --similarity {measures_of_names()}, or give it to --id to carry "
                "it along"
            )
    _check_rows(table)
    reasons: dict[str, str] = dict(table.not_numbers) | dict(unusable or {}) | roles.reasons
    candidates = [column for column in table.columns if column not in reasons]
    if not candidates:
        held = _some_reasons(reasons)
        if unusable is not None:
            raise TableError(f"{table.name}: has no column to select from ({held})")
        named = any(holds_names(table.schema[c]) for c in reasons if c not in roles.reasons)
        advice = f"; --similarity {measures_of_names()} compares names" if named else ""
        raise TableError(
            f"{table.name}: has no column of numbers to select from ({held}){advice}"
        )
    numbers = read_numbers(table, candidates)
    if len(numbers.constant) == len(candidates):
        raise _nothing_varies(table.name, numbers.constant)
    reasons |= {c: why for c, why in numbers.constant.items() if c not in roles.keep}
    used = [i for i, column in enumerate(candidates) if column not in reasons]
    names = tuple(candidates[i] for i in used)
    if len(names) == 1:
        held = (
            _some_reasons(reasons)
            or "columns are separated by a comma, a tab, a semicolon or a bar"
        )
        raise TableError(
            f"{table.name}: has one column of numbers that varies, {names[0]!r}; at least two are "
            f"needed ({held})"
        )
    X = numbers.X
    for to, position in enumerate(used):
        # In place: nothing is copied.
        if to != position:
            X[:, to] = X[:, position]
    return _compared(
        table,
        roles,
        reasons,
        X=X[:, : len(used)],
        names=names,
        ranges=numbers.ranges[:, used],
        notes=numbers.notes,
    )


@dataclass(frozen=True, eq=False)
class NamesInTable:
    """The columns of names that can be compared or are forced; the others with the reasons."""

    columns: Mapping[str, Column]
    unusable: Mapping[str, str]


def names_in_table(table: Table, roles: ColumnRoles) -> NamesInTable:
    """Read the columns of names, and tell which of them can be compared.

    An Enum is a list of ordered categories; text, other categories and truth values have no
    order. Blank text is missing; in a text file the usual marks of missing values are missing,
    too. Dates are not names. Text that is mostly numbers is not a name either, because it is
    probably a mistake.
    """
    candidates = [
        column
        for column, dtype in table.schema.items()
        if holds_names(dtype) and column not in roles.reasons
    ]
    columns: dict[str, Column] = {}
    unusable: dict[str, str] = {}
    if not candidates:
        return NamesInTable(columns, unusable)
    with as_table_errors(table.name):
        frame = table.select(candidates).collect(engine="streaming")
    for series in frame.iter_columns():
        column = _coded(series, in_text_file=table.as_written is not None)
        reason = why_left_out(column)
        if series.name in table.not_names:
            reason = table.not_numbers[series.name]
        if reason is None or series.name in roles.keep:
            columns[series.name] = column
        else:
            unusable[series.name] = reason
    return NamesInTable(columns, unusable)


def _coded(values: pl.Series, *, in_text_file: bool) -> Column:
    """A column of names as codes; blank text, and in a text file other marks, are missing."""
    if values.dtype == pl.String:
        stripped = values.str.strip_chars()
        if in_text_file:
            values = stripped.set(stripped.is_in(MISSING_CLASSES), None)
        else:
            values = values.set(stripped == "", None)
    if values.dtype == pl.Boolean:
        codes = values
    elif values.dtype == pl.Enum:
        codes = values.to_physical()
    else:
        codes = values.cast(pl.String).rank("dense")
    numbers = np.array(codes.cast(pl.Float64).to_numpy(), dtype=np.float64)
    return Column(values.name, nominal=values.dtype != pl.Enum, values=numbers)


def _mixed_table(table: Table, roles: ColumnRoles, found: NamesInTable) -> ComparableTable:
    """Join the numbers of a table (columns of an array) and its names, in the table's order."""
    _check_rows(table)
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
        which = "no column to compare"
        if names:
            which = f"one column that can be compared, {names[0]!r}"
        held = f" ({_some_reasons(reasons)})" if reasons else ""
        raise TableError(f"{table.name}: has {which}{held}; at least two are needed")
    mixed = TypedTable(tuple(columns[name] for name in names))
    return _compared(table, roles, reasons, X=mixed, names=names, notes=numbers.notes)


def _annotated_table(table: AnnotatedTable, roles: ColumnRoles | None) -> ComparableTable:
    """Give the genes that vary; a sparse matrix stays sparse."""
    roles = (roles or ColumnRoles()).for_table(table)
    _check_rows(table)
    genes = set(table.genes)
    for column in roles.keep:
        if column not in genes:
            raise ValueError(
                f"--keep: the column {column!r} is annotation of the rows, which is not selected "
                "from; all of it goes into an .h5ad file"
            )
    lowest, highest = table.ranges()
    reasons = {
        column: "annotation of the rows" for column in table.columns if column not in genes
    }
    for i in np.flatnonzero(~(lowest < highest)).tolist():
        if table.genes[i] not in roles.keep:
            reasons[table.genes[i]] = why_constant(float(highest[i]))
    reasons |= roles.reasons
    used = [i for i, gene in enumerate(table.genes) if gene not in reasons]
    names = tuple(table.genes[i] for i in used)
    if len(names) < 2:
        which = f"one column that varies, {names[0]!r}" if names else "no column that varies"
        raise TableError(f"{table.name}: has {which}; at least two are needed")
    X, ranges = table.columns_of_matrix(used), np.stack([lowest, highest])[:, used]
    found = _compared(table, roles, reasons, X=X, names=names, ranges=ranges)
    left_out = tuple(
        column if column.name in genes else replace(column, asked_for=True)
        for column in found.left_out
    )
    return replace(found, left_out=left_out)


def _compared(
    table: Table,
    roles: ColumnRoles,
    reasons: Mapping[str, str],
    *,
    X: Any,
    names: tuple[str, ...],
    ranges: Floats | None = None,
    notes: tuple[str, ...] = (),
) -> ComparableTable:
    """Join the compared columns with the columns left out and their reasons."""
    hints = hints_of_numbers(X, names, leaving_out="with --drop", ranges=ranges)
    few: tuple[str, ...] = ()
    if table.n_samples < _FEW_ROWS:
        few = (f"with {table.n_samples} rows columns look alike by chance: trust this little",)
    left_out = tuple(
        LeftOutColumn(column, reasons[column], asked_for=column in roles.reasons)
        for column in table.columns
        if column in reasons
    )
    return ComparableTable(X, names, left_out, roles, (*table.notes, *hints, *few, *notes))


def _check_rows(table: Table) -> None:
    if table.n_samples < 2:
        rows = "one row" if table.n_samples else "no rows"
        raise TableError(f"{table.name}: has {rows}; at least two are needed")


def _some_reasons(reasons: Mapping[str, str]) -> str:
    """Name the first columns that take no part, with the reason."""
    shown = list(reasons.items())[:_SHOWN_REASONS]
    return "; ".join(f"{column}: {why}" for column, why in shown)


def _nothing_varies(name: str, constant: Mapping[str, str]) -> TableError:
    which = f"all {len(constant)} columns of numbers are"
    if len(constant) == 1:
        which = "its one column of numbers is"
    why = ROUNDED if ROUNDED in constant.values() else CONSTANT
    return TableError(f"{name}: {which} {why} or all missing; nothing can be compared")


@dataclass(frozen=True, eq=False)
class Numbers:
    """Columns of float64 or float32 in Fortran order, finite or NaN; reasons of constant ones.

    `ranges` are the lowest and the highest value of each column. The lowest value is subtracted
    from whole numbers beyond 2⁵³; `rounded` are the columns whose values float64 does not
    distinguish even then.
    """

    X: Floats
    ranges: Floats
    constant: Mapping[str, str]
    rounded: Sequence[str] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the columns."""
        if not self.rounded:
            return ()
        more = f" and {len(self.rounded) - 1} more" if len(self.rounded) > 1 else ""
        return (
            f"the whole numbers in {self.rounded[0]!r}{more} span more than 2**53: some that "
            "differ count as equal",
        )


def read_numbers(table: Table, columns: Sequence[str]) -> Numbers:
    """Read some columns of numbers, and find those that do not vary."""
    if not columns:
        return Numbers(np.empty((table.n_samples, 0), order="F"), np.empty((2, 0)), {})
    X = _read(table, columns)
    ranges = np.stack([np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)])
    rounded = []
    for i, series in _long_numbers(table, columns, ranges):
        found = from_lowest(series)
        if found is not None:
            X[:, i], told_apart = found
            ranges[:, i] = np.fmin.reduce(X[:, i]), np.fmax.reduce(X[:, i])
            rounded += [] if told_apart else [columns[i]]
    _check_finite(table.name, columns, X, np.isinf(ranges).any(axis=0))
    lowest, highest = ranges
    reasons = {
        columns[i]: why_constant(float(highest[i]))
        for i in np.flatnonzero((lowest == highest) | np.isnan(highest)).tolist()
    }
    return Numbers(X, ranges, reasons, rounded)


def _read(table: Table, columns: Sequence[str]) -> Floats:
    """Fill an array batch by batch, in the order of the rows."""
    small = all(table.schema[column] == pl.Float32 for column in columns)
    kind: Any = pl.Float32 if small else pl.Float64
    X: Floats = np.empty(
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


def _long_numbers(
    table: Table, columns: Sequence[str], ranges: Floats
) -> Iterator[tuple[int, pl.Series]]:
    """The unrounded columns of whole numbers and decimals that float64 may have rounded.

    Many columns at once, because each call reads the complete text file.
    """
    lowest, highest = ranges
    beyond = np.flatnonzero((lowest <= -FIRST_ROUNDED) | (highest >= FIRST_ROUNDED)).tolist()
    kinds = [table.schema[column] for column in columns]
    long = [i for i in beyond if kinds[i].is_integer() or kinds[i].is_decimal()]
    for start in range(0, len(long), _LONG_AT_ONCE):
        some = long[start : start + _LONG_AT_ONCE]
        with as_table_errors(table.name):
            frame = table.select([columns[i] for i in some]).collect(engine="streaming")
        yield from zip(some, frame.iter_columns(), strict=True)


def _check_finite(name: str, columns: Sequence[str], X: Floats, infinite: Bools) -> None:
    if infinite.any():
        first = int(infinite.argmax())
        row = int(np.isinf(X[:, first]).argmax()) + 1
        others = int(infinite.sum()) - 1
        more = f" ({others} other columns, too)" if others else ""
        raise TableError(
            f"{name}: the column {columns[first]!r} holds an infinite value in row {row}{more}; "
            "replace it, or leave the column out with --drop"
        )
