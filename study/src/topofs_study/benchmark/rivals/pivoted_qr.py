"""Pivoted QR: each next column has the longest part at right angles to those chosen.

The order in which LAPACK's factorisation takes standardised columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import qr

from topofs_study.benchmark.rivals.sweeps import in_sweeps
from topofs_study.benchmark.rivals.unit_columns import in_fewest_rows, unit_columns

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["pivoted_qr_order"]

_NOTHING = 1e-9


def pivoted_qr_order(X: npt.NDArray[np.floating[Any]], size: int) -> npt.NDArray[np.intp]:
    """Order standardised columns by pivoted QR; after `size` of them, as they stand."""
    return in_sweeps(_one_sweep, in_fewest_rows(unit_columns(X)), size)


def _one_sweep(units: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.intp]:
    """Take pivots until only rounding is left."""
    triangle, order = qr(units, mode="r", pivoting=True, check_finite=False)
    independent = np.count_nonzero(np.abs(np.diag(triangle)) > _NOTHING)
    return np.asarray(order[: min(size, max(independent, 1))], dtype=np.intp)
