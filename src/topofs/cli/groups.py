"""``topofs groups``: which columns the selected ones represent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.fitting import Fitted, fitted
from topofs.cli.messages import Messages, print_json, shown
from topofs.cli.options import (
    ConstraintOptions,
    Json,
    Quiet,
    TableName,
    constraints,
    how,
    roles,
    settings,
    size,
)
from topofs.cli.outputs import check_outputs, write_together
from topofs.cli.summary import (
    SHOWN_NAMES,
    alone_names,
    check_groups,
    groups_as_json,
    headline,
    isolated_names,
    names_in_words,
    random_coverage,
    reached_coverage,
    represented_columns,
    stopping,
)
from topofs.cli.term_options import option_groups

if TYPE_CHECKING:
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SHOWN_GROUPS = 30
_SHOWN_MEMBERS = 12


@app.command(epilog="Example:  topofs groups wine.csv --drop class --out groups.csv")
@option_groups(size=size, settings=settings, roles=roles, constraints=constraints, how=how)
def groups(
    table: TableName,
    *,
    size: Any,
    settings: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Every column and who represents it: .csv, .tsv, .parquet."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    how: ReadOptions,
) -> None:
    """List the selected columns, each with those it represents.

    Beside a column is the share of its variance that the selected one explains.
    """
    from topofs.io.write import check_ending, write_records

    check_groups(settings)
    messages = Messages(quiet=quiet)
    check_outputs([out], source=table)
    if out is not None:
        check_ending(out)
    with fitted(
        table,
        size=size,
        selector=settings,
        roles=roles,
        constraints=constraints,
        how=how,
        messages=messages,
    ) as found:
        written = write_together(
            (out, lambda path: write_records(represented_columns(found), path))
        )
    if as_json:
        print_json(_as_json(found, out))
    elif not quiet:
        _print_groups(found)
    messages.written(written)


def _as_json(found: Fitted, out: Path | None) -> dict[str, Any]:
    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_features": len(found.compared.names),
        "n_selected": found.selector.n_features_,
        "coverage": reached_coverage(found),
        "random_coverage": random_coverage(found),
        "stopping": stopping(found),
        "groups": groups_as_json(found),
        "isolated": isolated_names(found),
        "alone": alone_names(found),
        "left_out": found.left_out,
        "settings": found.settings,
        "files": {} if out is None else {"out": str(out)},
    }


def _print_groups(found: Fitted) -> None:
    from rich.table import Table as Printed

    from topofs.cli.messages import Output
    from topofs.selection.answers import REPRESENTS, share_in_words

    output = Output()
    output.say(headline(found))
    printed = Printed(box=None, pad_edge=False, show_header=False)
    printed.add_column(overflow="fold")
    printed.add_column(justify="right")
    # Forced columns come first, and all of them are shown.
    n_shown = max(_SHOWN_GROUPS, len(found.selector.forced_))
    cut = len(found.selector.groups_) > n_shown
    for group in found.selector.groups_[:n_shown]:
        forced = "forced" * (group.position in found.selector.forced_)
        printed.add_row(f"[bold]{shown(group.name)}[/]", forced)
        for member in group.members[:_SHOWN_MEMBERS]:
            much = member.share >= REPRESENTS
            little = f"shares {share_in_words(member.share)}"
            share = f"{member.share:.2f}" if much else little
            printed.add_row(f"  {shown(member.name)}", share)
        more = len(group.members) - _SHOWN_MEMBERS
        if more > 0:
            cut = True
            printed.add_row(f"  … and {more} more", "")
    output.print(printed)
    for title, names in (
        ("isolated", isolated_names(found)),
        ("alone, with no selected column to represent them", alone_names(found)),
    ):
        if names:
            cut = cut or len(names) > SHOWN_NAMES
            output.say(f"{title}: {names_in_words(names)}")
    if cut:
        output.say("… --out FILE and --json list them all")
