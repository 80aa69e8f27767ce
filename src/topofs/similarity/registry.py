"""The measures by name, with one signature, for those who choose a measure by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from topofs.similarity.energy import energy_operator
from topofs.similarity.pearson import pearson_operator
from topofs.similarity.spearman import spearman_operator

if TYPE_CHECKING:
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["SIMILARITIES"]


class Measure(Protocol):
    """A checked table in, its similarity out; a measure ignores what is not its own."""

    def __call__(self, X: Any, *, squared: bool, alpha: float) -> SimilarityOperator:
        """Prepare the similarity."""


SIMILARITIES: dict[str, Measure] = {
    "pearson": lambda X, *, squared, alpha: pearson_operator(X, squared=squared),  # noqa: ARG005
    "spearman": lambda X, *, squared, alpha: spearman_operator(X, squared=squared),  # noqa: ARG005
    "energy": lambda X, *, squared, alpha: energy_operator(X, alpha=alpha),  # noqa: ARG005
}
