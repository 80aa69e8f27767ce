"""How far correlations are pulled towards 0: the intensity of Ledoit and Wolf."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["ledoit_wolf_intensity"]

_BLOCK = 1024


def ledoit_wolf_intensity(standardised: npt.NDArray[np.float64]) -> float:
    r"""Weight of the identity that brings a correlation matrix closest to the true one.

    With :math:`z_s` the S rows, of n standardised columns, and R their correlation,

    .. math::
       \alpha = \min\left(1,
           \frac{\frac{1}{S^2} \sum_s \lVert z_s z_s^T - R \rVert^2}{\lVert R - I \rVert^2}
       \right).

    Parameters
    ----------
    standardised : array of float64, shape (S, n)
        Columns of mean 0 and variance 1.

    Returns
    -------
    float
        In [0, 1].

    Notes
    -----
    The norm of R is that of the S × S matrix of products of rows where that is smaller, so
    the cost is O(Sn min(S, n)), and no whole matrix is held.

    References
    ----------
    .. [1] O. Ledoit and M. Wolf (2004). A well-conditioned estimator for large-dimensional
       covariance matrices. Journal of Multivariate Analysis 88, 365-411.

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.random.default_rng(0).normal(size=(50, 20))
    >>> ledoit_wolf_intensity((noise - noise.mean(axis=0)) / noise.std(axis=0)) > 0.9
    True
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
