"""Round away what the order of summation leaves in a score."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["significant"]

_DIGITS = 12


def significant(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round each score to twelve significant digits.

    Nodes in the same place of a graph have the same score by definition, but sums in another
    order give it other last bits; rounded, they tie, and ties have a rule.

    Parameters
    ----------
    scores : array of float64
        Scores whose rounding error is far below 1e-12 of their size.

    Returns
    -------
    array of float64

    Examples
    --------
    >>> import numpy as np
    >>> significant(np.array([0.1 + 0.2, 0.3, 0.0])).tolist()
    [0.3, 0.3, 0.0]
    """
    return np.array([float(f"{score:.{_DIGITS - 1}e}") for score in scores.tolist()])
