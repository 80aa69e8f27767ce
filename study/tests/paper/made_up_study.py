"""Tidy frames of a run that never was, near the published numbers, for tests of the tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from topofs_study.paper.published import (
    published_class_counts,
    published_datasets,
    published_scores,
    published_tuned,
)

SCORES = [
    "protocol",
    "dataset",
    "classifier",
    "n_features",
    "method",
    "metric",
    "value",
    "spread",
]
TUNED = ["protocol", "dataset", "classifier", "n_features", "method", "similarity", "squared"]
TUNED += ["alpha", "theta", "cv_balanced_accuracy", "source"]
PAIRS = [
    "protocol",
    "dataset",
    "classifier",
    "n_features",
    "repetition",
    "half",
    "tfs",
    "inf_fs",
]
SPLITS = ["protocol", "dataset", "part", "class", "count", "n_features_before"]
SPLITS += ["n_features_after"]


@dataclass(frozen=True)
class MadeUp:
    scores: pd.DataFrame
    tuned: pd.DataFrame
    pairs: pd.DataFrame
    splits: pd.DataFrame


def nothing() -> MadeUp:
    return MadeUp(*(pd.DataFrame(columns=names) for names in (SCORES, TUNED, PAIRS, SPLITS)))


def made_up(datasets, protocols=("paper", "corrected"), *, repetitions=15, seed=0) -> MadeUp:
    rng = np.random.default_rng(seed)
    parts = [_of_protocol(list(datasets), name, repetitions, rng) for name in protocols]
    columns = zip(*((p.scores, p.tuned, p.pairs, p.splits) for p in parts), strict=True)
    return MadeUp(*(pd.concat(frames, ignore_index=True) for frames in columns))


def _of_protocol(datasets, protocol, repetitions, rng) -> MadeUp:
    def chosen(frame):
        return frame[frame["dataset"].isin(datasets)].assign(protocol=protocol)

    scores = chosen(published_scores()).assign(spread=np.nan)
    if protocol == "corrected":
        tfs = scores[scores["method"] == "tfs"]
        rivals = [tfs.assign(method=name) for name in ("random", "variance")]
        scores = pd.concat([scores, *rivals], ignore_index=True)
        noise = rng.normal(0.0, 0.05, len(scores))
        scores["value"] = (scores["value"] + noise).clip(-1, 1)
    tuned = chosen(published_tuned()).assign(source="tuned")
    cells = tuned[tuned["method"] == "tfs"][PAIRS[:4]]
    halves = pd.DataFrame(
        [(r, h) for r in range(repetitions) for h in (0, 1)], columns=["repetition", "half"]
    )
    pairs = cells.merge(halves, how="cross").assign(inf_fs=0.5)
    pairs["tfs"] = 0.5 + rng.normal(0.02, 0.05, len(pairs))
    sizes = published_datasets().set_index("dataset")
    splits = chosen(published_class_counts())
    splits = splits.assign(
        n_features_before=splits["dataset"].map(sizes["n_features"]),
        n_features_after=splits["dataset"].map(sizes["train_features"]),
    )
    return MadeUp(scores[SCORES], tuned[TUNED], pairs[PAIRS], splits[SPLITS])
