"""``topofs compare``: compare the selection with other methods on a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from topofs.cli.fitting import (
    SHOWN_LEAKS,
    find_table_leaks,
    reading,
    take_rows_in_order,
    target_values,
    with_dense_values,
)
from topofs.cli.messages import (
    RIGHT,
    Messages,
    check_outputs,
    error_translation,
    new_table,
    write_together,
)
from topofs.cli.options import (
    EXCLUDE,
    TABLE,
    TIME,
    command,
    listed_names,
    name_option,
    option,
    parse_size,
)

if TYPE_CHECKING:
    from rich.table import Table as Printed

    from topofs.comparison.compare import Comparison
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

SIZES = "0.05, 0.1, 0.25, 0.5, auto"
"""The default sizes; auto only if the rule has an automatic end."""

_SIGNIFICANT = 0.05
_REPEATS = 2


@command("compare wine.csv --target class --sizes 3,5,0.5")
def compare(  # noqa: PLR0913 - one argument an option
    table: str = TABLE,
    *,
    target: str | None = option(
        "What to predict; .mat and .npz files have their own.", "COLUMN"
    ),
    sizes: str | None = option(
        "Numbers or fractions of columns, or auto.", "A,B,…", show_default=SIZES
    ),
    methods: str | None = option(
        "Rivals, from tfs_paper, inf_fs, variance, f, mutual_information, mrmr, fastcan, forest, "
        "rfe, random, all.",
        "A,B,…",
    ),
    task: Any = name_option(
        "classification, regression; else it is guessed.", ("classification", "regression")
    ),
    model: Any = name_option("linear, knn, tree.", ("linear", "knn", "tree"), default="linear"),
    folds: int = option("Folds of the cross-validation.", min=2, default=5),
    repeats: int | None = option(
        "How often it is repeated.", min=1, show_default=str(_REPEATS)
    ),
    time: str | None = TIME,
    selector: TopologicalFeatureSelector,
    identifier: list[str] | None = option("Takes no part. Repeatable.", "COLUMN", "--id"),
    drop: list[str] | None = option("Left out. Repeatable.", "COLUMN"),
    exclude: list[str] | None = EXCLUDE,
    report: Path | None = option("A report for a browser.", "FILE.html"),
    messages: Messages,
    read: ReadOptions,
) -> None:
    """Compare TFS with its published form, Inf-FS, variance, random subsets, all.

    With --relevance target, also with methods that select for the target.
    Cross-validated balanced accuracy, or R² for numbers; columns are selected
    inside the folds. Differences are tested by the corrected resampled t-test.
    With --time, models predict the rows after those they learned from.
    All but TFS, random and all rank numbers; names follow as they are.
    """
    from topofs.comparison.compare import compare as compare_methods
    from topofs.comparison.prediction import Resampling
    from topofs.io import ColumnRoles
    from topofs.io.target import target_of
    from topofs.io.text_values import MISSING
    from topofs.report.comparison import comparison_report
    from topofs.report.document import check_page_ending, write_document
    from topofs.selection.compatibility import measure_of

    check_outputs(table, (report, check_page_ending))
    if time is not None and (repeats or 1) > 1:
        raise ValueError("--time leaves one way to split the rows: leave --repeats out")
    roles = ColumnRoles(
        target=target,
        identifiers=tuple(identifier or ()),
        drop=tuple(drop or ()),
        exclude=listed_names(exclude, given_to="--exclude"),
        time=time,
    )
    if time is not None:
        take_rows_in_order(selector, messages)
    wanted = _sizes(sizes, selector)
    measure = measure_of(selector.similarity)
    with reading(
        table, measure=measure, roles=roles, messages=messages, needs_target=True, read=read
    ) as (opened, compared):
        target = str(compared.roles.target)
        values = target_of(target_values(opened, compared), task=task)
        # Excluded columns that take no part are dropped.
        unwanted = set(compared.roles.exclude)
        excluded = [i for i, name in enumerate(compared.names) if name in unwanted]
        selector.set_params(exclude=excluded or None)
        X = with_dense_values(compared, opened, why="the models that are compared take").named
        leaks = find_table_leaks(opened, compared, values, of_compared=False)
    if not values.given.all():
        messages.note(f"{int((~values.given).sum())} rows without a target are left out")
    for name in sorted(set(values.classes) & set(MISSING)):
        messages.note(
            f"the target has a class {name!r}; if it stands for a missing value, leave it empty"
        )
    with (
        messages.counting("comparing", "splits") as progress,
        error_translation(size="--sizes"),
    ):
        found = compare_methods(
            X,
            values,
            sizes=wanted,
            selector=selector,
            methods=None if methods is None else [m.strip() for m in methods.split(",")],
            model=model,
            resampling=Resampling(n_folds=folds, n_repeats=repeats or _REPEATS),
            splits=None if time is None else "forward",
            target_name=target,
            progress=progress,
        )
    found = replace(
        found,
        settings=found.settings | {"exclude": [compared.names[i] for i in excluded]},
        leaks=tuple(sorted((*found.leaks, *leaks), key=lambda leak: -leak.score)),
    )

    def write_page(path: Path) -> None:
        write_document(path, comparison_report(comparison=found, table_name=opened.name))

    files = write_together(report=(report, write_page))
    left_out = [{"name": column.name, "reason": column.reason} for column in compared.left_out]
    messages.result(
        lambda: {
            "table": opened.name,
            **found.as_dict(),
            "left_out": left_out,
            "notes": list(compared.notes),
        },
        _lines(found),
        files,
    )


def _sizes(text: str | None, selector: TopologicalFeatureSelector) -> list[float | str] | None:
    """Read the sizes; None for the default sizes."""
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
    methods = dict.fromkeys(scores.method for scores in found.scores)
    rivals = [method for method in methods if method != "tfs"]
    rows = []
    for method in ("tfs", *rivals):
        cells = []
        for size in found.sizes:
            scores = found.of(method, None if method == "all" else size)
            mark = "*" if p_values.get((method, size), 1.0) < _SIGNIFICANT else " "
            cells.append(f"{scores.mean:.3f}{mark}")
        rows.append([METHOD_NAMES[method], *cells])
    heads = dict.fromkeys(map(found.size_name, found.sizes), RIGHT | {"no_wrap": True})
    yield new_table({"number of columns": {"no_wrap": True}} | heads, rows)
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
