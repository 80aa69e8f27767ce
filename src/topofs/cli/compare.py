"""``topofs compare``: whether the selection is any good on this table."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.fitting import dense, in_order_of_time, reading
from topofs.cli.messages import Messages, in_options, print_json, shown
from topofs.cli.options import (
    Exclude,
    Json,
    Quiet,
    TableName,
    Time,
    how,
    names_given,
    parse_size,
    settings,
)
from topofs.cli.outputs import check_outputs, write_together
from topofs.cli.summary import SHOWN_LEAKS, leaks_by_missing
from topofs.cli.term_options import option_groups

if TYPE_CHECKING:
    from topofs.comparison.compare import Comparison
    from topofs.comparison.prediction import Target
    from topofs.io import ColumnRoles, ComparableTable
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

SIZES = "0.05, 0.1, 0.25, 0.5, auto"
"""The sizes that are compared unless others are given; auto where the rule has an end."""

_SIGNIFICANT = 0.05
_REPEATS = 2


class _Task(StrEnum):
    """What the target is."""

    classification = "classification"
    regression = "regression"


class _Model(StrEnum):
    """What predicts it."""

    linear = "linear"
    knn = "knn"
    tree = "tree"


@app.command(epilog="Example:  topofs compare wine.csv --target class --sizes 3,5,0.5")
@option_groups(settings=settings, how=how)
def compare(  # noqa: PLR0913 - one argument an option
    table: TableName,
    *,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="What to predict; .mat and .npz files have their own."
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…",
            help="Numbers or fractions of columns, or auto.",
            show_default=SIZES,
        ),
    ] = None,
    task: Annotated[
        _Task | None,
        typer.Option(metavar="NAME", help="classification, regression; else it is guessed."),
    ] = None,
    model: Annotated[
        _Model,
        typer.Option(metavar="NAME", help="linear, knn, tree.", show_default=False),
    ] = _Model.linear,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[
        int | None,
        typer.Option(min=1, help="How often it is repeated.", show_default=str(_REPEATS)),
    ] = None,
    time: Time = None,
    settings: TopologicalFeatureSelector,
    identifier: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="COLUMN", help="Not to select from; repeatable."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Likewise.")] = None,
    exclude: Exclude = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="A page to look at.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    how: ReadOptions,
) -> None:
    """Compare TFS with its published form, Inf-FS, variance, random subsets, all.

    Cross-validated balanced accuracy, or R² for numbers; columns are selected
    inside the folds. Differences are tested by the corrected resampled t-test.
    With --time, models predict the rows after those they learned from.
    The published form, Inf-FS and variance rank numbers; names follow as they are.
    """
    from topofs.comparison.prediction import Resampling
    from topofs.io import ColumnRoles
    from topofs.report.comparison import comparison_report
    from topofs.report.document import write_document

    check_outputs([], source=table, report=report)
    if time is not None and (repeats or 1) > 1:
        raise ValueError("--time leaves one way to split the rows: leave --repeats out")
    messages = Messages(quiet=quiet)
    roles = ColumnRoles(
        target=target,
        identifiers=tuple(identifier or ()),
        drop=tuple(drop or ()),
        exclude=names_given(exclude, option="--exclude"),
        time=time,
    )
    if time is not None:
        in_order_of_time(settings, messages)
    options = {
        "sizes": _sizes(sizes, settings),
        "selector": settings,
        "model": model.value,
        "resampling": Resampling(n_folds=folds, n_repeats=repeats or _REPEATS),
        "splits": None if time is None else "forward",
    }
    found, compared, name = _compared(table, roles, task, options, messages, how=how)
    written = write_together(
        (
            report,
            lambda path: write_document(
                path, comparison_report(comparison=found, table_name=name)
            ),
        )
    )
    if as_json:
        left_out = [
            {"name": column.name, "reason": column.reason} for column in compared.left_out
        ]
        about = {"left_out": left_out, "notes": list(compared.notes)}
        print_json({"table": name} | found.as_dict() | about)
    elif not quiet:
        _print_comparison(found)
    messages.written(written)


def _sizes(text: str | None, selector: TopologicalFeatureSelector) -> list[float | str] | None:
    """Read the sizes; None for those that are compared unless others are given."""
    from topofs.selection.compatibility import check_end, rule_of

    if text is None:
        return None
    try:
        sizes = [parse_size(part.strip()) for part in text.split(",")]
    except typer.BadParameter as error:
        raise typer.BadParameter(str(error), param_hint="--sizes") from None
    with in_options(size="--sizes"):
        for size in sizes:
            check_end(rule_of(selector.rule), size)
    return sizes


def _compared(
    source: str,
    roles: ColumnRoles,
    task: _Task | None,
    options: dict[str, Any],
    messages: Messages,
    *,
    how: ReadOptions,
) -> tuple[Comparison, ComparableTable, str]:
    """Read the table and compare; the comparison, what was compared, the name of the table."""
    from topofs.comparison.compare import compare as run
    from topofs.comparison.prediction import target_of
    from topofs.io.table import column_values
    from topofs.selection.compatibility import measure_of

    measure = measure_of(options["selector"].similarity)
    with reading(
        source, measure=measure, roles=roles, messages=messages, needs_target=True, how=how
    ) as (table, compared):
        target = compared.roles.target
        assert target is not None
        labels = column_values(table, target)
        labels = labels if compared.order is None else labels[compared.order]
        values = target_of(labels, task=task and task.value)
        # Excluded columns that take no part anyway are let be.
        unwanted = set(compared.roles.exclude)
        excluded = [i for i, name in enumerate(compared.names) if name in unwanted]
        options["selector"].set_params(exclude=excluded or None)
        X = dense(compared, table, why="the models that are compared take").named
        leaks = leaks_by_missing(table, compared, values)
    if not values.given.all():
        messages.note(f"{int((~values.given).sum())} rows without a target are left out")
    messages.notes(_doubtful_classes(values))
    with messages.counting("comparing", "splits") as progress, in_options(size="--sizes"):
        comparison = run(X, values, target_name=target, progress=progress, **options)
    settings = comparison.settings | {"exclude": [compared.names[i] for i in excluded]}
    leaks = tuple(sorted((*comparison.leaks, *leaks), key=lambda leak: -leak.score))
    return replace(comparison, settings=settings, leaks=leaks), compared, table.name


def _doubtful_classes(target: Target) -> list[str]:
    """Name the classes that may as well stand for a missing value."""
    from topofs.io.text_values import MISSING

    found = sorted(set(target.classes) & set(MISSING))
    return [
        f"the target has a class {name!r}; if it stands for a missing value, leave it empty"
        for name in found
    ]


def _print_comparison(found: Comparison) -> None:
    from rich.table import Table as Printed

    from topofs.cli.messages import Output
    from topofs.comparison.compare import METHOD_NAMES

    output = Output()
    splits = f"{found.n_repeats} × {found.n_folds} folds"
    if found.splits == "forward":
        splits = f"{found.n_folds} parts of the rows, each after those it is predicted from"
    output.say(
        f"{found.metric} of a {found.model} model for {shown(found.target)}: mean over "
        f"{splits}, {found.n_samples} rows"
    )
    p_values = {(test.rival, test.n_features): test.p_value for test in found.tests}
    rivals = [method for method in METHOD_NAMES if method != "tfs"]
    printed = Printed(box=None, pad_edge=False)
    printed.add_column("columns", justify="right")
    for method in ("tfs", *rivals):
        printed.add_column(METHOD_NAMES[method], justify="right", no_wrap=True)
    for size in found.sizes:
        cells = [f"{found.of('tfs', size).mean:.3f}"]
        for rival in rivals:
            scores = found.of(rival, None if rival == "all" else size)
            mark = "*" if p_values[rival, size] < _SIGNIFICANT else " "
            cells.append(f"{scores.mean:.3f}{mark}")
        printed.add_row(found.size_name(size), *cells)
    output.print(printed)
    for doubt in found.doubts[:SHOWN_LEAKS]:
        output.say(shown(doubt))
    if len(found.doubts) > SHOWN_LEAKS:
        more = len(found.doubts) - SHOWN_LEAKS
        output.say(f"… and {more} more; --json and --report list them all")
    output.say(f"* differs from TFS (p < {_SIGNIFICANT}, corrected resampled t-test)")
    for rival in rivals:
        output.say(_verdict(found, rival))


def _verdict(found: Comparison, rival: str) -> str:
    from topofs.comparison.compare import METHOD_NAMES

    sure = [t for t in found.tests if t.rival == rival and t.p_value < _SIGNIFICANT]
    better = sum(test.difference > 0 for test in sure)
    return (
        f"TFS against {METHOD_NAMES[rival]}: better at {better}, worse at "
        f"{len(sure) - better} of {len(found.sizes)} sizes"
    )
