"""`Engine`: where products of columns are computed; one file an engine.

The engine of this machine's memory and cores: numpy blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from topofs.similarity.operator import dense

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from topofs.graphs.products import Products
    from topofs.similarity.operator import ColumnOperator, SimilarityOperator


__all__ = ["Engine", "NumpyEngine"]


@dataclass(frozen=True)
class Engine:
    """Computes a similarity: whole, or as rows, row sums and strongest links.

    `topofs.backends.dispatch` decides which engine a table gets. The same columns give the same
    answers on any of them.

    Attributes
    ----------
    memory : int
        Bytes that may be used.
    on_device : bool
        Whether a device multiplies.
    """

    memory: int
    on_device: ClassVar[bool] = False

    def holds_matrix(self, n_features: int, itemsize: int, *, matrices: float) -> bool:
        """Whether so many n × n matrices fit into what may be used.

        Parameters
        ----------
        n_features : int
            The order n.
        itemsize : int
            Bytes of an entry.
        matrices : float
            How many matrices there are at once.

        Returns
        -------
        bool
        """
        return n_features**2 * itemsize * matrices <= self.memory

    def matrix(self, operator: SimilarityOperator) -> npt.NDArray[np.floating[Any]]:
        """Compute the whole similarity.

        Parameters
        ----------
        operator : SimilarityOperator
            Its blocks.

        Returns
        -------
        array, shape (n_features, n_features)
            Exactly symmetric; the caller may change it.
        """
        # By this machine for all of them: whole, it has the bits that all have to have.
        return dense(operator)

    def products(
        self, operator: ColumnOperator, order: npt.NDArray[np.int64] | None = None
    ) -> Products:
        """Give rows, row sums and strongest links of a similarity that is never held whole.

        Parameters
        ----------
        operator : ColumnOperator
            Its prepared columns.
        order : array of int, optional
            The columns in another order.

        Returns
        -------
        Products
        """
        from topofs.graphs.products import BlockedProducts

        return BlockedProducts(operator if order is None else operator.select(order))


@dataclass(frozen=True)
class NumpyEngine(Engine):
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
