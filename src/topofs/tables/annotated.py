"""Annotated matrices (AnnData: cells × genes) and sparse matrices, with the names they carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.tables.columns import as_array
from topofs.tables.given import column_name
from topofs.tables.typed_table import NamedArray

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["is_annotated", "is_sparse_frame", "named_matrix"]


def is_annotated(X: Any) -> bool:
    """Whether a table is an AnnData object, without importing anndata."""
    return type(X).__module__.partition(".")[0] == "anndata" and hasattr(X, "var_names")


def is_sparse_frame(X: Any) -> bool:
    """Whether a table is a pandas data frame whose columns are all sparse."""
    if type(X).__module__.partition(".")[0] != "pandas" or not hasattr(X, "dtypes"):
        return False
    dtypes = list(X.dtypes) if getattr(X, "ndim", 0) == 2 else []
    return bool(dtypes) and all(type(dtype).__name__ == "SparseDtype" for dtype in dtypes)


def named_matrix(
    X: Any, *, layer: str | None = None, feature_names: Sequence[str] | None = None
) -> Any:
    """Give an annotated or sparse matrix with its names; other tables as they are."""
    if is_annotated(X):
        if feature_names is not None:
            raise ValueError(
                "feature_names is given, but X is an AnnData object with var_names"
            )
        return NamedArray(_matrix_of(X, layer), tuple(map(str, X.var_names)))
    if layer is not None:
        raise ValueError(
            f"layer is {layer!r}, but X is a {type(X).__name__}: only AnnData objects have layers"
        )
    if is_sparse_frame(X):
        names = tuple(map(column_name, X.columns))
        return NamedArray(X.sparse.to_coo().tocsc(), names)
    if feature_names is None:
        return X
    names = tuple(map(str, feature_names))
    whole = hasattr(X, "tocsc") or isinstance(X, np.ma.MaskedArray)
    values = X if whole else as_array(X)
    if len(names) != values.shape[1]:
        raise ValueError(f"feature_names has {len(names)} names for {values.shape[1]} columns")
    if len(set(names)) < len(names):
        raise ValueError("feature_names has a name twice: give each column one of its own")
    return NamedArray(values, names)


def _matrix_of(X: Any, layer: str | None) -> Any:
    if layer is not None and layer not in X.layers:
        known = ", ".join(map(repr, X.layers)) or "none"
        raise ValueError(f"there is no layer {layer!r}; there are {known}")
    matrix = X.X if layer is None else X.layers[layer]
    if matrix is None:
        raise ValueError("the AnnData object has no X: give layer=, one of its layers")
    if X.isbacked and layer is None:
        matrix = X.to_memory().X
    if not X.var_names.is_unique:
        raise ValueError(
            "the AnnData object has gene names twice: call adata.var_names_make_unique() first"
        )
    # What is masked is made missing by who reads the values.
    whole = hasattr(matrix, "tocsc") or isinstance(matrix, np.ma.MaskedArray)
    return matrix if whole else np.asarray(matrix)
