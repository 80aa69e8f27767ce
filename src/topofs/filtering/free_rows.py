"""Rows of a similarity over the columns that were free lately."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.row_threads import for_row_ranges

if TYPE_CHECKING:
    from topofs.filtering.products import Products

__all__ = ["FreeRows"]

Block = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.int64]


class FreeRows:
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

    def of_free_columns(self, penalty: Block) -> FreeRows:
        """Start again with the columns that are free now."""
        free = np.flatnonzero(penalty == 0)
        return FreeRows(self._products, free, self.level, self._n_kept)

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
