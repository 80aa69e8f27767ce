"""Mutual information between binned columns: links of any shape."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy

from topofs.similarity.base import Measure, dense
from topofs.similarity.correlation import doubled_centred_ranks
from topofs.similarity.noise_floor import LEVEL, FlooredScale
from topofs.similarity.table import check_table
from topofs.terms import is_whole, parameter, register

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.io.target import Target
    from topofs.network import Scale
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Doubles, Floats, Ints

__all__ = ["BinnedInformation", "MutualInformation", "mutual_information"]

# A bin is one byte, and one is for missing values.
MOST_BINS = 255


def mutual_information(X: Any, *, n_bins: int | None = None) -> Doubles:
    r"""Informational correlation between all pairs of columns, from binned values.

    Each column is cut into bins of equal counts (equal values stay together), which for its
    negative are the same bins in reverse order. With
    :math:`n_{ab}` the samples in bin a of one column and b of the other,

    .. math::
       I_{ij} = \sum_{ab} \frac{n_{ab}}{S} \log \frac{S\,n_{ab}}{n_a n_b}
                - \frac{d_i d_j}{2S}, \qquad
       s_{ij} = \frac{1 - e^{-2 \max(0, I_{ij})}}{1 - e^{-2 \min(H_i, H_j)}},

    d the number of bins less one. The first formula is the mutual information less its bias
    under independence (Miller and Madow); the second puts it on the scale of a squared
    correlation, which it equals for normal columns (Linfoot) but for the loss of binning,
    and reaches 1 where one binned column tells the other (H is the entropy).

    Parameters
    ----------
    X : array-like, shape (n_samples, n_features)
        Numbers; NaN marks a missing value and is a bin of its own.
    n_bins : int, optional
        Bins a column; by default :math:`\sqrt{S/5}`, at least 2 and at most 16, so that a
        cell of two independent columns expects five samples. A column whose middle value
        would lie between two bins (an even number of bins, an odd one of samples) has one
        bin more.

    Returns
    -------
    array of float64, shape (n_features, n_features)
        Exactly symmetric, in [0, 1], diagonal 1; 0 for constant columns.

    Notes
    -----
    Time is O(n² (S + b²)) with b bins: the cells of each pair are counted, which takes fewer
    steps than a product of one-hot rows. It sees links that are not monotone, which no
    correlation does, and sees the others less sharply.

    References
    ----------
    .. [1] E. H. Linfoot (1957). An informational measure of correlation. Information and
       Control 1(1), 85-89.
    .. [2] G. A. Miller (1955). Note on the bias of information estimates. Information Theory
       in Psychology, 95-100.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.similarity import mutual_information, pearson
    >>> x = np.linspace(-1, 1, 500)
    >>> X = np.column_stack([x, x**2, np.random.default_rng(0).normal(size=500)])
    >>> mutual_information(X).round(2).tolist()
    [[1.0, 0.96, 0.05], [0.96, 1.0, 0.05], [0.05, 0.05, 1.0]]
    >>> pearson(X, squared=True).round(2).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    measure = MutualInformation(n_bins)
    table = check_table(X, no_sparse="similarity 'mutual_information', unlike 'pearson', takes")
    return np.asarray(dense(measure.operator(table)), np.float64)


def check_bins(n_bins: Any) -> None:
    """Refuse a number of bins that a byte does not hold."""
    if n_bins is not None and not (is_whole(n_bins) and 2 <= n_bins <= MOST_BINS):
        raise ValueError(
            f"n_bins is {n_bins!r}; it must be a whole number from 2 to {MOST_BINS}"
        )


@dataclass(frozen=True, repr=False)
class MutualInformation(Measure):
    """Mutual information of binned columns, on the scale of a squared correlation.

    Parameters
    ----------
    n_bins : int, optional
        Bins a column, 2 to 255; by default as many as the samples can fill.

    Examples
    --------
    >>> from topofs import MutualInformation
    >>> MutualInformation(n_bins=8)
    MutualInformation(n_bins=8)
    """

    n_bins: int | None = parameter(None, help="Bins a column, 2 to 255.", check=check_bins)

    short_name: ClassVar[str] = "mutual_information"
    needs_independent_rows: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return "shared information, on the scale of a squared correlation"

    def operator(self, table: Floats) -> SimilarityOperator:
        """Cut the columns of a checked table into bins."""
        return mutual_information_operator(table, n_bins=self.n_bins)

    def scale(self, operator: Any, *, n_samples: int, n_features: int) -> Scale:  # noqa: ARG002
        """Count what chance explains as 0; its bias is off already."""
        return FlooredScale(operator)

    def relevance(
        self, table: Floats, target: Target, *, n_compared: int
    ) -> tuple[Doubles, Doubles]:
        """Compare columns with a target as with each other; each class is a bin."""
        n, n_classes = table.shape[1], len(target.classes)
        if n_classes > MOST_BINS:
            raise ValueError(
                f"the target has {n_classes} classes, and similarity {self.name!r} compares up to "
                f"{MOST_BINS}: choose another similarity, or join classes"
            )
        operator = mutual_information_operator(table, n_bins=self.n_bins)
        if n_classes:
            own = _binned(target.y[None, :])
        else:
            own = mutual_information_operator(target.y[:, None], n_bins=self.n_bins)
        both = BinnedInformation(
            *(np.concatenate([getattr(one, part.name) for one in (operator, own)])
              for part in fields(BinnedInformation))
        )  # fmt: skip
        shares = both.block(slice(0, n), slice(n, n + 1)).ravel()
        return shares, both.floors(np.arange(n), np.full(n, n), n_compared)


register(MutualInformation())


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
        from topofs._kernels.joint_entropy import joint_entropies

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

    def floors(self, left: Ints, right: Ints, n_compared: int | None = None) -> Doubles:
        """Noise floors of pairs of columns, on the scale of the entries.

        `n_compared` is the number of columns whose pairs are compared; by default all. Under
        independence 2·S·I / q follows χ² with dᵢ·dⱼ degrees of freedom, in the limit of many
        samples a cell; q is 1 in this limit (Williams 1976, Biometrika 63, 33-37).
        """
        n_compared = self.n_features if n_compared is None else n_compared
        tail = LEVEL / max(1, n_compared * (n_compared - 1) // 2)
        degrees = np.maximum(self.degrees[left] * self.degrees[right], 1)
        few, position = np.unique(degrees, return_inverse=True)
        thin = self.n_samples * self.reciprocals - 1
        # With about 5 samples per cell the spread is larger than this limit; the term is fitted
        # to it.
        a_cell = self.n_samples / ((self.degrees[left] + 1) * (self.degrees[right] + 1))
        inflation = 1 + thin[left] * thin[right] / (6 * self.n_samples * degrees)
        inflation += 0.6 / a_cell**2
        quantile = scipy.stats.chi2.isf(tail, few)[position] * inflation
        excess = (quantile - degrees) / (2 * self.n_samples)
        return _on_scale(excess, np.minimum(self.entropies[left], self.entropies[right]))


def mutual_information_operator(X: Floats, *, n_bins: int | None = None) -> BinnedInformation:
    """Bin the columns of a checked table for their mutual information."""
    if n_bins is None:
        n_bins = int(np.clip(np.sqrt(len(X) / 5), 2, 16))
    return _binned(_bins(X, n_bins))


def _binned(codes: Ints) -> BinnedInformation:
    """The similarity of columns from the bins of their samples, one row a column."""
    degrees = codes.max(axis=1)
    terms = _entropy_terms(codes.shape[1])
    counts = [np.bincount(row) for row in codes]
    entropies = np.array([terms[count].sum() for count in counts])
    reciprocals = np.array([(1 / count).sum() for count in counts])
    return BinnedInformation(codes.astype(np.uint8), degrees, entropies, reciprocals)


def _entropy_terms(n_samples: int) -> Doubles:
    """−p log p of a cell with 0 … S samples."""
    share = np.arange(n_samples + 1) / n_samples
    return np.asarray(-share * np.log(np.where(share > 0, share, 1.0)))


def _on_scale(information: Doubles, most: Doubles) -> Doubles:
    """Linfoot's coefficient; 1 where the information equals the entropy."""
    similarity = -np.expm1(-2 * np.maximum(information, 0.0))
    similarity /= np.where(most > 0, -np.expm1(-2 * most), np.inf)
    return np.asarray(np.minimum(similarity, 1.0))


def _bins(X: Floats, n_bins: int) -> Ints:
    """Bin of each value, from 0 without gaps, one row per column; the last bin is for missing.

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
