"""The engine of dask workers: the table is reduced where its chunks lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topofs.engines.dask_table import dask_similarity
from topofs.terms import registered

if TYPE_CHECKING:
    from topofs.engines.dask_table import DaskSimilarity
    from topofs.similarity.measure import Measure

__all__ = ["DaskEngine"]


@dataclass(frozen=True)
class DaskEngine:
    """Products on workers; the finished matrix comes to the client.

    Attributes
    ----------
    memory : int
        Bytes that the client may use.
    """

    memory: int

    def holds_matrix(self, n_features: int, itemsize: int, *, matrices: float) -> bool:
        """Whether so many n × n matrices fit into the memory of the client."""
        return n_features**2 * itemsize * matrices <= self.memory

    def similarity(self, table: Any, measure: Measure) -> DaskSimilarity:
        """Compute the similarity of a checked table, if its matrix fits into memory here.

        Parameters
        ----------
        table : dask.array.Array
            As by `topofs.engines.dask_table.check_dask_table`.
        measure : Measure
            One that a product of prepared columns gives; others need the table in memory and
            are refused.

        Returns
        -------
        DaskSimilarity
        """
        if measure.products is None:
            known = [name for name, other in registered("similarity").items() if other.products]  # type: ignore[attr-defined]
            raise ValueError(
                f"similarity is {measure.name!r}, which needs X in memory: pass X.compute(), or "
                f"for a dask table use one of {', '.join(map(repr, known))}"
            )
        n_features = table.shape[1]
        if not self.holds_matrix(n_features, table.dtype.itemsize, matrices=1.2):
            needed = n_features**2 * table.dtype.itemsize * 1.2
            raise ValueError(
                f"the similarity of {n_features} columns takes {needed / 1e9:.3g} GB on the "
                f"client, but memory allows {self.memory / 1e9:.3g} GB: allow more, select among "
                "fewer columns, or pass X.compute() if the table itself fits (its graph is built "
                "without the matrix)"
            )
        return dask_similarity(table, measure)
