"""How long a first answer takes: a fresh process with an empty cache of kernels, each time.

    python -m benchmarks.cold_start

Prints seconds beyond ``import numpy, scipy, sklearn``, of this process and of its processor, and
of whole commands; writes benchmarks/results/cold_start.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.tables import factor_table
from benchmarks.timing import machine

RESULTS = Path(__file__).parent / "results" / "cold_start.json"

FIT = """
import time, warnings
import numpy, scipy.sparse, scipy.stats, sklearn.base
warnings.simplefilter("ignore")
X = numpy.load("table.npy")
wall, processor = time.perf_counter(), time.process_time()
{code}
print(time.perf_counter() - wall, time.process_time() - processor)
"""
SELECT = "from topofs import TopologicalFeatureSelector as T\nT().fit(X)"
GRAPH = "from topofs import pearson, tmfg\ntmfg(pearson(X, squared=True))"
CASES = (
    ("first fit, 30 columns", SELECT, 30, 2.0),
    ("first fit, 300 columns", SELECT, 300, 2.0),
    ("first fit, 1,000 columns", SELECT, 1000, 2.0),
    ("first fit, 2,000 columns", SELECT, 2000, None),
    ("first fit, 3,000 columns", SELECT, 3000, None),
    ("first TMFG, 1,000 columns", GRAPH, 1000, 6.0),
)
COMMANDS = (
    ("first topofs select, 30 columns", (), 4.0),
    ("first topofs select --report, 30 columns", ("--report", "r.html"), 6.0),
)


def run_fresh(arguments: list[str], folder: str) -> tuple[str, float, float]:
    """Run Python with an empty cache; what it prints, and its seconds by clock and processor."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {
            "NUMBA_CACHE_DIR": cache,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        before = os.times()
        found = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        after = os.times()
    processor = after.children_user + after.children_system
    processor -= before.children_user + before.children_system
    return found.stdout, after.elapsed - before.elapsed, processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for what, code, n_features, bar in CASES:
            np.save(Path(folder) / "table.npy", factor_table(n_features)[:500])
            found = [
                run_fresh(["-c", FIT.format(code=code)], folder)[0] for _ in range(repeats)
            ]
            times = np.array([text.split() for text in found], dtype=float)
            rows.append((what, *np.median(times, axis=0), bar))
        table = factor_table(30)[:500]
        header = ",".join(f"c{i}" for i in range(table.shape[1]))
        np.savetxt(Path(folder) / "t.csv", table, delimiter=",", header=header, comments="")
        for what, options, bar in COMMANDS:
            command = ["-m", "topofs.cli", "select", "t.csv", "--quiet", *options]
            times = [run_fresh(command, folder)[1:] for _ in range(repeats)]
            rows.append((what, *np.median(times, axis=0), bar))
    listed = []
    for what, wall, processor, bar in rows:
        listed.append(
            {"what": what, "seconds": wall, "processor_seconds": processor, "bar": bar}
        )
        goal = "" if bar is None else f"  (goal {bar:g} s)"
        print(f"{what:44}{wall:7.2f} s  {processor:6.2f} s of the processor{goal}")
    RESULTS.write_text(json.dumps({"machine": machine(), "rows": listed}, indent=1) + "\n")


if __name__ == "__main__":
    main()
