"""Check a table, and find the columns that take part.

`read_table` checks any kind of table and chooses the measure if it is "auto". `warn_of_columns`
warns how columns were read. `find_rare_columns` finds columns that too few samples carry.
`columns_that_vary` gives the columns that are compared. Columns that are excluded by the user are
compared, too: `constraints.py` keeps them from being selected.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from topofs.backends.dask_table import check_dask_table, is_dask, rare_dask_columns
from topofs.backends.stream import streamed_table
from topofs.errors import (
    ColumnReadingWarning,
    ConstantFeatureWarning,
    DependentRowsWarning,
    IdentifierFeatureWarning,
    RareFeatureWarning,
    say,
)
from topofs.io.batches import BatchSource
from topofs.io.frames import (
    NamedArray,
    as_array,
    column_names,
    dense_values,
    is_frame,
    named_matrix,
    readable_table,
    refuse_infinite,
    refuse_long,
    too_small,
)
from topofs.io.hints import column_ranges, hints_of_numbers
from topofs.io.types import (
    CONSTANT,
    LeftOutColumn,
    TypedTable,
    check_no_times,
    has_nominal_columns,
    read_columns,
    text_as_numbers,
    text_column,
    typed_table,
    why_constant,
)
from topofs.runtime import parse_memory
from topofs.similarity.autocorrelation import neighbours_alike
from topofs.similarity.streamed import StreamedTable
from topofs.similarity.table import least_carriers, rare_columns, without_duplicates
from topofs.terms import is_whole
from topofs.text import listed

if TYPE_CHECKING:
    import numpy.typing as npt
    from sklearn.base import BaseEstimator

    from topofs.io.types import Column
    from topofs.selection.results import FittedSelection
    from topofs.similarity.base import Measure
    from topofs.typing import Bools, Floats, Ints

    Names = npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A checked table, and the measure that compares it.

    `constant` marks columns of a single value. `identifiers` marks text that cannot be
    compared: identifiers, dates and free text. Both kinds take no part, and `left_out` has the
    reason of each, by position. They are None if all columns take part, or if dask workers
    determine them later. `ranges` are the lowest and the highest value of each column of an
    array. `has_names` is true if a column holds text, whether it takes part or not.
    `read_from_text` are columns of text that a warning names.
    """

    table: Any
    measure: Measure
    constant: Bools | None = None
    identifiers: Bools | None = None
    left_out: dict[int, str] = field(default_factory=dict)
    ranges: Floats | None = None
    has_names: bool = False
    read_from_text: tuple[Column, ...] = ()

    def columns(self, nodes: Ints) -> Any:
        """The table of some columns; the table itself if these are all columns."""
        return self.table if len(nodes) == self.table.shape[1] else self.table[:, nodes]


def read_table(
    estimator: BaseEstimator,
    X: Any,
    measure: Measure,
    *,
    memory: int | None = None,
    or_else: str = "use similarity='mixed', or turn it into numbers",
) -> ReadTable:
    """Check a table, store its column names on the estimator, and resolve the measure.

    A stream may use `memory` bytes. `or_else` advises what to do with a column of text that the
    measure refuses.
    """
    if is_dask(X):
        return _read_dask(estimator, X, measure)
    if isinstance(X, (BatchSource, StreamedTable)):
        return _read_stream(estimator, X, measure, memory=memory, or_else=or_else)
    X = readable_table(X)
    # scikit-learn stores names only if all of them are text.
    names = X.names if isinstance(X, TypedTable) else column_names(X)
    estimator._names_given = names  # noqa: SLF001
    if measure.takes_table and (
        isinstance(X, TypedTable)
        or (measure.takes_names and (has_nominal_columns(X) or not measure.takes_arrays))
    ):
        return _read_columns(estimator, X, measure)
    given = names if isinstance(X, NamedArray) else None
    X = X.values if isinstance(X, NamedArray) else X
    or_else = or_else if measure.takes_table else "turn it into numbers"
    advice = f"and similarity {measure.name!r} takes numbers only: {or_else}"
    if not measure.takes_table:
        return ReadTable(_numbers(estimator, X, given, advice, is_similarity=True), measure)
    if not measure.takes_sparse:
        X = dense_values(X, what=f"similarity {measure.name!r}, unlike 'pearson', takes")
    X, written = text_as_numbers(X, names=given, advice=advice)
    table = _numbers(estimator, X, given, advice, is_similarity=False)
    ranges: Floats | None = None
    if sparse.issparse(table):
        table = without_duplicates(table)
        lowest, highest = (end(axis=0).toarray().ravel() for end in (table.min, table.max))
    else:
        lowest, highest = ranges = column_ranges(table)
    # The extremes of a column of missing values are missing.
    constant = (highest == lowest) | np.isnan(highest)
    where = np.flatnonzero(constant)
    return ReadTable(
        table,
        measure.for_table(table),
        constant,
        left_out=dict(zip(where.tolist(), map(why_constant, highest[where]), strict=True)),
        ranges=ranges,
        read_from_text=written,
    )


def _read_dask(estimator: BaseEstimator, X: Any, measure: Measure) -> ReadTable:
    """A dask collection: names and sizes, without reading values."""
    if not measure.takes_table:
        raise ValueError(
            f"similarity is {measure.name!r}, which needs X in memory: pass X.compute()"
        )
    if measure.takes_names and hasattr(X, "columns") and has_nominal_columns(without_rows(X)):
        raise ValueError(
            f"X has columns that are no numbers, which similarity {measure.name!r} compares in "
            "memory only: pass X.compute(), leave them out, or turn them into numbers"
        )
    estimator._names_given = column_names(X)  # noqa: SLF001
    if getattr(measure, "rows", None) == "ordered":
        raise ValueError(
            "rows='ordered' compares rows that follow each other, which needs X in memory: pass "
            "X.compute(), or leave it out"
        )
    table = check_dask_table(X)
    validate_data(estimator, without_rows(X), skip_check_array=True)
    return ReadTable(table, measure.for_table(table))


def read_rows(estimator: BaseEstimator, X: Any, *, first: bool) -> Floats:
    """Check some rows of numbers; the columns are those of the rows before, if there were any."""
    X = named_matrix(X)
    names = column_names(X)
    values = X.values if isinstance(X, NamedArray) else X
    if is_frame(values) or isinstance(values, np.ndarray):
        # Each call would subtract another number.
        refuse_long(
            values,
            names=names,
            why="which partial_fit rounds: subtract one number from all rows, or give them to fit",
        )
    X = readable_table(X)
    given = names if isinstance(X, NamedArray) else None
    X = X.values if isinstance(X, NamedArray) else X
    X = dense_values(X, what="partial_fit takes")
    advice = "and partial_fit takes numbers only: give all rows to fit"
    X, _ = text_as_numbers(X, names=given, advice=advice)
    check_no_times(X)
    if first:
        estimator._names_given = names  # noqa: SLF001
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            rows: Floats = validate_data(
                estimator,
                X,
                reset=first,
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan",
            )
    except ValueError:
        refuse_infinite(X, names=given)
        raise
    return rows


def _read_stream(
    estimator: BaseEstimator,
    X: BatchSource | StreamedTable,
    measure: Measure,
    *,
    memory: int | None,
    or_else: str,
) -> ReadTable:
    """A stream of batches, read as far as the measure needs it."""
    if not measure.takes_batches:
        raise ValueError(
            f"similarity is {measure.name!r}, which needs X in memory: a stream of batches is "
            "compared by 'pearson', 'spearman' or 'mixed'; give one of these, or a sample of the "
            "rows"
        )
    if getattr(measure, "rows", None) == "ordered":
        raise ValueError(
            "rows='ordered' compares rows that follow each other, which needs X in memory: give "
            "a sample of the rows, or leave it out"
        )
    # The names of rows that came one after the other are known.
    if isinstance(X, BatchSource) or X.blocks is not None:
        estimator._names_given = X.names  # noqa: SLF001
        _note_names(estimator, X.names)
    if isinstance(X, BatchSource):
        X = streamed_table(X, measure, memory=parse_memory(memory), or_else=or_else)
    if X.n_rows < 2:
        raise too_small(*X.shape)
    n = len(X.columns)
    unread = {column.name for column in X.read_from_text if column.why is not None}
    constant, identifiers = np.zeros((2, n), np.bool_)
    for i, column in enumerate(X.columns):
        if i in X.left_out:
            names = column.many_values or column.name in unread
            (identifiers if names else constant)[i] = True
    return ReadTable(
        X,
        measure.for_table(X),
        constant,
        identifiers if X.typed else None,
        left_out=X.left_out,
        has_names=X.has_names,
        read_from_text=X.read_from_text,
    )


def without_rows(X: Any) -> Any:
    """An empty table in memory with the columns of a dask collection."""
    if hasattr(X, "columns"):
        return X._meta  # noqa: SLF001 - the only way to ask for the columns as pandas has them
    return np.empty((0, X.shape[1]))


def _read_columns(estimator: BaseEstimator, X: Any, measure: Measure) -> ReadTable:
    """Columns of several kinds; they become an array if no names take part."""
    if isinstance(X, (NamedArray, TypedTable)):
        _note_names(estimator, X.names)
    elif is_frame(X):
        validate_data(estimator, X, skip_check_array=True)
    else:
        X = X if hasattr(X, "tocsc") else as_array(X)
        X = validate_data(
            estimator, X, accept_sparse="csc", dtype=None, ensure_all_finite=False
        )
    table = X if isinstance(X, TypedTable) else typed_table(X)
    if not measure.takes_names:
        raise ValueError(
            f"a table of several kinds of columns needs 'mixed', not {measure.name!r}"
        )
    constant, identifiers = table.incomparable()
    settled = measure.for_table(table)
    return ReadTable(
        table if settled.takes_names else table.numbers,
        settled,
        constant,
        identifiers,
        left_out=table.left_out,
        has_names=table.has_nominal,
        read_from_text=table.read_from_text,
    )


def _numbers(
    estimator: BaseEstimator,
    X: Any,
    names: tuple[str, ...] | None,
    advice: str,
    *,
    is_similarity: bool,
) -> Any:
    """Check a table of numbers, as scikit-learn's `validate_data` does; also a similarity.

    A value that is not a number is refused with the name of its column and with `advice`, the
    end of the sentence. An infinite value is refused with its column and row. `names` are the
    names of the columns of an array.
    """
    check_no_times(X)
    try:
        # The check sums all values first, which may overflow both ways and say nothing.
        with np.errstate(over="ignore", invalid="ignore"):
            table = validate_data(
                estimator,
                X,
                dtype=[np.float64, np.float32],
                accept_sparse=False if is_similarity else "csc",
                # NaN is a missing value in a dense table. The entries of a similarity are
                # checked later, one by one.
                ensure_all_finite=not is_similarity and (sparse.issparse(X) or "allow-nan"),
                ensure_min_samples=1 if is_similarity else 2,
            )
    except ValueError as error:
        name = text_column(X)
        if name is not None:
            raise ValueError(f"column {name!r} holds text, {advice}") from error
        if not is_similarity:
            refuse_infinite(X, names=names)
        raise
    except (OverflowError, TypeError) as error:
        # Reading the columns one by one raises the error that names the column.
        if is_frame(X) or isinstance(error, OverflowError):
            read_columns(X, names=names)
        raise
    if names is not None:
        _note_names(estimator, names)
    return table


def _note_names(estimator: BaseEstimator, names: tuple[str, ...]) -> None:
    """Store the names of a table that has them, as scikit-learn does for a data frame."""
    estimator.n_features_in_ = len(names)
    estimator.feature_names_in_ = np.asarray(names, dtype=object)


def warn_of_columns(read: ReadTable, names: Names) -> None:
    """Warn of text read as numbers and of columns that take no part; give hints."""
    constant, identifiers = read.constant, read.identifiers
    if constant is None:
        return
    out = constant if identifiers is None else constant | identifiers
    hints = []
    if read.read_from_text:
        written = [f"{c.name} ({c.written})" for c in read.read_from_text if c.written]
        if written:
            say(f"text was read as numbers: {listed(written, most=5)}", ColumnReadingWarning)
        hinted = [f"{c.name} ({c.hint})" for c in read.read_from_text if c.hint]
        if hinted:
            hints = [f"columns that may be meant otherwise: {listed(hinted, most=5)}"]
    if identifiers is not None:
        unread = {c.name for c in read.read_from_text if c.why is not None}
        is_unread = np.array([name in unread for name in names], dtype=np.bool_)
        for what, kind, which in (
            ("hold neither numbers nor names", ColumnReadingWarning, out & is_unread),
            (
                "hold names that cannot be compared",
                IdentifierFeatureWarning,
                identifiers & ~is_unread,
            ),
        ):
            if which.any():
                _warn_of_left_out(what, kind, which, names, read.left_out)
    table = read.table.first_rows if isinstance(read.table, StreamedTable) else read.table
    hints += hints_of_numbers(
        table, names.tolist(), leaving_out="of X", among=~out, ranges=read.ranges
    )
    for hint in hints:
        say(hint, ColumnReadingWarning)


def find_rare_columns(
    read: ReadTable, min_carriers: int | str, *, forced: Ints
) -> tuple[int, dict[int, str]]:
    """Find the columns that vary, are not forced, and too few samples carry.

    Gives the number of samples that must carry a column, and the ascending columns below it,
    each with the reason.
    """
    is_auto = isinstance(min_carriers, str) and min_carriers == "auto"
    if not is_auto and not (is_whole(min_carriers) and int(min_carriers) >= 0):
        raise ValueError(
            f"min_carriers is {min_carriers!r}; give a whole number of samples, 0 for no "
            "minimum, or 'auto'"
        )
    if not read.measure.takes_table:
        if min_carriers not in ("auto", 0):
            raise ValueError(
                f"min_carriers is {min_carriers!r}, but a given similarity has no samples to "
                "count: leave it out"
            )
        return 0, {}
    least = least_carriers(read.table.shape[0]) if is_auto else int(min_carriers)
    if isinstance(read.table, StreamedTable):
        found = read.table.rare_columns(least)
    else:
        find = rare_dask_columns if is_dask(read.table) else rare_columns
        found = find(read.table, least)
    others = set(forced.tolist())
    if read.identifiers is not None:
        others |= set(np.flatnonzero(read.identifiers).tolist())
    rare = {}
    for column in sorted(set(found) - others):
        # Columns without any carrier are constant, and are reported as such.
        if n := found[column]:
            rare[column] = (
                f"only {n} sample{'s have' if n > 1 else ' has'} another value than its most "
                f"frequent one, and {least} must"
            )
    return least, rare


def columns_that_vary(
    names: Names,
    constant: Bools,
    identifiers: Bools | None = None,
    *,
    left_out: dict[int, str] | None = None,
    rare: dict[int, str] | None = None,
) -> tuple[Ints, dict[int, str]]:
    """Positions of the columns that can be compared, and the reasons of the others.

    `left_out` has reasons other than constant, `rare` those of columns that too few samples
    carry. Constant columns cause a warning.
    """
    out = constant if identifiers is None else constant | identifiers
    or_names = ", or hold names that hardly repeat" if (out & ~constant).any() else ""
    if rare:
        out = out.copy()
        out[list(rare)] = True
        or_names += ", or too few samples carry them (min_carriers=0 lets them take part)"
    if out.all():
        raise ValueError(
            f"all {len(constant)} columns of X are constant or missing{or_names}: there is "
            "nothing to compare; give at least one column with two different values"
        )
    why = (
        dict.fromkeys(np.flatnonzero(out).tolist(), CONSTANT) | (left_out or {}) | (rare or {})
    )
    if constant.any():
        what = "are constant or all missing"
        _warn_of_left_out(what, ConstantFeatureWarning, constant, names, why)
    return np.flatnonzero(~out), why


def _warn_of_left_out(
    what: str, kind: type[Warning], columns: Bools, names: Names, why: dict[int, str]
) -> None:
    """Warn of columns that take no part, each with the reason, as on the command line."""
    which = [
        names[i] if why[i] == CONSTANT else f"{names[i]} ({why[i]})"
        for i in np.flatnonzero(columns).tolist()
    ]
    say(
        f"{len(which)} of {len(names)} columns {what}; they take no part, score 0 and rank "
        f"last: {listed(which, most=5)}",
        kind,
    )


def warn_of_rare_columns(which: list[str], least: int, shape: tuple[int, int]) -> None:
    """Warn of columns that too few samples carry, with the limit."""
    n_samples, n_features = shape
    say(
        f"{len(which):,} of {n_features:,} columns have another value than their most "
        f"frequent one in fewer than {least} of {n_samples:,} samples, so that chance "
        "makes them alike; they take no part, score 0 and rank last: "
        f"{listed(which, most=5)} (min_carriers=0 lets them take part)",
        RareFeatureWarning,
    )


def left_out_as_rare(selector: FittedSelection) -> list[LeftOutColumn]:
    """List the columns that take no part in a fit because too few samples carry them."""
    reason = (
        f"fewer than {selector.min_carriers_} samples have another value than the most "
        "frequent one"
    )
    names = selector._column_names()[selector.rare_]  # noqa: SLF001 - of the same room
    return [LeftOutColumn(str(name), reason) for name in names]


def warn_of_dependent_rows(table: Any, measure: Measure) -> None:
    """Warn if consecutive rows are alike and the measure has a noise floor."""
    knows_order = getattr(measure, "rows", None) == "independent"
    if is_dask(table) or not (knows_order or measure.needs_independent_rows):
        return
    if isinstance(table, StreamedTable):
        table = table.first_rows
    alike = neighbours_alike(table)
    if alike is not None:
        allows = "similarity__rows='ordered' allows for it"
        if not knows_order:
            allows = f"{measure.name} cannot allow for it, as pearson, spearman and mixed can"
        say(
            f"rows that follow each other are alike (median autocorrelation {alike:.2f}); if they "
            f"are in an order of time, unrelated columns look linked, and {allows}; if they are "
            "not, this can be ignored",
            DependentRowsWarning,
        )
