"""Dispatch between `fit` and the first product: where and how columns are compared.

`columns_to_compare` decides where: on dask workers for a dask table, otherwise on the host or
on a device. `build_network` builds the network that a rule ranks by: from the matrix of
similarities if it fits into memory, otherwise from products or blocks, one after the other. The
answers do not depend on these decisions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import use_numpy
from topofs.backends.dask_table import is_dask
from topofs.backends.top_k_neighbors import NeighborSearch, all_links, room_for_links
from topofs.graphs.links import Links
from topofs.network import Needs, Network
from topofs.similarity.base import MatrixOperator, dense
from topofs.similarity.column_order import (
    inverse_permutation,
    matrix_order,
    move_rows,
    value_order,
)
from topofs.similarity.noise_floor import check_shared_variance, leave_out_chance
from topofs.similarity.sparse import SparseCorrelation
from topofs.similarity.standard_columns import KnownCovariance
from topofs.similarity.streamed import StreamedTable
from topofs.similarity_matrix import (
    SimilarityMatrix,
    sum_and_peak,
    threshold_links_in_place,
    threshold_mean_in_place,
)
from topofs.terms import registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.backends.dask_similarity import PreparedBlocks
    from topofs.backends.device_arrays import DeviceArrays
    from topofs.graphs.base import Graph
    from topofs.graphs.filtered_graph import FilteredGraph, LinkGraph
    from topofs.graphs.products import Products
    from topofs.similarity.base import Measure, SimilarityOperator
    from topofs.similarity.standard_columns import StandardColumns
    from topofs.typing import Bools, Doubles, Floats, Ints

__all__ = ["ColumnsToCompare", "build_network", "columns_to_compare", "graph_from_columns"]

# Similarities that are set to 0 in a graph: those below the mean of all, or below the mean off
# the diagonal.
_MEAN, _LINKS = "mean", "links"
# The matrix, and a block of rows while it is filled.
_MATRICES = 1.2
# Rows of a similarity searched for pairs at a time, and bytes of a pair while pairs are joined:
# two positions and a value.
_ROWS, _PAIR_BYTES = 256, 24


@dataclass(frozen=True, eq=False)
class ColumnsToCompare:
    """The columns to compare, and the results computed so far.

    Properties and methods compute results on demand. `memory` is the number of bytes that may
    be used. `arrays` is the device that multiplies, if any. `nodes` are the columns of a sparse
    table that take part; the table is not copied to leave out the others.

    A dask table has two forms. If its matrix fits, workers have computed it: `on_workers` is
    the matrix, and `spans` are the ranges of the columns, which determine their order. If not,
    `table` holds the columns here, and `workers` holds them there. If values are missing, `table`
    holds the moments, and `chunks` is the dask table. `constant` marks the columns that the
    workers left out.
    """

    measure: Measure
    table: Any
    n_features: int
    memory: int
    arrays: DeviceArrays | None = None
    nodes: Ints | None = None
    constant: Bools | None = None
    workers: PreparedBlocks | None = None
    on_workers: Floats | None = None
    spans: Doubles | None = None
    chunks: Any = None

    @cached_property
    def operator(self) -> Any:
        """The similarity of any block; None where it was computed on workers."""
        if self.on_workers is not None:
            return None
        operator: Any = self.measure.operator(self.table)
        return operator if self.nodes is None else operator.select(self.nodes)

    @property
    def by_products(self) -> bool:
        """Whether products of prepared columns give every entry (dense, complete tables)."""
        return self.measure.products is not None and hasattr(self.operator, "column_weights")

    def products(self, order: Ints | None = None) -> Products:
        """Rows, sums and strongest links of a similarity, without its matrix."""
        operator = self.operator if order is None else self.operator.select(order)
        if self.workers is not None:
            from topofs.backends.dask import WorkerProducts

            return WorkerProducts(operator, self.workers, order)
        if self.arrays is not None:
            from topofs.backends.device import DeviceProducts

            return DeviceProducts(operator, self.arrays)
        from topofs.graphs.products import BlockedProducts

        return BlockedProducts(operator)

    def matrix(self, order: Ints | None = None) -> Floats:
        """Compute the similarity matrix in an order; a matrix from workers is handed over once.

        It is always computed on the host, so that its bits do not depend on the device.
        """
        if order is not None and (
            isinstance(self.operator, SparseCorrelation)
            # Moving columns is cheaper than moving their similarities.
            or (self.by_products and self.n_features > self.table.shape[0])
        ):
            return dense(self.operator.select(order))
        matrix = dense(self.operator) if self.on_workers is None else self.on_workers
        if order is not None:
            move_rows(matrix, order, columns=order)
        return matrix

    def matrix_is_too_large(self, links: Links | None = None) -> bool:
        """Whether the matrix and the links beside it do not fit into memory."""
        if self.operator is None or isinstance(self.operator, MatrixOperator):
            return False  # it is in memory already
        n, itemsize = self.n_features, self.operator.dtype.itemsize
        needed = _MATRICES * n * n * itemsize
        if links is not None:
            # All shares need a second matrix.
            strongest = links.strongest
            needed += 8 * n * n if strongest is None else room_for_links(n, strongest)
        return bool(needed > self.memory)

    def compared_table(self) -> Any:
        """Only the columns that are compared."""
        return self.table if self.nodes is None else self.table[:, self.nodes]

    def order(self) -> Ints:
        """An order of the columns that depends only on their values or similarities."""
        if self.on_workers is not None:
            from topofs.backends.dask import order_on_workers

            return order_on_workers(self.table, ~self.constant, self.spans)  # type: ignore[operator, arg-type]
        if self.chunks is not None:
            from topofs.backends.dask import order_on_workers

            return order_on_workers(self.chunks, ~self.constant, self.spans)  # type: ignore[operator, arg-type]
        if isinstance(self.table, StreamedTable):
            return self.table.value_order(self.operator)
        # Columns with values are not compared for it.
        if not self.measure.has_columns and isinstance(self.operator, MatrixOperator):
            return matrix_order(self.operator.values)
        return value_order(self.compared_table())

    def pairs(self, similarity: Any, needs: Needs) -> sparse.csr_array | None:
        """The pairs whose similarity, or share, reaches a level, if they are needed."""
        if needs.pairs_from is None or similarity is None:
            return None
        change = self.measure.share_of if needs.pairs_of_shares else None
        return _pairs_from(
            similarity,
            needs.pairs_from,
            memory=self.memory,
            strict=not needs.pairs_of_shares,
            change=change,
        )


def columns_to_compare(
    table: Any,
    measure: Measure,
    *,
    memory: int,
    needs: Needs | None = None,
    arrays: DeviceArrays | None = None,
    nodes: Ints | None = None,
) -> ColumnsToCompare:
    """Collect what is needed to compare the columns of a table.

    Columns in memory are prepared later, when `build_network` asks for their operator. Workers
    compare the columns of a dask table now.

    Parameters
    ----------
    table : array, sparse matrix, TypedTable or dask.array.Array
        Checked. In memory every column varies.
    measure : Measure
        How columns are compared.
    memory : int
        Bytes that may be used.
    needs : Needs, optional
        What the rule will need; if it needs columns, workers give plain correlations.
    arrays : DeviceArrays, optional
        The device that multiplies.
    nodes : array of int, optional
        The columns that are compared, if not all.

    Returns
    -------
    ColumnsToCompare
    """
    if is_dask(table):
        return _compare_on_workers(table, measure, memory, needs)
    if nodes is not None and len(nodes) < table.shape[1]:
        if sparse.issparse(table) and measure.products is not None:
            # Select among the prepared columns, to avoid a second copy of the table.
            return ColumnsToCompare(measure, table, len(nodes), memory, arrays, nodes=nodes)
        table = table[:, nodes]
    return ColumnsToCompare(measure, table, table.shape[1], memory, arrays)


def _compare_on_workers(
    table: Any, measure: Measure, memory: int, needs: Needs | None
) -> ColumnsToCompare:
    """Load the matrix of a dask table, or its columns if the matrix is too large."""
    from topofs.backends.dask import columns_on_both_sides
    from topofs.backends.dask_similarity import dask_similarity

    if measure.products is None:
        able = _names("similarity", "products")
        raise ValueError(
            f"similarity is {measure.name!r}, which needs X in memory: pass X.compute(), or "
            f"for a dask table use one of {able}"
        )
    n = table.shape[1]
    size = _MATRICES * n * n * table.dtype.itemsize
    too_large = f"the similarity of {n} columns takes {size / 1e9:.3g} GB on the client"
    if size <= memory:
        asked = measure.correlation if needs is not None and needs.columns else measure
        found = dask_similarity(table, asked)
        if found.moments is not None:
            return ColumnsToCompare(
                measure,
                StreamedTable.of_moments(found.moments, table.dtype),
                len(found.values),
                memory,
                constant=found.constant,
                spans=found.spans,
                chunks=table,
            )
        return ColumnsToCompare(
            measure,
            table,
            len(found.values),
            memory,
            constant=found.constant,
            on_workers=found.values,
            spans=found.spans,
        )
    if needs is None:
        raise ValueError(
            f"{too_large}, but memory allows {memory / 1e9:.3g} GB: allow more, or select among "
            "fewer columns"
        )
    here, prepared, left = columns_on_both_sides(table, measure, memory, too_large)
    constant = prepared.constant
    return ColumnsToCompare(
        measure, here, here.shape[1], left, constant=constant, workers=prepared
    )


def build_network(
    columns: ColumnsToCompare, graph: Graph | None, *, needs: Needs, threshold: str | None
) -> Network:
    """Build the network that a rule ranks by, with or without the matrix of similarities.

    Parameters
    ----------
    columns : ColumnsToCompare
        The columns.
    graph : Graph or None
        The family of the graph; None if the rule ranks without one.
    needs : Needs
        What the rule needs.
    threshold : {"mean", "links"} or None
        Which similarities are set to 0: those below the mean of all ("mean"), those below the
        mean off the diagonal ("links"), or none.

    Returns
    -------
    Network
    """
    if needs.columns:
        return _network_of_columns(columns, needs)
    operator = columns.operator
    scale = columns.measure.scale(
        operator, n_samples=columns.table.shape[0], n_features=columns.n_features
    )
    order = columns.order() if needs.by_values else None
    value_rank = None if order is None else inverse_permutation(order)
    network = Network(columns.n_features, scale=scale, operator=operator, value_rank=value_rank)
    if graph is None:
        similarity = operator or MatrixOperator(columns.on_workers)  # type: ignore[arg-type]
        return replace(network, pairs=columns.pairs(similarity, needs))
    network = replace(network, reach=graph.default_reach)
    search = None
    built: FilteredGraph | LinkGraph | None
    if isinstance(graph, Links):
        search = _neighbor_search(columns, graph, scale, order, above_mean=threshold == _MEAN)
        built = _links_without_matrix(columns, graph, search, needs)
    else:
        built = _graph_without_matrix(columns, graph, threshold=threshold, order=order)
    if built is not None:
        return replace(network, graph=built, pairs=columns.pairs(operator, needs))
    built, pairs = _from_matrix(
        columns, graph, search, scale, needs=needs, threshold=threshold, order=order
    )
    return replace(network, graph=built, pairs=pairs)


def _from_matrix(
    columns: ColumnsToCompare,
    graph: Graph,
    search: NeighborSearch | None,
    scale: Any,
    *,
    needs: Needs,
    threshold: str | None,
    order: Ints | None,
) -> tuple[FilteredGraph | LinkGraph, sparse.csr_array | None]:
    """The graph and the needed pairs, from the matrix in the order."""
    operator, matrix = columns.operator, columns.matrix(order)
    if not columns.measure.knows_chance and (needs.scale or isinstance(graph, Links)):
        check_shared_variance(matrix)
    pairs = columns.pairs(MatrixOperator(matrix), needs)
    if pairs is not None and order is not None:
        pairs = pairs.tocoo()
        ends = (order[pairs.row], order[pairs.col])
        pairs = sparse.coo_array((pairs.data, ends), shape=pairs.shape).tocsr()
    if threshold == _LINKS:
        threshold_links_in_place(matrix)
    if search is not None:
        # The user may change a given matrix later, so keep a copy.
        given = threshold == _LINKS or isinstance(operator, MatrixOperator)
        return search.from_matrix(matrix, None if given else operator), pairs
    if isinstance(graph, Links):
        in_order = np.arange(len(matrix)) if order is None else order
        return all_links(matrix, scale, in_order, above_mean=threshold == _MEAN), pairs
    if graph.leaves_out_chance and scale is not None:
        leave_out_chance(matrix, scale, order)
    if threshold == _MEAN:
        mean = threshold_mean_in_place(matrix)
    else:
        mean = sum_and_peak(matrix)[0] / matrix.size
    built = graph.build(SimilarityMatrix(matrix, mean, labels=None))
    return built if order is None else built.renumbered(order), pairs


def _network_of_columns(columns: ColumnsToCompare, needs: Needs) -> Network:
    """The columns in their order; similarities only where the constraints need them."""
    measure, correlation = columns.measure, columns.on_workers
    given: StandardColumns | KnownCovariance
    operator, order = (
        None,
        columns.order() if needs.by_values else np.arange(columns.n_features),
    )
    if correlation is None:
        _check_room_for_levels(columns)
        given = measure.standard_columns(columns.compared_table()).in_order(order)
        if needs.pairs_from is not None:
            operator = columns.operator
    else:
        single = correlation.dtype == np.float32
        given = KnownCovariance.of_numbers(
            correlation, columns.table.shape[0], single=single
        ).in_order(order)
        operator = MatrixOperator(measure.of_correlation(correlation.copy()))
    return Network(
        columns.n_features,
        pairs=columns.pairs(operator, needs),
        columns=given,
        memory=columns.memory,
        value_rank=inverse_permutation(order) if needs.by_values else None,
    )


def _check_room_for_levels(columns: ColumnsToCompare) -> None:
    """Refuse names whose levels do not fit into memory: a row per level, and two copies."""
    table, memory = columns.compared_table(), columns.memory
    n_samples, n_features = table.shape
    n_rows = columns.measure.n_standard_rows(table)
    needed = 2 * 8 * n_rows * n_samples
    if n_rows > n_features and needed > memory:
        raise ValueError(
            f"names count by their levels, so that {n_features} columns have {n_rows} rows, "
            f"which take {needed / 1e9:.3g} GB by this rule, but memory allows "
            f"{memory / 1e9:.3g} GB: use rule 'coverage', allow more memory, or leave columns of "
            "many names out"
        )


def _neighbor_search(
    columns: ColumnsToCompare, graph: Links, scale: Any, order: Ints | None, *, above_mean: bool
) -> NeighborSearch | None:
    """The search for the strongest links; None if the matrix gives all links."""
    assert scale is not None
    if graph.strongest is None:
        if columns.matrix_is_too_large(graph):
            raise ValueError(
                f"{_too_large(columns)}and graph {graph!r} holds all pairs: give a number of "
                "links, as Links(strongest=128), allow more memory, or select among fewer columns"
            )
        return None
    order = np.arange(columns.n_features) if order is None else order
    return NeighborSearch(graph.strongest, scale, order, columns.memory, above_mean=above_mean)


def _links_without_matrix(
    columns: ColumnsToCompare, graph: Links, search: NeighborSearch | None, needs: Needs
) -> LinkGraph | None:
    """The strongest links from products or blocks; None to use the matrix."""
    if search is None:
        return None
    too_large = columns.matrix_is_too_large(graph)
    # The matrix takes longer to fill than the lists, but pairs would need every block again.
    by_matrix = use_numpy(columns.n_features) or needs.pairs_from is not None
    if isinstance(columns.operator, SparseCorrelation) and (too_large or not by_matrix):
        return search.from_triangle(columns.operator)
    if (columns.arrays is not None or too_large) and columns.by_products and search.rises:
        return search.from_products(columns.products(search.order), columns.operator)
    return search.from_blocks(columns.operator) if too_large else None


def _graph_without_matrix(
    columns: ColumnsToCompare, graph: Graph, *, threshold: str | None, order: Ints | None
) -> FilteredGraph | None:
    """The graph from products of columns; None to use the matrix."""
    if columns.matrix_is_too_large():
        advice = ", allow more memory, or select among fewer columns"
        if not graph.without_matrix:
            able = _names("graph", "without_matrix")
            raise ValueError(
                f"{_too_large(columns)}and graph {graph.name!r} needs it whole: use {able}{advice}"
            )
        if columns.measure.products is None:
            able = _names("similarity", "products")
            raise ValueError(
                f"{_too_large(columns)}and {columns.measure.name!r} needs it whole: use one of "
                f"{able}{advice}"
            )
    elif columns.arrays is None or not columns.by_products or not graph.without_matrix:
        return None
    return graph_from_columns(columns, graph, threshold=threshold == _MEAN, order=order)


def graph_from_columns(
    columns: ColumnsToCompare,
    graph: Graph,
    *,
    threshold: bool,
    order: Ints | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> FilteredGraph:
    """Build a graph from products of columns in memory, without the matrix.

    `order` breaks ties between similarities; by default it is the order of the columns. A
    device calls `progress` with the steps done and all steps.
    """
    if not columns.by_products:
        raise ValueError(
            "without the matrix the table must be dense and complete, but X "
            + ("is sparse" if sparse.issparse(columns.table) else "has missing values")
            + ": fill them in (sklearn.impute), select among fewer columns, or allow more memory"
        )
    products: Any = columns.products(order)
    if columns.arrays is not None:
        products.progress = progress
    built = graph.build_without_matrix(products, threshold=threshold, memory=columns.memory)
    return built if order is None else built.renumbered(order)


def _pairs_from(
    similarity: SimilarityOperator,
    level: float,
    *,
    memory: int,
    strict: bool,
    change: Callable[[Floats], Floats] | None,
) -> sparse.csr_array:
    """A symmetric matrix of the pairs whose transformed similarity reaches a level."""
    n = similarity.n_features
    found: list[tuple[Ints, Ints, Doubles]] = []
    n_pairs = 0
    for start in range(0, n, _ROWS):
        stop = min(start + _ROWS, n)
        block = similarity.block(slice(start, stop), slice(0, stop))
        block = block if change is None else change(block)
        least = block.dtype.type(level)
        i, j = np.nonzero(block > least if strict else block >= least)
        below = j < i + start
        i, j = i[below], j[below]
        n_pairs += len(i)
        if 2 * n_pairs * _PAIR_BYTES > memory:
            raise ValueError(
                f"more than {n_pairs:,} pairs of the {n:,} columns have a similarity of "
                f"{level:g} or more, which do not fit into memory ({memory / 1e9:.3g} GB): ask "
                "for a higher similarity, or allow more memory"
            )
        found.append((i + start, j, block[i, j].astype(np.float64)))
    rows, columns, values = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    both = (np.concatenate([rows, columns]), np.concatenate([columns, rows]))
    return sparse.coo_array((np.concatenate([values, values]), both), shape=(n, n)).tocsr()


def _too_large(columns: ColumnsToCompare) -> str:
    """The beginning of a sentence."""
    return (
        f"the similarity of {columns.n_features} columns does not fit into memory "
        f"({columns.memory / 1e9:.3g} GB), "
    )


def _names(kind: str, capability: str) -> str:
    able = [name for name, term in registered(kind).items() if getattr(term, capability)]
    return ", ".join(map(repr, able))
