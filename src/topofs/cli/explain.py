"""``topofs explain``: why a column was or was not selected."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.fitting import fitted
from topofs.cli.messages import Messages, print_json, shown
from topofs.cli.options import (
    ConstraintOptions,
    Json,
    TableName,
    constraints,
    how,
    roles,
    settings,
    size,
)
from topofs.cli.term_options import option_groups

if TYPE_CHECKING:
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(epilog="Example:  topofs explain wine.csv ash -k 5 --drop class")
@option_groups(size=size, settings=settings, roles=roles, constraints=constraints, how=how)
def explain(
    table: TableName,
    column: Annotated[str, typer.Argument(metavar="COLUMN", show_default=False)],
    *,
    size: Any,
    settings: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    as_json: Json = False,
    how: ReadOptions,
) -> None:
    """Say why a column was or was not selected, and which columns it is linked to.

    Give the options that `topofs select` was given.
    """
    from topofs.io.table import check_columns
    from topofs.selection import ranked_columns
    from topofs.selection.answers import left_out_sentence

    messages = Messages(quiet=True)
    with fitted(
        table,
        size=size,
        selector=settings,
        roles=roles,
        constraints=constraints,
        how=how,
        messages=messages,
    ) as found:
        check_columns([column], found.table.columns, option="COLUMN")
        left_out = {c.name: c.reason for c in found.compared.left_out}
        if column in left_out:
            if as_json:
                print_json({"feature": column, "selected": False, "left_out": left_out[column]})
            else:
                _say([left_out_sentence(column, left_out[column])])
            return
        explanation = found.selector.explain(column)
        columns = ranked_columns(found.selector, found.similarity)
        ranked = next(candidate for candidate in columns if candidate.name == column)
    if as_json:
        further = {
            "strength": ranked.strength,
            "nearest_selected": ranked.nearest,
            "similarity": ranked.similarity,
        }
        print_json(asdict(explanation) | further)
        return
    _say(str(explanation).splitlines())
    if ranked.nearest is not None:
        other = "other " if ranked.selected else ""
        nearest = f"{ranked.nearest} ({ranked.similarity:.4g})"
        _say([f"The nearest {other}selected column is {nearest}."])


def _say(lines: list[str]) -> None:
    from topofs.cli.messages import Output

    output = Output()
    for line in lines:
        output.say(shown(line))
