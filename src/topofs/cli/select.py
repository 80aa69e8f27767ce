"""``topofs select``: the columns of a table that are worth keeping."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.apply import SavedSelection, check_saved_ending, write_selection
from topofs.cli.fitting import Fitted, fitted, write_page
from topofs.cli.graph import check_graph_ending, write_graph
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
    Represented,
    groups_as_json,
    headline,
    isolated_names,
    leaks_as_json,
    leaks_in,
    members_in_words,
    random_coverage,
    reached_coverage,
    represented_columns,
    stopping,
)
from topofs.cli.term_options import option_groups

if TYPE_CHECKING:
    from rich.table import Table as Printed

    from topofs.comparison.leakage import Leak
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SHOWN_ROWS = 20
_SHOWN_MEMBERS = 3


@app.command(epilog="Example:  topofs select wine.csv --target class --out smaller.csv")
@option_groups(size=size, settings=settings, roles=roles, constraints=constraints, how=how)
def select(  # noqa: PLR0913 - one argument an option
    table: TableName,
    *,
    size: Any,
    settings: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The reduced table: .csv, .tsv, .parquet, .h5ad."),
    ] = None,
    ranking: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Every column: rank, score, who represents it."),
    ] = None,
    graph_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The network: .graphml, or its links as .csv."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="A page to look at, in one file.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="The selection, for `topofs apply`."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    how: ReadOptions,
) -> None:
    """Select the columns that represent all others, without labels."""
    from topofs.io.annotated import check_annotated, is_annotated_ending
    from topofs.io.write import check_ending

    messages = Messages(quiet=quiet)
    check_outputs((out, ranking, graph_out, save), source=table, report=report)
    annotated = out is not None and is_annotated_ending(out)
    for path in (None if annotated else out, ranking):
        if path is not None:
            check_ending(path)
    if graph_out is not None:
        check_graph_ending(graph_out)
    if save is not None:
        check_saved_ending(save)
    with fitted(
        table,
        size=size,
        selector=settings,
        roles=roles,
        constraints=constraints,
        how=how,
        messages=messages,
        needs_graph=graph_out is not None,
        check=(lambda opened: check_annotated(opened, out)) if annotated else None,
    ) as found:
        leaks = leaks_in(found.table, found.compared, messages)
        write_out = _write_annotated if annotated else _write_table
        with messages.working("writing"):
            written = write_together(
                (out, lambda path: write_out(found, path)),
                (ranking, lambda path: _write_ranking(found, path)),
                (graph_out, lambda path: write_graph(found, path)),
                (report, lambda path: write_page(found, path, leaks=leaks)),
                (save, lambda path: write_selection(_saved(found, how), path)),
            )
        if out is not None and not annotated:
            _note_not_written(found, out, messages)
    if as_json:
        files = {
            "out": out,
            "ranking": ranking,
            "graph_out": graph_out,
            "report": report,
            "save": save,
        }
        print_json(_as_json(found, files, leaks))
    elif not quiet:
        _print_selection(found)
    messages.written(written)


@dataclass(frozen=True)
class _RankingRow:
    """A line of the ranking file."""

    name: str
    rank: int | None = None
    score: float | None = None
    strength: float | None = None
    selected: bool = False
    forced: bool = False
    nearest_selected: str | None = None
    similarity: float | None = None
    representative: str | None = None
    share: float | None = None
    left_out: str | None = None


def _write_table(found: Fitted, path: Path) -> None:
    from topofs.io import write_columns

    selected = found.selector.get_feature_names_out().tolist()
    write_columns(found.table, [*selected, *found.compared.roles.passed_through], path)


def _write_annotated(found: Fitted, path: Path) -> None:
    """Write the selected genes of an AnnData object, with all that belongs to them."""
    from topofs.io.annotated import write_genes

    selector = found.selector
    names = selector.get_feature_names_out().tolist()
    ranks = dict(zip(names, selector.ranking_[selector.support_].tolist(), strict=True))
    write_genes(found.table, ranks, path, with_groups=selector.has_groups)


def _saved(found: Fitted, how: ReadOptions) -> SavedSelection:
    """What `topofs apply` needs of the selection, and a reader wants to know."""
    from topofs import __version__

    return SavedSelection(
        selected=tuple(column["name"] for column in _selected(found)),
        passed_through=found.compared.roles.passed_through,
        columns=found.table.columns,
        has_groups=found.selector.has_groups,
        decimal=how.decimal,
        layer=how.layer,
        origin={
            "version": __version__,
            "table": found.table.name,
            "n_samples": found.table.n_samples,
            "settings": found.settings,
        },
    )


def _note_not_written(found: Fitted, out: Path, messages: Messages) -> None:
    """Say that a column which tells the rows apart is not in the reduced table."""
    from topofs.io.types import HARDLY_REPEATS

    table = found.table
    lost = [
        column.name
        for column in found.compared.left_out
        if not column.asked_for
        and (
            column.reason == HARDLY_REPEATS
            or column.name in table.dates
            or table.schema[column.name].is_temporal()
        )
    ]
    if lost:
        options = " ".join(f"--id {shlex.quote(name)}" for name in lost[:_SHOWN_MEMBERS])
        more = ", …" if len(lost) > _SHOWN_MEMBERS else ""
        what = "an identifier or a date" if len(lost) == 1 else "identifiers or dates"
        messages.notes(
            [
                f"{out.name} is without {', '.join(lost[:_SHOWN_MEMBERS])}{more}, {what}: "
                f"{options} carries {'it' if len(lost) == 1 else 'them'} along"
            ]
        )


def _write_ranking(found: Fitted, path: Path) -> None:
    from topofs.io import write_records
    from topofs.selection import ranked_columns
    from topofs.selection.reading import left_out_as_rare

    selector = found.selector
    represented: dict[str, Represented] = {}
    if selector.has_groups:
        represented = {column.column: column for column in represented_columns(found)}
    forced = {found.compared.names[column] for column in selector.forced_}
    rare = {out.name: out.reason for out in left_out_as_rare(selector)}
    rows = []
    for column in ranked_columns(selector, found.similarity):
        values = asdict(column)
        row = _RankingRow(
            nearest_selected=values.pop("nearest"),
            forced=column.name in forced,
            left_out=rare.get(column.name),
            **values,
        )
        by = represented.get(column.name)
        if by is not None and by.representative is not None:
            row = replace(row, representative=by.representative, share=by.share)
        rows.append(row)
    rows += [_RankingRow(out.name, left_out=out.reason) for out in found.compared.left_out]
    write_records(rows, path)


def _selected(found: Fitted) -> list[dict[str, Any]]:
    """The selected columns, best first."""
    selector = found.selector
    strengths = selector.strength_
    columns = sorted(selector.get_support(indices=True), key=selector.ranking_.__getitem__)
    return [
        {
            "name": found.compared.names[column],
            "rank": int(selector.ranking_[column]),
            "score": float(selector.scores_[column]),
            "strength": float(strengths[column]),
            "forced": bool(column in selector.forced_),
        }
        for column in columns
    ]


def _as_json(
    found: Fitted, files: dict[str, Path | None], leaks: tuple[Leak, ...]
) -> dict[str, Any]:
    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_columns": len(found.table.columns),
        "n_features": len(found.compared.names),
        "n_selected": found.selector.n_features_,
        "coverage": reached_coverage(found),
        "random_coverage": random_coverage(found),
        "stopping": stopping(found),
        "selected": _selected(found),
        **_representing_as_json(found),
        "passed_through": list(found.compared.roles.passed_through),
        "left_out": found.left_out,
        "leaks": leaks_as_json(leaks, found.compared.roles.target),
        "settings": found.settings,
        "notes": list(found.compared.notes),
        "files": {name: str(path) for name, path in files.items() if path is not None},
    }


def _representing_as_json(found: Fitted) -> dict[str, Any]:
    """Who represents whom; nothing of it where the rule has no groups."""
    if not found.selector.has_groups:
        return dict.fromkeys(("groups", "isolated", "representatives"))
    return {
        "groups": groups_as_json(found),
        "isolated": isolated_names(found),
        "representatives": [
            {
                "name": column.column,
                "representative": column.representative,
                "share": column.share,
            }
            for column in represented_columns(found)
        ],
    }


def _print_selection(found: Fitted) -> None:
    from topofs.cli.messages import Output

    output = Output()
    output.say(headline(found))
    # Forced columns come first, and all of them are shown.
    n_shown = max(_SHOWN_ROWS, len(found.selector.forced_))
    with_groups = found.selector.has_groups
    output.print(_groups(found, n_shown) if with_groups else _scores(found, n_shown))
    more = found.selector.n_features_ - n_shown
    if more > 0:
        output.say(f"… and {more} more; --ranking FILE and --json list them all")


def _groups(found: Fitted, n_shown: int) -> Printed:
    """The selected columns with what each adds and whom it represents."""
    selector = found.selector
    printed = _ranked_table(found)
    printed.add_column("adds", justify="right")
    printed.add_column("represents, with a share of its variance", overflow="fold")
    for group in selector.groups_[:n_shown]:
        adds = f"{selector.scores_[group.position]:.2f}"
        members = members_in_words(group, most=_SHOWN_MEMBERS)
        forced = _forced_cell(found, forced=group.position in selector.forced_)
        printed.add_row(str(group.rank), shown(group.name), *forced, adds, members)
    return printed


def _scores(found: Fitted, n_shown: int) -> Printed:
    """The selected columns with their scores, and their strength where it is another number."""
    selected = _selected(found)
    printed = _ranked_table(found)
    printed.add_column(shown(found.selector.rule_.words.short), justify="right")
    with_strength = any(column["score"] != column["strength"] for column in selected)
    if with_strength:
        printed.add_column("strength", justify="right")
    for column in selected[:n_shown]:
        numbers = [f"{column['score']:.4g}"]
        numbers += [f"{column['strength']:.4g}"] if with_strength else []
        forced = _forced_cell(found, forced=column["forced"])
        printed.add_row(str(column["rank"]), shown(column["name"]), *forced, *numbers)
    return printed


def _ranked_table(found: Fitted) -> Printed:
    """The columns that both tables begin with; one marks the forced ones, if there are any."""
    from rich.table import Table as Printed

    printed = Printed(box=None, pad_edge=False)
    printed.add_column("rank", justify="right")
    printed.add_column("column", overflow="fold")
    if len(found.selector.forced_):
        printed.add_column("")
    return printed


def _forced_cell(found: Fitted, *, forced: bool) -> list[str]:
    return ["forced" * forced] if len(found.selector.forced_) else []
