"""From the name of a table to a fitted selector: what most commands share."""

from __future__ import annotations

import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer

from topofs.cli.messages import in_options, spoken
from topofs.cli.options import ConstraintOptions
from topofs.cli.summary import isolated_columns
from topofs.cli.term_options import changes_in_words
from topofs.errors import (
    ColumnReadingWarning,
    ConstantFeatureWarning,
    DependentRowsWarning,
    IdentifierFeatureWarning,
    IsolatedFeatureWarning,
    NoStructureWarning,
    RareFeatureWarning,
    TableError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from topofs.backends.dispatch import ComparedColumns
    from topofs.cli.messages import Messages
    from topofs.comparison.leakage import Leak
    from topofs.constraints import Size
    from topofs.io import ColumnRoles, ComparableTable, Table
    from topofs.io.read import ReadOptions
    from topofs.selection import RandomLists, Stability, TopologicalFeatureSelector
    from topofs.similarity import Measure
    from topofs.similarity.base import SimilarityOperator

__all__ = ["Fitted", "dense", "fitted", "in_order_of_time", "reading", "write_page"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A selector and what it was fitted to: the open table, the columns that took part.

    `columns` are the compared ones as they were prepared for the fit.
    """

    table: Table
    compared: ComparableTable
    selector: TopologicalFeatureSelector
    columns: ComparedColumns

    @property
    def similarity(self) -> SimilarityOperator:
        """The similarity between the columns, without preparing them again."""
        assert self.columns.operator is not None
        operator: SimilarityOperator = self.columns.operator
        return operator

    @property
    def settings(self) -> dict[str, Any]:
        """How it was fitted, as JSON can hold it."""
        from topofs.selection import plain_settings

        return plain_settings(self.selector)

    @cached_property
    def random_lists(self) -> RandomLists | None:
        """The coverage of random lists as long as the selection; None without groups."""
        return self.selector.random_lists() if self.selector.has_groups else None

    @property
    def left_out(self) -> list[dict[str, str]]:
        """The columns that took no part, with the reasons, as JSON can hold them."""
        from topofs.selection.reading import left_out_as_rare

        found = [*self.compared.left_out, *left_out_as_rare(self.selector)]
        return [{"name": out.name, "reason": out.reason} for out in found]


@contextmanager
def fitted(
    source: str,
    *,
    size: float | str | Size | None,
    selector: TopologicalFeatureSelector,
    roles: ColumnRoles,
    messages: Messages,
    how: ReadOptions,
    constraints: ConstraintOptions | None = None,
    only_kept: bool = False,
    check: Callable[[Table], None] | None = None,
    needs_graph: bool = False,
) -> Iterator[Fitted]:
    """Read a table and fit a selector to it; the table stays open while the block lasts."""
    from topofs.runtime import watching
    from topofs.selection import fit_and_compare
    from topofs.selection.compatibility import check_end, measure_of, rule_of

    if roles.time is not None:
        in_order_of_time(selector, messages)
    rule = rule_of(selector.rule)
    if size is None and rule.has_end:
        size = "auto"
    with in_options():
        check_end(rule, size)
        if needs_graph and not rule.needs.graph:
            raise ValueError(f"rule {rule.name!r} ranks without a graph: use rule 'coverage'")
    constraints = constraints or ConstraintOptions()
    with reading(
        source,
        measure=measure_of(selector.similarity),
        roles=constraints.roles(roles),
        messages=messages,
        how=how,
        check=check,
    ) as (table, compared):
        n_kept = len(compared.roles.keep)
        selector.set_params(n_features_to_select=n_kept if only_kept else size)
        constraints.settle(selector, compared)
        with (
            messages.counting(f"comparing {len(compared.names):,} columns", "pairs") as report,
            watching(report),
            in_options(),
            _warnings_as_notes(messages),
        ):
            columns = fit_and_compare(selector, compared.named)
        # Of a list that is only judged, `topofs panel` says itself which columns are isolated.
        if not only_kept:
            _note_isolated(selector, messages)
        yield Fitted(table, compared, selector, columns)


@contextmanager
def reading(
    source: str,
    *,
    measure: Measure,
    roles: ColumnRoles,
    messages: Messages,
    how: ReadOptions,
    needs_target: bool = False,
    check: Callable[[Table], None] | None = None,
) -> Iterator[tuple[Table, ComparableTable]]:
    """Open a table, read what can be compared, and say what cannot."""
    from topofs.io import comparable_table, open_table
    from topofs.io.text_columns import in_time_order, with_dates_as_numbers

    with ExitStack() as stack:
        with messages.working(f"reading {source}"):
            table = stack.enter_context(open_table(source, how=how))
        if check is not None:
            check(table)
        if needs_target and roles.for_table(table).target is None:
            raise typer.BadParameter("give the column to predict", param_hint="--target")
        with messages.working(f"reading {table.n_samples:,} rows of {table.name}"):
            if how.dates_as_numbers:
                table = with_dates_as_numbers(table)
            compared = comparable_table(table, roles, measure=measure)
            if not measure.takes_sparse:
                compared = dense(compared, table, why=f"--similarity {measure.name} takes")
            if compared.roles.time is not None:
                compared = in_time_order(table, compared)
        messages.left_out(compared.left_out)
        if not measure.takes_names:
            _note_names(table, compared, messages)
        messages.notes(compared.notes)
        yield table, compared


def in_order_of_time(selector: TopologicalFeatureSelector, messages: Messages) -> None:
    """Let rows that --time puts in order count for fewer, where the measure can do so."""
    from topofs.selection.compatibility import measure_of

    measure = measure_of(selector.similarity)
    if "rows" in measure.get_params():
        selector.set_params(similarity__rows="ordered")
    else:
        messages.note(
            f"--similarity {measure.name} takes rows as independent, in whatever order they are"
        )


def dense(compared: ComparableTable, table: Table, *, why: str) -> ComparableTable:
    """Turn a sparse matrix into an array, where memory has room for it."""
    from topofs.io.frames import dense_values

    try:
        return replace(compared, X=dense_values(compared.X, what=why))
    except ValueError as error:
        raise TableError(f"{table.name}: {error}") from error


def write_page(
    found: Fitted,
    path: Path,
    *,
    stability: Stability | None = None,
    judged: bool = False,
    leaks: Sequence[Leak] = (),
) -> None:
    """Write the report of a selection, or of a list that is judged."""
    from topofs.report.document import write_document
    from topofs.report.selection import selection_report

    page = selection_report(
        selector=found.selector,
        X=found.compared.named,
        similarity=found.similarity,
        table_name=found.table.name,
        left_out=found.compared.left_out,
        passed_through=found.compared.roles.passed_through,
        stability=stability,
        judged=judged,
        notes=[
            *(leak.sentence(str(found.compared.roles.target)) for leak in leaks),
            *found.compared.notes,
        ],
    )
    write_document(path, page)


@contextmanager
def _warnings_as_notes(messages: Messages) -> Iterator[None]:
    """Say in a line what a fit warns of; other warnings stay what they are.

    Only forced columns can be constant here, and nothing need be said of these. How columns were
    read, the notes on the table say.
    """
    ours = (
        DependentRowsWarning,
        IdentifierFeatureWarning,
        NoStructureWarning,
        RareFeatureWarning,
    )
    with warnings.catch_warnings(record=True) as caught:
        for kind in ours:
            warnings.simplefilter("always", kind)
        # Notes on the table say how columns were read; what is isolated is noted with the option
        # that selects it.
        for said in (ColumnReadingWarning, ConstantFeatureWarning, IsolatedFeatureWarning):
            warnings.simplefilter("ignore", said)
        yield
    for warning in caught:
        if issubclass(warning.category, ours):
            messages.notes([spoken(str(warning.message))])
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def _note_names(table: Table, compared: ComparableTable, messages: Messages) -> None:
    """Say how columns of names could take part, where the similarity has no use for them."""
    from topofs.io.table import holds_names, measures_of_names

    listed = [column for column in compared.left_out if not column.asked_for]
    n_names = sum(holds_names(table.schema[column.name]) for column in listed)
    if n_names:
        which = "it holds" if len(listed) == 1 else f"{n_names} of them hold"
        messages.note(
            f"{which} text or categories, which --similarity {measures_of_names()} compares "
            "level by level"
        )


def _note_isolated(selector: TopologicalFeatureSelector, messages: Messages) -> None:
    alone = isolated_columns(selector)
    n_out = int((~selector.support_[alone]).sum())
    # Where all are isolated the selector has said so.
    if not n_out or len(alone) == len(selector.nodes_):
        return
    columns = "1 column shares" if n_out == 1 else f"{n_out:,} columns share"
    was = "is" if n_out == 1 else "are"
    other = selector.rule_.keeping_isolated()
    way = "" if other is None else f"; {changes_in_words(selector.rule_, other)} selects them"
    messages.note(
        f"{columns} with no other more than chance explains and {was} not selected{way}"
    )
