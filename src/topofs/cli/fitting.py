"""From the name of a table to a fitted selector: what `select`, `explain` and `graph` share."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topofs.cli.messages import Messages
    from topofs.selection import SelectionSettings, TopologicalFeatureSelector
    from topofs.tables import ColumnRoles, NumericTable, Table

__all__ = ["Fitted", "check_size", "fitted"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A selector and what it was fitted to.

    Attributes
    ----------
    table : Table
        The table, open.
    numbers : NumericTable
        The columns that took part, and those that did not.
    selector : TopologicalFeatureSelector
        Fitted to them.
    settings : SelectionSettings
        How.
    """

    table: Table
    numbers: NumericTable
    selector: TopologicalFeatureSelector
    settings: SelectionSettings


@contextmanager
def fitted(
    source: str,
    *,
    size: float | None,
    settings: SelectionSettings,
    roles: ColumnRoles,
    messages: Messages,
) -> Iterator[Fitted]:
    """Read a table and fit a selector to it; the table stays open while the block lasts.

    Parameters
    ----------
    source : str
        The file, or ``"-"``.
    size : int, float or None
        How many columns to select.
    settings : SelectionSettings
        How to select them.
    roles : ColumnRoles
        What the columns are for.
    messages : Messages
        Where to say which columns are left out.

    Yields
    ------
    Fitted
    """
    from topofs.tables import numeric_table, open_table

    with ExitStack() as stack:
        with messages.working(f"reading {source}"):
            table = stack.enter_context(open_table(source))
        with messages.working(f"reading {table.n_samples:,} rows of {table.name}"):
            numbers = numeric_table(table, roles)
        messages.left_out(numbers.left_out)
        messages.notes(numbers.notes)
        settings = replace(settings, size=size, keep=numbers.roles.keep)
        check_size(size, len(numbers.names), n_kept=len(settings.keep))
        with messages.working(f"comparing {len(numbers.names):,} columns"):
            selector = settings.fit(numbers.X, numbers.names)
        yield Fitted(table, numbers, selector, settings)


def check_size(
    size: float | None, n_columns: int, *, n_kept: int = 0, option: str = "-k"
) -> int:
    """Tell how many columns a size stands for.

    Parameters
    ----------
    size : int, float or None
        What was asked for.
    n_columns : int
        How many columns there are to select from.
    n_kept : int, default=0
        How many of them are selected in any case.
    option : str, default="-k"
        Where it was given, for the message.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        There are fewer, or more are to be kept.

    Examples
    --------
    >>> check_size(0.5, 13)
    6
    >>> check_size(20, 13)
    Traceback (most recent call last):
    ValueError: -k 20: there are 13 columns to select from; give at most 13
    """
    from topofs.selection.subset_size import resolve_size

    if size is not None and size > n_columns:
        raise ValueError(
            f"{option} {size}: there are {n_columns} columns to select from; give at most "
            f"{n_columns}"
        )
    count = resolve_size(size, n_columns)
    if count < n_kept:
        raise ValueError(
            f"--keep names {n_kept} columns and only {count} are to be selected; raise -k"
        )
    return count
