"""``topofs groups``: which columns the selected ones represent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.options import Json, Quiet, Size, TableName, roles, settings
from topofs.cli.unfolding import unfolding

if TYPE_CHECKING:
    from topofs.cli.fitting import Fitted
    from topofs.selection import TopologicalFeatureSelector
    from topofs.tables import ColumnRoles

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SHOWN_GROUPS = 30
_SHOWN_MEMBERS = 12
_SHOWN_NAMES = 10


@app.command(epilog="Example:  topofs groups wine.csv --drop class --out groups.csv")
@unfolding(settings=settings, roles=roles)
def groups(
    table: TableName,
    *,
    k: Size = None,
    settings: TopologicalFeatureSelector,
    roles: ColumnRoles,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Every column and who represents it: .csv, .tsv, .parquet."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the selected columns, each with those it represents.

    Beside a column is the share of its variance that the selected one explains.
    """
    from topofs.cli.fitting import fitted
    from topofs.cli.messages import Messages, print_json
    from topofs.cli.outputs import check_outputs, write_together
    from topofs.cli.representing import represented_columns
    from topofs.tables.writing import check_ending, write_records

    _check_groups(settings)
    messages = Messages(quiet=quiet)
    check_outputs([out], source=table)
    if out is not None:
        check_ending(out)
    with fitted(table, size=k, selector=settings, roles=roles, messages=messages) as found:
        written = [] if out is None else [out]
        write_together(
            {path: lambda to: write_records(represented_columns(found), to) for path in written}
        )
    if as_json:
        print_json(_as_json(found, out))
    elif not quiet:
        _print_groups(found)
    messages.written(written)


def _as_json(found: Fitted, out: Path | None) -> dict[str, Any]:
    from topofs.cli.representing import (
        alone_names,
        groups_as_json,
        isolated_names,
        reached_coverage,
        stopping,
    )

    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_features": len(found.compared.names),
        "n_selected": found.selector.n_features_,
        "coverage": reached_coverage(found),
        "stopping": stopping(found),
        "groups": groups_as_json(found),
        "isolated": isolated_names(found),
        "alone": alone_names(found),
        "left_out": found.left_out,
        "settings": found.settings,
        "files": {} if out is None else {"out": str(out)},
    }


def _check_groups(selector: TopologicalFeatureSelector) -> None:
    """Refuse a rule by which no column represents another."""
    from topofs.cli.term_options import offered
    from topofs.selection.short_names import rule_of

    rule = rule_of(selector.rule)
    if not rule.has_groups:
        able = [name for name, known in offered("rule").items() if rule_of(known).has_groups]
        raise ValueError(
            f"by {rule.name} no column represents another, so there are no groups: choose "
            f"--rule {' or '.join(able)}, and leave --paper out"
        )


def _print_groups(found: Fitted) -> None:
    from rich.table import Table as Printed

    from topofs.cli.messages import Output, shown
    from topofs.cli.representing import alone_names, headline, isolated_names

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
            printed.add_row(f"  {shown(member.name)}", f"{member.share:.2f}")
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
            named = ", ".join(shown(name) for name in names[:_SHOWN_NAMES])
            more = len(names) - _SHOWN_NAMES
            cut = cut or more > 0
            output.say(f"{title}: {named}" + (f" and {more} more" if more > 0 else ""))
    if cut:
        output.say("… --out FILE and --json list them all")
