"""From the name of a table to a fitted selector: what most commands share."""

from __future__ import annotations

import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from topofs.cli.messages import Messages
    from topofs.selection import SelectionSettings, Stability, TopologicalFeatureSelector
    from topofs.tables import ColumnRoles, ComparableTable, Table

__all__ = ["Fitted", "check_size", "default_size", "fitted", "reading", "write_page"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A selector and what it was fitted to.

    Attributes
    ----------
    table : Table
        The table, open.
    compared : ComparableTable
        The columns that took part, and those that did not.
    selector : TopologicalFeatureSelector
        Fitted to them.
    settings : SelectionSettings
        How: its size and its similarity are those that were used.
    """

    table: Table
    compared: ComparableTable
    selector: TopologicalFeatureSelector
    settings: SelectionSettings

    @property
    def left_out(self) -> list[dict[str, str]]:
        """The columns that took no part, with the reasons, as JSON can hold them."""
        return [{"name": out.name, "reason": out.reason} for out in self.compared.left_out]


@contextmanager
def fitted(
    source: str,
    *,
    size: float | str | None,
    settings: SelectionSettings,
    roles: ColumnRoles,
    messages: Messages,
) -> Iterator[Fitted]:
    """Read a table and fit a selector to it; the table stays open while the block lasts.

    Parameters
    ----------
    source : str
        The file, or ``"-"``.
    size : "auto", int, float or None
        How many columns to select; None if it was not said.
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
    size = default_size(size, settings)
    with reading(source, settings=settings, roles=roles, messages=messages) as (
        table,
        compared,
    ):
        settings = replace(settings, size=size, keep=compared.roles.keep)
        if size != "auto":
            check_size(size, len(compared.names), n_kept=len(settings.keep))
        settings = _with_measure(settings, compared)
        with (
            messages.working(f"comparing {len(compared.names):,} columns"),
            _warnings_as_notes(messages),
        ):
            selector = settings.fit(compared.X, compared.names)
        _note_isolated(selector, settings, messages)
        settings = replace(settings, similarity=str(selector.similarity_))
        yield Fitted(table, compared, selector, settings)


@contextmanager
def reading(
    source: str,
    *,
    settings: SelectionSettings,
    roles: ColumnRoles,
    messages: Messages,
    needs_target: bool = False,
) -> Iterator[tuple[Table, ComparableTable]]:
    """Open a table, read what can be compared, and say what cannot.

    Parameters
    ----------
    source : str
        The file, or ``"-"``.
    settings : SelectionSettings
        Its similarity decides which columns can be compared.
    roles : ColumnRoles
        What the columns are for.
    messages : Messages
        Where to say which columns are left out.
    needs_target : bool, default=False
        Whether there must be a target.

    Yields
    ------
    table : Table
        Open while the block lasts.
    compared : ComparableTable
        Its columns.
    """
    from topofs.tables import comparable_table, open_table

    with ExitStack() as stack:
        with messages.working(f"reading {source}"):
            table = stack.enter_context(open_table(source))
        if needs_target and roles.for_table(table).target is None:
            raise typer.BadParameter("give the column to predict", param_hint="--target")
        with messages.working(f"reading {table.n_samples:,} rows of {table.name}"):
            compared = comparable_table(table, roles, similarity=settings.similarity)
        messages.left_out(compared.left_out)
        _note_names(table, compared, settings, messages)
        messages.notes(compared.notes)
        yield table, compared


def default_size(size: float | str | None, settings: SelectionSettings) -> float | str | None:
    """Tell the size that an option ``-k`` stands for.

    Parameters
    ----------
    size : "auto", int, float or None
        What was given; None for nothing.
    settings : SelectionSettings
        A ranking by coverage finds its end by itself, others are cut at half.

    Returns
    -------
    "auto", int, float or None
        None for half.

    Raises
    ------
    ValueError
        "auto" was given and the ranking has no end of its own.
    """
    if settings.rule == "coverage":
        return "auto" if size is None else size
    if size == "auto":
        raise ValueError(
            "-k auto needs --rule coverage: a ranking by degree has no end of its own; give a "
            "number or a fraction"
        )
    return size


def check_size(size: Any, n_columns: int, *, n_kept: int = 0, option: str = "-k") -> int:
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


def write_page(found: Fitted, path: Path, *, stability: Stability | None = None) -> None:
    """Write the report of a selection.

    Parameters
    ----------
    found : Fitted
        The selection.
    path : pathlib.Path
        The HTML file.
    stability : Stability, optional
        How much of it came back from rows drawn anew.
    """
    from topofs.report.selection import write_selection_report

    write_selection_report(
        path,
        selector=found.selector,
        X=found.compared.X,
        table_name=found.table.name,
        left_out=found.compared.left_out,
        passed_through=found.compared.roles.passed_through,
        stability=stability,
    )


def _with_measure(settings: SelectionSettings, compared: ComparableTable) -> SelectionSettings:
    """Settle a similarity "auto" where names are compared."""
    from topofs.tables.typed_table import TypedTable

    if isinstance(compared.X, TypedTable):
        return replace(settings, similarity="mixed")
    return settings


@contextmanager
def _warnings_as_notes(messages: Messages) -> Iterator[None]:
    """Say in a line what a fit warns of; other warnings stay what they are."""
    from topofs.errors import IdentifierFeatureWarning, NoStructureWarning

    ours = (IdentifierFeatureWarning, NoStructureWarning)
    with warnings.catch_warnings(record=True) as caught:
        for kind in ours:
            warnings.simplefilter("always", kind)
        yield
    for warning in caught:
        if issubclass(warning.category, ours):
            messages.notes([str(warning.message)])
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def _note_names(
    table: Table, compared: ComparableTable, settings: SelectionSettings, messages: Messages
) -> None:
    """Say how columns of names could take part, where the similarity has no use for them."""
    from topofs.tables.comparing import MEASURES_OF_NAMES
    from topofs.tables.names_in_table import holds_names

    # The published method, which ranks by degree, has no measure of names.
    if settings.similarity in MEASURES_OF_NAMES or settings.rule == "degree":
        return
    listed = [column for column in compared.left_out if not column.asked_for]
    n_names = sum(holds_names(table.schema[column.name]) for column in listed)
    if n_names:
        which = "it holds" if len(listed) == 1 else f"{n_names} of them hold"
        messages.note(
            f"{which} text or categories, which --similarity mixed compares level by level"
        )


def _note_isolated(
    selector: TopologicalFeatureSelector, settings: SelectionSettings, messages: Messages
) -> None:
    if settings.rule != "coverage":
        return
    alone = selector.isolated_
    n_out = int((~selector.support_[alone]).sum())
    # Where all are isolated the selector has said so.
    if not n_out or len(alone) == len(selector.nodes_):
        return
    columns = "1 column shares" if n_out == 1 else f"{n_out:,} columns share"
    was = "is" if n_out == 1 else "are"
    keep = "" if settings.isolated == "keep" else "; --isolated keep keeps them"
    messages.note(
        f"{columns} with no other more than chance explains and {was} not selected{keep}"
    )
