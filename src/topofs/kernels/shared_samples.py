"""Correlation of two columns over the samples that both have."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit

__all__ = ["correlate_pairs"]


@njit(cache=True, nogil=True)
def correlate_pairs(
    columns: npt.NDArray[Any],
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    correlation: npt.NDArray[np.float64],
) -> None:
    """Write the correlation of the given pairs of rows; 0 where it is undefined.

    NaN marks a missing value. Two passes a pair over its shared samples: centre and scale
    first, products after. Only pairs for which products of whole matrices are too inaccurate
    come here.
    """
    n_samples = columns.shape[1]
    for pair in range(len(left)):
        x, y = columns[left[pair]], columns[right[pair]]
        count = 0
        low_x = low_y = np.inf
        high_x = high_y = -np.inf
        for s in range(n_samples):
            if not (np.isnan(x[s]) or np.isnan(y[s])):
                count += 1
                low_x, high_x = min(low_x, x[s]), max(high_x, x[s])
                low_y, high_y = min(low_y, y[s]), max(high_y, y[s])
        correlation[pair] = 0.0
        if count < 2 or low_x == high_x or low_y == high_y:
            continue
        # Large ones are halved first, so that their width does not overflow; small ones are
        # not, for half of the smallest float is 0.
        half_x = 0.5 if max(high_x, -low_x) > 1.0 else 1.0
        half_y = 0.5 if max(high_y, -low_y) > 1.0 else 1.0
        width_x, width_y = half_x * high_x - half_x * low_x, half_y * high_y - half_y * low_y
        mean_x = mean_y = 0.0
        for s in range(n_samples):
            if not (np.isnan(x[s]) or np.isnan(y[s])):
                mean_x += (half_x * x[s] - half_x * low_x) / width_x
                mean_y += (half_y * y[s] - half_y * low_y) / width_y
        mean_x /= count
        mean_y /= count
        xx = yy = xy = 0.0
        for s in range(n_samples):
            if not (np.isnan(x[s]) or np.isnan(y[s])):
                dx = (half_x * x[s] - half_x * low_x) / width_x - mean_x
                dy = (half_y * y[s] - half_y * low_y) / width_y - mean_y
                xx += dx * dx
                yy += dy * dy
                xy += dx * dy
        correlation[pair] = xy / np.sqrt(xx * yy)
