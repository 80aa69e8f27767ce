"""The choice between numpy and the kernels, which give the same bits; shares as whole numbers.

Sums of whole numbers are exact: no order of terms can tip a tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Up to so many columns numpy takes less time than numba takes to be imported and to compile.
LARGEST_FOR_NUMPY = 2048
# Shares and gains count in this many units. Room for 2²² columns, each to 12 digits.
UNIT = 2.0**40
# Shares and what is left of them count in this many parts where they are multiplied. The product
# of two such whole numbers is one of `UNIT`, and sums of products are exact.
PART = 2**20


def use_numpy(n_columns: int) -> bool:
    """Whether a table of so many columns is worked on without numba."""
    return n_columns <= LARGEST_FOR_NUMPY


def units(shares: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Shares as whole numbers of units."""
    return np.rint(np.asarray(shares, dtype=np.float64) * UNIT).astype(np.int64)


def parts(shares: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Shares as whole numbers of parts."""
    return np.rint(np.asarray(shares, dtype=np.float64) * PART).astype(np.int64)
