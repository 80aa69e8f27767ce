"""Tables of more rows than memory holds, on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.cli.messages import translated
from topofs.errors import TableError
from topofs.runtime import watching

if TYPE_CHECKING:
    from pathlib import Path

    from topofs.cli.messages import Messages
    from topofs.io import BatchSource, ColumnRoles, ComparableTable, Table
    from topofs.io.read import ReadOptions
    from topofs.similarity import Measure

SAMPLED_ROWS = 100_000
"""Rows that a command takes which needs rows in memory."""


def comparable_stream(
    table: Table,
    roles: ColumnRoles,
    measure: Measure,
    memory: int,
    read: ReadOptions,
    messages: Messages,
) -> ComparableTable:
    """Read a table in batches, as far as a measure needs it; list the columns left out."""
    from topofs.backends.stream import streamed_table
    from topofs.io.hints import hints_of_numbers
    from topofs.io.table import ComparableTable
    from topofs.io.text_columns import notes_of_text
    from topofs.io.types import LeftOutColumn

    assert table.source is not None
    roles = roles.for_table(table)
    if roles.time is not None:
        raise TableError(
            f"{table.name}: --time sorts the rows in memory, and these are read in batches: give "
            "a sample of the rows, or leave it out"
        )
    reasons = roles.reasons
    candidates = [column for column in table.columns if column not in reasons]
    n_rows = table.n_samples
    with (
        messages.counting(f"reading {n_rows:,} rows of {table.name}", "rows") as report,
        watching(report),
    ):
        try:
            found = streamed_table(
                table.source,
                measure,
                memory=memory,
                columns=candidates,
                decimal=read.decimal,
                dates_as_numbers=read.dates_as_numbers,
                leave_out_text=True,
            )
        except TableError:
            raise
        except ValueError as error:
            raise TableError(f"{table.name}: {translated(str(error))}") from error
    dates = "dates or times"
    reasons = reasons | {
        candidates[i]: f"{dates}; --dates numbers uses them" if why == dates else why
        for i, why in found.left_out.items()
        if candidates[i] not in roles.keep
    }
    used = np.array([i for i, c in enumerate(candidates) if c not in reasons], dtype=np.int64)
    names = tuple(candidates[i] for i in used)
    if len(names) < 2:
        held = "; ".join(f"{column}: {why}" for column, why in list(reasons.items())[:3])
        which = f"one column that can be compared, {names[0]!r}" if names else "no column"
        raise TableError(f"{table.name}: has {which}; at least two are needed ({held})")
    X = found[:, used]
    notes = [*table.notes, *_rank_note(X)]
    numbers = {c: kind for c, (_, kind) in found.text.items() if kind.holds == "numbers"}
    notes += notes_of_text(
        numbers,
        {c: seen for c, (seen, _) in found.text.items()},
        {c: kind for c, (_, kind) in found.text.items() if c not in numbers},
        {
            c: found.text[c][0].example("padded")
            for c in numbers
            if found.text[c][0].of("padded")
        },
    )
    notes += hints_of_numbers(X.first_rows, names, leaving_out="with --drop")
    left_out = tuple(
        LeftOutColumn(column, reasons[column], asked_for=column in roles.reasons)
        for column in table.columns
        if column in reasons
    )
    return ComparableTable(X, names, left_out, roles, tuple(notes))


def _rank_note(table: Any) -> list[str]:
    """State the largest error of ranks by a grid of quantiles."""
    n = sum(c.distribution is not None and not c.distribution.exact for c in table.columns)
    if not n:
        return []
    return [
        f"{n} columns have too many different values to be ranked exactly, and are ranked by "
        f"quantiles: correlations of ranks differ by {table.rank_error:.1g} at most"
    ]


def write_sample(source: BatchSource, path: Path) -> None:
    """Write rows drawn at random to a Parquet file, in their order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n_rows = source.n_rows or 0
    chosen = np.arange(n_rows)
    if n_rows > SAMPLED_ROWS:
        generator = np.random.default_rng(0)
        chosen = np.sort(generator.choice(n_rows, SAMPLED_ROWS, replace=False))
    first = 0
    with pq.ParquetWriter(str(path), source.schema) as writer:
        for batch in source.read(source.names, 1 << 16):
            begin, end = np.searchsorted(chosen, [first, first + batch.num_rows])
            if end > begin:
                writer.write_batch(batch.take(pa.array(chosen[begin:end] - first)))
            first += batch.num_rows
