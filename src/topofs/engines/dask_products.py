"""The engine of dask workers without the matrix: they survey rows, the client decides."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.engines.engine import Engine
from topofs.errors import import_extra
from topofs.filtering.products import BlockedProducts
from topofs.kernels.tile_survey import (
    Surveyed,
    add_tile,
    nothing_surveyed,
    packed,
    round_off_of,
    unpacked,
)
from topofs.kernels.top_lists import empty_lists
from topofs.similarity.value_order import places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topofs.engines.dask_columns import PreparedBlocks
    from topofs.kernels.top_lists import TopLists
    from topofs.similarity.operator import ColumnOperator

__all__ = ["WorkerEngine", "WorkerProducts"]

Doubles = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]

# Rows that a worker multiplies at a time.
_TILE_ROWS = 512
# Up to so many products the client is faster than a round of tasks.
_PRODUCTS_OF_CLIENT = 2 * 10**10


@dataclass(frozen=True)
class WorkerEngine(Engine):
    """Products on workers, columns on both sides, and no matrix anywhere.

    Attributes
    ----------
    memory : int
        Bytes that the client may use beside the columns it holds.
    prepared : PreparedBlocks
        The same columns, prepared on the workers.
    at_once : int
        Bytes of columns that one task may ask for.
    """

    prepared: PreparedBlocks
    at_once: int

    def products(
        self, operator: ColumnOperator, order: IntArray | None = None
    ) -> WorkerProducts:
        """Give rows on the client, row sums and strongest links on the workers."""
        if order is None:
            order = np.arange(operator.n_features)
        return WorkerProducts(operator.select(order), self.prepared, order, self.at_once)


@dataclass(frozen=True)
class _Survey:
    """What is asked of rows, the same for all, as in `topofs.kernels.tile_survey`.

    For each block the places of its columns that take part, and the vertices that all of them
    are.
    """

    columns: tuple[Ids, ...]
    vertices: tuple[Ids, ...]
    level: float
    cuts: Doubles
    list_length: int
    dtype: np.dtype[Any]
    round_off: float


class WorkerProducts(BlockedProducts):
    """The products of an operator: all rows by workers, few rows by the client.

    `order` tells which column of the blocks each column of the operator is; `at_once` is how
    many bytes of columns one task may ask for.
    """

    def __init__(
        self, operator: ColumnOperator, prepared: PreparedBlocks, order: IntArray, at_once: int
    ) -> None:
        super().__init__(operator)
        self._blocks = prepared.blocks
        starts = np.cumsum([0, *map(len, prepared.diagonals)]).tolist()
        place = places(order).astype(np.int32)
        self._vertices = tuple(place[first:last] for first, last in pairwise(starts))
        self._groups = list(_groups(np.diff(starts), 8 * operator.n_samples, at_once))

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

    def refill(self, columns: IntArray, level: float, lists: TopLists, n_rows: int) -> None:
        """Fill all lists from chosen columns; where that is little, on the client."""
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
        """Survey the rows of each block in chosen columns, and give them as they come."""
        dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
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
            # What has come is let go of there, too.
            waiting[i] = None
            yield vertices, found

    def _groups_from(self, i: int) -> list[list[int]]:
        """The groups of blocks, from that of block i on: near columns are often alike.

        Lists that begin with strong links change seldom, and not all ask for the same block.
        """
        own = next(g for g, group in enumerate(self._groups) if i in group)
        turned = self._groups[own:] + self._groups[:own]
        place = turned[0].index(i)
        return [turned[0][place:] + turned[0][:place], *turned[1:]]


def _groups(widths: Sequence[int], column_bytes: int, at_once: int) -> Iterator[list[int]]:
    """Cut blocks into runs of so many bytes, of one block at least."""
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


def _put_lists(
    vertices: Ids, found: Surveyed, n_others: int | IntArray, lists: TopLists
) -> None:
    """Put lists of some vertices in their places; others are outside if there are more."""
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
    """Add what the columns of some blocks give to the rows of block i (on a worker)."""
    m = rows.n_features
    if before is None:
        like = np.empty(0, dtype=asked.dtype)
        found = nothing_surveyed(m, asked.list_length, 1 + len(asked.cuts), like)
    else:
        # A copy: the task may have to be done again with what it was given.
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
