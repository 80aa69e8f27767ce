"""How far correlations are pulled towards 0: Ledoit and Wolf, for all pairs or for the links."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["ledoit_wolf_intensity", "links_intensity"]

Doubles = npt.NDArray[np.float64]

_BLOCK = 1024
# Products of entries of the table that are held at a time.
_ENTRIES = 2**22


def ledoit_wolf_intensity(standardised: Doubles) -> float:
    r"""Weight of the identity that brings a correlation matrix closest to the true one [1]_.

    With :math:`z_s` the S rows, of n standardised columns, and R their correlation,

    .. math::
       \alpha = \min\left(1,
           \frac{\frac{1}{S^2} \sum_s \lVert z_s z_s^T - R \rVert^2}{\lVert R - I \rVert^2}
       \right).

    The norm of R is that of the S × S matrix of products of rows where that is smaller, so
    the cost is O(Sn min(S, n)), and no whole matrix is held.

    .. [1] O. Ledoit and M. Wolf (2004). A well-conditioned estimator for large-dimensional
       covariance matrices. Journal of Multivariate Analysis 88, 365-411.
    """
    n_samples, n_features = standardised.shape
    smaller = standardised if n_samples < n_features else standardised.T
    total = 0.0
    for first in range(0, len(smaller), _BLOCK):
        total += float(np.sum((smaller[first : first + _BLOCK] @ smaller.T) ** 2))
    of_correlation = total / n_samples**2
    of_rows = float(np.sum(np.sum(standardised**2, axis=1) ** 2)) / n_samples
    distance = of_correlation - n_features
    if distance <= 0:
        return 1.0
    return float(min(1.0, (of_rows - of_correlation) / n_samples / distance))


def links_intensity(standardised: Doubles, edges: npt.NDArray[np.int64]) -> float:
    r"""Do the same for the correlations of linked columns alone [1]_; 0 without a link.

    .. math::
       \alpha = \min\left(1, \frac{\sum_{ij} \widehat{\operatorname{Var}}(r_{ij})}
       {\sum_{ij} r_{ij}^2}\right), \qquad
       \widehat{\operatorname{Var}}(r_{ij}) = \frac{1}{S^2} \sum_s (z_{si} z_{sj} - r_{ij})^2.

    .. [1] J. Schäfer and K. Strimmer (2005). A shrinkage approach to large-scale covariance
       matrix estimation. Statistical Applications in Genetics and Molecular Biology 4, 32.
    """
    n_samples = len(standardised)
    variance = squares = 0.0
    step = max(1, _ENTRIES // n_samples)
    for first in range(0, len(edges), step):
        i, j = edges[first : first + step].T
        products = standardised[:, i] * standardised[:, j]
        variance += float(products.var(axis=0).sum()) / n_samples
        squares += float(np.sum(products.mean(axis=0) ** 2))
    return min(1.0, variance / squares) if squares > 0 else 0.0
