"""By how much a similarity may differ that was computed from the same columns in another way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.kernels.column_weights import SQUARED

if TYPE_CHECKING:
    from topofs.kernels.column_weights import ColumnWeights

__all__ = ["Rounding", "rounding_of"]


@dataclass(frozen=True)
class Rounding:
    """How far entries may be from those of `topofs.kernels.column_weights.weight`.

    `error` is for a correlation, 0 where sums of whole numbers are not rounded at all, and all
    else is as IEEE 754 wants it; `finish` for what becomes of it, relative to the entry;
    `squared` is whether an entry is a square.
    """

    error: float
    finish: float
    squared: bool

    @property
    def exact(self) -> bool:
        """Whether entries have the same bits."""
        return self.error == 0

    def margin(self, value: Any, terms: int) -> Any:
        """By how much a sum of so many entries near a value may differ."""
        if self.exact:
            return np.zeros_like(value, dtype=np.float64)
        if self.squared:
            # Σ (√x + e)² ≤ Σ x + 2e √(t Σ x) + t e²
            size = np.maximum(value, 0.0)
            first_order = 2 * self.error * np.sqrt(terms * size) + self.finish * terms * size
            return first_order + terms * self.error**2 + 1e-300
        return np.full_like(value, terms * (self.error + self.finish), dtype=np.float64)


def rounding_of(weights: ColumnWeights, dtype: np.dtype[Any], *, unit: float) -> Rounding:
    """Bound the rounding of products of columns, of the unit 2⁻⁵³ or so, summed in any order."""
    parts = np.array_split(weights.values, max(1, weights.values.size >> 22))
    whole = all(bool((part == np.rint(part)).all()) for part in parts)
    # |Σ xy| of S terms, of columns not longer than √2 in units of what they are divided by,
    # and the host's own sum: its columns may be summed in an order of its own.
    error = 0.0 if whole else 4 * (weights.values.shape[1] + 16) * max(unit, 2.0**-53)
    finish = 2.0**-22 if dtype == np.float32 else 2.0**-51
    return Rounding(error, finish, squared=weights.kind == SQUARED)
