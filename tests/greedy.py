"""The greedy kernel by itself: all nodes in one turn, those chosen first."""

import numpy as np

from topofs.kernels.greedy import Turns, greedy_cover
from topofs.rules.greedy import limits_of
from topofs.rules.wishes import Wishes

NOBODY = np.empty(0, dtype=np.int64)


def greedy(reach, chosen=NOBODY):
    """Order and gains of all nodes."""
    kernel = reach.kernel
    n = len(kernel.starts) - 1
    turns = Turns(np.sort(chosen), np.setdiff1d(np.arange(n), chosen), NOBODY, 0, np.arange(n))
    limits = limits_of(Wishes.none(n))
    return greedy_cover(kernel, turns, limits, np.empty(n, np.int64))[:2]
