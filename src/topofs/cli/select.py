"""``topofs select``: the columns of a table that are worth keeping."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as Printed

from topofs.cli.options import Json, Quiet, Size, TableName, roles, settings
from topofs.cli.unfolding import unfolding

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.cli.fitting import Fitted
    from topofs.cli.standing import Standing
    from topofs.selection import RankedColumn, SelectionSettings
    from topofs.tables import ColumnRoles

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SHOWN_ROWS = 20
_SHOWN_MEMBERS = 3


@app.command(epilog="Example:  topofs select wine.csv --target class --out smaller.csv")
@unfolding(settings=settings, roles=roles)
def select(
    table: TableName,
    *,
    k: Size = None,
    settings: SelectionSettings,
    roles: ColumnRoles,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The reduced table: .csv, .tsv or .parquet."),
    ] = None,
    ranking: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Every column: rank, score, who stands for it."),
    ] = None,
    graph_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The network: .graphml, or its links as .csv."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="A page to look at, in one file.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Select the columns of a table that stand for the others in their network.

    It needs no labels. Text, categories and true/false count as names; columns
    of one value, of none, and names that hardly repeat are left out.
    """
    from topofs.cli.fitting import fitted
    from topofs.cli.graph import check_graph_ending
    from topofs.cli.messages import Messages, print_json
    from topofs.cli.outputs import check_outputs, write_together
    from topofs.tables.writing import check_ending

    messages = Messages(quiet=quiet)
    check_outputs((out, ranking, graph_out, report), source=table)
    for path in (out, ranking):
        if path is not None:
            check_ending(path)
    if graph_out is not None:
        check_graph_ending(graph_out)
    with fitted(table, size=k, settings=settings, roles=roles, messages=messages) as found:
        outputs = {"out": out, "ranking": ranking, "graph_out": graph_out, "report": report}
        writers = _writers(found, outputs)
        with messages.working("writing"):
            write_together(writers)
    if as_json:
        print_json(_as_json(found, outputs))
    elif not quiet:
        _print_selection(found)
    messages.written(writers)


@dataclass(frozen=True)
class _RankingRow:
    """A line of the ranking file."""

    name: str
    rank: int | None
    score: float | None
    strength: float | None
    selected: bool
    nearest_selected: str | None
    similarity: float | None
    representative: str | None = None
    representative_weight: float | None = None
    left_out: str | None = None


def _writers(
    found: Fitted, outputs: dict[str, Path | None]
) -> dict[Path, Callable[[Path], None]]:
    """For each file that is wanted, the function that writes it."""
    from topofs.cli.fitting import write_page
    from topofs.cli.graph import write_graph
    from topofs.tables import write_columns

    def write_out(path: Path) -> None:
        selected = found.selector.get_feature_names_out().tolist()
        passed_through = found.compared.roles.passed_through
        write_columns(found.table, [*selected, *passed_through], path)

    functions: dict[str, Callable[[Path], None]] = {
        "out": write_out,
        "ranking": lambda path: _write_ranking(found, path),
        "graph_out": lambda path: write_graph(found, path),
        "report": lambda path: write_page(found, path),
    }
    return {path: functions[name] for name, path in outputs.items() if path is not None}


def _write_ranking(found: Fitted, path: Path) -> None:
    from topofs.cli.standing import standing_columns
    from topofs.selection import ranked_columns
    from topofs.tables import write_records

    standing: dict[str, Any] = {}
    if found.settings.rule == "coverage":
        standing = {who.column: who for who in standing_columns(found)}
    ranked = [
        _row(column, standing.get(column.name))
        for column in ranked_columns(found.selector, found.compared.X)
    ]
    others = [
        _RankingRow(*(column.name, None, None, None, False, None, None), left_out=column.reason)
        for column in found.compared.left_out
    ]
    write_records([*ranked, *others], path)


def _row(column: RankedColumn, standing: Standing | None) -> _RankingRow:
    values = asdict(column)
    row = _RankingRow(nearest_selected=values.pop("nearest"), **values)
    if standing is None or standing.representative is None:
        return row
    return replace(
        row,
        representative=standing.representative,
        representative_weight=standing.weight,
    )


def _selected(found: Fitted) -> list[dict[str, Any]]:
    """The selected columns, best first."""
    selector = found.selector
    strengths = dict(zip(selector.nodes_.tolist(), selector.graph_.strength(), strict=True))
    columns = sorted(selector.get_support(indices=True), key=selector.ranking_.__getitem__)
    return [
        {
            "name": found.compared.names[column],
            "rank": int(selector.ranking_[column]),
            "score": float(selector.scores_[column]),
            "strength": float(strengths.get(column, 0.0)),
        }
        for column in columns
    ]


def _as_json(found: Fitted, outputs: dict[str, Path | None]) -> dict[str, Any]:
    from topofs.cli.standing import reached_coverage, stopping

    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_columns": len(found.table.columns),
        "n_features": len(found.compared.names),
        "n_selected": found.selector.n_features_,
        "coverage": reached_coverage(found),
        "stopping": stopping(found),
        "selected": _selected(found),
        **_standing_as_json(found),
        "passed_through": list(found.compared.roles.passed_through),
        "left_out": found.left_out,
        "settings": found.settings.as_dict(),
        "notes": list(found.compared.notes),
        "files": {name: str(path) for name, path in outputs.items() if path is not None},
    }


def _standing_as_json(found: Fitted) -> dict[str, Any]:
    """Who stands for whom; nothing of it where the rule is not coverage."""
    from topofs.cli.standing import groups_as_json, isolated_names, standing_columns

    if found.settings.rule != "coverage":
        return dict.fromkeys(("groups", "isolated", "representatives"))
    return {
        "groups": groups_as_json(found),
        "isolated": isolated_names(found),
        "representatives": [
            {"name": who.column, "representative": who.representative, "weight": who.weight}
            for who in standing_columns(found)
        ],
    }


def _print_selection(found: Fitted) -> None:
    from topofs.cli.messages import Output
    from topofs.cli.standing import headline

    output = Output()
    output.say(headline(found))
    by_coverage = found.settings.rule == "coverage"
    output.print(_by_coverage(found) if by_coverage else _by_centrality(found))
    more = found.selector.n_features_ - _SHOWN_ROWS
    if more > 0:
        output.say(f"… and {more} more; --ranking FILE and --json list them all")


def _by_coverage(found: Fitted) -> Printed:
    """The selected columns with what each adds and for whom it stands."""
    from topofs.cli.messages import shown
    from topofs.cli.standing import members_in_words

    printed = Printed(box=None, pad_edge=False)
    printed.add_column("rank", justify="right")
    printed.add_column("column", overflow="fold")
    printed.add_column("adds", justify="right")
    printed.add_column("stands for, with a share of its variance", overflow="fold")
    for group in found.selector.groups_[:_SHOWN_ROWS]:
        gain = f"{found.selector.scores_[group.position]:.2f}"
        members = members_in_words(group, most=_SHOWN_MEMBERS)
        printed.add_row(str(group.rank), shown(group.name), gain, members)
    return printed


def _by_centrality(found: Fitted) -> Printed:
    """The selected columns with their scores."""
    from topofs.cli.messages import shown

    printed = Printed(box=None, pad_edge=False)
    printed.add_column("rank", justify="right")
    printed.add_column("column", overflow="fold")
    printed.add_column(found.settings.centrality, justify="right")
    with_strength = found.settings.centrality != "strength"
    if with_strength:
        printed.add_column("strength", justify="right")
    for column in _selected(found)[:_SHOWN_ROWS]:
        numbers = [f"{column['score']:.4g}"]
        numbers += [f"{column['strength']:.4g}"] if with_strength else []
        printed.add_row(str(column["rank"]), shown(column["name"]), *numbers)
    return printed
