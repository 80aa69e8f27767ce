"""What the benchmark measures beside accuracy: rebuilt variance, neighbours, stability, time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from topofs.selection.stability import nogueira_stability
from topofs_study.benchmark.frame import asked_for
from topofs_study.benchmark.item import BenchmarkItem
from topofs_study.benchmark.methods import METHODS
from topofs_study.benchmark.unseen_rows import MEASURES
from topofs_study.running.store import Store

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from topofs_study.benchmark.plan import Benchmark
    from topofs_study.running.work_item import Record

__all__ = [
    "Measurements",
    "OtherMeasures",
    "load_measurements",
    "measurements_of",
    "other_measures",
    "stability_by_dataset",
]


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
            asked_for(self.values, benchmark), asked_for(self.rankings, benchmark)
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
    """Read the measurements of a store; see `measurements_of`.

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
    """Put the measurements of records into two frames.

    Parameters
    ----------
    records : iterable of Record
        The records of a benchmark.

    Returns
    -------
    Measurements
    """
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
        pd.DataFrame(
            values, columns=[*key, "size", "seed", "measure", "value"]
        ).drop_duplicates([*key, "size", "seed", "measure"]),
        pd.DataFrame(
            rankings, columns=[*key, "seed", "seconds", "n_columns", "chosen"]
        ).drop_duplicates([*key, "seed"]),
    )


def other_measures(found: Measurements) -> OtherMeasures | None:
    """Average over datasets, each method over what all methods have.

    Parameters
    ----------
    found : Measurements
        From `measurements_of`.

    Returns
    -------
    OtherMeasures or None
        None where no dataset has two splits, or 50 columns, of every method.
    """
    rankings = _common_splits(found.rankings)
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
    """Give Nogueira's stability over the splits of a dataset.

    Parameters
    ----------
    rankings : pandas.DataFrame
        As in `Measurements`.

    Returns
    -------
    pandas.DataFrame
        Datasets by methods; the mean over seeds.
    """
    rows = [
        (dataset, method, _stability(group))
        for (dataset, method, _), group in rankings.groupby(
            ["dataset", "method", "seed"], sort=False
        )
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "stability"])
    return frame.pivot_table(index="dataset", columns="method", values="stability")


def _stability(group: pd.DataFrame) -> float:
    """The stability of some sets of columns; columns that never vary count as not chosen."""
    sets = np.zeros((len(group), int(group["n_columns"].iloc[0])))
    for row, chosen in zip(sets, group["chosen"], strict=True):
        row[list(chosen)] = 1.0
    return nogueira_stability(sets)[0]


def _common_splits(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the splits that every method was run on."""
    n_methods = frame.groupby(["dataset", "split"])["method"].transform("nunique")
    return frame[n_methods == frame["method"].nunique()]


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
