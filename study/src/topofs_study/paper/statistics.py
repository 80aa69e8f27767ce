r"""Paired tests between two methods in one cell, over R repetitions of two-fold splits.

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

References
----------
T. G. Dietterich, "Approximate statistical tests for comparing supervised classification
learning algorithms", Neural Computation 10, 1998.
C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
R. R. Bouckaert and E. Frank, "Evaluating the replicability of significance tests for comparing
learning algorithms", PAKDD 2004.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from topofs.comparison.compare import corrected_resampled_test, two_sided_test

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from topofs.comparison.compare import PairedTest

__all__ = [
    "STATISTICS",
    "nadeau_bengio_test",
    "paired_tests",
    "program_test",
    "stars",
    "text_test",
]

_STAR_LEVELS = ((0.001, "****"), (0.01, "***"), (0.05, "**"), (0.1, "*"))
_CELL = ["protocol", "dataset", "classifier", "n_features"]


def program_test(differences: ArrayLike) -> PairedTest:
    """Dietterich's R×2cv paired t-test: the first difference over R pooled variances.

    Parameters
    ----------
    differences : array-like of shape (R, 2)
        Repetitions by halves; R ≥ 2.

    Returns
    -------
    PairedTest
        With R degrees of freedom.

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

    Parameters
    ----------
    differences : array-like of shape (R, 2)
        Repetitions by halves; R ≥ 2.

    Returns
    -------
    PairedTest
        With 2R − 1 degrees of freedom.

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


STATISTICS = {
    "program": program_test,
    "text": text_test,
    "nadeau_bengio": nadeau_bengio_test,
}


def stars(p_value: float) -> str:
    """Mark a p-value as the paper does, by one to four stars.

    ``*`` ≤ 0.1, ``**`` ≤ 0.05, ``***`` ≤ 0.01, ``****`` ≤ 0.001.

    Parameters
    ----------
    p_value : float
        NaN (not run) has no mark.

    Returns
    -------
    str
        One to four stars, or the empty string.

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
