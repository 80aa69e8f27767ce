"""`ComparedColumns`: columns that are ready to be compared, and where that is done.

Pairs of columns that are alike: found block by block, kept as a sparse matrix.

The one place that decides how a table is compared: matrix, blocks without it, or workers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.backends.base import NumpyEngine
from topofs.backends.dask_order import order_on_workers
from topofs.backends.dask_table import is_dask
from topofs.backends.top_k_neighbors import NeighborSearch, all_links, room_for_links
from topofs.graphs.links import Links
from topofs.network import Needs, Network
from topofs.similarity.column_order import matrix_order, permute_in_place, places, value_order
from topofs.similarity.operator import MatrixOperator
from topofs.similarity.scale import (
    check_shared_variance,
    leave_out_chance,
    threshold_links_in_place,
    threshold_mean_in_place,
)
from topofs.similarity.sparse import SparseCorrelation
from topofs.similarity.standard_columns import ColumnsOnWorkers
from topofs.similarity.table import has_missing
from topofs.similarity_matrix import SimilarityMatrix, sum_and_peak
from topofs.terms import registered

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.backends.base import Engine
    from topofs.backends.device_arrays import DeviceArrays
    from topofs.graphs.base import Graph
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity.base import Measure
    from topofs.similarity.operator import SimilarityOperator
    from topofs.similarity.standard_columns import StandardColumns


__all__ = [
    "ComparedColumns",
    "build_network",
    "compare_columns",
    "graph_from_columns",
    "pairs_from",
]


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


_ROWS = 256


_BYTES = 24


"""What a pair takes while all are put together: two positions and a value."""


def pairs_from(
    similarity: SimilarityOperator,
    level: float,
    *,
    memory: int,
    strict: bool = False,
    change: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None,
) -> sparse.csr_array:
    """A symmetric matrix of the pairs whose similarity, changed first, reaches a level."""
    n = similarity.n_features
    left: list[npt.NDArray[np.int64]] = []
    right: list[npt.NDArray[np.int64]] = []
    values: list[npt.NDArray[Any]] = []
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
        if 2 * n_pairs * _BYTES > memory:
            raise ValueError(
                f"more than {n_pairs:,} pairs of the {n:,} columns have a similarity of "
                f"{level:g} or more, which do not fit into memory ({memory / 1e9:.3g} GB): ask "
                "for a higher similarity, or allow more memory"
            )
        left.append(i + start)
        right.append(j)
        values.append(block[i, j].astype(np.float64))
    rows, columns = np.concatenate(left), np.concatenate(right)
    both = (np.concatenate([rows, columns]), np.concatenate([columns, rows]))
    found = np.concatenate(values)
    return sparse.coo_array((np.concatenate([found, found]), both), shape=(n, n)).tocsr()


_MEAN, _LINKS = "mean", "links"


_TOO_LARGE = "the similarity of {} columns does not fit into memory ({:.3g} GB), "


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
        from topofs.backends.dask import DaskEngine

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
    engine = _engine(memory, arrays)
    if nodes is not None and len(nodes) < table.shape[1]:
        if sparse.issparse(table) and measure.products is not None:
            # The prepared columns are selected: a copy of the table would be another.
            return ComparedColumns(measure, engine, table, len(nodes), nodes=nodes)
        table = table[:, nodes]
    return ComparedColumns(measure, engine, table, n_features=table.shape[1])


def _engine(memory: int, arrays: DeviceArrays | None) -> Engine:
    if arrays is None:
        return NumpyEngine(memory)
    from topofs.backends.device import DeviceEngine

    return DeviceEngine(memory, arrays)


def build_network(
    columns: ComparedColumns, graph: Graph | None, *, needs: Needs, cut: str | None
) -> Network:
    """Build what a rule ranks by, with the matrix of similarities or without it.

    Parameters
    ----------
    columns : ComparedColumns
        The columns.
    graph : Graph or None
        The family of the graph; None where the rule ranks without one.
    needs : Needs
        What the rule asks for.
    cut : {"mean", "links"} or None
        Which similarities count as 0: those below the mean of all; those below the mean off
        the diagonal; or none.

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
        columns.n_features,
        scale=scale,
        operator=columns.operator,
        place=None if order is None else places(order),
    )
    if graph is None:
        similarity: Any = columns.operator or MatrixOperator(columns.on_workers)  # type: ignore[arg-type]
        return replace(whole, pairs=_pairs(columns, similarity, needs))
    whole = replace(whole, reach=graph.default_reach)
    if isinstance(graph, Links):
        return _with_links(whole, columns, graph, needs=needs, cut=cut, order=order)
    by_device = columns.engine.on_device and columns.by_products
    if _matrix_is_too_large(columns) or (by_device and graph.without_matrix):
        return _without_matrix(whole, columns, graph, needs=needs, cut=cut, order=order)
    return _with_matrix(whole, columns, graph, needs=needs, cut=cut, order=order)


def _with_links(
    whole: Network,
    columns: ComparedColumns,
    graph: Links,
    *,
    needs: Needs,
    cut: str | None,
    order: Ints | None,
) -> Network:
    """Add the strongest links: from the matrix where it fits, else from products or blocks."""
    engine, operator, scale = columns.engine, columns.operator, whole.scale
    assert scale is not None
    in_order = np.arange(columns.n_features) if order is None else order
    too_large = _matrix_is_too_large(columns, graph)
    if graph.strongest is None and too_large:
        raise ValueError(
            f"{_TOO_LARGE.format(columns.n_features, engine.memory / 1e9)}and graph "
            f"{graph!r} holds all pairs: give a number of links, as Links(strongest=128), allow "
            "more memory, or select among fewer columns"
        )
    finder = None
    if graph.strongest is not None:
        finder = NeighborSearch(
            graph.strongest, scale, in_order, engine.memory, above_mean=cut == _MEAN
        )
        if (engine.on_device or too_large) and columns.by_products and finder.rises:
            products = engine.products(operator, in_order)  # type: ignore[arg-type]
            found = finder.from_products(products, operator)  # type: ignore[arg-type]
            return replace(whole, graph=found, pairs=_pairs(columns, operator, needs))
        if too_large:
            found = finder.from_blocks(operator)  # type: ignore[arg-type]
            return replace(whole, graph=found, pairs=_pairs(columns, operator, needs))
    similarity, pairs = _matrix_and_pairs(columns, needs, order, shares=True)
    if cut == _LINKS:
        threshold_links_in_place(similarity)
    if finder is None:
        found = all_links(similarity, scale, in_order, above_mean=cut == _MEAN)
        return replace(whole, graph=found, pairs=pairs)
    # A matrix that the user gave may be changed later on: its copy is kept.
    computed = None if cut == _LINKS or isinstance(operator, MatrixOperator) else operator
    return replace(whole, graph=finder.from_matrix(similarity, computed), pairs=pairs)


def _matrix_and_pairs(
    columns: ComparedColumns, needs: Needs, order: Ints | None, *, shares: bool
) -> tuple[Matrix, sparse.csr_array | None]:
    """The whole similarity in the order, checked; and the pairs that are asked for.

    `shares` says whether a given similarity must be shared variance.
    """
    similarity = columns.matrix(order)
    if shares and not columns.measure.knows_chance:
        check_shared_variance(similarity)
    pairs = _pairs(columns, MatrixOperator(similarity), needs)
    if pairs is not None and order is not None:
        pairs = _in_order(pairs, order)
    return similarity, pairs


def _with_matrix(
    whole: Network,
    columns: ComparedColumns,
    graph: Graph,
    *,
    needs: Needs,
    cut: str | None,
    order: Ints | None,
) -> Network:
    """Add the graph, from the matrix."""
    similarity, pairs = _matrix_and_pairs(columns, needs, order, shares=needs.scale)
    if cut == _LINKS:
        threshold_links_in_place(similarity)
    if graph.leaves_out_chance and whole.scale is not None:
        leave_out_chance(similarity, whole.scale, order)
    built = graph.build(SimilarityMatrix(similarity, _cut(similarity, cut), labels=None))
    built = built if order is None else built.renumbered(order)
    return replace(whole, graph=built, pairs=pairs)


def _in_order(pairs: sparse.csr_array, order: Ints) -> sparse.csr_array:
    """Pairs of columns that are in an order, by their positions."""
    found = pairs.tocoo()
    ends = (order[found.row], order[found.col])
    return sparse.coo_array((found.data, ends), shape=found.shape).tocsr()


def _network_of_columns(columns: ComparedColumns, needs: Needs) -> Network:
    """The columns in their order, and no similarity but where the constraints ask for some."""
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
    return Network(columns.n_features, pairs=pairs, columns=given, memory=memory, place=place)


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


def _matrix_is_too_large(columns: ComparedColumns, links: Links | None = None) -> bool:
    operator = columns.operator
    if operator is None or isinstance(operator, MatrixOperator):
        return False  # it is there already
    # The matrix, and a block of rows while it is filled; the shares of all pairs are another.
    n, itemsize, matrices = operator.n_features, operator.dtype.itemsize, 1.2
    if links is not None and links.strongest is None:
        matrices += 8 / itemsize
    elif links is not None and links.strongest is not None:
        matrices += room_for_links(n, links.strongest) / (n * n * itemsize)
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
    """Add the graph, from products of columns."""
    too_large = _TOO_LARGE.format(columns.n_features, columns.engine.memory / 1e9)
    advice = ", allow more memory, or select among fewer columns"
    if not graph.without_matrix:
        able = _names("graph", "without_matrix")
        raise ValueError(
            f"{too_large}and graph {graph.name!r} needs it whole: use {able}{advice}"
        )
    if columns.measure.products is None:
        able = _names("similarity", "products")
        raise ValueError(
            f"{too_large}and {columns.measure.name!r} needs it whole: use one of {able}{advice}"
        )
    built = graph_from_columns(columns, graph, threshold=cut == _MEAN, order=order)
    return replace(whole, graph=built, pairs=_pairs(columns, columns.operator, needs))


def graph_from_columns(
    columns: ComparedColumns,
    graph: Graph,
    *,
    threshold: bool,
    order: Ints | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> FilteredGraph:
    """Build a graph from products of columns in memory, never from the matrix.

    `order` is that in which equal similarities are taken, by default the columns' own; a device
    tells `progress` what is done, and of what.
    """
    table = columns.table
    if sparse.issparse(table) or has_missing(table):
        raise ValueError(
            "without the matrix the table must be dense and complete, but X "
            + ("is sparse" if sparse.issparse(table) else "has missing values")
            + ": fill them in (sklearn.impute), select among fewer columns, or allow more memory"
        )
    operator: Any = columns.operator
    products: Any = columns.engine.products(operator, order)
    if columns.engine.on_device:
        products.progress = progress
    memory = columns.engine.memory
    built = graph.build_without_matrix(products, threshold=threshold, memory=memory)
    return built if order is None else built.renumbered(order)


def _names(kind: str, capability: str) -> str:
    able = [name for name, term in registered(kind).items() if getattr(term, capability)]
    return ", ".join(map(repr, able))
