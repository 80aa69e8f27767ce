r"""Greedy column subset selection: each next column explains most of what is left of all columns.

With E the columns minus what the chosen ones explain by least squares and :math:`K = E^T E`, it
is the column with the largest

.. math:: \frac{\sum_i K_{ij}^2}{K_{jj}} = \frac{\lVert E^T e_j \rVert^2}{\lVert e_j \rVert^2}.

After column l is chosen, :math:`\omega = K_{\cdot l} / \sqrt{K_{ll}}` updates numerator and
denominator of every column in O(n·S), and K itself is never needed.

References
----------
A. K. Farahat, A. Ghodsi and M. S. Kamel, "An efficient greedy method for unsupervised feature
selection", ICDM 2011.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topofs_study.benchmark.rivals.sweeps import in_sweeps
from topofs_study.benchmark.rivals.unit_columns import in_fewest_rows, unit_columns

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["greedy_subset_order"]

_NOTHING = 1e-9


def greedy_subset_order(X: npt.NDArray[np.floating[Any]], size: int) -> npt.NDArray[np.intp]:
    """Order standardised columns by what each adds to the variance that is explained.

    After `size` of them the others follow as they stand.

    Examples
    --------
    The second column is the sum of the others.

    >>> X = np.array([[1.0, 1, 0], [-1, -1, 0], [0, 1, 1], [0, -1, -1]])
    >>> int(greedy_subset_order(X, 1)[0])
    1
    """
    return in_sweeps(_one_sweep, in_fewest_rows(unit_columns(X)), size)


def _one_sweep(units: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.intp]:
    """Choose until nothing is left to explain."""
    rows = units @ units.T
    explains = np.einsum("ij,ij->j", units, rows @ units)
    left = np.ones(units.shape[1])
    steps: list[npt.NDArray[np.float64]] = []
    chosen: list[int] = []
    while len(chosen) < size:
        possible = left > _NOTHING
        if not possible.any():
            break
        gains = np.full(len(left), -np.inf)
        gains[possible] = explains[possible] / left[possible]
        best = int(gains.argmax())
        done = np.array(steps).reshape(-1, len(left))
        step = units.T @ units[:, best] - done.T @ done[:, best]
        step /= np.sqrt(step[best])
        through = units.T @ (units @ step) - done.T @ (done @ step)
        explains += step * (step @ step * step - 2 * through)
        left -= step**2
        left[best] = 0.0
        steps.append(step)
        chosen.append(best)
    return np.array(chosen, dtype=np.intp)
