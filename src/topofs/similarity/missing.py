"""Correlation over the samples that two columns share, by matrix products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.similarity.operator import RowsAlike

__all__ = ["PairwiseCorrelation", "pairwise_correlation"]

Floats = npt.NDArray[np.floating[Any]]

# Values of pairs that are looked at together; they stay in the cache.
_BLOCK = 1 << 14

_LEAST_SPREAD = float(np.sqrt(np.finfo(np.float64).eps))


@dataclass(frozen=True)
class PairwiseCorrelation(RowsAlike):
    r"""Pairwise-complete correlation: each pair uses the samples where both are observed.

    With `mask` M (1 where observed) and `values` C (0 where missing), for every pair at once:
    count :math:`m = M M^\top`, sums :math:`s = C M^\top`, squares :math:`q = C^{2} M^\top`,
    products :math:`G = C C^\top`, and

    .. math::
       r_{ij} = \frac{m_{ij} G_{ij} - s_{ij} s_{ji}}
                     {\sqrt{(m_{ij} q_{ij} - s_{ij}^2)\,(m_{ij} q_{ji} - s_{ji}^2)}}

    A pair that shares fewer than two samples, or on whose shared samples one column is
    constant, has no correlation and gets 0. A pair for which one of the two differences
    under the root loses more than half of its digits (a column whose spread lies mostly in
    samples that the other misses) is computed by itself, from the `columns` as given, with NaN.
    All three arrays have one row a feature.
    """

    columns: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    mask: npt.NDArray[np.float64]
    dtype: np.dtype[Any]

    def block(self, rows: slice, columns: slice) -> Floats:
        """Entries of the given rows and columns."""
        left, left_mask = self.values[rows], self.mask[rows]
        right, right_mask = self.values[columns].T, self.mask[columns].T
        count = left_mask @ right_mask
        left_sum, right_sum = left @ right_mask, left_mask @ right
        left_spread, left_lost = _spread(count, left_sum, (left * left) @ right_mask)
        right_spread, right_lost = _spread(count, right_sum, left_mask @ (right * right))
        correlation = count * (left @ right)
        correlation -= left_sum * right_sum
        correlation /= np.sqrt(left_spread * right_spread)
        i, j = np.nonzero(left_lost | right_lost)
        pairs = i + (rows.start or 0), j + (columns.start or 0)
        correlation[i, j] = _correlation_of_pairs(self.columns, *pairs)
        np.clip(correlation, -1.0, 1.0, out=correlation)
        return correlation

    def shared_samples(
        self, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Count the samples that both columns of pairs have; a row and a column: of a block."""
        if left.ndim == 2:
            return np.asarray(self.mask[left[:, 0]] @ self.mask[right[0]].T)
        # One pair at a time: a row may have millions of samples.
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([self.mask[i] @ self.mask[j] for i, j in pairs], dtype=np.float64)


def _spread(
    count: Floats, total: Floats, squares: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """m·q − s², and where it has lost more than half of its digits (there 1 stands for it)."""
    highest = count * squares
    spread = highest - total * total
    lost = spread <= _LEAST_SPREAD * highest
    spread[lost] = 1.0
    return spread, lost


def _correlation_of_pairs(
    columns: npt.NDArray[np.float64], left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Correlate pairs of rows over the samples that both have; 0 where it is undefined."""
    found = np.zeros(len(left))
    step = max(1, _BLOCK // max(1, columns.shape[1]))
    for first in range(0, len(left), step):
        i, j = left[first : first + step], right[first : first + step]
        x, y = columns[i], columns[j]
        apart = np.isnan(x) | np.isnan(y)
        x[apart] = y[apart] = np.nan
        extremes = [extreme.reduce(z, axis=1) for z in (x, y) for extreme in (np.fmin, np.fmax)]
        low_x, high_x, low_y, high_y = extremes
        vary = np.flatnonzero((low_x < high_x) & (low_y < high_y))
        apart = apart[vary]
        x = _centred(x[vary], apart, low_x[vary], high_x[vary])
        y = _centred(y[vary], apart, low_y[vary], high_y[vary])
        lengths = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
        found[first + vary] = (x * y).sum(axis=1) / lengths
    return found


def _centred(
    rows: npt.NDArray[np.float64],
    missing: npt.NDArray[np.bool_],
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Shift rows to the mean of what they have, scale them by their range; 0 where missing."""
    # Large ones are halved first, so that their range does not overflow; small ones are not,
    # for half of the smallest float is 0.
    half = np.where(np.maximum(high, -low) > 1.0, 0.5, 1.0)
    rows *= half[:, None]
    rows -= (half * low)[:, None]
    rows /= (half * high - half * low)[:, None]
    rows[missing] = 0.0
    rows -= (rows.sum(axis=1) / (~missing).sum(axis=1))[:, None]
    rows[missing] = 0.0
    return rows


def pairwise_correlation(columns: Floats, dtype: np.dtype[Any]) -> PairwiseCorrelation:
    """Prepare columns with missing values (NaN), one a row.

    Whole numbers stay so (shifted near zero), other rows are centred and scaled to at most 1.
    """
    observed = ~np.isnan(columns)
    values = np.where(observed, columns, 0.0).astype(np.float64)
    counts = np.maximum(observed.sum(axis=1, keepdims=True), 1)
    whole = (values == np.rint(values)).all(axis=1, keepdims=True)
    largest = np.abs(values).max(axis=1, keepdims=True)
    whole &= largest < 2.0**53
    # A power of two rounds nothing, and keeps the sums from overflowing.
    exponent = np.where(whole, 0, np.frexp(largest)[1])
    np.ldexp(values, -exponent, out=values)
    for _ in range(2):
        # The second turn removes what rounding left of a mean far larger than the spread.
        centre = values.sum(axis=1, keepdims=True) / counts
        values -= np.where(whole, np.rint(centre), centre)
        values[~observed] = 0.0
    largest = np.abs(values).max(axis=1, keepdims=True)
    values /= np.where(whole | (largest == 0), 1.0, largest)
    given = np.ascontiguousarray(columns, dtype=np.float64)
    return PairwiseCorrelation(given, values, observed.astype(np.float64), dtype)
