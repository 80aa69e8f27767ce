"""Passes over a stream of record batches: what its columns hold, and their moments.

`streamed_table` reads the rows of a `BatchSource` and gives the `StreamedTable` that a measure
compares. Columns of numbers alone, compared by values, take one pass. Text, names and ranks take
a first pass that finds what the columns hold (`_survey_names`, `_survey_numbers`).
"""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError
from topofs.io.frames import FIRST_ROUNDED, infinite_value, too_small
from topofs.io.text_values import (
    MISSING,
    MISSING_CLASSES,
    PADDED,
    SHAPES,
    WAYS,
    FormatCounts,
    as_number,
    decimal_mark,
    hint_of,
    marks_disagree,
    text_kind,
)
from topofs.io.types import (
    HARDLY_REPEATS,
    MOST_LEVELS,
    Column,
    refusal,
    why_constant,
    why_names_are_left_out,
)
from topofs.runtime import thread_beside, with_progress
from topofs.similarity.moments import merged, moments_of
from topofs.similarity.streamed import (
    MOST_CARRIERS,
    Distribution,
    StreamedColumn,
    StreamedTable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from topofs.io.batches import BatchSource
    from topofs.io.text_values import Mark, TextKind
    from topofs.similarity.base import Measure
    from topofs.similarity.moments import Moments
    from topofs.typing import Doubles, Floats, Ints

# Bytes of a block of rows and of what is made of it, at most and at least, …
_MOST_BYTES, _LEAST_ROWS, _MOST_ROWS = 1 << 28, 1 << 8, 1 << 16
# … for values, their copies as float64, and the marks of missing values, each 8 bytes.
_CELL_BYTES = 32
# Four sums of a pair of columns, and as many while two are merged.
_PAIR_BYTES = 64
# The first rows, for hints and the test of ordered rows.
_HEAD = 1 << 14
# Different values of a column of numbers up to which ranks are exact; else values of a grid.
MOST_VALUES, GRID = 1 << 16, 1 << 13
# Different names of a column that are counted; with more it takes no part.
_MOST_NAMES = 1 << 17
# Rows drawn for a grid of quantiles.
_DRAWN = 1 << 15


def streamed_table(
    source: BatchSource,
    measure: Measure,
    *,
    memory: int,
    columns: Sequence[str] | None = None,
    decimal: Mark | None = None,
    dates_as_numbers: bool = False,
    leave_out_text: bool = False,
    or_else: str = "use similarity='mixed', or turn it into numbers",
) -> StreamedTable:
    """Read the columns of a source as far as a measure needs them.

    Parameters
    ----------
    source : BatchSource
        The rows.
    measure : Measure
        Pearson, Spearman, mixed, or auto.
    memory : int
        Bytes that may be used.
    columns : sequence of str, optional
        The columns that are read, by default all.
    decimal : {".", ","}, optional
        The decimal mark of numbers in text; without it the mark is detected.
    dates_as_numbers : bool, default=False
        Read dates and times as days; without it they take no part.
    leave_out_text : bool, default=False
        Leave out what the measure cannot compare, instead of refusing it.
    or_else : str
        Advice where a column of text cannot be compared.

    Returns
    -------
    StreamedTable
        Of all columns; `left_out` has those that cannot be compared.
    """
    names = source.names if columns is None else columns
    reading = _Reading.of(source, names, memory, dates_as_numbers=dates_as_numbers)
    typed = measure.takes_names and (
        not measure.takes_arrays or any(c.kind != "number" for c in reading.columns)
    )
    by_ranks = typed or measure.products == "ranks"
    for column in reading.columns:
        if column.kind == "time" and not leave_out_text and not (typed and column.is_time):
            raise refusal(column.name, "timestamps" if column.is_time else str(column.why))
        if column.kind == "truth" and not typed:
            column.kind, column.named = "number", False
    if not by_ranks and all(c.kind in {"number", "date", "time"} for c in reading.columns):
        return _by_values(reading, typed=False)
    _survey_names(reading, decimal)
    if not typed:
        advice = f"and similarity {measure.name!r} takes numbers only: {or_else}"
        for column in reading.columns:
            if not column.named:
                continue
            if not leave_out_text:
                raise ValueError(
                    f"column {column.name!r} holds {column.why or 'text'}, {advice}"
                )
            column.reason = "categories" if column.text is None else column.text.words
        if measure.products == "values":
            return _by_values(reading, typed=False)
    usable_names = any(column.named and column.reason is None for column in reading.columns)
    if typed and measure.takes_arrays and not usable_names:
        return _by_values(reading, typed=True)
    return _by_ranks(reading, typed=typed)


# Columns of Arrow as rows of numbers


@dataclass(eq=False)
class _ReadColumn:
    """A column while it is read: its kind by its type, and what passes have found.

    `kind` is "number", "truth", "name" (categories), "ordered", "text", "time", or "date" where
    times become numbers; `named` columns are compared by their names. `base` is subtracted from
    whole numbers beyond 2⁵³. `order` are the categories of an ordered column. In a text file, words
    mark missing names.

    Of text, `seen` counts the notations and `words` the different values; `n_plain` values were
    numbers in plain notation, whose words were not counted. With a decimal `mark` the column is
    numbers; otherwise `code` gives the code of each name, and `code_counts` the rows of each code
    and of missing names. `text` tells what text holds. `reason` tells why the column takes no part;
    `why`, `written` and `hint` are messages as in `Column`.
    """

    name: str
    kind: str
    type: Any
    named: bool = False
    in_text_file: bool = False
    base: int | None = None
    order: Any = None
    seen: FormatCounts = field(default_factory=FormatCounts)
    words: Counter[str] = field(default_factory=Counter)
    n_plain: int = 0
    too_many: str | None = None
    mark: Mark | None = None
    code: dict[str, float] = field(default_factory=dict)
    code_counts: Ints | None = None
    values: _Values | None = None
    text: TextKind | None = None
    why: str | None = None
    reason: str | None = None
    written: str | None = None
    hint: str | None = None

    @property
    def is_time(self) -> bool:
        """Whether the type is one of dates or times; others of this kind cannot be read."""
        return self.why == "dates or times"

    @classmethod
    def of(cls, name: str, kind: Any) -> _ReadColumn:
        """The kind of a column by its type of Arrow."""
        from pyarrow import types

        inner = kind.value_type if types.is_dictionary(kind) else kind
        text = (types.is_string, types.is_large_string, types.is_string_view)
        if any(check(inner) for check in text):
            if not types.is_dictionary(kind):
                return cls(name, "text", kind)
            return cls(
                name, "ordered" if kind.ordered else "name", kind, named=not kind.ordered
            )
        if types.is_boolean(inner):
            return cls(name, "truth", kind, named=True)
        if types.is_temporal(inner):
            return cls(name, "time", kind, why="dates or times", reason="dates or times")
        numbers = (types.is_integer, types.is_floating, types.is_decimal, types.is_null)
        if any(check(inner) for check in numbers):
            return cls(name, "number", kind)
        what = "nested values" if types.is_nested(inner) else f"values of type {kind}"
        return cls(name, "time", kind, why=what, reason=what)

    def row(self, array: Any) -> Floats:
        """The values of an array as numbers: amounts, or codes of names; NaN where missing."""
        import pyarrow as pa

        if self.kind == "time":
            return np.zeros(len(array))
        if self.kind == "date":
            return _days(array)
        if self.kind in {"text", "name"}:
            return self._codes(array)
        if self.kind == "ordered":
            if self.order is None:
                self.order = array.dictionary
            elif not self.order.equals(array.dictionary):
                raise TableError(
                    f"the categories of column {self.name!r} have another order in a later batch: "
                    "store their positions as numbers, or the categories as text"
                )
            return np.asarray(array.indices.to_numpy(zero_copy_only=False), dtype=np.float64)
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if pa.types.is_integer(array.type) and array.type.bit_width == 64:
            return self._long(array)
        if not pa.types.is_floating(array.type) or pa.types.is_float16(array.type):
            array = array.cast(pa.float64())
        found: Floats = array.to_numpy(zero_copy_only=False)
        return found

    def _long(self, array: Any) -> Doubles:
        """Whole numbers of 64 bits; beyond 2⁵³ the differences from one of them."""
        whole = array.fill_null(0).to_numpy(zero_copy_only=False)
        missing = None
        if array.null_count:
            missing = ~array.is_valid().to_numpy(zero_copy_only=False)
        given = whole if missing is None else whole[~missing]
        if self.base is None and given.size:
            # Values of a later block may lie beyond 2⁵³, and those of this one just below.
            beyond = max(-int(given.min()), int(given.max())) > FIRST_ROUNDED // 2
            self.base = int(given.min()) if beyond else 0
        if self.base:
            base = whole.dtype.type(self.base)
            above = whole >= base
            # Modulo 2⁶⁴ the difference is exact, whatever the sign.
            there, here = whole.astype(np.uint64), np.uint64(self.base % 2**64)
            values = np.where(above, there - here, 0).astype(np.float64)
            values -= np.where(above, 0, here - there).astype(np.float64)
        else:
            values = whole.astype(np.float64)
        if missing is not None:
            values[missing] = np.nan
        return values

    def _long_in_text(self, array: Any, numbers: Doubles) -> Doubles:
        """Numbers from text; of whole ones beyond 2⁵³ the differences from one of them."""
        import pyarrow as pa

        peak = np.fmax.reduce(np.abs(numbers), initial=0.0)
        if self.base or (self.base is None and peak > FIRST_ROUNDED // 2):
            whole = _plain_numbers(array, pa.int64())
            if whole is not None:
                return self._long(whole)
        if self.base is None and not np.isnan(numbers).all():
            self.base = 0
        return numbers - self.base if self.base else numbers

    def _codes(self, array: Any) -> Doubles:
        if self.mark is not None:
            plain = _plain_numbers(array) if self.mark == "." else None
            if plain is not None:
                return self._long_in_text(array, plain.to_numpy(zero_copy_only=False))
        words, indices = _words_of(array)
        if self.mark is not None:
            texts = (word.strip() for word in words)
            self.base = self.base or 0
            found = [
                np.nan if t in MISSING else as_number(t, self.mark) - self.base for t in texts
            ]
        else:
            names = (self.name_of(word) for word in words)
            found = [np.nan if n is None else self.code.get(n, np.nan) for n in names]
        code = np.array(found or [np.nan])
        values: Doubles = code[np.where(indices < 0, 0, indices)]
        values[indices < 0] = np.nan
        return values

    def name_of(self, word: str) -> str | None:
        """The name that a word stands for; None for a missing one."""
        if self.kind == "name":
            return word
        stripped = word.strip()
        if self.in_text_file:
            return None if stripped in MISSING_CLASSES else stripped
        return word if stripped else None

    def as_column(self) -> Column:
        """The messages on the column, without its values."""
        return Column(
            self.name,
            nominal=self.named,
            values=np.empty(0),
            why=self.why,
            written=self.written,
            hint=self.hint,
        )


def _array_at(batch: Any, position: int) -> Any:
    """A column of a batch; Arrow computes little with views of text."""
    import pyarrow as pa

    array = batch.column(position)
    if pa.types.is_string_view(array.type):
        return array.cast(pa.large_string())
    if pa.types.is_dictionary(array.type) and pa.types.is_string_view(array.type.value_type):
        return array.cast(pa.dictionary(array.type.index_type, pa.large_string()))
    return array


def _days(array: Any) -> Doubles:
    """Days from dates, time stamps, times of the day or spans of time."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_dictionary(kind):
        array, kind = array.dictionary_decode(), kind.value_type
    whole = array.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    unit = "ms" if pa.types.is_date64(kind) else getattr(kind, "unit", "d")
    per_day = {"d": 1.0, "s": 86400.0, "ms": 86400e3, "us": 86400e6, "ns": 86400e9}[str(unit)]
    values: Doubles = whole.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return values / per_day


def _words_of(array: Any) -> tuple[list[str], Ints]:
    """The different words of an array of text, and which of them each row has; -1: none."""
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    # Indices of polars are unsigned.
    indices = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    words = array.dictionary.to_pylist()
    missing = [i for i, word in enumerate(words) if word is None]
    if missing:
        indices = np.where(np.isin(indices, missing), -1, indices)
    return ["" if word is None else word for word in words], indices


@dataclass(frozen=True, eq=False)
class _Reading:
    """Columns of a source, and how many rows are read at a time."""

    source: BatchSource
    columns: tuple[_ReadColumn, ...]
    n_block: int
    memory: int

    @classmethod
    def of(
        cls,
        source: BatchSource,
        columns: Sequence[str],
        memory: int,
        *,
        dates_as_numbers: bool = False,
    ) -> _Reading:
        """Choose the number of rows by the memory."""
        if len(set(columns)) < len(columns):
            name = next(name for name, n in Counter(columns).items() if n > 1)
            raise TableError(f"{source.name}: has two columns named {name!r}: rename one")
        read = tuple(_ReadColumn.of(name, source.schema.field(name).type) for name in columns)
        for column in read:
            column.in_text_file = source.is_text
            if column.kind == "time" and column.is_time and dates_as_numbers:
                column.kind, column.why, column.reason = "date", None, None
        n_bytes = min(memory // 4, _MOST_BYTES)
        rows = max(_LEAST_ROWS, n_bytes // (_CELL_BYTES * max(1, len(read))))
        return cls(source, read, min(_MOST_ROWS, 1 << (rows.bit_length() - 1)), memory)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the similarity: float32 if all columns are of that type."""
        small = bool(self.columns) and all(str(c.type) == "float" for c in self.columns)
        return np.dtype(np.float32 if small else np.float64)

    def batches(self, columns: Sequence[_ReadColumn]) -> Iterator[Any]:
        """The record batches of some columns; the next is read while one is used."""
        batches = self.source.read([column.name for column in columns], self.n_block)
        with thread_beside() as beside:
            waiting = beside.submit(next, iter(batches), None)
            batches = iter(batches)
            while (batch := waiting.result()) is not None:
                waiting = beside.submit(next, batches, None)
                yield batch

    def blocks(self, which: Ints) -> Iterator[Floats]:
        """The values of some columns, one a row, in blocks of equally many rows."""
        columns = [self.columns[i] for i in which]
        block: Floats | None = None
        filled = 0
        for batch in self.batches(columns):
            rows = [column.row(_array_at(batch, i)) for i, column in enumerate(columns)]
            start = 0
            while start < batch.num_rows:
                if block is None:
                    block, filled = np.empty((len(columns), self.n_block), self.dtype), 0
                n = min(self.n_block - filled, batch.num_rows - start)
                for into, row in zip(block, rows, strict=True):
                    into[filled : filled + n] = row[start : start + n]
                filled, start = filled + n, start + n
                if filled == self.n_block:
                    yield block
                    block = None
        if block is not None:
            yield block[:, :filled]

    def each(self, take: Callable[[Floats], None], which: Ints) -> int:
        """Call a function with every block, and count the rows."""
        if self.source.n_rows:
            take = with_progress(take, self.source.n_rows, lambda block: block.shape[1])
        n_rows = 0
        for block in self.blocks(which):
            take(block)
            n_rows += block.shape[1]
        return n_rows

    def table(
        self,
        columns: Sequence[StreamedColumn],
        n_rows: int,
        head: Sequence[Floats],
        values: Moments | None,
        left_out: dict[int, str],
        *,
        typed: bool,
    ) -> StreamedTable:
        """The table of all columns."""
        if n_rows < 2 or not columns:
            raise too_small(n_rows, len(columns))
        first = np.concatenate(head, axis=1)[:, :_HEAD] if head else np.empty((len(columns), 0))
        return StreamedTable(
            columns=tuple(columns),
            n_rows=n_rows,
            dtype=self.dtype,
            values=values,
            blocks=self.blocks,
            head=np.array(first, dtype=self.dtype),
            positions=np.arange(len(columns)),
            left_out=left_out,
            typed=typed,
            text={c.name: (c.seen, c.text) for c in self.columns if c.text is not None},
            read_from_text=tuple(
                c.as_column() for c in self.columns if c.why or c.written or c.hint
            ),
        )


# Columns compared by their values


def _check_room(n_rows: int, n_features: int, memory: int) -> None:
    """Refuse products of more rows than memory holds: each pair takes four sums, and copies."""
    needed = _PAIR_BYTES * n_rows**2
    if needed <= memory:
        return
    levels = f", which have {n_rows:,} levels," if n_rows > n_features else ""
    raise ValueError(
        f"the products of {n_features:,} columns{levels} take {needed / 1e9:.3g} GB, but memory "
        f"allows {memory / 1e9:.3g} GB: allow more memory, or select among fewer columns"
    )


def _by_values(reading: _Reading, *, typed: bool) -> StreamedTable:
    """One pass: moments and carriers of all columns."""
    n = len(reading.columns)
    _check_room(n, n, reading.memory)
    found = ValueMoments(n)

    def take(block: Floats) -> None:
        found.add(block, [column.name for column in reading.columns])

    n_rows = reading.each(take, np.arange(n))
    if found.moments is None:
        raise too_small(n_rows, n)
    moments = found.moments
    left_out = {
        i: why_constant(float(moments.highest[i]))
        for i in np.flatnonzero(moments.constant).tolist()
    }
    left_out = {
        i: reason
        for i, column in enumerate(reading.columns)
        # Names that cannot be compared have codes, which are no amounts.
        if (reason := column.reason or (None if typed and column.named else left_out.get(i)))
    }
    columns = [
        StreamedColumn(column.name, column.code_counts, carriers=carriers)
        for column, carriers in zip(reading.columns, found.carriers(), strict=True)
    ]
    return reading.table(columns, n_rows, found.head, moments, left_out, typed=typed)


class ValueMoments:
    """The moments of columns of numbers, and the rows that carry rare ones, block by block."""

    def __init__(self, n_features: int) -> None:
        self.single = True
        self.moments: Moments | None = None
        self.head: list[Floats] = []
        self._n_head = 0
        self.active: dict[int, tuple[Doubles, Ints]] = {
            i: (np.empty(0), np.empty(0, np.int64)) for i in range(n_features)
        }

    def add(self, block: Floats, names: Sequence[str]) -> None:
        """Add some rows, one column a row of the block."""
        n_before = 0 if self.moments is None else self.moments.n_rows
        found = moments_of(block)
        infinite = np.isinf(found.lowest) | np.isinf(found.highest)
        if infinite.any():
            i = int(infinite.argmax())
            raise infinite_value(names[i], n_before + int(np.isinf(block[i]).argmax()))
        self.moments = found if self.moments is None else merged([self.moments, found])
        if self._n_head < _HEAD:
            self.head.append(np.array(block[:, : _HEAD - self._n_head]))
            self._n_head += self.head[-1].shape[1]
        for i in list(self.active):
            counted = _with_counts(*self.active[i], block[i], most=MOST_CARRIERS)
            if counted is None:
                del self.active[i]
            else:
                self.active[i] = counted

    def with_rows(self, rows: Floats, names: Sequence[str]) -> ValueMoments:
        """The same with further rows, one a row; this object stays as it is."""
        other = copy.copy(self)
        other.head, other.active = list(self.head), dict(self.active)
        other.single = self.single and rows.dtype == np.float32
        other.add(np.ascontiguousarray(rows.T), names)
        return other

    def table(self, names: Sequence[str]) -> StreamedTable:
        """The table of all rows so far, which cannot be read again."""
        moments = self.moments
        assert moments is not None
        constant = np.flatnonzero(moments.constant).tolist()
        return StreamedTable(
            columns=tuple(
                StreamedColumn(name, carriers=carriers)
                for name, carriers in zip(names, self.carriers(), strict=True)
            ),
            n_rows=moments.n_rows,
            dtype=np.dtype(np.float32 if self.single else np.float64),
            values=moments,
            blocks=None,
            head=np.concatenate(self.head, axis=1),
            positions=np.arange(len(names)),
            left_out={i: why_constant(float(moments.highest[i])) for i in constant},
        )

    def carriers(self) -> list[int | None]:
        """The rows with another value than the most frequent one; None where they are many."""
        assert self.moments is not None
        found: list[int | None] = [None] * self.moments.n_features
        for i, (_, counts) in self.active.items():
            found[i] = int(counts.sum() - counts.max(initial=0))
        return found


def _with_counts(
    values: Doubles, counts: Ints, row: Floats, *, most: int
) -> tuple[Doubles, Ints] | None:
    """Add the values of a row to those counted; None if `most` rows differ from the usual one."""
    observed = ~np.isnan(row)
    few = slice(0, 64 * most)
    changes = (row[few][1:] != row[few][:-1]) & observed[few][1:] & observed[few][:-1]
    # Each carrier causes two changes at most.
    if np.count_nonzero(changes) > 2 * most:
        return None
    values, counts = _joined_counts(
        values, counts, *np.unique(row[observed], return_counts=True)
    )
    return None if counts.sum() - counts.max(initial=0) >= most else (values, counts)


def _joined_counts(
    values: Doubles, counts: Ints, more: Floats, times: Ints
) -> tuple[Doubles, Ints]:
    """Join values and how often each is there."""
    joined, place = np.unique(np.concatenate([values, more]), return_inverse=True)
    total = np.zeros(len(joined), np.int64)
    np.add.at(total, place, np.concatenate([counts, times]))
    return joined.astype(np.float64), total


# Columns compared by ranks and names


def _by_ranks(reading: _Reading, *, typed: bool) -> StreamedTable:
    """The columns as a first pass finds them; products are made when they are needed."""
    n_rows = _survey_numbers(reading)
    columns = []
    for column in reading.columns:
        if column.named or column.kind == "time":
            counts = column.code_counts
            counts = np.array([n_rows]) if counts is None else counts
            n_rows = int(counts.sum())
            carriers = _carriers_of(counts)
            columns.append(StreamedColumn(column.name, counts, carriers=carriers))
            continue
        values = column.values
        assert values is not None
        own = StreamedColumn(column.name, None, values.distribution, values.carriers)
        columns.append(own)
    left_out = {i: c.reason for i, c in enumerate(reading.columns) if c.reason is not None}
    first = next(reading.blocks(np.arange(len(columns))), None)
    head = [] if first is None else [first]
    found = reading.table(columns, n_rows, head, None, left_out, typed=typed)
    used = np.setdiff1d(np.arange(len(columns)), list(left_out))
    _check_room(int(found[:, used].starts[-1]), len(columns), reading.memory)
    return found


@dataclass(eq=False)
class _Values:
    """The values of a column of numbers: all of them with their counts, or a grid of quantiles."""

    values: Doubles = field(default_factory=lambda: np.empty(0))
    counts: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    exact: bool = True

    def add(self, row: Floats) -> None:
        """Count the values of a row; of a column of many values find the extremes only."""
        given = row[~np.isnan(row)]
        if self.exact:
            found = np.unique(given, return_counts=True)
            self.values, self.counts = _joined_counts(self.values, self.counts, *found)
            self.exact = len(self.values) <= MOST_VALUES
            if not self.exact:
                # Of many values the extremes are kept, and not those between.
                self.values, self.counts = self.values[[0, -1]], self.counts[[0, -1]]
        elif given.size:
            ends = np.array([given.min(), given.max(), *self.values[[0, -1]]])
            self.values[[0, -1]] = ends.min(), ends.max()

    def put_on_grid(self, drawn: Doubles) -> None:
        """Take quantiles of drawn values, and the extremes of all; their counts follow."""
        given = np.unique(drawn[~np.isnan(drawn)])
        if len(given) > GRID:
            given = given[np.linspace(0, len(given) - 1, GRID).round().astype(np.int64)]
        self.values = np.unique(np.concatenate([self.values[[0, -1]], given]))
        self.counts = np.zeros(len(self.values), np.int64)

    def place(self, row: Floats) -> None:
        """Count the values of a row on the grid."""
        at = np.searchsorted(self.values, row[~np.isnan(row)])
        self.counts += np.bincount(at, minlength=len(self.values))

    @property
    def carriers(self) -> int | None:
        """The rows with another value than the most frequent one; None where they are many."""
        return _carriers_of(self.counts) if self.exact else None

    @property
    def reason(self) -> str | None:
        """Why the column cannot be compared."""
        if not self.counts.any():
            return why_constant(np.nan)
        return why_constant(float(self.values[0])) if len(self.values) == 1 else None

    @property
    def distribution(self) -> Distribution:
        """The distribution."""
        return Distribution(self.values, self.counts, exact=self.exact)


def _carriers_of(counts: Ints) -> int | None:
    carriers = int(counts.sum() - counts.max(initial=0))
    return carriers if carriers < MOST_CARRIERS else None


def _survey_numbers(reading: _Reading) -> int:
    """Count the values of the columns of numbers, in one pass, or two if many values differ.

    Gives the number of rows.
    """
    which = np.array(
        [i for i, c in enumerate(reading.columns) if not c.named and c.kind != "time"],
        dtype=np.int64,
    )
    names = [reading.columns[i].name for i in which]
    found = [_Values() for _ in which]
    drawn, generator = _Drawn(len(which), reading.memory), np.random.default_rng(0)
    n_rows = 0

    def count(block: Floats) -> None:
        nonlocal n_rows
        drawn.add(block, np.asarray(generator.random(block.shape[1])))
        for name, values, row in zip(names, found, block, strict=True):
            infinite = np.isinf(row)
            if infinite.any():
                raise infinite_value(name, n_rows + int(infinite.argmax()))
            values.add(row)
        n_rows += block.shape[1]

    reading.each(count, which)
    for i, values in zip(which.tolist(), found, strict=True):
        reading.columns[i].values, reading.columns[i].reason = values, values.reason
    many = [i for i, values in enumerate(found) if not values.exact]
    for i in many:
        found[i].put_on_grid(drawn.rows[i])

    def place(block: Floats) -> None:
        for i, row in zip(many, block, strict=True):
            found[i].place(row)

    if many:
        reading.each(place, which[many])
    return n_rows


class _Drawn:
    """Rows drawn at random from all rows, each with the same probability."""

    def __init__(self, n_columns: int, memory: int) -> None:
        most = memory // 8 // (16 * max(1, n_columns))
        self._n = int(np.clip(most, 1 << 10, _DRAWN))
        self.rows = np.empty((n_columns, 0))
        self._priority = np.empty(0)
        self._limit = 1.0

    def add(self, block: Floats, priority: Doubles) -> None:
        """Draw from some rows, with a random number for each."""
        some = np.flatnonzero(priority < self._limit)
        self.rows = np.concatenate([self.rows, block[:, some]], axis=1)
        self._priority = np.concatenate([self._priority, priority[some]])
        if len(self._priority) > self._n:
            first = np.argpartition(self._priority, self._n)[: self._n]
            self.rows, self._priority = self.rows[:, first], self._priority[first]
            self._limit = float(self._priority.max())


# What text holds


def _survey_names(reading: _Reading, decimal: Mark | None) -> None:
    """Find what columns of text, categories and truth values hold, in one pass."""
    columns = [c for c in reading.columns if c.kind in {"text", "name", "truth"}]
    if not columns:
        return
    n_rows = _count_words(reading, columns, plain=True)
    text = [column for column in columns if column.kind == "text"]
    likely = decimal_mark(column.seen for column in text)
    unclear = likely is None and any(column.seen.of("1,234") for column in text)
    if unclear and not marks_disagree(column.seen for column in text):
        floats = any(str(column.type) in {"float", "double"} for column in reading.columns)
        likely = "." if floats else None
    again = []
    for column in text:
        kind = column.text = text_kind(column.seen, decimal=decimal, likely=likely)
        column.hint = hint_of(column.seen, kind)
        if kind.holds == "numbers":
            column.mark = kind.decimal
            unusual = column.seen.unusual(kind.decimal)
            ways = [f"{WAYS[way]}, such as {example}" for way, example in unusual.items()]
            column.written = " and ".join(ways) or None
            continue
        column.named = True
        if kind.holds == "truth values":
            words = (word for word in column.words if word.strip() not in MISSING)
            column.code = {word: float(word.strip().lower() == "true") for word in words}
        elif kind.holds in {"dates", "unclear"}:
            column.why = column.reason = kind.words
        elif column.n_plain:
            again.append(column)
    for column in again:
        # Plain numbers among the first rows were not counted as words.
        column.words.clear()
        column.too_many = None
    if again:
        _count_words(reading, again, plain=False)
    for column in columns:
        if column.named:
            _settle_names(column, n_rows)


def _count_words(reading: _Reading, columns: Sequence[_ReadColumn], *, plain: bool) -> int:
    """Count the words of some columns; with `plain`, plain numbers are not counted as words."""
    n_rows = 0
    for batch in reading.batches(columns):
        n_rows += batch.num_rows
        for i, column in enumerate(columns):
            array = _array_at(batch, i)
            if column.kind == "truth":
                counts = (
                    np.zeros(3, np.int64) if column.code_counts is None else column.code_counts
                )
                true = array.true_count
                counts += [len(array) - array.null_count - true, true, array.null_count]
                column.code_counts = counts
                continue
            if plain and column.kind == "text" and not column.words:
                numbers = _plain_numbers(array)
                if numbers is not None:
                    _count_plain(column, array)
                    continue
            words, indices = _words_of(array)
            times = np.bincount(indices[indices >= 0], minlength=len(words)).tolist()
            for word, number in zip(words, times, strict=True):
                if not number:
                    continue
                if plain and column.kind == "text":
                    column.seen.add(word, number)
                name = column.name_of(word)
                if column.too_many is None and name is not None:
                    column.words[name] += number
            if column.too_many is None and len(column.words) > _MOST_NAMES:
                hardly = 2 * len(column.words) > column.words.total()
                column.too_many = (
                    HARDLY_REPEATS if hardly else f"more than {MOST_LEVELS:,} names"
                )
    return n_rows


def _plain_numbers(array: Any, kind: Any = None) -> Any:
    """Text as numbers, if all of it is in plain notation; missing values are null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    text = pc.utf8_trim_whitespace(array)
    text = pc.if_else(pc.is_in(text, _missing_words(text.type)), None, text)
    try:
        return text.cast(pa.float64() if kind is None else kind)
    except pa.ArrowInvalid:
        return None


def _missing_words(kind: Any) -> Any:
    import pyarrow as pa

    return pa.array(sorted(MISSING), kind)


def _count_plain(column: _ReadColumn, array: Any) -> None:
    """Count the notations of plain numbers, without looking at each."""
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(array)
    rest = len(array) - array.null_count
    for shape in ("whole", "1.234"):
        matching = pc.match_substring_regex(text, SHAPES[shape])
        n = pc.sum(matching).as_py() or 0
        if n:
            column.seen.counts[shape] += n
            column.seen.first.setdefault(shape, text.filter(matching)[0].as_py())
        rest -= n
    padded = pc.match_substring_regex(text, PADDED.pattern)
    if pc.any(padded).as_py():
        column.seen.counts["padded"] += pc.sum(padded).as_py()
        column.seen.first.setdefault("padded", text.filter(padded)[0].as_py())
    missing = pc.sum(pc.is_in(text, _missing_words(text.type))).as_py() or 0
    if rest > missing:
        column.seen.counts["1.5"] += rest - missing
        column.seen.first.setdefault("1.5", "1.5")
    column.seen.counts["bare"] += len(array) - array.null_count - missing
    column.n_plain += len(array)


def _settle_names(column: _ReadColumn, n_rows: int) -> None:
    """Number the names of a column, and tell whether it can be compared."""
    if column.kind != "truth":
        if not column.code:
            column.code = {word: float(i) for i, word in enumerate(sorted(column.words))}
        counts = np.zeros(int(max(column.code.values(), default=-1)) + 2, np.int64)
        for word, code in column.code.items():
            counts[int(code)] += column.words[word]
        counts[-1] = n_rows - counts.sum()
        column.code_counts = counts
    assert column.code_counts is not None
    if column.reason is None:
        there = column.code_counts[:-1]
        column.reason = column.too_many or why_names_are_left_out(there[there > 0], n_rows)
