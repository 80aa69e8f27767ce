"""``topofs compare``: whether the selection is any good on this table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from topofs.cli.fitting import (
    SHOWN_LEAKS,
    dense,
    in_order_of_time,
    leaks_by_missing,
    reading,
)
from topofs.cli.messages import (
    Messages,
    check_outputs,
    error_translation,
    new_table,
    write_together,
)
from topofs.cli.options import (
    EXCLUDE,
    JSON,
    QUIET,
    TABLE,
    TIME,
    command,
    listed_names,
    option,
    parse_size,
    read_options,
    settings,
)

if TYPE_CHECKING:
    from rich.table import Table as Printed

    from topofs.comparison.compare import Comparison
    from topofs.comparison.prediction import Target
    from topofs.io import ColumnRoles, ComparableTable
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

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


@command(
    "compare wine.csv --target class --sizes 3,5,0.5", selector=settings, read=read_options
)
def compare(  # noqa: PLR0913 - one argument an option
    table: str = TABLE,
    *,
    target: str | None = option(
        "What to predict; .mat and .npz files have their own.", "COLUMN"
    ),
    sizes: str | None = option(
        "Numbers or fractions of columns, or auto.", "A,B,…", show_default=SIZES
    ),
    task: _Task | None = option("classification, regression; else it is guessed.", "NAME"),
    model: _Model = option("linear, knn, tree.", "NAME", default=_Model.linear),
    folds: int = option("Folds of the cross-validation.", min=2, default=5, show_default=True),
    repeats: int | None = option(
        "How often it is repeated.", min=1, show_default=str(_REPEATS)
    ),
    time: str | None = TIME,
    selector: TopologicalFeatureSelector,
    identifier: list[str] | None = option("Not to select from; repeatable.", "COLUMN", "--id"),
    drop: list[str] | None = option("Likewise.", "COLUMN"),
    exclude: list[str] | None = EXCLUDE,
    report: Path | None = option("A page to look at.", "FILE.html"),
    as_json: bool = JSON,
    quiet: bool = QUIET,
    read: ReadOptions,
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
    from topofs.report.document import check_page_ending, write_document

    check_outputs(table, (report, check_page_ending))
    if time is not None and (repeats or 1) > 1:
        raise ValueError("--time leaves one way to split the rows: leave --repeats out")
    messages = Messages(quiet=quiet, as_json=as_json)
    roles = ColumnRoles(
        target=target,
        identifiers=tuple(identifier or ()),
        drop=tuple(drop or ()),
        exclude=listed_names(exclude, given_to="--exclude"),
        time=time,
    )
    if time is not None:
        in_order_of_time(selector, messages)
    options = {
        "sizes": _sizes(sizes, selector),
        "selector": selector,
        "model": model.value,
        "resampling": Resampling(n_folds=folds, n_repeats=repeats or _REPEATS),
        "splits": None if time is None else "forward",
    }
    found, compared, name = _compared(table, roles, task, options, messages, read=read)

    def write_page(path: Path) -> None:
        write_document(path, comparison_report(comparison=found, table_name=name))

    files = write_together(report=(report, write_page))
    left_out = [{"name": column.name, "reason": column.reason} for column in compared.left_out]
    messages.result(
        lambda: {
            "table": name,
            **found.as_dict(),
            "left_out": left_out,
            "notes": list(compared.notes),
        },
        _lines(found),
        files,
    )


def _sizes(text: str | None, selector: TopologicalFeatureSelector) -> list[float | str] | None:
    """Read the sizes; None for those that are compared unless others are given."""
    from topofs.selection.compatibility import check_end, rule_of

    if text is None:
        return None
    try:
        sizes = [parse_size(part.strip()) for part in text.split(",")]
    except typer.BadParameter as error:
        raise typer.BadParameter(str(error), param_hint="--sizes") from None
    with error_translation(size="--sizes"):
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
    read: ReadOptions,
) -> tuple[Comparison, ComparableTable, str]:
    """Read the table and compare; the comparison, what was compared, the name of the table."""
    from topofs.comparison.compare import compare as run
    from topofs.comparison.prediction import target_of
    from topofs.io.table import column_values
    from topofs.selection.compatibility import measure_of

    measure = measure_of(options["selector"].similarity)
    with reading(
        source, measure=measure, roles=roles, messages=messages, needs_target=True, read=read
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
    for name in _doubtful_classes(values):
        messages.note(
            f"the target has a class {name!r}; if it stands for a missing value, leave it empty"
        )
    with (
        messages.counting("comparing", "splits") as progress,
        error_translation(size="--sizes"),
    ):
        comparison = run(X, values, target_name=target, progress=progress, **options)
    settings = comparison.settings | {"exclude": [compared.names[i] for i in excluded]}
    leaks = tuple(sorted((*comparison.leaks, *leaks), key=lambda leak: -leak.score))
    return replace(comparison, settings=settings, leaks=leaks), compared, table.name


def _doubtful_classes(target: Target) -> list[str]:
    """Name the classes that may as well stand for a missing value."""
    from topofs.io.text_values import MISSING

    return sorted(set(target.classes) & set(MISSING))


def _lines(found: Comparison) -> Iterator[str | Printed]:
    from topofs.comparison.compare import METHOD_NAMES

    splits = f"{found.n_repeats} × {found.n_folds} folds"
    if found.splits == "forward":
        splits = f"{found.n_folds} parts of the rows, each after those it is predicted from"
    yield (
        f"{found.metric} of a {found.model} model for {found.target}: mean over {splits}, "
        f"{found.n_samples} rows"
    )
    p_values = {(test.rival, test.n_features): test.p_value for test in found.tests}
    rivals = [method for method in METHOD_NAMES if method != "tfs"]
    printed = new_table()
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
    yield printed
    yield from found.doubts[:SHOWN_LEAKS]
    if len(found.doubts) > SHOWN_LEAKS:
        more = len(found.doubts) - SHOWN_LEAKS
        yield f"… and {more} more; --json and --report list them all"
    yield f"* differs from TFS (p < {_SIGNIFICANT}, corrected resampled t-test)"
    for rival in rivals:
        sure = [t for t in found.tests if t.rival == rival and t.p_value < _SIGNIFICANT]
        better = sum(test.difference > 0 for test in sure)
        yield (
            f"TFS against {METHOD_NAMES[rival]}: better at {better}, worse at "
            f"{len(sure) - better} of {len(found.sizes)} sizes"
        )
