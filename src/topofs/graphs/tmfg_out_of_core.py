"""The TMFG of a similarity without its matrix.

`tmfg_of_products` surveys the rows. The row sums give the first tetrahedron, and each vertex
gets a list of its strongest links. The graph grows from the lists and from single entries. If
these do not decide a face, the rows of its corners are computed (`Products`, `RowCache`), or
the face is put into a query together with many others (`BatchProducts`, `_BatchGrowth`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from topofs._kernels.column_weights import edge_weights
from topofs._kernels.survey import refill_lists
from topofs._kernels.tmfg_batched import (
    NO_LIMIT,
    best_by_columns,
    certain_best,
    empty_candidates,
    grow_batched,
    select_queries,
    stale_among,
    write_candidates,
)
from topofs._kernels.tmfg_lists import (
    grow,
    rows_to_fetch,
    settle_from_near_rows,
    settle_from_rows,
    start_growth,
)
from topofs._kernels.top_lists import write_bounds, write_lists
from topofs.graphs.products import BatchProducts
from topofs.graphs.tmfg import complete_graph, four_strongest, graph_of_cliques
from topofs.runtime import for_each, for_row_ranges, one_blas_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs._kernels.column_weights import ColumnWeights
    from topofs._kernels.tmfg_lists import Growth
    from topofs._kernels.top_lists import TopLists
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.graphs.products import Products, Rounding
    from topofs.typing import Bools, Doubles, Floats, Ints

_LONGEST_LIST = 128
_SHORTEST_LIST = 16
_MOST_ROWS = 512
# Lists filled in addition to the needed ones: a product of 64 rows costs little more.
_ROWS_AHEAD = 64
# Products in batches: length of the lists; number of products below which the host computes the
# threshold; largest difference between sums of rows.
_BATCH_LIST_LENGTH = 256
_PRODUCTS_OF_HOST = 10**10
_SLACK = 1e-9
# Candidates stored for a face.
_CANDIDATES = 8
# Faces of a query, and faces examined for it, those with the highest keys first.
_FACES = 768
_PLACES = 4 * _FACES
# Lists filled or rescored at once, and the least number of lists for a task.
_LISTS_AT_ONCE = 4096
_LISTS_A_TASK = 8


class TooLittleMemoryError(ValueError):
    """The graph cannot be built in so little memory."""


def tmfg_of_products(products: Products, *, threshold: bool, memory: int) -> FilteredGraph:
    """Build the TMFG of the matrix; the two are equal if all entries have the same bits.

    One pass of blocked products (two if the mean is not known in advance) gives the sums of the
    rows and a list of the strongest links of each vertex. The graph grows from the lists and
    from single entries, as in `topofs._kernels.tmfg_lists`. Each time the number of free
    vertices has halved, all lists are filled again from the free columns alone: n²/2 + n²/4 + …
    more products. If lists do not decide a face, the rows of its corners are computed, together
    with rows that will be needed soon.
    """
    n, dtype = products.n_features, products.dtype
    if n < 4:
        matrix = products.rows(np.arange(n))
        if threshold:
            _, totals = products.survey(-np.inf, [], 0, _MOST_ROWS)
            matrix[matrix < _mean(totals)] = 0
        return complete_graph(matrix)
    if isinstance(products, BatchProducts):
        length = memory // 3 // (n * (dtype.itemsize + 4))
        length = max(_SHORTEST_LIST, min(_BATCH_LIST_LENGTH, length))
        plan = _Plan(min(length, n - 1), _MOST_ROWS, 0)
        level, start, lists = _survey_in_batches(products, plan, threshold=threshold)
        growth = start_growth(n, start, dtype)
        _BatchGrowth(products, growth, lists, level).run()
    else:
        plan = _plan(products, memory)
        # Limit the threads once for all products: BLAS would restart its threads after each.
        with one_blas_thread():
            level, start, lists = _survey_similarity(products, plan, threshold=threshold)
            growth = start_growth(n, start, dtype)
            _grow_by_rows(products, growth, lists, level, plan)
    weights = products.column_weights(level)

    def of_edges(edges: Ints) -> Floats:
        found = np.empty(len(edges), dtype=dtype)
        for_row_ranges(
            lambda i, j: edge_weights(weights, edges, i, j, found),
            len(edges),
            products.n_samples,
        )
        return found

    return graph_of_cliques(growth.cliques, of_edges)


@dataclass(frozen=True)
class _Plan:
    """The division of the memory: length of the lists, rows per block, rows in the cache."""

    list_length: int
    n_rows: int
    n_kept: int


def least_memory(n: int, n_samples: int, itemsize: int) -> int:
    """Bytes that n columns need beside the columns; an entry takes `itemsize` bytes."""
    fixed, entry_bytes, row_bytes = _sizes(n, n_samples, itemsize)
    return fixed + _SHORTEST_LIST * entry_bytes + 8 * row_bytes + 3 * n * itemsize


def _sizes(n: int, n_samples: int, itemsize: int) -> tuple[int, int, int]:
    """Fixed bytes, bytes for one entry of all lists, and bytes for a row."""
    # Filling lists from the free columns copies half of the columns.
    fixed = 180 * n + n * n_samples * 4
    # A row, and the products and lists of the threads' tiles.
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


def _survey_similarity(
    products: Products, plan: _Plan, *, threshold: bool
) -> tuple[float, Ints, TopLists]:
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
            return level, start, lists
    _, totals = products.survey(-np.inf, [], 0, n_rows)
    mean = _mean(totals)
    level = mean if threshold else -np.inf
    lists, totals = products.survey(level, [mean], list_length, n_rows)
    if threshold:
        _loosen_floors(lists, level, products.rounding)
        mean = _mean(totals)
        _, totals = products.survey(level, [mean], 0, n_rows)
    start = four_strongest(totals[1], totals[1], _whole_rows(products, level), mean)
    return level, start, lists


def _survey_in_batches(
    products: BatchProducts, plan: _Plan, *, threshold: bool
) -> tuple[float, Ints, TopLists]:
    """Find threshold, first tetrahedron and lists where sums are rounded differently."""
    n = products.n_features
    if n * n * products.n_samples <= _PRODUCTS_OF_HOST:
        by_host = replace(plan, list_length=0)
        level, start, _ = _survey_similarity(products.on_host(), by_host, threshold=threshold)
        lists, _ = products.survey(level, [], plan.list_length, plan.n_rows)
        return level, start, lists
    guess = products.approximate_mean()
    guessed = guess is not None and guess > 0 and (products.non_negative or not threshold)
    if guess is not None and guessed:
        lists, totals = products.survey(-np.inf, [guess], plan.list_length, plan.n_rows)
    else:
        _, totals = products.survey(-np.inf, [], 0, plan.n_rows)
    mean = _mean(totals)
    level = mean if threshold else np.float64(-np.inf)
    # A constant column has length 0, but its diagonal entry is not 0.
    if guess is not None and guessed and abs(mean - guess) < _slack_of(guess, products):
        _cut_lists(lists, level)
        # Without negative entries all that reaches the mean exceeds the second mean.
        above = np.nextafter(mean, -np.inf) if threshold else mean
    else:
        lists, totals = products.survey(level, [mean], plan.list_length, plan.n_rows)
        above = mean
        if threshold:
            above = _mean(totals)
            _, totals = products.survey(level, [above], 0, plan.n_rows)
    slack = _SLACK * np.abs(totals[1]).max()
    low, high = totals[1] - slack, totals[1] + slack
    return level, four_strongest(low, high, _whole_rows(products, level), above), lists


def _whole_rows(products: Products, level: float) -> Callable[[Ints], Floats]:
    """A function that gives complete rows, with entries below the level set to 0."""

    def rows_of(vertices: Ints) -> Floats:
        rows = products.rows(vertices)
        rows[rows < level] = 0
        return rows

    return rows_of


def _slack_of(guess: float | None, products: Products) -> float:
    """The largest difference between the mean and its approximation."""
    return (1e-5 if products.dtype == np.float32 else 1e-9) * (abs(guess) if guess else 1.0)


def _cut_lists(lists: TopLists, level: np.float64) -> None:
    """Set the weights below a level to 0."""
    lists.weight[lists.weight < level] = 0
    lists.floor[(lists.floor < level) & (lists.floor > -np.inf)] = 0


def _loosen_floors(lists: TopLists, level: float, rounding: Rounding) -> None:
    """Raise floors below a level to the level: rounding may lift an entry to it."""
    if not rounding.exact:
        lists.floor[(lists.floor < level) & (lists.floor > -np.inf)] = level


def _mean(totals: Doubles) -> np.float64:
    """Mean of all entries, as a numpy float64, so that float32 entries compare in float64."""
    return np.float64(math.fsum(totals[0]) / totals.shape[1] ** 2)


def _grow_by_rows(
    products: Products, growth: Growth, lists: TopLists, level: float, plan: _Plan
) -> None:
    """Grow the graph until it is complete, and compute the rows that it needs."""
    weights, rounding = products.column_weights(level), products.rounding
    everyone = np.arange(products.n_features)
    # Entries that may reach the level are not changed; single entries decide.
    least = level - rounding.margin(level, 1) if level > -np.inf else level
    rows = RowCache(products, everyone, least, plan.n_kept)

    def rescore(vertices: Ints) -> None:
        if not rounding.exact:
            rescore_lists(weights, vertices, lists, rounding)

    def fill_lists(block: Floats, vertices: Ints) -> None:
        """Fill lists from rows; entries of the rows below the level become 0."""

        def fill_part(i: int, j: int) -> None:
            part, columns = block[i:j], rows.columns
            refill_lists(part, vertices[i:j], columns, rows.level, growth.penalty, lists)

        for_row_ranges(fill_part, len(vertices), len(rows.columns))
        rescore(vertices)

    rescore(everyone)
    while not grow(weights, growth, lists):
        if growth.n_free <= len(rows.columns) // 2:
            free = np.flatnonzero(growth.penalty == 0)
            rows = RowCache(products, free, least, plan.n_kept)
            if growth.uses_lists:
                products.refill(free, least, lists, plan.n_rows)
                rescore(everyone)
        corners = growth.corners_on_top
        if not rows.are_kept[corners].all():
            # If rows must be computed anyway, also compute those needed soon.
            at_once = min(_ROWS_AHEAD, plan.n_kept)
            vertices = rows_to_fetch(growth, lists, rows.are_kept, at_once)
            if rows.keeps_all and not growth.uses_lists:
                # Each row will be needed once; all rows cost one pass over the free columns.
                vertices = rows.and_others(vertices, plan.n_rows)
            block = products.rows(vertices, rows.columns)
            fill_lists(block, vertices)
            rows.keep(vertices, block)
        elif growth.uses_lists:
            fill_lists(rows.of(corners), corners)
        a, b, c = (rows.of(v) for v in corners)
        if rounding.exact:
            settle_from_rows(growth, rows.columns, a, b, c)
        else:
            # No gain exceeds the key by more than rounding.
            margin = float(rounding.margin(np.float64(growth.key[0]), 3))
            settle_from_near_rows(weights, growth, rows.columns, a, b, c, 2 * margin)


class RowCache:
    """Cache of rows over ascending columns, such as those free recently; old rows are dropped.

    Entries below the level are 0. The cache has room for `n_kept` rows of all columns.
    """

    def __init__(self, products: Products, columns: Ints, level: float, n_kept: int) -> None:
        self.columns = columns
        self.level = level
        n = products.n_features
        # The cache keeps its size in bytes: rows get shorter, so it holds more of them.
        kept = min(n, n_kept * n // len(columns))
        self._kept = np.empty((kept, len(columns)), dtype=products.dtype)
        self._vertex = np.full(kept, -1, dtype=np.int64)
        self._place = np.full(n, -1, dtype=np.int64)
        self._next = 0

    @property
    def are_kept(self) -> Bools:
        """The vertices whose rows are in the cache."""
        return self._place >= 0

    @property
    def keeps_all(self) -> bool:
        """Whether the cache has room for the rows of all vertices."""
        return len(self._kept) == len(self._place)

    def and_others(self, vertices: Ints, count: int) -> Ints:
        """The given vertices, and further ones whose rows are not cached, up to a number."""
        missing = ~self.are_kept
        missing[vertices] = False
        others = np.flatnonzero(missing)[: max(0, count - len(vertices))]
        return np.concatenate([vertices, others])

    def keep(self, vertices: Ints, block: Floats) -> None:
        """Store the rows of some vertices; the oldest rows make room if needed."""
        places = self._next_places(vertices)

        def copy(first: int, last: int) -> None:
            for row in range(first, last):
                self._kept[places[row]] = block[row]

        for_row_ranges(copy, len(vertices), len(self.columns))
        self._vertex[places] = vertices
        self._place[vertices] = places

    def _next_places(self, vertices: Ints) -> Ints:
        """Positions for the rows of some vertices."""
        if self.keeps_all:
            places = self._place[vertices]
            new = np.flatnonzero(places < 0)
            places[new] = self._next + np.arange(len(new))
            self._next += len(new)
            return places
        # Mark all of them, cached or not: none of these may be dropped for another.
        places = (self._next + np.arange(len(vertices))) % len(self._kept)
        self._next = (self._next + len(vertices)) % len(self._kept)
        dropped = self._vertex[places]
        self._place[dropped[dropped >= 0]] = -1
        earlier = self._place[vertices]
        self._vertex[earlier[earlier >= 0]] = -1
        return places

    def of(self, vertices: Any) -> Floats:
        """A row of the cache, or a copy of several rows."""
        rows: Floats = self._kept[self._place[vertices]]
        return rows


def rescore_lists(
    weights: ColumnWeights, vertices: Ints, lists: TopLists, rounding: Rounding | None = None
) -> None:
    """Replace the weights of lists by exact entries and sort the lists, in several threads.

    `rounding` bounds the error of their floors; without it floors are exact.
    """
    for first in range(0, len(vertices), _LISTS_AT_ONCE):
        some = vertices[first : first + _LISTS_AT_ONCE]
        proposed, floors = lists.vertex[some], lists.floor[some].astype(np.float64)
        proposed[np.arange(proposed.shape[1]) >= lists.length[some, None]] = -1
        if rounding is not None:
            known = floors > -np.inf
            floors[known] += rounding.margin(floors[known], 1)
        _write_lists(weights, some, proposed, floors, lists)


def _write_lists(
    weights: ColumnWeights, vertices: Ints, proposed: Any, floors: Doubles, lists: TopLists
) -> None:
    n_parts = min(2 * numba.get_num_threads(), -(-len(vertices) // _LISTS_A_TASK))
    cuts = np.linspace(0, len(vertices), n_parts + 1).astype(np.int64)

    def write_part(part: int) -> None:
        first, last = cuts[part], cuts[part + 1]
        write_lists(weights, vertices, proposed, floors, first, last, lists)

    for_each(write_part, range(n_parts))


class _BatchGrowth:
    """A growth that puts undecided faces into queries, with the candidates found so far."""

    def __init__(
        self, products: BatchProducts, growth: Growth, lists: TopLists, level: float
    ) -> None:
        self.products, self.growth, self.lists, self.level = products, growth, lists, level
        self.weights = products.column_weights(level)
        # Sums of three, each of which is rounded twice; no weight exceeds 1.
        rounded = 8 * float(np.finfo(products.dtype).eps)
        self.slack = 3 * (products.slack + rounded) if products.slack else 0.0
        self.n_slots = len(growth.vertex)
        self.candidates = empty_candidates(self.n_slots, _CANDIDATES)
        self.inserted = np.zeros(products.n_features, dtype=np.bool_)
        self.n_queries = 0
        self.step = 1
        # Number of free vertices when all lists were filled.
        self.n_filled = products.n_features
        products.leave_out(growth.cliques[0])

    def run(self) -> None:
        """Grow the graph until it is complete."""
        growth, n = self.growth, self.products.n_features
        progress = self.products.progress or (lambda _done, _total: None)
        while not grow_batched(self.weights, growth, self.lists, self.candidates, self.slack):
            self.query()
            progress(2 * n - growth.n_free, 2 * n)
        progress(2 * n, 2 * n)

    def query(self) -> None:
        """Find candidates of the face on top and of others that will be needed soon."""
        growth = self.growth
        step = int(growth.counters[0].step)
        self.products.leave_out(growth.cliques[self.step : step, 0])
        self.step = step
        self.n_queries += 1
        slots, keys = self._first_slots()
        faces, corners = select_queries(
            growth,
            self.lists,
            self.candidates,
            slots,
            keys,
            _FACES,
            self.n_queries,
            self.inserted,
        )
        found = self.products.best_of_faces(corners, _CANDIDATES, self.level)
        no_limits = np.full(len(faces), -1, dtype=np.int32)
        write_candidates(faces, *found, no_limits, self.candidates)
        self._fill_lists(corners[faces < self.n_slots])
        self._settle_top()

    def _fill_lists(self, corners: Ints) -> None:
        """Fill lists again from the free vertices: those of corners with half of the list used.

        Each time half of the free vertices are used, the lists of all vertices are checked:
        filling many at once costs less than many queries for a few.
        """
        growth, vertices = self.growth, np.unique(corners)
        if growth.uses_lists and 2 * growth.n_free <= self.n_filled:
            vertices, self.n_filled = np.arange(self.products.n_features), growth.n_free
        vertices = vertices[stale_among(vertices, self.lists, growth.penalty)]
        length = self.lists.weight.shape[1]
        for first in range(0, len(vertices), _LISTS_AT_ONCE):
            some = vertices[first : first + _LISTS_AT_ONCE]
            links = self.products.strongest_links(some, length, self.level)
            write_bounds(some, *links, self.lists)

    def _first_slots(self) -> tuple[Ints, Floats]:
        """The slot on top of the heap, then others with large keys, largest first."""
        growth = self.growth
        first = min(int(growth.counters[0].n_faces), _PLACES)
        slots, keys = growth.heap[:first], growth.key[:first]
        if first > _FACES:
            high = np.flatnonzero(keys >= np.partition(keys, -_FACES)[-_FACES])
            slots, keys = slots[high], keys[high]
        order = np.lexsort((slots, -keys))[:_FACES]
        return slots[order], keys[order]

    def _settle_top(self) -> None:
        """Verify the face on top if other vertices may be as good as its best candidate."""
        growth, candidates, top = self.growth, self.candidates, int(self.growth.heap[0])
        corners, penalty = growth.corner[top], growth.penalty
        if certain_best(self.weights, corners, top, candidates, penalty)[0] >= 0:
            return
        known = candidates.vertex[top, : candidates.length[top]]
        _, best = best_by_columns(self.weights, corners, known.astype(np.int64), penalty)
        proposed, counts = self.products.as_good(
            corners[None], np.array([best]), _CANDIDATES, self.level
        )
        if counts[0] <= _CANDIDATES:
            limit = NO_LIMIT
        elif self.products.rounding.exact:
            limit = int(proposed.max())
        else:
            free = np.flatnonzero(penalty == 0)
            proposed[0, 0], best = best_by_columns(self.weights, corners, free, penalty)
            proposed[0, 1:], limit = -1, int(proposed[0, 0])
        # Other vertices gain less, or gain as much and have a higher index.
        write_candidates(
            np.array([top]),
            proposed,
            np.full(proposed.shape, np.inf),
            np.array([best], dtype=np.float64),
            np.array([limit], dtype=np.int32),
            candidates,
        )
