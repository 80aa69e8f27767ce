"""Time and peak memory of the rule "variance", each table in a process of its own.

    python benchmarks/variance_rule.py                all of it, some minutes and 6 GB
    python benchmarks/variance_rule.py cost large growth

- cost: n = 100,000, S = 1,000, k = 200, float32. Bars: a peak of 2.2 tables, and 2.5 times the
  k × two passes over the table that BLAS takes in the same process.
- large: n = 1,000,000, S = 292, k = 100, float32. Bar: 16 GB.
- growth: from n = 20,000 to 320,000, S = 400, k = 50, in seconds of the processor, on which
  others weigh less. Bar: an exponent of 1.1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

FACTORS = 30
BLOCK = 20_000
GROWTH = (20_000, 40_000, 80_000, 160_000, 320_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["cost", "growth", "large"])
    parser.add_argument("--one", nargs=3, type=int, metavar=("N", "S", "K"))
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(*options.one)))
        return
    for part in options.parts:
        {"cost": cost, "large": large, "growth": growth}[part]()


def cost() -> None:
    found = in_a_process(100_000, 1_000, 200)
    times = found["seconds"] / found["passes"]
    print(
        f"n = 100,000, S = 1,000, k = 200: {found['seconds']:.1f} s, {times:.2f} × the "
        f"{found['passes']:.1f} s of k × two passes (bar 2.5); peak "
        f"{found['peak'] / found['table']:.2f} tables (bar 2.2)"
    )


def large() -> None:
    found = in_a_process(1_000_000, 292, 100)
    print(
        f"n = 1,000,000, S = 292, k = 100: {found['seconds']:.1f} s, peak "
        f"{found['peak'] / 1e9:.2f} GB with a table of {found['table'] / 1e9:.2f} GB (bar 16 GB)"
    )


def growth() -> None:
    seconds = []
    for n in GROWTH:
        seconds.append(in_a_process(n, 400, 50)["processor"])
        print(f"n = {n:,}, S = 400, k = 50: {seconds[-1]:.2f} s of the processor", flush=True)
    slope = np.polyfit(np.log(GROWTH), np.log(seconds), 1)[0]
    ends = np.log(seconds[-1] / seconds[0]) / np.log(GROWTH[-1] / GROWTH[0])
    print(f"exponent {slope:.2f} by regression, {ends:.2f} between the ends (bar 1.1)")


def in_a_process(n: int, n_samples: int, k: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(n), str(n_samples), str(k)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measured(n: int, n_samples: int, k: int) -> dict[str, float]:
    """Seconds of a fit, of k × two passes by BLAS, and the peak with the table in it."""
    from topofs import TopologicalFeatureSelector

    selector = TopologicalFeatureSelector(k, rule="variance")
    # Kernels are compiled, libraries are loaded.
    for table in (made(60, 30), made(30, 60)):
        TopologicalFeatureSelector(3, rule="variance").fit(table)
    before = resident()
    X = made(n, n_samples)
    peak = Peak()
    began, at_first = time.perf_counter(), time.process_time()
    selector.fit(X)
    seconds, processor = time.perf_counter() - began, time.process_time() - at_first
    highest = peak.stop() - before
    columns = np.ascontiguousarray(X.T)
    passes = k * min(two_passes(columns) for _ in range(5))
    found = {"seconds": seconds, "processor": processor, "passes": passes}
    return found | {"peak": highest, "table": X.nbytes}


def two_passes(columns: np.ndarray) -> float:
    vector = np.random.default_rng(0).standard_normal(columns.shape[1], dtype=np.float32)
    began = time.perf_counter()
    for _ in range(2):
        columns @ vector
    return time.perf_counter() - began


def made(n: int, n_samples: int) -> np.ndarray:
    """Columns of a few common factors and noise of three times their strength."""
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((n_samples, FACTORS), dtype=np.float32)
    X = np.empty((n_samples, n), dtype=np.float32)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        loadings = rng.standard_normal((FACTORS, stop - start), dtype=np.float32)
        X[:, start:stop] = factors @ loadings
        X[:, start:stop] += 3 * rng.standard_normal((n_samples, stop - start), dtype=np.float32)
    return X


def resident() -> int:
    """Bytes of this process in memory."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


class Peak:
    """The most memory of this process while it is watched."""

    def __init__(self) -> None:
        self._highest, self._done = resident(), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        self._done.set()
        self._thread.join()
        return self._highest

    def _watch(self) -> None:
        while not self._done.wait(0.01):
            self._highest = max(self._highest, resident())


if __name__ == "__main__":
    main()
