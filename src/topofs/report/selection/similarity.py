"""The similarity behind a fitted selector, in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from topofs.selection.ranked_columns import fitted_similarity
from topofs.tables.typed_table import TypedTable, typed_table

if TYPE_CHECKING:
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["Blocks", "Matrix", "between", "similarity_of"]

Floats = npt.NDArray[np.floating[Any]]


class Blocks(Protocol):
    """A symmetric matrix that gives any block of itself."""

    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of the given rows and columns."""


@dataclass(frozen=True)
class Matrix:
    """Blocks of a matrix that is there."""

    values: Floats

    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of the given rows and columns."""
        return self.values[rows, columns]


@dataclass(frozen=True)
class _WithDiagonal:
    """Blocks of an operator, with its exact diagonal."""

    operator: Any
    diagonal: Floats

    def block(self, rows: slice, columns: slice) -> Floats:
        block: Floats = self.operator.block(rows, columns)
        same = np.arange(max(rows.start, columns.start), min(rows.stop, columns.stop))
        block[same - rows.start, same - columns.start] = self.diagonal[same]
        return block


def similarity_of(
    selector: TopologicalFeatureSelector, X: Any, similarity: Floats | None = None
) -> Blocks:
    """Give the similarity between the nodes of a fitted selector's graph.

    Before any threshold: what the columns have in common, not what the filter was given.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like, sparse matrix, data frame or TypedTable, shape (n_samples, n_features)
        What it was fitted on.
    similarity : array, shape (n_nodes, n_nodes), optional
        The similarity, where it was computed already.

    Returns
    -------
    Blocks
        Over ``selector.nodes_``. Blocks are computed on demand where the measure can.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> X = load_wine().data
    >>> selector = TopologicalFeatureSelector(3).fit(X)
    >>> similarity_of(selector, X).block(slice(0, 1), slice(0, 2)).round(3).tolist()
    [[1.0, 0.009]]
    """
    nodes = selector.nodes_
    if similarity is not None:
        values = np.asarray(similarity)
        if values.shape != (len(nodes), len(nodes)):
            raise ValueError(
                f"similarity has the shape {values.shape}; the graph has {len(nodes)} nodes"
            )
        return Matrix(values)
    measure = selector.similarity_
    table = _table(X, mixed=isinstance(measure, str) and measure == "mixed")
    if table.shape[1] != selector.n_features_in_:
        raise ValueError(
            f"X has {table.shape[1]} columns; the selector was fitted on "
            f"{selector.n_features_in_}: give the same table"
        )
    if callable(measure):
        return Matrix(np.asarray(measure(table[:, nodes]), dtype=np.float64))
    if measure == "precomputed":
        return Matrix(np.asarray(table, dtype=np.float64))
    operator = fitted_similarity(selector, table)
    return _WithDiagonal(operator, operator.diagonal())


def _table(X: Any, *, mixed: bool) -> Any:
    """The table as the measures take it."""
    if mixed:
        return X if isinstance(X, TypedTable) else typed_table(X)
    table = X.tocsc() if hasattr(X, "tocsc") else np.asarray(X)
    return table if table.dtype in (np.float32, np.float64) else table.astype(np.float64)


def between(similarity: Blocks, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Give the similarity between some nodes.

    Parameters
    ----------
    similarity : Blocks
        Of all nodes.
    nodes : array of int, shape (m,)
        Nodes, in any order.

    Returns
    -------
    array of float64, shape (m, m)

    Examples
    --------
    >>> between(Matrix(np.eye(3)), np.array([2, 0])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    taken = np.empty((len(nodes), len(nodes)))
    for row, i in enumerate(nodes.tolist()):
        for column, j in enumerate(nodes[: row + 1].tolist()):
            entry = similarity.block(slice(i, i + 1), slice(j, j + 1))[0, 0]
            taken[row, column] = taken[column, row] = entry
    return taken
