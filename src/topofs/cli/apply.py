"""``topofs apply``: the columns of a saved selection, from another table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topofs.cli.messages import Messages, print_json, shown
from topofs.cli.options import Json, Quiet, TableName, how_to_open
from topofs.cli.outputs import check_outputs, write_together
from topofs.cli.representing import names_in_words
from topofs.cli.saved_selection import SavedSelection, read_selection
from topofs.cli.unfolding import unfolding
from topofs.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs.tables import Table
    from topofs.tables.how_to_read import HowToRead

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SHOWN_MISSING = 8


@app.command(epilog="Example:  topofs apply selection.json next_month.csv --out smaller.csv")
@unfolding(how=how_to_open)
def apply(
    selection: Annotated[
        Path,
        typer.Argument(
            metavar="SELECTION", help="What `topofs select --save` wrote.", show_default=False
        ),
    ],
    table: TableName,
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The reduced table: .csv, .tsv, .parquet, .h5ad."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    how: HowToRead,
) -> None:
    """Take the columns of a saved selection from another table.

    Nothing is selected anew. Says which columns are new and which are gone; a
    table without a selected column is refused. Without --out it only checks.
    """
    from topofs.tables import open_table
    from topofs.tables.annotated_file import check_annotated, is_annotated_ending
    from topofs.tables.writing import check_ending

    messages = Messages(quiet=quiet)
    check_outputs([out], source=table)
    check_outputs([out], source=str(selection), what="the selection")
    annotated = out is not None and is_annotated_ending(out)
    if out is not None and not annotated:
        check_ending(out)
    saved = read_selection(selection)
    with (
        messages.working(f"reading {table}"),
        open_table(table, how=saved.how_to_read(how)) as opened,
    ):
        if annotated:
            check_annotated(opened, out)
        _check_there(saved, opened)
        written = write_together((out, lambda path: _write(saved, opened, path)))
    passed = [column for column in saved.passed_through if column in opened.schema]
    before = set(saved.columns)
    new = [column for column in opened.columns if column not in before]
    gone = [column for column in saved.columns if column not in opened.schema]
    _note_changes(messages, new, gone)
    lost = [column for column in saved.passed_through if column not in opened.schema]
    if out is not None and lost:
        messages.note(
            f"{shown(out.name)} is without {names_in_words(lost)}, written by `topofs select`"
        )
    if as_json:
        print_json(
            {
                "selection": str(selection),
                "table": opened.name,
                "n_samples": opened.n_samples,
                "n_columns": len(opened.columns),
                "n_selected": len(saved.selected),
                "selected": list(saved.selected),
                "passed_through": passed,
                "new": new,
                "gone": gone,
                "files": {} if out is None else {"out": str(out)},
            }
        )
    elif not quiet:
        _print_applied(saved, opened, passed)
    messages.written(written)


def _check_there(saved: SavedSelection, table: Table) -> None:
    """Refuse a table that lacks selected columns, and name those that may be meant."""
    from topofs.tables.annotated_file import AnnotatedTable
    from topofs.tables.column_roles import near_name

    known = table.genes if isinstance(table, AnnotatedTable) else table.columns
    there = set(known)
    missing = [column for column in saved.selected if column not in there]
    if not missing:
        return
    selected = set(saved.selected)
    others = [column for column in known if column not in selected]
    named = []
    for column in missing[:_SHOWN_MISSING]:
        near = near_name(column, others)
        named.append(repr(column) + ("" if near is None else f" (did you mean {near!r}?)"))
    more = len(missing) - len(named)
    raise TableError(
        f"{table.name}: {len(missing)} of {len(saved.selected)} selected columns "
        f"{'is' if len(missing) == 1 else 'are'} missing: {', '.join(named)}"
        + (f" and {more} more" if more else "")
        + "; give a table that has all of them, or select again"
    )


def _write(saved: SavedSelection, table: Table, path: Path) -> None:
    """Write the columns in the order they had, so that tables of two months fit together."""
    from topofs.tables import write_columns
    from topofs.tables.annotated_file import is_annotated_ending, write_genes

    if is_annotated_ending(path):
        ranks = {name: rank for rank, name in enumerate(saved.selected, start=1)}
        ordered = {name: ranks[name] for name in saved.columns if name in ranks}
        write_genes(table, ordered, path, with_groups=saved.has_groups)
        return
    columns = [column for column in saved.written if column in table.schema]
    write_columns(table, columns, path, in_given_order=True)


def _note_changes(messages: Messages, new: Sequence[str], gone: Sequence[str]) -> None:
    for names, what in ((new, "new since the selection"), (gone, "gone since the selection")):
        if names:
            columns = "1 column is" if len(names) == 1 else f"{len(names):,} columns are"
            messages.note(f"{columns} {what}: {names_in_words(names)}")


def _print_applied(saved: SavedSelection, table: Table, passed: Sequence[str]) -> None:
    from topofs.cli.standard_output import Output

    n_selected = len(saved.selected)
    columns = "the selected column" if n_selected == 1 else f"all {n_selected} selected columns"
    beside = f"; beside them {names_in_words(passed)}" if passed else ""
    rows = f"{table.n_samples:,} row{'s' * (table.n_samples != 1)}"
    Output().say(f"{shown(table.name)} has {columns}{beside}; {rows}")
