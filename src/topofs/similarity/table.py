"""Checks of a table before a similarity is computed: its numbers, constant and rare columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs.io.frames import (
    NamedArray,
    column_names,
    dense_values,
    readable_table,
    refuse_infinite,
)
from topofs.io.types import TypedTable
from topofs.runtime import for_row_ranges

if TYPE_CHECKING:
    from topofs.io.types import Column
    from topofs.typing import Bools, Doubles, Floats

# Rows tested first.
_FIRST_ROWS = 64
_SMALL_TABLE = 1000
_CARRIERS_A_DOUBLING = 4


def check_table(X: Any, *, no_sparse: str | None = None) -> Any:
    """Check a table of numbers; missing values (NaN, masked) may stay, infinite ones may not.

    Integers and booleans become float64, a sparse table a csc_array. With `no_sparse`, the
    start of a sentence that names what refuses sparse tables, it becomes a dense array.
    """
    from sklearn.utils import check_array  # the help of the commands does not wait for it

    X, names = readable_table(X), column_names(X)
    X = X.values if isinstance(X, NamedArray) else X
    if sparse.issparse(X):
        X = without_duplicates(X) if no_sparse is None else dense_values(X, what=no_sparse)
    try:
        # The check sums all values first, which may overflow both ways and say nothing.
        with np.errstate(over="ignore", invalid="ignore"):
            return check_array(
                X,
                accept_sparse="csc",
                dtype=[np.float64, np.float32],
                ensure_all_finite=True if sparse.issparse(X) else "allow-nan",
                ensure_min_samples=2,
                input_name="X",
            )
    except ValueError:
        refuse_infinite(X, names=names)
        raise


def without_duplicates(X: Any) -> Any:
    """A sparse table without duplicate entries; a copy if it had any."""
    X = sparse.csc_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def is_constant(X: Any) -> Bools:
    """Tell which columns hold at most one distinct observed value; NaN is unobserved."""
    if sparse.issparse(X):
        return np.asarray(X.max(axis=0).toarray() == X.min(axis=0).toarray()).ravel()

    def among(i: int, j: int) -> Bools:
        part = X[:, i:j]
        # Most columns vary in the first rows.
        constant = _is_one_value(part[:_FIRST_ROWS])
        unsure = np.flatnonzero(constant)
        constant[unsure] = _is_one_value(part[:, unsure])
        return constant

    return np.concatenate(for_row_ranges(among, X.shape[1], X.shape[0]))


def _is_one_value(X: Floats) -> Bools:
    """Tell which columns have one value at most, leaving NaN out."""
    # fmax and fmin ignore NaN; a column of NaN only compares unequal to itself.
    highest, lowest = np.fmax.reduce(X, axis=0), np.fmin.reduce(X, axis=0)
    return np.asarray((highest == lowest) | np.isnan(highest))


def least_carriers(n_samples: int) -> int:
    """Default number of samples that must carry a column.

    It is 0 for up to 1,000 rows, and rises by four each time the rows double: 4 for 2,000 rows,
    13 for 10,000, 22 for 50,000, 39 for a million.
    """
    doublings = np.log2(max(1.0, n_samples / _SMALL_TABLE))
    return int(_CARRIERS_A_DOUBLING * doublings)


def rare_columns(X: Any, least: int) -> dict[int, int]:
    """Find the columns that fewer than `least` samples carry, and count those samples.

    A sample carries a column if its value differs from the most frequent one. A missing value
    (NaN) is ignored in a column of numbers, and is a level in a column of names. No sample
    carries a constant column, so constant columns are found too, unless `least` is below 2.
    """
    # A column that varies has a carrier.
    if least < 2:
        return {}
    if isinstance(X, TypedTable):
        found = {i: _carriers(_coded(column), least) for i, column in enumerate(X.columns)}
    elif sparse.issparse(X):
        found = _carriers_of_sparse(X, least)
    else:

        def among(first: int, last: int) -> dict[int, int | None]:
            # The first rows of all columns show that most columns have enough carriers.
            few = X[: 64 * least, first:last]
            changes = np.count_nonzero(_changes(few), axis=0)
            unsure = first + np.flatnonzero(changes <= 2 * (least - 1))
            return {i: _carriers(X[:, i], least) for i in unsure.tolist()}

        parts = for_row_ranges(among, X.shape[1], X.shape[0])
        found = {i: number for part in parts for i, number in part.items()}
    return {i: number for i, number in found.items() if number is not None}


def _coded(column: Column) -> Doubles:
    return np.nan_to_num(column.values, nan=-np.inf) if column.nominal else column.values


def _changes(X: Floats) -> Bools:
    """Where a value differs from the one in the row before, and both are observed."""
    observed = ~np.isnan(X)
    return np.asarray((X[1:] != X[:-1]) & observed[1:] & observed[:-1])


def _carriers(values: Floats, least: int) -> int | None:
    """Number of samples that carry a column; None if `least` or more do."""
    # Each carrier causes two changes at most, so for most columns the first rows are enough.
    for some in (values[: 64 * least], values):
        if np.count_nonzero(_changes(some)) > 2 * (least - 1):
            return None
    given = values[~np.isnan(values)]
    if not given.size:
        return 0
    # A value that more than half of the samples have is the middle one after sorting.
    middle = np.partition(given, len(given) // 2)[len(given) // 2]
    carriers = int(np.count_nonzero(given != middle))
    if 2 * carriers > len(given):
        carriers = len(given) - int(np.unique(given, return_counts=True)[1].max())
    return carriers if carriers < least else None


def _carriers_of_sparse(X: sparse.csc_array, least: int) -> dict[int, int | None]:
    """The same for a sparse table: few values other than 0, or one column at a time."""
    n_samples = X.shape[0]
    others = np.diff(X.indptr)
    if not X.data.all():
        others = np.diff(np.concatenate([[0], np.cumsum(X.data != 0)])[X.indptr])
    found: dict[int, int | None] = {
        i: int(others[i]) for i in np.flatnonzero(others < least).tolist()
    }
    column = np.empty(n_samples)
    # In the other columns the most frequent value may differ from 0.
    for i in np.flatnonzero(2 * others > n_samples - least).tolist():
        column[:] = 0
        stored = slice(X.indptr[i], X.indptr[i + 1])
        column[X.indices[stored]] = X.data[stored]
        found[i] = _carriers(column, least)
    return found
