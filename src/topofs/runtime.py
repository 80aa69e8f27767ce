"""Execution of work: threads, progress, and the limit of memory.

`for_each` and `for_row_ranges` are for kernels that release the interpreter lock. `watching`
reports the progress of nested work:

    with watching(lambda done, total: print(done, total)):
        selector.fit(X)

`parse_memory` reads a memory limit in the user's notation.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


__all__ = [
    "for_each",
    "for_row_ranges",
    "machine_memory",
    "n_threads",
    "one_blas_thread",
    "parse_memory",
    "slices",
    "thread_beside",
    "watching",
    "with_progress",
]


Result = TypeVar("Result")
Item = TypeVar("Item")

# Least entries of a range for a thread.
_LEAST_ENTRIES = 2**18

# Largest number of ranges: more of them would only add overhead.
_MOST_RANGES = 96

# The threads of this process by their number; a forked child starts its own.
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}

# In a thread started here: the number of threads for its own work.
_here = threading.local()


def n_threads() -> int:
    """Number of threads that share work: the current number of numba.

    It is ``NUMBA_NUM_THREADS``, by default the number of cores, unless `numba.set_num_threads`
    has changed it. This does not import numba.
    """
    if hasattr(_here, "n_threads"):
        return int(_here.n_threads)
    if "numba" in sys.modules:
        import numba

        return int(numba.get_num_threads())
    # The initial number of numba.
    asked = os.environ.get("NUMBA_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _share_among(number: int) -> None:
    """Set the number of threads for the work of this thread."""
    _here.n_threads = number
    if "numba" in sys.modules:
        import numba

        numba.set_num_threads(number)


def for_each(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Call a function for each item, in this order, on `n_threads()` threads.

    Gives the results of the calls. The function must be thread-safe; a nested call uses one
    thread.
    """
    wanted = os.getpid(), n_threads()
    if wanted[1] == 1:
        return [function(item) for item in items]
    pool = _pools.get(wanted)
    if pool is None:
        # setdefault is atomic: two threads that arrive at once get the same pool. Work inside
        # the pool is not shared again, to avoid a deadlock.
        pool = _pools.setdefault(
            wanted, ThreadPoolExecutor(wanted[1], "topofs", _share_among, (1,))
        )
    return list(pool.map(function, items))


def thread_beside() -> ThreadPoolExecutor:
    """One background thread, whose work uses as many threads as the current one.

    Numba stores the number of threads per thread, and a new thread has all cores.
    """
    return ThreadPoolExecutor(1, "topofs-beside", _share_among, (n_threads(),))


def one_blas_thread() -> Any:
    """A context that limits BLAS to one thread, for products shared by `for_each`.

    So each thread finishes its product in its own cache, and the numpy steps after a product
    use all cores, too.
    """
    return _blas().limit(limits=1, user_api="blas")


@cache
def _blas() -> Any:
    # Load the BLAS that numba calls in kernels, because only loaded libraries are limited.
    import scipy.linalg.cython_blas  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def slices(n: int, step: int) -> list[slice]:
    """Cut 0 … n − 1 into runs of `step`; the last may be shorter."""
    return [slice(first, min(first + step, n)) for first in range(0, n, step)]


def for_row_ranges(
    function: Callable[[int, int], Result], n_rows: int, n_columns: int
) -> list[Result]:
    """Call ``function(first, last)`` for ranges that cover all rows; last is exclusive.

    Gives the results in the order of rows. The ranges do not depend on the number of threads,
    so results do not either.
    """
    rows = max(1, _LEAST_ENTRIES // max(n_columns, 1), -(-n_rows // _MOST_RANGES))
    ranges = [(first, min(first + rows, n_rows)) for first in range(0, n_rows, rows)]
    if len(ranges) == 1:
        return [function(*ranges[0])]
    return for_each(lambda limits: function(*limits), ranges)


_watcher: ContextVar[Callable[[int, int], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(report: Callable[[int, int], None]) -> Iterator[None]:
    """Call ``report(done, total)`` while the block runs; one call at a time, from any thread."""
    token = _watcher.set(report)
    try:
        yield
    finally:
        _watcher.reset(token)


def with_progress(
    work: Callable[[Item], None], total: int, size: Callable[[Item], int]
) -> Callable[[Item], None]:
    """Scale the progress of one of several items for the watcher, if there is one.

    Several threads may call it. `total` is the sum of the sizes of all items, `size` the size
    of an item. The first report is 0 done.
    """
    report = _watcher.get()
    if report is None:
        return work
    done, lock = 0, threading.Lock()
    # Earlier work does not count.
    report(done, total)

    def counting(item: Item) -> None:
        nonlocal done
        work(item)
        with lock:
            done += size(item)
            report(done, total)

    return counting


_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_MEMORY_IF_UNKNOWN = 8 * 10**9


def parse_memory(memory: Any) -> int:
    """Turn bytes, or text such as "500MB", "2GB" or "1.5GiB", into bytes.

    None is half of the memory of the machine or its container.
    """
    if memory is None:
        most = machine_memory()
        for path in _CONTAINER_LIMITS:
            # No such file, or "max": there is no limit.
            with suppress(OSError, ValueError):
                most = min(most, int(path.read_text(encoding="ascii")))
        return most // 2
    if is_whole(memory) and memory > 0:
        return int(memory)
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([KMGT]?)(I?)B?\s*", memory.upper())
        if found:
            number, unit, binary = found.groups()
            factor = (1024 if binary else 1000) ** _POWERS[unit]
            if float(number) > 0:
                return int(float(number) * factor)
    raise ValueError(
        f"memory is {memory!r}; give a number of bytes, or text such as '500MB' or '2GB'"
    )


def machine_memory() -> int:
    """Bytes of the machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return _memory_of_windows() or _MEMORY_IF_UNKNOWN


def _memory_of_windows() -> int:
    """Bytes of the machine; 0 on other systems than Windows, or if the query fails."""
    if sys.platform == "win32":
        import ctypes

        kilobytes = ctypes.c_ulonglong()
        if ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes)):
            return 1024 * kilobytes.value
    return 0
