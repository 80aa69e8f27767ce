"""From the name of a table to a fitted selector: read, fit, and print notes.

`fitted` is what most commands share. `reading` alone is for a command that fits more than once.
"""

from __future__ import annotations

import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from topofs.cli.messages import error_translation, translated
from topofs.cli.options import changed_options
from topofs.errors import (
    ColumnReadingWarning,
    ConstantFeatureWarning,
    DependentRowsWarning,
    IdentifierFeatureWarning,
    IsolatedFeatureWarning,
    NoRelevanceWarning,
    NoStructureWarning,
    RareFeatureWarning,
    TableError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from topofs.backends.dispatch import ColumnsToCompare
    from topofs.cli.messages import Messages
    from topofs.cli.options import ConstraintOptions
    from topofs.comparison.leakage import Leak
    from topofs.constraints import Size
    from topofs.io import ColumnRoles, ComparableTable, Table
    from topofs.io.read import ReadOptions
    from topofs.io.target import Target
    from topofs.selection import RandomLists, Stability, TopologicalFeatureSelector
    from topofs.similarity import Measure
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Bools, Ints

SHOWN_LEAKS = 6
"""Number of printed columns that alone predict the target."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted selector, its open table, and the columns that took part.

    `columns` are the compared columns as prepared for the fit. `target` is the target, if it
    decides the relevance of the columns.
    """

    table: Table
    compared: ComparableTable
    selector: TopologicalFeatureSelector
    columns: ColumnsToCompare
    target: Target | None = None

    @property
    def similarity(self) -> SimilarityOperator:
        """The similarity between the columns, without preparing them again."""
        operator: SimilarityOperator = self.columns.operator
        return operator

    @property
    def isolated(self) -> Ints:
        """The isolated columns; empty if the rule does not determine them."""
        import numpy as np

        return getattr(self.selector, "isolated_", np.empty(0, dtype=np.int64))

    @cached_property
    def random_lists(self) -> RandomLists | None:
        """The coverage of random lists as long as the selection; None without groups."""
        return self.selector.random_lists() if self.selector.has_groups else None

    @cached_property
    def relevance_held(self) -> tuple[float, RandomLists] | None:
        """How much of what all columns say about the target the selected ones hold.

        With the same of random lists; None without relevance.
        """
        return self.selector.relevance_held()

    @property
    def about_table(self) -> dict[str, Any]:
        """The compared table, as JSON values."""
        return {
            "table": self.table.name,
            "n_samples": self.table.n_samples,
            "n_features": len(self.compared.names),
        }

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the fit, as JSON values."""
        from topofs.selection import plain_settings

        return plain_settings(self.selector)

    @property
    def left_out(self) -> list[dict[str, str]]:
        """The columns that took no part, with the reasons, as JSON values."""
        from topofs.selection.reading import left_out_as_rare

        found = [*self.compared.left_out, *left_out_as_rare(self.selector)]
        return [{"name": out.name, "reason": out.reason} for out in found]


@contextmanager
def fitted(  # noqa: PLR0913 - one argument a part of a command
    source: str,
    selector: TopologicalFeatureSelector,
    messages: Messages,
    *,
    size: float | str | Size | None,
    roles: ColumnRoles,
    read: ReadOptions,
    constraints: ConstraintOptions | None = None,
    only_kept: bool = False,
    check: Callable[[Table], None] | None = None,
    needs_graph: bool = False,
    needs_rows: bool = False,
) -> Iterator[Fitted]:
    """Read a table and fit a selector to it; the table stays open during the block.

    With `needs_rows`, a table that is read in batches is represented by a sample of its rows.
    """
    from topofs.runtime import parse_memory, watching
    from topofs.selection import fit_and_compare
    from topofs.selection.compatibility import check_end, measure_of, rule_of

    if roles.time is not None:
        take_rows_in_order(selector, messages)
    rule = rule_of(selector.rule)
    if size is None and rule.has_end:
        size = "auto"
    with error_translation():
        check_end(rule, size)
        if needs_graph and not rule.needs.graph:
            raise ValueError(f"rule {rule.name!r} ranks without a graph: use rule 'coverage'")
    constraints = constraints or {}
    roles = replace(
        roles, keep=constraints.get("keep", ()), exclude=constraints.get("exclude", ())
    )
    measure = measure_of(selector.similarity)
    with reading(
        source,
        measure=measure,
        roles=roles,
        messages=messages,
        read=read,
        check=check,
        memory=None if needs_rows else parse_memory(selector.memory),
    ) as (table, compared):
        names = set(compared.names)
        # Patterns are resolved to names; excluded columns that take no part are dropped.
        found = {
            "keep": list(compared.roles.keep) or None,
            "exclude": [name for name in compared.roles.exclude if name in names] or None,
        }
        n_kept = len(compared.roles.keep)
        selector.set_params(
            n_features_to_select=n_kept if only_kept else size, **(constraints | found)
        )
        with (
            messages.counting(f"comparing {len(compared.names):,} columns", "pairs") as report,
            watching(report),
            error_translation(),
            _warnings_as_notes(messages),
        ):
            target = _target_for(selector, table, compared)
            columns = fit_and_compare(selector, compared.named, target)
        fit = Fitted(table, compared, selector, columns, target)
        # `topofs panel` reports isolated columns itself.
        if not only_kept:
            _note_isolated(fit, messages)
        yield fit


def _target_for(
    selector: TopologicalFeatureSelector, table: Table, compared: ComparableTable
) -> Target | None:
    """The target, if it decides the relevance of the columns."""
    if selector.relevance is None:
        return None
    if table.source is not None:
        raise TableError(
            f"{table.name}: --relevance needs rows in memory, and these are read in batches: "
            "give a sample of the rows, or leave it out"
        )
    if compared.roles.target is None:
        raise typer.BadParameter(
            "--relevance target needs to know which column it is", param_hint="--target"
        )
    return read_target(table, compared)


@contextmanager
def reading(
    source: str,
    *,
    measure: Measure,
    roles: ColumnRoles,
    messages: Messages,
    read: ReadOptions,
    needs_target: bool = False,
    check: Callable[[Table], None] | None = None,
    memory: int | None = None,
) -> Iterator[tuple[Table, ComparableTable]]:
    """Open a table, read the comparable columns, and print notes on the others.

    Within `memory` bytes, more rows are read in batches. Without it, a table that is read in
    batches is represented by a sample of its rows.
    """
    from topofs.cli.streams import comparable_stream
    from topofs.io import comparable_table, open_table
    from topofs.io.text_columns import in_time_order, with_dates_as_numbers

    with ExitStack() as stack:
        with messages.working(f"reading {source}"):
            table = stack.enter_context(open_table(source, how=read))
            table = _in_batches(source, table, memory)
        if table.source is not None and memory is None:
            table = stack.enter_context(_sampled(table, read, messages))
        if check is not None:
            check(table)
        if needs_target and roles.for_table(table).target is None:
            raise typer.BadParameter("give the column to predict", param_hint="--target")
        if table.source is not None:
            assert memory is not None
            compared = comparable_stream(table, roles, measure, memory, read, messages)
            messages.left_out(compared.left_out)
            for note in compared.notes:
                messages.note(note)
            yield table, compared
            return
        with messages.working(f"reading {table.n_samples:,} rows of {table.name}"):
            if read.dates_as_numbers:
                table = with_dates_as_numbers(table)
            compared = comparable_table(table, roles, measure=measure)
            if not measure.takes_sparse:
                compared = with_dense_values(
                    compared, table, why=f"--similarity {measure.name} takes"
                )
            if compared.roles.time is not None:
                compared = in_time_order(table, compared)
        messages.left_out(compared.left_out)
        if not measure.takes_names:
            _note_names(table, compared, messages)
        for note in compared.notes:
            messages.note(note)
        yield table, compared


def _in_batches(source: str, table: Table, memory: int | None) -> Table:
    """The same table, in batches if it is a Parquet file that memory does not hold."""
    from topofs.io.arrays import bytes_of
    from topofs.io.read import table_of_batches

    if memory is None or table.source is not None or Path(source).suffix.lower() != ".parquet":
        return table
    # The table in memory, its columns prepared, and the similarity of the columns.
    needed = 3 * bytes_of((table.n_samples, len(table.columns)))
    return table_of_batches(source) if needed > memory else table


@contextmanager
def _sampled(table: Table, read: ReadOptions, messages: Messages) -> Iterator[Table]:
    """A sample of the rows of a table that is read in batches, in a file of its own."""
    from topofs.cli.streams import SAMPLED_ROWS, write_sample
    from topofs.io import open_table
    from topofs.io.write import temporary_folder

    with temporary_folder() as folder:
        path = folder / "sample.parquet"
        assert table.source is not None
        write_sample(table.source, path)
        with open_table(path, how=read) as sample:
            if sample.n_samples < table.n_samples:
                messages.note(
                    f"this command needs rows in memory, and takes {SAMPLED_ROWS:,} of the "
                    f"{table.n_samples:,} rows at random"
                )
            yield replace(sample, name=table.name)


def take_rows_in_order(selector: TopologicalFeatureSelector, messages: Messages) -> None:
    """Count rows ordered by --time as fewer samples, if the measure supports it."""
    from topofs.selection.compatibility import measure_of

    measure = measure_of(selector.similarity)
    if "rows" in measure.get_params():
        selector.set_params(similarity__rows="ordered")
    else:
        messages.note(
            f"--similarity {measure.name} takes rows as independent, in whatever order they are"
        )


def with_dense_values(compared: ComparableTable, table: Table, *, why: str) -> ComparableTable:
    """Turn a sparse matrix into an array, if memory allows."""
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
    """Write the report of a selection or of a rated list."""
    from topofs.report.selection import write_selection_report

    target = str(found.compared.roles.target)
    write_selection_report(
        path,
        selector=found.selector,
        X=found.compared.named,
        similarity=found.similarity,
        table_name=found.table.name,
        left_out=found.compared.left_out,
        passed_through=found.compared.roles.passed_through,
        stability=stability,
        judged=judged,
        notes=[*[leak.sentence(target) for leak in leaks], *found.compared.notes],
    )


# Notes on the columns and the fit.


@contextmanager
def _warnings_as_notes(messages: Messages) -> Iterator[None]:
    """Print the warnings of a fit as notes; other warnings are not changed.

    Only forced columns can be constant here; they need no warning.
    """
    ours: tuple[type[Warning], ...] = (
        DependentRowsWarning,
        IdentifierFeatureWarning,
        NoRelevanceWarning,
        NoStructureWarning,
        RareFeatureWarning,
    )
    with warnings.catch_warnings(record=True) as caught:
        for kind in ours:
            warnings.simplefilter("always", kind)
        # Notes on the table tell how columns were read. The note on isolated columns names the
        # option that selects them.
        for kind in (ColumnReadingWarning, ConstantFeatureWarning, IsolatedFeatureWarning):
            warnings.simplefilter("ignore", kind)
        yield
    for warning in caught:
        if issubclass(warning.category, ours):
            messages.note(translated(str(warning.message)))
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def _note_names(table: Table, compared: ComparableTable, messages: Messages) -> None:
    """Note how columns of names could take part, if the similarity does not compare them."""
    from topofs.io.table import holds_names, measures_of_names

    listed = [column for column in compared.left_out if not column.asked_for]
    n_names = sum(holds_names(table.schema[column.name]) for column in listed)
    if n_names:
        which = "it holds" if len(listed) == 1 else f"{n_names} of them hold"
        messages.note(
            f"{which} text or categories, which --similarity {measures_of_names()} compares "
            "level by level"
        )


def _note_isolated(found: Fitted, messages: Messages) -> None:
    selector, isolated = found.selector, found.isolated
    n_out = int((~selector.support_[isolated]).sum())
    # If all columns are isolated, the selector has warned already.
    if not n_out or len(isolated) == len(selector.nodes_):
        return
    columns = "1 column shares" if n_out == 1 else f"{n_out:,} columns share"
    was = "is" if n_out == 1 else "are"
    other = selector.rule_.keeping_isolated()
    way = "" if other is None else f"; {changed_options(selector.rule_, other)} selects them"
    messages.note(
        f"{columns} with no other more than chance explains and {was} not selected{way}"
    )


# Columns that alone tell the target.


def leaks_in(found: Fitted, messages: Messages) -> tuple[Leak, ...]:
    """Find the columns that alone predict the target of a table, and print a note.

    Without a target there is none. A target that no model can predict is noted with the reason.
    """
    table, compared = found.table, found.compared
    target = compared.roles.target
    if target is None:
        return ()
    if table.source is not None:
        messages.note(
            f"whether a column alone predicts {target} was not tried, as it needs rows in memory: "
            "`topofs compare` tries it on a sample"
        )
        return ()
    with messages.working("looking for columns that alone tell the target"):
        try:
            values = found.target or read_target(table, compared)
        except TableError as error:
            why = str(error).partition(";")[0]
            messages.note(f"whether a column alone predicts {target} was not tried: {why}")
            return ()
        leaks = find_table_leaks(table, compared, values)
    for leak in leaks[:SHOWN_LEAKS]:
        messages.note(leak.sentence(target))
    if len(leaks) > SHOWN_LEAKS:
        more = len(leaks) - SHOWN_LEAKS
        messages.note(f"{more} more alone predict it; --json and the report list them all")
    return leaks


def leaks_as_json(leaks: Sequence[Leak], target: str | None) -> list[dict[str, Any]]:
    """Give the leaks of a target, each with its sentence."""
    return [asdict(leak) | {"sentence": leak.sentence(str(target))} for leak in leaks]


def read_target(table: Table, compared: ComparableTable) -> Target:
    """Read the target as classes or numbers."""
    from topofs.io.target import target_of

    return replace(target_of(target_values(table, compared)), name=str(compared.roles.target))


def target_values(table: Table, compared: ComparableTable) -> Any:
    """Read the target, in the order of the compared rows."""
    from topofs.io.table import column_values

    values = column_values(table, str(compared.roles.target))
    return values if compared.order is None else values[compared.order]


def find_table_leaks(
    table: Table, compared: ComparableTable, target: Target, *, of_compared: bool = True
) -> tuple[Leak, ...]:
    """Find the columns that alone predict the target.

    For columns that take no part, only their missing values are tested. Compared columns can be
    excluded.
    """
    import numpy as np

    from topofs.comparison.leakage import find_leaks
    from topofs.io.frames import NamedArray

    nothing = NamedArray(np.empty((len(target.given), 0)), ())
    return find_leaks(
        compared.named if of_compared else nothing,
        target,
        exclude=compared.roles.exclude,
        also_missing=_missing(table, compared),
    )


def _missing(table: Table, compared: ComparableTable) -> dict[str, Bools]:
    """Masks of missing values of the columns left out for their values, in the order of X."""
    import polars as pl

    from topofs.io.annotated import AnnotatedTable
    from topofs.io.table import as_table_errors, columns_named
    from topofs.io.text_values import MISSING_CLASSES

    # Genes that take no part are constant and have no missing values.
    genes = set(table.genes) if isinstance(table, AnnotatedTable) else set()
    names = [c.name for c in compared.left_out if not c.asked_for and c.name not in genes]
    if not names:
        return {}
    expressions = []
    for name in names:
        column, kind = columns_named([name]), table.schema[name]
        missing = column.is_null()
        if kind.is_float():
            missing |= column.is_nan()
        if kind == pl.String and table.as_written is not None:
            missing |= column.str.strip_chars().is_in(MISSING_CLASSES)
        expressions.append(missing.alias(name))
    with as_table_errors(table.name):
        frame = table.select(names).select(expressions).collect(engine="streaming")
    order = slice(None) if compared.order is None else compared.order
    return {name: frame.get_column(name).to_numpy()[order] for name in names}
