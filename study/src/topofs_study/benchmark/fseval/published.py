"""The numbers that FSEVAL's authors published."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

__all__ = ["NAMES_THERE", "RANDOM", "published_shares"]

NAMES_THERE = {"lung_small": "lung_discrete", "MADELON": "madelon"}
"""Datasets that have another name there."""

RANDOM = "Random"
"""Their mean of ten random rankings."""


def published_shares() -> pd.DataFrame:
    """Give their means at the shares that are reported here.

    Returns
    -------
    pandas.DataFrame
        ``dataset, method, metric, share_of_columns, value``; datasets have the names that they
        have here. Means of the result files in mrajabinasab/FSEVAL (dashboard/resources); its
        rows of MCFS, constant over shares on half of the datasets, are left out.

    Examples
    --------
    >>> published_shares()["method"].unique().tolist()
    ['Correlation', 'LIDFS', 'Laplacian', 'Random', 'SCFS', 'VCSDFS', 'Variance']
    """
    with (files("topofs_study.benchmark.fseval") / "published.csv").open() as stream:
        table = pd.read_csv(stream)
    here = {there: here for here, there in NAMES_THERE.items()}
    table["dataset"] = table["dataset"].replace(here)
    return table
