"""What each column of a table is for: to be selected from, to be passed through, to be left."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from topofs.errors import UnknownColumnError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.tables.table import Table

__all__ = ["ColumnRoles", "LeftOutColumn", "check_columns"]

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
        Always selected.

    Examples
    --------
    >>> ColumnRoles(target="kind", drop=("row",)).reasons
    {'row': 'dropped', 'kind': 'target'}
    """

    target: str | None = None
    identifiers: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    @property
    def reasons(self) -> dict[str, str]:
        """The columns that take no part because of their role, with the name of the role."""
        roles = dict.fromkeys(self.drop, "dropped") | dict.fromkeys(self.identifiers, "id")
        return roles if self.target is None else roles | {self.target: "target"}

    @property
    def passed_through(self) -> tuple[str, ...]:
        """The columns that go into the reduced table without being selected."""
        target = () if self.target is None else (self.target,)
        return tuple(dict.fromkeys((*self.identifiers, *target)))

    def for_table(self, table: Table) -> ColumnRoles:
        """Check the roles against a table; its own labels are the target unless one is given.

        Parameters
        ----------
        table : Table
            The table.

        Returns
        -------
        ColumnRoles

        Raises
        ------
        UnknownColumnError
            A column is not in the table.
        ValueError
            A column has two roles that contradict each other.
        """
        roles = {
            "--target": () if self.target is None else (self.target,),
            "--id": self.identifiers,
            "--drop": self.drop,
            "--keep": self.keep,
        }
        for option, columns in roles.items():
            check_columns(columns, table.columns, option=option)
        options = list(roles)
        for i, first in enumerate(options):
            for second in options[i + 1 :]:
                both = set(roles[first]) & set(roles[second])
                if both:
                    raise ValueError(
                        f"the column {min(both)!r} is given to both {first} and {second}; "
                        "choose one"
                    )
        has_role = self.target is not None or table.label in (*self.drop, *self.identifiers)
        if table.label is None or has_role or table.label in self.keep:
            return self
        return ColumnRoles(table.label, self.identifiers, self.drop, self.keep)


def check_columns(columns: Sequence[str], known: Sequence[str], *, option: str) -> None:
    """Make sure that a table has the columns that an option names.

    Parameters
    ----------
    columns : sequence of str
        What was given.
    known : sequence of str
        The columns of the table.
    option : str
        The option, for the message.

    Raises
    ------
    UnknownColumnError
        One of them is not there.

    Examples
    --------
    >>> check_columns(["knid"], ["height", "kind"], option="--target")
    Traceback (most recent call last):
    topofs.errors.UnknownColumnError: --target: there is no column 'knid'; did you mean 'kind'?
    """
    for column in columns:
        if column not in known:
            near = get_close_matches(column, known, n=1)
            if near:
                advice = f"did you mean {near[0]!r}?"
            else:
                shown = ", ".join(repr(name) for name in known[:_SHOWN_COLUMNS])
                advice = f"there are {shown}" + (", …" if len(known) > _SHOWN_COLUMNS else "")
            raise UnknownColumnError(f"{option}: there is no column {column!r}; {advice}")
