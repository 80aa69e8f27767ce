"""Dask collections as X: names and sizes from what is known, the work where the chunks lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs.similarity.dask_table import check_dask_table, check_dimensions, dask_similarity
from topofs.similarity.registry import COLUMN_MEASURES

if TYPE_CHECKING:
    from topofs.similarity.dask_table import DaskSimilarity

__all__ = ["check_dask_input", "select_lazily", "similarity_on_workers"]


def check_dask_input(estimator: Any, X: Any) -> Any:
    """Check a dask collection and let the estimator remember its columns.

    Parameters
    ----------
    estimator : estimator
        Gets `n_features_in_` and, from a dataframe, `feature_names_in_`.
    X : dask.array.Array or dask.dataframe.DataFrame
        The table.

    Returns
    -------
    dask.array.Array of float32 or float64, shape (n_samples, n_features)
    """
    table = check_dask_table(X)
    validate_data(estimator, _without_rows(X), skip_check_array=True)
    return table


def similarity_on_workers(
    table: Any, *, similarity: Any, squared: bool, alpha: float, memory: int
) -> DaskSimilarity:
    """Compute the similarity of a checked table, if its matrix fits into memory here.

    Parameters
    ----------
    table : dask.array.Array
        As by `check_dask_input`.
    similarity : {"pearson", "spearman", "energy"}
        The measure. Others need the table in memory and are refused.
    squared, alpha : bool, float
        As in `topofs.similarity.dask_table.dask_similarity`.
    memory : int
        Bytes that the client may use.

    Returns
    -------
    DaskSimilarity
    """
    if not isinstance(similarity, str) or similarity not in COLUMN_MEASURES:
        known = ", ".join(repr(name) for name in COLUMN_MEASURES)
        raise ValueError(
            f"similarity is {similarity!r}, which needs X in memory: pass X.compute(), or for a "
            f"dask table use one of {known}"
        )
    n_features = table.shape[1]
    needed = n_features**2 * table.dtype.itemsize * 1.2
    if needed > memory:
        raise ValueError(
            f"the similarity of {n_features} columns takes {needed / 1e9:.3g} GB on the client, "
            f"but memory allows {memory / 1e9:.3g} GB: allow more, select among fewer columns, "
            "or pass X.compute() if the table itself fits (its graph is built without the matrix)"
        )
    return dask_similarity(table, similarity=similarity, squared=squared, alpha=alpha)


def select_lazily(estimator: Any, X: Any) -> Any:
    """Reduce a dask collection to the selected columns; nothing is computed.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : dask.array.Array or dask.dataframe.DataFrame
        As many columns as were given to fit, of the same names.

    Returns
    -------
    dask.array.Array or dask.dataframe.DataFrame
    """
    check_is_fitted(estimator)
    check_dimensions(X)
    validate_data(estimator, _without_rows(X), skip_check_array=True, reset=False)
    selected = np.flatnonzero(estimator.get_support())
    if hasattr(X, "columns"):
        return X[[X.columns[position] for position in selected]]
    return X[:, selected]


def _without_rows(X: Any) -> Any:
    """A table in memory with the columns of a dask collection and nothing in them."""
    if hasattr(X, "columns"):
        return X._meta  # noqa: SLF001 - the only way to ask for the columns as pandas has them
    return np.empty((0, X.shape[1]))
