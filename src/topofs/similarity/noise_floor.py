"""Noise floors: the shared variance that unrelated columns reach by chance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["correct_bias", "correlation_floors", "degrees_floor", "noise_floor"]

Floats = npt.NDArray[np.floating[Any]]

LEVEL = 0.05
"""Chance that a table of unrelated columns has any pair above its floor."""


def noise_floor(n_samples: int, n_features: int, *, level: float = LEVEL) -> float:
    r"""Squared correlation that no pair of unrelated columns is likely to reach.

    Under independence r² follows :math:`\mathrm{Beta}(\tfrac12, \tfrac{S-2}{2})`. With
    :math:`m = n(n-1)/2` pairs the floor is its quantile at :math:`1 - \text{level}/m`
    (Bonferroni), so all pairs of a table of noise stay below it with probability
    :math:`1 - \text{level}` or more.

    Parameters
    ----------
    n_samples, n_features : int
        Size S × n of the table.
    level : float, default=0.05
        Chance of at least one false link, in (0, 1).

    Returns
    -------
    float
        In (0, 1]; 1 where two samples or fewer leave nothing to judge by.

    Notes
    -----
    Exact for normal columns and, with Spearman's coefficient, close for any continuous ones.
    Pearson's coefficient of heavy tails, of rare events and of counts that are mostly 0 passes
    it more often: two columns that are each nonzero in one and the same row correlate fully.
    (Selectors therefore leave out columns that too few samples carry: ``min_carriers``.)

    Rows are taken as independent. Of unrelated series in which each sample is like the one
    before it many pairs pass. With ``rows="ordered"``, measures take for S an effective number
    of samples, :math:`S / (1 + 2 \sum_{k \ge 1} \rho_i(k) \rho_j(k))` rounded down, from the
    autocorrelations of the two columns up to a quarter of the rows, at most 2,000. So at most
    5 % of tables of unrelated autoregressive series of order 1 have a link, up to an
    autocorrelation of 0.9.

    References
    ----------
    .. [1] R. A. Fisher (1915). Frequency distribution of the values of the correlation
       coefficient in samples from an indefinitely large population. Biometrika 10, 507-521.
    .. [2] M. S. Bartlett (1935). Some aspects of the time-correlation problem in regard to
       tests of significance. Journal of the Royal Statistical Society 98(3), 536-543.

    Examples
    --------
    >>> from topofs.similarity import noise_floor
    >>> round(noise_floor(100, 50), 4)
    0.1586
    >>> noise_floor(1000, 50) < noise_floor(100, 50) < noise_floor(100, 5000)
    True
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; it must be a number in (0, 1)")
    return float(degrees_floor(n_samples, n_features, np.array([1]), np.array([1]), level)[0])


def correlation_floors(
    n_samples: npt.NDArray[np.float64], n_features: int, *, ranks: bool
) -> npt.NDArray[np.float64]:
    """Floors of squared correlations that rest on different numbers of samples.

    Infinite where not even a full correlation says anything: ranks of S samples agree or oppose
    fully with probability 2 / S!; where this is more than the level allows, nothing passes.
    """
    from scipy import special, stats

    counts, position = np.unique(n_samples, return_inverse=True)
    tail = LEVEL / max(1, n_features * (n_features - 1) // 2)
    floors = np.full(len(counts), np.inf)
    enough = counts > 2
    floors[enough] = stats.beta.isf(tail, 0.5, (counts[enough] - 2) / 2)
    if ranks:
        floors[special.gammaln(counts + 1) < math.log(2 / tail)] = np.inf
    return np.asarray(floors[position].reshape(np.shape(n_samples)))


def degrees_floor(
    n_samples: int,
    n_features: int,
    left: npt.NDArray[np.int64],
    right: npt.NDArray[np.int64],
    level: float = LEVEL,
) -> npt.NDArray[np.float64]:
    r"""Floors, at most 1, of pairs of columns with `left` and `right` degrees of freedom.

    A numeric column has one degree, a nominal one of K levels K − 1; d = 1 also stands for a
    nominal column of two levels, which behaves as a number. With d and e the degrees of the
    two columns, s follows under independence (Cramér 1946, section 21.9)

    .. math::
       \mathrm{Beta}\left(\tfrac{d}{2}, \tfrac{S-1-d}{2}\right) \ (e = 1), \qquad
       \frac{\chi^2_{de}}{S \min(d, e)} \ (\text{else, in the limit of large } S).
    """
    n_pairs = max(1, n_features * (n_features - 1) // 2)
    tail = level / n_pairs
    small, large = np.minimum(left, right), np.maximum(left, right)
    # Pairs repeat the same few degrees, and a quantile is dear: one for each combination.
    codes, position = np.unique(small * (large.max(initial=0) + 1) + large, return_inverse=True)
    few = np.zeros((2, len(codes)), dtype=np.int64)
    few[0, position], few[1, position] = small, large
    floors = [_floor(n_samples, int(d), int(e), tail) for d, e in few.T]
    return np.array(floors, dtype=np.float64)[position]


def correct_bias(similarity: Any, n_samples: Any) -> Any:
    """Take from squared correlations s what chance alone gives: max(0, (s − c) / (1 − c)).

    Under independence the mean of s is c = 1 / (S − 1), that of the corrected one near 0; it is
    still 1 for columns that determine each other. With up to 2 samples nothing is left.
    """
    chance = 1.0 / np.maximum(np.asarray(n_samples) - 1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        corrected = np.maximum((similarity - chance) / (1 - chance), 0.0)
    return np.where(chance < 1, corrected, 0.0)


def _floor(n_samples: int, small: int, large: int, tail: float) -> float:
    """The quantile for one combination of degrees, small <= large."""
    from scipy import stats

    if small == 1:
        rest = n_samples - 1 - large
        if rest <= 0:
            return 1.0
        floor = stats.beta.isf(tail, large / 2, rest / 2)
    else:
        floor = stats.chi2.isf(tail, small * large) / (n_samples * small)
    return min(1.0, float(floor)) if math.isfinite(floor) else 1.0
