"""How work runs: shared among threads, watched as it goes on, within a limit of memory.

`for_each` and `for_row_ranges` are for kernels that release the interpreter lock. `watching` tells
how far long work has come, however deep it lies:

    with watching(lambda done, total: print(done, total)):
        selector.fit(X)

`parse_memory` reads how much memory may be used, as a user writes it.
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

# Below this many entries a range is not worth a thread.
_LEAST_ENTRIES = 2**18

# More ranges than this would only cost more turns.
_MOST_RANGES = 96

# The threads of this process by their number; a forked child starts its own.
_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}

# In a thread that was started here: among how many its own work is shared.
_here = threading.local()


def n_threads() -> int:
    """Among how many threads work is shared: as many as numba has at present.

    That is ``NUMBA_NUM_THREADS``, by default the cores, unless `numba.set_num_threads` says
    another number; numba is not imported for it.
    """
    if hasattr(_here, "n_threads"):
        return int(_here.n_threads)
    if "numba" in sys.modules:
        import numba

        return int(numba.get_num_threads())
    # As many as numba begins with.
    asked = os.environ.get("NUMBA_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def _share_among(number: int) -> None:
    """Set the number of threads for what this thread shares."""
    _here.n_threads = number
    if "numba" in sys.modules:
        import numba

        numba.set_num_threads(number)


def for_each(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Call a function for each item, in this order, on `n_threads()` threads.

    Gives what the calls returned. The function must be safe to call from several threads; if it
    calls this itself, one thread does it.
    """
    wanted = os.getpid(), n_threads()
    if wanted[1] == 1:
        return [function(item) for item in items]
    pool = _pools.get(wanted)
    if pool is None:
        # setdefault is atomic: of two threads that come here at once both get the same pool.
        # What a thread of it calls is not shared again, or all might wait for one another.
        pool = _pools.setdefault(
            wanted, ThreadPoolExecutor(wanted[1], "topofs", _share_among, (1,))
        )
    return list(pool.map(function, items))


def thread_beside() -> ThreadPoolExecutor:
    """One thread for work beside this one; what it shares takes as many threads as here.

    Numba keeps the number of threads for each of them, and a new one has all cores.
    """
    return ThreadPoolExecutor(1, "topofs-beside", _share_among, (n_threads(),))


def one_blas_thread() -> Any:
    """A context in which a product takes one thread, for products shared by `for_each`.

    So each thread finishes its product while it is in its own cache, and what follows a
    product in numpy takes all cores, too.
    """
    return _blas().limit(limits=1, user_api="blas")


@cache
def _blas() -> Any:
    # The BLAS that numba calls in kernels; only what is loaded by now is limited.
    import scipy.linalg.cython_blas  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def slices(n: int, step: int) -> list[slice]:
    """Cut 0 … n − 1 into runs of `step`; the last may be shorter."""
    return [slice(first, min(first + step, n)) for first in range(0, n, step)]


def for_row_ranges(
    function: Callable[[int, int], Result], n_rows: int, n_columns: int
) -> list[Result]:
    """Call ``function(first, last)`` for ranges that together cover all rows, last left out.

    Gives what the calls returned, in order of rows. The ranges do not depend on the number of
    threads (``NUMBA_NUM_THREADS``, by default the cores), so neither does any result.
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
    """Let work on one of several items tell the watcher what is done; as it is, without one.

    Several threads may call it. `total` is the sizes of all items together, `size` how much of
    the work an item is. The watcher hears of it first when nothing is done yet.
    """
    report = _watcher.get()
    if report is None:
        return work
    done, lock = 0, threading.Lock()
    # What came before it is not work on these.
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

    None is half of what the machine has or its container may use.
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
    """Bytes of the machine, or 0 where Windows does not tell or another system runs."""
    if sys.platform == "win32":
        import ctypes

        kilobytes = ctypes.c_ulonglong()
        if ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes)):
            return 1024 * kilobytes.value
    return 0
