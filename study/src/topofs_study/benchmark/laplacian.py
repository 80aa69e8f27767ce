r"""The Laplacian score of He, Cai and Niyogi: columns that vary little between neighbours.

Rows are joined to their k nearest neighbours (either way round) with the heat kernel

.. math:: S_{ij} = \exp(-\lVert x_i - x_j \rVert^2 / t),

and with :math:`D = \mathrm{diag}(S 1)`, :math:`L = D - S` and
:math:`\tilde f = f - \frac{f^T D 1}{1^T D 1} 1` the score of a column f is

.. math:: \frac{\tilde f^T L \tilde f}{\tilde f^T D \tilde f},

low for a column that keeps the neighbourhoods of the table. Distances are between rows whose
columns are standardised, so that units play no part; t is the mean squared length of the edges.

References
----------
X. He, D. Cai and P. Niyogi, "Laplacian score for feature selection", NIPS 18, 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

if TYPE_CHECKING:
    from scipy.sparse import coo_array

__all__ = ["heat_kernel", "laplacian_scores"]


def laplacian_scores(
    X: npt.NDArray[np.floating[Any]], *, n_neighbors: int = 5
) -> npt.NDArray[np.float64]:
    """Score each column; the lower, the better it keeps the neighbourhoods.

    Parameters
    ----------
    X : array, shape (n_samples, n_features)
        A table without missing values whose columns all vary.
    n_neighbors : int, default=5
        Neighbours of each row; with fewer other rows, all of them.

    Returns
    -------
    array of float, shape (n_features,)
        In [0, 2].

    Examples
    --------
    The first column tells two groups of rows apart; the second cuts through both.

    >>> X = np.array([[0.0, 1.0], [0.1, 2.0], [0.2, 3.0], [9.0, 1.0], [9.1, 2.0], [9.2, 3.0]])
    >>> scores = laplacian_scores(X, n_neighbors=2)
    >>> bool(scores[0] < scores[1])
    True
    """
    table = StandardScaler().fit_transform(np.asarray(X, dtype=np.float64))
    kernel, degrees = heat_kernel(table, n_neighbors)
    centred = table - (degrees @ table) / degrees.sum()
    spread = degrees @ centred**2
    smooth = (centred * (kernel @ centred)).sum(axis=0)
    return np.asarray(1.0 - smooth / spread)


def heat_kernel(
    rows: npt.NDArray[np.float64], n_neighbors: int
) -> tuple[coo_array, npt.NDArray[np.float64]]:
    """Join rows to their nearest neighbours; the sparse matrix S and its row sums."""
    neighbors = min(n_neighbors, len(rows) - 1)
    joined = kneighbors_graph(rows, neighbors, mode="connectivity")
    kernel = joined.maximum(joined.T).tocoo()
    # Equal rows are at distance 0 and joined most strongly, so lengths come after the edges.
    squares = ((rows[kernel.row] - rows[kernel.col]) ** 2).sum(axis=1)
    width = squares.mean() if squares.size and squares.mean() > 0 else 1.0
    kernel.data = np.exp(-squares / width)
    return kernel, np.asarray(kernel.sum(axis=1)).ravel()
