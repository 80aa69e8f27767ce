"""The records of a store as tidy frames, for tables, statistics and claims."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from topofs_study.paper.items import ClassCounts, OutOfSample, Paired, Tuning
from topofs_study.paper.protocols import METRICS
from topofs_study.paper.study import published_settings, winners
from topofs_study.running.store import Store

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from topofs_study.paper.items import Cell
    from topofs_study.paper.protocols import Setting
    from topofs_study.paper.study import Chosen
    from topofs_study.running.work_item import Record

__all__ = ["Frames", "load"]

_CELL = ["protocol", "dataset", "classifier", "n_features"]
_SCORES = [*_CELL, "method", "metric", "value", "spread"]
_SETTING = ["similarity", "squared", "alpha", "theta"]
_TUNED = [*_CELL, "method", *_SETTING, "cv_balanced_accuracy", "source"]
_PAIRS = [*_CELL, "repetition", "half", "tfs", "inf_fs"]
_SPLITS = ["protocol", "dataset", "part", "class", "count"]
_SPLITS += ["n_features_before", "n_features_after"]
_ALIGNMENT = ["dataset", "classifier", "n_features", "method", "metric", "shifted", "aligned"]


@dataclass(frozen=True)
class Frames:
    """What a store holds, as five frames; empty where nothing was run.

    Parameters
    ----------
    scores : DataFrame
        protocol, dataset, classifier, n_features, method, metric, value, spread: the test
        scores. For random subsets the mean and the standard deviation over the seeds.
    tuned : DataFrame
        protocol, dataset, classifier, n_features, method, similarity, squared, alpha, theta,
        cv_balanced_accuracy, source: the settings behind the scores.
    pairs : DataFrame
        protocol, dataset, classifier, n_features, repetition, half, tfs, inf_fs: balanced
        accuracies on the halves; half 0 was trained on the first and tested on the second.
    splits : DataFrame
        protocol, dataset, part, class, count, n_features_before, n_features_after.
    alignment : DataFrame
        dataset, classifier, n_features, method, metric, shifted, aligned: the effect of
        defect E1 alone, where the protocol `paper` shifts the test columns.
    """

    scores: pd.DataFrame
    tuned: pd.DataFrame
    pairs: pd.DataFrame
    splits: pd.DataFrame
    alignment: pd.DataFrame


def load(path: str | os.PathLike[str], *, source: str | None = None) -> Frames:
    """Read a store into frames; the file is opened for reading only.

    Parameters
    ----------
    path : path-like
        The store; another process may be writing to it.
    source : {"tuned", "replay"}, optional
        Whose settings the scores and pairs shall be of. Without it the tuned ones, or the
        paper's where nothing was tuned.

    Returns
    -------
    Frames

    Raises
    ------
    StoreError
        There is no such file, or it is not a store.
    """
    with Store(path, read_only=True) as store:
        tuning = list(store.records(Tuning))
        tests = list(store.records(OutOfSample))
        pairs = list(store.records(Paired))
        splits = list(store.records(ClassCounts))
    chosen = winners(tuning)
    if source is None:
        source = "tuned" if chosen else "replay"
    if source == "replay":
        chosen = published_settings()
    cells = {cell for record in tests for cell in record.item.cells}
    if source == "tuned":
        cells |= {cell for records in (tuning, pairs) for r in records for cell in r.item.cells}
    aligned = (row for record in tests for row in _aligned_rows(record, chosen))
    return Frames(
        scores=_frame((row for r in tests for row in _score_rows(r, chosen)), _SCORES, 2),
        tuned=_tuned(cells, chosen, source),
        pairs=_pairs(pairs, chosen),
        splits=_frame((row for r in splits for row in _split_rows(r)), _SPLITS, 3),
        alignment=_frame(aligned, _ALIGNMENT, 2),
    )


def _by_size(
    record: Record[OutOfSample] | Record[Paired], chosen: Mapping[Cell, Chosen]
) -> Iterable[tuple[int, Any]]:
    """Give size and result wherever an item ran the setting that was chosen."""
    item = record.item
    for index, (cell, result) in enumerate(zip(item.cells, record.result, strict=True)):
        if not item.settings or (
            cell in chosen and chosen[cell].setting == item.settings[index]
        ):
            yield cell[-1], result


def _frame(rows: Iterable[tuple[Any, ...]], columns: list[str], n_values: int) -> pd.DataFrame:
    """Rows by identity: two records that hold the same row hold the same values."""
    identity = columns[:-n_values]
    frame = pd.DataFrame(rows, columns=columns).drop_duplicates(identity)
    return frame.sort_values(identity, ignore_index=True)


def _score_rows(
    record: Record[OutOfSample], chosen: Mapping[Cell, Chosen]
) -> Iterable[tuple[Any, ...]]:
    """One row for each size and metric of a test."""
    item = record.item
    for size, scores in _by_size(record, chosen):
        table = np.atleast_2d(np.array(scores))[:, : len(METRICS)]
        for metric, values in zip(METRICS, table.T, strict=True):
            spread = float(values.std(ddof=1)) if item.method == "random" else math.nan
            cell = (item.protocol, item.dataset, item.classifier, size)
            yield (*cell, item.method, metric, float(values.mean()), spread)


def _aligned_rows(
    record: Record[OutOfSample], chosen: Mapping[Cell, Chosen]
) -> Iterable[tuple[Any, ...]]:
    """One row for each size and metric whose test columns were shifted."""
    item = record.item
    if item.method == "random":
        return
    for size, scores in _by_size(record, chosen):
        shifted, aligned = scores[: len(METRICS)], scores[len(METRICS) :]
        if aligned:
            for metric, *values in zip(METRICS, shifted, aligned, strict=True):
                yield (item.dataset, item.classifier, size, item.method, metric, *values)


def _split_rows(record: Record[ClassCounts]) -> Iterable[tuple[Any, ...]]:
    """One row for each part and class."""
    item, result = record.item, record.result
    sizes = (result["n_features_before"], result["n_features_after"])
    for part, counts in result["counts"].items():
        for label, count in counts:
            yield (item.protocol, item.dataset, part, label, count, *sizes)


def _setting_values(setting: Setting) -> tuple[str, bool, float, float]:
    """Give the columns of a setting, NaN where it has none."""
    alpha = math.nan if setting.alpha is None else setting.alpha
    theta = math.nan if setting.theta is None else setting.theta
    return setting.similarity, setting.squared, alpha, theta


def _tuned(cells: set[Cell], chosen: Mapping[Cell, Chosen], source: str) -> pd.DataFrame:
    """List the chosen settings of the cells that some record is about."""
    rows = [
        (
            *(protocol, dataset, classifier, size, method),
            *_setting_values(one.setting),
            *(one.cv_balanced_accuracy, source),
        )
        for (protocol, dataset, method, classifier, size), one in chosen.items()
        if (protocol, dataset, method, classifier, size) in cells
    ]
    return _frame(rows, _TUNED, 6)


def _pairs(records: list[Record[Paired]], chosen: Mapping[Cell, Chosen]) -> pd.DataFrame:
    """List the halves that both methods were run on, side by side."""
    halves: dict[tuple[Any, ...], dict[str, float]] = defaultdict(dict)
    for record in records:
        item, part = record.item, record.item.part
        for size, score in _by_size(record, chosen):
            cell = (item.protocol, item.dataset, item.classifier, size)
            halves[(*cell, part.repetition, part.half)][item.method] = score
    rows = [
        (*identity, scores["tfs"], scores["inf_fs"])
        for identity, scores in halves.items()
        if len(scores) == 2
    ]
    return _frame(rows, _PAIRS, 2)
