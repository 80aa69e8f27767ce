r"""Tests of methods: paired in one cell, and across datasets.

One cell (a dataset, a classifier, a subset size) gives R × 2 differences
:math:`d_{ij}` = score of the first method − score of the second, for repetition
:math:`i = 1 … R` and half :math:`j = 1, 2`. The paper has R = 15. With m = 2R and
:math:`\bar d` their mean, the three statistics are

program
    Dietterich's test, as the paper's program computes it,

    .. math:: t = \frac{d_{11}}{\sqrt{\frac1R \sum_i s_i^2}},\qquad
              s_i^2 = (d_{i1} - \bar d_i)^2 + (d_{i2} - \bar d_i)^2,

    with R degrees of freedom. Sound, but weak: a single difference is its numerator.
text
    As the paper writes it, carried from 5 to R repetitions,

    .. math:: t = \frac{\sqrt{m}\,\bar d}{\hat\sigma},\qquad
              \hat\sigma^2 = \frac1m \sum (d_{ij} - \bar d)^2,

    with m − 1 degrees of freedom. **Too liberal**: the m differences share samples, and the
    formula treats them as independent.
nadeau_bengio
    The corrected resampled t-test, the default here,

    .. math:: t = \frac{\bar d}{\sqrt{\left(\frac1m + \frac{n_{test}}{n_{train}}\right)
              s^2}},\qquad s^2 = \frac1{m-1} \sum (d_{ij} - \bar d)^2,

    with m − 1 degrees of freedom. Halves are of equal size, so
    :math:`n_{test}/n_{train} = 1` and the bracket is 1/30 + 1 at R = 15.

All p-values are two-sided. Where the formula divides by zero the limits of
`topofs.comparison.compare` stand; a cell in which the two methods never differ has p = 1.

Across datasets, a dataset gives one number a method, the mean over its cells, because these share
their samples. The tests see as many observations as there are datasets:

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
T. G. Dietterich, "Approximate statistical tests for comparing supervised classification
learning algorithms", Neural Computation 10, 1998.
C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
R. R. Bouckaert and E. Frank, "Evaluating the replicability of significance tests for comparing
learning algorithms", PAKDD 2004.
J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a change: a tutorial for comparing
multiple classifiers through Bayesian analysis", JMLR 18, 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from topofs.comparison.compare import corrected_resampled_test, two_sided_test
from topofs_study.paper.protocols import BASELINES, TUNED_METHODS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from topofs.comparison.compare import PairedTest

__all__ = ["RankComparison", "compare_methods", "nadeau_bengio_test", "paired_tests"]

_STAR_LEVELS = ((0.001, "****"), (0.01, "***"), (0.05, "**"), (0.1, "*"))
_CELL = ["protocol", "dataset", "classifier", "n_features"]


def program_test(differences: ArrayLike) -> PairedTest:
    """Dietterich's R×2cv paired t-test: the first difference over R pooled variances.

    Examples
    --------
    The variances are 0.02 and 0, so t = 0.3 / √0.01 = 3 with 2 degrees of freedom.

    >>> program_test([[0.3, 0.1], [0.1, 0.1]]).statistic.__round__(6)
    3.0
    """
    halves = _checked(differences)
    repetitions = halves.shape[0]
    variances = ((halves - halves.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return two_sided_test(halves[0, 0], np.sqrt(variances.mean()), repetitions)


def text_test(differences: ArrayLike) -> PairedTest:
    """Give the t-test of the paper's text, √m·d̄/σ̂; **too liberal** (see the module's notes).

    Examples
    --------
    >>> text_test([[0.1, 0.3], [0.1, 0.3]]).statistic.__round__(6)
    4.0
    """
    sample = _checked(differences).ravel()
    spread = sample.std(ddof=0) / np.sqrt(sample.size)
    return two_sided_test(sample.mean(), spread, sample.size - 1)


def nadeau_bengio_test(differences: ArrayLike, *, test_to_train: float = 1.0) -> PairedTest:
    """Nadeau and Bengio's corrected resampled t-test.

    Parameters
    ----------
    differences : array-like of shape (R, 2)
        Repetitions by halves; R ≥ 2.
    test_to_train : float, default 1.0
        The number of test samples over the number of training samples of a split; 1 for
        halves.

    Returns
    -------
    PairedTest
        With 2R − 1 degrees of freedom.

    Examples
    --------
    >>> nadeau_bengio_test([[0.1, 0.3], [0.1, 0.3]]).p_value > 0.1
    True
    """
    return corrected_resampled_test(_checked(differences).ravel(), test_to_train=test_to_train)


STATISTICS = {"program": program_test, "text": text_test, "nadeau_bengio": nadeau_bengio_test}


def stars(p_value: float) -> str:
    """Mark a p-value as the paper does, by one to four stars.

    ``*`` ≤ 0.1, ``**`` ≤ 0.05, ``***`` ≤ 0.01, ``****`` ≤ 0.001.

    Examples
    --------
    >>> stars(0.1), stars(0.0101), stars(0.2)
    ('*', '**', '')
    """
    return next((mark for level, mark in _STAR_LEVELS if p_value <= level), "")


def paired_tests(pairs: pd.DataFrame) -> pd.DataFrame:
    """Give the three tests of TFS against Inf-FS, for every cell of `pairs`.

    Parameters
    ----------
    pairs : pandas.DataFrame
        ``protocol, dataset, classifier, n_features, repetition, half, tfs, inf_fs``.

    Returns
    -------
    pandas.DataFrame
        ``protocol, dataset, classifier, n_features, repetitions, mean_difference, program,
        text, nadeau_bengio``, the last three p-values. They are NaN in a cell that is not
        complete: repetitions 0 … R − 1 with R ≥ 2, each with both halves, no score missing.

    Examples
    --------
    >>> cell = {"protocol": "paper", "dataset": "d", "classifier": "KNN", "n_features": 10}
    >>> rows = [(0, 0, 0.3, 0.0), (0, 1, 0.1, 0.0), (1, 0, 0.1, 0.0), (1, 1, 0.1, 0.0)]
    >>> pairs = pd.DataFrame(rows, columns=["repetition", "half", "tfs", "inf_fs"])
    >>> tests = paired_tests(pairs.assign(**cell))
    >>> tests[["repetitions", "mean_difference", "program"]].round(3).to_numpy()
    array([[2.   , 0.15 , 0.095]])
    """
    rows = [
        dict(zip(_CELL, cell, strict=True)) | _tests_of_cell(group)
        for cell, group in pairs.groupby(_CELL, sort=False)
    ]
    columns = [*_CELL, "repetitions", "mean_difference", *STATISTICS]
    return pd.DataFrame(rows, columns=columns)


def _tests_of_cell(group: pd.DataFrame) -> dict[str, Any]:
    differences = _complete_halves(group)
    if differences is None:
        nothing = dict.fromkeys(["mean_difference", *STATISTICS], float("nan"))
        return {"repetitions": group["repetition"].nunique(), **nothing}
    return {
        "repetitions": differences.shape[0],
        "mean_difference": float(differences.mean()),
        **{name: test(differences).p_value for name, test in STATISTICS.items()},
    }


def _complete_halves(group: pd.DataFrame) -> NDArray[np.float64] | None:
    """Give the (R, 2) differences in order of repetitions, or None where one is missing."""
    ordered = group.sort_values(["repetition", "half"])
    repetitions = len(ordered) // 2
    expected = [(r, h) for r in range(repetitions) for h in (0, 1)]
    found = list(zip(ordered["repetition"], ordered["half"], strict=True))
    differences = (ordered["tfs"] - ordered["inf_fs"]).to_numpy(dtype=float)
    if repetitions < 2 or found != expected or not np.isfinite(differences).all():
        return None
    return np.asarray(differences.reshape(repetitions, 2))


def _checked(differences: ArrayLike) -> NDArray[np.float64]:
    halves = np.asarray(differences, dtype=float)
    if halves.ndim != 2 or halves.shape[1] != 2 or halves.shape[0] < 2:
        raise ValueError(
            f"differences must have shape (R, 2) with R of at least 2 (repetitions by halves), "
            f"got {halves.shape}"
        )
    if not np.isfinite(halves).all():
        raise ValueError("differences must be finite; leave out cells that were not run whole")
    return halves


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
    scores: pd.DataFrame, *, metric: str = "balanced_accuracy", classifier: str | None = None
) -> pd.DataFrame:
    """One score a dataset and method: the mean over subset sizes and classifiers.

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
    import baycomp
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
    q = stats.studentized_range.isf(alpha, n_methods, np.inf) / np.sqrt(2.0)
    nemenyi = scikit_posthocs.posthoc_nemenyi_friedman(rounded.to_numpy())
    nemenyi.index = nemenyi.columns = rounded.columns
    pairs = list(combinations(rounded.columns, 2))
    if reference is not None:
        pairs = [(name, reference) for name in rounded.columns if name != reference]
    rows = []
    for first, second in pairs:
        x, y = rounded[first].to_numpy(), rounded[second].to_numpy()
        better, equivalent, worse = baycomp.SignedRankTest.probs(
            x, y, rope, nsamples=n_draws, random_state=random_state
        )
        wilcoxon = _wilcoxon(np.round(x - y, _DECIMALS))
        mean_difference = float((x - y).mean())
        probabilities = (float(better), float(equivalent), float(worse))
        rows.append((first, second, mean_difference, wilcoxon, *probabilities))
    columns = ["first", "second", "mean_difference", "wilcoxon"]
    columns += ["p_first_better", "p_equivalent", "p_second_better"]
    pairwise = pd.DataFrame(rows, columns=columns)
    pairwise.insert(4, "holm", holm(pairwise["wilcoxon"].to_numpy()))
    return RankComparison(
        scores=by_dataset,
        average_ranks=ranks,
        friedman_statistic=friedman_statistic,
        friedman_p_value=friedman_p_value,
        critical_difference=float(
            q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets))
        ),
        nemenyi=nemenyi,
        pairwise=pairwise,
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


def holm(p_values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Adjust p-values for their number by Holm's step-down method.

    The i-th smallest of m becomes the largest of (m − j + 1)·p_j for j ≤ i, at most 1.
    (statsmodels has it, too, and collects all garbage of the process in each call.)

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
