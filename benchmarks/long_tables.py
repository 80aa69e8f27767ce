"""Fit tables of more rows than memory holds, beside other ways, each in a process of its own.

    python -m benchmarks.long_tables --folder /tmp/long --out benchmarks/results/long_tables.json
    python -m benchmarks.long_tables --folder /tmp/long --files 4 10 40 --others 4

The table has 100 columns of float32 in groups, 5 % of the values are missing, and 500,000 rows a
Parquet file: 2, 5 and 20 million rows in 4, 10 and 40 files. "products" is a plain loop over the
record batches that does only what gaps need: the products of values, the sums of values and of
squares by marks of missing values, and the counts. The bars are 2 GB and 1.5 times that loop.
Beside them, on fewer files: `corr` of polars by hand, of dask, and feature-engine on a sample.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROWS, COLUMNS, GROUPS = 500_000, 100, 20
GROUP_ROWS, BATCH = 125_000, 1 << 16
SAMPLE = 100_000
LIMIT = 300
"""Seconds after which another way is given up."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="for the files; 8 GB")
    parser.add_argument("--files", type=int, nargs="+", default=[4, 10, 40])
    parser.add_argument("--others", type=int, default=4, help="files for the other ways")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--keep", action="store_true", help="leave the files")
    parser.add_argument("--one", help="run one way, in this process")
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(run(options.one, options.folder)))
        return
    make(options.folder, max(options.files))
    found: dict[str, Any] = {"machine": machine(), "runs": []}
    for n_files in options.files:
        part = linked(options.folder, n_files)
        for _ in range(options.repeats):
            for way in ("products", "topofs"):
                found["runs"].append(measured(way, part, n_files * ROWS))
                save(found, options.out)
    part = linked(options.folder, options.others)
    for way in ("polars", "dask", "feature_engine"):
        found["runs"].append(measured(way, part, options.others * ROWS))
        save(found, options.out)
    if not options.keep:
        shutil.rmtree(options.folder)


def save(found: dict[str, Any], path: Path | None) -> None:
    print(found["runs"][-1] | {"matrix": None, "selected": None}, flush=True)
    if path is not None:
        path.write_text(json.dumps(summary(found), indent=1) + "\n", encoding="utf-8")


def make(folder: Path, n_files: int) -> None:
    """Write the files that are not there yet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    names = [f"c{i}" for i in range(COLUMNS)]
    for number in range(n_files):
        path = folder / f"{number:03}.parquet"
        if path.exists():
            continue
        rng = np.random.default_rng(number)
        hidden = rng.standard_normal((GROUPS, ROWS), dtype=np.float32)
        arrays = []
        for i in range(COLUMNS):
            noise = rng.standard_normal(ROWS, dtype=np.float32)
            values = hidden[i % GROUPS] + np.float32(0.3 + 0.02 * i) * noise + np.float32(i)
            arrays.append(pa.array(values, mask=rng.random(ROWS, dtype=np.float32) < 0.05))
        table = pa.table(arrays, names=names)
        unfinished = path.with_suffix(".unfinished")
        pq.write_table(table, unfinished, row_group_size=GROUP_ROWS, compression="none")
        unfinished.rename(path)


def linked(folder: Path, n_files: int) -> Path:
    """A folder with links to the first files."""
    part = folder / f"first-{n_files}"
    part.mkdir(exist_ok=True)
    for path in sorted(folder.glob("*.parquet"))[:n_files]:
        if not (part / path.name).exists():
            (part / path.name).hardlink_to(path)
    return part


def measured(way: str, folder: Path, n_rows: int) -> dict[str, Any]:
    """Run one way in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.long_tables"]
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [*command, "--folder", folder, "--one", way],
            capture_output=True,
            text=True,
            timeout=None if way in {"products", "topofs"} else LIMIT,
            check=True,
        )
        found = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        found = {"given_up_after": LIMIT}
    except subprocess.CalledProcessError as error:
        found = {"failed": error.stderr.strip().splitlines()[-1:]}
    return {"way": way, "rows": n_rows, "of_process": time.perf_counter() - began} | found


def run(way: str, folder: Path) -> dict[str, Any]:
    """Seconds, processor seconds, peak memory and the answer of one way."""
    began, worked = time.perf_counter(), time.process_time()
    answer = WAYS[way](folder)
    took = {
        "seconds": time.perf_counter() - began,
        # Other work on the machine takes from the seconds, and hardly from these.
        "processor_seconds": time.process_time() - worked,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    return took | answer


def by_products(folder: Path) -> dict[str, Any]:
    """The least that gaps need: read all batches, and multiply."""
    import pyarrow.dataset as ds

    n = COLUMNS
    products, sums, squares, counts = np.zeros((4, n, n))
    reading = 0.0
    batches = iter(ds.dataset(folder).to_batches(batch_size=BATCH))
    while True:
        began = time.perf_counter()
        batch = next(batches, None)
        if batch is None:
            break
        values = np.empty((n, batch.num_rows))
        for i in range(n):
            values[i] = batch.column(i).to_numpy(zero_copy_only=False)
        reading += time.perf_counter() - began
        missing = np.isnan(values)
        values[missing] = 0.0
        mask = (~missing).astype(np.float64)
        counts += mask @ mask.T
        products += values @ values.T
        sums += values @ mask.T
        np.square(values, out=values)
        squares += values @ mask.T
    return {"reading": reading}


def by_topofs(folder: Path) -> dict[str, Any]:
    from topofs import TopologicalFeatureSelector
    from topofs.io import scan_table
    from topofs.selection import fit_and_compare

    selector = TopologicalFeatureSelector(memory="1GB")
    columns = fit_and_compare(selector, scan_table(folder))
    matrix = columns.measure.correlation.operator(columns.table).block(
        slice(0, COLUMNS), slice(0, COLUMNS)
    )
    return {
        "selected": selector.get_feature_names_out().tolist(),
        "matrix": matrix.round(12).tolist(),
    }


def by_polars(folder: Path) -> dict[str, Any]:
    """The correlation of every pair as an expression of one query."""
    import polars as pl

    frame = pl.scan_parquet(folder)
    pairs = [(i, j) for i in range(COLUMNS) for j in range(i)]
    found = frame.select(pl.corr(f"c{i}", f"c{j}").alias(f"{i} {j}") for i, j in pairs).collect(
        engine="streaming"
    )
    matrix = np.eye(COLUMNS)
    for (i, j), value in zip(pairs, found.row(0), strict=True):
        matrix[i, j] = matrix[j, i] = value
    return {"matrix": matrix.tolist()}


def by_dask(folder: Path) -> dict[str, Any]:
    import dask
    import dask.dataframe as dd

    with dask.config.set(scheduler="threads", num_workers=2):
        matrix = dd.read_parquet(folder).corr().compute()
    return {"matrix": matrix.to_numpy(dtype=float).tolist()}


def by_feature_engine(folder: Path) -> dict[str, Any]:
    """Drop columns that correlate by more than 0.8 with one before them, on a sample of rows."""
    import pyarrow.dataset as ds
    from feature_engine.selection import DropCorrelatedFeatures

    sample = ds.dataset(folder).head(SAMPLE).to_pandas()
    selector = DropCorrelatedFeatures(threshold=0.8).fit(sample)
    return {"rows": SAMPLE, "selected": selector.get_feature_names_out()}


WAYS = {
    "products": by_products,
    "topofs": by_topofs,
    "polars": by_polars,
    "dask": by_dask,
    "feature_engine": by_feature_engine,
}


def summary(found: dict[str, Any]) -> dict[str, Any]:
    """The runs without their matrices, with the ratios and what the answers have in common."""
    ours = {run["rows"]: run for run in found["runs"] if run["way"] == "topofs"}
    least = {run["rows"]: run for run in found["runs"] if run["way"] == "products"}
    runs = []
    for one in found["runs"]:
        kept = {key: value for key, value in one.items() if key != "matrix"}
        mine = ours.get(one["rows"])
        if one["way"] == "topofs" and "seconds" in least.get(one["rows"], {}):
            beside = least[one["rows"]]
            kept["times_products"] = one["seconds"] / beside["seconds"]
            kept["times_processor_seconds_of_products"] = (
                one["processor_seconds"] / beside["processor_seconds"]
            )
        if "matrix" in one and mine is not None and "matrix" in mine and one is not mine:
            difference = np.subtract(one["matrix"], mine["matrix"])
            kept["largest_difference_of_r"] = float(np.abs(difference).max())
        runs.append(kept)
    return {"machine": found["machine"], "runs": runs}


def machine() -> dict[str, Any]:
    from importlib.metadata import version

    libraries = ("numpy", "pyarrow", "polars", "dask", "feature-engine")
    return {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        **{library: version(library) for library in libraries},
        "cores": os.cpu_count(),
        "threads": os.environ.get("OMP_NUM_THREADS"),
        "load": os.getloadavg()[0],
        "system": platform.platform(),
    }


if __name__ == "__main__":
    main()
