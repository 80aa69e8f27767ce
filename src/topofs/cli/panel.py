"""``topofs panel``: rate a given list of columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.cli import options
from topofs.cli.fitting import Fitted, fitted, leaks_as_json, leaks_in, write_page
from topofs.cli.messages import (
    FOLD,
    Messages,
    check_outputs,
    error_translation,
    new_table,
    write_together,
)
from topofs.cli.options import TABLE, command, listed_names, option
from topofs.cli.summary import (
    SHOWN_NAMES,
    check_groups,
    format_members,
    members_as_json,
    relevance_as_json,
)
from topofs.text import listed

if TYPE_CHECKING:
    from rich.table import Table as Printed

    from topofs.cli.options import ConstraintOptions
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import Evaluation, Substitute, TopologicalFeatureSelector

    Substitutes = dict[str, tuple[Substitute, ...]]

_SHOWN_ROWS = 20
_SHOWN_MEMBERS = 3
_SHOWN_PAIRS = 5


@command(
    "panel wine.csv --drop class --panel ash --panel hue",
    constraints=partial(options.constraints, keep=None),
)
def panel(  # noqa: PLR0913 - a parameter for each option
    table: str = TABLE,
    *,
    listed: list[str] = option(
        "One name a line, or a name. Repeatable.", "FILE|COLUMN", "--panel", default=...
    ),
    same: float | None = option(
        "Columns say the same above this topological overlap, such as 0.25.", "NUMBER"
    ),
    n_next: int = option("How many columns to propose.", None, "--next", min=0, default=10),
    substitute: list[str] | None = option(
        "Rank what could take its place. Repeatable.", "COLUMN"
    ),
    selector: TopologicalFeatureSelector,
    roles: ColumnRoles,
    constraints: ConstraintOptions,
    report: Path | None = option("The page of `select` for the list.", "FILE.html"),
    messages: Messages,
    read: ReadOptions,
) -> None:
    """Judge a list of columns, from wherever it comes.

    Prints how much of all columns it represents, beside random lists as long;
    who represents whom, which columns of it say the same or add least, which
    groups it misses, and what to add. Options such as --exclude limit what is added.
    """
    from topofs.report.document import check_page_ending

    check_groups(selector)
    check_outputs(table, (report, check_page_ending))
    # A folder may have the name of a column.
    names = [f"@{x}" if Path(x).exists() and not Path(x).is_dir() else x for x in listed]
    constraints["keep"] = listed_names(names, given_to="--panel")
    with (
        _panel_in_errors(),
        fitted(
            table,
            selector,
            messages,
            size=None,
            roles=roles,
            constraints=constraints,
            only_kept=True,
            read=read,
            needs_rows=same is not None,
        ) as found,
    ):
        with messages.working("comparing with random lists"):
            network = None if same is None else _network_of_overlaps(found)
            with error_translation():
                answer = selector.evaluate(same=same, network=network, n_next=n_next)
        substitutes = _substitutes(found, substitute or [])
        leaks = leaks_in(found, messages)
        files = write_together(
            report=(report, lambda path: write_page(found, path, judged=True, leaks=leaks))
        )
    messages.result(
        lambda: {
            **_as_json(found, answer, substitutes),
            "same_above": same,
            "files": files,
            "leaks": leaks_as_json(leaks, found.compared.roles.target),
        },
        _lines(found, answer, substitutes),
        files,
    )


def _network_of_overlaps(found: Fitted) -> FilteredGraph | None:
    """The partial correlations of the columns; None, for the graph, where they are not numbers.

    Topological overlaps of partial correlations tell best what says the same.
    """
    import polars as pl

    from topofs.models import LoGoCovariance
    from topofs.similarity.correlation import CorrelationMeasure

    if not isinstance(found.selector.similarity_, CorrelationMeasure):
        return None
    table = found.columns.compared_table()
    if not hasattr(table, "tocsr"):
        # With names, for messages.
        table = pl.DataFrame(table, [found.compared.names[i] for i in found.selector.nodes_])
    with error_translation():
        return LoGoCovariance(memory=found.selector.memory).fit(table).partial_correlations()


@contextmanager
def _panel_in_errors() -> Iterator[None]:
    """Name --panel where an error names the option of the columns that are kept."""
    try:
        yield
    except ValueError as error:
        if "--keep" not in str(error):
            raise
        said = str(error).replace("keep one of them", "list one of them")
        said = said.replace("keep fewer", "list fewer").replace("--keep", "--panel")
        raise type(error)(said) from error


def _substitutes(found: Fitted, columns: list[str]) -> Substitutes:
    """The replacements for some columns of the list."""
    from topofs.io.table import check_columns

    selector = found.selector
    check_columns(columns, found.table.columns, option="--substitute")
    listed = set(selector.get_feature_names_out())
    for column in columns:
        if column not in listed:
            raise ValueError(
                f"--substitute: the column {column!r} is not in the list; name one that is"
            )
    return {column: selector.substitute(column) for column in columns}


def _as_json(found: Fitted, answer: Evaluation, substitutes: Substitutes) -> dict[str, Any]:
    return {
        **found.about_table,
        "panel": list(answer.names),
        "coverage": answer.coverage,
        "random_coverage": asdict(answer.random),
        "relevance": relevance_as_json(found),
        "groups": [{"name": g.name, "members": members_as_json(g)} for g in answer.groups],
        "same": [asdict(pair) for pair in answer.same],
        "least": [{"name": one.name, "adds": one.adds} for one in answer.least],
        "alone": list(answer.alone),
        "isolated": list(answer.isolated),
        "missing": [{"name": g.name, "members": members_as_json(g)} for g in answer.missing],
        "next": [{"name": one.name, "adds": one.adds} for one in answer.next],
        "substitutes": {
            column: [
                {
                    "name": s.name,
                    "lost": s.lost,
                    "gained": s.gained,
                    "share": s.share,
                    "relevance": s.relevance,
                }
                for s in ranked
            ]
            for column, ranked in substitutes.items()
        },
        "left_out": found.left_out,
        # The list is under "panel", because its columns and size were not settings.
        "settings": {k: v for k, v in found.settings.items() if k not in {"size", "keep"}},
    }


def _lines(
    found: Fitted, answer: Evaluation, substitutes: Substitutes
) -> Iterator[str | Printed]:
    n, by_chance = len(answer.names), answer.random
    verb = "represents" if n == 1 else "represent"
    yield (
        f"{n} of {len(found.compared.names)} columns of {found.table.name} {verb} "
        f"{answer.coverage:.0%} of the variance of all; random lists of {n}: "
        f"{by_chance.mean:.1%} ({by_chance.low:.1%} to {by_chance.high:.1%})"
    )
    if answer.relevance is not None and answer.random_relevance is not None:
        by_chance = answer.random_relevance
        yield (
            f"{n} {'holds' if n == 1 else 'hold'} {answer.relevance:.0%} of what all columns say "
            f"about {answer.target}, one by one; random lists of {n}: {by_chance.mean:.1%} "
            f"({by_chance.low:.1%} to {by_chance.high:.1%})"
        )
    yield new_table(
        {"column": FOLD, "represents, with a share of its variance": FOLD},
        [
            (group.name, format_members(group, most=_SHOWN_MEMBERS))
            for group in answer.groups[:_SHOWN_ROWS]
        ],
    )
    if len(answer.groups) > _SHOWN_ROWS:
        yield f"… and {len(answer.groups) - _SHOWN_ROWS} more; --json lists them all"
    for pair in answer.same[:_SHOWN_PAIRS]:
        how = f"{pair.share:.2f}" if pair.overlap is None else f"overlap {pair.overlap:.2f}"
        yield f"say the same: {pair.name} and {pair.other} {how}"
    if n > 1:
        least = [f"{one.name} {one.adds:.2f}" for one in answer.least[:_SHOWN_PAIRS]]
        yield f"add least beyond the others: {', '.join(least)}"
    yield from _lines_of_missing(answer)
    if answer.next:
        yield "add next, each given those before it:"
    for one in answer.next:
        yield f"  {one.name}  +{one.adds:.2f}"
    for column, ranked in substitutes.items():
        yield from _lines_of_substitutes(column, ranked)


def _lines_of_missing(answer: Evaluation) -> Iterator[str]:
    for names, what in (
        (answer.alone, "alone, with no column of the list to represent"),
        (answer.isolated, "isolated, and nothing could represent"),
    ):
        if names:
            are, them = ("is", "it") if len(names) == 1 else ("are", "them")
            n = f"{len(names):,} column{'s' * (len(names) > 1)}"
            yield f"{n} {are} {what} {them}: {listed(names, most=SHOWN_NAMES)}"
    largest = [group for group in answer.missing if group.members][:_SHOWN_PAIRS]
    if largest:
        yield "largest groups not represented:"
    for group in largest:
        yield f"  {group.name}, with {format_members(group, most=_SHOWN_MEMBERS)}"


def _lines_of_substitutes(column: str, ranked: tuple[Substitute, ...]) -> Iterator[str]:
    from topofs.selection.answers import change_in_words, share_in_words

    if not ranked:
        yield (
            f"nothing takes the place of {column}: no column that may be added shares more than "
            "chance with it"
        )
        return
    yield f"in place of {column}:"
    for one in ranked:
        yield (
            f"  {one.name}  {change_in_words(one)}; the list then explains "
            f"{share_in_words(one.share)} of {column}"
            + (f"; it {one.relevance_words}" if one.relevance_words else "")
        )
    if any(one.gained > one.lost for one in ranked):
        yield "  what gains more than it loses, `topofs select --refine` exchanges by itself"
