"""Columns that alone tell the target, found in a table and said."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from topofs.cli.messages import Messages
    from topofs.comparison.leakage import Leak
    from topofs.comparison.prediction import Target
    from topofs.tables import ComparableTable, Table

__all__ = ["SHOWN_LEAKS", "leaks_as_json", "leaks_by_missing", "leaks_in"]

SHOWN_LEAKS = 6
"""How many of them are printed."""


def leaks_in(table: Table, compared: ComparableTable, messages: Messages) -> tuple[Leak, ...]:
    """Find the columns that alone tell the target of a table, and say which.

    There is none without a target; one that nothing can predict is named with the reason.
    """
    from topofs.comparison.leakage import find_leaks
    from topofs.comparison.prediction import target_of
    from topofs.errors import TableError
    from topofs.tables.column_values import column_values

    target = compared.roles.target
    if target is None:
        return ()
    with messages.working("looking for columns that alone tell the target"):
        try:
            labels = column_values(table, target)
            values = target_of(labels if compared.order is None else labels[compared.order])
        except TableError as error:
            why = str(error).partition(";")[0]
            messages.note(f"whether a column alone predicts {target} was not tried: {why}")
            return ()
        leaks = find_leaks(
            compared.named,
            values,
            exclude=compared.roles.exclude,
            also_missing=_missing(table, compared),
        )
    messages.notes(leak.sentence(target) for leak in leaks[:SHOWN_LEAKS])
    if len(leaks) > SHOWN_LEAKS:
        more = len(leaks) - SHOWN_LEAKS
        messages.note(f"{more} more alone predict it; --json and the report list them all")
    return leaks


def leaks_as_json(leaks: Sequence[Leak], target: str | None) -> list[dict[str, Any]]:
    """Give the leaks of a target, each with its sentence."""
    return [asdict(leak) | {"sentence": leak.sentence(str(target))} for leak in leaks]


def leaks_by_missing(
    table: Table, compared: ComparableTable, target: Target
) -> tuple[Leak, ...]:
    """Find the columns that take no part and tell the target by being missing or not."""
    import numpy as np

    from topofs.comparison.leakage import find_leaks
    from topofs.tables.given import NamedArray

    nothing = NamedArray(np.empty((len(target.given), 0)), ())
    return find_leaks(
        nothing,
        target,
        exclude=compared.roles.exclude,
        also_missing=_missing(table, compared),
    )


def _missing(table: Table, compared: ComparableTable) -> dict[str, npt.NDArray[np.bool_]]:
    """Where the columns that take no part for what they hold are missing, in the order of X."""
    import polars as pl

    from topofs.tables.annotated_file import AnnotatedTable
    from topofs.tables.asking_polars import as_table_errors, columns_named
    from topofs.tables.text_values import MISSING_CLASSES

    # Of the genes that take no part, which are constant, none is missing.
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
