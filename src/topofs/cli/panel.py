"""``topofs panel``: how good a list of columns is that somebody else made."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.fitting import Fitted, fitted, write_page
from topofs.cli.messages import Messages, print_json, shown
from topofs.cli.options import (
    ConstraintOptions,
    Json,
    Quiet,
    TableName,
    how,
    limits,
    names_given,
    roles,
    settings,
)
from topofs.cli.outputs import check_outputs, write_together
from topofs.cli.summary import (
    check_groups,
    leaks_as_json,
    leaks_in,
    members_in_words,
    names_in_words,
)
from topofs.cli.term_options import option_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table as Printed

    from topofs.cli.messages import Output
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import Evaluation, Group, Substitute, TopologicalFeatureSelector

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SHOWN_ROWS = 20
_SHOWN_MEMBERS = 3
_SHOWN_PAIRS = 5


@app.command(epilog="Example:  topofs panel wine.csv --drop class --panel ash --panel hue")
@option_groups(settings=settings, roles=roles, limits=limits, how=how)
def panel(  # noqa: PLR0913 - one argument an option
    table: TableName,
    *,
    listed: Annotated[
        list[str],
        typer.Option(
            "--panel", metavar="FILE|COLUMN", help="One name a line, or a name. Repeatable."
        ),
    ],
    n_next: Annotated[
        int, typer.Option("--next", min=0, help="How many columns to propose.")
    ] = 10,
    substitute: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Rank what could take its place. Repeatable."),
    ] = None,
    settings: TopologicalFeatureSelector,
    roles: ColumnRoles,
    limits: ConstraintOptions,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="The page of `select` for the list."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    how: ReadOptions,
) -> None:
    """Judge a list of columns, from wherever it comes.

    Prints how much of all columns it represents, beside random lists as long;
    who represents whom, which columns of it say the same or add least, which
    groups it misses, and what to add. Options such as --exclude limit what is added.
    """
    check_groups(settings)
    messages = Messages(quiet=quiet)
    check_outputs([], source=table, report=report)
    constraints = replace(limits, keep=_names(listed))
    with (
        _speaking_of_the_panel(),
        fitted(
            table,
            size=None,
            selector=settings,
            roles=roles,
            constraints=constraints,
            only_kept=True,
            how=how,
            messages=messages,
        ) as found,
    ):
        with messages.working("comparing with random lists"):
            answer = found.selector.evaluate(n_next=n_next)
        stand_ins = _stand_ins(found, substitute or [])
        leaks = leaks_in(found.table, found.compared, messages)
        written = write_together(
            (report, lambda path: write_page(found, path, judged=True, leaks=leaks))
        )
    if as_json:
        print_json(
            _as_json(found, answer, stand_ins, report)
            | {"leaks": leaks_as_json(leaks, found.compared.roles.target)}
        )
    elif not quiet:
        _print_evaluation(found, answer, stand_ins)
    messages.written(written)


def _names(listed: list[str]) -> tuple[str, ...]:
    """The names that were given: one by one, or those of files."""
    return names_given(
        [f"@{name}" if _is_file_or_pipe(Path(name)) else name for name in listed],
        option="--panel",
    )


def _is_file_or_pipe(path: Path) -> bool:
    """Whether names can be read from a path; a folder may be called like a column."""
    return path.exists() and not path.is_dir()


@contextmanager
def _speaking_of_the_panel() -> Iterator[None]:
    """Say --panel where the columns that are kept are spoken of."""
    try:
        yield
    except ValueError as error:
        if "--keep" not in str(error):
            raise
        said = str(error).replace("keep one of them", "list one of them")
        said = said.replace("keep fewer", "list fewer").replace("--keep", "--panel")
        raise type(error)(said) from error


def _stand_ins(found: Fitted, columns: list[str]) -> dict[str, tuple[Substitute, ...]]:
    """What could take the place of each of some columns of the list."""
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


def _as_json(
    found: Fitted,
    answer: Evaluation,
    stand_ins: dict[str, tuple[Substitute, ...]],
    report: Path | None,
) -> dict[str, Any]:
    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_features": len(found.compared.names),
        "panel": list(answer.names),
        "coverage": answer.coverage,
        "random_coverage": asdict(answer.random),
        "groups": [_group_as_json(group) for group in answer.groups],
        "same": [asdict(pair) for pair in answer.same],
        "least": [{"name": one.name, "adds": one.adds} for one in answer.least],
        "alone": list(answer.alone),
        "isolated": list(answer.isolated),
        "missing": [_group_as_json(group) for group in answer.missing],
        "next": [{"name": one.name, "adds": one.adds} for one in answer.next],
        "substitutes": {
            column: [
                {"name": s.name, "lost": s.lost, "gained": s.gained, "share": s.share}
                for s in ranked
            ]
            for column, ranked in stand_ins.items()
        },
        "left_out": found.left_out,
        # The list is under "panel": nobody asked for its columns, nor for so many.
        "settings": {k: v for k, v in found.settings.items() if k not in {"size", "keep"}},
        "files": {} if report is None else {"report": str(report)},
    }


def _group_as_json(group: Group) -> dict[str, Any]:
    members = [{"name": m.name, "share": m.share} for m in group.members]
    return {"name": group.name, "members": members}


def _print_evaluation(
    found: Fitted, answer: Evaluation, stand_ins: dict[str, tuple[Substitute, ...]]
) -> None:
    from topofs.cli.messages import Output

    output = Output()
    n, by_chance = len(answer.names), answer.random
    verb = "represents" if n == 1 else "represent"
    output.say(
        f"{n} of {len(found.compared.names)} columns of {shown(found.table.name)} {verb} "
        f"{answer.coverage:.0%} of the variance of all; random lists of {n}: "
        f"{by_chance.mean:.1%} ({by_chance.low:.1%} to {by_chance.high:.1%})"
    )
    output.print(_groups(answer.groups))
    if len(answer.groups) > _SHOWN_ROWS:
        output.say(f"… and {len(answer.groups) - _SHOWN_ROWS} more; --json lists them all")
    for pair in answer.same[:_SHOWN_PAIRS]:
        output.say(f"say the same: {shown(pair.name)} and {shown(pair.other)} {pair.share:.2f}")
    if n > 1:
        least = [f"{shown(one.name)} {one.adds:.2f}" for one in answer.least[:_SHOWN_PAIRS]]
        output.say(f"add least beyond the others: {', '.join(least)}")
    _print_missing(output, answer)
    if answer.next:
        output.say("add next, each given those before it:")
    for one in answer.next:
        output.say(f"  {shown(one.name)}  +{one.adds:.2f}")
    for column, ranked in stand_ins.items():
        _print_stand_ins(output, column, ranked)


def _groups(groups: tuple[Group, ...]) -> Printed:
    """The columns of the list, each with those it represents."""
    from rich.table import Table as Printed

    printed = Printed(box=None, pad_edge=False)
    printed.add_column("column", overflow="fold")
    printed.add_column("represents, with a share of its variance", overflow="fold")
    for group in groups[:_SHOWN_ROWS]:
        printed.add_row(shown(group.name), members_in_words(group, most=_SHOWN_MEMBERS))
    return printed


def _print_missing(output: Output, answer: Evaluation) -> None:
    for names, what in (
        (answer.alone, "alone, with no column of the list to represent"),
        (answer.isolated, "isolated, and nothing could represent"),
    ):
        if names:
            are, them = ("is", "it") if len(names) == 1 else ("are", "them")
            n = f"{len(names):,} column{'s' * (len(names) > 1)}"
            output.say(f"{n} {are} {what} {them}: {names_in_words(names)}")
    largest = [group for group in answer.missing if group.members][:_SHOWN_PAIRS]
    if largest:
        output.say("largest groups not represented:")
    for group in largest:
        members = members_in_words(group, most=_SHOWN_MEMBERS)
        output.say(f"  {shown(group.name)}, with {members}")


def _print_stand_ins(output: Output, column: str, ranked: tuple[Substitute, ...]) -> None:
    from topofs.selection.answers import change_in_words, share_in_words

    if not ranked:
        output.say(
            f"nothing takes the place of {shown(column)}: no column that may be added shares "
            "more than chance with it"
        )
        return
    output.say(f"in place of {shown(column)}:")
    for one in ranked:
        output.say(
            f"  {shown(one.name)}  {change_in_words(one)}; the list then explains "
            f"{share_in_words(one.share)} of {shown(column)}"
        )
    if any(one.gained > one.lost for one in ranked):
        output.say(
            "  what gains more than it loses, `topofs select --refine` exchanges by itself"
        )
