"""Times of several callables in one run, taken in turns."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "fast-tmfg")


def medians(*callables, repeats=5):
    """Median seconds of each callable after one warm-up, the callables taking turns."""
    for function in callables:
        function()
    seconds = [[] for _ in callables]
    for _ in range(repeats):
        for taken, function in zip(seconds, callables, strict=True):
            start = time.perf_counter()
            function()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in seconds]


def best_of(*callables, repeats=5, warm=True):
    """Shortest seconds of each callable, the callables taking turns, after one warm-up."""
    for function in callables if warm else ():
        function()
    return [
        min(taken)
        for taken in zip(
            *([once(function) for function in callables] for _ in range(repeats)), strict=True
        )
    ]


def once(function):
    """Seconds of a single call, for what takes minutes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def peak_memory_gb():
    """Largest resident size of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage says includes the process that this one was forked from.
        line = next(line for line in status.read_text().splitlines() if "VmHWM" in line)
        return int(line.split()[1]) * 1024 / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def in_new_process(code, **environment):
    """Run Python code in a new process; return its seconds, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - start, done.stdout


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def machine():
    """Versions, cores and threads: what a figure depends on."""
    import numba
    from threadpoolctl import threadpool_info

    pools = {pool["internal_api"]: pool["num_threads"] for pool in threadpool_info()}
    return {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "threads": pools | {"numba": numba.get_num_threads()},
        "versions": {name: _version(name) for name in (*PACKAGES, "topofs")},
    }
