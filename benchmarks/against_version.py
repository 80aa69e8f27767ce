"""Times of this version over those of another one, task by task in one run.

    python -m benchmarks.against_version OLD_PYTHON NEW_PYTHON DATA_FOLDER

Each task runs in a process of its own, once to compile and then a few times; old and new take
turns, and the best time of each counts. Wants an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

TABLES = ("lung.npz", "COIL20.mat", "PCMAC.mat", "factors")
ROUNDS, REPEATS = 3, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("data", type=Path)
    arguments = parser.parse_args()
    ratios = []
    for table in TABLES:
        for task in TASKS:
            best = {"old": np.inf, "new": np.inf}
            for _ in range(ROUNDS):
                for name in ("old", "new"):
                    command = [getattr(arguments, name), __file__, "--time", task]
                    found = subprocess.run(
                        [*command, str(arguments.data / table)],
                        check=True,
                        capture_output=True,
                        text=True,
                    )
                    best[name] = min(best[name], float(found.stdout))
            ratios.append(best["new"] / best["old"])
            print(f"{table:12} {task:16} {best['old']:8.3f} s {ratios[-1]:6.2f}", flush=True)
    print(f"median {np.median(ratios):.2f}, worst {max(ratios):.2f}")


def table_of(path: Path) -> np.ndarray:
    if path.suffix == ".mat":
        from scipy.io import loadmat

        return np.asarray(loadmat(path)["X"], dtype=np.float64)
    if path.suffix == ".npz":
        return np.asarray(np.load(path)["X"], dtype=np.float64)
    rng = np.random.default_rng(0)
    return rng.normal(size=(500, 8)) @ rng.normal(size=(8, 4000)) + rng.normal(size=(500, 4000))


def graph(X: np.ndarray):
    from topofs import pearson, tmfg

    similarity = pearson(X, squared=True)
    return lambda: tmfg(similarity)


def default_fit(X: np.ndarray):
    from topofs import TopologicalFeatureSelector

    return lambda: TopologicalFeatureSelector().fit(X)


def published_fit(X: np.ndarray):
    from topofs import TopologicalFeatureSelector

    return lambda: TopologicalFeatureSelector.paper(10).fit(X)


def ranks_fit(X: np.ndarray):
    from topofs import TopologicalFeatureSelector

    return lambda: TopologicalFeatureSelector(10, similarity="spearman").fit(X)


def without_matrix(X: np.ndarray):
    from topofs import tmfg_from_data

    return lambda: tmfg_from_data(X)


TASKS = {
    "tmfg": graph,
    "fit": default_fit,
    "fit published": published_fit,
    "fit spearman": ranks_fit,
    "without matrix": without_matrix,
}


def best_time(task: str, path: Path) -> float:
    work = TASKS[task](table_of(path))
    work()
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--time"]:
        print(best_time(sys.argv[2], Path(sys.argv[3])))
    else:
        main()
