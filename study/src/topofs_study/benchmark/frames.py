"""The records of a benchmark as tidy frames, what of them can be compared, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from topofs.selection.stability import nogueira_stability
from topofs_study.benchmark.methods import METHODS
from topofs_study.benchmark.plan import N_TUNED_SPLITS, BenchmarkItem
from topofs_study.benchmark.unseen_rows import MEASURES
from topofs_study.running.store import Store

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from topofs_study.benchmark.plan import Benchmark
    from topofs_study.running.work_item import Record

__all__ = ["Measurements", "OtherMeasures", "load_frame", "load_measurements"]

_COLUMNS = [
    *("dataset", "split", "method", "size", "n_features", "n_varying"),
    *("seed", "classifier", "balanced_accuracy"),
]
_CELL = ["dataset", "split", "method", "size", "classifier"]


def load_frame(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read the scores of a store, a row each.

    Parameters
    ----------
    path : path-like
        The store.

    Returns
    -------
    pandas.DataFrame
        ``dataset, split, method, size, n_features, n_varying, seed, classifier,
        balanced_accuracy``; `size` is text: a number, ``auto`` or ``all``.
    """
    with Store(path, read_only=True) as store:
        return scores_frame(store.records(BenchmarkItem))


def scores_frame(records: Iterable[Record[BenchmarkItem]]) -> pd.DataFrame:
    """Give every score of a benchmark as one row."""
    rows = [
        (
            *(record.item.dataset, record.item.split, record.item.method),
            *(size, n_features, record.result["n_varying"], seed, classifier, value),
        )
        for record in records
        for size, n_features, seed, classifier, value in record.result["rows"]
    ]
    # A store may hold the same subset twice, from runs with other numbers of seeds or sizes.
    return pd.DataFrame(rows, columns=_COLUMNS).drop_duplicates([*_CELL, "seed"])


def within_plan(frame: pd.DataFrame, benchmark: Benchmark) -> pd.DataFrame:
    """Leave out what a benchmark did not ask for; a store may hold more."""
    sizes = {"auto", "all", *map(str, benchmark.sizes)}
    return requested_rows(frame[frame["size"].isin(sizes)], benchmark)


def requested_rows(frame: pd.DataFrame, benchmark: Benchmark) -> pd.DataFrame:
    """Leave out datasets, methods, splits and seeds that a benchmark did not ask for."""
    return frame[
        frame["dataset"].isin(benchmark.datasets)
        & frame["method"].isin(benchmark.methods)
        & (frame["split"] < benchmark.n_splits)
        & (frame["seed"] < benchmark.n_seeds)
    ]


def format_range(fewest: int, most: int) -> str:
    """Give ``3``, or ``3 to 5`` where not all have as many."""
    return str(fewest) if most <= fewest else f"{fewest} to {most}"


def mean_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the random subsets of a cell: one row a dataset, split, method, size, classifier."""
    grouped = frame.groupby(_CELL, sort=False)
    cells = grouped.agg(
        n_features=("n_features", "mean"),
        n_varying=("n_varying", "first"),
        n_seeds=("seed", "nunique"),
        balanced_accuracy=("balanced_accuracy", "mean"),
    ).reset_index()
    order = cells["method"].map({name: place for place, name in enumerate(METHODS)})
    return cells.iloc[order.argsort(kind="stable")].reset_index(drop=True)


def at_fixed_sizes(cells: pd.DataFrame) -> pd.DataFrame:
    """Leave out the automatic size and all columns; `size` becomes a number."""
    fixed = cells[~cells["size"].isin(["auto", "all"])]
    return fixed.astype({"size": int})


def common_cells(cells: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Keep what all of some methods have, so that each is averaged over the same cells."""
    index = ["dataset", "split", "size", "classifier"]
    chosen = cells[cells["method"].isin(methods)]
    wide = chosen.pivot_table(index=index, columns="method", values="balanced_accuracy")
    return wide.reindex(columns=list(methods)).dropna()


def completeness(frame: pd.DataFrame, benchmark: Benchmark) -> pd.DataFrame:
    """Count the splits and random subsets that are there for each method."""
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
            spread = format_range(row.fewest_seeds, row.most_seeds)
            sentences.append(
                f"some random subsets (there are {spread} of {row.planned_seeds} a size)"
            )
    return sentences


@dataclass(frozen=True)
class Measurements:
    """Everything that the records of a benchmark hold beside accuracies.

    Attributes
    ----------
    values : pandas.DataFrame
        ``dataset, split, method, size, seed, measure, value``.
    rankings : pandas.DataFrame
        ``dataset, split, method, seed, seconds, n_columns, chosen``: what a ranking took, and
        the columns of the dataset that it begins with.
    """

    values: pd.DataFrame
    rankings: pd.DataFrame

    def within_plan(self, benchmark: Benchmark) -> Measurements:
        """Leave out what a benchmark did not ask for.

        Parameters
        ----------
        benchmark : Benchmark
            What was to be run.

        Returns
        -------
        Measurements
        """
        return Measurements(
            requested_rows(self.values, benchmark), requested_rows(self.rankings, benchmark)
        )


@dataclass(frozen=True)
class OtherMeasures:
    """Means over datasets of what was measured beside accuracy.

    Attributes
    ----------
    by_method : pandas.DataFrame
        Methods by ``rebuilt, neighbours, stability, seconds``; all but the stability are
        medians over splits.
    stability : pandas.DataFrame
        Datasets by methods.
    n_resamples, most_resamples : int
        Resamples behind a stability, of the dataset with the fewest and with the most.
    """

    by_method: pd.DataFrame
    stability: pd.DataFrame
    n_resamples: int
    most_resamples: int


def load_measurements(path: str | os.PathLike[str]) -> Measurements:
    """Read what a store holds beside the scores.

    Parameters
    ----------
    path : path-like
        The store.

    Returns
    -------
    Measurements
    """
    with Store(path, read_only=True) as store:
        return measurements_of(store.records(BenchmarkItem))


def measurements_of(records: Iterable[Record[BenchmarkItem]]) -> Measurements:
    """Put the measurements of records into two frames."""
    values, rankings = [], []
    for record in records:
        found = record.result
        cell = (record.item.dataset, record.item.split, record.item.method)
        values += [(*cell, *measured) for measured in found["measures"]]
        rankings += [
            (*cell, seed, found["seconds"], found["n_columns"], tuple(chosen))
            for seed, chosen in found["chosen"]
        ]
    key = ["dataset", "split", "method"]
    return Measurements(
        _unique(values, [*key, "size", "seed", "measure"], ["value"]),
        _unique(rankings, [*key, "seed"], ["seconds", "n_columns", "chosen"]),
    )


def _unique(rows: list[Any], key: list[str], values: list[str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[*key, *values]).drop_duplicates(key)


def other_measures(found: Measurements) -> OtherMeasures | None:
    """Average over datasets, each method over what all methods have."""
    rankings = found.rankings  # on the splits that every method was run on
    n_methods = rankings.groupby(["dataset", "split"])["method"].transform("nunique")
    rankings = rankings[n_methods == rankings["method"].nunique()]
    resamples = rankings.groupby("dataset")["split"].nunique()
    rankings = rankings[rankings["dataset"].map(resamples) >= 2]
    if rankings.empty:
        return None
    stability = stability_by_dataset(rankings)
    seconds = rankings.groupby(["dataset", "method"])["seconds"].median()
    table = pd.DataFrame(
        {
            **{name: _means(found.values, name) for name in MEASURES},
            "stability": stability.mean(),
            "seconds": seconds.groupby("method").mean(),
        }
    )
    table = table.loc[[name for name in METHODS if name in stability]]
    counts = resamples[resamples >= 2]
    return OtherMeasures(table, stability, int(counts.min()), int(counts.max()))


def stability_by_dataset(rankings: pd.DataFrame) -> pd.DataFrame:
    """Give Nogueira's stability over the splits of a dataset."""
    groups = rankings.groupby(["dataset", "method", "seed"], sort=False)
    rows = [(dataset, method, _stability(group)) for (dataset, method, _), group in groups]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "stability"])
    return frame.pivot_table(index="dataset", columns="method", values="stability")


def _stability(group: pd.DataFrame) -> float:
    """The stability of some sets of columns; columns that never vary count as not chosen."""
    sets = np.zeros((len(group), int(group["n_columns"].iloc[0])))
    for row, chosen in zip(sets, group["chosen"], strict=True):
        row[list(chosen)] = 1.0
    return nogueira_stability(sets)[0]


def _means(values: pd.DataFrame, measure: str) -> pd.Series:
    """Take the median over splits at each fixed size; average over sizes, then datasets.

    A single value far outside of what the training part has, in a column that hardly varies
    there, can make the share that is rebuilt on one split as low as −30.
    """
    fixed = values[(values["measure"] == measure) & values["size"].str.isdecimal()]
    index = ["dataset", "split", "size"]
    wide = fixed.pivot_table(index=index, columns="method", values="value", aggfunc="median")
    over_splits = wide.dropna().groupby(["dataset", "size"]).median()
    return over_splits.groupby("dataset").mean().mean()
