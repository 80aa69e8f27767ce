"""What each column of a table is for: to be selected from, to be passed through, to be left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import combinations
from typing import TYPE_CHECKING

from topofs.errors import UnknownColumnError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.tables.table import Table

__all__ = ["ColumnRoles", "LeftOutColumn", "check_columns", "near_name"]

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
