"""Share the rows of a matrix among threads, for kernels that release the interpreter lock."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["for_row_ranges"]

Result = TypeVar("Result")

# Below this many entries a range is not worth a thread.
_LEAST_ENTRIES = 2**18


def for_row_ranges(
    function: Callable[[int, int], Result], n_rows: int, n_columns: int
) -> list[Result]:
    """Call ``function(first, last)`` for ranges that together cover all rows.

    The number of threads is that of numba (``NUMBA_NUM_THREADS``, by default the cores). The
    ranges do not depend on it, so neither does any result.

    Parameters
    ----------
    function : callable
        Handles the rows first … last − 1; must be safe to call from several threads.
    n_rows, n_columns : int
        Size of the matrix.

    Returns
    -------
    list
        What the calls returned, in order of rows.

    Examples
    --------
    >>> for_row_ranges(lambda first, last: last - first, 10, 3)
    [10]
    """
    rows = max(1, _LEAST_ENTRIES // max(n_columns, 1))
    ranges = [(first, min(first + rows, n_rows)) for first in range(0, n_rows, rows)]
    if len(ranges) == 1:
        return [function(*ranges[0])]
    with ThreadPoolExecutor(numba.get_num_threads()) as threads:
        return list(threads.map(lambda limits: function(*limits), ranges))
