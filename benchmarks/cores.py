"""How a fit grows with the cores: the same work on 2 and on all of them, each in a new process.

python -m benchmarks.cores [--out cores.json] [--cores 2 16] [--small]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

# (name, columns, samples, wanted ratio of 16 cores to 2)
WORK = (
    ("dense fit", 10_000, 1000, ">= 3"),
    ("without the matrix", 40_000, 200, ">= 5"),
    ("one pass without the matrix", 40_000, 200, ""),
    ("products alone", 40_000, 200, ""),
)
# The same, wanted of 2 cores to 1: for `make bench`.
SMALL = (
    ("dense fit", 5_000, 500, ""),
    ("without the matrix", 20_000, 200, ""),
    ("one pass without the matrix", 20_000, 200, ">= 1.7"),
)


def one(name, n_features, n_samples, repeats):
    """Shortest seconds of one kind of work, on the cores this process may use."""
    import numpy as np

    from benchmarks.tables import factor_table
    from benchmarks.timing import best_of
    from topofs import TopologicalFeatureSelector, tmfg_from_data

    if name == WORK[0][0]:
        X = factor_table(n_features, n_samples)
        warm = factor_table(300, 50)

        def work(X):
            TopologicalFeatureSelector(similarity="pearson", memory="64GB").fit(X)
    else:
        X = factor_table(n_features, n_samples, dtype=np.float32)
        warm = factor_table(300, 50, dtype=np.float32)
        work = {WORK[1][0]: tmfg_from_data, WORK[2][0]: one_pass}.get(name, products_alone)
    # Compiles, where the cache is cold; the matrix of one table need not be that of the other.
    work(warm)
    (seconds,) = best_of(lambda: work(X), repeats=repeats, warm=False)
    print(json.dumps(seconds))


def one_pass(X):
    """Sums of all rows and their strongest links: what is known before the graph grows."""
    import numpy as np

    from topofs import Pearson
    from topofs.graphs.products import BlockedProducts

    BlockedProducts(Pearson().operator(X)).survey(-np.inf, [], 128, 512)


def products_alone(X):
    """All products of columns, a block of rows a task: what the cores can do at best."""
    import numpy as np

    from topofs.runtime import for_each, one_blas_thread

    columns = np.ascontiguousarray(X.T)

    def multiply(first):
        for left in range(0, len(columns), 1024):
            columns[first : first + 256] @ columns[left : left + 1024].T

    with one_blas_thread():
        for_each(multiply, range(0, len(columns), 256))


def on_cores(cores, arguments):
    """Run one kind of work in a new process that may use so many cores."""
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    threads = {
        name: str(cores)
        for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    }
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.cores", "--one", *map(str, arguments)],
        env=os.environ | threads,
        preexec_fn=lambda: os.sched_setaffinity(0, allowed),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return float(done.stdout)


def compare(work, numbers, repeats=3):
    """For each kind of work: what it is, seconds on the numbers of cores, and what is wanted."""
    for name, n_features, n_samples, bar in work:
        arguments = name, n_features, n_samples, repeats
        seconds = [on_cores(cores, arguments) for cores in numbers]
        yield f"{name}, n = {n_features:,} x {n_samples}", seconds, bar


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where the figures go, as JSON")
    parser.add_argument("--cores", type=int, nargs="+", help="by default 2 and all")
    parser.add_argument("--small", action="store_true", help="tables of seconds")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        name, *numbers = chosen.one
        one(name, *map(int, numbers))
        return
    from benchmarks.timing import machine

    numbers = chosen.cores or [2, len(os.sched_getaffinity(0))]
    rows = []
    work = SMALL if chosen.small else WORK
    for what, seconds, bar in compare(work, numbers, chosen.repeats):
        ratio = seconds[0] / seconds[-1]
        shown = ", ".join(f"{s:.2f} s on {c}" for c, s in zip(numbers, seconds, strict=True))
        print(f"{what:<50} {shown}; {ratio:.2f} times faster {bar}", flush=True)
        rows.append({"what": what, "cores": numbers, "seconds": seconds, "ratio": ratio})
    if chosen.out:
        result = machine() | {"rows": rows, "at": time.strftime("%H:%M")}
        chosen.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
