"""The one place that decides how a table is compared: matrix, blocks without it, or workers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.engines.alike_pairs import pairs_from
from topofs.engines.compared_columns import ComparedColumns
from topofs.engines.dask_engine import DaskEngine
from topofs.engines.dask_table import is_dask
from topofs.engines.device_engine import DeviceEngine, DeviceProducts
from topofs.engines.numpy_engine import NumpyEngine
from topofs.engines.strongest_links import StrongestLinks, room_for_links
from topofs.filtering.matrix_free import TooLittleMemoryError
from topofs.graph import FilteredGraph
from topofs.kernels.matrix_scan import row_sums
from topofs.network import Needs, Network
from topofs.row_threads import at_once
from topofs.similarity.operator import MatrixOperator
from topofs.similarity.shared_variance import (
    check_shared_variance,
    leave_out_chance,
    whole_weights,
)
from topofs.similarity.standard_columns import ColumnsOnWorkers
from topofs.similarity.table import has_missing
from topofs.similarity.threshold import threshold_links_in_place, threshold_mean_in_place
from topofs.similarity.value_order import places
from topofs.similarity_matrix import SimilarityMatrix, sum_and_peak
from topofs.terms import registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.engines.device_arrays import DeviceArrays
    from topofs.filtering.family import Graph
    from topofs.similarity.measure import Measure
    from topofs.similarity.operator import SimilarityOperator
    from topofs.similarity.standard_columns import StandardColumns

__all__ = ["build_network", "compare_columns", "graph_from_columns"]

Matrix = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]

_MEAN, _LINKS = "mean", "links"


def compare_columns(
    table: Any,
    measure: Measure,
    *,
    memory: int,
    needs: Needs | None = None,
    arrays: DeviceArrays | None = None,
    nodes: Ints | None = None,
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
    needs : Needs, optional
        What will be asked for: where it is columns, workers give plain correlations.
    arrays : DeviceArrays, optional
        The device that is to multiply.
    nodes : array of int, optional
        The columns that are compared, where they are not all.

    Returns
    -------
    ComparedColumns
    """
    if is_dask(table):
        workers = DaskEngine(memory)
        if needs is not None and not workers.holds_similarity(table):
            here, constant, beside = workers.columns(table, measure)
            return ComparedColumns(measure, beside, here, here.shape[1], constant=constant)
        plain = needs is not None and needs.columns
        found = workers.similarity(table, measure.correlation if plain else measure)
        return ComparedColumns(
            measure,
            workers,
            table,
            n_features=len(found.values),
            on_workers=found.values,
            constant=found.constant,
            spans=found.spans,
        )
    engine = NumpyEngine(memory) if arrays is None else DeviceEngine(memory, arrays)
    if nodes is not None and len(nodes) < table.shape[1]:
        if sparse.issparse(table) and measure.products is not None:
            # The prepared columns are selected: a copy of the table would be another.
            return ComparedColumns(measure, engine, table, len(nodes), nodes=nodes)
        table = table[:, nodes]
    return ComparedColumns(measure, engine, table, n_features=table.shape[1])


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
        Which similarities count as 0: in the graph those below the mean of all; in the graph
        and as links those below the mean off the diagonal; or none.

    Returns
    -------
    Network
    """
    if needs.columns:
        return _network_of_columns(columns, needs)
    scale = columns.measure.scale(
        columns.operator, n_samples=columns.table.shape[0], n_features=columns.n_features
    )
    order = columns.order() if needs.by_values else None
    whole = Network(
        _no_links(columns),
        scale,
        operator=columns.operator,
        place=None if order is None else places(order),
    )
    too_large = _matrix_is_too_large(columns, needs)
    by_products = graph.without_matrix and columns.by_products
    needs_graph = needs.graph or needs.all_pairs
    if not needs_graph and (needs.strongest is None or (too_large and not by_products)):
        return _without_graph(whole, columns, needs, order)
    by_device = isinstance(columns.engine, DeviceEngine) and by_products and not needs.all_pairs
    if not (too_large or by_device):
        return _with_matrix(whole, columns, graph, needs=needs, cut=cut, order=order)
    try:
        return _without_matrix(whole, columns, graph, needs=needs, cut=cut, order=order)
    except TooLittleMemoryError:
        if needs_graph:
            raise
        return _without_graph(whole, columns, needs, order)


def _without_graph(
    whole: Network, columns: ComparedColumns, needs: Needs, order: Ints | None
) -> Network:
    """Add what is asked for where no graph is, or none can be had."""
    similarity: Any = columns.operator or MatrixOperator(columns.on_workers)  # type: ignore[arg-type]
    whole = replace(whole, pairs=_pairs(columns, similarity, needs))
    links = _strongest(whole, columns, needs, order)
    if links is None:
        return whole
    whole = replace(whole, graph_left_out=True)
    if links.rises and columns.by_products:
        links.from_products(columns.engine.products(similarity, links.order))
    else:
        links.from_blocks(similarity)
    return replace(whole, links=links.links, strength=links.strength)


def _strongest(
    whole: Network, columns: ComparedColumns, needs: Needs, order: Ints | None
) -> StrongestLinks | None:
    """Who finds the strongest links, where they are asked for."""
    if needs.strongest is None:
        return None
    assert whole.scale is not None
    order = np.arange(columns.n_features) if order is None else order
    return StrongestLinks(needs.strongest, whole.scale, order, columns.engine.memory)


def _with_matrix(
    whole: Network,
    columns: ComparedColumns,
    graph: Graph,
    *,
    needs: Needs,
    cut: str | None,
    order: Ints | None,
) -> Network:
    """Add the graph, and the shares of all pairs or the strongest where they are asked for."""
    links = _strongest(whole, columns, needs, order)
    similarity = columns.matrix(order)
    if needs.scale and not columns.measure.knows_chance:
        check_shared_variance(similarity)
    pairs = _pairs(columns, MatrixOperator(similarity), needs)
    if pairs is not None and order is not None:
        pairs = _in_order(pairs, order)
    if cut == _LINKS:
        threshold_links_in_place(similarity)
    # Before the graph is shown less of the matrix.
    join = None if links is None else links.from_matrix(similarity)
    if needs.all_pairs and whole.scale:
        shares = whole_weights(similarity, whole.scale, order)
        sums = np.empty(len(similarity))
        row_sums(similarity, 0, len(sums), sums)
        strength = sums if order is None else sums[places(order)]
        whole = replace(whole, shares=shares, strength=strength)
    if graph.leaves_out_chance and whole.scale is not None:
        leave_out_chance(similarity, whole.scale, order)
    matrix = SimilarityMatrix(similarity, _cut(similarity, cut), labels=None)
    if links is None or join is None:
        built = graph.build(matrix)
    else:
        # What a graph does with all cores first is done before anything beside it holds them up.
        _, built = at_once(join, graph.begin(matrix))
        whole = replace(whole, links=links.links, strength=links.strength)
    built = built if order is None else built.renumbered(order)
    return replace(whole, graph=built, pairs=pairs)


def _in_order(pairs: sparse.csr_array, order: Ints) -> sparse.csr_array:
    """Pairs of columns that are in an order, by their positions."""
    found = pairs.tocoo()
    ends = (order[found.row], order[found.col])
    return sparse.coo_array((found.data, ends), shape=found.shape).tocsr()


def _network_of_columns(columns: ComparedColumns, needs: Needs) -> Network:
    """The columns in their order, and no similarity but where the wishes ask for some."""
    measure, correlation = columns.measure, columns.on_workers
    given: StandardColumns | ColumnsOnWorkers
    whole, order = None, columns.order() if needs.by_values else np.arange(columns.n_features)
    if correlation is None:
        _check_room_for_levels(columns)
        given = measure.standard_columns(columns.compared_table()).in_order(order)
        if needs.pairs_from is not None:
            whole = columns.operator
    else:
        given = ColumnsOnWorkers(correlation[np.ix_(order, order)], columns.table.shape[0])
        whole = MatrixOperator(measure.of_correlation(correlation.copy()))
    pairs = _pairs(columns, whole, needs)
    memory = columns.engine.memory
    place = places(order) if needs.by_values else None
    return Network(
        _no_links(columns), None, pairs=pairs, columns=given, memory=memory, place=place
    )


def _check_room_for_levels(columns: ComparedColumns) -> None:
    """Refuse names whose levels, a row each and two copies of it, do not fit into memory."""
    table, memory = columns.compared_table(), columns.engine.memory
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


def _no_links(columns: ComparedColumns) -> FilteredGraph:
    return FilteredGraph(columns.n_features, np.empty((0, 2), np.int64), np.empty(0))


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
    if needs.strongest is not None:
        matrices += room_for_links(n, needs.strongest) / (n * n * itemsize)
    return not columns.engine.holds_matrix(n, itemsize, matrices=matrices)


def _cut(similarity: Matrix, cut: str | None) -> float:
    """Set what counts as 0 in the graph to 0, in place; give the mean of what is left."""
    if cut == _MEAN:
        return threshold_mean_in_place(similarity)
    return sum_and_peak(similarity)[0] / similarity.size


def _without_matrix(
    whole: Network,
    columns: ComparedColumns,
    graph: Graph,
    *,
    needs: Needs,
    cut: str | None,
    order: Ints | None,
) -> Network:
    """Add the graph, and the strongest links where they are asked for."""
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
            f"{too_large}the rule needs it whole: use rule 'coverage' with reach 'strongest' or "
            f"'paths'{advice}"
        )
    if columns.measure.products is None:
        able = _names("similarity", "products")
        raise ValueError(
            f"{too_large}{columns.measure.name!r} needs it whole: use one of {able}{advice}"
        )
    links = _strongest(whole, columns, needs, order)
    built = graph_from_columns(columns, graph, threshold=cut == _MEAN, order=order, links=links)
    whole = replace(whole, graph=built, pairs=_pairs(columns, columns.operator, needs))
    if links is None:
        return whole
    if links.links is None:
        links.from_blocks(columns.operator)  # type: ignore[arg-type]
    return replace(whole, links=links.links, strength=links.strength)


def graph_from_columns(
    columns: ComparedColumns,
    graph: Graph,
    *,
    threshold: bool,
    order: Ints | None = None,
    progress: Callable[[int, int], None] | None = None,
    links: StrongestLinks | None = None,
) -> FilteredGraph:
    """Build a graph from products of columns in memory, never from the matrix.

    `order` is that in which equal similarities are taken, by default the columns' own; `links`
    finds the strongest in the same pass and order; a device tells `progress` what is done, and
    of what.
    """
    table = columns.table
    if sparse.issparse(table) or has_missing(table):
        raise ValueError(
            "without the matrix the table must be dense and complete, but X "
            + ("is sparse" if sparse.issparse(table) else "has missing values")
            + ": fill them in (sklearn.impute), select among fewer columns, or allow more memory"
        )
    operator: Any = columns.operator
    products = columns.engine.products(operator, order)
    if isinstance(products, DeviceProducts):
        products.progress = progress
    if links is not None and links.rises:
        links.watch(products)
    memory = columns.engine.memory - (0 if links is None else links.kept)
    built = graph.build_without_matrix(products, threshold=threshold, memory=memory)
    return built if order is None else built.renumbered(order)


def _names(kind: str, capability: str) -> str:
    able = [name for name, term in registered(kind).items() if getattr(term, capability)]
    return ", ".join(map(repr, able))
