"""What a similarity says about shared variance: weights in [0, 1], 0 where chance explains it.

The mean threshold: a separate step between similarity and graph.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from topofs.similarity.noise_floor import correct_bias, correlation_floors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topofs.network import Scale


__all__ = [
    "CorrelationScale",
    "FlooredScale",
    "GivenScale",
    "check_shared_variance",
    "correlation_scale",
    "leave_out_chance",
    "threshold_links_in_place",
    "threshold_mean",
    "threshold_mean_in_place",
    "whole_weights",
]


Ints = npt.NDArray[np.int64]


Floats = npt.NDArray[np.floating[Any]]


Doubles = npt.NDArray[np.float64]


# How far rounding may take a similarity out of [0, 1].
TOLERANCE = 1e-6


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
        """Whether of any two pairs the one of lower similarity never has the larger share."""
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


class _WithFloors(Protocol):
    def floors(self, left: Ints, right: Ints) -> Doubles:
        """Noise floors of pairs of columns."""


@dataclass(frozen=True, eq=False)
class FlooredScale:
    """Shared variance, corrected for bias, of a measure that knows its noise floors."""

    operator: _WithFloors

    def weights(self, values: Floats, left: Ints, right: Ints) -> Doubles:
        """Weights of pairs of columns."""
        left, right = np.broadcast_arrays(left, right)
        floors = self.operator.floors(left.ravel(), right.ravel()).reshape(left.shape)
        return np.where(values < floors, 0.0, values.astype(np.float64))


@dataclass(frozen=True)
class GivenScale:
    """Shared variance given by the user: no number of samples, hence no noise floor."""

    def weights(self, values: Floats, left: Ints, right: Ints) -> Doubles:  # noqa: ARG002
        """Weights of pairs of columns."""
        return np.clip(values.astype(np.float64), 0.0, 1.0)


def check_shared_variance(similarity: Floats) -> None:
    """Refuse a given similarity that cannot be shared variance."""
    lowest, highest = similarity.min(initial=0.0), similarity.max(initial=0.0)
    if lowest < -TOLERANCE or highest > 1 + TOLERANCE:
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
    """Give the scale of a correlation, whose pairs may have samples of their own."""
    inner = getattr(operator, "inner", operator)
    shared_samples = getattr(inner, "shared_samples", None)
    if ordered_rows:
        from topofs.similarity.autocorrelation import EffectiveSamples, autocorrelations

        # With missing values it keeps the columns as they are, else prepared.
        columns = inner.values if shared_samples is None else inner.columns
        shared_samples = EffectiveSamples(n_samples, autocorrelations(columns), shared_samples)
    return CorrelationScale(n_samples, n_features, squared, ranks, shared_samples)


def whole_weights(similarity: Floats, scale: Scale, order: Ints | None = None) -> Doubles:
    """Weights of all pairs, with ones on the diagonal.

    `order` says which column each row of the similarity is; the weights are in order.
    """
    n = len(similarity)
    weights = np.empty((n, n))
    order = np.arange(n) if order is None else order
    for rows, block in _blocks(similarity, scale, order):
        weights[order[rows, None], order] = block
    np.fill_diagonal(weights, 1.0)
    return weights


def leave_out_chance(similarity: Floats, scale: Scale, order: Ints | None = None) -> None:
    """Set what chance explains to 0, in place; the diagonal stays.

    `order` says which column each row and column of the similarity is.
    """
    diagonal = similarity.diagonal().copy()
    order = np.arange(len(similarity)) if order is None else order
    for rows, block in _blocks(similarity, scale, order):
        similarity[rows][block == 0] = 0
    np.fill_diagonal(similarity, diagonal)


def _blocks(similarity: Floats, scale: Scale, order: Ints) -> Iterator[tuple[slice, Doubles]]:
    """Weights of some rows at a time."""
    for first in range(0, len(similarity), 256):
        rows = slice(first, first + 256)
        yield rows, scale.weights(similarity[rows], order[rows, None], order[None, :])


Matrix = npt.NDArray[np.floating[Any]]


def threshold_mean(similarity: npt.ArrayLike) -> Matrix:
    r"""Set every entry below the mean of the whole matrix, diagonal included, to 0.

    .. math:: w_{ij} = s_{ij}\,[s_{ij} \ge \bar s], \qquad \bar s = n^{-2} \sum_{ij} s_{ij}

    The authors' program does this between the similarity and the TMFG; their text does not
    mention it.

    Parameters
    ----------
    similarity : array-like of float, shape (n, n)
        Symmetric, finite.

    Returns
    -------
    array, shape (n, n)
        A new matrix; float32 for float32 input, else float64.

    Examples
    --------
    >>> from topofs.similarity import threshold_mean
    >>> threshold_mean([[1.0, 0.25], [0.25, 1.0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    from topofs.similarity_matrix import check_similarity_matrix

    matrix = check_similarity_matrix(similarity)
    values = matrix.values.copy()
    _zero_below(values, matrix.mean)
    return values


def threshold_mean_in_place(similarity: Matrix) -> float:
    """Do the same to a matrix that needs no check, without a copy; return its new mean."""
    from topofs.similarity_matrix import sum_and_peak

    total, _ = sum_and_peak(similarity)
    return _zero_below(similarity, total / similarity.size)


def threshold_links_in_place(similarity: Matrix) -> float:
    """Set entries below the mean of those off the diagonal to 0; return the new mean of all.

    Entries that are equal up to rounding are all links, or none is.
    """
    from topofs.similarity_matrix import sum_and_peak

    n = len(similarity)
    total = sum_and_peak(similarity)[0] - math.fsum(np.diagonal(similarity))
    mean = total / max(1, n * (n - 1))
    return _zero_below(similarity, mean - 1e-9 * abs(mean))


def _zero_below(similarity: Matrix, level: float) -> float:
    """Set entries below the level to 0 and return the mean of what is left."""
    from topofs.runtime import for_row_ranges
    from topofs.similarity_matrix import zero_below

    n = len(similarity)
    sums = np.empty(n)
    for_row_ranges(lambda i, j: zero_below(similarity, level, i, j, sums), n, n)
    return math.fsum(sums) / similarity.size
