"""`ComparedColumns`: columns that are ready to be compared, and where that is done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.engines.dask_order import order_on_workers
from topofs.similarity.operator import MatrixOperator
from topofs.similarity.sparse_table import SparseCorrelation
from topofs.similarity.table import has_missing
from topofs.similarity.value_order import matrix_order, permute_in_place, value_order

if TYPE_CHECKING:
    from topofs.engines.engine import Engine
    from topofs.similarity.measure import Measure
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["ComparedColumns"]

Matrix = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ComparedColumns:
    """Columns that are ready to be compared, or were compared on workers.

    Workers give the finished similarity (plain correlations where these were asked for), which
    columns are constant and left out, and the spans of the others, from which these are ordered;
    `n_features` counts those that are compared. `nodes` are the positions of these in a sparse
    table, where they are not all, so that nothing holds a large one twice.
    """

    measure: Measure
    engine: Engine
    table: Any
    n_features: int
    on_workers: Matrix | None = None
    constant: npt.NDArray[np.bool_] | None = None
    spans: npt.NDArray[np.float64] | None = None
    nodes: Ints | None = None

    @cached_property
    def operator(self) -> SimilarityOperator | None:
        """The similarity of any block; None where it was computed on workers."""
        if self.on_workers is not None:
            return None
        operator: Any = self.measure.operator(self.table)
        return operator if self.nodes is None else operator.select(self.nodes)  # type: ignore[no-any-return]

    def compared_table(self) -> Any:
        """The columns that are compared, and no others."""
        return self.table if self.nodes is None else self.table[:, self.nodes]

    def matrix(self, order: Ints | None = None) -> Matrix:
        """Compute the whole similarity, in an order; what workers gave is handed over, once."""
        if order is not None and self._is_ordered_first:
            return self.engine.matrix(self.operator.select(order))  # type: ignore[union-attr]
        matrix = self.on_workers
        if matrix is None:
            assert self.operator is not None
            matrix = self.engine.matrix(self.operator)
        if order is not None:
            permute_in_place(matrix, order)
        return matrix

    @property
    def _is_ordered_first(self) -> bool:
        """Whether to put columns in order takes less than to do so with their similarities."""
        inner = getattr(self.operator, "inner", self.operator)
        if isinstance(inner, SparseCorrelation):
            return True
        return self.by_products and self.n_features > self.table.shape[0]

    @cached_property
    def by_products(self) -> bool:
        """Whether products of prepared columns give every entry."""
        complete = self.operator is not None and self.measure.products is not None
        return complete and not sparse.issparse(self.table) and not has_missing(self.table)

    def order(self) -> Ints:
        """The columns in an order that depends on their values, or their similarities, only."""
        if self.on_workers is not None:
            assert self.constant is not None
            assert self.spans is not None
            return order_on_workers(self.table, ~self.constant, self.spans)
        # Columns that have values are not compared for it.
        if not self.measure.has_columns and isinstance(self.operator, MatrixOperator):
            return matrix_order(self.operator.values)
        return value_order(self.compared_table())
