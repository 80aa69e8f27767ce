"""Rows in time order: test whether they depend on each other, and count effective samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs.io.types import TypedTable
from topofs.runtime import slices

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.typing import Doubles, Ints

# Autocorrelations are computed up to a quarter of the rows, and up to this lag at most.
MOST_LAGS = 2000
# Values transformed at a time.
_BLOCK = 1 << 21
# Rows depend on each other if at least this share of rows is nearer to the next row than to the
# one after it, in the median column. The share is 0.58 in a series of autocorrelation 0.5 and
# 0.63 for 0.9. It is one half in independent rows, and at most 0.55 in rows sorted by classes
# of ten.
NEARER = 0.56
# Least distance above the mean of shuffled rows, in standard deviations; number of shuffles.
_CLEARLY, _SHUFFLES = 5.0, 20
_LEAST_ROWS = 30
# Sample of a large table: number of columns, and rows per run.
_MOST_COLUMNS, _RUNS, _RUN = 100, 10, 500


def n_lags(n_samples: int) -> int:
    """Number of autocorrelations computed for a series."""
    return min(n_samples // 4, MOST_LAGS)


def autocorrelations(columns: Any) -> Doubles:
    """Give the autocorrelations of series at the lags from 1 on.

    One series per row, dense or sparse; NaN marks a missing value. Each sum of products is
    divided by the number of all rows, as is usual, so that no autocorrelation at a long lag is
    large by chance. A constant series has 0.
    """
    n_features, n_samples = columns.shape
    lags = n_lags(n_samples)
    found = np.zeros((n_features, lags))
    step = max(1, _BLOCK // max(1, n_samples))
    for rows in slices(n_features, step):
        block = columns[rows].toarray() if sparse.issparse(columns) else columns[rows]
        found[rows] = _normalised(*_lagged_products(np.asarray(block, dtype=np.float64), lags))
    return found


def slowest_scores(codes: Ints) -> Doubles:
    """Assign a number to each level of a column of names; give the number of each sample.

    The numbers change least from one sample to the next: they are the first eigenvector of the
    autocovariance of the levels at lag 1, each level scaled to its share.
    """
    n_samples, n_levels = len(codes), int(codes.max()) + 1
    cells = codes[:-1].astype(np.int64) * n_levels + codes[1:]
    pairs = np.bincount(cells, minlength=n_levels**2).reshape(n_levels, n_levels)
    share = np.bincount(codes, minlength=n_levels) / n_samples
    length = np.sqrt(share)
    same = (pairs + pairs.T) / (2 * max(1, n_samples - 1)) / np.outer(length, length)
    # Subtract the product of the shares.
    _, vectors = np.linalg.eigh(same - np.outer(length, length))
    return np.asarray((vectors[:, -1] / length)[codes])


def _lagged_products(series: Doubles, lags: int) -> tuple[Doubles, Doubles | None]:
    """Sums of products of centred rows with themselves at lags 0, 1, …, and numbers of terms.

    The counts are None where no value is missing.
    """
    from scipy import fft

    length = fft.next_fast_len(series.shape[1] + lags, real=True)

    def products(values: Doubles) -> Doubles:
        spectrum = fft.rfft(values, length, axis=1)
        power = np.square(spectrum.real) + np.square(spectrum.imag)
        return np.asarray(fft.irfft(power, length, axis=1)[:, : lags + 1])

    missing = np.isnan(series)
    values = np.where(missing, 0.0, series)
    largest = np.abs(values).max(axis=1, keepdims=True)
    values /= np.where(largest > 0, largest, 1.0)
    if not missing.any():
        values -= values.mean(axis=1, keepdims=True)
        return products(values), None
    observed = (~missing).astype(np.float64)
    values -= values.sum(axis=1, keepdims=True) / np.maximum(1, observed.sum(1, keepdims=True))
    return products(values * observed), np.rint(products(observed))


def _normalised(products: Doubles, counts: Doubles | None) -> Doubles:
    """Autocorrelations from sums of products; where values are missing, from their means."""
    if counts is not None:
        n_samples = counts[:, :1].max(initial=1.0)
        shrunk = 1 - np.arange(products.shape[1]) / n_samples
        products = np.where(counts > 0, products / np.maximum(counts, 1.0) * shrunk, 0.0)
    variance = products[:, :1]
    constant = variance <= 0
    return np.where(constant, 0.0, products[:, 1:] / np.where(constant, 1.0, variance))


def inflation(autocorrelation: Doubles, left: Ints, right: Ints) -> Doubles:
    r"""Give the number of ordered samples that count as one independent sample, for each pair.

    The correlation of independent series of S samples has about the variance

    .. math:: \frac1S \left(1 + 2 \sum_{k \ge 1} \rho_i(k) \rho_j(k)\right)

    (Bartlett [1]_), and 1 / S where the rows do not depend on each other.

    `left` and `right` are the two columns of each pair; as a row and a column, a block.

    References
    ----------
    .. [1] M. S. Bartlett (1935). Some aspects of the time-correlation problem in regard to
       tests of significance. Journal of the Royal Statistical Society 98(3), 536-543.
    """
    if left.ndim == 2:
        together = autocorrelation[left[:, 0]] @ autocorrelation[right[0]].T
        return np.asarray(np.maximum(1 + 2 * together, 1.0))
    together = np.empty(len(left))
    step = max(1, _BLOCK // max(1, autocorrelation.shape[1]))
    for some in slices(len(left), step):
        i, j = left[some], right[some]
        together[some] = np.einsum("ij,ij->i", autocorrelation[i], autocorrelation[j])
    return np.asarray(np.maximum(1 + 2 * together, 1.0))


@dataclass(frozen=True, eq=False)
class EffectiveSamples:
    """Effective number of independent samples of a pair of columns, where rows depend.

    `shared_samples` gives the number of samples observed in both columns, where values miss.
    """

    n_samples: int
    autocorrelation: Doubles
    shared_samples: Callable[[Ints, Ints], Doubles] | None = None

    def __call__(self, left: Ints, right: Ints) -> Doubles:
        """Give whole numbers, rounded down."""
        samples: Any = float(self.n_samples)
        if self.shared_samples is not None:
            samples = self.shared_samples(left, right)
        # Add a little, so that rounding does not lose a sample.
        effective = samples / inflation(self.autocorrelation, left, right)
        return np.asarray(np.floor(effective + 1e-9))


def neighbours_alike(table: Any) -> float | None:
    """Tell whether consecutive rows are alike, as in a time series.

    Each row is compared with the next row and with the one after that. In independent rows,
    each of the two is equally likely to be nearer. This also holds for rows sorted by classes,
    because all three rows are then of one class. The share of rows that are nearer to the next
    row, in the median column, must be at least `NEARER`, and clearly larger than in the same
    rows shuffled. Only some columns and rows of a large table are compared.

    Columns vary; NaN marks a missing value. Gives the median autocorrelation of a row and the
    next; None where rows are not alike.
    """
    values = _some_values(table)
    n_samples = len(values)
    if n_samples < _LEAST_ROWS + 2:
        return None
    share = _nearer_to_next(values)
    if not share >= NEARER:
        return None
    generator = np.random.default_rng(0)
    shuffled = np.array(
        [_nearer_to_next(values[generator.permutation(n_samples)]) for _ in range(_SHUFFLES)]
    )
    if share < shuffled.mean() + _CLEARLY * shuffled.std(ddof=1):
        return None
    return float(np.median(_normalised(*_lagged_products(values.T, 1))[:, 0]))


def _some_values(table: Any) -> Doubles:
    """A table of float64; of a large one some columns, and some runs of neighbouring rows."""
    n_samples, n_features = table.shape
    which, rows = np.arange(n_features), np.arange(n_samples)
    if n_features > _MOST_COLUMNS:
        which = np.linspace(0, n_features - 1, _MOST_COLUMNS).round().astype(np.int64)
    if n_samples > _RUNS * _RUN:
        starts = np.linspace(0, n_samples - _RUN, _RUNS).round().astype(np.int64)
        rows = np.add.outer(starts, np.arange(_RUN)).ravel()
    if isinstance(table, TypedTable):
        return table[:, which].take(rows).numbers
    if sparse.issparse(table):
        return np.asarray(table[:, which].tocsr()[rows].toarray(), dtype=np.float64)
    return np.asarray(table[np.ix_(rows, which)], dtype=np.float64)


def _nearer_to_next(values: Doubles) -> float:
    """Share of rows nearer to the next row than to the one after it, in the median column.

    Rows as near to both do not count, nor columns with few others.
    """
    # Halved, so that the distance of the largest floats does not overflow.
    half = values / 2
    near, far = np.abs(half[1:-1] - half[:-2]), np.abs(half[2:] - half[:-2])
    nearer, further = (near < far).sum(axis=0), (near > far).sum(axis=0)
    told = nearer + further
    enough = told >= _LEAST_ROWS
    return float(np.median(nearer[enough] / told[enough])) if enough.any() else 0.5
