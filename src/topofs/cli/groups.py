"""``topofs groups``: which columns the selected ones represent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.cli.fitting import Fitted, fitted
from topofs.cli.messages import (
    FOLD,
    RIGHT,
    Messages,
    check_outputs,
    new_table,
    shown,
    write_together,
)
from topofs.cli.options import TABLE, command, option
from topofs.cli.summary import (
    SHOWN_NAMES,
    check_groups,
    coverage_as_json,
    groups_as_json,
    headline,
    isolated_names,
    represented_columns,
    unrepresented_names,
)
from topofs.text import listed

if TYPE_CHECKING:
    from rich.table import Table as Printed

    from topofs.cli.options import ConstraintOptions
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

_SHOWN_GROUPS = 30
_SHOWN_MEMBERS = 12


@command("groups wine.csv --drop class --out groups.csv")
def groups(
    table: str = TABLE,
    *,
    size: Any,
    selector: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    out: Path | None = option(
        "Every column and who represents it: .csv, .tsv, .parquet.", "FILE"
    ),
    messages: Messages,
    read: ReadOptions,
) -> None:
    """List the selected columns, each with those it represents.

    Beside a column is the share of its variance that the selected one explains.
    """
    from topofs.io.write import check_ending, write_records

    check_groups(selector)
    check_outputs(table, (out, check_ending))
    with fitted(
        table, selector, messages, size=size, roles=roles, constraints=constraints, read=read
    ) as found:
        files = write_together(
            out=(out, lambda path: write_records(represented_columns(found), path))
        )
    messages.result(lambda: _as_json(found) | {"files": files}, _lines(found), files)


def _as_json(found: Fitted) -> dict[str, Any]:
    return {
        **found.about_table,
        "n_selected": found.selector.n_features_,
        **coverage_as_json(found),
        "groups": groups_as_json(found),
        "isolated": isolated_names(found),
        "alone": unrepresented_names(found),
        "left_out": found.left_out,
        "settings": found.settings,
    }


def _lines(found: Fitted) -> Iterator[str | Printed]:
    from topofs.selection.answers import REPRESENTS, share_in_words

    yield from headline(found)
    printed = new_table({"column": FOLD, "share": RIGHT}, show_header=False)
    # Forced columns come first; all of them are shown.
    n_shown = max(_SHOWN_GROUPS, len(found.selector.forced_))
    cut = len(found.selector.groups_) > n_shown
    for group in found.selector.groups_[:n_shown]:
        forced = "forced" * (group.position in found.selector.forced_)
        printed.add_row(f"[bold]{shown(group.name)}[/]", forced)
        for member in group.members[:_SHOWN_MEMBERS]:
            little = f"shares {share_in_words(member.share)}"
            share = f"{member.share:.2f}" if member.share >= REPRESENTS else little
            printed.add_row(f"  {shown(member.name)}", share)
        more = len(group.members) - _SHOWN_MEMBERS
        if more > 0:
            cut = True
            printed.add_row(f"  … and {more} more", "")
    yield printed
    for title, names in (
        ("isolated", isolated_names(found)),
        ("alone, with no selected column to represent them", unrepresented_names(found)),
    ):
        if names:
            cut = cut or len(names) > SHOWN_NAMES
            yield f"{title}: {listed(names, most=SHOWN_NAMES)}"
    if cut:
        yield "… --out FILE and --json list them all"
