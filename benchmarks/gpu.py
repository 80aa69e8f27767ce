"""Times on a GPU: the graph from a host array, against the cores of the same machine.

    python -m benchmarks.gpu                       # all rows, many minutes
    python -m benchmarks.gpu --rows equality,100k-factor --row-limit 120

Each row is printed when it is finished, and the JSON is written again after each: a run that is
stopped keeps its rows. A row that takes longer than its limit is stopped, and says how far it
came and where its time went.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import sys
import threading
import time
import traceback
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.timing import peak_memory_gb
from topofs import Energy, Pearson, Spearman, TopologicalFeatureSelector, tmfg_from_data
from topofs.backends import device as device_engine
from topofs.graphs import tmfg_out_of_core as matrix_free

RESULTS = Path(__file__).parent / "results" / "gpu.json"
DEVICE = "cuda"


def factor_data(n_features, n_samples, *, n_factors=8, dtype=np.float64):
    """Columns driven by common factors and noise of their own, a part at a time."""
    rng = np.random.default_rng(n_features)
    factors = rng.standard_normal((n_samples, n_factors))
    X = np.empty((n_samples, n_features), dtype=dtype)
    for first in range(0, n_features, 50_000):
        width = min(50_000, n_features - first)
        part = factors @ rng.standard_normal((n_factors, width))
        X[:, first : first + width] = part + rng.standard_normal((n_samples, width))
    return X


def noise(n_features, n_samples, *, dtype=np.float64):
    """Independent normal columns: no structure at all."""
    rng = np.random.default_rng(n_features)
    X = np.empty((n_samples, n_features), dtype=dtype)
    for first in range(0, n_features, 50_000):
        width = min(50_000, n_features - first)
        X[:, first : first + width] = rng.standard_normal((n_samples, width))
    return X


def ternary(n_features, n_samples, *, dtype=np.float64):
    """Whole numbers with very many ties."""
    return np.clip(np.rint(factor_data(n_features, n_samples) / 3), -1, 1).astype(dtype)


DATA = {"factor": factor_data, "noise": noise, "ternary": ternary}


class Stages:
    """Seconds in, and calls of, the parts of a run."""

    # Private parts of the growth: nobody else needs their times.
    PARTS = (
        (device_engine.DeviceProducts, "__init__", "put"),
        (device_engine.DeviceProducts, "survey", "survey"),
        (device_engine.DeviceProducts, "best_of_faces", "faces"),
        (device_engine.DeviceProducts, "strongest_links", "links"),
        (device_engine.DeviceProducts, "as_good", "ties"),
        (device_engine.DeviceProducts, "leave_out", "leave_out"),
        (matrix_free, "grow_batched", "grow"),
        (matrix_free._BatchGrowth, "query", "asking"),  # noqa: SLF001
        (matrix_free, "select_queries", "choose"),
        (matrix_free, "write_candidates", "write"),
        (matrix_free._BatchGrowth, "_settle_top", "settle"),  # noqa: SLF001
        (matrix_free, "write_bounds", "lists"),
        (matrix_free, "four_strongest", "start"),
        (matrix_free, "graph_of_cliques", "graph"),
    )

    def __init__(self):
        self.seconds, self.calls, self.faces, self.n_free = {}, {}, 0, None
        self._depth = threading.local()
        for owner, name, label in self.PARTS:
            setattr(owner, name, self._timed(getattr(owner, name), label))

    def _timed(self, function, label):
        def call(*args, **kwargs):
            inside = getattr(self._depth, label, False)
            if inside:
                return function(*args, **kwargs)
            setattr(self._depth, label, True)
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                setattr(self._depth, label, False)
                taken = time.perf_counter() - start
                self.seconds[label] = self.seconds.get(label, 0.0) + taken
                self.calls[label] = self.calls.get(label, 0) + 1
                if label == "faces":
                    self.faces += len(args[1])
                    self.n_free = len(args[0]._free.ids)  # noqa: SLF001

        return call

    def clear(self):
        self.seconds, self.calls, self.faces, self.n_free = {}, {}, 0, None

    def report(self):
        return {
            "seconds": {label: round(taken, 3) for label, taken in self.seconds.items()},
            "calls": dict(self.calls),
            "faces_asked": self.faces,
            "free_at_last_ask": self.n_free,
        }


def stop_after(seconds):
    """A progress function that ends what takes longer."""
    deadline = time.perf_counter() + seconds

    def stop(done, total):
        if time.perf_counter() > deadline:
            raise TimeoutError(f"stopped after {seconds:.0f} s, {done} of {total} steps done")

    return stop


def device_peak_gb():
    try:
        import torch
    except ImportError:
        return None
    return (
        round(torch.cuda.max_memory_allocated() / 1e9, 2) if torch.cuda.is_available() else None
    )


def graph_row(kind, n_features, n_samples, *, device, stages, limit=1e9, dtype=np.float64):
    """Seconds of the whole graph from a host array, and the peaks of memory."""
    X = DATA[kind](n_features, n_samples, dtype=dtype)
    before = peak_memory_gb()
    row = {
        "data": kind,
        "n_features": n_features,
        "n_samples": n_samples,
        "device": device,
        "dtype": np.dtype(dtype).name,
        "table_gb": round(X.nbytes / 1e9, 2),
    }
    stages.clear()
    start = time.perf_counter()
    try:
        graph = tmfg_from_data(X, device=device, memory="16GB", progress=stop_after(limit))
        row["edges"] = graph.n_edges
    except TimeoutError as error:
        row["stopped"] = str(error)
    row["seconds"] = round(time.perf_counter() - start, 2)
    row["host_peak_gb"] = round(peak_memory_gb(), 2)
    row["host_peak_before_gb"] = round(before, 2)
    row["device_peak_gb"] = device_peak_gb() if device != "cpu" else None
    row["stages"] = stages.report()
    return row


def equality_row(kind, measure, n_features, n_samples, *, dtype, threshold="mean"):
    """Whether device and cores give the same edges in the same order."""
    X = DATA[kind](n_features, n_samples, dtype=dtype)
    seconds, graphs = [], []
    for device in (DEVICE, "cpu"):
        start = time.perf_counter()
        graphs.append(
            tmfg_from_data(
                X, similarity=measure, threshold=threshold, device=device, memory="16GB"
            )
        )
        seconds.append(round(time.perf_counter() - start, 2))
    ours, theirs = graphs
    return {
        "data": kind,
        "measure": repr(measure),
        "threshold": threshold,
        "n_features": n_features,
        "n_samples": n_samples,
        "dtype": np.dtype(dtype).name,
        "same_edges": bool((ours.edges == theirs.edges).all()),
        "same_order": bool((ours.order == theirs.order).all()),
        "same_weights": bool((ours.weights == theirs.weights).all()),
        "seconds_device": seconds[0],
        "seconds_cores": seconds[1],
    }


def fit_row(kind, n_features, n_samples, *, device):
    """Seconds of the default selection."""
    X = DATA[kind](n_features, n_samples)
    start = time.perf_counter()
    selector = TopologicalFeatureSelector(device=device, memory="16GB").fit(X)
    return {
        "data": kind,
        "n_features": n_features,
        "n_samples": n_samples,
        "device": device,
        "seconds": round(time.perf_counter() - start, 2),
        "selected": int(selector.n_features_),
    }


def rows_by_name(stages, limit):
    """Functions that give a row, by the names of groups of rows."""
    equal = [
        ("factor", Pearson(), np.float64, "mean"),
        ("factor", Pearson(), np.float32, "mean"),
        ("noise", Pearson(), np.float32, "mean"),
        ("ternary", Pearson(), np.float64, "mean"),
        ("factor", Spearman(), np.float32, "mean"),
        ("factor", Pearson(squared=False), np.float64, "mean"),
        ("noise", Pearson(), np.float64, None),
        ("ternary", Pearson(), np.float32, None),
        ("factor", Energy(), np.float64, "mean"),
    ]

    def equality(n, cases):
        return [
            lambda case=case: equality_row(
                case[0], case[1], n, 200, dtype=case[2], threshold=case[3]
            )
            for case in cases
        ]

    def graphs(n, s, *devices):
        return {
            kind: [
                lambda kind=kind, device=device: graph_row(
                    kind, n, s, device=device, stages=stages, limit=limit
                )
                for device in devices
            ]
            for kind in ("factor", "noise")
        }

    rows = {"equality-5k": equality(5_000, equal), "equality": equality(20_000, equal[1:7])}
    for name, n, s, devices in (
        ("20k", 20_000, 200, (DEVICE, "cpu")),
        ("100k", 100_000, 1_000, (DEVICE,)),
        ("100k-cores", 100_000, 1_000, ("cpu",)),
        ("200k", 200_000, 292, (DEVICE,)),
        ("million", 1_048_576, 292, (DEVICE,)),
        ("largest", 1_575_538, 292, (DEVICE,)),
    ):
        for kind, some in graphs(n, s, *devices).items():
            rows[f"{name}-{kind}"] = some
    rows["fit"] = [
        lambda device=device: fit_row("factor", 100_000, 200, device=device)
        for device in (DEVICE, "cpu")
    ]
    return rows


def machine():
    """What the figures depend on."""
    found = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "versions": {name: version(name) for name in ("numpy", "scipy", "numba")},
    }
    try:
        import torch

        found["versions"]["torch"] = torch.__version__
        found["gpu"] = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    except ImportError:
        found["gpu"] = None
    return found


def compile_for(name, done):
    """Compile the kernels of a group of rows before any of them is timed."""
    start = time.perf_counter()
    compared = "equality" in name
    for dtype in (np.float64, np.float32) if compared else (np.float64,):
        for device in (DEVICE, "cpu") if compared or name.startswith("20k") else (DEVICE,):
            device = "cpu" if "cores" in name else device  # noqa: PLW2901
            if (dtype, device) not in done:
                # So many that their lists do not decide all.
                tmfg_from_data(noise(5000, 50, dtype=dtype), device=device)
                done.add((dtype, device))
    print(f"compiled for {name} in {time.perf_counter() - start:.1f} s", flush=True)


def main():
    global DEVICE  # noqa: PLW0603
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--rows",
        default="equality,100k-factor,100k-cores-factor,100k-noise,"
        "million-factor,million-noise,largest-factor,fit",
    )
    parser.add_argument("--device", default=DEVICE)
    parser.add_argument("--row-limit", type=float, default=1800, help="seconds for a row")
    parser.add_argument("--limit", type=float, default=1e9, help="seconds for all rows")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    DEVICE = given.device
    stages = Stages()
    known = rows_by_name(stages, given.row_limit)
    names = given.rows.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"unknown rows {', '.join(unknown)}; known are {', '.join(known)}")
    begin = time.perf_counter()
    results = {"machine": machine(), "rows": []}
    print(json.dumps(results["machine"]), flush=True)
    compiled = set()
    for name in names:
        compile_for(name, compiled)
        for number, make in enumerate(known[name]):
            left = given.limit - (time.perf_counter() - begin)
            if left < 5:
                print(f"no time left for {name}", flush=True)
                continue
            gc.collect()
            try:
                row = make()
            except Exception as error:
                traceback.print_exc()
                row = {"failed": f"{type(error).__name__}: {error}"}
            row = {"row": f"{name} {number + 1}"} | row
            results["rows"].append(row)
            print(json.dumps(row), flush=True)
            given.out.parent.mkdir(parents=True, exist_ok=True)
            given.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
