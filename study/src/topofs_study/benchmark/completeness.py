"""What of a benchmark is there, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.benchmark.frame import count_in_words
from topofs_study.benchmark.methods import METHODS
from topofs_study.benchmark.plan import N_TUNED_SPLITS

if TYPE_CHECKING:
    from topofs_study.benchmark.plan import Benchmark

__all__ = ["completeness", "missing_parts"]


def completeness(frame: pd.DataFrame, benchmark: Benchmark) -> pd.DataFrame:
    """Count the splits and random subsets that are there for each method.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `topofs_study.benchmark.frame.frame_of`.
    benchmark : Benchmark
        What was to be run.

    Returns
    -------
    pandas.DataFrame
        ``method, found, planned, fewest_seeds, most_seeds, planned_seeds``: pairs of dataset
        and split that have all sizes, then random subsets of each size on each pair.
    """
    widths = frame.groupby("dataset")["n_varying"].max()
    rows = []
    for method in (name for name in METHODS if name in benchmark.methods):
        of_method = frame[frame["method"] == method]
        pairs = of_method.groupby(["dataset", "split"])
        n_sizes = pairs["size"].agg(lambda sizes: sizes[sizes.str.isdecimal()].nunique())
        wanted = [
            0 if method == "all" else sum(size <= widths[name] for size in benchmark.sizes)
            for name in n_sizes.index.get_level_values("dataset")
        ]
        seeds = pairs["seed"].nunique()[n_sizes.to_numpy() >= wanted]
        n_splits = benchmark.n_splits
        if method == "tfs_tuned":
            n_splits = min(n_splits, N_TUNED_SPLITS)
        rows.append(
            {
                "method": method,
                "found": len(seeds),
                "planned": n_splits * len(benchmark.datasets),
                "fewest_seeds": int(seeds.min()) if len(seeds) else 0,
                "most_seeds": int(seeds.max()) if len(seeds) else 0,
                "planned_seeds": benchmark.n_seeds if method == "random" else 1,
            }
        )
    return pd.DataFrame(rows)


def missing_parts(frame: pd.DataFrame, benchmark: Benchmark) -> list[str]:
    """Say what is missing, a few words each.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `topofs_study.benchmark.frame.frame_of`.
    benchmark : Benchmark
        What was to be run.

    Returns
    -------
    list of str
        Empty where everything is there.

    Examples
    --------
    >>> from topofs_study.benchmark.plan import Benchmark
    >>> columns = ["method", "dataset", "split", "seed", "size", "n_varying"]
    >>> frame = pd.DataFrame([("variance", "wine", 0, 0, "10", 13)], columns=columns)
    >>> missing_parts(frame, Benchmark(("wine",), ("variance",), n_splits=2))
    ['1 of 2 dataset splits of variance']
    """
    counts = completeness(frame, benchmark)
    sentences = []
    for (found, planned), rows in counts.groupby(["found", "planned"], sort=False):
        if found < planned:
            names = ", ".join(rows["method"])
            sentences.append(f"{planned - found} of {planned} dataset splits of {names}")
    for row in counts.itertuples():
        if row.method == "random" and 0 < row.fewest_seeds < row.planned_seeds:
            spread = count_in_words(row.fewest_seeds, row.most_seeds)
            sentences.append(
                f"some random subsets (there are {spread} of {row.planned_seeds} a size)"
            )
    return sentences
