"""The TMFG of a similarity that is never held as a matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from topofs.filtering.tmfg import complete_graph, graph_of_cliques
from topofs.kernels.column_weights import ColumnWeights, weight
from topofs.kernels.face_heap import sift_down
from topofs.kernels.gain_scan import scan_face_again
from topofs.kernels.matrix_scan import sums_above
from topofs.kernels.row_survey import refill_lists, survey_rows, wanted_vertices
from topofs.kernels.tmfg import SIZE, STEP, USE_LISTS, grow, start_growth
from topofs.kernels.top_lists import TopLists, empty_lists
from topofs.row_threads import for_row_ranges

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph
    from topofs.kernels.tmfg import Growth

__all__ = ["Operator", "tmfg_of_operator"]

Block = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_LONGEST_LIST = 128
_SHORTEST_LIST = 16
_MOST_ROWS = 512
# Lists filled beside those that are needed at once: a product of 64 rows costs little more.
_ROWS_AHEAD = 64


class Operator(Protocol):
    """The similarity: rows times chosen columns, and any entry in a kernel.

    `topofs.similarity.operator.ColumnOperator` says what the members mean.
    """

    @property
    def n_features(self) -> int: ...  # noqa: D102
    @property
    def n_samples(self) -> int: ...  # noqa: D102
    @property
    def dtype(self) -> np.dtype[Any]: ...  # noqa: D102
    @property
    def non_negative(self) -> bool: ...  # noqa: D102
    def select(self, columns: Any) -> Self: ...  # noqa: D102
    def cross(self, rows: Any, other: Self) -> Block: ...  # noqa: D102
    def diagonal(self) -> Block: ...  # noqa: D102
    def column_weights(self, level: float) -> ColumnWeights: ...  # noqa: D102
    def approximate_mean(self) -> float | None: ...  # noqa: D102


def tmfg_of_operator(operator: Operator, *, threshold: bool, memory: int) -> FilteredGraph:
    """Build the TMFG of `topofs.filtering.tmfg` without the n × n matrix.

    Parameters
    ----------
    operator : Operator
        The similarity.
    threshold : bool
        Whether entries below the mean of all entries count as 0.
    memory : int
        Bytes to use beside the columns.

    Returns
    -------
    FilteredGraph
        The graph that the matrix would give, if both compute entries to the same bits.

    Notes
    -----
    One pass of blocked products (two if the mean is not known beforehand) leaves the sums of
    the rows and, for each vertex, a list of its strongest links. The graph grows from the
    lists and from single entries, as in `topofs.kernels.tmfg`. Whenever the free vertices
    have halved, all lists are filled again from the free columns alone: n²/2 + n²/4 + … more
    products. In between, a face that its lists do not decide gets the rows of its corners,
    together with those of other vertices that will soon want theirs.
    """
    n = operator.n_features
    if n < 4:
        level = (
            _mean(_survey(operator, -np.inf, [], 0, _MOST_ROWS)[1]) if threshold else -np.inf
        )
        block = operator.cross(slice(None), operator)
        np.fill_diagonal(block, operator.diagonal())
        return complete_graph(
            np.where(block >= np.float64(level), block, 0).astype(operator.dtype)
        )
    plan = _plan(operator, memory)
    survey = _survey_similarity(operator, plan, threshold=threshold)
    growth = start_growth(n, survey.start, operator.dtype)
    _grow_to_the_end(operator, survey, growth, plan)
    return graph_of_cliques(growth.cliques, _entries(operator, survey.level))


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


def _plan(operator: Operator, memory: int) -> _Plan:
    n, itemsize = operator.n_features, operator.dtype.itemsize
    # float64 products that are rounded to float32 afterwards, and one temporary.
    row_bytes = n * (8 + 8 + itemsize)
    entry_bytes = n * (itemsize + 4)
    # Half of the columns are copied when lists are filled from the free ones.
    fixed = 150 * n + n * operator.n_samples * 4
    least = fixed + _SHORTEST_LIST * entry_bytes + 8 * row_bytes + 3 * n * itemsize
    if memory < least:
        raise ValueError(
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


def _survey_similarity(operator: Operator, plan: _Plan, *, threshold: bool) -> _Survey:
    """Find threshold, first tetrahedron and lists in as few passes as possible."""
    list_length, n_rows = plan.list_length, plan.n_rows
    guess = operator.approximate_mean()
    slack = (1e-5 if operator.dtype == np.float32 else 1e-9) * (abs(guess) if guess else 1.0)
    if guess is not None and guess > slack and (operator.non_negative or not threshold):
        cuts = [guess - slack, guess + slack]
        lists, totals = _survey(operator, -np.inf, cuts, list_length, n_rows)
        mean = _mean(totals)
        if cuts[0] < mean < cuts[1] and totals[0].sum() > totals[1].sum():
            # Without negative entries all that reaches the mean exceeds the second mean.
            start = _strongest(operator, mean, totals[2], totals[1], at_least=threshold)
            if threshold:
                lists.weight[lists.weight < mean] = 0
                lists.floor[(lists.floor < mean) & (lists.floor > -np.inf)] = 0
            return _Survey(mean if threshold else -np.inf, start, lists)
    _, totals = _survey(operator, -np.inf, [], 0, n_rows)
    mean = _mean(totals)
    level = mean if threshold else -np.inf
    lists, totals = _survey(operator, level, [mean], list_length, n_rows)
    if threshold:
        mean = _mean(totals)
        _, totals = _survey(operator, level, [mean], 0, n_rows)
    return _Survey(level, _best_four(totals[1]), lists)


def _survey(
    operator: Operator, level: float, cuts: list[float], list_length: int, n_rows: int
) -> tuple[TopLists, Doubles]:
    """One pass over all rows: lists, the sum of each row, and its sums above the cuts."""
    n = operator.n_features
    lists = empty_lists(n, list_length, operator.dtype)
    totals = np.empty((1 + len(cuts), n))
    cut_levels = np.array(cuts, dtype=np.float64)
    for first in range(0, n, n_rows):
        block = _rows(operator, slice(first, first + n_rows))

        def survey_part(i: int, j: int, block: Block = block, first: int = first) -> None:
            survey_rows(block[i:j], first + i, level, cut_levels, totals, lists)

        for_row_ranges(survey_part, len(block), n)
    return lists, totals


def _rows(operator: Operator, rows: slice | IntArray) -> Block:
    """Whole rows of the similarity, with their diagonal entries."""
    block = operator.cross(rows, operator).astype(operator.dtype, copy=False)
    numbers = np.arange(operator.n_features)[rows]
    block[np.arange(len(block)), numbers] = operator.diagonal()[numbers]
    return block


def _mean(totals: Doubles) -> np.float64:
    """Mean of all entries; of a numpy type, or float32 entries would be compared in float32."""
    return np.float64(math.fsum(totals[0]) / totals.shape[1] ** 2)


def _strongest(
    operator: Operator, mean: float, low: Doubles, high: Doubles, *, at_least: bool
) -> IntArray:
    """The four rows with the largest sums above the mean, of which only bounds are known."""
    candidates = np.flatnonzero(high >= np.partition(low, -4)[-4])
    strength = np.full(len(low), -np.inf)
    level = np.nextafter(mean, -np.inf) if at_least else mean
    for first in range(0, len(candidates), _ROWS_AHEAD):
        some = candidates[first : first + _ROWS_AHEAD]
        sums = np.empty(len(some))
        sums_above(_rows(operator, some), level, 0, len(some), sums)
        strength[some] = sums
    return _best_four(strength)


def _best_four(strength: Doubles) -> IntArray:
    return np.argsort(-strength, kind="stable")[:4].astype(np.int64)


def _grow_to_the_end(operator: Operator, survey: _Survey, growth: Growth, plan: _Plan) -> None:
    """Let the graph grow, and bring the rows it asks for."""
    weights = operator.column_weights(survey.level)
    n = operator.n_features
    rows = _FreeRows(operator, np.arange(n), survey.level, plan.n_kept)
    while not grow(weights, growth, survey.lists):
        n_free = n - 3 - growth.progress[STEP]
        if n_free <= len(rows.columns) // 2:
            rows = rows.of_free_columns(growth.penalty)
            if growth.progress[USE_LISTS]:
                for first in range(0, n, plan.n_rows):
                    vertices = np.arange(first, min(first + plan.n_rows, n))
                    _fill_lists(rows.product(vertices), vertices, rows, growth, survey.lists)
        corners = growth.corner[growth.heap[0]]
        if not rows.has(corners):
            # Where rows must be multiplied anyway, those that will soon be wanted come along.
            vertices = wanted_vertices(
                growth.heap,
                growth.progress[SIZE],
                growth.corner,
                growth.vertex,
                growth.penalty,
                survey.lists,
                min(_ROWS_AHEAD, plan.n_kept),
            )
            block = rows.product(vertices)
            _fill_lists(block, vertices, rows, growth, survey.lists)
            rows.keep(vertices, block)
        elif growth.progress[USE_LISTS]:
            _fill_lists(rows.of(corners), corners, rows, growth, survey.lists)
        _answer_top(growth, rows)


def _fill_lists(
    block: Block, vertices: IntArray, rows: _FreeRows, growth: Growth, lists: TopLists
) -> None:
    """Fill lists from rows; entries of the rows below the level become 0."""

    def fill_part(i: int, j: int) -> None:
        refill_lists(block[i:j], vertices[i:j], rows.columns, rows.level, growth.penalty, lists)

    for_row_ranges(fill_part, len(vertices), len(rows.columns))


def _answer_top(growth: Growth, rows: _FreeRows) -> None:
    """Scan the rows of the corners of the face on top for its best free vertex."""
    top = growth.heap[0]
    a, b, c = (rows.one(v) for v in growth.corner[top])
    penalty = growth.penalty[rows.columns]
    place, gain = scan_face_again(
        a, b, c, penalty, 0, rows.place_of_column(growth.vertex[top]), growth.key[top]
    )
    growth.vertex[top] = rows.columns[place]
    growth.key[top] = gain
    sift_down(growth.heap, growth.progress[SIZE], growth.key)


class _FreeRows:
    """Rows of the similarity over the columns that were free lately; the newest are kept.

    Attributes
    ----------
    columns : array of int64
        The columns of the rows, ascending; all free vertices are among them.
    level : float
        Entries below it are 0.
    """

    def __init__(
        self, operator: Operator, columns: IntArray, level: float, n_kept: int
    ) -> None:
        self.columns = columns
        self.level = level
        self._operator = operator
        self._among = (
            operator.select(columns) if len(columns) < operator.n_features else operator
        )
        # As many bytes as before: rows get shorter, so more of them are kept.
        kept = min(operator.n_features, n_kept * operator.n_features // len(columns))
        self._n_kept = n_kept
        self._kept = np.empty((kept, len(columns)), dtype=operator.dtype)
        self._owner = np.full(kept, -1, dtype=np.int64)
        self._place = np.full(operator.n_features, -1, dtype=np.int64)
        self._next = 0

    def of_free_columns(self, penalty: Block) -> _FreeRows:
        """Start again with the columns that are free now."""
        free = np.flatnonzero(penalty == 0)
        return _FreeRows(self._operator, free, self.level, self._n_kept)

    def product(self, vertices: IntArray) -> Block:
        """Multiply the rows of some vertices; the level is not yet applied."""
        block = self._operator.cross(vertices, self._among)
        return block.astype(self._operator.dtype, copy=False)

    def has(self, vertices: IntArray) -> bool:
        """Whether all these rows are kept."""
        return bool((self._place[vertices] >= 0).all())

    def keep(self, vertices: IntArray, block: Block) -> None:
        """Keep the rows of some vertices, instead of the oldest."""
        # All of them, known or not: none of these may be dropped for another.
        places = (self._next + np.arange(len(vertices))) % len(self._kept)
        self._next = (self._next + len(vertices)) % len(self._kept)
        dropped = self._owner[places]
        self._place[dropped[dropped >= 0]] = -1
        earlier = self._place[vertices]
        self._owner[earlier[earlier >= 0]] = -1
        self._kept[places] = block
        self._owner[places] = vertices
        self._place[vertices] = places

    def of(self, vertices: IntArray) -> Block:
        """A copy of rows that are kept."""
        return self._kept[self._place[vertices]]

    def one(self, vertex: int) -> Block:
        """A row that is kept."""
        row: Block = self._kept[self._place[vertex]]
        return row

    def place_of_column(self, vertex: int) -> int:
        """Where a vertex stands among the columns, or −1."""
        place = int(np.searchsorted(self.columns, vertex))
        found = place < len(self.columns) and self.columns[place] == vertex
        return place if found else -1


def _entries(operator: Operator, level: float) -> Any:
    """A function that gives the weights of edges."""
    weights = operator.column_weights(level)
    like = np.empty(0, dtype=operator.dtype)

    def of_edges(edges: IntArray) -> Block:
        return np.array([weight(weights, i, j, like) for i, j in edges], dtype=operator.dtype)

    return of_edges
