"""polars, asked for columns by their very names, and its complaints in one line.

What each column of a table is for: to be selected from, to be passed through, to be left.

`Table`: what is known of a table before its rows are read; `ComparableTable`: after.

The columns of names, truth values and ordered categories of a table, as codes.

The values of one column, as labels or as numbers.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
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
from topofs.io.types import Column, TypedTable, why_left_out
from topofs.terms import registered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt


__all__ = [
    "ColumnRoles",
    "ComparableTable",
    "LeftOutColumn",
    "NamesInTable",
    "Table",
    "as_table_errors",
    "check_columns",
    "column_values",
    "columns_named",
    "holds_names",
    "measures_of_names",
    "names_in_table",
    "near_name",
]


def columns_named(names: Iterable[str]) -> pl.Expr:
    """Select the columns of exactly these names: for polars ``*`` and ``^…$`` are patterns."""
    return cs.by_name(*names).as_expr()


@contextmanager
def as_table_errors(name: str) -> Iterator[None]:
    """Turn what polars raises in the block, panics of its Rust part included, into ours."""
    try:
        yield
    except (PolarsError, PanicException) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise TableError(f"{name}: the table cannot be read ({reason})") from error


_SHOWN_COLUMNS = 8


@dataclass(frozen=True)
class LeftOutColumn:
    """A column that takes no part in the selection.

    Attributes
    ----------
    name : str
        The column.
    reason : str
        Why, in a few words.
    asked_for : bool
        Whether the user gave it that role; otherwise its values are the reason.
    """

    name: str
    reason: str
    asked_for: bool = False


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
        Never selected, but to be represented; likewise.
    time : str, optional
        Says in which order the rows are, and takes no part.

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
        return replace(
            self,
            keep=_matching_columns(self.keep, table.columns, option="--keep", among=known),
            exclude=_matching_columns(
                self.exclude, table.columns, option="--exclude", among=known
            ),
        )


def _matching_columns(
    given: Sequence[str], known: Sequence[str], *, option: str, among: Sequence[str]
) -> tuple[str, ...]:
    """Replace patterns by the names `among` the known ones that they stand for."""
    names = set(known)
    found: list[str] = []
    for column in given:
        if column in names or not set(column) & set("*?["):
            found.append(column)
            continue
        matches = [name for name in among if fnmatchcase(name, column)]
        if not matches:
            raise UnknownColumnError(f"{option}: no column is like {column!r}")
        found += matches
    return tuple(dict.fromkeys(found))


def check_columns(columns: Sequence[str], known: Sequence[str], *, option: str) -> None:
    """Make sure that a table has the columns that an option names."""
    names = set(known)
    for column in columns:
        if column not in names:
            near = near_name(column, known)
            if near is not None:
                advice = f"did you mean {near!r}?"
            else:
                shown = ", ".join(repr(name) for name in known[:_SHOWN_COLUMNS])
                advice = f"there are {shown}" + (", …" if len(known) > _SHOWN_COLUMNS else "")
            raise UnknownColumnError(f"{option}: there is no column {column!r}; {advice}")


def near_name(name: str, known: Sequence[str]) -> str | None:
    """Find the name that may have been meant, if there is one."""
    return next(iter(get_close_matches(name, known, n=1)), None)


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


@dataclass(frozen=True, eq=False)
class NamesInTable:
    """The columns of names that can be compared, or are forced; the others with the reason."""

    columns: Mapping[str, Column]
    unusable: Mapping[str, str]


def holds_names(dtype: pl.DataType) -> bool:
    """Whether columns of a type are compared level by level: text, categories, truth values."""
    return dtype in (pl.String, pl.Categorical, pl.Enum, pl.Boolean)


def measures_of_names() -> str:
    """Name the measures that compare names as well as numbers."""
    able = [
        name
        for name, measure in registered("similarity").items()
        if getattr(measure, "takes_names", False)
    ]
    return " or ".join(sorted(able))


def names_in_table(table: Table, roles: ColumnRoles) -> NamesInTable:
    """Read the columns that hold names, and tell which of them can be compared.

    An Enum is a list of ordered categories; text, other categories and truth values have no
    order. Blank text counts as missing, and in a text file the marks of missing values do, as in
    its numbers. What is a date, or mostly numbers and therefore more likely a mistake, is no name.
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
        column = _coded(_without_marks(series, in_text_file=table.as_written is not None))
        reason = why_left_out(column)
        if series.name in table.not_names:
            reason = table.not_numbers[series.name]
        if reason is None or series.name in roles.keep:
            columns[series.name] = column
        else:
            unusable[series.name] = reason
    return NamesInTable(columns, unusable)


def _without_marks(series: pl.Series, *, in_text_file: bool) -> pl.Series:
    """Leave the values missing that stand for a missing one."""
    if series.dtype != pl.String:
        return series
    stripped = series.str.strip_chars()
    if in_text_file:
        return stripped.set(stripped.is_in(MISSING_CLASSES), None)
    return series.set(stripped == "", None)


def _coded(values: pl.Series) -> Column:
    if values.dtype == pl.Boolean:
        codes = values.cast(pl.Float64)
    elif values.dtype == pl.Enum:
        codes = values.to_physical().cast(pl.Float64)
    else:
        codes = values.cast(pl.String).rank("dense").cast(pl.Float64)
    numbers = np.array(codes.to_numpy(), dtype=np.float64)
    return Column(values.name, nominal=values.dtype != pl.Enum, values=numbers)


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
