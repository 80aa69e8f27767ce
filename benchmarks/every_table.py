"""`tmfg` against the plain lazy heap on tables of every kind: a section of `make bench`.

Alone: python -m benchmarks.every_table [name …] prints the section for all tables or some.
"""

from __future__ import annotations

import sys
from statistics import median

import numpy as np

from benchmarks.plain_lazy_heap import tmfg_cliques as plain_cliques
from benchmarks.tables import datasets, noisy_factors, uniform_matrix
from benchmarks.timing import best_of
from topofs import pearson, spearman, tmfg
from topofs._kernels.tmfg_dense import tmfg_cliques

LEAST_COLUMNS = 1000
# Factors and the standard deviation of the noise.
SIMULATED = ((3, 1.0), (8, 2.0), (30, 4.0))
SEEDS = (0, 1, 2)
NOISE = "uniform noise"


def matrices(names=()):
    """(name, matrix) of all tables, or of those whose names begin with one of `names`."""
    for name, table, measures in tables():
        for measure in measures:
            full = f"{name}, squared {measure.__name__}"
            if not names or full.startswith(tuple(names)):
                yield full, measure(table(), squared=True)
    if not names or NOISE.startswith(tuple(names)):
        yield NOISE, uniform_matrix(5000)


def tables():
    """(name, function that gives the table, measures)."""
    for name, X in datasets():
        if X.shape[1] >= LEAST_COLUMNS:
            yield name, lambda X=X: X, (pearson, spearman)
    for n_factors, noise in SIMULATED:
        for seed in SEEDS:
            name = f"{n_factors} factors, noise {noise:g}, seed {seed}"
            yield (
                name,
                lambda m=n_factors, s=noise, seed=seed: noisy_factors(m, s, seed),
                (pearson,),
            )


def ratios(matrix, repeats):
    """Seconds of the plain heap; of the kernel and of the whole `tmfg`, over it."""
    start = tmfg(matrix).cliques[0]
    plain, kernel, whole = best_of(
        lambda: plain_cliques(matrix, start),
        lambda: tmfg_cliques(matrix, start),
        lambda: tmfg(matrix),
        repeats=repeats,
    )
    return plain, kernel / plain, whole / plain


def every_table(row, names=()):
    """Give one row for each table, and their median and largest, to the function `row`."""
    found = {}
    for name, matrix in matrices(names):
        repeats = 3 if len(matrix) > 2000 else 9
        plain, kernel, found[name] = ratios(matrix, repeats)
        what = f"tmfg / plain heap ({plain:.2f} s), {name}, n = {len(matrix):,}"
        row("0", what, found[name], "<= 0.9", f"kernel {kernel:.2f}")
    structured = [value for name, value in found.items() if name != NOISE]
    if structured:
        row("0", f"median of {len(structured)} tables", median(structured), "<= 0.45")
        row("0", "largest of them", max(structured), "<= 0.9")


def main():
    def show(_, what, value, bar, unit=""):
        print(f"{what:<86}{value:6.2f}  {unit:<12} {bar}", flush=True)

    np.seterr(all="raise", under="ignore")
    every_table(show, sys.argv[1:])


if __name__ == "__main__":
    main()
