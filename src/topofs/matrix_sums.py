"""Sums of the rows of a matrix, and what else is known after one pass over it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.kernels.dispatch import use_numpy

__all__ = ["check_rows", "row_sums", "zero_below"]

Matrix = npt.NDArray[Any]
Doubles = npt.NDArray[np.float64]

# Entries worked on at a time: a few arrays of them stay in the cache.
_BLOCK = 1 << 14
# Sums that run side by side, as in `topofs.kernels.matrix_scan`.
_LANES = 64


def row_sums(matrix: Matrix, first: int, last: int, sums: Doubles) -> float:
    """Write the sums of the rows first … last − 1 into `sums`; return their largest |w_ij|.

    A sum does not depend on the order of its terms: what lies above a power of two that is
    small beside the largest entry is added without rounding, and the rest beside it, so that
    about 100 bits are right before the sum is rounded.
    """
    if not use_numpy(matrix.shape[1]):
        from topofs.kernels import matrix_scan

        return float(matrix_scan.row_sums(matrix, first, last, sums))
    peaks = [_row_sums(matrix[i:j], sums[i:j]) for i, j in _blocks(matrix, first, last)]
    return max(peaks, default=0.0)


def check_rows(matrix: Matrix, first: int, last: int, sums: Doubles) -> tuple[float, float]:
    """Largest |w_ij| and largest |w_ij − w_ji| of the rows first … last − 1; writes their sums.

    Mirrored are the columns up to the diagonal. Where an entry is not finite, a sum says so;
    sums are those of `row_sums`. The matrix is C-contiguous.
    """
    if not use_numpy(matrix.shape[1]):
        from topofs.kernels import matrix_scan

        largest, asymmetry = matrix_scan.check_rows(matrix, first, last, sums)
        return float(largest), float(asymmetry)
    asymmetry = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for i, j in _blocks(matrix, first, last):
            apart = np.abs(matrix[i:j, :j] - matrix[:j, i:j].T)
            asymmetry = max(asymmetry, float(apart.max()))
    return row_sums(matrix, first, last, sums), asymmetry


def zero_below(matrix: Matrix, level: float, first: int, last: int, sums: Doubles) -> None:
    """Set the entries of the rows first … last − 1 that are below `level` to 0.

    The sums of the rows after that go into `sums`; they are those of `row_sums`.
    """
    if not use_numpy(matrix.shape[1]):
        from topofs.kernels import matrix_scan

        matrix_scan.zero_below(matrix, level, first, last, sums)
        return
    rows = matrix[first:last]
    # Compared in float64, also where the matrix is of float32.
    np.copyto(rows, 0, where=rows < np.float64(level))
    row_sums(matrix, first, last, sums)


def _blocks(matrix: Matrix, first: int, last: int) -> list[tuple[int, int]]:
    step = max(1, _BLOCK // max(1, matrix.shape[1]))
    return [(i, min(i + step, last)) for i in range(first, last, step)]


# An entry that is not finite makes its sum so; whoever asks looks at the sums.
@np.errstate(over="ignore", invalid="ignore")
def _row_sums(rows: Matrix, sums: Doubles) -> float:
    """Write the sums of some rows, term by term as the kernel does; give the largest |w_ij|."""
    n = rows.shape[1]
    peaks = np.abs(rows).max(axis=1, initial=0).astype(np.float64)
    # To add it and to take it off again rounds to a multiple of its last bit.
    exponent = np.frexp(np.where(np.isfinite(peaks), peaks, 0.0))[1] + n.bit_length()
    able = np.isfinite(peaks) & (exponent < 1023)
    round_off = np.where(able, np.ldexp(1.5, np.where(able, exponent, 0)), 0.0)[:, None]
    weights = rows.astype(np.float64)
    rounded = weights + round_off
    rounded -= round_off
    np.subtract(weights, rounded, out=weights)
    n_turns, whole = n // _LANES, n - n % _LANES
    totals = np.zeros((2, len(rows), _LANES))
    for kind, terms in enumerate((rounded, weights)):
        # Along an axis that is not the last one, numpy adds one term after the other.
        turns = terms[:, :whole].reshape(len(rows), n_turns, _LANES)
        totals[kind] += np.add.reduce(turns, axis=1)
        for last in range(whole, n):
            totals[kind, :, 0] += terms[:, last]
    # One after the other, as a kernel adds them up.
    sums[:] = np.add.accumulate(totals, axis=2)[:, :, -1].sum(axis=0)
    return float(peaks.max(initial=0.0))
