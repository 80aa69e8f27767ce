"""Round away what the order of summation leaves in a score."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["significant"]

_DIGITS = 12


def significant(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round each score to twelve significant digits, far above the rounding error of its sums.

    Nodes in the same place of a graph have the same score by definition, but sums in another
    order give it other last bits; rounded, they tie, and ties have a rule.
    """
    return np.array([float(f"{score:.{_DIGITS - 1}e}") for score in scores.tolist()])
