"""What the scores of a benchmark say: means, gains over random subsets, tests over datasets.

Methods are only ever compared on the cells (dataset, split, size, classifier) that all of them
have. A dataset gives one number a method, the mean over its cells, and tests see as many
observations as there are datasets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.benchmark.auto_size import AutoSizes, auto_sizes
from topofs_study.benchmark.choosing_default import DefaultChoice, choose_default
from topofs_study.benchmark.frame import (
    at_fixed_sizes,
    cells_of,
    common_cells,
    count_in_words,
)
from topofs_study.benchmark.methods import DEFAULT, GREEDY, METHODS, PUBLISHED
from topofs_study.benchmark.other_measures import OtherMeasures, other_measures
from topofs_study.paper.across_datasets import N_DRAWS, compare_methods

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.benchmark.other_measures import Measurements
    from topofs_study.paper.across_datasets import RankComparison

__all__ = [
    "REFERENCE",
    "BenchmarkSummary",
    "Group",
    "gains_by_size",
    "mean_by_dataset",
    "means_by_size",
    "summarise",
]

REFERENCE = "random"
"""The method that every other one has to beat."""


@dataclass(frozen=True)
class Group:
    """Methods compared on the same cells.

    Attributes
    ----------
    by_dataset : pandas.DataFrame
        Datasets by methods: means over splits, sizes and classifiers.
    by_size : pandas.DataFrame
        Methods by sizes and ``mean``: means over datasets.
    by_classifier : pandas.DataFrame
        Methods by classifiers: means over datasets.
    gains : pandas.DataFrame
        A row a method: ``method, gain, ahead, n_datasets, wilcoxon, holm, p_better,
        p_equivalent, p_worse``, against random subsets. Empty without them.
    against : mapping of str to pandas.DataFrame
        The same against the default and against greedy subset selection, where they are
        asked for and there.
    n_splits, most_splits : int
        Splits that the comparison rests on, of the dataset with the fewest and with the most.
    comparison : RankComparison or None
        Friedman's test and the average ranks; None with fewer than two methods or datasets.
    """

    by_dataset: pd.DataFrame
    by_size: pd.DataFrame
    by_classifier: pd.DataFrame
    gains: pd.DataFrame
    against: Mapping[str, pd.DataFrame]
    n_splits: int
    most_splits: int
    comparison: RankComparison | None

    @property
    def splits(self) -> str:
        """How many splits, in words."""
        return count_in_words(self.n_splits, self.most_splits)


@dataclass(frozen=True)
class BenchmarkSummary:
    """What a benchmark found.

    Attributes
    ----------
    cells : pandas.DataFrame
        A row a dataset, method, size and classifier: mean and spread over splits.
    wide : pandas.DataFrame
        The cells behind `label_free`, a column a method.
    label_free : Group
        Every method that needs no labels.
    with_labels : Group or None
        The same and TFS tuned with labels, on the splits that it was run on.
    best_published : str or None
        The published setting with the highest mean.
    auto : AutoSizes or None
        The automatic sizes against all columns.
    others : OtherMeasures or None
        What was measured beside accuracy.
    measures : pandas.DataFrame or None
        Methods by ``accuracy`` and all other measures.
    choice : DefaultChoice or None
        What the rule for the default says.
    """

    cells: pd.DataFrame
    wide: pd.DataFrame
    label_free: Group | None
    with_labels: Group | None
    best_published: str | None
    auto: AutoSizes | None
    others: OtherMeasures | None = None
    measures: pd.DataFrame | None = None
    choice: DefaultChoice | None = None


def summarise(
    frame: pd.DataFrame, found: Measurements | None = None, *, n_draws: int = N_DRAWS
) -> BenchmarkSummary:
    """Draw the comparisons from the scores of a benchmark.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `topofs_study.benchmark.frame.frame_of`; may hold any part of a benchmark.
    found : Measurements, optional
        From `topofs_study.benchmark.other_measures.measurements_of`.
    n_draws : int, default 20000
        Draws of the Bayesian test, a pair of methods.

    Returns
    -------
    BenchmarkSummary
    """
    cells = cells_of(frame)
    fixed = at_fixed_sizes(cells)
    present = [name for name in METHODS if (fixed["method"] == name).any()]
    label_free = [name for name in present if name != "tfs_tuned"]
    wide = common_cells(fixed, label_free)
    plain = _group(wide, n_draws, (DEFAULT, GREEDY)) if label_free and len(wide) else None
    tuned = None
    if "tfs_tuned" in present and label_free:
        both = common_cells(fixed, present)
        tuned = _group(both, n_draws) if len(both) else None
    published = [name for name in label_free if name in PUBLISHED]
    best = None
    if plain is not None and published:
        best = str(plain.by_size.loc[published, "mean"].idxmax())
    others = None if found is None else other_measures(found)
    measures = None
    if others is not None and plain is not None:
        measures = others.by_method.copy()
        measures.insert(0, "accuracy", plain.by_size["mean"])
    return BenchmarkSummary(
        cells=_over_splits(cells),
        wide=wide,
        label_free=plain,
        with_labels=tuned,
        best_published=best,
        auto=auto_sizes(cells),
        others=others,
        measures=measures,
        choice=None if measures is None else choose_default(measures),
    )


def mean_by_dataset(wide: pd.DataFrame) -> pd.DataFrame:
    """Average the cells of each dataset, every size and classifier alike.

    Parameters
    ----------
    wide : pandas.DataFrame
        From `topofs_study.benchmark.frame.common_cells`.

    Returns
    -------
    pandas.DataFrame
        Datasets by methods.
    """
    over_splits = wide.groupby(["dataset", "size", "classifier"], sort=False).mean()
    return over_splits.groupby("dataset", sort=False).mean()


def means_by_size(wide: pd.DataFrame, level: str = "size") -> pd.DataFrame:
    """Average over datasets, one column a size (or a classifier).

    Parameters
    ----------
    wide : pandas.DataFrame
        From `topofs_study.benchmark.frame.common_cells`.
    level : {"size", "classifier"}
        What the columns are.

    Returns
    -------
    pandas.DataFrame
        Methods by sizes, followed by ``mean``, the mean over datasets of all sizes.
    """
    over_splits = wide.groupby(["dataset", level], sort=True).mean()
    table = over_splits.groupby(level, sort=level == "size").mean().T
    table["mean"] = mean_by_dataset(wide).mean()
    table.columns = [str(column) for column in table.columns]
    return table


def gains_by_size(wide: pd.DataFrame, method: str, reference: str) -> pd.DataFrame:
    """Give the lead of a method over another, dataset by dataset and size by size.

    Parameters
    ----------
    wide : pandas.DataFrame
        From `topofs_study.benchmark.frame.common_cells`.
    method, reference : str
        Two of its columns.

    Returns
    -------
    pandas.DataFrame
        Datasets by sizes, followed by ``mean``.
    """
    lead = wide[method] - wide[reference]
    table = lead.groupby(["dataset", "size"]).mean().unstack("size")
    table["mean"] = mean_by_dataset(lead.to_frame("lead"))["lead"]
    table.columns = [str(column) for column in table.columns]
    return table


def _group(wide: pd.DataFrame, n_draws: int, rivals: tuple[str, ...] = ()) -> Group:
    """Compare the columns of a wide frame, with random subsets and with some rivals."""
    by_dataset = mean_by_dataset(wide)
    comparison, against = None, {}
    if min(by_dataset.shape) >= 2:
        reference = REFERENCE if REFERENCE in by_dataset else str(by_dataset.columns[0])
        comparison = compare_methods(by_dataset, reference=reference, n_draws=n_draws)
        for rival in rivals:
            if rival in by_dataset:
                tests = compare_methods(by_dataset, reference=rival, n_draws=n_draws)
                against[rival] = _gains(tests, rival)
    splits = wide.reset_index("split")["split"].groupby("dataset").nunique()
    return Group(
        by_dataset=by_dataset,
        by_size=means_by_size(wide),
        by_classifier=means_by_size(wide, "classifier"),
        gains=_gains(comparison, REFERENCE),
        against=against,
        n_splits=int(splits.min()),
        most_splits=int(splits.max()),
        comparison=comparison,
    )


def _gains(comparison: RankComparison | None, reference: str) -> pd.DataFrame:
    """Read the tests against one method off a comparison."""
    columns = [
        *("method", "gain", "ahead", "n_datasets", "wilcoxon", "holm"),
        *("p_better", "p_equivalent", "p_worse"),
    ]
    if comparison is None or reference not in comparison.scores:
        return pd.DataFrame(columns=columns)
    tests = comparison.pairwise.rename(
        columns={
            "first": "method",
            "mean_difference": "gain",
            "p_first_better": "p_better",
            "p_second_better": "p_worse",
        }
    )
    lead = comparison.scores.sub(comparison.scores[reference], axis=0)
    tests["ahead"] = [int((lead[name] > 0).sum()) for name in tests["method"]]
    tests["n_datasets"] = comparison.n_datasets
    return tests[columns]


def _over_splits(cells: pd.DataFrame) -> pd.DataFrame:
    """Average the splits of each dataset, method, size and classifier."""
    grouped = cells.groupby(["dataset", "method", "size", "classifier"], sort=False)
    return grouped.agg(
        n_features=("n_features", "mean"),
        n_varying=("n_varying", "mean"),
        n_splits=("split", "nunique"),
        n_seeds=("n_seeds", "min"),
        mean=("balanced_accuracy", "mean"),
        spread=("balanced_accuracy", "std"),
    ).reset_index()
