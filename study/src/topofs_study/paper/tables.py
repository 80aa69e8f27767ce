"""The tables of the reproduction: published numbers beside measured ones.

Pure functions from the tidy frames of a store to the frames of ``cells.csv``, ``tuned.csv`` and
``p_values.csv``, and the counts of how far they agree. A number that was not published, or not
run, is missing (an empty field in the file). Rows follow the paper's order of datasets; other
datasets come after, by name.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from topofs_study.paper.protocols import CLASSIFIERS, METRICS
from topofs_study.paper.published import (
    published_class_counts,
    published_datasets,
    published_p_values,
    published_scores,
    published_tuned,
)
from topofs_study.paper.statistics import METHODS, STATISTICS, stars

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "PROTOCOLS",
    "agreement",
    "cells_table",
    "class_counts_table",
    "misses",
    "p_values_table",
    "tuned_agreement",
    "tuned_table",
]

PROTOCOLS = ("paper", "corrected")
_SOURCES = ("published", *PROTOCOLS)
_CELL = ["dataset", "classifier", "n_features"]
_SETTING = ["similarity", "squared", "alpha", "theta", "cv_balanced_accuracy", "source"]
_NOISE = 1e-9


def dataset_order(names: Sequence[str]) -> list[str]:
    """Dataset names without repeats, the paper's first and in its order.

    Examples
    --------
    >>> dataset_order(["wine", "USPS", "digits", "PCMAC"])
    ['PCMAC', 'USPS', 'digits', 'wine']
    """
    paper = published_datasets()["dataset"].tolist()
    given = set(names)
    return [name for name in paper if name in given] + sorted(given.difference(paper))


def cells_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Make the frame of ``cells.csv``: every published or measured test score.

    Parameters
    ----------
    scores : pandas.DataFrame
        ``protocol, dataset, classifier, n_features, method, metric, value``.

    Returns
    -------
    pandas.DataFrame
        ``dataset, classifier, n_features, method, metric, published, paper, corrected``.

    Examples
    --------
    Before anything is run the published numbers stand alone.

    >>> columns = ["protocol", "dataset", "classifier", "n_features", "method", "metric"]
    >>> cells = cells_table(pd.DataFrame(columns=[*columns, "value"]))
    >>> cells[["published", "paper", "corrected"]].notna().sum().to_dict()
    {'published': 1488, 'paper': 0, 'corrected': 0}
    """
    keys = [*_CELL, "method", "metric"]
    table = _side_by_side(published_scores(), scores, keys=keys, values=["value"])
    return table.rename(columns={f"{source}_value": source for source in _SOURCES})


def tuned_table(tuned: pd.DataFrame) -> pd.DataFrame:
    """Make the frame of ``tuned.csv``: settings and in-sample scores.

    Parameters
    ----------
    tuned : pandas.DataFrame
        ``protocol, dataset, classifier, n_features, method, similarity, squared, alpha, theta,
        cv_balanced_accuracy, source``.

    Returns
    -------
    pandas.DataFrame
        ``dataset, classifier, n_features, method`` and then, for each of published, paper and
        corrected, the setting, its in-sample score and its source (``tuned`` or ``replay``).
    """
    return _side_by_side(
        published_tuned().assign(source=None), tuned, keys=[*_CELL, "method"], values=_SETTING
    ).drop(columns="published_source")


def p_values_table(tests: pd.DataFrame) -> pd.DataFrame:
    """Make the frame of ``p_values.csv``: the published p-values beside three statistics.

    Parameters
    ----------
    tests : pandas.DataFrame
        As `topofs_study.paper.statistics.paired_tests` gives.

    Returns
    -------
    pandas.DataFrame
        ``dataset, classifier, n_features, published_p_value, published_stars,
        published_tfs_is``; for each protocol its `repetitions`, `mean_difference` (TFS less
        Inf-FS) and the p-values `program`, `text` (too liberal) and `nadeau_bengio`; last
        `agreement` of the paper's ``program`` with what was published: ``equal`` (to two
        decimals), ``same stars``, ``both above 0.1``, ``differs``, or empty.
    """
    published = published_p_values().rename(
        columns={name: f"published_{name}" for name in ("p_value", "stars", "tfs_is")}
    )
    measured = ["repetitions", "mean_difference", *STATISTICS]
    table = published
    for protocol in PROTOCOLS:
        rows = tests[tests["protocol"] == protocol][[*_CELL, *measured]]
        rows = rows.rename(columns={name: f"{protocol}_{name}" for name in measured})
        table = table.merge(rows, on=_CELL, how="outer")
        counts = f"{protocol}_repetitions"
        table[counts] = table[counts].astype("Int64")
    table = _sorted(table, _CELL)
    text = ["published_stars", "published_tfs_is"]
    table[text] = table[text].fillna("")
    agreements = [
        _p_value_agreement(p_value, mark, ours)
        for p_value, mark, ours in zip(
            table["published_p_value"],
            table["published_stars"],
            table["paper_program"],
            strict=True,
        )
    ]
    return table.assign(agreement=agreements)


def class_counts_table(splits: pd.DataFrame) -> pd.DataFrame:
    """List samples of each class in each part: published beside measured.

    Parameters
    ----------
    splits : pandas.DataFrame
        ``protocol, dataset, part, class, count, n_features_before, n_features_after``.

    Returns
    -------
    pandas.DataFrame
        ``dataset, part, class, published, paper, corrected``; classes as text.
    """
    published = published_class_counts()
    published["class"] = [_class_name(label) for label in published["class"]]
    measured = splits.assign(**{"class": [_class_name(label) for label in splits["class"]]})
    table = _side_by_side(
        published, measured, keys=["dataset", "part", "class"], values=["count"]
    )
    table = table.rename(columns={f"{source}_count": source for source in _SOURCES})
    return table.astype(dict.fromkeys(_SOURCES, "Int64"))


def agreement(
    cells: pd.DataFrame,
    *,
    protocol: str = "paper",
    by: Sequence[str] = ("method",),
    metric: str = "balanced_accuracy",
    leaving_out: Sequence[str] = (),
) -> pd.DataFrame:
    """How many measured scores come out as published.

    Parameters
    ----------
    cells : pandas.DataFrame
        As `cells_table` gives.
    protocol : {"paper", "corrected"}, default "paper"
        The measured column.
    by : sequence of str, default ("method",)
        The columns to count by.
    metric : str, default "balanced_accuracy"
        The metric to count.
    leaving_out : sequence of str
        Datasets to leave out.

    Returns
    -------
    pandas.DataFrame
        The columns of `by`, then ``compared``, ``equal`` (to the printed two decimals),
        ``within_0.01`` and ``within_0.03`` (of the unrounded score) and ``largest``, the
        largest difference.
    """
    both = cells[cells["metric"].eq(metric) & ~cells["dataset"].isin(leaving_out)]
    both = both.dropna(subset=["published", protocol])
    gap = (both[protocol] - both["published"]).abs()
    flags = both[list(by)].assign(
        compared=1,
        equal=gap <= 0.005 + _NOISE,
        **{f"within_{limit}": gap <= limit + _NOISE for limit in (0.01, 0.03)},
        largest=gap,
    )
    counts = dict.fromkeys(["compared", "equal", "within_0.01", "within_0.03"], "sum")
    return flags.groupby(list(by), sort=False).agg({**counts, "largest": "max"}).reset_index()


def misses(
    cells: pd.DataFrame, *, protocol: str = "paper", limit: float = 0.01
) -> pd.DataFrame:
    """List the measured balanced accuracies further than `limit` from the published ones.

    Parameters
    ----------
    cells : pandas.DataFrame
        As `cells_table` gives.
    protocol : {"paper", "corrected"}, default "paper"
        The measured column.
    limit : float, default 0.01
        The largest difference that is no miss.

    Returns
    -------
    pandas.DataFrame
        ``dataset, classifier, n_features, method, published, measured, difference``.
    """
    rows = cells[cells["metric"] == "balanced_accuracy"].dropna(subset=["published", protocol])
    rows = rows.assign(measured=rows[protocol], difference=rows[protocol] - rows["published"])
    kept = rows["difference"].abs() > limit + _NOISE
    columns = [*_CELL, "method", "published", "measured", "difference"]
    return rows.loc[kept, columns].reset_index(drop=True)


def tuned_agreement(tuned: pd.DataFrame, *, protocol: str = "paper") -> pd.DataFrame:
    """How many in-sample scores of our own tuning come out as published.

    Parameters
    ----------
    tuned : pandas.DataFrame
        As `tuned_table` gives. Replayed settings were not tuned and do not count.
    protocol : {"paper", "corrected"}, default "paper"
        The measured columns.

    Returns
    -------
    pandas.DataFrame
        ``method, compared, same_setting, within_0.01``.
    """
    ours = tuned[tuned[f"{protocol}_source"] == "tuned"]
    ours = ours.dropna(subset=["published_cv_balanced_accuracy"])
    gap = ours[f"{protocol}_cv_balanced_accuracy"] - ours["published_cv_balanced_accuracy"]
    same = [_same_setting(row, protocol) for row in ours.to_dict("records")]
    flags = ours[["method"]].assign(
        compared=1, same_setting=same, **{"within_0.01": gap.abs() <= 0.01 + _NOISE}
    )
    return flags.groupby("method", sort=False).sum().astype(int).reset_index()


def _side_by_side(
    published: pd.DataFrame, measured: pd.DataFrame, *, keys: list[str], values: list[str]
) -> pd.DataFrame:
    """Join on `keys`, keeping all rows, the published rows and those of each protocol."""
    parts = {"published": published}
    for protocol in PROTOCOLS:
        parts[protocol] = measured[measured["protocol"] == protocol]
    named = [
        part[[*keys, *values]].rename(columns={v: f"{source}_{v}" for v in values})
        for source, part in parts.items()
    ]
    table = reduce(lambda left, right: left.merge(right, on=keys, how="outer"), named)
    return _sorted(table, keys)


def _sorted(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Rows in the paper's order of every key, whatever order the run stored them in."""
    known: dict[str, Sequence[str]] = {
        "dataset": dataset_order(table["dataset"].tolist()),
        "classifier": CLASSIFIERS,
        "method": METHODS,
        "metric": METRICS,
        "part": ("train", "test"),
    }
    order = pd.DataFrame(index=table.index)
    for key in keys:
        if key == "class":
            order[key] = table[key].map(_class_rank)
        elif key in known:
            order[key] = table[key].map({name: i for i, name in enumerate(known[key])})
        else:
            order[key] = table[key]
    return table.loc[order.sort_values(keys, kind="stable").index].reset_index(drop=True)


def _class_name(label: Any) -> str:
    """Labels 1, 1.0 and "1.0" are the same class."""
    try:
        number = float(label)
    except (TypeError, ValueError):
        return str(label)
    return str(int(number)) if number.is_integer() else str(number)


def _class_rank(name: str) -> tuple[float, str]:
    try:
        return (float(name), "")
    except ValueError:
        return (np.inf, name)


def _p_value_agreement(published: float, mark: str, ours: float) -> str:
    if np.isnan(ours) or (np.isnan(published) and not mark):
        return ""
    if mark:
        return "same stars" if stars(ours) == mark else "differs"
    if abs(ours - published) <= 0.005 + _NOISE:
        return "equal"
    return "both above 0.1" if not stars(ours) else "differs"


def _same_setting(row: dict[str, Any], protocol: str) -> bool:
    """Whether the parameters that the method has are those of the paper."""

    def same(name: str) -> bool:
        return bool(abs(row[f"{protocol}_{name}"] - row[f"published_{name}"]) < _NOISE)

    if row["method"] == "inf_fs":
        return same("alpha") and same("theta")
    if row[f"{protocol}_similarity"] != row["published_similarity"]:
        return False
    if row["published_similarity"] == "energy":
        return same("alpha")
    return bool(row[f"{protocol}_squared"]) == bool(row["published_squared"])
