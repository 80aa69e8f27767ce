"""Prepared columns on a device, and blocks of their similarity there."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.filtering.rounding import rounding_of
from topofs.kernels.column_weights import ENERGY, SQUARED

if TYPE_CHECKING:
    from topofs.engines.device_arrays import DeviceArrays
    from topofs.kernels.column_weights import ColumnWeights

__all__ = ["ColumnSet", "DeviceSimilarity"]

IntArray = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ColumnSet:
    """Columns on the device; at their end some that are none fill the last block.

    `ids` are their numbers here, ascending, `numbers` the same there, −1 for those that are
    none; `penalty` is −∞ for those that are none or left out, 0 for others. What else there is
    lies on the device as in `topofs.kernels.column_weights.ColumnWeights`.
    """

    ids: IntArray
    numbers: Any
    values: Any
    sums: Any
    spreads: Any
    deviation: Any
    penalty: Any


class DeviceSimilarity:
    """Entries of a similarity on a device, in the host's order of operations.

    `rounding` is by how much they may differ from the host's. The largest entry is looked for
    in blocks of `width` columns first.
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
        # Whether products are rounded to float32 before anything else is done.
        self._single = False
        self.all = self._put()

    def in_single(self) -> DeviceSimilarity:
        """The same, rounded to float32, where rounding is allowed for; otherwise this one.

        What follows a product then reads and writes half of the bytes.
        """
        if self.rounding.exact or not self._plain or self._weights.kind == ENERGY:
            return self
        single = copy(self)
        single.rounding = replace(self.rounding, finish=2.0**-22)
        single._single = True  # noqa: SLF001
        return single

    def _put(self) -> ColumnSet:
        weights, put, xp = self._weights, self.arrays.put, self.xp
        n = len(weights.values)
        more = -n % self.width
        values = xp.concat(
            [
                xp.astype(put(weights.values), xp.float64),
                put(np.zeros((more, weights.values.shape[1]))),
            ]
        )
        deviation = weights.deviation if weights.kind == ENERGY else np.zeros(n)
        return ColumnSet(
            ids=np.arange(n),
            numbers=put(np.concatenate([np.arange(n), np.full(more, -1)])),
            values=values,
            sums=put(np.concatenate([weights.sums, np.zeros(more)])),
            spreads=put(np.concatenate([weights.spreads, np.ones(more)])),
            deviation=put(np.concatenate([deviation, np.zeros(more)])),
            penalty=self._penalty(n, more),
        )

    def _penalty(self, n: int, more: int) -> Any:
        """Nothing for n columns, −∞ for some more that are none."""
        return self.arrays.put(np.repeat(np.array([0.0, -np.inf], np.float32), [n, more]))

    def among(self, columns: ColumnSet, places: IntArray) -> ColumnSet:
        """Some of the columns, by their places, which ascend."""
        more = -len(places) % self.width
        # A column that is none repeats another one; its number tells.
        chosen = self.arrays.put(np.concatenate([places, np.zeros(more, dtype=np.int64)]))
        numbers = columns.ids[places]
        return ColumnSet(
            ids=numbers,
            numbers=self.arrays.put(np.concatenate([numbers, np.full(more, -1)])),
            values=columns.values[chosen],
            sums=columns.sums[chosen],
            spreads=columns.spreads[chosen],
            deviation=columns.deviation[chosen],
            penalty=self._penalty(len(places), more),
        )

    def block(self, rows: Any, columns: ColumnSet) -> Any:
        """Entries of rows, by a slice or numbers there, with a set of columns, without penalty."""
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
        """Let entries below a level count as 0, but for those that are none."""
        if least == -np.inf:
            return values
        return self.xp.where((values >= least) | (values == -np.inf), values, 0.0)

    def least(self, level: float) -> float:
        """What an entry must have here that may reach the level on the host."""
        if level == -np.inf:
            return level
        least: np.floating[Any] = np.float64(level - self.rounding.margin(level, 1))
        if self.rounding.exact and self._dtype == np.float32:
            # Entries are compared in float32: the least of these that reaches the level.
            rounded = np.float32(least)
            up = np.nextafter(rounded, np.float32(np.inf))
            return float(up if rounded < least else rounded)
        if self._single:
            return float(np.nextafter(np.float32(least), np.float32(-np.inf)))
        return float(least)

    def multiply(self, left: Any, right: Any) -> Any:
        """Products of all rows of two arrays of columns."""
        return left @ right.T
