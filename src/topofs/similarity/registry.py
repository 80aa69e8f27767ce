"""The measures by name, with one signature, for those who choose a measure by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topofs.similarity.energy import energy_operator
from topofs.similarity.pearson import pearson_operator
from topofs.similarity.spearman import spearman_operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.similarity.operator import SimilarityOperator

__all__ = ["SIMILARITIES"]


def _pearson(X: Any, squared: bool, alpha: float) -> SimilarityOperator:  # noqa: ARG001, FBT001
    return pearson_operator(X, squared=squared)


def _spearman(X: Any, squared: bool, alpha: float) -> SimilarityOperator:  # noqa: ARG001, FBT001
    return spearman_operator(X, squared=squared)


def _energy(X: Any, squared: bool, alpha: float) -> SimilarityOperator:  # noqa: ARG001, FBT001
    return energy_operator(X, alpha=alpha)


SIMILARITIES: dict[str, Callable[[Any, bool, float], SimilarityOperator]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "energy": _energy,
}
"""name → (checked table, squared, alpha) → similarity; energy is never squared."""
