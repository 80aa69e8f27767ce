r"""Compare methods across datasets: one score a dataset, not one a cell.

The cells of one dataset (classifiers × subset sizes) share their samples, so counting each as
an observation would make any difference look certain. Here a dataset gives one number a method,
the mean over its cells, and the tests see as many observations as there are datasets:

- Friedman's test on the ranks within datasets (needs three methods);
- Wilcoxon's signed-rank test of each pair of methods, adjusted by Holm. Datasets on which a
  pair ties are split evenly between the two, as Demšar advises (``zsplit``);
- average ranks (1 is best) and Nemenyi's critical difference
  :math:`CD = q_α \sqrt{k(k+1)/6N}` for k methods on N datasets;
- the Bayesian signed-rank test: the posterior probabilities that one method is better by more
  than the region of practical equivalence (ROPE), that the two are equivalent, or that the
  other is better.

References
----------
J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a change: a tutorial for comparing
multiple classifiers through Bayesian analysis", JMLR 18, 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from topofs_study.paper.settings import BASELINES, TUNED_METHODS

__all__ = [
    "METHODS",
    "N_DRAWS",
    "ROPE",
    "RankComparison",
    "compare_methods",
    "dataset_scores",
    "holm",
]

METHODS = TUNED_METHODS + BASELINES
ROPE = 0.01
N_DRAWS = 20_000

# Means of the same cells, summed in another order, must tie.
_DECIMALS = 12


@dataclass(frozen=True)
class RankComparison:
    """Methods compared over datasets.

    Attributes
    ----------
    scores : pandas.DataFrame
        Datasets by methods.
    average_ranks : pandas.Series
        By method, the best first; 1 would be first on every dataset.
    friedman_statistic, friedman_p_value : float
        NaN with fewer than three methods.
    critical_difference : float
        Average ranks further apart than this differ, by Nemenyi's test at `alpha`.
    nemenyi : pandas.DataFrame
        Methods by methods, Nemenyi's p-values.
    pairwise : pandas.DataFrame
        ``first, second, mean_difference, wilcoxon, holm, p_first_better, p_equivalent,
        p_second_better``, a row a pair of methods.
    alpha : float
        The level of the critical difference.
    rope : float
        Half the width of the region of practical equivalence.
    """

    scores: pd.DataFrame
    average_ranks: pd.Series
    friedman_statistic: float
    friedman_p_value: float
    critical_difference: float
    nemenyi: pd.DataFrame
    pairwise: pd.DataFrame
    alpha: float
    rope: float

    @property
    def n_datasets(self) -> int:
        """The number of observations behind every test."""
        return len(self.scores)


def dataset_scores(
    scores: pd.DataFrame,
    *,
    metric: str = "balanced_accuracy",
    classifier: str | None = None,
) -> pd.DataFrame:
    """One score a dataset and method: the mean over subset sizes and classifiers.

    Parameters
    ----------
    scores : pandas.DataFrame
        ``dataset, classifier, n_features, method, metric, value`` of one protocol.
    metric : str, default "balanced_accuracy"
        The metric to average.
    classifier : str, optional
        Average over the sizes of this classifier only.

    Returns
    -------
    pandas.DataFrame
        Datasets by methods. Within a dataset only the cells that every subset method has
        are averaged; a dataset that lacks a method (or a common cell) is left out. Method
        ``all`` has one cell a classifier and counts for the classifiers of those cells.

    Examples
    --------
    >>> from topofs_study.paper.published import published_scores
    >>> dataset_scores(published_scores()).loc["colon", ["tfs", "inf_fs"]].round(3).to_dict()
    {'tfs': 0.777, 'inf_fs': 0.823}
    """
    chosen = scores[scores["metric"].eq(metric) & scores["value"].notna()]
    if classifier is not None:
        chosen = chosen[chosen["classifier"] == classifier]
    present = [name for name in METHODS if (chosen["method"] == name).any()]
    means = {
        dataset: row
        for dataset, cells in chosen.groupby("dataset", sort=False)
        if (row := _means_of_common_cells(cells, present)) is not None
    }
    return pd.DataFrame.from_dict(means, orient="index", columns=present, dtype=float)


def compare_methods(
    by_dataset: pd.DataFrame,
    *,
    reference: str | None = None,
    rope: float = ROPE,
    alpha: float = 0.05,
    random_state: int = 0,
    n_draws: int = N_DRAWS,
) -> RankComparison:
    """Friedman, Wilcoxon with Holm, Nemenyi and the Bayesian signed-rank test.

    Parameters
    ----------
    by_dataset : pandas.DataFrame
        Datasets by methods, as `dataset_scores` gives; at least two of each, none missing.
    reference : str, optional
        Test only the pairs of this method with another, so that Holm adjusts for no more
        than those; it is the second of each. All pairs by default.
    rope : float, default 0.01
        Differences within ±rope count as no difference in practice.
    alpha : float, default 0.05
        The level of the critical difference.
    random_state : int, default 0
        Seeds the draws of the Bayesian test.
    n_draws : int, default 20000
        Draws from the posterior, a pair of methods.

    Returns
    -------
    RankComparison
        The same for the same arguments.

    Examples
    --------
    >>> import pandas as pd
    >>> by_dataset = pd.DataFrame({"tfs": [0.9, 0.8, 0.7], "inf_fs": [0.6, 0.5, 0.4]})
    >>> compare_methods(by_dataset, n_draws=1000).average_ranks.to_dict()
    {'tfs': 1.0, 'inf_fs': 2.0}
    """
    import scikit_posthocs

    n_datasets, n_methods = by_dataset.shape
    if n_datasets < 2 or n_methods < 2 or by_dataset.isna().any(axis=None):
        raise ValueError(
            "comparing across datasets needs at least two datasets and two methods with no "
            f"score missing, got {n_datasets} datasets and {n_methods} methods"
        )
    rounded = by_dataset.round(_DECIMALS)
    ranks = rounded.rank(axis=1, ascending=False).mean().sort_values(kind="stable")
    friedman_statistic, friedman_p_value = _friedman(rounded)
    nemenyi = scikit_posthocs.posthoc_nemenyi_friedman(rounded.to_numpy())
    nemenyi.index = nemenyi.columns = rounded.columns
    return RankComparison(
        scores=by_dataset,
        average_ranks=ranks,
        friedman_statistic=friedman_statistic,
        friedman_p_value=friedman_p_value,
        critical_difference=_critical_difference(n_methods, n_datasets, alpha),
        nemenyi=nemenyi,
        pairwise=_pairwise(
            rounded,
            _pairs(list(rounded.columns), reference),
            rope=rope,
            random_state=random_state,
            n_draws=n_draws,
        ),
        alpha=alpha,
        rope=rope,
    )


def _means_of_common_cells(cells: pd.DataFrame, methods: list[str]) -> list[float] | None:
    """Give the mean of each method over the cells that all of them have, or None."""
    subset_methods = [name for name in methods if name != "all"]
    table = cells[cells["method"] != "all"].pivot_table(
        index=["classifier", "n_features"], columns="method", values="value"
    )
    if not set(subset_methods) <= set(table.columns):
        return None
    table = table[subset_methods].dropna()
    classifiers = table.index.get_level_values("classifier").unique()
    means = {name: float(table[name].mean()) for name in subset_methods}
    if "all" in methods:
        everything = cells[cells["method"] == "all"].set_index("classifier")["value"]
        if subset_methods and not set(classifiers) <= set(everything.index):
            return None
        used = everything.loc[list(classifiers)] if subset_methods else everything
        means["all"] = float(used.mean())
    row = [means[name] for name in methods]
    return None if np.isnan(row).any() else row


def _friedman(by_dataset: pd.DataFrame) -> tuple[float, float]:
    if by_dataset.shape[1] < 3:
        return float("nan"), float("nan")
    # Methods that never differ leave no ranks to compare: no evidence against equality.
    if (by_dataset.nunique(axis=1) == 1).all():
        return 0.0, 1.0
    result = stats.friedmanchisquare(*(by_dataset[name] for name in by_dataset))
    return float(result.statistic), float(result.pvalue)


def _critical_difference(n_methods: int, n_datasets: int, alpha: float) -> float:
    q = stats.studentized_range.isf(alpha, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))


def _pairs(methods: list[str], reference: str | None) -> list[tuple[str, str]]:
    if reference is None:
        return list(combinations(methods, 2))
    return [(name, reference) for name in methods if name != reference]


def _pairwise(
    by_dataset: pd.DataFrame,
    pairs: list[tuple[str, str]],
    *,
    rope: float,
    random_state: int,
    n_draws: int,
) -> pd.DataFrame:
    import baycomp

    rows: list[dict[str, Any]] = []
    for first, second in pairs:
        x, y = by_dataset[first].to_numpy(), by_dataset[second].to_numpy()
        better, equivalent, worse = baycomp.SignedRankTest.probs(
            x, y, rope, nsamples=n_draws, random_state=random_state
        )
        rows.append(
            {
                "first": first,
                "second": second,
                "mean_difference": float((x - y).mean()),
                "wilcoxon": _wilcoxon(np.round(x - y, _DECIMALS)),
                "p_first_better": float(better),
                "p_equivalent": float(equivalent),
                "p_second_better": float(worse),
            }
        )
    frame = pd.DataFrame(rows)
    frame.insert(4, "holm", holm(frame["wilcoxon"].to_numpy()))
    return frame


def holm(p_values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Adjust p-values for their number by Holm's step-down method.

    The i-th smallest of m becomes the largest of (m − j + 1)·p_j for j ≤ i, at most 1.
    (statsmodels has it, too, and collects all garbage of the process in each call.)

    Parameters
    ----------
    p_values : array, shape (m,)
        Of m tests.

    Returns
    -------
    array, shape (m,)

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values)
    steps = np.arange(len(order), 0, -1) * p_values[order]
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _wilcoxon(differences: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)
