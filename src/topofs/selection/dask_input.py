"""Dask collections as X: names from what is known, columns selected without computing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs.engines.dask_table import check_dimensions

if TYPE_CHECKING:
    from topofs.selection.ranking_selector import RankingSelector

__all__ = ["select_lazily", "without_rows"]


def select_lazily(estimator: RankingSelector, X: Any) -> Any:
    """Reduce a dask collection to the selected columns; nothing is computed."""
    check_is_fitted(estimator)
    check_dimensions(X)
    validate_data(estimator, without_rows(X), skip_check_array=True, reset=False)
    selected = np.flatnonzero(estimator.get_support())
    if hasattr(X, "columns"):
        return X[[X.columns[position] for position in selected]]
    return X[:, selected]


def without_rows(X: Any) -> Any:
    """A table in memory with the columns of a dask collection and nothing in them."""
    if hasattr(X, "columns"):
        return X._meta  # noqa: SLF001 - the only way to ask for the columns as pandas has them
    return np.empty((0, X.shape[1]))
