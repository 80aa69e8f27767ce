"""The TMFG of a table, without the matrix of similarities between.

Topological scores for scikit-learn's univariate selectors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from topofs.backends.device_arrays import arrays_of_device, on_host
from topofs.backends.dispatch import compare_columns, graph_from_columns
from topofs.graphs.tmfg import TMFG
from topofs.io.frames import column_names
from topofs.runtime import parse_memory
from topofs.selection.compatibility import measure_of
from topofs.selection.selector import TopologicalFeatureSelector
from topofs.similarity.table import check_table
from topofs.terms import registered

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity.base import Measure


__all__ = ["tfs_score", "tmfg_from_data"]


def tmfg_from_data(
    X: Any,
    *,
    similarity: str | Measure = "pearson",
    threshold: str | None = "mean",
    memory: int | str | None = "2GB",
    device: str | None = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> FilteredGraph:
    """Build the TMFG of the columns of a table without ever holding the n × n matrix.

    The graph is that of ``tmfg(threshold_mean(pearson(X, squared=True)))``, for tables with so
    many columns that this matrix would not fit.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or AnnData, shape (n_samples, n_features)
        Numbers, complete (no missing values); a sparse table is made dense. float32 stays
        float32. Tensors of PyTorch and arrays of CuPy are taken, too.
    similarity : str or Measure, default="pearson"
        One that a product of prepared columns gives: "pearson", "spearman" or "energy", with
        parameters of their own as objects, such as ``Pearson(squared=False)``.
    threshold : {"mean", None}, default="mean"
        Set similarities below their mean to 0 first.
    memory : int, str or None, default="2GB"
        What may be used beside the table and one prepared copy of it: bytes, text such as
        "500MB", or None for half of the machine's memory. More memory, fewer products.
    device : str or None, default="auto"
        Where columns are multiplied: "cpu", or "cuda" (or "cuda:1", …) with PyTorch or CuPy
        installed. "auto" is where the table lies. The graph is the same everywhere.
    progress : callable, optional
        On a device: called now and then with the steps that are done, and with all, 2n of
        them: the links of n columns are found, n columns enter the graph.

    Returns
    -------
    FilteredGraph
        Labelled with the names of the columns, where the table has them.

    Notes
    -----
    O(n²S) time in blocked products, about two to three passes over all pairs; O(n) memory
    beyond the columns. Whole numbers and ranks give the very graph of the matrix, because
    both see the same bits; other columns give it unless two gains differ by rounding alone.
    Fast products (BLAS, a device) only propose vertices; sums of products in float64, the
    same everywhere, decide between them.

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
    measure = measure_of(similarity)
    if measure.products is None:
        known = registered("similarity")
        able = [name for name in known if known[name].products is not None]  # type: ignore[attr-defined]
        raise ValueError(
            f"similarity is {measure.name!r}, which needs the matrix; known are "
            + ", ".join(map(repr, able))
        )
    if threshold not in ("mean", None):
        raise ValueError(f"threshold is {threshold!r}; known are 'mean', None")
    arrays = arrays_of_device(device, X)
    table = check_table(on_host(X), no_sparse="tmfg_from_data takes")
    columns = compare_columns(
        table, measure.for_table(table), memory=parse_memory(memory), arrays=arrays
    )
    graph = graph_from_columns(
        columns, TMFG(), threshold=threshold is not None, progress=progress
    )
    names = column_names(X)
    return graph if names is None else replace(graph, labels=list(names))


def tfs_score(X: Any, y: Any = None) -> npt.NDArray[np.float64]:  # noqa: ARG001
    """Score columns for `sklearn.feature_selection.SelectKBest` and its relatives.

    The degree of each column in the TMFG of squared Pearson correlations, plus a fraction
    below 1 that orders equal degrees by strength. All scores differ, because SelectKBest
    would give ties to the highest index.

    Parameters
    ----------
    X : array-like or sparse matrix, shape (n_samples, n_features)
        The table.
    y : ignored
        Labels are not used.

    Returns
    -------
    array of float, shape (n_features,)

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from topofs import tfs_score
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> SelectKBest(tfs_score, k=2).fit(X, y).get_feature_names_out().tolist()
    ['total_phenols', 'flavanoids']
    """
    selector = TopologicalFeatureSelector(None, rule="degree").fit(X)
    n_features = selector.n_features_in_
    return selector.scores_ + (n_features - selector.ranking_) / n_features
