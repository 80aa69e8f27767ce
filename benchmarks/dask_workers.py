"""The graph of a dask table without the matrix, on worker processes of this machine.

    python -m benchmarks.dask_workers --n 200000 --samples 500 --workers 4 \\
        --worker-memory 2GB --kill

The table lies in one file a block of columns, which workers can read again. With `--kill` one of
them is killed in the first pass, after some of its rows have come. At the end the same graph is
built in memory without dask, and both are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, futures_of

from benchmarks.timing import peak_memory_gb
from topofs import TMFG, Pearson, tmfg_from_data
from topofs.backends.dask import WorkerProducts
from topofs.backends.dispatch import columns_to_compare, graph_from_columns
from topofs.network import Needs
from topofs.runtime import parse_memory

N_FACTORS = 8
WIDTH = 2048


def write_blocks(folder, n_features, n_samples, *, whole):
    """Columns driven by common factors, one file a block."""
    rng = np.random.default_rng(n_features)
    factors = rng.standard_normal((n_samples, N_FACTORS))
    paths = []
    for first in range(0, n_features, WIDTH):
        width = min(WIDTH, n_features - first)
        block = factors @ rng.standard_normal((N_FACTORS, width))
        block += rng.standard_normal((n_samples, width))
        paths.append(Path(folder) / f"{first:09}.npy")
        np.save(paths[-1], np.rint(2 * block) if whole else block)
    return paths


def lazy_table(paths):
    """The blocks as a dask array."""
    shapes = [np.load(path, mmap_mode="r").shape for path in paths]
    load = dask.delayed(np.load)
    blocks = [
        da.from_delayed(load(str(path)), shape, np.float64)
        for path, shape in zip(paths, shapes, strict=True)
    ]
    return da.concatenate(blocks, axis=1)


class PeakOfWorkers(threading.Thread):
    """The largest resident size of any worker process, asked for twice a second."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self._cluster, self._end = cluster, threading.Event()
        self.peak = 0.0

    def run(self):
        while not self._end.wait(0.5):
            for pid in worker_pids(self._cluster):
                try:
                    status = Path(f"/proc/{pid}/status").read_text()
                except OSError:
                    continue  # it is gone
                line = next((line for line in status.splitlines() if "VmHWM" in line), None)
                if line:
                    self.peak = max(self.peak, int(line.split()[1]) * 1024 / 1e9)

    def stop(self):
        """Give the peak in GB."""
        self._end.set()
        self.join()
        return self.peak


def worker_pids(cluster):
    """The processes of the workers that run now."""
    pids = (getattr(nanny, "pid", None) for nanny in list(cluster.workers.values()))
    return [pid for pid in pids if pid]


class Watched:
    """Seconds and number of the passes on the workers; a worker is killed in the first."""

    def __init__(self, client, *, kill):
        self.seconds, self.killed = [], None
        # Private parts: nobody else needs their times, or kills workers.
        ask = WorkerProducts._ask  # noqa: SLF001

        def timed(products, *question):
            start = time.perf_counter()
            blocks = list(products._blocks)  # noqa: SLF001
            for i, answer in enumerate(ask(products, *question)):
                if kill and self.killed is None and i == len(blocks) // 4:
                    self._kill(client, futures_of(blocks))
                yield answer
            self.seconds.append(time.perf_counter() - start)

        WorkerProducts._ask = timed  # noqa: SLF001

    def _kill(self, client, blocks):
        address = next(iter(client.who_has(blocks).values()))[0]
        (self.killed,) = client.run(os.getpid, workers=[address]).values()
        os.kill(self.killed, signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--worker-memory", default="2GB")
    parser.add_argument(
        "--memory",
        help="of the client; by default three times what the columns and their copies take, but "
        "less than the matrix",
    )
    parser.add_argument("--kill", action="store_true", help="kill a worker on the way")
    parser.add_argument("--whole", action="store_true", help="whole numbers, with ties")
    parser.add_argument("--no-comparison", action="store_true", help="with the graph in memory")
    parser.add_argument("--json", type=Path, help="where to write the row, too")
    options = parser.parse_args()
    n, n_samples = options.n, options.samples
    columns, matrix = 24 * n * n_samples, int(9.6 * n * n)
    memory = min(3 * columns, matrix - 1)
    if options.memory:
        memory = parse_memory(options.memory)
    row = {
        "n": n,
        "samples": n_samples,
        "workers": options.workers,
        "worker_memory": options.worker_memory,
        "client_memory_gb": memory / 1e9,
        "matrix_gb": matrix / 1e9,
        "cores": len(os.sched_getaffinity(0)),
    }
    with tempfile.TemporaryDirectory() as folder:
        paths = write_blocks(folder, n, n_samples, whole=options.whole)
        row |= on_workers(lazy_table(paths), memory, options)
        graph = row.pop("graph")
        if not options.no_comparison:
            X = np.concatenate([np.load(path) for path in paths], axis=1)
            start = time.perf_counter()
            expected = tmfg_from_data(X, threshold=None, memory=memory)
            row["seconds_in_memory"] = time.perf_counter() - start
            row["same_graph"] = bool(graph == expected)
    for name, value in row.items():
        print(f"{name:22} {value:.4g}" if isinstance(value, float) else f"{name:22} {value}")
    if options.json:
        options.json.write_text(json.dumps(row, indent=1) + "\n")
    if not row.get("same_graph", True):
        raise SystemExit("the graphs differ")


def on_workers(table, memory, options):
    """Build the graph with a cluster, and say what it took."""
    with (
        LocalCluster(
            n_workers=options.workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=options.worker_memory,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(options.workers, timeout=60)
        watched = Watched(client, kill=options.kill)
        workers = PeakOfWorkers(cluster)
        workers.start()
        start = time.perf_counter()
        columns = columns_to_compare(table, Pearson(), memory=memory, needs=Needs())
        if columns.workers is None:
            raise SystemExit(
                "the matrix fits into the memory of the client: give less --memory"
            )
        prepared = time.perf_counter()
        graph = graph_from_columns(columns, TMFG(), threshold=False)
        end = time.perf_counter()
        return {
            "seconds": end - start,
            "seconds_to_prepare": prepared - start,
            "seconds_of_passes": [round(seconds, 2) for seconds in watched.seconds],
            "client_peak_gb": peak_memory_gb(),
            "worker_peak_gb": workers.stop(),
            "killed": watched.killed is not None,
            "n_edges": graph.n_edges,
            "graph": graph,
        }


if __name__ == "__main__":
    main()
