"""The one check that every table passes before a similarity is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_array

from topofs.row_threads import for_row_ranges
from topofs.tables.given import readable_table, refuse_infinite

__all__ = ["check_table", "has_missing", "is_constant", "without_duplicates"]

Table = npt.NDArray[np.floating[Any]]


def check_table(X: Any, *, sparse_advice: str | None = None) -> Any:
    """Check a table of numbers; missing values (NaN, masked) may stay, infinite ones may not.

    Integers and booleans become float64, a sparse table a csc_array. Where one cannot be used,
    `sparse_advice` is the sentence that says why and what to do.
    """
    if sparse.issparse(X):
        if sparse_advice is not None:
            raise TypeError(sparse_advice)
        X = without_duplicates(X)
    X = readable_table(X)
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
        refuse_infinite(X)
        raise


def without_duplicates(X: Any) -> Any:
    """A sparse table in which no entry is stored twice; a copy if it was not so before."""
    X = sparse.csc_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def has_missing(X: Table) -> bool:
    """Tell whether a dense table holds NaN; all cores look for it."""
    rows = X.T if X.flags.f_contiguous else X
    return any(for_row_ranges(lambda i, j: bool(np.isnan(rows[i:j]).any()), *rows.shape))


def is_constant(X: Any) -> npt.NDArray[np.bool_]:
    """Tell which columns hold at most one distinct observed value; NaN is unobserved."""
    if sparse.issparse(X):
        return np.asarray(X.max(axis=0).toarray() == X.min(axis=0).toarray()).ravel()

    def among(i: int, j: int) -> npt.NDArray[np.bool_]:
        # fmax and fmin pass over NaN; a column of nothing but NaN compares unequal to itself.
        highest, lowest = np.fmax.reduce(X[:, i:j], axis=0), np.fmin.reduce(X[:, i:j], axis=0)
        return np.asarray((highest == lowest) | np.isnan(highest))

    return np.concatenate(for_row_ranges(among, X.shape[1], X.shape[0]))
