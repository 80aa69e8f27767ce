"""`Table`: a table in a file before its rows are read; `ComparableTable`: its columns after.

`ColumnRoles` are the roles that a user gives to columns: selected from, passed through or
dropped.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import polars.selectors as cs
from polars.exceptions import PanicException, PolarsError

from topofs.errors import TableError, UnknownColumnError
from topofs.io.frames import NamedArray
from topofs.io.text_values import MISSING_CLASSES
from topofs.terms import registered
from topofs.text import listed, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from topofs.io.batches import BatchSource
    from topofs.io.types import LeftOutColumn, TypedTable


def columns_named(names: Iterable[str]) -> pl.Expr:
    """Select the columns of exactly these names: for polars ``*`` and ``^…$`` are patterns."""
    return cs.by_name(*names).as_expr()


@contextmanager
def as_table_errors(name: str) -> Iterator[None]:
    """Turn exceptions and Rust panics of polars in the block into a `TableError`."""
    try:
        yield
    except (PolarsError, PanicException) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise TableError(f"{name}: the table cannot be read ({reason})") from error


@dataclass(frozen=True)
class ColumnRoles:
    """The roles that a user gives to columns; a column without one is selected from.

    Parameters
    ----------
    target : str, optional
        Kept out of the selection and passed through to the reduced table.
    identifiers : tuple of str
        Likewise.
    drop : tuple of str
        Left out of everything.
    keep : tuple of str
        Always selected; names, or patterns as ``"HLA-*"``.
    exclude : tuple of str
        Never selected, but represented; names or patterns.
    time : str, optional
        The column that orders the rows; it takes no part.

    Examples
    --------
    >>> ColumnRoles(target="kind", drop=("row",)).reasons
    {'row': 'dropped', 'kind': 'target'}
    """

    target: str | None = None
    identifiers: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    time: str | None = None

    @property
    def reasons(self) -> dict[str, str]:
        """The columns that take no part because of their role, with the name of the role."""
        roles = dict.fromkeys(self.drop, "dropped") | dict.fromkeys(self.identifiers, "id")
        others = {self.target: "target", self.time: "time"}
        return roles | {column: role for column, role in others.items() if column is not None}

    @property
    def passed_through(self) -> tuple[str, ...]:
        """The columns that go into the reduced table without being selected."""
        target = () if self.target is None else (self.target,)
        return tuple(dict.fromkeys((*self.identifiers, *target)))

    def for_table(self, table: Table) -> ColumnRoles:
        """Check the roles against a table; its own labels are the target unless one is given."""
        found = self._with_names(table)
        roles = {
            "--target": () if self.target is None else (self.target,),
            "--time": () if self.time is None else (self.time,),
            "--id": self.identifiers,
            "--drop": self.drop,
            "--keep": found.keep,
            "--exclude": found.exclude,
        }
        for option, columns in roles.items():
            check_columns(columns, table.columns, option=option)
        for first, second in combinations(roles, 2):
            both = set(roles[first]) & set(roles[second])
            if both:
                raise ValueError(
                    f"the column {min(both)!r} is given to both {first} and {second}; choose one"
                )
        has_role = self.target is not None or table.label in {*self.reasons, *found.keep}
        if table.label is None or has_role:
            return found
        return replace(found, target=table.label)

    def _with_names(self, table: Table) -> ColumnRoles:
        """The same roles, with the names that patterns stand for."""
        taken = {*self.reasons, table.label} - {None}
        known = [column for column in table.columns if column not in taken]

        def matching(given: Sequence[str], option: str) -> tuple[str, ...]:
            found: list[str] = []
            for column in given:
                if column in table.schema or not set(column) & set("*?["):
                    found.append(column)
                    continue
                matches = [name for name in known if fnmatchcase(name, column)]
                if not matches:
                    raise UnknownColumnError(f"{option}: no column is like {column!r}")
                found += matches
            return tuple(dict.fromkeys(found))

        return replace(
            self,
            keep=matching(self.keep, "--keep"),
            exclude=matching(self.exclude, "--exclude"),
        )


def check_columns(columns: Sequence[str], known: Sequence[str], *, option: str) -> None:
    """Check that a table has the columns that an option names."""
    names = set(known)
    for column in columns:
        if column not in names:
            advice = suggest(column, known) or f"there are {listed(known, quoted=True)}"
            raise UnknownColumnError(f"{option}: there is no column {column!r}; {advice}")


@dataclass(frozen=True, eq=False)
class Table:
    """A table that lies in a file, with the type of every column.

    Only the description is in memory. The frames are lazy, and each column can be read any
    number of times.

    Attributes
    ----------
    name : str
        The name of the file, or "standard input".
    rows : polars.LazyFrame
        All columns with their types, in the order of the file.
    n_samples : int
        Number of rows.
    schema : mapping of str to polars.DataType
        The type of each column, in the order of the file.
    as_written : polars.LazyFrame or None
        For text files: the same columns as text, exactly as in the file, so that they can be
        written unchanged.
    not_numbers : mapping of str to str
        The columns that hold no numbers, each with a description of its values.
    not_names : frozenset of str
        The columns of text that are not names either: dates or unclear values.
    dates : frozenset of str
        The columns of text that hold dates.
    stored : polars.LazyFrame or None
        The columns with their types in the file, if some are read with other types.
    label : str or None
        The column of the labels, for formats that store labels separately.
    notes : tuple of str
        Notes on the table.
    source : BatchSource or None
        The rows in batches, for a table of more rows than memory holds: a folder, or a pattern.
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
    source: BatchSource | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the file."""
        return tuple(self.schema)

    def select(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Give the rows of some columns."""
        return self.rows.select(columns_named(columns))


@dataclass(frozen=True, eq=False)
class ComparableTable:
    """Columns of a table in the form that a measure takes.

    Attributes
    ----------
    X : array of float64 or float32, sparse matrix, TypedTable or StreamedTable, shape \
(n_samples, n_features)
        An array in Fortran order where all columns are numbers, NaN for a missing value; a
        sparse matrix where the file holds one.
        Every column can be compared, except forced ones, which may hold anything.
    names : tuple of str
        The columns of X, in the order of the table.
    left_out : tuple of LeftOutColumn
        The other columns of the table, in its order.
    roles : ColumnRoles
        The roles, as they apply to this table.
    notes : tuple of str
        Notes that concern the reliability of the result.
    order : array of int or None
        The row of the table for each row of X; None if the order is the same.
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
        # Of arrays only, the names are not known.
        return self.X if hasattr(self.X, "names") else NamedArray(self.X, self.names)


def holds_names(dtype: pl.DataType) -> bool:
    """Whether columns of a type are compared level by level: text, categories, truth values."""
    return dtype in (pl.String, pl.Categorical, pl.Enum, pl.Boolean)


def measures_of_names() -> str:
    """Name the measures that compare names as well as numbers."""
    measures = registered("similarity").items()
    return " or ".join(n for n, measure in measures if getattr(measure, "takes_names", False))


def column_values(table: Table, column: str) -> npt.NDArray[Any]:
    """Read one column of a table: float64, or labels as objects, with None where one is missing."""
    kind = table.schema[column]
    with as_table_errors(table.name):
        series = table.select([column]).collect(engine="streaming").to_series()
    if kind.is_numeric():
        return np.asarray(series.cast(pl.Float64).to_numpy())
    if not holds_names(kind):
        held, advice = table.not_numbers.get(column, kind), ""
        if kind.is_temporal():
            held, advice = "dates or times", "; --dates numbers makes days of dates"
        raise TableError(
            f"{table.name}: the column {column!r} holds {held}; a target is a number, a class or a "
            f"truth value{advice}"
        )
    labels = series.cast(pl.String).str.strip_chars().to_list()
    return np.array(
        [None if label is None or label in MISSING_CLASSES else label for label in labels],
        dtype=object,
    )
