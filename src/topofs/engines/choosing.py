"""The one place that decides how a table is compared: matrix, blocks without it, or workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.engines.alike_pairs import pairs_from
from topofs.engines.dask_engine import DaskEngine
from topofs.engines.dask_table import is_dask
from topofs.engines.device_engine import DeviceEngine, DeviceProducts
from topofs.engines.numpy_engine import NumpyEngine
from topofs.graph import FilteredGraph
from topofs.network import Needs, Network
from topofs.similarity.operator import MatrixOperator
from topofs.similarity.shared_variance import check_shared_variance, whole_weights
from topofs.similarity.threshold import threshold_links_in_place, threshold_mean_in_place
from topofs.similarity_matrix import SimilarityMatrix, sum_and_peak
from topofs.terms import registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.engines.device_arrays import DeviceArrays
    from topofs.filtering.family import Graph
    from topofs.similarity.measure import Measure
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["ComparedColumns", "build_network", "compare_columns", "graph_from_columns"]

Matrix = npt.NDArray[np.floating[Any]]

_MEAN, _LINKS = "mean", "links"


@dataclass(frozen=True, eq=False)
class ComparedColumns:
    """Columns that are ready to be compared, or were compared on workers.

    Attributes
    ----------
    measure : Measure
        By what.
    engine : NumpyEngine, DeviceEngine or DaskEngine
        Where.
    table : array, sparse matrix, TypedTable or dask.array.Array
        The columns.
    n_features : int
        How many of them are compared.
    operator : SimilarityOperator or None
        The similarity of any block; None where it was computed on workers.
    on_workers : array or None
        The finished similarity that workers gave.
    constant : array of bool or None
        The columns that workers found to be constant; they are left out.
    """

    measure: Measure
    engine: NumpyEngine | DeviceEngine | DaskEngine
    table: Any
    n_features: int
    operator: SimilarityOperator | None = None
    on_workers: Matrix | None = None
    constant: npt.NDArray[np.bool_] | None = None

    def matrix(self) -> Matrix:
        """Compute the whole similarity; what workers gave is handed over, once."""
        if self.on_workers is not None:
            return self.on_workers
        assert not isinstance(self.engine, DaskEngine)
        assert self.operator is not None
        return self.engine.matrix(self.operator)


def compare_columns(
    table: Any, measure: Measure, *, memory: int, arrays: DeviceArrays | None = None
) -> ComparedColumns:
    """Prepare the columns of a table, where they lie.

    Parameters
    ----------
    table : array, sparse matrix, TypedTable or dask.array.Array
        Checked. In memory every column varies.
    measure : Measure
        How columns are compared.
    memory : int
        Bytes that may be used.
    arrays : DeviceArrays, optional
        The device that is to multiply.

    Returns
    -------
    ComparedColumns
    """
    if is_dask(table):
        engine = DaskEngine(memory)
        found = engine.similarity(table, measure)
        return ComparedColumns(
            measure,
            engine,
            table,
            n_features=len(found.values),
            on_workers=found.values,
            constant=found.constant,
        )
    operator = measure.operator(table)
    return ComparedColumns(
        measure,
        NumpyEngine(memory) if arrays is None else DeviceEngine(memory, arrays),
        table,
        n_features=operator.n_features,
        operator=operator,
    )


def build_network(
    columns: ComparedColumns, graph: Graph, *, needs: Needs, cut: str | None
) -> Network:
    """Build what a rule ranks by, with the matrix of similarities or without it.

    Parameters
    ----------
    columns : ComparedColumns
        The columns.
    graph : Graph
        The family of the filtered graph.
    needs : Needs
        What the rule asks for.
    cut : {"mean", "links"} or None
        Which similarities count as 0 before filtering: those below the mean of all, those
        below the mean off the diagonal, or none.

    Returns
    -------
    Network
    """
    scale = columns.measure.scale(
        columns.operator, n_samples=columns.table.shape[0], n_features=columns.n_features
    )
    if not needs.graph and not needs.all_pairs:
        bare = FilteredGraph(columns.n_features, np.empty((0, 2), np.int64), np.empty(0))
        whole = None if columns.on_workers is None else MatrixOperator(columns.on_workers)
        pairs = _pairs(columns, columns.operator or whole, needs)
        return Network(bare, scale, operator=columns.operator, pairs=pairs)
    if _matrix_is_too_large(columns, needs) or _device_can(columns, graph, needs):
        built = _without_matrix(columns, graph, needs=needs, cut=cut)
        pairs = _pairs(columns, columns.operator, needs)
        return Network(built, scale, operator=columns.operator, pairs=pairs)
    similarity = columns.matrix()
    if needs.scale and not columns.measure.knows_chance:
        check_shared_variance(similarity)
    shares = whole_weights(similarity, scale) if needs.all_pairs and scale else None
    pairs = _pairs(columns, MatrixOperator(similarity), needs)
    built = graph.build(SimilarityMatrix(similarity, _cut(similarity, cut), labels=None))
    return Network(built, scale, shares, columns.operator, pairs)


def _pairs(
    columns: ComparedColumns, similarity: SimilarityOperator | None, needs: Needs
) -> sparse.csr_array | None:
    """The pairs that reach a level, where they are asked for."""
    if needs.pairs_from is None or similarity is None:
        return None
    return pairs_from(
        similarity,
        needs.pairs_from,
        memory=columns.engine.memory,
        strict=not needs.pairs_of_shares,
        change=columns.measure.share_of if needs.pairs_of_shares else None,
    )


def _matrix_is_too_large(columns: ComparedColumns, needs: Needs) -> bool:
    operator = columns.operator
    if operator is None or isinstance(operator, MatrixOperator):
        return False  # it is there already
    # The matrix, and a block of rows while it is filled; the shares of all pairs are another.
    matrices = 2.2 if needs.all_pairs else 1.2
    n, itemsize = operator.n_features, operator.dtype.itemsize
    return not columns.engine.holds_matrix(n, itemsize, matrices=matrices)


def _device_can(columns: ComparedColumns, graph: Graph, needs: Needs) -> bool:
    """Whether there is a device, and it can do without the matrix."""
    return (
        isinstance(columns.engine, DeviceEngine)
        and graph.without_matrix
        and not needs.all_pairs
        and columns.measure.products is not None
        and not _has_gaps(columns.table)
    )


def _has_gaps(table: Any) -> bool:
    return sparse.issparse(table) or bool(np.isnan(table).any())


def _cut(similarity: Matrix, cut: str | None) -> float:
    """Set what counts as no link to 0, in place; give the mean of what is left."""
    if cut == _LINKS:
        return threshold_links_in_place(similarity)
    if cut == _MEAN:
        return threshold_mean_in_place(similarity)
    return sum_and_peak(similarity)[0] / similarity.size


def _without_matrix(
    columns: ComparedColumns, graph: Graph, *, needs: Needs, cut: str | None
) -> FilteredGraph:
    assert not isinstance(columns.engine, DaskEngine)
    memory = columns.engine.memory
    too_large = (
        f"the similarity of {columns.n_features} columns does not fit into memory "
        f"({memory / 1e9:.3g} GB), and "
    )
    advice = ", allow more memory, or select among fewer columns"
    if not graph.without_matrix:
        able = _names("graph", "without_matrix")
        raise ValueError(f"{too_large}graph {graph.name!r} needs it whole: use {able}{advice}")
    if needs.all_pairs:
        raise ValueError(
            f"{too_large}the rule needs it whole: use rule 'coverage' with reach 'paths'{advice}"
        )
    if columns.measure.products is None:
        able = _names("similarity", "products")
        raise ValueError(
            f"{too_large}{columns.measure.name!r} needs it whole: use one of {able}{advice}"
        )
    return graph_from_columns(columns, graph, threshold=cut == _MEAN)


def graph_from_columns(
    columns: ComparedColumns,
    graph: Graph,
    *,
    threshold: bool,
    progress: Callable[[int, int], None] | None = None,
) -> FilteredGraph:
    """Build a graph from products of columns, never from the matrix.

    Parameters
    ----------
    columns : ComparedColumns
        In memory, compared by a measure that products of columns give.
    graph : Graph
        One that can be built so.
    threshold : bool
        Whether similarities below the mean of all count as 0.
    progress : callable, optional
        Called by a device with what is done and what is to be done.

    Returns
    -------
    FilteredGraph
    """
    assert not isinstance(columns.engine, DaskEngine)
    table = columns.table
    if _has_gaps(table):
        raise ValueError(
            "without the matrix the table must be dense and complete, but X "
            + ("is sparse" if sparse.issparse(table) else "has missing values")
            + ": fill them in (sklearn.impute), select among fewer columns, or allow more memory"
        )
    products = columns.engine.products(columns.operator)  # type: ignore[arg-type]
    if isinstance(products, DeviceProducts):
        products.progress = progress
    return graph.build_without_matrix(
        products, threshold=threshold, memory=columns.engine.memory
    )


def _names(kind: str, capability: str) -> str:
    able = [name for name, term in registered(kind).items() if getattr(term, capability)]
    return ", ".join(map(repr, able))
