"""Rows of a similarity that are kept on a device, because faces share their corners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from topofs.engines.device_arrays import DeviceArrays
    from topofs.engines.device_columns import ColumnSet, DeviceSimilarity

__all__ = ["DeviceRows"]

IntArray = npt.NDArray[np.int64]


class DeviceRows:
    """Rows among a set of columns, as many as there is room for; then all are forgotten.

    At most `n_entries` entries are kept, unless one question needs more.
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

    def of(self, vertices: IntArray, columns: ColumnSet, level: float) -> tuple[Any, IntArray]:
        """Rows of vertices, each named once: an array that holds until the next call, and where.

        It must not be changed. Entries below the level are 0; those of columns that are none
        are anything.
        """
        if columns is not self._columns or level != self._level:
            self._columns, self._level, self._kept = columns, level, None
        missing = vertices[self._place[vertices] < 0] if self._kept is not None else vertices
        if self._kept is None or self._count + len(missing) > len(self._kept):
            self._place.fill(-1)
            self._count, missing = 0, vertices
        if len(missing):
            self._keep(missing, self._multiplied(missing))
        return self._kept, self._place[vertices]

    def _multiplied(self, vertices: IntArray) -> Any:
        assert self._columns is not None
        block = self._similarity.block(self._arrays.put(vertices), self._columns)
        least = self._similarity.least(self._level)
        if least > -np.inf:
            block[block < least] = 0.0
        return block

    def _keep(self, vertices: IntArray, block: Any) -> None:
        if self._kept is None or len(self._kept) < len(block):
            most = min(self._n_entries // block.shape[1], len(self._place))
            n_rows = max(len(block), most)
            # Let go of the rows kept before room for others is made.
            self._kept = None
            self._kept = self._arrays.room((n_rows, block.shape[1]), block)
        last = self._count + len(block)
        self._kept[self._count : last, :] = block
        self._place[vertices] = np.arange(self._count, last)
        self._count = last
