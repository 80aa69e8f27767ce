"""The automatic size against all columns: how many columns, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CLASSIFIERS_OF_AUTO", "AutoSizes", "auto_sizes"]

CLASSIFIERS_OF_AUTO = ("LinearSVM", "KNN")
"""A tree selects for itself; it says little about a selection."""


@dataclass(frozen=True)
class AutoSizes:
    """Automatic sizes beside all columns.

    Attributes
    ----------
    by_dataset : pandas.DataFrame
        ``method, dataset, n_splits, n_varying, n_auto, share``, then for each classifier
        ``auto_NAME`` and ``all_NAME``.
    by_method : pandas.DataFrame
        ``method, n_datasets, share``, for each classifier the mean lead ``NAME`` over all
        columns, and ``lead``, the mean of these.
    """

    by_dataset: pd.DataFrame
    by_method: pd.DataFrame


def auto_sizes(
    cells: pd.DataFrame, *, classifiers: Sequence[str] = CLASSIFIERS_OF_AUTO
) -> AutoSizes | None:
    """Compare the automatic sizes with all columns, on the splits that have all of them.

    Parameters
    ----------
    cells : pandas.DataFrame
        From `topofs_study.benchmark.frame.cells_of`.
    classifiers : sequence of str
        The classifiers to compare with.

    Returns
    -------
    AutoSizes or None
        None where an automatic size or all columns are missing altogether.
    """
    used = cells[cells["classifier"].isin(classifiers)]
    everything = used[used["size"] == "all"].set_index(["dataset", "split", "classifier"])
    auto = used[used["size"] == "auto"].join(
        everything["balanced_accuracy"].rename("all"), on=["dataset", "split", "classifier"]
    )
    auto = auto.dropna(subset=["all"])
    if auto.empty:
        return None
    rivals = auto.groupby(["dataset", "split", "classifier"])["method"].transform("nunique")
    auto = auto[rivals == auto["method"].nunique()]
    if auto.empty:
        return None
    auto = auto.assign(share=auto["n_features"] / auto["n_varying"])
    groups = auto.groupby(["method", "dataset"], sort=False)
    table = groups.agg(
        n_splits=("split", "nunique"),
        n_varying=("n_varying", "mean"),
        n_auto=("n_features", "mean"),
        share=("share", "mean"),
    )
    for name in classifiers:
        of_one = auto[auto["classifier"] == name].groupby(["method", "dataset"], sort=False)
        table[f"auto_{name}"] = of_one["balanced_accuracy"].mean()
        table[f"all_{name}"] = of_one["all"].mean()
    table = table.reset_index()
    return AutoSizes(table, _by_method(table, classifiers))


def _by_method(table: pd.DataFrame, classifiers: Sequence[str]) -> pd.DataFrame:
    """Average over datasets."""
    leads = pd.DataFrame(
        {name: table[f"auto_{name}"] - table[f"all_{name}"] for name in classifiers}
    )
    leads["lead"] = leads[list(classifiers)].mean(axis=1)
    leads.insert(0, "share", table["share"])
    groups = leads.groupby(table["method"], sort=False)
    means = groups.mean()
    means.insert(0, "n_datasets", groups.size())
    return means.reset_index()
