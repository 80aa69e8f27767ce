"""From what a user gives to a checked table, and which of its columns take part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import validate_data

from topofs.engines.dask_table import check_dask_table, is_dask
from topofs.errors import ColumnReadingWarning, IdentifierFeatureWarning
from topofs.selection.saying import first_few, say
from topofs.similarity.table import is_constant, without_duplicates
from topofs.tables.columns import (
    as_array,
    check_dense,
    check_no_times,
    check_readable,
    has_nominal_columns,
    is_frame,
    read_columns,
    text_column,
)
from topofs.tables.hints import hints_of_numbers
from topofs.tables.typed_table import NamedArray, TypedTable, typed_table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from topofs.similarity.measure import Measure
    from topofs.tables.column import Column

__all__ = ["ReadTable", "read_numbers", "read_table", "warn_of_columns", "without_rows"]

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ReadTable:
    """A table that has passed its checks, as its measure, with "auto" settled, takes it.

    `constant` and `identifiers` are columns that take no part: of a single value, and of names
    that hardly repeat. None where every column takes part, or workers will find out.
    `has_names` also counts columns of names that take no part; `read_from_text` are columns of text
    of which something is to be said.
    """

    table: Any
    measure: Measure
    constant: Mask | None = None
    identifiers: Mask | None = None
    has_names: bool = False
    read_from_text: tuple[Column, ...] = ()

    def columns(self, nodes: npt.NDArray[np.int64]) -> Any:
        """The table of some columns; the whole one where these are all."""
        return self.table if len(nodes) == self.table.shape[1] else self.table[:, nodes]


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
    check_readable(X)
    if is_dask(X):
        return _read_lazily(estimator, X, measure)
    if not measure.takes_table:
        # The entries of the n × n similarity are checked one by one later.
        table = read_numbers(
            estimator,
            X,
            advice=f"and similarity {measure.name!r} takes numbers only: turn it into numbers",
            ensure_all_finite=False,
            ensure_min_samples=1,
        )
        return ReadTable(table, measure)
    if isinstance(X, TypedTable):
        _note_names(estimator, X.names)
        return _of_columns(X, measure)
    if measure.takes_names and (has_nominal_columns(X) or not measure.takes_arrays):
        return _of_columns(_read_columns(estimator, X), measure)
    names, X = (X.names, X.values) if isinstance(X, NamedArray) else (None, X)
    table = read_numbers(
        estimator,
        X,
        advice=f"and similarity {measure.name!r} takes numbers only: {or_else}",
        accept_sparse="csc" if measure.takes_sparse else False,
        # NaN is a missing value in a dense table.
        ensure_all_finite=True if sparse.issparse(X) else "allow-nan",
    )
    if names is not None:
        _note_names(estimator, names)
    if sparse.issparse(table):
        table = without_duplicates(table)
    return ReadTable(table, measure.for_table(table), is_constant(table))


def read_numbers(
    estimator: BaseEstimator,
    X: Any,
    *,
    advice: str,
    accept_sparse: bool | str = False,
    ensure_all_finite: bool | str = "allow-nan",
    ensure_min_samples: int = 2,
) -> Any:
    """Check a table of numbers, as scikit-learn's `validate_data` does.

    What is no number is refused with the name of its column, and with `advice`, the rest of
    the sentence.
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
            raise
        raise ValueError(f"column {name!r} holds text, {advice}") from error
    except (OverflowError, TypeError) as error:
        # To read the columns one by one raises the error that names the column.
        if is_frame(X) or isinstance(error, OverflowError):
            read_columns(X)
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
    unread = [f"{c.name} ({c.why})" for c in read.read_from_text if c.why is not None]
    if unread:
        say(
            f"{len(unread)} of {len(names)} columns hold neither numbers nor names; they take "
            f"no part, score 0 and rank last: {first_few(unread)}",
            ColumnReadingWarning,
            depth=4,
        )
    if read.identifiers is not None:
        others = {c.name for c in read.read_from_text if c.why is not None}
        which = [name for name in names[read.identifiers] if name not in others]
        if which:
            say(
                f"{len(which)} of {len(names)} columns hold names that hardly repeat, as "
                f"identifiers do; they take no part, score 0 and rank last: {first_few(which)}",
                IdentifierFeatureWarning,
                depth=4,
            )
    hinted = [f"{c.name} ({c.hint})" for c in read.read_from_text if c.hint is not None]
    hints = [f"columns that may be meant otherwise: {first_few(hinted)}"] if hinted else []
    out = [mask for mask in (read.constant, read.identifiers) if mask is not None]
    hints += hints_of_numbers(
        read.table,
        names.tolist(),
        leaving_out="leave it out of X",
        among=~np.any(out, axis=0) if out else None,
    )
    for hint in hints:
        say(hint, ColumnReadingWarning, depth=4)


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
        return typed_table(X.values, names=X.names)
    check_dense(X)
    if is_frame(X):
        validate_data(estimator, X, skip_check_array=True)
        return typed_table(X)
    values = validate_data(estimator, as_array(X), dtype=None, ensure_all_finite=False)
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
        values, settled, constant, identifiers, table.has_nominal, table.read_from_text
    )


def _note_names(estimator: BaseEstimator, names: tuple[str, ...]) -> None:
    """Note the names of a table that carries them, as scikit-learn does for a data frame."""
    estimator.n_features_in_ = len(names)
    estimator.feature_names_in_ = np.asarray(names, dtype=object)
