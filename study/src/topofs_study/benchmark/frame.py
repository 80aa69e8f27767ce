"""The records of a benchmark as one tidy frame, and what of it can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.benchmark.item import BenchmarkItem
from topofs_study.benchmark.methods import METHODS
from topofs_study.running.store import Store

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from topofs_study.benchmark.plan import Benchmark
    from topofs_study.running.work_item import Record

__all__ = [
    "asked_for",
    "at_fixed_sizes",
    "cells_of",
    "common_cells",
    "count_in_words",
    "frame_of",
    "load_frame",
    "within_plan",
]

_COLUMNS = [
    *("dataset", "split", "method", "size", "n_features", "n_varying"),
    *("seed", "classifier", "balanced_accuracy"),
]
_CELL = ["dataset", "split", "method", "size", "classifier"]


def load_frame(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read the scores of a store; see `frame_of`.

    Parameters
    ----------
    path : path-like
        The store.

    Returns
    -------
    pandas.DataFrame
    """
    with Store(path, read_only=True) as store:
        return frame_of(store.records(BenchmarkItem))


def frame_of(records: Iterable[Record[BenchmarkItem]]) -> pd.DataFrame:
    """Give every score of a benchmark as one row.

    Parameters
    ----------
    records : iterable of Record
        The records of a benchmark.

    Returns
    -------
    pandas.DataFrame
        ``dataset, split, method, size, n_features, n_varying, seed, classifier,
        balanced_accuracy``; `size` is text: a number, ``auto`` or ``all``.
    """
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
    """Leave out what a benchmark did not ask for; a store may hold more.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `frame_of`.
    benchmark : Benchmark
        What was to be run.

    Returns
    -------
    pandas.DataFrame
    """
    sizes = {"auto", "all", *map(str, benchmark.sizes)}
    return asked_for(frame[frame["size"].isin(sizes)], benchmark)


def asked_for(frame: pd.DataFrame, benchmark: Benchmark) -> pd.DataFrame:
    """Leave out datasets, methods, splits and seeds that a benchmark did not ask for."""
    return frame[
        frame["dataset"].isin(benchmark.datasets)
        & frame["method"].isin(benchmark.methods)
        & (frame["split"] < benchmark.n_splits)
        & (frame["seed"] < benchmark.n_seeds)
    ]


def count_in_words(fewest: int, most: int) -> str:
    """Give ``3``, or ``3 to 5`` where not all have as many."""
    return str(fewest) if most <= fewest else f"{fewest} to {most}"


def cells_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the random subsets of a cell: one row a dataset, split, method, size, classifier.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `frame_of`.

    Returns
    -------
    pandas.DataFrame
        The columns of `frame` with ``n_seeds``, the number of subsets behind a row, in place
        of ``seed``. Methods are in the order of `METHODS`.
    """
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
    """Leave out the automatic size and all columns; `size` becomes a number.

    Parameters
    ----------
    cells : pandas.DataFrame
        From `cells_of`.

    Returns
    -------
    pandas.DataFrame
    """
    fixed = cells[~cells["size"].isin(["auto", "all"])]
    return fixed.astype({"size": int})


def common_cells(cells: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Keep what all of some methods have, so that each is averaged over the same cells.

    Parameters
    ----------
    cells : pandas.DataFrame
        From `at_fixed_sizes`.
    methods : sequence of str
        The methods to compare.

    Returns
    -------
    pandas.DataFrame
        Indexed by ``dataset, split, size, classifier``; a column a method; no value missing.
    """
    index = ["dataset", "split", "size", "classifier"]
    chosen = cells[cells["method"].isin(methods)]
    wide = chosen.pivot_table(index=index, columns="method", values="balanced_accuracy")
    return wide.reindex(columns=list(methods)).dropna()
