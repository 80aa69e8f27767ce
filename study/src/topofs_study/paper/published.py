"""The paper's published numbers, as tidy frames in the words of this package.

The numbers ship with the package (folder ``published/``): test scores, scores with every
feature, tuned settings, p-values, and the sizes and class counts of the datasets. Each
function gives a fresh copy, so that a caller may change what it received.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pandas as pd

__all__ = [
    "published_class_counts",
    "published_datasets",
    "published_p_values",
    "published_scores",
    "published_tuned",
]


def published_datasets() -> pd.DataFrame:
    """Give the 16 benchmark datasets: category and sizes before and after preprocessing.

    Returns
    -------
    pandas.DataFrame
        ``dataset, category, n_features, n_samples, n_classes, split_provided,
        train_features, train_samples, test_samples``, in the paper's order.

    Examples
    --------
    >>> frame = published_datasets()
    >>> len(frame), frame["dataset"].iloc[0], int(frame["train_features"].iloc[0])
    (16, 'PCMAC', 3287)
    """
    return _read("datasets").rename(columns={"name": "dataset"})


def published_scores() -> pd.DataFrame:
    """Give the published test scores of both methods, and of all features.

    Returns
    -------
    pandas.DataFrame
        ``dataset, classifier, n_features, method, metric, value``. Method ``all`` (balanced
        accuracy only) has the number of training columns as its `n_features`. The paper
        prints two decimals.

    Examples
    --------
    >>> frame = published_scores()
    >>> frame.groupby("method").size().to_dict()
    {'all': 48, 'inf_fs': 720, 'tfs': 720}
    """
    subsets = _read("out_of_sample").replace({"metric": {"f1_macro": "f1"}})
    columns = published_datasets().set_index("dataset")["train_features"]
    everything = _read("all_features").rename(columns={"balanced_accuracy": "value"})
    everything = everything.assign(
        n_features=everything["dataset"].map(columns), method="all", metric="balanced_accuracy"
    )
    order = ["dataset", "classifier", "n_features", "method", "metric", "value"]
    return pd.concat([subsets[order], everything[order]], ignore_index=True)


def published_tuned() -> pd.DataFrame:
    """Give the settings that won the paper's cross-validation, with their in-sample score.

    Returns
    -------
    pandas.DataFrame
        ``dataset, classifier, n_features, method, similarity, squared, alpha, theta,
        cv_balanced_accuracy``. TFS has no `theta`; Inf-FS weighs by the energy similarity,
        never squared.

    Examples
    --------
    >>> frame = published_tuned()
    >>> frame.groupby("method").size().to_dict()
    {'inf_fs': 240, 'tfs': 240}
    """
    tfs = _read("tuned_tfs").rename(columns={"metric": "similarity", "square": "squared"})
    tfs = tfs.assign(method="tfs", theta=float("nan"), squared=tfs["squared"].astype(bool))
    inf_fs = _read("tuned_inf_fs").assign(method="inf_fs", similarity="energy", squared=False)
    order = ["dataset", "classifier", "n_features", "method", "similarity", "squared"]
    order += ["alpha", "theta", "cv_balanced_accuracy"]
    return pd.concat([tfs[order], inf_fs[order]], ignore_index=True)


def published_p_values() -> pd.DataFrame:
    """Give the published p-values of the 15×2cv paired t-test.

    Returns
    -------
    pandas.DataFrame
        ``dataset, classifier, n_features, p_value, stars, tfs_is``. A cell is printed either
        as a number (`p_value`, above 0.1) or as `stars`; `tfs_is` is ``better`` or
        ``worse`` beside stars, empty otherwise.

    Examples
    --------
    >>> frame = published_p_values()
    >>> int(frame["p_value"].notna().sum()), int((frame["stars"] != "").sum())
    (163, 77)
    """
    frame = _read("p_values")
    frame[["stars", "tfs_is"]] = frame[["stars", "tfs_is"]].fillna("").astype(str)
    return frame[["dataset", "classifier", "n_features", "p_value", "stars", "tfs_is"]]


def published_class_counts() -> pd.DataFrame:
    """Give the samples of each class in the published training and test parts.

    Returns
    -------
    pandas.DataFrame
        ``dataset, part, class, count`` with part ``train`` or ``test``.

    Examples
    --------
    >>> frame = published_class_counts()
    >>> int(frame.query("dataset == 'GLIOMA' and part == 'test'")["count"].sum())
    15
    """
    return _read("class_counts")


def _read(name: str) -> pd.DataFrame:
    """Give a copy of one table; the file itself is read once."""
    return _table(name).copy()


@cache
def _table(name: str) -> pd.DataFrame:
    with (files(__package__) / "published" / f"{name}.csv").open(encoding="utf-8") as stream:
        return pd.read_csv(stream)
