"""``topofs select``: select columns of a table."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.cli.apply import SavedSelection, check_saved_ending, write_selection
from topofs.cli.fitting import Fitted, fitted, leaks_as_json, leaks_in, write_page
from topofs.cli.graph import Exported, check_graph_ending
from topofs.cli.messages import FOLD, RIGHT, Messages, check_outputs, new_table, write_together
from topofs.cli.options import TABLE, command, option
from topofs.cli.summary import (
    coverage_as_json,
    format_members,
    groups_as_json,
    headline,
    isolated_names,
    represented_columns,
)

if TYPE_CHECKING:
    from rich.table import Table as Printed

    from topofs.cli.options import ConstraintOptions
    from topofs.comparison.leakage import Leak
    from topofs.io import ColumnRoles, Table
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

_SHOWN_ROWS = 20
_SHOWN_MEMBERS = 3


@command("select wine.csv --target class --out smaller.csv")
def select(  # noqa: PLR0913 - one argument an option
    table: str = TABLE,
    *,
    size: Any,
    selector: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    out: Path | None = option("The smaller table: .csv, .tsv, .parquet, .h5ad.", "FILE"),
    ranking: Path | None = option("Every column: rank, score, representative.", "FILE"),
    graph_out: Path | None = option("The network: .graphml, or its links as .csv.", "FILE"),
    report: Path | None = option("A report in one file, for a browser.", "FILE.html"),
    save: Path | None = option("The selection, for `topofs apply`.", "FILE.json"),
    messages: Messages,
    read: ReadOptions,
) -> None:
    """Select the columns that represent all others, without labels."""
    from topofs.io.annotated import check_annotated, is_annotated_ending
    from topofs.io.batches import check_streamed_output, is_many_files
    from topofs.io.write import check_ending
    from topofs.report.document import check_page_ending

    annotated = out is not None and is_annotated_ending(out)
    in_batches = is_many_files(table)
    check_outputs(
        table,
        (out, None if annotated or in_batches else check_ending),
        (ranking, check_ending),
        (graph_out, check_graph_ending),
        (save, check_saved_ending),
        (report, check_page_ending),
    )

    def check(opened: Table) -> None:
        if annotated:
            check_annotated(opened, out)
        elif out is not None and opened.source is not None:
            check_streamed_output(opened.source, out)

    with fitted(
        table,
        selector,
        messages,
        size=size,
        roles=roles,
        constraints=constraints,
        read=read,
        needs_graph=graph_out is not None,
        check=check,
    ) as found:
        leaks = leaks_in(found, messages)
        target = found.compared.roles.target
        if target is not None and found.target is None and selector.rule_.takes_relevance:
            messages.note(
                f"{target} was not used to select; --relevance target selects columns that say "
                "much about it"
            )
        write_out = _write_annotated if annotated else _write_table
        with messages.working("writing"):
            files = write_together(
                out=(out, lambda path: write_out(found, path)),
                ranking=(ranking, lambda path: _write_ranking(found, path)),
                graph_out=(graph_out, lambda path: Exported(found).write(path)),
                report=(report, lambda path: write_page(found, path, leaks=leaks)),
                save=(save, lambda path: write_selection(_saved(found, read), path)),
            )
        if out is not None and not annotated:
            _note_not_written(found, out, messages)
    messages.result(lambda: _as_json(found, leaks) | {"files": files}, _lines(found), files)


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
    relevance: float | None = None
    left_out: str | None = None


def _write_table(found: Fitted, path: Path) -> None:
    from topofs.io import write_columns

    selected = found.selector.get_feature_names_out().tolist()
    write_columns(found.table, [*selected, *found.compared.roles.passed_through], path)


def _write_annotated(found: Fitted, path: Path) -> None:
    """Write the selected genes of an AnnData object, with their annotation."""
    from topofs.io.annotated import write_genes

    selector = found.selector
    names = selector.get_feature_names_out().tolist()
    ranks = dict(zip(names, selector.ranking_[selector.support_].tolist(), strict=True))
    write_genes(found.table, ranks, path, with_groups=selector.has_groups)


def _saved(found: Fitted, read: ReadOptions) -> SavedSelection:
    """The selection for `topofs apply`, with information for people."""
    from topofs import __version__

    return SavedSelection(
        selected=tuple(column["name"] for column in _selected(found)),
        passed_through=found.compared.roles.passed_through,
        columns=found.table.columns,
        has_groups=found.selector.has_groups,
        decimal=read.decimal,
        layer=read.layer,
        origin={
            "version": __version__,
            "table": found.table.name,
            "n_samples": found.table.n_samples,
            "settings": found.settings,
        },
    )


def _note_not_written(found: Fitted, out: Path, messages: Messages) -> None:
    """Note that an identifier or date column is not in the reduced table."""
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
        messages.note(
            f"{out.name} is without {', '.join(lost[:_SHOWN_MEMBERS])}{more}, {what}: "
            f"{options} carries {'it' if len(lost) == 1 else 'them'} along"
        )


def _write_ranking(found: Fitted, path: Path) -> None:
    from topofs.io import write_records
    from topofs.selection import ranked_columns
    from topofs.selection.reading import left_out_as_rare

    selector = found.selector
    forced = {found.compared.names[column] for column in selector.forced_}
    rare = {out.name: out.reason for out in left_out_as_rare(selector)}
    shares: dict[str, dict[str, Any]] = {
        column.column: {"representative": column.representative, "share": column.share}
        for column in (represented_columns(found) if selector.has_groups else ())
        if column.representative is not None
    }
    relevance = _relevance_by_name(found)
    rows = [
        _RankingRow(
            name=column.name,
            rank=column.rank,
            score=column.score,
            strength=column.strength,
            selected=column.selected,
            forced=column.name in forced,
            nearest_selected=column.nearest,
            similarity=column.similarity,
            relevance=relevance.get(column.name),
            left_out=rare.get(column.name),
            **shares.get(column.name, {}),
        )
        for column in ranked_columns(selector, found.similarity)
    ]
    rows += [_RankingRow(out.name, left_out=out.reason) for out in found.compared.left_out]
    write_records(rows, path)


def _relevance_by_name(found: Fitted) -> dict[str, float]:
    """What each column says about the target; empty if it plays no part."""
    if found.target is None:
        return {}
    values = found.selector.relevance_.tolist()
    return dict(zip(found.compared.names, values, strict=True))


def _selected(found: Fitted) -> list[dict[str, Any]]:
    """The selected columns, best first."""
    selector = found.selector
    strengths, relevance = selector.strength_, _relevance_by_name(found)
    columns = sorted(selector.get_support(indices=True), key=selector.ranking_.__getitem__)
    return [
        {
            "name": found.compared.names[column],
            "rank": int(selector.ranking_[column]),
            "score": float(selector.scores_[column]),
            "strength": float(strengths[column]),
            "forced": bool(column in selector.forced_),
            "relevance": relevance.get(found.compared.names[column]),
        }
        for column in columns
    ]


def _as_json(found: Fitted, leaks: tuple[Leak, ...]) -> dict[str, Any]:
    roles = found.compared.roles
    groups: dict[str, Any] = dict.fromkeys(("groups", "isolated", "representatives"))
    if found.selector.has_groups:
        groups = {
            "groups": groups_as_json(found),
            "isolated": isolated_names(found),
            "representatives": [
                {"name": one.column, "representative": one.representative, "share": one.share}
                for one in represented_columns(found)
            ],
        }
    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_columns": len(found.table.columns),
        "n_features": len(found.compared.names),
        "n_selected": found.selector.n_features_,
        **coverage_as_json(found),
        "selected": _selected(found),
        **groups,
        "passed_through": list(roles.passed_through),
        "left_out": found.left_out,
        "leaks": leaks_as_json(leaks, roles.target),
        "settings": found.settings,
        "notes": list(found.compared.notes),
    }


def _lines(found: Fitted) -> Iterator[str | Printed]:
    yield from headline(found)
    # Forced columns come first, and all of them are shown.
    n_shown = max(_SHOWN_ROWS, len(found.selector.forced_))
    yield _table(found, n_shown)
    more = found.selector.n_features_ - n_shown
    if more > 0:
        yield f"… and {more} more; --ranking FILE and --json list them all"


def _table(found: Fitted, n_shown: int) -> Printed:
    """The selected columns with their scores, and which columns each represents.

    Without groups the strength is shown, if it differs from the score.
    """
    selector, selected = found.selector, _selected(found)
    columns = {"rank": RIGHT, "column": FOLD}
    rows = [[str(column["rank"]), column["name"]] for column in selected[:n_shown]]

    def add(title: str, cells: list[str], layout: dict[str, Any]) -> None:
        columns[title] = layout
        for row, cell in zip(rows, cells, strict=False):
            row.append(cell)

    if len(selector.forced_):
        add("", ["forced" * column["forced"] for column in selected], {})
    if found.target is not None:
        explains = [f"{column['relevance']:.0%}" for column in selected]
        add(f"explains {found.target.name}", explains, RIGHT)
    if selector.has_groups:
        members = [format_members(group, most=_SHOWN_MEMBERS) for group in selector.groups_]
        add("adds", [f"{column['score']:.2f}" for column in selected], RIGHT)
        add("represents, with a share of its variance", members, FOLD)
    else:
        scores = [f"{column['score']:.4g}" for column in selected]
        add(selector.rule_.words.short, scores, RIGHT)
        if any(column["score"] != column["strength"] for column in selected):
            add("strength", [f"{column['strength']:.4g}" for column in selected], RIGHT)
    return new_table(columns, rows)
