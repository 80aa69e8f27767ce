"""The engine of this machine's memory and cores: numpy blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topofs.similarity.operator import dense

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from topofs.filtering.products import Products
    from topofs.similarity.operator import ColumnOperator, SimilarityOperator

__all__ = ["NumpyEngine"]


@dataclass(frozen=True)
class NumpyEngine:
    """Blocked products by numpy.

    Attributes
    ----------
    memory : int
        Bytes that may be used beside the table and one prepared copy of it.

    Examples
    --------
    >>> NumpyEngine(memory=10**6).holds_matrix(300, 8, matrices=1.2)
    True
    """

    memory: int

    def holds_matrix(self, n_features: int, itemsize: int, *, matrices: float) -> bool:
        """Whether so many n × n matrices fit into memory."""
        return n_features**2 * itemsize * matrices <= self.memory

    def matrix(self, operator: SimilarityOperator) -> npt.NDArray[np.floating[Any]]:
        """Fill the matrix from the blocks of its lower triangle."""
        return dense(operator)

    def products(
        self, operator: ColumnOperator, order: npt.NDArray[np.int64] | None = None
    ) -> Products:
        """Give blocks of rows on demand."""
        from topofs.filtering.products import BlockedProducts

        return BlockedProducts(operator if order is None else operator.select(order))
