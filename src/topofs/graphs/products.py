"""Rows of a similarity without its matrix.

`Products` is the interface of a backend that multiplies columns, `BatchProducts` that of a
backend that is remote or rounds differently. `BlockedProducts` implements `Products` on the
host. `Rounding` bounds the difference between two ways to compute an entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np

from topofs._kernels.column_weights import SQUARED
from topofs._kernels.survey import multiply_rows, round_off_of, survey_products
from topofs._kernels.top_lists import TopLists, empty_lists
from topofs.runtime import for_each, for_row_ranges, one_blas_thread, with_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topofs._kernels.column_weights import ColumnWeights
    from topofs._kernels.top_lists import Ids
    from topofs.typing import Doubles, Floats, Ints

# Rows that a thread multiplies at a time, and the number of ranges that suffices for all
# threads.
_FEWEST_ROWS = 64
_MOST_ROWS = 256
_RANGES = 128
# Number of multiplications that take as long as processing an entry. A product of two columns
# counts as this many entries at most, otherwise ranges would become too thin.
_PRODUCTS_AN_ENTRY = 8
_MOST_ENTRIES = 128


class Products(Protocol):
    """Interface of a backend that multiplies columns, for `topofs.graphs.tmfg_out_of_core`.

    Entries of a survey and of rows are proposals. The entries of `column_weights` decide; the
    two differ by no more than `rounding` allows.
    """

    @property
    def n_features(self) -> int:
        """The order n of the similarity."""

    @property
    def n_samples(self) -> int:
        """The length of a column."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the entries, float32 or float64."""

    @property
    def non_negative(self) -> bool:
        """Whether no entry can be negative."""

    @property
    def rounding(self) -> Rounding:
        """The largest difference between entries and those of `column_weights`."""

    def survey(
        self, level: float, cuts: Sequence[float], list_length: int, n_rows: int
    ) -> tuple[TopLists, Doubles]:
        """One pass over all rows, in ranges of at most `n_rows`.

        Entries below `level` count as 0. The lists hold the strongest links of each vertex to
        others, up to `list_length` of them; the totals, of shape (1 + n_cuts, n), the sum of
        each row, its diagonal included, and the sums of its entries above each cut.
        """

    def rows(self, vertices: Ints, columns: Ints | None = None) -> Floats:
        """Rows of some vertices, in a fresh C-contiguous array of the type `dtype`.

        Complete rows with their diagonal, or the entries in the given ascending columns; in
        these the entry of a vertex with itself is never read. Consecutive calls often get the
        same array of columns, which does not change.
        """

    def refill(self, columns: Ints, level: float, lists: TopLists, n_rows: int) -> None:
        """Fill the lists of all vertices from chosen columns, which ascend and are all free.

        Entries below `level` count as 0; at most `n_rows` rows are held at a time.
        """

    def column_weights(self, level: float) -> ColumnWeights:
        """What a kernel needs to compute any single entry; entries below `level` become 0."""

    def approximate_mean(self) -> float | None:
        """The mean of all entries up to rounding, where it is cheaper than all entries."""


@runtime_checkable
class BatchProducts(Products, Protocol):
    """Interface of a backend that is remote or rounds differently, such as a device.

    Products come in batches and are proposals; entries of `column_weights` decide. A list may
    be too long, but it never misses an entry. Lists of a survey hold bounds of weights, as
    those of `strongest_links` do.
    """

    @property
    def progress(self) -> Callable[[int, int], None] | None:
        """A function called with the number of steps done, of 2n: n rows, n vertices."""

    def on_host(self) -> Products:
        """The same products by the host."""

    def leave_out(self, vertices: Ints) -> None:
        """Tell which vertices are no longer free; at first all are free."""

    def best_of_faces(
        self, corners: Ints, k: int, level: float
    ) -> tuple[Ids, Doubles, Doubles]:
        """Propose the k best free vertices of each face.

        A face is a row (a, b, c) of `corners`, the gain of u is (w_au + w_bu) + w_cu. Corners
        are not proposed, free or not; entries below `level` count as 0. Gives vertices (−1
        where there are no more), falling bounds of their gains, and of all others' gains.
        """

    def strongest_links(
        self, vertices: Ints, k: int, level: float
    ) -> tuple[Ids, Doubles, Doubles]:
        """Propose the k strongest links of vertices to free ones.

        Entries below `level` count as 0. Gives the other ends (−1 where there are no more),
        falling bounds of the entries, and a bound of the entries that were not proposed.
        """

    @property
    def slack(self) -> float:
        """The most by which the bound of a link exceeds its entry; 0 if all bounds are entries.

        No entry exceeds 1. An entry within the slack of the level may be 0, whatever its bound.
        """

    def as_good(self, corners: Ints, gains: Doubles, k: int, level: float) -> tuple[Ids, Ints]:
        """Give the k lowest free vertices of each face whose gain may reach the given gain.

        Also give the number of such vertices; all that do reach the gain are among them.
        """


class Operator(Protocol):
    """Members of a correlation operator that `BlockedProducts` uses."""

    @property
    def n_features(self) -> int: ...  # noqa: D102
    @property
    def n_samples(self) -> int: ...  # noqa: D102
    @property
    def dtype(self) -> np.dtype[Any]: ...  # noqa: D102
    @property
    def non_negative(self) -> bool: ...  # noqa: D102
    def select(self, columns: Any) -> Self: ...  # noqa: D102
    def diagonal(self) -> Floats: ...  # noqa: D102
    def column_weights(self, level: float) -> ColumnWeights: ...  # noqa: D102
    def approximate_mean(self) -> float | None: ...  # noqa: D102


class BlockedProducts:
    """Products of an operator; a thread takes a range of rows and a tile of columns."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self.n_features, self.n_samples = operator.n_features, operator.n_samples
        self.dtype, self.non_negative = operator.dtype, operator.non_negative
        weights = operator.column_weights(-np.inf)
        unit = float(np.finfo(weights.values.dtype).eps) / 2
        self.rounding = rounding_of(weights, self.dtype, unit=unit)
        # The columns selected last, and their operator.
        self._columns: Ints | None = None
        self._among = operator

    def survey(
        self, level: float, cuts: Sequence[float], list_length: int, n_rows: int
    ) -> tuple[TopLists, Doubles]:
        """One pass over all rows: lists, the sum of each row, and its sums above the cuts."""
        n = self.n_features
        lists = empty_lists(n, list_length, self.dtype)
        totals = np.empty((1 + len(cuts), n))
        self._survey_among(np.arange(n), level, cuts, totals, lists, n_rows)
        return lists, totals

    def refill(self, columns: Ints, level: float, lists: TopLists, n_rows: int) -> None:
        """Fill the lists of all vertices from chosen columns, which ascend and are all free."""
        no_totals = np.empty((0, self.n_features))
        self._survey_among(columns, level, [], no_totals, lists, n_rows)

    def _survey_among(
        self,
        columns: Ints,
        level: float,
        cuts: Sequence[float],
        totals: Doubles,
        lists: TopLists,
        n_rows: int,
    ) -> None:
        """Survey all rows in chosen columns, in independent ranges."""
        n, among = self.n_features, self._selected(columns)
        left, right = (some.column_weights(level) for some in (self._operator, among))
        ids, cut_levels = columns.astype(np.int32), np.array(cuts, dtype=np.float64)
        round_off, diagonal = round_off_of(n), self._operator.diagonal()
        # Few enough rows for all threads to end at about the same time.
        step = min(n_rows, max(_FEWEST_ROWS, min(_MOST_ROWS, -(-n // _RANGES))))

        def survey(first: int) -> None:
            last = min(first + step, n)
            survey_products(
                left, right, ids, first, last, cut_levels, round_off, diagonal, totals, lists
            )

        def n_pairs(first: int) -> int:
            return (min(first + step, n) - first) * (among.n_features - 1)

        total = n * (among.n_features - 1)
        with one_blas_thread():
            for_each(with_progress(survey, total, n_pairs), range(0, n, step))

    def rows(self, vertices: Ints, columns: Ints | None = None) -> Floats:
        """Rows of some vertices: whole with their diagonal, or in chosen columns."""
        if columns is not None:
            return self._products(vertices, self._selected(columns))
        block = self._products(vertices, self._operator)
        block[np.arange(len(block)), vertices] = self._operator.diagonal()[vertices]
        return block

    def column_weights(self, level: float) -> ColumnWeights:
        """What a kernel needs to compute any single entry; entries below `level` become 0."""
        return self._operator.column_weights(level)

    def approximate_mean(self) -> float | None:
        """The mean of all entries up to rounding, where it is cheaper than all entries."""
        return self._operator.approximate_mean()

    def _products(self, rows: Ints, among: Operator) -> Floats:
        """Rows times columns, shared among threads by ranges of columns."""
        block = np.empty((len(rows), among.n_features), dtype=self.dtype)
        chosen = self._operator.select(rows)
        left, right = (some.column_weights(-np.inf) for some in (chosen, among))
        with one_blas_thread():
            for_row_ranges(
                lambda first, last: multiply_rows(left, right, first, last, block),
                among.n_features,
                # A product costs more than processing an entry.
                len(rows)
                * int(np.clip(self.n_samples // _PRODUCTS_AN_ENTRY, 1, _MOST_ENTRIES)),
            )
        return block

    def _selected(self, columns: Ints) -> Operator:
        """The operator of some columns; the last one is cached, as selecting copies."""
        if columns is not self._columns:
            # Free the previous copy before making the next one.
            self._among = self._operator
            if len(columns) < self.n_features:
                self._among = self._operator.select(columns)
            self._columns = columns
        return self._among


@dataclass(frozen=True)
class Rounding:
    """Largest differences between entries and those of `topofs._kernels.column_weights.weight`.

    `error` bounds the difference of a correlation; it is 0 where sums of whole numbers are
    exact and all other operations follow IEEE 754. `finish` bounds the relative difference of
    the steps from the correlation to the entry. `squared` tells whether an entry is a square.
    """

    error: float
    finish: float
    squared: bool

    @property
    def exact(self) -> bool:
        """Whether entries have the same bits."""
        return self.error == 0

    def margin(self, value: Any, terms: int) -> Any:
        """The most by which a sum of entries near a value may differ."""
        if self.exact:
            return np.zeros_like(value, dtype=np.float64)
        if self.squared:
            # Σ (√x + e)² ≤ Σ x + 2e √(t Σ x) + t e²
            size = np.maximum(value, 0.0)
            first_order = 2 * self.error * np.sqrt(terms * size) + self.finish * terms * size
            return first_order + terms * self.error**2 + 1e-300
        return np.full_like(value, terms * (self.error + self.finish), dtype=np.float64)


def rounding_of(weights: ColumnWeights, dtype: np.dtype[Any], *, unit: float) -> Rounding:
    """Bound the rounding of products of columns, summed in any order with the given unit."""
    parts = np.array_split(weights.values, max(1, weights.values.size >> 22))
    whole = all(bool((part == np.rint(part)).all()) for part in parts)
    # |Σ xy| of S terms, of columns not longer than √2 in units of what they are divided by,
    # and the sum on the host, which may use another order.
    error = 0.0 if whole else 4 * (weights.values.shape[1] + 16) * max(unit, 2.0**-53)
    finish = 2.0**-22 if dtype == np.float32 else 2.0**-51
    return Rounding(error, finish, squared=weights.kind == SQUARED)
