"""The ranking as a list to read: every column with its place and its nearest selected one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from topofs.selection.reading import read_table
from topofs.selection.short_names import measure_of
from topofs.similarity.operator import rows_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.selection.topological import TopologicalFeatureSelector
    from topofs.similarity.operator import SimilarityOperator

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
        What the rule gave it (what it adds, or its centrality), and the sum of the weights of
        its edges.
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


def fitted_similarity(selector: TopologicalFeatureSelector, X: Any) -> SimilarityOperator:
    """The similarity that a selector was fitted with to `X`, before its threshold.

    Over the columns that vary, in the order of `selector.nodes_`. `fit_and_compare` gives the
    same without preparing the columns again.
    """
    # The measure as it was asked for: "auto" takes columns that the one it became does not.
    read = read_table(clone(selector), X, measure_of(selector.similarity))
    if read.table.shape[1] != selector.n_features_in_:
        raise ValueError(
            f"X has {read.table.shape[1]} columns; the selector was fitted on "
            f"{selector.n_features_in_}: give the same table"
        )
    return selector.similarity_.operator(read.columns(selector.nodes_))


def ranked_columns(
    selector: TopologicalFeatureSelector, similarity: SimilarityOperator
) -> tuple[RankedColumn, ...]:
    """List the columns from the best to the last.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    similarity : SimilarityOperator
        Between the columns that vary, as `fitted_similarity` or `fit_and_compare` gives; the
        rows of the selected ones are asked for.

    Returns
    -------
    tuple of RankedColumn

    Examples
    --------
    >>> import numpy as np
    >>> from topofs import TopologicalFeatureSelector
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 1.0], [3.0, 6.5, 2.0]])
    >>> selector = TopologicalFeatureSelector(1, rule="degree").fit(X)
    >>> [(c.name, c.nearest) for c in ranked_columns(selector, fitted_similarity(selector, X))]
    [('x0', None), ('x1', 'x0'), ('x2', 'x0')]
    """
    nodes = selector.nodes_
    names = selector._column_names()  # noqa: SLF001 - of the same room
    strengths = selector.strength_
    nearest = np.full(selector.n_features_in_, -1)
    weights = np.zeros(selector.n_features_in_)
    nearest[nodes], weights[nodes] = _nearest_selected(selector, similarity)
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
    selector: TopologicalFeatureSelector, similarity: SimilarityOperator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Column of the nearest selected node and the similarity to it, for each node; or −1."""
    nodes = selector.nodes_
    selected = np.flatnonzero(selector.support_[nodes])
    everyone = np.arange(len(nodes))
    nearest, weights = np.full(len(nodes), -1), np.full(len(nodes), -np.inf)
    for first in range(0, len(selected), _ROWS):
        rows = selected[first : first + _ROWS]
        block = rows_of(similarity, rows).astype(np.float64)
        # No node is nearest to itself.
        block[np.arange(len(rows)), rows] = -np.inf
        best = block.argmax(axis=0)
        found = block[best, everyone]
        # Of equal ones the first.
        nearer = found > weights
        nearest[nearer], weights[nearer] = nodes[rows[best[nearer]]], found[nearer]
    return nearest, np.where(nearest >= 0, weights, 0.0)
