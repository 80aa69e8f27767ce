"""Our rows beside the published ones: the mean difference from their random rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.benchmark.fseval.item import FOREST, K_MEANS, FsevalItem
from topofs_study.benchmark.fseval.published import RANDOM, published_shares
from topofs_study.running.store import Store

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from topofs_study.benchmark.fseval.plan import FsevalBenchmark
    from topofs_study.running.work_item import Record

__all__ = ["FsevalSummary", "fseval_frame", "load_fseval", "summarise_fseval"]

_CELL = ["dataset", "share_of_columns"]


@dataclass(frozen=True)
class FsevalSummary:
    """Means over the datasets that every method of ours was run on.

    Attributes
    ----------
    metric : str
        ``rf_accuracy`` or ``kmeans_accuracy``.
    table : pandas.DataFrame
        ``source`` ("topofs" or "published"), ``method``, a column a share with the mean
        accuracy, ``mean``, and ``over_random``, the mean difference from their random rankings;
        the largest first.
    by_dataset : pandas.DataFrame
        Datasets by methods: differences from their random rankings.
    n_seeds, most_seeds : int
        Seeds behind a value, the fewest and the most.
    """

    metric: str
    table: pd.DataFrame
    by_dataset: pd.DataFrame
    n_seeds: int
    most_seeds: int


def load_fseval(path: str | os.PathLike[str], benchmark: FsevalBenchmark) -> pd.DataFrame:
    """Read what a store holds of a benchmark; see `fseval_frame`.

    Parameters
    ----------
    path : path-like
        The store.
    benchmark : FsevalBenchmark
        What was asked for.

    Returns
    -------
    pandas.DataFrame
    """
    with Store(path, read_only=True) as store:
        frame = fseval_frame(store.records(FsevalItem))
    return frame[
        frame["dataset"].isin(benchmark.datasets) & frame["method"].isin(benchmark.methods)
    ]


def fseval_frame(records: Iterable[Record[FsevalItem]]) -> pd.DataFrame:
    """Give every value as one row.

    Parameters
    ----------
    records : iterable of Record
        The records of the protocol.

    Returns
    -------
    pandas.DataFrame
        ``dataset, method, metric, seed, share_of_columns, value``.
    """
    rows = [
        (record.item.dataset, record.item.method, record.item.metric, record.item.seed, *pair)
        for record in records
        for pair in record.result
    ]
    columns = ["dataset", "method", "metric", "seed", "share_of_columns", "value"]
    return pd.DataFrame(rows, columns=columns)


def summarise_fseval(frame: pd.DataFrame) -> list[FsevalSummary]:
    """Compare with the published rows, both protocols.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `fseval_frame`.

    Returns
    -------
    list of FsevalSummary
        Those that there are values of.
    """
    found = (_summary(frame[frame["metric"] == name], name) for name in (FOREST, K_MEANS))
    return [summary for summary in found if summary is not None]


def _summary(frame: pd.DataFrame, metric: str) -> FsevalSummary | None:
    """Average over the cells that every method has."""
    ours = frame.pivot_table(index=_CELL, columns="method", values="value").dropna()
    if ours.empty:
        return None
    there = published_shares().query("metric == @metric")
    theirs = there.pivot_table(index=_CELL, columns="method", values="value")
    both = {"topofs": ours, "published": theirs.reindex(ours.index)}
    # Two methods of the two sides may have one name, so the side is part of it.
    wide = pd.concat(both, axis=1)
    lead = wide.sub(wide["published", RANDOM], axis=0)
    table = wide.groupby("share_of_columns").mean().T
    table.columns = [f"{share:g}" for share in table.columns]
    table["mean"] = table.mean(axis=1)
    table["over_random"] = lead.mean()
    table = table.rename_axis(["source", "method"]).reset_index()
    seeds = frame.groupby(["dataset", "method"])["seed"].nunique()
    return FsevalSummary(
        metric,
        table.sort_values("over_random", ascending=False, ignore_index=True),
        lead.groupby("dataset").mean(),
        int(seeds.min()),
        int(seeds.max()),
    )
