"""What the scores of a benchmark say: means, gains over random subsets, tests over datasets.

Methods are only ever compared on the cells (dataset, split, size, classifier) that all of them
have. A dataset gives one number a method, the mean over its cells, and tests see as many
observations as there are datasets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.benchmark.frames import (
    OtherMeasures,
    at_fixed_sizes,
    common_cells,
    format_range,
    mean_cells,
    other_measures,
)
from topofs_study.benchmark.methods import (
    DEFAULT,
    GREEDY,
    METHODS,
    NEEDS_MATRIX,
    PUBLISHED,
    SELECTORS,
)
from topofs_study.paper.statistics import N_DRAWS, compare_methods

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topofs_study.benchmark.frames import Measurements
    from topofs_study.paper.statistics import RankComparison

__all__ = ["BenchmarkSummary", "DefaultChoice", "Group", "choose_default", "summarise"]

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
        return format_range(self.n_splits, self.most_splits)


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
        From `topofs_study.benchmark.frames.load_frame`; may hold any part of a benchmark.
    found : Measurements, optional
        From `topofs_study.benchmark.frames.load_measurements`.
    n_draws : int, default 20000
        Draws of the Bayesian test, a pair of methods.

    Returns
    -------
    BenchmarkSummary
    """
    cells = mean_cells(frame)
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
    """Average the cells of each dataset, every size and classifier alike."""
    over_splits = wide.groupby(["dataset", "size", "classifier"], sort=False).mean()
    return over_splits.groupby("dataset", sort=False).mean()


def means_by_size(wide: pd.DataFrame, level: str = "size") -> pd.DataFrame:
    """Average over datasets, one column a size (or a classifier)."""
    over_splits = wide.groupby(["dataset", level], sort=True).mean()
    table = over_splits.groupby(level, sort=level == "size").mean().T
    table["mean"] = mean_by_dataset(wide).mean()
    table.columns = [str(column) for column in table.columns]
    return table


def gains_by_size(wide: pd.DataFrame, method: str, reference: str) -> pd.DataFrame:
    """Give the lead of a method over another, dataset by dataset and size by size."""
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
    names = {"first": "method", "mean_difference": "gain"}
    names |= {"p_first_better": "p_better", "p_second_better": "p_worse"}
    tests = comparison.pairwise.rename(columns=names)
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
    """Compare the automatic sizes with all columns, on the splits that have all of them."""
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
    lead_of = {name: table[f"auto_{name}"] - table[f"all_{name}"] for name in classifiers}
    leads = pd.DataFrame(lead_of)
    leads["lead"] = leads.mean(axis=1)
    leads.insert(0, "share", table["share"])
    groups = leads.groupby(table["method"], sort=False)
    means = groups.mean()
    means.insert(0, "n_datasets", groups.size())
    return AutoSizes(table, means.reset_index())


STABILITY_SLACK = 0.02
"""How much less stable than the default a winner may be."""

ACCURACY_TIE = 0.002
"""Settings no further than this from the best are as good."""


@dataclass(frozen=True)
class DefaultChoice:
    """Who wins, and why.

    Attributes
    ----------
    winner : str
        The method that the rule chooses.
    candidates : pandas.DataFrame
        Candidates by ``accuracy, stability, seconds, stable_enough, tied``, best first.
    """

    winner: str
    candidates: pd.DataFrame


def choose_default(table: pd.DataFrame, today: str = DEFAULT) -> DefaultChoice | None:
    """Choose the default by the rule, as it was written down before the run.

    Candidates are the settings of the estimator that need no n × n matrix. Those count whose
    mean stability is at least that of the default minus 0.02; the highest mean accuracy wins;
    settings within 0.002 of it tie, and the cheapest of them wins.

    Parameters
    ----------
    table : pandas.DataFrame
        Methods by at least ``accuracy, stability, seconds``.
    today : str
        The default that is in question.

    Returns
    -------
    DefaultChoice or None
        None without today's default.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     [[0.73, 0.4, 1.0], [0.735, 0.3, 0.5], [0.74, 0.41, 9.0]],
    ...     index=["coverage", "coverage_edges", "coverage_similarity"],
    ...     columns=["accuracy", "stability", "seconds"],
    ... )
    >>> choose_default(table).winner  # the last needs a matrix, the second is not stable enough
    'coverage'
    """
    if today not in table.index:
        return None
    names = [name for name in table.index if name in SELECTORS and name not in NEEDS_MATRIX]
    found = table.loc[names, ["accuracy", "stability", "seconds"]].copy()
    floor = found.loc[today, "stability"] - STABILITY_SLACK
    found["stable_enough"] = found["stability"] >= floor
    best = found.loc[found["stable_enough"], "accuracy"].max()
    found["tied"] = found["stable_enough"] & (found["accuracy"] >= best - ACCURACY_TIE)
    winner = str(found.loc[found["tied"], "seconds"].idxmin())
    return DefaultChoice(winner, found.sort_values("accuracy", ascending=False))
