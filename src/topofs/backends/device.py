"""Products by a device such as a GPU, which proposes links and vertices; the host decides.

`DeviceSimilarity` holds the prepared columns and computes blocks on the device. `DeviceRows`
caches rows. `DeviceProducts` answers the queries of the growth of a graph.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs._kernels.column_weights import ENERGY, SQUARED
from topofs._kernels.survey import round_off_of
from topofs._kernels.top_lists import TopLists, empty_lists, write_bounds
from topofs.graphs.products import BlockedProducts, rounding_of
from topofs.runtime import thread_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    import numpy.typing as npt

    from topofs._kernels.column_weights import ColumnWeights
    from topofs.backends.device_arrays import DeviceArrays
    from topofs.typing import Bools, Doubles, Ints

    Ids = npt.NDArray[np.int32]
    # Vertices, bounds of their values, and bounds of the values of all others.
    Proposals = tuple[Ids, Doubles, Doubles]

# Columns of a block whose largest entry is searched first.
_WIDTH = 64
_MOST_ROWS = 4096
# Rows cached for other faces with the same corners.
_KEPT_ROWS = 16384
# Used columns stay in the products until they are one of this many columns.
_GONE = 16


class DeviceProducts(BlockedProducts):
    """`topofs.graphs.products.BatchProducts` on a device.

    It may use `limit` bytes of the device, by default the free memory, and has blocks of
    `width` columns. `progress` is called with the steps done and all steps: rows, then
    vertices.
    """

    def __init__(
        self,
        operator: Any,
        arrays: DeviceArrays,
        *,
        limit: int | None = None,
        width: int = _WIDTH,
    ) -> None:
        super().__init__(operator)
        self._arrays, self._xp = arrays, arrays.xp
        self._room = self._room_for_rows(limit)
        weights = operator.column_weights(-np.inf)
        self.similarity = DeviceSimilarity(weights, self.dtype, arrays, width)
        # The first operator computes sums; the second, in float32, answers queries.
        self.asked = self.similarity.in_single()
        self.rounding = self.asked.rounding
        self._free: ColumnSet = self.asked.all
        self._rows = DeviceRows(self.asked, arrays, self._kept_entries())
        self._gone: Bools = np.zeros(self.n_features, dtype=np.bool_)
        self.progress: Callable[[int, int], None] | None = None

    def _room_for_rows(self, limit: int | None) -> int:
        """Bytes for blocks of rows: the memory minus the columns and a copy of them."""
        free = self._arrays.free_bytes() if limit is None else limit
        columns = 8 * self.n_features * (self.n_samples + 8)
        # Free columns are copied from an earlier copy.
        room = int(0.9 * free) - 3 * columns
        row = 8 * 8 * self.n_features
        if room < 4 * row:
            needed = (3 * columns + 4 * row) / 0.9
            raise ValueError(
                f"the device has {free / 1e6:.0f} MB free, but {self.n_features} columns need at "
                f"least {needed / 1e6:.0f} MB there: use device='cpu', or select among fewer "
                "columns"
            )
        return room

    def _kept_entries(self) -> int:
        """Number of entries of rows in the cache: at most a quarter of the room."""
        return min(self._room // 4 // 8, _KEPT_ROWS * self.n_features)

    def _rows_at_once(self, n_columns: int) -> int:
        # The block and its intermediate results.
        return int(max(1, min(_MOST_ROWS, self._room // (7 * 8 * n_columns))))

    def survey(
        self, level: float, cuts: Sequence[float], list_length: int, n_rows: int
    ) -> tuple[TopLists, Doubles]:
        """Lists with bounds of the entries; sums of rows as the host computes them."""
        del n_rows
        n = self.n_features
        lists = empty_lists(n, list_length, self.dtype)
        totals = np.empty((1 + len(cuts), n))
        step = self._rows_at_once(n)
        with thread_beside() as beside:
            # Touching the memory of lists for the first time takes as long as finding the
            # lists.
            writing: Future[None] | None = None
            for first in range(0, n, step):
                last = min(first + step, n)
                totals[:, first:last], links = self._survey_rows(
                    first, last, level, cuts, list_length
                )
                if writing is not None:
                    writing.result()
                if list_length:
                    writing = beside.submit(write_bounds, np.arange(first, last), *links, lists)
                if self.progress is not None:
                    self.progress(last, 2 * n)
            if writing is not None:
                writing.result()
        return lists, totals

    def _survey_rows(
        self, first: int, last: int, level: float, cuts: Sequence[float], list_length: int
    ) -> tuple[Doubles, Proposals]:
        """Sums of some rows, and their strongest links."""
        xp, n, columns = self._xp, self.n_features, self.similarity.all
        block = self.similarity.block(slice(first, last), columns)
        block = self.similarity.cut(block, self.similarity.least(level))
        block[:, n:] = -np.inf
        own = self._arrays.put(np.arange(first, last))
        here = self._arrays.put(np.arange(last - first))
        exact = self._operator.diagonal()[first:last].astype(np.float64)
        exact = np.where(exact >= level, exact, 0.0)
        block[here, own] = xp.astype(self._arrays.put(exact), block.dtype)
        inside = block[:, :n]
        sums = [self._row_sums(inside)]
        for cut in cuts:
            above = xp.where(inside > cut, inside, 0.0)
            sums.append(xp.sum(above, axis=1, dtype=xp.float64))
        totals = self._arrays.to_host(xp.stack(sums))
        if not list_length:
            return totals, (np.empty((0, 0), np.int32), np.empty((0, 0)), np.empty(0))
        block[here, own] = -np.inf
        maxima = self._maxima(block)
        return totals, self._links(block, maxima, -np.inf, own, columns, list_length)

    def _row_sums(self, block: Any) -> Any:
        """Sums as on the host: the larger part of each entry is summed without rounding."""
        xp = self._xp
        entries = xp.astype(block, xp.float64)
        round_off = round_off_of(self.n_features)
        rounded = (entries + round_off) - round_off
        return xp.sum(rounded, axis=1) + xp.sum(entries - rounded, axis=1)

    def approximate_mean(self) -> float | None:
        """The mean of all entries up to rounding, where it is cheaper than all entries."""
        mean = self.similarity.mean_of_squares()
        return super().approximate_mean() if mean is None else mean

    def on_host(self) -> BlockedProducts:
        """The same products by the host."""
        return BlockedProducts(self._operator)

    def leave_out(self, vertices: Ints) -> None:
        """Mark vertices as used."""
        gone = np.searchsorted(self._free.ids, vertices)
        self._gone[gone] = True
        if _GONE * np.count_nonzero(self._gone) > len(self._gone):
            self._free = self.asked.among(self._free, np.flatnonzero(~self._gone))
            self._gone = np.zeros(len(self._free.ids), dtype=np.bool_)
        elif len(gone):
            self._free.penalty[self._arrays.put(gone)] = -np.inf

    def best_of_faces(self, corners: Ints, k: int, level: float) -> Proposals:
        """Propose the best free vertices of faces."""
        most = max(1, self._rows_at_once(len(self._free.ids)) // 3)
        return _in_parts(lambda some: self._best_of_faces(some, k, level), corners, most, k)

    def strongest_links(self, vertices: Ints, k: int, level: float) -> Proposals:
        """Propose the strongest free links of vertices."""
        most = self._rows_at_once(len(self._free.ids))
        return _in_parts(lambda some: self._strongest_links(some, k, level), vertices, most, k)

    @property
    def slack(self) -> float:
        """The most by which the bound of a link exceeds its entry, which is at most 1."""
        margin = self.similarity.rounding.margin
        # The value of the device may differ from the entry, and a margin is added to it.
        return 2 * float(margin(1.0 + margin(np.float64(1.0), 1), 1))

    def _best_of_faces(self, corners: Ints, k: int, level: float) -> Proposals:
        """The k best free vertices of faces, bounds of their gains, and of those of others.

        Adding three rows is cheaper than multiplying them, so all free vertices are examined,
        and the bound of the others is as low as possible.
        """
        xp, columns = self._xp, self._free
        gains = self._gains(corners, level)
        n_listed = gains.shape[1]
        maxima = self._maxima(gains)
        inside = self._inside(self._arrays.top(maxima, min(k, maxima.shape[1]))[1])
        gains = self._arrays.pick(gains, inside)
        few = min(k, gains.shape[1])
        gains, where = self._arrays.top(gains, few)
        numbers = self._arrays.pick(columns.numbers[inside], where)
        numbers = self._arrays.to_host(xp.where(gains > -np.inf, numbers, -1))
        found = self._arrays.to_host(gains).astype(np.float64)
        bounds = np.where(numbers >= 0, found + self.rounding.margin(found, 3), -np.inf)
        floors = np.full(len(bounds), -np.inf) if few == n_listed else bounds[:, few - 1]
        return numbers.astype(np.int32), bounds, floors

    def _gains(self, corners: Ints, level: float) -> Any:
        """The gain of each free column in each face; −∞ for the corners of a face."""
        vertices, which = np.unique(corners, return_inverse=True)
        rows, places = self._rows.of(vertices, self._free, level)
        a, b, c = self._arrays.put(places[which.reshape(-1, 3).T])
        gains = rows[a]
        gains += rows[b]
        gains += rows[c]
        gains += self._free.penalty[None, :]
        # A face that does not exist yet may have a free corner.
        ids = self._free.ids
        own = np.minimum(np.searchsorted(ids, corners), len(ids) - 1)
        face, corner = np.nonzero(ids[own] == corners)
        gains[self._arrays.put(face), self._arrays.put(own[face, corner])] = -np.inf
        return gains

    def _strongest_links(self, vertices: Ints, k: int, level: float) -> Proposals:
        numbers, similarity = self._arrays.put(vertices), self.similarity
        block = similarity.block(numbers, self._free)
        block += self._free.penalty[None, :]
        least = similarity.least(level)
        # Thresholding keeps the order of entries unless negative ones remain, so it is applied
        # to the largest entries and the selected entries of rows only.
        if -np.inf < least < 0:
            block, least = similarity.cut(block, least), -np.inf
        maxima = similarity.cut(self._maxima(block), least)
        return self._links(block, maxima, least, numbers, self._free, k)

    def as_good(self, corners: Ints, gains: Doubles, k: int, level: float) -> tuple[Ids, Ints]:
        """The lowest free vertices that gain as much, and how many there are."""
        columns, xp = self._free, self._xp
        n_free = len(columns.ids)
        least = gains - self.rounding.margin(gains, 3)
        step = max(1, self._rows_at_once(n_free) // 4)
        found = np.full((len(corners), k), -1, dtype=np.int32)
        counts = np.zeros(len(corners), dtype=np.int64)
        backwards = xp.flip(self._arrays.put(np.arange(1, len(columns.numbers) + 1)))
        for first in range(0, len(corners), step):
            part = slice(first, first + step)
            gain = self._gains(corners[part], level)
            reached = gain >= self._arrays.put(least[part])[:, None]
            counts[part] = self._arrays.to_host(xp.sum(xp.astype(reached, xp.int64), axis=1))
            few = min(k, len(columns.numbers))
            order = xp.where(reached, backwards[None, :], 0)
            order, where = self._arrays.top(order, few)
            numbers = xp.where(order > 0, columns.numbers[where], -1)
            found[part, :few] = self._arrays.to_host(numbers)
        return found, counts

    def _maxima(self, block: Any) -> Any:
        """The largest entry of each row in each block of columns."""
        shape = (block.shape[0], block.shape[1] // self.similarity.width, -1)
        return self._xp.max(self._xp.reshape(block, shape), axis=2)

    def _inside(self, blocks: Any) -> Any:
        """The places of all columns of some blocks of each row."""
        xp, width = self._xp, self.similarity.width
        offsets = self._arrays.put(np.arange(width))
        places = blocks[:, :, None] * width + offsets[None, None, :]
        return xp.reshape(places, (blocks.shape[0], -1))

    def _links(
        self,
        block: Any,
        maxima: Any,
        least: float,
        vertices: Any,
        columns: ColumnSet,
        k: int,
    ) -> Proposals:
        """The k largest entries of each row, bounds of them, and a bound of the others."""
        xp, similarity = self._xp, self.similarity
        # Each of the k blocks has one of them at least; one block may have none but its own.
        n_blocks = min(k + 1, maxima.shape[1])
        places = self._inside(self._arrays.top(maxima, n_blocks)[1])
        numbers = columns.numbers[places]
        values = similarity.cut(self._arrays.pick(block, places), least)
        values = xp.where(numbers == vertices[:, None], -np.inf, values)
        few = min(k, values.shape[1])
        values, where = self._arrays.top(values, few)
        numbers = self._arrays.pick(numbers, where)
        numbers = xp.where(values > -np.inf, numbers, -1)
        bounds = self._arrays.to_host(values).astype(np.float64)
        bounds += similarity.rounding.margin(bounds.max(), 1)
        floors = bounds[:, few - 1].copy()
        if few == block.shape[1]:
            floors.fill(-np.inf)
        return self._arrays.to_host(xp.astype(numbers, xp.int32)), bounds, floors


def _in_parts(answer: Callable[[Ints], Proposals], asked: Ints, most: int, k: int) -> Proposals:
    """Query some items at a time, and concatenate the arrays of the answers."""
    if not len(asked):
        return np.empty((0, k), np.int32), np.empty((0, k)), np.empty(0)
    parts = [answer(asked[first : first + most]) for first in range(0, len(asked), most)]
    vertices, bounds, floors = zip(*parts, strict=True)
    return np.concatenate(vertices), np.concatenate(bounds), np.concatenate(floors)


class DeviceRows:
    """Cache of rows in a set of columns; a full cache is cleared.

    It holds at most `n_entries` entries, unless one query needs more.
    """

    def __init__(
        self, similarity: DeviceSimilarity, arrays: DeviceArrays, n_entries: int
    ) -> None:
        self._similarity, self._arrays, self._n_entries = similarity, arrays, n_entries
        self._place = np.full(len(similarity.all.ids), -1, dtype=np.int64)
        self._columns: ColumnSet | None = None
        self._level = -np.inf
        self._kept: Any = None
        self._count = 0

    def of(self, vertices: Ints, columns: ColumnSet, level: float) -> tuple[Any, Ints]:
        """Rows of distinct vertices: an array, valid until the next call, and positions.

        The array must not be changed. Entries below the level are 0; entries of padding columns
        are undefined.
        """
        if columns is not self._columns or level != self._level:
            self._columns, self._level, self._kept = columns, level, None
        missing = vertices[self._place[vertices] < 0] if self._kept is not None else vertices
        if self._kept is None or self._count + len(missing) > len(self._kept):
            self._place.fill(-1)
            self._count, missing = 0, vertices
        if len(missing):
            block = self._similarity.block(self._arrays.put(missing), columns)
            least = self._similarity.least(level)
            if least > -np.inf:
                block[block < least] = 0.0
            if self._kept is None or len(self._kept) < len(block):
                most = min(self._n_entries // block.shape[1], len(self._place))
                # Release the cached rows before allocating new ones.
                self._kept = None
                self._kept = self._arrays.room((max(len(block), most), block.shape[1]), block)
            last = self._count + len(block)
            self._kept[self._count : last, :] = block
            self._place[missing] = np.arange(self._count, last)
            self._count = last
        return self._kept, self._place[vertices]


@dataclass(frozen=True)
class ColumnSet:
    """Columns on the device; padding columns fill the last block.

    `ids` are their ascending numbers on the host, `numbers` the same on the device, −1 for
    padding. `penalty` is −∞ for padding and used columns, 0 for others. The other arrays lie on
    the device and are those of `topofs._kernels.column_weights.ColumnWeights`.
    """

    ids: Ints
    numbers: Any
    values: Any
    sums: Any
    spreads: Any
    deviation: Any
    penalty: Any


class DeviceSimilarity:
    """Entries of a similarity on a device, in the host's order of operations.

    `rounding` bounds the difference to the host's entries. The largest entry is searched in
    blocks of `width` columns first.
    """

    def __init__(
        self, weights: ColumnWeights, dtype: np.dtype[Any], arrays: DeviceArrays, width: int
    ) -> None:
        self.arrays, self.xp, self.width = arrays, arrays.xp, width
        self._weights, self._dtype = weights, dtype
        self._plain = (
            weights.scale == 1.0
            and not weights.sums.any()
            and bool((weights.spreads == 1.0).all())
        )
        self.rounding = rounding_of(weights, dtype, unit=2.0**-53)
        # Whether products are rounded to float32 at once.
        self._single = False
        self.all = self._put()

    def in_single(self) -> DeviceSimilarity:
        """The operator with products in float32, if rounding is allowed; otherwise this one.

        The steps after a product then read and write half of the bytes.
        """
        if self.rounding.exact or not self._plain or self._weights.kind == ENERGY:
            return self
        single = copy(self)
        single.rounding = replace(self.rounding, finish=2.0**-22)
        single._single = True  # noqa: SLF001
        return single

    def _put(self) -> ColumnSet:
        """All columns, on the device."""
        weights, put = self._weights, self.arrays.put
        n = len(weights.values)
        more = -n % self.width
        deviation = weights.deviation if weights.kind == ENERGY else np.zeros(n)
        none = put(np.zeros((more, weights.values.shape[1])))
        values = self.xp.astype(put(weights.values), self.xp.float64)
        return ColumnSet(
            ids=np.arange(n),
            numbers=put(_padded(np.arange(n), more, -1)),
            values=self.xp.concat([values, none]),
            sums=put(_padded(weights.sums, more, 0.0)),
            spreads=put(_padded(weights.spreads, more, 1.0)),
            deviation=put(_padded(deviation, more, 0.0)),
            penalty=put(_padded(np.zeros(n, np.float32), more, -np.inf)),
        )

    def among(self, columns: ColumnSet, places: Ints) -> ColumnSet:
        """Some of the columns, by ascending positions."""
        put, more = self.arrays.put, -len(places) % self.width
        # A padding column repeats another column; its number is −1.
        chosen = put(_padded(places, more, 0))
        numbers = columns.ids[places]
        return ColumnSet(
            ids=numbers,
            numbers=put(_padded(numbers, more, -1)),
            values=columns.values[chosen],
            sums=columns.sums[chosen],
            spreads=columns.spreads[chosen],
            deviation=columns.deviation[chosen],
            penalty=put(_padded(np.zeros(len(places), np.float32), more, -np.inf)),
        )

    def block(self, rows: Any, columns: ColumnSet) -> Any:
        """Entries of rows, by slice or device numbers, with some columns; no penalty."""
        xp, weights = self.xp, self._weights
        block = self.multiply(self.all.values[rows], columns.values)
        if self._single:
            block = xp.astype(block, xp.float32)
        if not self._plain:
            block *= weights.scale
            block -= self.all.sums[rows][:, None] * columns.sums[None, :]
            block /= xp.sqrt(self.all.spreads[rows][:, None] * columns.spreads[None, :])
            block = xp.clip(block, -1.0, 1.0)
        if weights.kind == SQUARED:
            block *= block
        elif weights.kind == ENERGY:
            block = (1.0 - xp.abs(block)) * (1.0 - weights.alpha)
            spread = xp.maximum(self.all.deviation[rows][:, None], columns.deviation[None, :])
            block += weights.alpha * spread
        if self.rounding.exact and self._dtype == np.float32:
            block = xp.astype(block, xp.float32)
        return block

    def mean_of_squares(self) -> float | None:
        """Σᵢⱼ r²ᵢⱼ / n² = ‖C⊤C‖² / n² of plain columns C that are squared; None of others."""
        n, n_samples = self._weights.values.shape
        if not self._plain or self._weights.kind != SQUARED or 2 * n_samples > n:
            return None
        gram = self.all.values.T @ self.all.values
        squares = float(self.xp.sum(gram * gram))
        return squares / int(n) ** 2

    def cut(self, values: Any, least: float) -> Any:
        """Set entries below a level to 0, except those of padding."""
        if least == -np.inf:
            return values
        return self.xp.where((values >= least) | (values == -np.inf), values, 0.0)

    def least(self, level: float) -> float:
        """The least value on the device of an entry that may reach the level on the host."""
        if level == -np.inf:
            return level
        least: np.floating[Any] = np.float64(level - self.rounding.margin(level, 1))
        if self.rounding.exact and self._dtype == np.float32:
            # Entries are compared in float32: take the least float32 that reaches the level.
            rounded = np.float32(least)
            up = np.nextafter(rounded, np.float32(np.inf))
            return float(up if rounded < least else rounded)
        if self._single:
            return float(np.nextafter(np.float32(least), np.float32(-np.inf)))
        return float(least)

    def multiply(self, left: Any, right: Any) -> Any:
        """Products of all rows of two arrays of columns."""
        return left @ right.T


def _padded(values: npt.NDArray[Any], more: int, with_value: float) -> npt.NDArray[Any]:
    """The values, padded to a length."""
    return np.concatenate([values, np.full(more, with_value, values.dtype)])
