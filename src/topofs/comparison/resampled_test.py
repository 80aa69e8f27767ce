r"""The corrected resampled t-test of Nadeau and Bengio, for repeated cross-validation.

m splits give m differences :math:`d_i` between the scores of two methods. They share samples,
so their mean :math:`\bar d` varies more than that of independent ones, and

.. math:: t = \frac{\bar d}{\sqrt{\left(\frac1m + \frac{n_{test}}{n_{train}}\right)
          s^2}},\qquad s^2 = \frac1{m-1} \sum (d_i - \bar d)^2,

is read against m − 1 degrees of freedom, two-sided. Where the formula divides by zero the limits
stand: a numerator of zero gives t = 0 and p = 1 whatever the denominator; a numerator that is
not zero over a spread of zero gives t = ±∞ and p = 0. Numbers below 1e-12, the noise of
subtracting scores, count as zero.

References
----------
C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
R. R. Bouckaert and E. Frank, "Evaluating the replicability of significance tests for comparing
learning algorithms", PAKDD 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["PairedTest", "corrected_resampled_test", "two_sided_test"]

_ZERO = 1e-12


@dataclass(frozen=True)
class PairedTest:
    """The outcome of a paired test.

    Attributes
    ----------
    statistic : float
        The value of t; positive where the first method scores higher.
    degrees_of_freedom : int
        Of the t-distribution that the statistic is read against.
    p_value : float
        Two-sided.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float


def corrected_resampled_test(sample: ArrayLike, *, test_to_train: float) -> PairedTest:
    """Test whether the differences over some splits have a mean other than zero.

    Parameters
    ----------
    sample : array-like of shape (m,)
        A difference for each split; m ≥ 2.
    test_to_train : float
        The number of test samples over the number of training samples of a split; 1/4 for
        five folds.

    Returns
    -------
    PairedTest
        With m − 1 degrees of freedom.

    Examples
    --------
    >>> corrected_resampled_test([0.1, 0.3, 0.2], test_to_train=0.25).p_value.__round__(3)
    0.12
    """
    sample = np.asarray(sample, dtype=float)
    if sample.ndim != 1 or sample.size < 2 or not np.isfinite(sample).all():
        raise ValueError(
            f"a test needs two differences or more, all finite; got the shape {sample.shape}"
        )
    inflation = np.sqrt(1.0 / sample.size + test_to_train)
    return two_sided_test(sample.mean(), inflation * sample.std(ddof=1), sample.size - 1)


def two_sided_test(numerator: float, spread: float, degrees_of_freedom: int) -> PairedTest:
    """Give the t-test of ``numerator / spread``, with the limits of the module's notes."""
    if abs(numerator) < _ZERO:
        return PairedTest(0.0, degrees_of_freedom, 1.0)
    if spread < _ZERO:
        return PairedTest(float(np.copysign(np.inf, numerator)), degrees_of_freedom, 0.0)
    statistic = float(numerator / spread)
    p_value = float(2.0 * stats.t.sf(abs(statistic), degrees_of_freedom))
    return PairedTest(statistic, degrees_of_freedom, p_value)
