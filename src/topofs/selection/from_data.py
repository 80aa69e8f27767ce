"""The TMFG of a table, without the matrix of similarities between."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs.filtering.matrix_free import tmfg_of_operator
from topofs.selection.memory_size import parse_memory
from topofs.similarity import SIMILARITIES
from topofs.similarity.energy import check_alpha
from topofs.similarity.registry import COLUMN_MEASURES
from topofs.similarity.table import check_table

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph

__all__ = ["tmfg_from_columns", "tmfg_from_data"]


def tmfg_from_data(
    X: Any,
    *,
    similarity: str = "pearson",
    squared: bool = True,
    alpha: float = 0.5,
    threshold: str | None = "mean",
    memory: int | str | None = "2GB",
) -> FilteredGraph:
    """Build the TMFG of the columns of a table without ever holding the n × n matrix.

    The graph is that of ``tmfg(threshold_mean(pearson(X, squared=True)))``, for tables with so
    many columns that this matrix would not fit.

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Numbers, complete (no missing values), dense. float32 stays float32.
    similarity : {"pearson", "spearman", "energy"}, default="pearson"
        The measure.
    squared : bool, default=True
        Square the correlation; plays no part for energy.
    alpha : float, default=0.5
        Weight of the dispersion in the energy coefficient, in [0, 1].
    threshold : {"mean", None}, default="mean"
        Set similarities below their mean to 0 first.
    memory : int, str or None, default="2GB"
        What may be used beside the table and one prepared copy of it: bytes, text such as
        "500MB", or None for half of the machine's memory. More memory, fewer products.

    Returns
    -------
    FilteredGraph
        Labelled with the names of the columns, where the table has them.

    Notes
    -----
    O(n²S) time in blocked products, about two to three passes over all pairs; O(n) memory
    beyond the columns. Whole numbers and ranks give the very graph of the matrix, because
    both see the same bits; other columns give it unless two gains differ by rounding alone.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import topofs
    >>> X = load_breast_cancer().data
    >>> graph = topofs.tmfg_from_data(X)
    >>> similarity = topofs.threshold_mean(topofs.pearson(X, squared=True))
    >>> bool((graph.edges == topofs.tmfg(similarity).edges).all())
    True
    """
    if similarity not in COLUMN_MEASURES:
        known = ", ".join(repr(name) for name in COLUMN_MEASURES)
        raise ValueError(f"similarity is {similarity!r}; known are {known}")
    if threshold not in ("mean", None):
        raise ValueError(f"threshold is {threshold!r}; known are 'mean', None")
    check_alpha(alpha)
    names = getattr(X, "columns", None)
    advice = "without the matrix the table must be dense: pass X.toarray()"
    table = check_table(X, sparse_advice=advice)
    graph = tmfg_from_columns(
        table,
        similarity=similarity,
        squared=squared,
        alpha=alpha,
        threshold=threshold == "mean",
        memory=parse_memory(memory),
    )
    return graph if names is None else replace(graph, labels=[str(name) for name in names])


def tmfg_from_columns(
    table: Any, *, similarity: str, squared: bool, alpha: float, threshold: bool, memory: int
) -> FilteredGraph:
    """Do the same with a table and settings that are checked already."""
    if sparse.issparse(table) or np.isnan(table).any():
        raise ValueError(
            "without the matrix the table must be dense and complete, but X "
            + ("is sparse" if sparse.issparse(table) else "has missing values")
            + ": fill them in (sklearn.impute), select among fewer columns, or allow more memory"
        )
    operator: Any = SIMILARITIES[similarity](table, squared=squared, alpha=alpha)
    return tmfg_of_operator(operator, threshold=threshold, memory=memory)
