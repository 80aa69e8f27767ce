"""Choice between numpy and the kernels, which give the same bits; shares as whole numbers.

Sums of whole numbers are exact, so the order of the terms never decides a tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Up to this number of columns numpy is faster than importing numba and compiling.
LARGEST_FOR_NUMPY = 2048
# Units per share of 1: room for 2²² columns, each to 12 digits.
UNIT = 2.0**40
# Parts per share of 1, for products: the product of two numbers of parts is a number of units
# (`UNIT`), and sums of products are exact.
PART = 2**20


def use_numpy(n_columns: int) -> bool:
    """Whether a table with this number of columns is processed without numba."""
    return n_columns <= LARGEST_FOR_NUMPY


def units(shares: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Shares as whole numbers of units."""
    return np.rint(np.asarray(shares, dtype=np.float64) * UNIT).astype(np.int64)


def parts(shares: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Shares as whole numbers of parts."""
    return np.rint(np.asarray(shares, dtype=np.float64) * PART).astype(np.int64)
