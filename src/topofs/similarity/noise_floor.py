"""Noise floors, and the scales that set similarities below the floor to 0.

A noise floor is the shared variance that unrelated columns are unlikely to reach. A scale turns
the entries of a similarity into shares of variance in [0, 1]: it subtracts the bias and sets
entries below the floor to 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from scipy import special

from topofs.runtime import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topofs.network import Scale
    from topofs.typing import Doubles, Floats, Ints

__all__ = ["noise_floor"]

# Probability that a table of unrelated columns has any pair above its floor.
LEVEL = 0.05
# Up to so many samples the permutations of ranks are counted, which takes 0.1 s for 11.
COUNTED_RANKS = 11
# Two levels expected together in fewer samples than this are a rare cell.
RARE_CELL = 0.1
# A given similarity may leave [0, 1] by this much through rounding.
_TOLERANCE = 1e-6


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
    The floor is exact for normal columns. Spearman's coefficient, names and mutual information
    have other floors; their measures use these automatically. Pearson's coefficient of heavy
    tails, of rare events and of counts that are mostly 0 passes it more often: two columns that
    are each nonzero in one and the same row correlate fully. (Selectors therefore leave out
    columns that too few samples carry: ``min_carriers``.)

    The formula assumes independent rows. In series where each sample is like the one before it,
    many unrelated pairs exceed the floor. With ``rows="ordered"``, measures take for S an
    effective number of samples, :math:`S / (1 + 2 \sum_{k \ge 1} \rho_i(k) \rho_j(k))` rounded
    down, from the autocorrelations of the two columns up to a quarter of the rows, at most
    2,000. So at most 5 % of tables of unrelated autoregressive series of order 1 have a link,
    up to an autocorrelation of 0.9.

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


def correlation_floors(n_samples: Doubles, n_features: int, *, ranks: bool) -> Doubles:
    """Floors of squared correlations that rest on different numbers of samples.

    Infinite where even a full correlation may be chance: the ranks of S samples correlate ±1
    with probability 2 / S!. Where this is more than the level allows, no pair passes.
    """
    counts, position = np.unique(n_samples, return_inverse=True)
    floors = np.array(_floors_of(tuple(counts.tolist()), n_features, ranks))
    return np.asarray(floors[position].reshape(np.shape(n_samples)))


@lru_cache(maxsize=64)
def _floors_of(counts: tuple[float, ...], n_features: int, ranks: bool) -> tuple[float, ...]:  # noqa: FBT001
    """Floors by numbers of samples; cached, as every row of a similarity needs them."""
    tail, samples = LEVEL / _n_pairs(n_features), np.array(counts)
    floors = np.full(len(samples), np.inf)
    enough = samples > 2
    some = samples[enough]
    # The quantile of the squared correlation of independent normal columns.
    floors[enough] = (
        rank_floors(some, tail) if ranks else scipy.stats.beta.isf(tail, 0.5, (some - 2) / 2)
    )
    return tuple(floors.tolist())


def rank_floors(n_samples: Doubles, tail: float) -> Doubles:
    r"""Squared rank correlations that unrelated columns reach with probability `tail` at most.

    Up to `COUNTED_RANKS` samples all permutations are counted. Beyond, Student's distribution
    promises too much: the excess kurtosis of Spearman's coefficient is about
    :math:`-4.56 / S` (Kendall and Gibbons 1990, section 4.6), not :math:`-6 / S`. As many fewer
    samples as make good for this, :math:`0.12 z^2` at z standard deviations, hold the level.
    """
    floors = np.array([_counted_rank_floor(int(s), tail) for s in n_samples])
    many = n_samples > COUNTED_RANKS
    fewer = 0.12 * scipy.stats.chi2.isf(tail, 1)
    rest = np.maximum(n_samples[many] - 2 - fewer, 1.0)
    floors[many] = scipy.stats.beta.isf(tail, 0.5, rest / 2)
    return floors


@dataclass(frozen=True)
class Margins:
    """Counts of samples per level, one entry per column."""

    levels: Ints
    reciprocals: Doubles
    """Sum of 1 / count over the levels."""
    fewest: Ints
    """Samples of the rarest level."""

    def __getitem__(self, which: Ints) -> Margins:
        return Margins(self.levels[which], self.reciprocals[which], self.fewest[which])


def contingency_floors(
    n_samples: int, n_features: int, left: Margins, right: Margins
) -> Doubles:
    r"""Floors of :math:`X^2 / S` of pairs of columns with levels.

    Where levels are unequal, :math:`X^2` has a longer tail than :math:`\chi^2`. Its mean and
    variance are those of the tables with these margins (Dawson 1954), its skewness at least
    that of independent cells; the quantile is that of the gamma distribution with these three.
    Where two rare levels are expected together in less than `RARE_CELL` samples, the few samples
    in which they do meet add about :math:`(j - \lambda)^2 / \lambda` at once; the floor is above
    that.

    References
    ----------
    .. [1] R. B. Dawson (1954). A simplified expression for the variance of the
       :math:`\chi^2`-function on a contingency table. Biometrika 41, 280.
    """
    tail = LEVEL / _n_pairs(n_features)
    r, c = left.levels, right.levels
    degrees = (r - 1) * (c - 1)
    few, position = np.unique(degrees, return_inverse=True)
    asymptotic = scipy.stats.chi2.isf(tail, few)[position]
    if n_samples <= 3:
        return np.full(len(degrees), np.inf)
    mean = n_samples * degrees / (n_samples - 1)
    spread = [(k - 1) * (n_samples - k) / (n_samples - 1) for k in (r, c)]
    unequal = [
        (n_samples * side.reciprocals - side.levels**2) / (n_samples - 2)
        for side in (left, right)
    ]
    variance = (
        2 * n_samples / (n_samples - 3) * (spread[0] - unequal[0]) * (spread[1] - unequal[1])
        + n_samples**2 / (n_samples - 1) * unequal[0] * unequal[1]
    )
    cells = n_samples * left.reciprocals * right.reciprocals
    third = 8 * degrees + 22 * cells + cells**2
    deviation = np.sqrt(np.maximum(variance, 0.0))
    skewness = third / np.maximum(deviation, 1e-12) ** 3
    shape = 4 / skewness**2
    quantile = special.gammainccinv(shape, tail)
    floors = np.maximum(asymptotic, mean + deviation * (quantile - shape) / np.sqrt(shape))
    expected = left.fewest * right.fewest / n_samples
    rare = np.flatnonzero(expected < RARE_CELL)
    others_share = (1 - left.fewest / n_samples) * (1 - right.fewest / n_samples)
    meetings = 1
    while len(rare):
        chance = special.pdtrc(meetings - 1, expected[rare])
        rare, chance = rare[chance > tail], chance[chance > tail]
        jump = (meetings - expected[rare]) ** 2 / expected[rare] / others_share[rare]
        others = scipy.stats.chi2.isf(np.minimum(1.0, tail / chance), degrees[rare])
        floors[rare] = np.maximum(floors[rare], jump + others)
        meetings += 1
    return np.asarray(floors / n_samples)


def degrees_floor(
    n_samples: int,
    n_features: int,
    left: Ints,
    right: Ints,
    level: float = LEVEL,
) -> Doubles:
    r"""Floors, at most 1, of pairs of columns with `left` and `right` degrees of freedom.

    A numeric column has one degree, a nominal one of K levels K − 1; d = 1 also stands for a
    nominal column of two levels, which behaves as a number. With d and e the degrees of the
    two columns, s follows under independence (Cramér 1946, section 21.9)

    .. math::
       \mathrm{Beta}\left(\tfrac{d}{2}, \tfrac{S-1-d}{2}\right) \ (e = 1), \qquad
       \frac{\chi^2_{de}}{S \min(d, e)} \ (\text{else, in the limit of large } S).
    """
    tail = level / _n_pairs(n_features)
    small, large = np.minimum(left, right), np.maximum(left, right)
    # A quantile is costly and pairs repeat a few degrees: compute one per combination.
    codes, position = np.unique(small * (large.max(initial=0) + 1) + large, return_inverse=True)
    few = np.zeros((2, len(codes)), dtype=np.int64)
    few[0, position], few[1, position] = small, large
    floors = [_floor(n_samples, int(d), int(e), tail) for d, e in few.T]
    return np.array(floors, dtype=np.float64)[position]


def correct_bias(similarity: Any, n_samples: Any, degrees: int = 1) -> Any:
    """Correct squared correlations s for chance: max(0, (s − c) / (1 − c)).

    Under independence the mean of s is c = 1 / (S − 1), that of the corrected one near 0; it is
    still 1 for columns that determine each other. With up to 2 samples nothing is left. A share
    that lies between classes has as many `degrees` as there are classes, less one.
    """
    chance = degrees / np.maximum(np.asarray(n_samples) - 1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        corrected = np.maximum((similarity - chance) / (1 - chance), 0.0)
    return np.where(chance < 1, corrected, 0.0)


def _floor(n_samples: int, small: int, large: int, tail: float) -> float:
    """The quantile for one combination of degrees, small <= large."""
    if small == 1:
        rest = n_samples - 1 - large
        if rest <= 0:
            return 1.0
        floor = scipy.stats.beta.isf(tail, large / 2, rest / 2)
    else:
        floor = scipy.stats.chi2.isf(tail, small * large) / (n_samples * small)
    return min(1.0, float(floor)) if math.isfinite(floor) else 1.0


def _n_pairs(n_features: int) -> int:
    return max(1, n_features * (n_features - 1) // 2)


def columns_of_pairs(n_pairs: int) -> int:
    """The fewest columns that have so many pairs: for floors of other comparisons."""
    return math.ceil((1 + math.sqrt(1 + 8 * n_pairs)) / 2)


def class_floors(
    n_samples: Doubles, n_features: int, n_classes: int, *, ranks: bool
) -> Doubles:
    """Floors of the share of a column's variance that lies between classes, by samples.

    The distribution is exact for normal columns. That of ranks has a longer tail, and is below
    its limit for many samples.
    """
    degrees, tail = n_classes - 1, LEVEL / _n_pairs(n_features)
    counts, position = np.unique(n_samples, return_inverse=True)
    rest = np.maximum(counts - n_classes, 0.0)
    if ranks:
        floors = scipy.stats.chi2.isf(tail, degrees) / np.maximum(counts - 1, 1.0)
    else:
        floors = scipy.stats.beta.isf(tail, degrees / 2, np.maximum(rest, 1.0) / 2)
    return np.where(rest > 0, np.minimum(floors, 1.0), 1.0)[position]


def _counted_rank_floor(n_samples: int, tail: float) -> float:
    """The floor by counting; 0 where there are too many samples to count."""
    if n_samples > COUNTED_RANKS:
        return 0.0
    below = np.cumsum(_squared_differences(n_samples)) / math.factorial(n_samples)
    # Both signs count. The sum of squared differences is even: halfway to the next one that is
    # possible, so that rounding of the correlation does not matter.
    passing = np.flatnonzero(2 * below[::2] <= tail)
    if not len(passing):
        return math.inf
    return float((1 - 6 * (2 * passing[-1] + 1) / (n_samples**3 - n_samples)) ** 2)


@lru_cache(maxsize=COUNTED_RANKS + 1)
def _squared_differences(n_samples: int) -> Doubles:
    """Count the permutations of 0 … S - 1 by the sum of squared differences from the identity.

    Up to half of the largest sum: the counts of the upper half mirror those of the lower.
    """
    most = (n_samples**3 - n_samples) // 6
    # counts[values, sum]: ways to give these values, as many bits, to the first positions.
    counts = np.zeros((1 << n_samples, most + 1))
    counts[0, 0] = 1.0
    subsets = np.arange(1 << n_samples)
    sizes = (subsets[:, None] >> np.arange(n_samples) & 1).sum(axis=1)
    for position in range(n_samples):
        for value in range(n_samples):
            free = subsets[(sizes == position) & (subsets >> value & 1 == 0)]
            square = (position - value) ** 2
            counts[free | 1 << value, square:] += counts[free, : most + 1 - square]
    return np.asarray(counts[-1])


@dataclass(frozen=True)
class CorrelationScale:
    """Correlations, of which negative ones share nothing, or their squares.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the table.
    squared : bool
        Whether the entries are squares already.
    ranks : bool
        Whether they are correlations of ranks.
    shared_samples : callable, optional
        Gives the samples that pairs of columns count for, where that is not the same for all:
        those that both have, where values are missing; fewer, where rows depend on each other.

    Examples
    --------
    >>> scale = CorrelationScale(100, 50, squared=False)
    >>> scale.weights(np.array([0.9, -0.9, 0.3]), np.zeros(3), np.arange(3)).round(3)
    array([0.808, 0.   , 0.   ])
    """

    n_samples: int
    n_features: int
    squared: bool
    ranks: bool = False
    shared_samples: Callable[[Ints, Ints], Doubles] | None = None

    @property
    def rises(self) -> bool:
        """Whether the share never falls as the similarity rises."""
        return self.shared_samples is None

    def weights(self, values: Floats, left: Ints, right: Ints) -> Doubles:
        """Weights of pairs of columns."""
        shared = values.astype(np.float64)
        if not self.squared:
            np.square(np.maximum(shared, 0.0, out=shared), out=shared)
        if self.shared_samples is None:
            samples = np.array([float(self.n_samples)])
        else:
            samples = self.shared_samples(left, right)
        corrected: Doubles = correct_bias(shared, samples)
        floors = correlation_floors(samples, self.n_features, ranks=self.ranks)
        corrected[shared < floors] = 0.0
        return corrected


@dataclass(frozen=True, eq=False)
class FlooredScale:
    """Shared variance, corrected for bias, of an operator that gives the floors of pairs."""

    operator: Any

    def weights(self, values: Floats, left: Ints, right: Ints) -> Doubles:
        """Weights of pairs of columns."""
        left, right = np.broadcast_arrays(left, right)
        floors = self.operator.floors(left.ravel(), right.ravel()).reshape(left.shape)
        return np.where(values < floors, 0.0, values.astype(np.float64))


@dataclass(frozen=True)
class GivenScale:
    """Shared variance given by the user; without a number of samples there is no floor."""

    def weights(self, values: Floats, left: Ints, right: Ints) -> Doubles:  # noqa: ARG002
        """Weights of pairs of columns."""
        return np.clip(values.astype(np.float64), 0.0, 1.0)


def check_shared_variance(similarity: Floats) -> None:
    """Refuse a given similarity that cannot be shared variance."""
    lowest, highest = similarity.min(initial=0.0), similarity.max(initial=0.0)
    if lowest < -_TOLERANCE or highest > 1 + _TOLERANCE:
        raise ValueError(
            "a share of variance is between 0 and 1, but the similarity goes from "
            f"{lowest:g} to {highest:g}: give squared correlations, or choose rule='degree' and "
            "graph='tmfg'"
        )


def correlation_scale(
    operator: Any,
    *,
    n_samples: int,
    n_features: int,
    squared: bool,
    ranks: bool = False,
    ordered_rows: bool = False,
) -> CorrelationScale:
    """Give the scale of a correlation; the number of samples may differ between pairs."""
    shared_samples = getattr(operator, "shared_samples", None)
    if ordered_rows:
        from topofs.similarity.autocorrelation import EffectiveSamples, autocorrelations

        autocorrelation = autocorrelations(operator.series)
        shared_samples = EffectiveSamples(n_samples, autocorrelation, shared_samples)
    return CorrelationScale(n_samples, n_features, squared, ranks, shared_samples)


def whole_weights(similarity: Floats, scale: Scale, order: Ints | None = None) -> Doubles:
    """Weights of all pairs, with ones on the diagonal.

    `order` gives the column of each row of the similarity; the weights are in that order.
    """
    n = len(similarity)
    weights = np.empty((n, n))
    order = np.arange(n) if order is None else order
    for rows, block in weights_of_rows(similarity, scale, order):
        weights[order[rows, None], order] = block
    np.fill_diagonal(weights, 1.0)
    return weights


def leave_out_chance(similarity: Floats, scale: Scale, order: Ints | None = None) -> None:
    """Set values that chance explains to 0, in place; the diagonal stays.

    `order` gives the column of each row and column of the similarity.
    """
    diagonal = similarity.diagonal().copy()
    order = np.arange(len(similarity)) if order is None else order
    for rows, block in weights_of_rows(similarity, scale, order):
        similarity[rows][block == 0] = 0
    np.fill_diagonal(similarity, diagonal)


def weights_of_rows(
    similarity: Floats, scale: Scale, order: Ints
) -> Iterator[tuple[slice, Doubles]]:
    """Weights of some rows at a time; `order` gives the column of each row."""
    for rows in slices(len(similarity), 256):
        yield rows, scale.weights(similarity[rows], order[rows, None], order[None, :])
