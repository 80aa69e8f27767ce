"""The ranking as a list to read: every column with its place and its nearest selected one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.similarity import SIMILARITIES

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.selection.topological import TopologicalFeatureSelector
    from topofs.similarity.operator import SimilarityOperator
    from topofs.similarity.typed_table import TypedTable

__all__ = ["RankedColumn", "fitted_similarity", "ranked_columns"]

_ROWS = 256


@dataclass(frozen=True)
class RankedColumn:
    """A column's place in a ranking.

    Attributes
    ----------
    name : str
        The column.
    rank : int
        Its place, 1 = best.
    score, strength : float
        What it adds to the coverage or its centrality, and the sum of the weights of its edges.
    selected : bool
        Whether it is among the selected.
    nearest : str or None
        The selected column, other than itself, that it is most similar to; None where it is
        constant or no other is selected.
    similarity : float or None
        The similarity between the two, before the threshold.
    """

    name: str
    rank: int
    score: float
    strength: float
    selected: bool
    nearest: str | None
    similarity: float | None


def fitted_similarity(
    selector: TopologicalFeatureSelector, X: npt.NDArray[np.floating[Any]] | TypedTable
) -> SimilarityOperator:
    """Prepare the similarity that a selector was fitted with, before its threshold.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted to `X`, with a similarity given by name.
    X : array or TypedTable, shape (n_samples, n_features)
        The table.

    Returns
    -------
    SimilarityOperator
        Over the columns that vary, in the order of `selector.nodes_`.
    """
    measure = SIMILARITIES[str(selector.similarity_)]
    nodes = selector.nodes_
    table = X if len(nodes) == X.shape[1] else X[:, nodes]
    return measure(table, squared=selector.squared, alpha=selector.alpha)


def ranked_columns(
    selector: TopologicalFeatureSelector,
    X: npt.NDArray[np.floating[Any]] | TypedTable,
    *,
    similarity: npt.NDArray[np.floating[Any]] | None = None,
) -> tuple[RankedColumn, ...]:
    """List the columns from the best to the last.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted to `X`, with a similarity given by name.
    X : array or TypedTable, shape (n_samples, n_features)
        The table.
    similarity : array, shape (n_nodes, n_nodes), optional
        The whole similarity where it is at hand; otherwise it is computed again, a few rows
        at a time.

    Returns
    -------
    tuple of RankedColumn

    Examples
    --------
    >>> import numpy as np
    >>> from topofs import TopologicalFeatureSelector
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 1.0], [3.0, 6.5, 2.0]])
    >>> selector = TopologicalFeatureSelector(1, rule="degree").fit(X)
    >>> [(c.name, c.nearest) for c in ranked_columns(selector, X)]
    [('x0', None), ('x1', 'x0'), ('x2', 'x0')]
    """
    nodes = selector.nodes_
    names = selector._column_names()  # noqa: SLF001 - of the same room
    strengths = np.zeros(selector.n_features_in_)
    strengths[nodes] = selector.graph_.strength()
    nearest = np.full(selector.n_features_in_, -1)
    weights = np.zeros(selector.n_features_in_)
    nearest[nodes], weights[nodes] = _nearest_selected(selector, X, similarity)
    return tuple(
        RankedColumn(
            name=str(names[column]),
            rank=int(selector.ranking_[column]),
            score=float(selector.scores_[column]),
            strength=float(strengths[column]),
            selected=bool(selector.support_[column]),
            nearest=str(names[nearest[column]]) if nearest[column] >= 0 else None,
            similarity=float(weights[column]) if nearest[column] >= 0 else None,
        )
        for column in np.argsort(selector.ranking_)
    )


def _nearest_selected(
    selector: TopologicalFeatureSelector,
    X: npt.NDArray[np.floating[Any]] | TypedTable,
    similarity: npt.NDArray[np.floating[Any]] | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Column of the nearest selected node and the similarity to it, for each node; or −1."""
    nodes = selector.nodes_
    selected = np.flatnonzero(selector.support_[nodes])
    nearest, weights = np.full(len(nodes), -1), np.zeros(len(nodes))
    if not selected.size:
        return nearest, weights
    operator = fitted_similarity(selector, X) if similarity is None else None
    for start in range(0, len(nodes), _ROWS):
        rows = slice(start, min(start + _ROWS, len(nodes)))
        if operator is None:
            assert similarity is not None
            block = similarity[rows][:, selected].astype(np.float64)
        else:
            everything = slice(0, len(nodes))
            block = operator.block(rows, everything)[:, selected].astype(np.float64)
        # No node stands for itself.
        block[selected == np.arange(rows.start, rows.stop)[:, None]] = -np.inf
        best = block.argmax(axis=1)
        found = block[np.arange(len(block)), best]
        exists = np.isfinite(found)
        nearest[rows] = np.where(exists, nodes[selected[best]], -1)
        weights[rows] = np.where(exists, found, 0.0)
    return nearest, weights
