"""``topofs explain``: why a column was or was not selected."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from topofs.cli.fitting import fitted
from topofs.cli.messages import Messages
from topofs.cli.options import JSON, TABLE, command

if TYPE_CHECKING:
    from topofs.cli.options import ConstraintOptions
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector


@command("explain wine.csv ash -k 5 --drop class")
def explain(
    table: str = TABLE,
    column: str = typer.Argument(metavar="COLUMN", show_default=False),
    *,
    size: Any,
    selector: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    as_json: bool = JSON,
    read: ReadOptions,
) -> None:
    """Say why a column was or was not selected, and which columns it is linked to.

    Give the options that `topofs select` was given.
    """
    from topofs.io.table import check_columns
    from topofs.selection import ranked_columns
    from topofs.selection.answers import left_out_sentence

    messages = Messages(as_json=as_json, notes=False)
    with fitted(
        table, selector, messages, size=size, roles=roles, constraints=constraints, read=read
    ) as found:
        check_columns([column], found.table.columns, option="COLUMN")
        left_out = {c.name: c.reason for c in found.compared.left_out}
        if column in left_out:
            reason = left_out[column]
            messages.result(
                lambda: {"feature": column, "selected": False, "left_out": reason},
                [left_out_sentence(column, reason)],
            )
            return
        explanation = selector.explain(column)
        columns = ranked_columns(selector, found.similarity)
        ranked = next(candidate for candidate in columns if candidate.name == column)
    further = {
        "strength": ranked.strength,
        "nearest_selected": ranked.nearest,
        "similarity": ranked.similarity,
    }
    lines = str(explanation).splitlines()
    if ranked.nearest is not None:
        other = "other " if ranked.selected else ""
        nearest = f"{ranked.nearest} ({ranked.similarity:.4g})"
        lines.append(f"The nearest {other}selected column is {nearest}.")
    messages.result(lambda: asdict(explanation) | further, lines)
