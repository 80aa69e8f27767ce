"""From what a user gives to a checked table, and which of its columns take part."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import validate_data

from topofs.errors import IdentifierFeatureWarning
from topofs.similarity.columns import (
    check_dense,
    has_nominal_columns,
    is_frame,
    read_columns,
    text_column,
)
from topofs.similarity.table import is_constant, without_duplicates
from topofs.similarity.typed_table import TypedTable, typed_table
from topofs.similarity_matrix import check_similarity_matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "check_returned_similarity",
    "choose_measure",
    "find_columns_out",
    "read_numbers",
    "read_table",
]

Mask = npt.NDArray[np.bool_]


def choose_measure(similarity: Any, X: Any) -> Any:
    """Resolve similarity "auto": "mixed" for a frame with names, else "pearson".

    Parameters
    ----------
    similarity : str or callable
        The parameter of the estimator.
    X : object
        The table as given.

    Returns
    -------
    str or callable
    """
    if not (isinstance(similarity, str) and similarity == "auto"):
        return similarity
    nominal = X.has_nominal if isinstance(X, TypedTable) else has_nominal_columns(X)
    return "mixed" if nominal else "pearson"


def read_table(selector: Any, X: Any, measure: Any, *, takes_sparse: bool) -> Any:
    """Check a table and note its column names on the estimator.

    Parameters
    ----------
    selector : estimator
        Gets `n_features_in_` and `feature_names_in_`.
    X : array-like, sparse matrix, data frame or TypedTable
        The table; the similarity itself where `measure` is "precomputed".
    measure : str or callable
        As `choose_measure` gave it.
    takes_sparse : bool
        Whether a sparse table may stay sparse.

    Returns
    -------
    array, sparse matrix or TypedTable
    """
    if isinstance(X, TypedTable):
        if measure != "mixed":
            raise ValueError(
                f"a table of several kinds of columns needs 'mixed', not {measure!r}"
            )
        selector.n_features_in_ = X.shape[1]
        # Names of another table; those of this one may have been set for the fit.
        if len(getattr(selector, "feature_names_in_", ())) not in (0, X.shape[1]):
            del selector.feature_names_in_
        return X
    if isinstance(measure, str) and measure == "mixed":
        check_dense(X)
        if is_frame(X):
            validate_data(selector, X, skip_check_array=True)
        else:
            X = validate_data(selector, X, dtype=None, ensure_all_finite=False)
        return typed_table(X)
    precomputed = isinstance(measure, str) and measure == "precomputed"
    finite: bool | str = True if sparse.issparse(X) else "allow-nan"
    what = f"similarity {measure!r}" if isinstance(measure, str) else "a similarity function"
    advice = "" if precomputed else "use similarity='mixed', or "
    table = read_numbers(
        selector,
        X,
        advice=f"and {what} takes numbers only: {advice}turn it into numbers",
        accept_sparse="csc" if takes_sparse else False,
        # NaN is a missing value in a dense table; a similarity is checked entry by entry later.
        ensure_all_finite=False if precomputed else finite,
        ensure_min_samples=1 if precomputed else 2,
    )
    return without_duplicates(table) if sparse.issparse(table) else table


def read_numbers(
    selector: Any,
    X: Any,
    *,
    advice: str,
    accept_sparse: bool | str = False,
    ensure_all_finite: bool | str = "allow-nan",
    ensure_min_samples: int = 2,
) -> Any:
    """Check a table of numbers; what is none is refused with the name of its column.

    Parameters
    ----------
    selector : estimator
        Gets `n_features_in_` and `feature_names_in_`.
    X : array-like, sparse matrix or data frame
        The table.
    advice : str
        What to do about a column of text: the rest of the sentence.
    accept_sparse, ensure_all_finite, ensure_min_samples
        As in scikit-learn's `validate_data`.

    Returns
    -------
    array or sparse matrix of float32 or float64
    """
    try:
        return validate_data(
            selector,
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


def find_columns_out(table: Any, names: Sequence[str]) -> tuple[Mask, Mask]:
    """Tell which columns take no part; warns about identifiers.

    Parameters
    ----------
    table : array, sparse matrix or TypedTable
        As `read_table` gave it.
    names : sequence of str
        Names of the columns.

    Returns
    -------
    constant, identifiers : arrays of bool, shape (n_features,)
    """
    if not isinstance(table, TypedTable):
        constant = is_constant(table)
        return constant, np.zeros_like(constant)
    constant, identifiers = table.incomparable()
    if identifiers.any():
        which = [name for name, out in zip(names, identifiers, strict=True) if out]
        warnings.warn(
            f"{len(which)} of {len(names)} columns hold names that hardly repeat, as "
            "identifiers do; they take no part, score 0 and rank last: "
            + ", ".join(which[:5])
            + (", …" if len(which) > 5 else ""),
            IdentifierFeatureWarning,
            stacklevel=3,
        )
    return constant, identifiers


def check_returned_similarity(
    similarity: Any, n_features: int
) -> npt.NDArray[np.floating[Any]]:
    """Check that a similarity function returned a similarity of all its columns.

    Parameters
    ----------
    similarity : array-like
        What it returned.
    n_features : int
        Number of columns it was given.

    Returns
    -------
    array, shape (n_features, n_features)
    """
    values = check_similarity_matrix(similarity).values
    if len(values) != n_features:
        raise ValueError(
            f"the similarity function must return a {n_features} × {n_features} matrix for as "
            f"many columns; got {values.shape}"
        )
    return values
