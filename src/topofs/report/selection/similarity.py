"""The similarity behind a fitted selector, in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.selection import fitted_similarity
from topofs.similarity.operator import MatrixOperator

if TYPE_CHECKING:
    from topofs.selection import TopologicalFeatureSelector
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["between", "similarity_of"]

Floats = npt.NDArray[np.floating[Any]]


def similarity_of(
    selector: TopologicalFeatureSelector,
    X: Any,
    similarity: SimilarityOperator | Floats | None = None,
) -> SimilarityOperator:
    """Give the similarity between the nodes of a fitted selector's graph.

    Before any threshold: what the columns have in common, not what the filter was given.
    """
    n_nodes = len(selector.nodes_)
    if similarity is None:
        similarity = fitted_similarity(selector, X)
    elif isinstance(similarity, np.ndarray):
        if similarity.ndim != 2 or similarity.shape[0] != similarity.shape[1]:
            raise ValueError(
                f"similarity has the shape {similarity.shape}; it must be {n_nodes} × {n_nodes}"
            )
        similarity = MatrixOperator(similarity)
    if similarity.n_features != n_nodes:
        raise ValueError(
            f"similarity is over {similarity.n_features} columns; the graph has {n_nodes} nodes"
        )
    return _WithDiagonal(similarity, similarity.diagonal())


@dataclass(frozen=True, eq=False)
class _WithDiagonal:
    """Blocks of an operator, with its exact diagonal."""

    operator: SimilarityOperator
    exact: Floats

    @property
    def n_features(self) -> int:
        return self.operator.n_features

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.operator.dtype

    def block(self, rows: slice, columns: slice) -> Floats:
        block = self.operator.block(rows, columns)
        same = np.arange(max(rows.start, columns.start), min(rows.stop, columns.stop))
        block[same - rows.start, same - columns.start] = self.exact[same]
        return block

    def diagonal(self) -> Floats:
        return self.exact


def between(
    similarity: SimilarityOperator, nodes: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Give the similarity between some nodes."""
    taken = np.empty((len(nodes), len(nodes)))
    for row, i in enumerate(nodes.tolist()):
        for column, j in enumerate(nodes[: row + 1].tolist()):
            entry = similarity.block(slice(i, i + 1), slice(j, j + 1))[0, 0]
            taken[row, column] = taken[column, row] = entry
    return taken
