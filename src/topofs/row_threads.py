"""Share the rows of a matrix among threads, for kernels that release the interpreter lock."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["for_row_ranges", "thread_pool"]

Result = TypeVar("Result")

# Below this many entries a range is not worth a thread.
_LEAST_ENTRIES = 2**18

# The threads of this process by their number; a forked child starts its own.
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def thread_pool() -> ThreadPoolExecutor:
    """Give the threads of this process, as many as numba's at present."""
    wanted = os.getpid(), numba.get_num_threads()
    pool = _pools.get(wanted)
    if pool is None:
        # setdefault is atomic: of two threads that come here at once both get the same pool.
        pool = _pools.setdefault(wanted, ThreadPoolExecutor(wanted[1], "topofs"))
    return pool


def for_row_ranges(
    function: Callable[[int, int], Result], n_rows: int, n_columns: int
) -> list[Result]:
    """Call ``function(first, last)`` for ranges that together cover all rows.

    The number of threads is that of numba (``NUMBA_NUM_THREADS``, by default the cores). The
    ranges do not depend on it, so neither does any result.

    Parameters
    ----------
    function : callable
        Handles the rows first … last − 1; must be safe to call from several threads, and must
        not call `for_row_ranges` itself.
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
    if len(ranges) == 1 or numba.get_num_threads() == 1:
        return [function(*limits) for limits in ranges]
    return list(thread_pool().map(lambda limits: function(*limits), ranges))
