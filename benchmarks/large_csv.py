"""Select from a CSV file of a gigabyte, in a process of its own, and report its peak memory.

    python benchmarks/large_csv.py                    1 GB, 100 columns
    python benchmarks/large_csv.py --gigabytes 2 --columns 400 --digits 3

The file is made of groups of correlated columns, a column of text, a column with gaps and a
constant one; it is removed at the end. The bar is 4 GB for a file of 1 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

BLOCK = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--digits", type=int, default=6)
    parser.add_argument("--similarity", default="pearson")
    parser.add_argument("--complete", action="store_true", help="drop the column with gaps")
    parser.add_argument("--keep-file", type=Path, help="make the file here, and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.keep_file or Path(folder) / "large.csv"
        if not path.exists():
            write_csv(path, options.gigabytes * 1e9, options.columns, options.digits)
        out, ranking = Path(folder) / "reduced.csv", Path(folder) / "ranking.csv"
        began = time.perf_counter()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "topofs.cli", "select", path, "-k", "20", "--json"),
                *("--id", "name", "--out", out, "--ranking", ranking),
                *("--similarity", options.similarity),
                *(("--drop", "gaps") if options.complete else ()),
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - began
        found = json.loads(done.stdout)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(
            f"{path.stat().st_size / 1e9:.2f} GB of CSV, {found['n_samples']:,} rows, "
            f"{found['n_features']} columns, {options.similarity}"
            f"{', complete' if options.complete else ', one with gaps'}: {seconds:.0f} s, peak "
            f"{peak / 1e9:.2f} GB (as one array: "
            f"{found['n_samples'] * found['n_features'] * 8 / 1e9:.2f} GB), "
            f"{out.stat().st_size / 1e6:.0f} MB written"
        )
        sys.exit(peak >= 4e9 * options.gigabytes)


def write_csv(path: Path, n_bytes: float, n_columns: int, digits: int) -> None:
    rng = np.random.default_rng(0)
    n_groups = max(1, n_columns // 10)
    row = 0
    with path.open("wb") as file:
        while file.tell() < n_bytes:
            factors = rng.standard_normal((BLOCK, n_groups))
            X = factors[:, np.arange(n_columns) % n_groups] + rng.standard_normal(
                (BLOCK, n_columns)
            )
            frame = pl.DataFrame(X, schema=[f"f{i}" for i in range(n_columns)]).with_columns(
                pl.format("row {}", pl.int_range(row, row + BLOCK)).alias("name"),
                pl.lit(1).alias("same"),
                pl.when(pl.int_range(BLOCK) % 100 == 0)
                .then(pl.lit("NA"))
                .otherwise(pl.col("f0").round(2).cast(pl.String))
                .alias("gaps"),
            )
            frame.write_csv(file, include_header=row == 0, float_precision=digits)
            row += BLOCK
    os.sync()


if __name__ == "__main__":
    main()
