r"""MCFS and SPEC: columns that follow the smooth directions of the graph of rows.

Both start from the nearest neighbours of standardised rows and the eigenvectors
:math:`u_2 … u_{m+1}` of the normalised Laplacian with the smallest eigenvalues
:math:`\lambda_2 ≤ …` after the trivial one.

- MCFS regresses each :math:`D^{-1/2} u_k` on the columns by least angle regression; a column's
  score is its largest coefficient. Columns without any follow by their largest correlation with a
  direction.
- SPEC's third score is :math:`\sum_k (2 - \lambda_k) \cos^2(D^{1/2} f, u_k)`. (Its second one is
  the Laplacian score of the same graph, which takes part under that name.)

References
----------
D. Cai, C. Zhang and X. He, "Unsupervised feature selection for multi-cluster data", KDD 2010.
Z. Zhao and H. Liu, "Spectral feature selection for supervised and unsupervised learning",
ICML 2007.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.linalg import eigsh
from sklearn.linear_model import lars_path

from topofs_study.benchmark.laplacian import heat_kernel
from topofs_study.benchmark.rivals.unit_columns import unit_columns

if TYPE_CHECKING:
    import numpy.typing as npt

    Doubles = npt.NDArray[np.float64]

__all__ = ["mcfs_order", "spec_order"]

_NEIGHBOURS = 5
_DIRECTIONS = 5


def mcfs_order(X: npt.NDArray[np.floating[Any]], size: int) -> npt.NDArray[np.intp]:
    """Order columns by their largest coefficient in sparse regressions of five directions.

    Each regression gives at most `size` columns a coefficient.
    """
    units = unit_columns(X)
    _, directions, degrees = _smooth_directions(units)
    targets = unit_columns(directions / np.sqrt(degrees)[:, None])
    steps = min(size, min(units.shape) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # columns that no longer help are dropped
        scores = [
            np.abs(lars_path(units, target, method="lar", max_iter=steps, return_path=False)[2])
            for target in targets.T
        ]
    # Ties, which are zeros, go by correlation: lexsort looks at its last key first.
    return np.lexsort((-np.abs(units.T @ targets).max(axis=1), -np.max(scores, axis=0)))


def spec_order(X: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.intp]:
    """Order columns by SPEC's third score with five directions."""
    units = unit_columns(X)
    values, directions, degrees = _smooth_directions(units)
    weighted = units * np.sqrt(degrees)[:, None]
    weighted /= np.linalg.norm(weighted, axis=0)
    scores = (2.0 - values) @ (directions.T @ weighted) ** 2
    return np.argsort(-scores, kind="stable")


def _smooth_directions(units: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Eigenvalues, eigenvectors of the normalised Laplacian, and the degrees of the rows."""
    rows = units * np.sqrt(len(units))
    kernel, degrees = heat_kernel(rows, _NEIGHBOURS)
    scale = diags_array(1.0 / np.sqrt(degrees))
    smooth = scale @ kernel.tocsr() @ scale
    wanted = min(_DIRECTIONS + 1, len(rows) - 1)
    start = np.random.default_rng(0).standard_normal(len(rows))
    values, vectors = eigsh(smooth, k=wanted, which="LA", v0=start)
    order = np.argsort(-values)[1:]
    return 1.0 - values[order], vectors[:, order], degrees
