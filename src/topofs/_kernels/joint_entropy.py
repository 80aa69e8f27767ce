"""Entropies of pairs of binned columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topofs._kernels.compiler import njit
from topofs.typing import Doubles

# Entropies are rounded to a multiple of 1 / ROUNDING, which hides the order of their sums.
ROUNDING = 2.0**40


@njit(cache=True, nogil=True)
def joint_entropies(
    left: npt.NDArray[np.uint8], right: npt.NDArray[np.uint8], terms: Doubles, out: Doubles
) -> None:
    """Write the entropy of the cells of every pair of a left and a right column.

    Rows hold the bin of each sample; a cell of c samples adds ``terms[c]``, and ``terms[0]`` is
    0. Counting takes one step per sample of a pair; a product of one-hot rows takes one per
       cell. Invariant: every entry of ``counts`` is 0 before a pair, because cells are cleared
       as they are read. Rounding hides the order in which cells were summed, which changes if
       left and right are exchanged.
    """
    n_samples = left.shape[1]
    counts = np.zeros((256, 256), np.int64)
    for i in range(left.shape[0]):
        most_left = int(left[i].max()) + 1
        for j in range(right.shape[0]):
            for sample in range(n_samples):
                counts[left[i, sample], right[j, sample]] += 1
            most_right = int(right[j].max()) + 1
            total = 0.0
            for a in range(most_left):
                for b in range(most_right):
                    total += terms[counts[a, b]]
                    counts[a, b] = 0
            out[i, j] = np.rint(total * ROUNDING) / ROUNDING
