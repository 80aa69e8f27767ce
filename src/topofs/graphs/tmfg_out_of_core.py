"""The TMFG of a similarity that is never held as a matrix.

Rows of a similarity over the columns that were free lately.

Lists of strongest links that somebody proposed, with the entries that decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import numpy.typing as npt

from topofs._kernels.exact_entries import answer_from_near, edge_weights, write_lists
from topofs._kernels.tmfg_lists import answer_from_rows, grow, start_growth, wanted_vertices
from topofs._kernels.top_lists import refill_lists
from topofs.graphs.products import BatchProducts
from topofs.graphs.tmfg import complete_graph, four_strongest, graph_of_cliques
from topofs.graphs.tmfg_batched import grow_in_batches
from topofs.runtime import for_each, for_row_ranges, one_blas_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs._kernels.column_weights import ColumnWeights
    from topofs._kernels.tmfg_lists import Growth
    from topofs._kernels.top_lists import TopLists
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.graphs.products import Products, Rounding


__all__ = [
    "RowCache",
    "TooLittleMemoryError",
    "least_memory",
    "rescore_lists",
    "tmfg_of_products",
]


Block = npt.NDArray[np.floating[Any]]


Doubles = npt.NDArray[np.float64]


IntArray = npt.NDArray[np.int64]


_LONGEST_LIST = 128


_SHORTEST_LIST = 16


_MOST_ROWS = 512


# Lists filled beside those that are needed at once: a product of 64 rows costs little more.
_ROWS_AHEAD = 64


# Where somebody is asked: length of the lists; below how many products the host finds the
# threshold itself; how far sums of rows may be apart.
_LIST_BY_ASKING = 256


_PRODUCTS_OF_HOST = 10**10


_SLACK = 1e-9


class TooLittleMemoryError(ValueError):
    """The graph cannot be built in so little memory."""


def tmfg_of_products(products: Products, *, threshold: bool, memory: int) -> FilteredGraph:
    """Build the TMFG that the matrix would give, if both compute entries to the same bits.

    One pass of blocked products (two if the mean is not known beforehand) leaves the sums of
    the rows and, for each vertex, a list of its strongest links. The graph grows from the
    lists and from single entries, as in `topofs._kernels.tmfg_lists`. Whenever the free vertices
    have halved, all lists are filled again from the free columns alone: n²/2 + n²/4 + … more
    products. In between, a face that its lists do not decide gets the rows of its corners,
    together with those of other vertices that will soon want theirs.
    """
    n = products.n_features
    if n < 4:
        return _complete_graph(products, threshold=threshold)
    if isinstance(products, BatchProducts):
        return _tmfg_in_batches(products, threshold=threshold, memory=memory)
    plan = _plan(products, memory)
    # Once for all products: a BLAS that gets its threads back after each starts them anew.
    with one_blas_thread():
        survey = _survey_similarity(products, plan, threshold=threshold)
        growth = start_growth(n, survey.start, products.dtype)
        _grow_to_the_end(products, survey, growth, plan)
    return graph_of_cliques(growth.cliques, _entries(products, survey.level))


def _complete_graph(products: Products, *, threshold: bool) -> FilteredGraph:
    """The graph of up to three vertices."""
    matrix = products.rows(np.arange(products.n_features))
    if threshold:
        _, totals = products.survey(-np.inf, [], 0, _MOST_ROWS)
        matrix[matrix < _mean(totals)] = 0
    return complete_graph(matrix)


@dataclass(frozen=True)
class _Survey:
    """What the passes over the similarity leave: threshold, first tetrahedron, lists."""

    level: float
    start: IntArray
    lists: TopLists


@dataclass(frozen=True)
class _Plan:
    """How the memory is used: length of the lists, rows a block, rows that are kept."""

    list_length: int
    n_rows: int
    n_kept: int


def least_memory(n: int, n_samples: int, itemsize: int) -> int:
    """Bytes that n columns need beside the columns themselves; an entry has `itemsize` of them."""
    fixed, entry_bytes, row_bytes = _sizes(n, n_samples, itemsize)
    return fixed + _SHORTEST_LIST * entry_bytes + 8 * row_bytes + 3 * n * itemsize


def _sizes(n: int, n_samples: int, itemsize: int) -> tuple[int, int, int]:
    """Bytes that are needed at all, for one entry of all lists, and for a row."""
    # Half of the columns are copied when lists are filled from the free ones.
    fixed = 180 * n + n * n_samples * 4
    # A row, and room for the products and lists of the threads' tiles.
    return fixed, n * (itemsize + 4), n * (8 + 8 + itemsize)


def _plan(products: Products, memory: int) -> _Plan:
    n, itemsize = products.n_features, products.dtype.itemsize
    fixed, entry_bytes, row_bytes = _sizes(n, products.n_samples, itemsize)
    least = least_memory(n, products.n_samples, itemsize)
    if memory < least:
        raise TooLittleMemoryError(
            f"memory is {memory / 1e6:.0f} MB, but {n} features need at least "
            f"{math.ceil(least / 1e6)} MB without the matrix: raise memory or select among "
            "fewer columns"
        )
    left = memory - fixed
    shortest = min(_SHORTEST_LIST, n - 1)
    list_length = max(shortest, min(_LONGEST_LIST, n - 1, left // 3 // entry_bytes))
    left -= list_length * entry_bytes
    n_rows = max(8, min(_MOST_ROWS, left // 2 // row_bytes))
    n_kept = max(3, min(n, (left - n_rows * row_bytes) // (n * itemsize)))
    return _Plan(int(list_length), int(n_rows), int(n_kept))


def _survey_similarity(products: Products, plan: _Plan, *, threshold: bool) -> _Survey:
    """Find threshold, first tetrahedron and lists in as few passes as possible."""
    list_length, n_rows = plan.list_length, plan.n_rows
    guess = products.approximate_mean()
    slack = _slack_of(guess, products)
    if guess is not None and guess > slack and (products.non_negative or not threshold):
        cuts = [guess - slack, guess + slack]
        lists, totals = products.survey(-np.inf, cuts, list_length, n_rows)
        mean = _mean(totals)
        if cuts[0] < mean < cuts[1] and totals[0].sum() > totals[1].sum():
            # Without negative entries all that reaches the mean exceeds the second mean.
            cut = np.nextafter(mean, -np.inf) if threshold else mean
            level = mean if threshold else -np.inf
            start = four_strongest(totals[2], totals[1], _whole_rows(products, level), cut)
            if threshold:
                _cut_lists(lists, mean)
                _loosen_floors(lists, mean, products.rounding)
            return _Survey(level, start, lists)
    _, totals = products.survey(-np.inf, [], 0, n_rows)
    mean = _mean(totals)
    level = mean if threshold else -np.inf
    lists, totals = products.survey(level, [mean], list_length, n_rows)
    if threshold:
        _loosen_floors(lists, level, products.rounding)
        mean = _mean(totals)
        _, totals = products.survey(level, [mean], 0, n_rows)
    start = four_strongest(totals[1], totals[1], _whole_rows(products, level), mean)
    return _Survey(level, start, lists)


def _whole_rows(products: Products, level: float) -> Callable[[IntArray], Block]:
    """A function that gives whole rows, entries below the level set to 0."""

    def rows_of(vertices: IntArray) -> Block:
        rows = products.rows(vertices)
        rows[rows < level] = 0
        return rows

    return rows_of


def _tmfg_in_batches(products: BatchProducts, *, threshold: bool, memory: int) -> FilteredGraph:
    """The graph by products whose rounding is not the host's."""
    n, entry_bytes = products.n_features, products.n_features * (products.dtype.itemsize + 4)
    length = max(_SHORTEST_LIST, min(_LIST_BY_ASKING, memory // 3 // entry_bytes))
    plan = _Plan(min(length, n - 1), _MOST_ROWS, 0)
    survey = _survey_in_batches(products, plan, threshold=threshold)
    growth = start_growth(n, survey.start, products.dtype)
    grow_in_batches(products, growth, survey.lists, survey.level)
    return graph_of_cliques(growth.cliques, _entries(products, survey.level))


def _survey_in_batches(products: BatchProducts, plan: _Plan, *, threshold: bool) -> _Survey:
    """Find threshold, first tetrahedron and lists where sums are rounded in other ways."""
    n = products.n_features
    if n * n * products.n_samples <= _PRODUCTS_OF_HOST:
        by_host = replace(plan, list_length=0)
        found = _survey_similarity(products.on_host(), by_host, threshold=threshold)
        lists, _ = products.survey(found.level, [], plan.list_length, plan.n_rows)
        return replace(found, lists=lists)
    guess = products.approximate_mean()
    if guess is not None and guess > 0 and (products.non_negative or not threshold):
        lists, totals = products.survey(-np.inf, [guess], plan.list_length, plan.n_rows)
        mean = _mean(totals)
        # Constant columns have no length, but a diagonal.
        if abs(mean - guess) < _slack_of(guess, products):
            level = mean if threshold else np.float64(-np.inf)
            _cut_lists(lists, level)
            # Without negative entries all that reaches the mean exceeds the second mean.
            above = np.nextafter(mean, -np.inf) if threshold else mean
            return _Survey(level, _start_in_batches(products, totals, level, above), lists)
    else:
        _, totals = products.survey(-np.inf, [], 0, plan.n_rows)
        mean = _mean(totals)
    level = mean if threshold else np.float64(-np.inf)
    lists, totals = products.survey(level, [mean], plan.list_length, plan.n_rows)
    above = mean
    if threshold:
        above = _mean(totals)
        _, totals = products.survey(level, [above], 0, plan.n_rows)
    return _Survey(level, _start_in_batches(products, totals, level, above), lists)


def _start_in_batches(
    products: BatchProducts, totals: Doubles, level: float, above: float
) -> IntArray:
    """The first tetrahedron, by sums of rows that are rounded in other ways."""
    slack = _SLACK * np.abs(totals[1]).max()
    return four_strongest(
        totals[1] - slack, totals[1] + slack, _whole_rows(products, level), above
    )


def _slack_of(guess: float | None, products: Products) -> float:
    """How far the mean may be from an approximate one."""
    return (1e-5 if products.dtype == np.float32 else 1e-9) * (abs(guess) if guess else 1.0)


def _cut_lists(lists: TopLists, level: np.float64) -> None:
    """Set the weights below a level to 0."""
    lists.weight[lists.weight < level] = 0
    lists.floor[(lists.floor < level) & (lists.floor > -np.inf)] = 0


def _loosen_floors(lists: TopLists, level: float, rounding: Rounding) -> None:
    """Let floors below a level be the level: what is just below by rounding may reach it."""
    if not rounding.exact:
        lists.floor[(lists.floor < level) & (lists.floor > -np.inf)] = level


def _mean(totals: Doubles) -> np.float64:
    """Mean of all entries; of a numpy type, or float32 entries would be compared in float32."""
    return np.float64(math.fsum(totals[0]) / totals.shape[1] ** 2)


def _grow_to_the_end(products: Products, survey: _Survey, growth: Growth, plan: _Plan) -> None:
    """Let the graph grow, and bring the rows it asks for."""
    weights, lists = products.column_weights(survey.level), survey.lists
    n = products.n_features
    rounding = products.rounding
    # What may reach the level is left as it is; single entries decide.
    least = survey.level
    if least > -np.inf:
        least -= rounding.margin(least, 1)
    rows = RowCache(products, np.arange(n), least, plan.n_kept)

    def decide(vertices: IntArray) -> None:
        if not rounding.exact:
            rescore_lists(weights, vertices, lists, rounding)

    decide(np.arange(n))
    while not grow(weights, growth, lists):
        if growth.n_free <= len(rows.columns) // 2:
            rows = rows.of_free_columns(growth.penalty)
            if growth.uses_lists:
                products.refill(rows.columns, rows.level, lists, plan.n_rows)
                decide(np.arange(n))
        corners = growth.corners_on_top
        if not rows.has(corners):
            # Where rows must be multiplied anyway, those that will soon be wanted come along.
            at_once = min(_ROWS_AHEAD, plan.n_kept)
            vertices = wanted_vertices(growth, lists, rows.are_kept, at_once)
            if rows.keeps_all and not growth.uses_lists:
                # Each row will be wanted once: all of them cost one pass over the free columns.
                vertices = rows.and_others(vertices, plan.n_rows)
            block = rows.product(vertices)
            _fill_lists(block, vertices, rows, growth, lists)
            decide(vertices)
            rows.keep(vertices, block)
        elif growth.uses_lists:
            _fill_lists(rows.of(corners), corners, rows, growth, lists)
            decide(corners)
        _answer_top(weights, growth, rows, rounding)


def _answer_top(
    weights: ColumnWeights, growth: Growth, rows: RowCache, rounding: Rounding
) -> None:
    """Answer the face on top from the rows of its corners."""
    a, b, c = (rows.one(v) for v in growth.corners_on_top)
    if rounding.exact:
        answer_from_rows(growth, rows.columns, a, b, c)
        return
    # No gain exceeds the key, by more than rounding.
    margin = float(rounding.margin(np.float64(growth.key[0]), 3))
    answer_from_near(weights, growth, rows.columns, a, b, c, 2 * margin)


def _fill_lists(
    block: Block, vertices: IntArray, rows: RowCache, growth: Growth, lists: TopLists
) -> None:
    """Fill lists from rows; entries of the rows below the level become 0."""

    def fill_part(i: int, j: int) -> None:
        refill_lists(block[i:j], vertices[i:j], rows.columns, rows.level, growth.penalty, lists)

    for_row_ranges(fill_part, len(vertices), len(rows.columns))


def _entries(products: Products, level: float) -> Any:
    """A function that gives the weights of edges."""
    weights = products.column_weights(level)

    def of_edges(edges: IntArray) -> Block:
        found = np.empty(len(edges), dtype=products.dtype)
        for_row_ranges(
            lambda i, j: edge_weights(weights, edges, i, j, found),
            len(edges),
            products.n_samples,
        )
        return found

    return of_edges


class RowCache:
    """Rows over the columns that were free lately, which ascend; the newest are kept.

    Entries below the level are 0. Of rows that have all columns `n_kept` may be kept.
    """

    def __init__(
        self, products: Products, columns: IntArray, level: float, n_kept: int
    ) -> None:
        self.columns = columns
        self.level = level
        self._products = products
        n = products.n_features
        # As many bytes as before: rows get shorter, so more of them are kept.
        kept = min(n, n_kept * n // len(columns))
        self._n_kept = n_kept
        self._kept = np.empty((kept, len(columns)), dtype=products.dtype)
        self._vertex = np.full(kept, -1, dtype=np.int64)
        self._place = np.full(n, -1, dtype=np.int64)
        self._next = 0

    def of_free_columns(self, penalty: Block) -> RowCache:
        """Start again with the columns that are free now."""
        free = np.flatnonzero(penalty == 0)
        return RowCache(self._products, free, self.level, self._n_kept)

    def product(self, vertices: IntArray) -> Block:
        """Multiply the rows of some vertices; the level is not yet applied."""
        return self._products.rows(vertices, self.columns)

    @property
    def are_kept(self) -> npt.NDArray[np.bool_]:
        """Which vertices' rows are kept."""
        return self._place >= 0

    @property
    def keeps_all(self) -> bool:
        """Whether there is room for the rows of all vertices."""
        return len(self._kept) == len(self._place)

    def and_others(self, vertices: IntArray, count: int) -> IntArray:
        """Vertices, and others whose rows are not kept, so many in all."""
        missing = ~self.are_kept
        missing[vertices] = False
        others = np.flatnonzero(missing)[: max(0, count - len(vertices))]
        return np.concatenate([vertices, others])

    def has(self, vertices: IntArray) -> bool:
        """Whether all these rows are kept."""
        return bool((self._place[vertices] >= 0).all())

    def keep(self, vertices: IntArray, block: Block) -> None:
        """Keep the rows of some vertices, instead of the oldest where there is no room."""
        places = self._next_places(vertices)

        def copy(first: int, last: int) -> None:
            for row in range(first, last):
                self._kept[places[row]] = block[row]

        for_row_ranges(copy, len(vertices), len(self.columns))
        self._vertex[places] = vertices
        self._place[vertices] = places

    def _next_places(self, vertices: IntArray) -> IntArray:
        """Places for the rows of some vertices."""
        if self.keeps_all:
            places = self._place[vertices]
            new = np.flatnonzero(places < 0)
            places[new] = self._next + np.arange(len(new))
            self._next += len(new)
            return places
        # All of them, known or not: none of these may be dropped for another.
        places = (self._next + np.arange(len(vertices))) % len(self._kept)
        self._next = (self._next + len(vertices)) % len(self._kept)
        dropped = self._vertex[places]
        self._place[dropped[dropped >= 0]] = -1
        earlier = self._place[vertices]
        self._vertex[earlier[earlier >= 0]] = -1
        return places

    def of(self, vertices: IntArray) -> Block:
        """A copy of rows that are kept."""
        return self._kept[self._place[vertices]]

    def one(self, vertex: int) -> Block:
        """A row that is kept."""
        row: Block = self._kept[self._place[vertex]]
        return row


Ids = npt.NDArray[np.int32]


_LISTS_AT_ONCE = 4096


# Lists that are worth a task.
_LISTS_A_TASK = 8


def rescore_lists(
    weights: ColumnWeights,
    vertices: IntArray,
    lists: TopLists,
    rounding: Rounding | None = None,
) -> None:
    """Give lists of vertices the entries that decide, in their order, in several threads.

    `rounding` says by how much their floors may be too low; without it they are not.
    """
    for first in range(0, len(vertices), _LISTS_AT_ONCE):
        some = vertices[first : first + _LISTS_AT_ONCE]
        proposed, floors = lists.vertex[some], lists.floor[some].astype(np.float64)
        proposed[np.arange(proposed.shape[1]) >= lists.length[some, None]] = -1
        if rounding is not None:
            known = floors > -np.inf
            floors[known] += rounding.margin(floors[known], 1)
        _write(weights, some, proposed, floors, lists)


def _write(
    weights: ColumnWeights, vertices: IntArray, proposed: Ids, floors: Doubles, lists: TopLists
) -> None:
    parts = min(2 * numba.get_num_threads(), -(-len(vertices) // _LISTS_A_TASK))
    cuts = np.linspace(0, len(vertices), parts + 1).astype(np.int64)

    def write_part(part: int) -> None:
        first, last = cuts[part], cuts[part + 1]
        write_lists(weights, vertices, proposed, floors, first, last, lists)

    for_each(write_part, range(parts))
