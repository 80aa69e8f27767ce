"""The engine of dask workers: the table is reduced where its chunks lie.

The engine of dask workers without the matrix: they survey rows, the client decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs._kernels.survey import (
    Surveyed,
    add_tile,
    nothing_surveyed,
    packed,
    round_off_of,
    unpacked,
)
from topofs._kernels.top_lists import empty_lists
from topofs.backends.base import Engine
from topofs.backends.dask_similarity import gather_columns, prepare_blocks
from topofs.backends.dask_table import (
    dask_similarity,
    least_worker_memory,
    most_worker_threads,
    whole_columns,
)
from topofs.errors import import_extra
from topofs.graphs.products import BlockedProducts
from topofs.similarity.column_order import places
from topofs.terms import registered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topofs._kernels.top_lists import TopLists
    from topofs.backends.dask_similarity import PreparedBlocks
    from topofs.backends.dask_table import DaskSimilarity
    from topofs.similarity.base import Measure
    from topofs.similarity.operator import ColumnOperator


__all__ = ["DaskEngine", "WorkerEngine", "WorkerProducts"]


Floats = npt.NDArray[np.floating[Any]]


# The matrix, and a block of rows while it is filled.
_MATRICES = 1.2


# What a worker takes without any data; the shares of its memory from which dask moves data to
# disk, and from which it stops working.
_PROCESS = 300 * 10**6


_SPILLED, _PAUSED = 0.6, 0.8


@dataclass(frozen=True)
class DaskEngine(Engine):
    """Products on workers; the finished matrix comes to the client, or the columns do.

    Attributes
    ----------
    memory : int
        Bytes that the client may use.
    """

    def holds_similarity(self, table: Any) -> bool:
        """Whether the matrix of a table, and a block of rows beside it, fit into memory here."""
        return self.holds_matrix(table.shape[1], table.dtype.itemsize, matrices=_MATRICES)

    def similarity(self, table: Any, measure: Measure) -> DaskSimilarity:
        """Compute the similarity of a checked table, if its matrix fits into memory here.

        Parameters
        ----------
        table : dask.array.Array
            As by `topofs.backends.dask_table.check_dask_table`.
        measure : Measure
            One that a product of prepared columns gives; others need the table in memory and
            are refused.

        Returns
        -------
        DaskSimilarity
        """
        _check_measure(measure)
        if not self.holds_similarity(table):
            raise ValueError(
                f"{_too_large(table)}, but memory allows {self.memory / 1e9:.3g} GB: allow more, "
                "or select among fewer columns"
            )
        return dask_similarity(table, measure)

    def columns(
        self, table: Any, measure: Measure
    ) -> tuple[Floats, npt.NDArray[np.bool_], WorkerEngine]:
        """Bring the columns of a checked table here, and prepare them on the workers, too.

        Parameters
        ----------
        table, measure
            As for `similarity`.

        Returns
        -------
        table : array, shape (n_samples, n_varying)
            The columns that vary.
        constant : array of bool, shape (n_features,)
            The columns that do not.
        engine : WorkerEngine
            For those that vary.
        """
        from topofs.graphs.tmfg_out_of_core import least_memory

        _check_measure(measure)
        n_samples, n_features = table.shape
        itemsize = table.dtype.itemsize
        # As they are, prepared, and in order.
        held = n_features * n_samples * (itemsize + 8 + 8)
        needed = held + least_memory(n_features, n_samples, itemsize)
        if needed > self.memory:
            raise ValueError(
                f"{_too_large(table)}, and to build the graph without it takes "
                f"{needed / 1e9:.3g} GB there, but memory allows {self.memory / 1e9:.3g} GB: allow "
                "more, or select among fewer columns or samples"
            )
        at_once = _columns_of_a_task(8 * n_samples * n_features)
        dask = import_extra("dask", extra="dask", purpose="A dask collection as X")
        # Read once, for both sides; whoever dies later reads again.
        chunks = dask.persist(*whole_columns(table, measure).to_delayed()[0])
        prepared = prepare_blocks(chunks, measure)
        values = gather_columns(chunks, ~prepared.constant, (n_samples, table.dtype))
        return values, prepared.constant, WorkerEngine(self.memory - held, prepared, at_once)


def _columns_of_a_task(n_bytes: int) -> int:
    """Bytes of columns that a task may ask for; workers that have too little are refused."""
    has = least_worker_memory()
    # Workers keep what others hold, too, until dask moves it to disk; full ones stop.
    kept = min(n_bytes, int(_SPILLED * has))
    if kept + _PROCESS > _PAUSED * has:
        least = min((n_bytes + _PROCESS) / _PAUSED, _PROCESS / (_PAUSED - _SPILLED))
        raise ValueError(
            f"a worker has {has / 1e9:.3g} GB, but to compare columns of {n_bytes / 1e9:.3g} GB "
            f"without the matrix each needs {least / 1e9:.3g} GB: start workers with more memory, "
            "or select among fewer columns"
        )
    return has // (5 * most_worker_threads())


def _check_measure(measure: Measure) -> None:
    """Refuse a measure that no product gives."""
    if measure.products is None:
        known = [name for name, other in registered("similarity").items() if other.products]  # type: ignore[attr-defined]
        raise ValueError(
            f"similarity is {measure.name!r}, which needs X in memory: pass X.compute(), or "
            f"for a dask table use one of {', '.join(map(repr, known))}"
        )


def _too_large(table: Any) -> str:
    """The beginning of a sentence."""
    needed = table.shape[1] ** 2 * table.dtype.itemsize * _MATRICES
    return (
        f"the similarity of {table.shape[1]} columns takes {needed / 1e9:.3g} GB on the client"
    )


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
    """What is asked of rows, the same for all, as in `topofs._kernels.survey`.

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
