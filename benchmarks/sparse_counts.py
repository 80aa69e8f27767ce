"""Select genes from a sparse table of cells in a process of its own: seconds, and peak memory.

    python benchmarks/sparse_counts.py                              10,000 cells x 4,000 genes
    python benchmarks/sparse_counts.py --cells 50000 --genes 20000
    python benchmarks/sparse_counts.py --counts --density 0.3

The table has cell types with marker genes; the means of genes and the sizes of cells are those
of a log-normal distribution, counts those of a Poisson one. Unless --counts is given they are
scaled to the same sum in each cell, and logarithms of them are taken. It is written as .h5ad
(float32) and removed at the end.

The seconds of the command are compared with those of one pass of dense products in float32: all
genes with all genes, over the same cells, by BLAS on all cores. That pass is measured over some
of the cells and genes, before and after, and its time multiplied. Both are given in seconds and
in seconds of a core, which other work on the machine changes less. What stands on the error
stream, through a pipe, is printed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

CELLS_AT_ONCE = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--genes", type=int, default=4_000)
    parser.add_argument("--density", type=float, default=0.07)
    parser.add_argument("--counts", action="store_true", help="whole numbers, no logarithms")
    parser.add_argument("-k", type=int, default=200)
    parser.add_argument("--keep-file", type=Path, help="make the file here, and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.keep_file or Path(folder) / "cells.h5ad"
        if not path.exists():
            write_table(path, options)
        passes = [seconds_of_products(options.cells, options.genes)]
        began = time.perf_counter()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "topofs.cli", "select", path, "-k", str(options.k)),
                *("--json", "--ranking", Path(folder) / "ranking.csv"),
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = json.loads(done.stdout)
        passes.append(seconds_of_products(options.cells, options.genes))
    one_pass, of_cores = np.mean(passes, axis=0)
    cores = used.ru_utime + used.ru_stime
    print(done.stderr, end="")
    print(
        f"{found['n_samples']:,} cells x {found['n_features']:,} genes that vary, "
        f"{found['n_selected']} selected: peak {used.ru_maxrss * 1024 / 1e9:.2f} GB\n"
        f"{seconds:.0f} s, {seconds / one_pass:.2f} of one BLAS pass ({one_pass:.0f} s)\n"
        f"{cores:.0f} s of a core, {cores / of_cores:.2f} of one BLAS pass ({of_cores:.0f} s)"
    )


def write_table(path: Path, options: argparse.Namespace) -> None:
    import anndata

    X = cells_by_genes(options.cells, options.genes, options.density, counts=options.counts)
    anndata.AnnData(X).write_h5ad(path)


def cells_by_genes(
    n_cells: int, n_genes: int, density: float, *, counts: bool = False
) -> sparse.csr_matrix:
    """Make a sparse table of float32, of about a density."""
    rng = np.random.default_rng(0)
    n_types = 12
    means = rng.lognormal(0.0, 2.0, n_genes)
    changes = np.exp(
        rng.normal(0.0, 1.2, (n_types, n_genes)) * (rng.random((n_types, n_genes)) < 0.1)
    )
    rates = means * changes
    sizes = rng.lognormal(0.0, 0.4, n_cells)
    types = rng.choice(n_types, n_cells, p=rng.dirichlet(np.full(n_types, 3.0)))
    some = rng.choice(n_cells, min(n_cells, 100), replace=False)
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        expected = np.exp(middle) * sizes[some, None] * rates[types[some]]
        is_dense = -np.expm1(-expected).mean() > density
        low, high = (low, middle) if is_dense else (middle, high)
    blocks = []
    for first in range(0, n_cells, CELLS_AT_ONCE):
        part = slice(first, first + CELLS_AT_ONCE)
        expected = (np.exp(low) * sizes[part, None] * rates[types[part]]).astype(np.float32)
        blocks.append(sparse.csr_matrix(rng.poisson(expected).astype(np.float32)))
    X = sparse.vstack(blocks, format="csr")
    if not counts:
        totals = np.asarray(X.sum(axis=1)).ravel()
        X.data *= np.repeat(np.median(totals) / np.maximum(totals, 1), np.diff(X.indptr))
        np.log1p(X.data, out=X.data)
    return X


def seconds_of_products(n_cells: int, n_genes: int) -> tuple[float, float]:
    """Seconds, and those of a core, of all products of dense columns in float32.

    From those of some of them: the median of several times.
    """
    cells, genes = min(n_cells, 4096), min(n_genes, 4096)
    X = np.random.default_rng(0).random((genes, cells), dtype=np.float32)
    # Of a copy: a product with itself would be half of one.
    other = X.copy()
    taken = []
    for _ in range(6):
        began, began_cores = time.perf_counter(), time.process_time()
        X @ other.T
        taken.append((time.perf_counter() - began, time.process_time() - began_cores))
    times = (n_genes / genes) ** 2 * (n_cells / cells)
    seconds, of_cores = times * np.median(taken[1:], axis=0)
    return float(seconds), float(of_cores)


if __name__ == "__main__":
    main()
