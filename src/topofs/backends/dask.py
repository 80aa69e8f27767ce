"""Columns on dask workers: products without the matrix, and their order by values.

If the matrix does not fit on the client, client and workers both hold the columns. Workers
survey all rows, and the client decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs._kernels.survey import (
    Surveyed,
    add_tile,
    nothing_surveyed,
    packed,
    round_off_of,
    unpacked,
)
from topofs._kernels.top_lists import empty_lists
from topofs.backends.dask_similarity import gather_columns, joined, prepare_blocks
from topofs.backends.dask_table import (
    in_blocks,
    least_worker_memory,
    most_worker_threads,
    whole_columns,
)
from topofs.errors import import_extra
from topofs.graphs.products import BlockedProducts
from topofs.similarity.column_order import (
    DISTANCE,
    STANDING,
    HashedRows,
    inverse_permutation,
    order_by_keys,
    same_mirrored,
    tied_keys,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from topofs._kernels.top_lists import TopLists
    from topofs.backends.dask_similarity import PreparedBlocks
    from topofs.similarity.base import Measure
    from topofs.typing import Bools, Doubles, Floats, Ints

    Ids = npt.NDArray[np.int32]
    Hashes = npt.NDArray[np.uint64]

dask: Any = import_extra("dask", extra="dask", purpose="A dask collection as X")

# Memory of a worker without data; shares of its memory above which dask moves data to disk, and
# above which dask pauses the worker.
_PROCESS = 300 * 10**6
_SPILLED, _PAUSED = 0.6, 0.8
# Rows that a worker multiplies at a time.
_TILE_ROWS = 512
# Up to this number of products the client is faster than a round of tasks.
_PRODUCTS_OF_CLIENT = 2 * 10**10


def columns_on_both_sides(
    table: Any, measure: Measure, memory: int, too_large: str
) -> tuple[Floats, PreparedBlocks, int]:
    """Load the columns of a checked table, and prepare them on the workers, too.

    Gives the columns that vary, those on the workers, and the remaining memory of the client.
    Errors begin with `too_large`, which states that the matrix is too large.
    """
    from topofs.graphs.tmfg_out_of_core import least_memory

    n_samples, n_features = table.shape
    itemsize = table.dtype.itemsize
    # Three copies: as given, prepared, and in order.
    held = n_features * n_samples * (itemsize + 8 + 8)
    needed = held + least_memory(n_features, n_samples, itemsize)
    if needed > memory:
        raise ValueError(
            f"{too_large}, and to build the graph without it takes {needed / 1e9:.3g} GB there, "
            f"but memory allows {memory / 1e9:.3g} GB: allow more, or select among fewer columns "
            "or samples"
        )
    at_once = _columns_of_a_task(8 * n_samples * n_features)
    # Read once, for client and workers; if a worker dies later, its part is read again.
    chunks = dask.persist(*whole_columns(table, measure).to_delayed()[0])
    prepared = replace(prepare_blocks(chunks, measure), at_once=at_once)
    values = gather_columns(chunks, ~prepared.constant, n_samples, table.dtype)
    return values, prepared, memory - held


def _columns_of_a_task(n_bytes: int) -> int:
    """Bytes of columns that a task may request; refuse workers with too little memory."""
    has = least_worker_memory()
    # Workers keep copies of data of other workers until dask moves them to disk; full ones
    # pause.
    kept = min(n_bytes, int(_SPILLED * has))
    if kept + _PROCESS > _PAUSED * has:
        least = min((n_bytes + _PROCESS) / _PAUSED, _PROCESS / (_PAUSED - _SPILLED))
        raise ValueError(
            f"a worker has {has / 1e9:.3g} GB, but to compare columns of {n_bytes / 1e9:.3g} GB "
            f"without the matrix each needs {least / 1e9:.3g} GB: start workers with more memory, "
            "or select among fewer columns"
        )
    return has // (5 * most_worker_threads())


@dataclass(frozen=True)
class _Survey:
    """Parameters of a survey, the same for all rows, as in `topofs._kernels.survey`.

    It holds the positions of the columns that take part in each block, and their vertices.
    """

    columns: tuple[Ids, ...]
    vertices: tuple[Ids, ...]
    level: float
    cuts: Doubles
    list_length: int
    dtype: np.dtype[Any]
    round_off: float


class WorkerProducts(BlockedProducts):
    """Products of an operator: workers compute all rows, the client computes few rows.

    `order` gives the column of the blocks for each column of the operator; by default the same.
    """

    def __init__(
        self, operator: Any, prepared: PreparedBlocks, order: Ints | None = None
    ) -> None:
        super().__init__(operator)
        order = np.arange(operator.n_features) if order is None else order
        self._blocks = prepared.blocks
        starts = np.cumsum([0, *map(len, prepared.diagonals)]).tolist()
        place = inverse_permutation(order).astype(np.int32)
        self._vertices = tuple(place[first:last] for first, last in pairwise(starts))
        self._groups = list(_groups(np.diff(starts), 8 * operator.n_samples, prepared.at_once))

    def survey(
        self,
        level: float,
        cuts: Sequence[float],
        list_length: int,
        n_rows: int,  # noqa: ARG002 - workers take tiles
    ) -> tuple[TopLists, Doubles]:
        """One pass by the workers: lists, the sum of each row, and its sums above the cuts."""
        lists = empty_lists(self.n_features, list_length, self.dtype)
        totals = np.empty((1 + len(cuts), self.n_features))
        columns = tuple(np.arange(len(some), dtype=np.int32) for some in self._vertices)
        for vertices, found in self._ask(columns, level, cuts, list_length):
            totals[0, vertices] = found.sums + found.rests
            totals[1:, vertices] = found.above
            if list_length:
                _put_lists(vertices, found, self.n_features - 1, lists)
        return lists, totals

    def refill(self, columns: Ints, level: float, lists: TopLists, n_rows: int) -> None:
        """Fill all lists from chosen columns; few products are computed on the client."""
        if self.n_features * len(columns) * self.n_samples <= _PRODUCTS_OF_CLIENT:
            super().refill(columns, level, lists, n_rows)
            return
        chosen = np.zeros(self.n_features, dtype=np.bool_)
        chosen[columns] = True
        inside = tuple(np.flatnonzero(chosen[some]).astype(np.int32) for some in self._vertices)
        for vertices, found in self._ask(inside, level, [], lists.weight.shape[1]):
            _put_lists(vertices, found, len(columns) - chosen[vertices], lists)

    def _ask(
        self, columns: tuple[Ids, ...], level: float, cuts: Sequence[float], list_length: int
    ) -> Iterator[tuple[Ids, Surveyed]]:
        """Survey the rows of each block in chosen columns; yield the blocks as they finish."""
        # No entry of a measure with products exceeds 1.
        round_off = round_off_of(self.n_features)
        asked = dask.delayed(_Survey)(
            columns,
            self._vertices,
            level,
            np.array(cuts, dtype=np.float64),
            list_length,
            self.dtype,
            round_off,
        )
        survey = dask.delayed(_survey_block)
        tasks = []
        for i, block in enumerate(self._blocks):
            found = None
            for group in self._groups_from(i):
                found = survey(found, i, block, group, [self._blocks[j] for j in group], asked)
            tasks.append(found)
        waiting = list(dask.persist(*tasks))
        for i, vertices in enumerate(self._vertices):
            (found,) = dask.compute(waiting[i])
            # Release finished results on the cluster, too.
            waiting[i] = None
            yield vertices, found

    def _groups_from(self, i: int) -> list[list[int]]:
        """The groups of blocks, starting with that of block i, as near columns are often alike.

        Lists that begin with strong links rarely change, and tasks do not all need the same
        block.
        """
        own = next(g for g, group in enumerate(self._groups) if i in group)
        turned = self._groups[own:] + self._groups[:own]
        place = turned[0].index(i)
        return [turned[0][place:] + turned[0][:place], *turned[1:]]


def _groups(widths: Sequence[int], column_bytes: int, at_once: int) -> Iterator[list[int]]:
    """Cut blocks into runs of at most this many bytes, with at least one block each."""
    group: list[int] = []
    held = 0
    for i, width in enumerate(widths):
        if group and held + width * column_bytes > at_once:
            yield group
            group, held = [], 0
        group.append(i)
        held += width * column_bytes
    if group:
        yield group


def _put_lists(vertices: Ids, found: Surveyed, n_others: int | Ints, lists: TopLists) -> None:
    """Write the lists of some vertices; other vertices are outside if there are more."""
    k = lists.weight.shape[1]
    lists.weight[vertices], lists.vertex[vertices] = found.weight, found.vertex
    lists.length[vertices], lists.head[vertices] = found.length, 0
    outside = found.length < n_others
    lists.floor[vertices] = np.where(outside, found.weight[:, k - 1], -np.inf)


def _survey_block(
    before: Surveyed | None,
    i: int,
    rows: Any,
    group: Sequence[int],
    blocks: Sequence[Any],
    asked: _Survey,
) -> Surveyed:
    """Survey the rows of block i in the columns of some blocks (on a worker)."""
    m = rows.n_features
    if before is None:
        like = np.empty(0, dtype=asked.dtype)
        found = nothing_surveyed(m, asked.list_length, 1 + len(asked.cuts), like)
    else:
        # Copy: dask may run the task again with the same input.
        found = unpacked(before)
    own, diagonal = asked.vertices[i], rows.diagonal()
    for j, block in zip(group, blocks, strict=True):
        chosen = asked.columns[j]
        if not len(chosen):
            continue
        among = block if len(chosen) == block.n_features else block.select(chosen)
        vertices = asked.vertices[j][chosen]
        for first in range(0, m, _TILE_ROWS):
            some = slice(first, min(first + _TILE_ROWS, m))
            tile = np.asarray(rows.cross(some, among), dtype=asked.dtype)
            if i == j:
                here = np.flatnonzero((chosen >= some.start) & (chosen < some.stop))
                tile[chosen[here] - first, here] = diagonal[chosen[here]]
            add_tile(
                tile, first, own, vertices, asked.level, asked.cuts, asked.round_off, found
            )
    return packed(found)


def order_on_workers(array: Any, varying: Bools, spans: Doubles) -> Ints:
    """Order the columns of a checked dask array that vary as `value_order` does in memory.

    Hashes are sums of whole numbers, so the hashes of chunks are added up. This takes one pass
    over the table, and one or two more if columns have the same distances from their means.
    """
    array = in_blocks(array)
    # The start of each block among all columns, and among those that vary.
    edges = np.cumsum([0, *array.chunks[1]]).tolist()
    starts = np.cumsum([0, *varying])[edges].tolist()
    take = dask.delayed(_varying_columns)
    blocks = [
        [dask.delayed(varying[first:last]), dask.delayed(spans[start:stop])]
        for (first, last), (start, stop) in zip(pairwise(edges), pairwise(starts), strict=True)
    ]
    bands = [
        [take(chunk, *block) for chunk, block in zip(band, blocks, strict=True)]
        for band in array.to_delayed().tolist()
    ]
    distances = dask.delayed(_distances)
    multisets = _added_up([[distances(part) for part in band] for band in bands])

    @cache
    def further_keys() -> Hashes:
        tied = tied_keys(multisets)
        seeds = [dask.delayed(multisets[start:stop]) for start, stop in pairwise(starts)]
        some = [
            dask.delayed(np.flatnonzero(tied[start:stop])) for start, stop in pairwise(starts)
        ]
        of_rows, add = dask.delayed(_row_hashes), dask.delayed(_sum)
        rows = [add(list(map(of_rows, band, seeds))) for band in bands]
        if len(seeds) > 1:
            # Otherwise all blocks of some rows would wait for each other.
            rows = dask.persist(*rows)
        ask, begin = dask.delayed(_keys_of_tied), np.cumsum([0, *array.chunks[0]]).tolist()
        found = _added_up(
            [
                [ask(part, these, first, which) for part, which in zip(band, some, strict=True)]
                for band, these, first in zip(bands, rows, begin, strict=False)
            ]
        )
        there, back, *others = found
        keys = np.zeros((len(others) + 1, len(multisets)), np.uint64)
        keys[:, tied] = [same_mirrored(there, back), *others]
        return keys

    return order_by_keys(
        multisets, *(lambda some, k=k: further_keys()[k, some] for k in range(4))
    )


def _added_up(bands: list[list[Any]]) -> Hashes:
    """Add up the hashes of all bands of rows, and concatenate those of the blocks."""
    found = dask.compute(*[joined(list(block), _sum) for block in zip(*bands, strict=True)])
    return np.concatenate(found, axis=-1)


def _varying_columns(chunk: Floats, varying: Bools, spans: Doubles) -> HashedRows:
    """The columns of a chunk that vary (on a worker)."""
    return HashedRows(chunk if varying.all() else chunk[:, varying], spans)


def _distances(part: HashedRows) -> Hashes:
    n_samples, n_features = part.table.shape
    return part.hashes(DISTANCE, np.zeros(n_samples, np.uint64), np.arange(n_features))


def _row_hashes(part: HashedRows, seeds: Hashes) -> Hashes:
    """Hashes of the rows of a chunk, without and with the side of the mean."""
    return np.stack([part.of_rows(DISTANCE, seeds), part.of_rows(STANDING, seeds)])


def _keys_of_tied(part: HashedRows, rows: Hashes, first: int, some: Ints) -> Hashes:
    """All hashes of some columns, from one chunk."""
    return part.further_hashes(rows[0], rows[1], first, some)


def _sum(parts: Sequence[Hashes]) -> Hashes:
    return np.asarray(np.sum(parts, axis=0, dtype=np.uint64))
