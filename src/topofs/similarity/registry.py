"""The measures by name, with one signature, for those who choose a measure by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from topofs.similarity.energy import energy_operator
from topofs.similarity.mixed import mixed_operator
from topofs.similarity.mutual_information import mutual_information_operator
from topofs.similarity.pearson import pearson_operator
from topofs.similarity.spearman import spearman_operator

if TYPE_CHECKING:
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["COLUMN_MEASURES", "SIMILARITIES"]


class Measure(Protocol):
    """A checked table in, its similarity out; a measure ignores what is not its own."""

    def __call__(self, X: Any, *, squared: bool, alpha: float) -> SimilarityOperator:
        """Prepare the similarity."""


SIMILARITIES: dict[str, Measure] = {
    "pearson": lambda X, *, squared, alpha: pearson_operator(X, squared=squared),  # noqa: ARG005
    "spearman": lambda X, *, squared, alpha: spearman_operator(X, squared=squared),  # noqa: ARG005
    "energy": lambda X, *, squared, alpha: energy_operator(X, alpha=alpha),  # noqa: ARG005
    "mixed": lambda X, *, squared, alpha: mixed_operator(X.columns),  # noqa: ARG005
    "mutual_information": lambda X, *, squared, alpha: mutual_information_operator(X),  # noqa: ARG005, PLW0108
}
"""The measures; 'mixed' takes a `TypedTable`, the others an array."""

COLUMN_MEASURES = ("pearson", "spearman", "energy")
"""Those that a product of prepared columns gives: without the matrix, and on dask workers."""
