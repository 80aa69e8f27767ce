"""From what a user gives to a checked table, and which of its columns take part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import validate_data

from topofs.backends.dask_table import check_dask_table, is_dask, rare_dask_columns
from topofs.errors import (
    ColumnReadingWarning,
    DependentRowsWarning,
    IdentifierFeatureWarning,
    RareFeatureWarning,
    first_few,
    say,
)
from topofs.io.frames import (
    NamedArray,
    as_array,
    column_names,
    dense_values,
    readable_table,
    refuse_infinite,
)
from topofs.io.hints import hints_of_numbers
from topofs.io.table import LeftOutColumn
from topofs.io.types import (
    CONSTANT,
    TypedTable,
    check_no_times,
    has_nominal_columns,
    has_text,
    is_frame,
    read_columns,
    text_as_numbers,
    text_column,
    typed_table,
    why_constant,
)
from topofs.similarity.autocorrelation import neighbours_alike
from topofs.similarity.table import (
    is_constant,
    least_carriers,
    rare_columns,
    without_duplicates,
)
from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn.base import BaseEstimator

    from topofs.io.types import Column
    from topofs.selection.results import RepresentingSelector
    from topofs.similarity.base import Measure

__all__ = [
    "RareColumns",
    "ReadTable",
    "check_min_carriers",
    "find_rare_columns",
    "left_out_as_rare",
    "read_numbers",
    "read_table",
    "say_left_out",
    "warn_of_columns",
    "warn_of_dependent_rows",
    "without_rows",
]

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table that has passed its checks, as its measure, with "auto" settled, takes it.

    `constant` and `identifiers` are columns that take no part: of a single value, and of names
    that hardly repeat. None where every column takes part, or workers will find out. `left_out`
    says why, by position. `has_names` also counts columns of names that take no part;
    `read_from_text` are columns of text of which something is to be said.
    """

    table: Any
    measure: Measure
    constant: Mask | None = None
    identifiers: Mask | None = None
    left_out: Mapping[int, str] = field(default_factory=dict)
    has_names: bool = False
    read_from_text: tuple[Column, ...] = ()

    def columns(self, nodes: npt.NDArray[np.int64]) -> Any:
        """The table of some columns; the whole one where these are all."""
        return self.table if len(nodes) == self.table.shape[1] else self.table[:, nodes]


@dataclass(frozen=True, eq=False)
class RareColumns:
    """Columns that fewer than `least` samples carry, with the number of these."""

    least: int
    carriers: Mapping[int, int]

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """Where they are, ascending."""
        return np.array(sorted(self.carriers), dtype=np.int64)

    @property
    def reasons(self) -> dict[int, str]:
        """Why each of them takes no part, in a few words."""
        return {
            column: f"only {number} sample{'s have' if number > 1 else ' has'} another value than "
            f"its most frequent one, and {self.least} must"
            for column, number in self.carriers.items()
        }

    @property
    def rule(self) -> str:
        """Why all of them take no part, in a few words."""
        return f"fewer than {self.least} samples have another value than the most frequent one"

    def warn(self, names: npt.NDArray[np.object_], n_samples: int) -> None:
        """Say how many they are, and by which rule."""
        if not self.carriers:
            return
        which = names[self.positions].tolist()
        say(
            f"{len(which):,} of {len(names):,} columns have another value than their most "
            f"frequent one in fewer than {self.least} of {n_samples:,} samples, so that chance "
            "makes them alike; they take no part, score 0 and rank last: "
            f"{first_few(which)} (min_carriers=0 lets them take part)",
            RareFeatureWarning,
            depth=4,
        )


def check_min_carriers(given: Any) -> None:
    """Refuse what is no number of samples."""
    if (isinstance(given, str) and given == "auto") or (is_whole(given) and given >= 0):
        return
    raise ValueError(
        f"min_carriers is {given!r}; give a whole number of samples, 0 for no minimum, or 'auto'"
    )


def find_rare_columns(
    read: ReadTable, given: int | str, *, forced: npt.NDArray[np.int64]
) -> RareColumns:
    """Find the columns that vary, are not forced, and too few samples carry."""
    if not read.measure.takes_table:
        if given not in ("auto", 0):
            raise ValueError(
                f"min_carriers is {given!r}, but a given similarity has no samples to count: "
                "leave it out"
            )
        return RareColumns(0, {})
    least = least_carriers(read.table.shape[0]) if given == "auto" else int(given)
    found = (rare_dask_columns if is_dask(read.table) else rare_columns)(read.table, least)
    others = set(forced.tolist())
    if read.identifiers is not None:
        others |= set(np.flatnonzero(read.identifiers).tolist())
    # Columns without any carrier are constant, and said to be so.
    return RareColumns(least, {i: n for i, n in found.items() if n and i not in others})


def left_out_as_rare(selector: RepresentingSelector) -> list[LeftOutColumn]:
    """List the columns that take no part in a fit since too few samples carry them."""
    rare, names = selector._rare, selector._column_names()  # noqa: SLF001 - of the same room
    return [LeftOutColumn(str(name), rare.rule) for name in names[rare.positions]]


def warn_of_dependent_rows(table: Any, measure: Measure) -> None:
    """Say that rows that follow each other are alike, where the measure has a noise floor."""
    rows = getattr(measure, "rows", None)
    knows_order = rows == "independent"
    if is_dask(table) or not (knows_order or measure.needs_independent_rows):
        return
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
            depth=4,
        )


def read_table(
    estimator: BaseEstimator,
    X: Any,
    measure: Measure,
    *,
    or_else: str = "use similarity='mixed', or turn it into numbers",
) -> ReadTable:
    """Check a table, note its column names on the estimator, and settle the measure.

    `or_else` says what to do about a column of text that the measure does not take.
    """
    if is_dask(X):
        return _read_lazily(estimator, X, measure)
    X = readable_table(X)
    estimator._names_given = column_names(X)  # noqa: SLF001 - scikit-learn notes only text
    if not measure.takes_table:
        names, X = (X.names, X.values) if isinstance(X, NamedArray) else (None, X)
        # The entries of the n × n similarity are checked one by one later.
        table = read_numbers(
            estimator,
            X,
            names=names,
            advice=f"and similarity {measure.name!r} takes numbers only: turn it into numbers",
            ensure_all_finite=False,
            ensure_min_samples=1,
        )
        if names is not None:
            _note_names(estimator, names)
        return ReadTable(table, measure)
    if isinstance(X, TypedTable):
        _note_names(estimator, X.names)
        return _of_columns(X, measure)
    if measure.takes_names and (has_nominal_columns(X) or not measure.takes_arrays):
        return _of_columns(_read_columns(estimator, X), measure)
    names, X = (X.names, X.values) if isinstance(X, NamedArray) else (None, X)
    if not measure.takes_sparse:
        X = dense_values(X, what=f"similarity {measure.name!r}, unlike 'pearson', takes")
    advice = f"and similarity {measure.name!r} takes numbers only: {or_else}"
    written: tuple[Column, ...] = ()
    if has_text(X):
        X, written = text_as_numbers(X, names=names, advice=advice)
    table = read_numbers(
        estimator,
        X,
        names=names,
        advice=advice,
        accept_sparse="csc",
        # NaN is a missing value in a dense table.
        ensure_all_finite=True if sparse.issparse(X) else "allow-nan",
    )
    if names is not None:
        _note_names(estimator, names)
    if sparse.issparse(table):
        table = without_duplicates(table)
    constant = is_constant(table)
    return ReadTable(
        table,
        measure.for_table(table),
        constant,
        left_out=_why_constant(table, constant),
        read_from_text=written,
    )


def read_numbers(
    estimator: BaseEstimator,
    X: Any,
    *,
    advice: str,
    names: tuple[str, ...] | None = None,
    accept_sparse: bool | str = False,
    ensure_all_finite: bool | str = "allow-nan",
    ensure_min_samples: int = 2,
) -> Any:
    """Check a table of numbers, as scikit-learn's `validate_data` does.

    What is no number is refused with the name of its column, and with `advice`, the rest of
    the sentence; so is an infinite one, with its row. `names` are those of an array.
    """
    check_no_times(X)
    try:
        # The check sums all values first, which may overflow both ways and say nothing.
        with np.errstate(over="ignore", invalid="ignore"):
            return validate_data(
                estimator,
                X,
                dtype=[np.float64, np.float32],
                accept_sparse=accept_sparse,
                ensure_all_finite=ensure_all_finite,
                ensure_min_samples=ensure_min_samples,
            )
    except ValueError as error:
        name = text_column(X)
        if name is None:
            if ensure_all_finite is not False:
                refuse_infinite(X, names=names)
            raise
        raise ValueError(f"column {name!r} holds text, {advice}") from error
    except (OverflowError, TypeError) as error:
        # To read the columns one by one raises the error that names the column.
        if is_frame(X) or isinstance(error, OverflowError):
            read_columns(X, names=names)
        raise


def warn_of_columns(read: ReadTable, names: npt.NDArray[np.object_]) -> None:
    """Say how columns were read: as numbers from text, or as what takes no part; and give hints."""
    written = [f"{c.name} ({c.written})" for c in read.read_from_text if c.written is not None]
    if written:
        say(
            f"text was read as numbers: {first_few(written)}",
            ColumnReadingWarning,
            depth=4,
        )
    unread = {c.name for c in read.read_from_text if c.why is not None}
    identifiers = () if read.identifiers is None else np.flatnonzero(read.identifiers).tolist()
    for what, kind, which in (
        (
            "hold neither numbers nor names",
            ColumnReadingWarning,
            [i for i in read.left_out if names[i] in unread],
        ),
        (
            "hold names that cannot be compared",
            IdentifierFeatureWarning,
            [i for i in identifiers if names[i] not in unread],
        ),
    ):
        if which:
            say_left_out(what, kind, {i: read.left_out[i] for i in which}, names, depth=5)
    hinted = [f"{c.name} ({c.hint})" for c in read.read_from_text if c.hint is not None]
    hints = [f"columns that may be meant otherwise: {first_few(hinted)}"] if hinted else []
    out = [mask for mask in (read.constant, read.identifiers) if mask is not None]
    hints += hints_of_numbers(
        read.table,
        names.tolist(),
        leaving_out="of X",
        among=~np.any(out, axis=0) if out else None,
    )
    for hint in hints:
        say(hint, ColumnReadingWarning, depth=4)


def say_left_out(
    what: str,
    kind: type[Warning],
    left_out: Mapping[int, str],
    names: npt.NDArray[np.object_],
    *,
    depth: int,
) -> None:
    """Warn of columns that take no part, each with the reason, as the command line has it."""
    which = [
        names[i] if why == CONSTANT else f"{names[i]} ({why})" for i, why in left_out.items()
    ]
    say(
        f"{len(which)} of {len(names)} columns {what}; they take no part, score 0 and rank "
        f"last: {first_few(which)}",
        kind,
        depth=depth,
    )


def _why_constant(table: Any, constant: Mask) -> dict[int, str]:
    """Why the columns of numbers that do not vary take no part, by position."""
    where = np.flatnonzero(constant)
    if sparse.issparse(table):
        held = table[:, where].max(axis=0).toarray().ravel() if len(where) else ()
    else:
        held = [np.fmax.reduce(table[:, i]) for i in where]
    return {int(i): why_constant(float(value)) for i, value in zip(where, held, strict=True)}


def _read_lazily(estimator: BaseEstimator, X: Any, measure: Measure) -> ReadTable:
    """A dask collection: names and sizes from what is known without its values."""
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


def without_rows(X: Any) -> Any:
    """A table in memory with the columns of a dask collection and nothing in them."""
    if hasattr(X, "columns"):
        return X._meta  # noqa: SLF001 - the only way to ask for the columns as pandas has them
    return np.empty((0, X.shape[1]))


def _read_columns(estimator: BaseEstimator, X: Any) -> TypedTable:
    """Numbers and names; the names of columns are noted as scikit-learn does."""
    if isinstance(X, NamedArray):
        _note_names(estimator, X.names)
        return typed_table(X)
    if is_frame(X):
        validate_data(estimator, X, skip_check_array=True)
        return typed_table(X)
    values = X if hasattr(X, "tocsc") else as_array(X)
    values = validate_data(
        estimator, values, accept_sparse="csc", dtype=None, ensure_all_finite=False
    )
    return typed_table(values)


def _of_columns(table: TypedTable, measure: Measure) -> ReadTable:
    """Settle the measure of a typed table: without names that take part it may be an array."""
    constant, identifiers = table.incomparable()
    if not measure.takes_names:
        raise ValueError(
            f"a table of several kinds of columns needs 'mixed', not {measure.name!r}"
        )
    settled = measure.for_table(table)
    values = table if settled.takes_names else table.numbers
    return ReadTable(
        values,
        settled,
        constant,
        identifiers,
        table.left_out,
        table.has_nominal,
        table.read_from_text,
    )


def _note_names(estimator: BaseEstimator, names: tuple[str, ...]) -> None:
    """Note the names of a table that carries them, as scikit-learn does for a data frame."""
    estimator.n_features_in_ = len(names)
    estimator.feature_names_in_ = np.asarray(names, dtype=object)
