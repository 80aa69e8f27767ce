"""The engine of dask workers: the table is reduced where its chunks lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.engines.dask_columns import gather_columns, prepare_blocks
from topofs.engines.dask_table import dask_similarity, whole_columns
from topofs.engines.dask_workers import least_worker_memory, most_worker_threads
from topofs.engines.engine import Engine
from topofs.errors import import_extra
from topofs.terms import registered

if TYPE_CHECKING:
    from topofs.engines.dask_products import WorkerEngine
    from topofs.engines.dask_table import DaskSimilarity
    from topofs.similarity.measure import Measure

__all__ = ["DaskEngine"]

Floats = npt.NDArray[np.floating[Any]]

# The matrix, and a block of rows while it is filled.
_MATRICES = 1.2
# What a worker takes without any data; the shares of its memory from which dask moves data to
# disk, and from which it stops working.
_PROCESS = 300 * 10**6
_SPILLED, _PAUSED = 0.6, 0.8


@dataclass(frozen=True)
class DaskEngine(Engine):
    """Products on workers; the finished matrix comes to the client, or the columns do.

    Attributes
    ----------
    memory : int
        Bytes that the client may use.
    """

    def holds_similarity(self, table: Any) -> bool:
        """Whether the matrix of a table, and a block of rows beside it, fit into memory here."""
        return self.holds_matrix(table.shape[1], table.dtype.itemsize, matrices=_MATRICES)

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
        _check_measure(measure)
        if not self.holds_similarity(table):
            raise ValueError(
                f"{_too_large(table)}, but memory allows {self.memory / 1e9:.3g} GB: allow more, "
                "or select among fewer columns"
            )
        return dask_similarity(table, measure)

    def columns(
        self, table: Any, measure: Measure
    ) -> tuple[Floats, npt.NDArray[np.bool_], WorkerEngine]:
        """Bring the columns of a checked table here, and prepare them on the workers, too.

        Parameters
        ----------
        table, measure
            As for `similarity`.

        Returns
        -------
        table : array, shape (n_samples, n_varying)
            The columns that vary.
        constant : array of bool, shape (n_features,)
            The columns that do not.
        engine : WorkerEngine
            For those that vary.
        """
        from topofs.engines.dask_products import WorkerEngine
        from topofs.filtering.matrix_free import least_memory

        _check_measure(measure)
        n_samples, n_features = table.shape
        itemsize = table.dtype.itemsize
        # As they are, prepared, and in order.
        held = n_features * n_samples * (itemsize + 8 + 8)
        needed = held + least_memory(n_features, n_samples, itemsize)
        if needed > self.memory:
            raise ValueError(
                f"{_too_large(table)}, and to build the graph without it takes "
                f"{needed / 1e9:.3g} GB there, but memory allows {self.memory / 1e9:.3g} GB: allow "
                "more, or select among fewer columns or samples"
            )
        at_once = _columns_of_a_task(8 * n_samples * n_features)
        dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
        # Read once, for both sides; whoever dies later reads again.
        chunks = dask.persist(*whole_columns(table, measure).to_delayed()[0])
        prepared = prepare_blocks(chunks, measure)
        values = gather_columns(chunks, ~prepared.constant, (n_samples, table.dtype))
        return values, prepared.constant, WorkerEngine(self.memory - held, prepared, at_once)


def _columns_of_a_task(n_bytes: int) -> int:
    """Bytes of columns that a task may ask for; workers that have too little are refused."""
    has = least_worker_memory()
    # Workers keep what others hold, too, until dask moves it to disk; full ones stop.
    kept = min(n_bytes, int(_SPILLED * has))
    if kept + _PROCESS > _PAUSED * has:
        least = min((n_bytes + _PROCESS) / _PAUSED, _PROCESS / (_PAUSED - _SPILLED))
        raise ValueError(
            f"a worker has {has / 1e9:.3g} GB, but to compare columns of {n_bytes / 1e9:.3g} GB "
            f"without the matrix each needs {least / 1e9:.3g} GB: start workers with more memory, "
            "or select among fewer columns"
        )
    return has // (5 * most_worker_threads())


def _check_measure(measure: Measure) -> None:
    """Refuse a measure that no product gives."""
    if measure.products is None:
        known = [name for name, other in registered("similarity").items() if other.products]  # type: ignore[attr-defined]
        raise ValueError(
            f"similarity is {measure.name!r}, which needs X in memory: pass X.compute(), or "
            f"for a dask table use one of {', '.join(map(repr, known))}"
        )


def _too_large(table: Any) -> str:
    """The beginning of a sentence."""
    needed = table.shape[1] ** 2 * table.dtype.itemsize * _MATRICES
    return (
        f"the similarity of {table.shape[1]} columns takes {needed / 1e9:.3g} GB on the client"
    )
