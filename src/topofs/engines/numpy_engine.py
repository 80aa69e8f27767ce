"""The engine of this machine's memory and cores: numpy blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs.engines.engine import Engine
from topofs.filtering.products import BlockedProducts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from topofs.similarity.operator import ColumnOperator

__all__ = ["NumpyEngine"]


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

    def products(
        self, operator: ColumnOperator, order: npt.NDArray[np.int64] | None = None
    ) -> BlockedProducts:
        """Give blocks of rows on demand."""
        return BlockedProducts(operator if order is None else operator.select(order))
