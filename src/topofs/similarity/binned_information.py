"""Columns cut into bins, prepared for their mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from topofs.similarity.noise_floor import LEVEL
from topofs.similarity.ranks import doubled_centred_ranks

__all__ = ["BinnedInformation", "mutual_information_operator"]

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BinnedInformation:
    """The similarity of `mutual_information`, any block on demand.

    `bins` has a row a column: the bin of each sample, from 0 without gaps; `degrees` are the
    bins of each column less one, `entropies` those of the binned columns, `reciprocals` the sums
    of 1 / count over the bins.
    """

    bins: npt.NDArray[np.uint8]
    degrees: Ints
    entropies: Doubles
    reciprocals: Doubles

    @property
    def n_features(self) -> int:
        """The order n of the matrix."""
        return len(self.entropies)

    @property
    def n_samples(self) -> int:
        """The number S of samples."""
        return int(self.bins.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the finished similarity."""
        return np.dtype(np.float64)

    def block(self, rows: slice, columns: slice) -> Doubles:
        """Entries of the given rows and columns."""
        from topofs.kernels.joint_entropy import joint_entropies

        left, right = self.entropies[rows], self.entropies[columns]
        information = np.empty((len(left), len(right)))
        terms = _entropy_terms(self.n_samples)
        joint_entropies(self.bins[rows], self.bins[columns], terms, information)
        np.subtract(np.add.outer(left, right), information, out=information)
        chance = self.degrees[rows] / (2 * self.n_samples)
        information -= np.multiply.outer(chance, self.degrees[columns])
        return _on_scale(information, np.minimum.outer(left, right))

    def diagonal(self) -> Doubles:
        """Ones."""
        return np.ones(self.n_features)

    def floors(self, left: Ints, right: Ints) -> Doubles:
        """Noise floors of pairs of columns, on the scale of the entries.

        Under independence 2·S·I / q follows χ² with dᵢ·dⱼ degrees of freedom, in the limit of many
        samples a cell; q is 1 in this limit (Williams 1976, Biometrika 63, 33-37).
        """
        tail = LEVEL / max(1, self.n_features * (self.n_features - 1) // 2)
        degrees = np.maximum(self.degrees[left] * self.degrees[right], 1)
        few, position = np.unique(degrees, return_inverse=True)
        thin = self.n_samples * self.reciprocals - 1
        # With so few samples a cell, about 5, the spread exceeds this; the term is fitted to it.
        a_cell = self.n_samples / ((self.degrees[left] + 1) * (self.degrees[right] + 1))
        inflation = 1 + thin[left] * thin[right] / (6 * self.n_samples * degrees)
        inflation += 0.6 / a_cell**2
        quantile = stats.chi2.isf(tail, few)[position] * inflation
        excess = (quantile - degrees) / (2 * self.n_samples)
        return _on_scale(excess, np.minimum(self.entropies[left], self.entropies[right]))


def mutual_information_operator(
    X: npt.NDArray[np.floating[Any]], *, n_bins: int | None = None
) -> BinnedInformation:
    """Bin the columns of a checked table for their mutual information."""
    if n_bins is None:
        n_bins = int(np.clip(np.sqrt(len(X) / 5), 2, 16))
    codes = _bins(X, n_bins)
    degrees = codes.max(axis=1)
    terms = _entropy_terms(len(X))
    counts = [np.bincount(row) for row in codes]
    entropies = np.array([terms[count].sum() for count in counts])
    reciprocals = np.array([(1 / count).sum() for count in counts])
    return BinnedInformation(codes.astype(np.uint8), degrees, entropies, reciprocals)


def _entropy_terms(n_samples: int) -> Doubles:
    """−p log p of a cell with 0 … S samples."""
    share = np.arange(n_samples + 1) / n_samples
    return np.asarray(-share * np.log(np.where(share > 0, share, 1.0)))


def _on_scale(information: Doubles, most: Doubles) -> Doubles:
    """Linfoot's coefficient, 1 where the information is all there is."""
    similarity = -np.expm1(-2 * np.maximum(information, 0.0))
    similarity /= np.where(most > 0, -np.expm1(-2 * most), np.inf)
    return np.asarray(np.minimum(similarity, 1.0))


def _bins(X: npt.NDArray[np.floating[Any]], n_bins: int) -> Ints:
    """Bin of each value, from 0 without gaps, one row a column; missing is the last bin.

    The bins of a column and of its negative are mirror images: a value between two bins goes
    to the one nearer the middle, and where the middle value lies between the two middle bins
    there is one bin more.
    """
    doubled = doubled_centred_ranks(X)
    observed = ~np.isnan(doubled)
    counts = np.maximum(observed.sum(axis=1, keepdims=True), 1)
    n_bins_of = n_bins + ((n_bins % 2 == 0) & (doubled == 0).any(axis=1, keepdims=True))
    # (rank - 1/2) / m lies in (0, 1); the rank is (doubled + m + 1) / 2. In whole numbers, and
    # from the nearer end.
    centred = np.nan_to_num(doubled, copy=False).astype(np.int64)
    codes = (counts - np.abs(centred)) * n_bins_of // (2 * counts)
    codes = np.where(centred > 0, n_bins_of - 1 - codes, codes)
    codes[~observed] = n_bins + 1
    present = np.zeros((len(codes), n_bins + 2), dtype=np.int64)
    present[np.arange(len(codes))[:, None], codes] = 1
    return np.asarray(np.take_along_axis(np.cumsum(present, axis=1) - 1, codes, axis=1))
