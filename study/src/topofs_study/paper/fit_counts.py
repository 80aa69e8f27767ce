"""How many classifiers the study fits, here and in a program that shares nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.paper.plan import N_RANDOM_SUBSETS
from topofs_study.paper.settings import GRIDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topofs_study.paper.run import Record
    from topofs_study.running.work_item import WorkItem

__all__ = ["fit_counts", "fits_one_by_one"]


def fits_one_by_one(item: WorkItem) -> int:
    """Count the fits of an item if every setting and size were fitted on its own.

    The paper's program works this way, and makes a similarity and a graph anew for each.

    Parameters
    ----------
    item : WorkItem
        The item.

    Returns
    -------
    int

    Examples
    --------
    >>> from topofs_study.paper.plan import WorkItem
    >>> sizes = (10, 50, 100, 150, 200)
    >>> fits_one_by_one(WorkItem("tune", "paper", "colon", "inf_fs", "KNN", "fold-0", sizes))
    405
    """
    if item.kind == "tune":
        return len(GRIDS[item.method]) * len(item.sizes)
    return len(item.sizes) * (N_RANDOM_SUBSETS if item.method == "random" else 1)


def fit_counts(records: Iterable[Record]) -> pd.DataFrame:
    """Count the fits behind the records of a store.

    Parameters
    ----------
    records : iterable of Record
        The records.

    Returns
    -------
    DataFrame
        dataset, kind, protocol, one_by_one, made. A fit shared by both protocols counts
        where it was made first.
    """
    rows = [
        (item.dataset, item.kind, item.protocol, fits_one_by_one(item), record.n_fits)
        for record in records
        if (item := record.item).kind != "split"
    ]
    columns = ["dataset", "kind", "protocol", "one_by_one", "made"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.groupby(columns[:3], as_index=False).sum()
