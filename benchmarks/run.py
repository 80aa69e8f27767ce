"""Side-by-side timings as ratios in one run: `make bench` (add `--large` for minutes more).

Prints one table and writes benchmarks/results/ratios.json (or large.json).
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

import numpy as np
from fast_tmfg import TMFG

from benchmarks import cores
from benchmarks.every_table import every_table
from benchmarks.plain_lazy_heap import tmfg_cliques as plain_cliques
from benchmarks.tables import factor_table, relathe, uniform_matrix
from benchmarks.timing import in_new_process, machine, medians, once, peak_memory_gb
from topofs import (
    Coverage,
    Energy,
    InfiniteFeatureSelector,
    Network,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    energy,
    mixed,
    pearson,
    pmfg,
    spearman,
    threshold_mean,
    tmfg,
    tmfg_from_data,
)
from topofs.centrality import betweenness, closeness, infinite_path_scores
from topofs.constraints import Constraints
from topofs.similarity.base import dense

RESULTS = Path(__file__).parent / "results"
ROWS = []


def row(number, what, value, bar, unit=""):
    ROWS.append({"row": number, "what": what, "value": value, "bar": bar, "unit": unit})
    shown = f"{value:.3g}" if isinstance(value, float) else str(value)
    print(f"{number:>4}  {what:<74}{shown:>9} {unit:<3} {bar}", flush=True)


def start_of(matrix):
    strength = np.where(matrix > matrix.mean(), matrix, 0).sum(axis=1)
    return np.argsort(-strength, kind="stable")[:4].astype(np.int64)


def graphs():
    X = factor_table(5000)
    squared = pearson(X, squared=True)
    start = start_of(squared)
    # In this order: the threads of a product go on waiting for work for a while after it.
    corrcoef, plain, ours = medians(
        lambda: np.corrcoef(X, rowvar=False),
        lambda: plain_cliques(squared, start),
        lambda: tmfg(squared),
    )
    row("1", "tmfg / plain lazy heap, squared Pearson, n = 5,000", ours / plain, "<= 0.45")
    row("1", "plain lazy heap / np.corrcoef", plain / corrcoef, "0.8-1.2")
    noise = uniform_matrix(5000)
    start = start_of(noise)
    ours_noise, plain = medians(lambda: tmfg(noise), lambda: plain_cliques(noise, start))
    row("2", "tmfg / plain lazy heap, uniform noise, n = 5,000", ours_noise / plain, "<= 0.9")
    twice = pearson(factor_table(10_000), squared=True)
    (double,) = medians(lambda: tmfg(twice))
    row("5", "tmfg n = 10,000 / n = 5,000", double / ours, "<= 5")
    small = pearson(factor_table(2000), squared=True)
    ours, peer = medians(
        lambda: tmfg(small),
        lambda: TMFG().fit_transform(weights=small, output="unweighted_sparse_W_matrix"),
    )
    row("6", "fast-tmfg / tmfg, n = 2,000", peer / ours, ">= 25")


def fits():
    X = factor_table(5000)
    selectors = {
        "default rule, pearson": TopologicalFeatureSelector(similarity="pearson"),
        "paper, pearson": TopologicalFeatureSelector.paper(similarity="pearson"),
        "default rule, spearman": TopologicalFeatureSelector(similarity="spearman"),
        "paper, spearman": TopologicalFeatureSelector.paper(similarity="spearman"),
        "paper, energy": TopologicalFeatureSelector.paper(similarity="energy"),
    }
    fit = [lambda selector=selector: selector.fit(X) for selector in selectors.values()]
    *ours, corrcoef = medians(*fit, lambda: np.corrcoef(X, rowvar=False))
    for name, seconds in zip(selectors, ours, strict=True):
        number, bar = ("3", "<= 2") if name.endswith("pearson") else ("4", "<= 2.5")
        row(number, f"fit, {name}, n = 5,000 / np.corrcoef", seconds / corrcoef, bar)
    X = factor_table(1000, 500)
    whole = np.rint(X * 10)
    seconds = medians(
        lambda: np.corrcoef(X, rowvar=False),
        lambda: pearson(X),
        lambda: pearson(whole),
        lambda: spearman(X),
    )
    row("", "pearson 500 x 1,000 / np.corrcoef", seconds[1] / seconds[0], "<= 3")
    row("", "pearson of whole numbers 500 x 1,000 / np.corrcoef", seconds[2] / seconds[0], "")
    import pandas as pd

    frame = pd.DataFrame(X)
    ours, pandas = medians(lambda: spearman(X), lambda: frame.corr("spearman"))
    row("", "pandas corr('spearman') 500 x 1,000 / spearman", pandas / ours, ">= 5")


def without_matrix():
    for kind in ("reals", "ties"):
        X = factor_table(5000, 300)
        X = np.rint(X * 0.5) if kind == "ties" else X
        for measure in (
            Pearson(),
            Pearson(squared=False),
            Spearman(),
            Spearman(squared=False),
            Energy(),
        ):
            expected = tmfg(threshold_mean(dense(measure.operator(X))))
            graph = tmfg_from_data(X, similarity=measure)
            same = bool(np.array_equal(graph.edges, expected.edges))
            label = f"{measure.words}, {kind}"
            row(
                "7",
                f"edges without the matrix = edges with it, n = 5,000, {label}",
                same,
                "True",
            )


def infinite_paths():
    similarity = energy(factor_table(4000))
    thetas = np.linspace(0.1, 0.9, 9)

    def dense_formula():
        radius = np.abs(np.linalg.eigvals(similarity)).max()
        np.linalg.inv(np.eye(len(similarity)) - 0.9 / radius * similarity)

    infinite_path_scores(similarity, thetas)
    (ours,) = medians(lambda: infinite_path_scores(similarity, thetas))
    ratio = ours / once(dense_formula)
    row("10", "Inf-FS, nine theta, n = 4,000 / one dense eigvals + inv", ratio, "<= 0.02")


def ties():
    X = relathe()
    if X is None:
        print("  14  RELATHE is not at hand: set TOPOFS_DATA to its folder")
        return
    reference = threshold_mean(pearson(factor_table(X.shape[1]), squared=True))
    for alpha in (0.1, 0.5, 0.9):
        matrix = threshold_mean(energy(X, alpha=alpha))
        seconds, expected = medians(lambda matrix=matrix: tmfg(matrix), lambda: tmfg(reference))
        what = f"tmfg of RELATHE, energy {alpha} / 8-factor data, n = {X.shape[1]:,}"
        row("14", what, seconds / expected, "<= 2")


def starting():
    fit = (
        "import numpy as np; from topofs import TopologicalFeatureSelector as T;"
        "X = np.random.default_rng(0).normal(size=(50, 30)); X[:, 1] += 3 * X[:, 0];"
        "T().fit(X)"
    )
    bare = min(in_new_process("import numpy, sklearn")[0] for _ in range(5))
    for what, code, number in (
        ("import topofs", "import topofs", "12"),
        ("topofs --help", "from topofs.cli import main; import sys; sys.argv[1:] = ['--help']; "
         "sys.exit = lambda status: None; main()", "12"),
        ("import the estimator", "from topofs import TopologicalFeatureSelector", ""),
    ):  # fmt: skip
        seconds = min(in_new_process(code)[0] for _ in range(5))
        bar = "<= 0.5" if number else ""
        row(number, f"{what}, beyond import numpy, sklearn", seconds - bare, bar, "s")
    estimator = "from topofs import TopologicalFeatureSelector"
    base = min(in_new_process(estimator)[0] for _ in range(3))
    in_new_process(fit)
    warm = min(in_new_process(fit)[0] for _ in range(3))
    row(
        "12",
        "first default fit in a new process, warm cache, beyond the import",
        warm - base,
        "<= 1",
        "s",
    )
    with tempfile.TemporaryDirectory() as folder:
        cold, _ = in_new_process(fit, NUMBA_CACHE_DIR=folder)
    row("12", "the same, cold cache", cold - base, "<= 20", "s")


def graphs_and_scores():
    noise = uniform_matrix(300)
    pmfg(uniform_matrix(10))
    row("", "pmfg of noise, n = 300", once(lambda: pmfg(noise)), "< 60", "s")
    graph = tmfg(pearson(factor_table(2000), squared=True))
    row("", "closeness, n = 2,000", once(lambda: closeness(graph)), "seconds", "s")
    row("", "betweenness, n = 2,000", once(lambda: betweenness(graph)), "seconds", "s")


def beyond_the_paper():
    columns = 20_000
    X = factor_table(columns, 100, dtype=np.float32)
    graph = tmfg_from_data(X, threshold=None)
    scale = Pearson().scale(None, n_samples=100, n_features=columns)
    network = Network(columns, graph, scale)
    nothing = Constraints.none(columns)
    for reach in ("paths", "edges"):
        Coverage(reach=reach).rank(network, nothing)
        seconds = once(lambda reach=reach: Coverage(reach=reach).rank(network, nothing))
        what = f"coverage by {reach}, n = 20,000, after the graph"
        row("6.7", what, seconds, "< 5", "s")
    X = factor_table(5000)
    ours, ranks = medians(lambda: mixed(X), lambda: spearman(X, squared=True))
    row("6.5", "mixed / spearman, 5,000 numbers", ours / ranks, "<= 2")


def growth_with_n():
    sizes = (500, 1000, 2000, 4000, 8000)
    times = {"TFS": [], "Inf-FS": []}
    peaks = []
    for n in sizes:
        X = factor_table(n, 500)
        seconds = medians(
            lambda X=X: TopologicalFeatureSelector().fit(X),
            lambda X=X: InfiniteFeatureSelector().fit(X),
            repeats=3,
        )
        for name, taken in zip(times, seconds, strict=True):
            times[name].append(taken)
        peaks.append(_peak_of_fit(n))
    for name, taken in times.items():
        exponent = float(np.polyfit(np.log(sizes[1:]), np.log(taken[1:]), 1)[0])
        row("13", f"exponent of the time of {name} against n, 1,000 to 8,000", exponent, "")
    return {"sizes": sizes, "seconds": times, "peak_gb": peaks, "n_samples": 500}


def _peak_of_fit(n_features):
    code = (
        "from benchmarks.tables import factor_table;"
        "from benchmarks.timing import peak_memory_gb;"
        "from topofs import TopologicalFeatureSelector;"
        f"TopologicalFeatureSelector().fit(factor_table({n_features}, 500));"
        "print(peak_memory_gb())"
    )
    return float(in_new_process(code)[1])


def large():
    growth = {"sizes": [], "seconds": [], "peak_gb": [], "n_samples": 200}
    tmfg_from_data(factor_table(500, 200, dtype=np.float32))
    for n in (5000, 10_000, 20_000, 50_000):
        X = factor_table(n, 200, dtype=np.float32)
        seconds = once(lambda X=X: tmfg_from_data(X))
        for name, value in zip(
            ("sizes", "seconds", "peak_gb"), (n, seconds, peak_memory_gb()), strict=True
        ):
            growth[name].append(value)
        print(
            f"      n = {n:>7,}  {seconds:8.1f} s  peak {growth['peak_gb'][-1]:.2f} GB",
            flush=True,
        )

    def one_pass():
        columns = np.ascontiguousarray(X.T)
        for first in range(0, len(columns), 512):
            columns[first : first + 512] @ columns.T

    row(
        "8",
        "without the matrix, n = 50,000, S = 200, float32: peak memory",
        growth["peak_gb"][-1],
        "<= 3",
        "GB",
    )
    row(
        "8",
        "the same, time / one pass of all products",
        growth["seconds"][-1] / once(one_pass),
        "<= 4",
    )
    X = factor_table(100_000, 100, dtype=np.float32)
    seconds = once(lambda: tmfg_from_data(X))
    row(
        "9",
        "without the matrix, n = 100,000, S = 100, float32: peak memory",
        peak_memory_gb(),
        "<= 5",
        "GB",
    )
    row("9", "the same, time", seconds, "finishes", "s")
    return growth


def more_cores():
    every = len(os.sched_getaffinity(0))
    for what, seconds, bar in cores.compare(cores.SMALL, (1, every)) if every > 1 else ():
        ratio = seconds[0] / seconds[1]
        row("13", f"1 core / {every} cores, {what}", ratio, bar if every == 2 else "")


def on_device():
    try:
        tmfg_from_data(factor_table(5000, 50), device="cuda")
    except ValueError as missing:
        print(f"      nothing on a device: {missing}")
        return
    rng = np.random.default_rng(0)
    for name, X in (
        ("factors, n = 20,000 x 500", factor_table(20_000, 500)),
        ("noise, n = 10,000 x 200", rng.normal(size=(200, 10_000))),
    ):
        device, host = (
            once(lambda where=where, X=X: tmfg_from_data(X, device=where))
            for where in ("cuda", "cpu")
        )
        row("13", f"all cores / device, {name}", host / device, "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="50,000 and 100,000 features")
    chosen = parser.parse_args()
    print(f"{'row':>4}  {'what':<74}{'value':>9}     bar")
    result = machine()
    if chosen.large:
        result["growth"] = large()
    else:
        graphs()
        every_table(row)
        fits()
        infinite_paths()
        ties()
        starting()
        graphs_and_scores()
        beyond_the_paper()
        result["growth"] = growth_with_n()
        without_matrix()
        more_cores()
        on_device()
    result["rows"] = ROWS
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / ("large.json" if chosen.large else "ratios.json")
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"\n{json.dumps(machine())}\nwritten to {path}")


if __name__ == "__main__":
    main()
