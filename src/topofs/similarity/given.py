"""Similarities that come from the user: as a matrix, or from a function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topofs.similarity.base import MatrixOperator, Measure
from topofs.similarity.noise_floor import GivenScale
from topofs.similarity_matrix import check_similarity_matrix
from topofs.terms import register

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.network import Scale
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Floats

__all__ = ["Function", "Given"]


@dataclass(frozen=True, repr=False)
class _FromUser(Measure):
    """A similarity without a noise floor."""

    knows_chance: ClassVar[bool] = False

    def scale(self, operator: Any, *, n_samples: int, n_features: int) -> Scale:  # noqa: ARG002
        """Take the values as they are."""
        return GivenScale()


@dataclass(frozen=True, repr=False)
class Given(_FromUser):
    """A given similarity: X is the n × n matrix.

    Rules that need shares of variance take its values as such.

    Examples
    --------
    >>> from topofs import Given
    >>> Given().name, Given().takes_table
    ('precomputed', False)
    """

    short_name: ClassVar[str] = "precomputed"
    takes_table: ClassVar[bool] = False

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return "given similarity"

    def operator(self, table: Any) -> SimilarityOperator:
        """Check the matrix; one of distances is refused."""
        values = check_similarity_matrix(table).values
        _refuse_distances(values)
        return MatrixOperator(values)


@dataclass(frozen=True, repr=False)
class Function(_FromUser):
    """A similarity by a function of your own; a bare function stands for it.

    Parameters
    ----------
    function : callable
        Takes the table of the columns that vary and returns their n × n similarity.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs import TopologicalFeatureSelector
    >>> def cosine(X):
    ...     unit = X / np.linalg.norm(X, axis=0)
    ...     return (unit.T @ unit) ** 2
    >>> X = np.random.default_rng(0).normal(size=(50, 6))
    >>> TopologicalFeatureSelector(2, similarity=cosine).fit(X).similarity_.name
    'cosine'
    """

    function: Callable[[Any], Any] = field(metadata={"option": False})

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return f"similarity by a function of your own ({self.name})"

    def operator(self, table: Any) -> SimilarityOperator:
        """Call the function and check what it returns."""
        values = check_similarity_matrix(self.function(table)).values
        if len(values) != table.shape[1]:
            raise ValueError(
                f"the similarity function must return a {table.shape[1]} × {table.shape[1]} "
                f"matrix for as many columns; got {values.shape}"
            )
        return MatrixOperator(values)


def _refuse_distances(values: Floats) -> None:
    """Refuse a matrix whose diagonal entries are all smaller than the entries beside them."""
    n = len(values)
    diagonal = values.diagonal()
    # Row by row, without an n × n temporary; the first row tells most matrices apart.
    if n > 1 and all((np.delete(values[i], i) > diagonal[i]).all() for i in range(n)):
        raise ValueError(
            f"similarity 'precomputed' got a matrix of distances (on its diagonal, such as "
            f"{diagonal[0]:g}, it is smaller than anywhere beside it); it needs large values for "
            "columns that are alike: pass 1 - distance, or put 1 on the diagonal of a similarity"
        )


register(Given())
