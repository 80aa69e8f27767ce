"""Each column regressed on its neighbours before it: a sparse Gaussian, clique by clique."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from topofs.models.elimination import Elimination

__all__ = ["clique_regressions", "dense_covariance"]

Doubles = npt.NDArray[np.float64]

# Entries of the table that are copied at a time.
_ENTRIES = 2**22
# What rounding leaves of the variance of a column that its neighbours give exactly.
_NOTHING = 1e-13


def clique_regressions(
    standardised: Doubles, elimination: Elimination, factor: float
) -> tuple[Doubles, Doubles]:
    """Regress every standardised column on its parents, correlations multiplied by `factor`.

    Gives the slopes (n, width), 0 where there is no parent, and the variance that is left, 0
    where rounding alone is left; both in the order of insertion.
    """
    order, parents = elimination.order, elimination.parents
    n, width = parents.shape
    slopes, spread = np.zeros((n, width)), np.ones(n)
    columns = np.ascontiguousarray(standardised.T)
    step = max(1, _ENTRIES // ((width + 1) * columns.shape[1]))
    for first in range(0, n if width else 0, step):
        some = slice(first, first + step)
        places = np.column_stack([np.arange(n)[some], parents[some]])
        missing = places < 0
        cliques = columns[order[places]]
        correlation = cliques @ cliques.transpose(0, 2, 1) * (factor / columns.shape[1])
        correlation[missing[:, :, None] | missing[:, None, :]] = 0.0
        correlation[:, np.arange(width + 1), np.arange(width + 1)] = 1.0
        among, to = correlation[:, 1:, 1:], correlation[:, 1:, 0]
        slopes[some] = np.linalg.solve(_kept_regular(among), to[..., None])[..., 0]
        spread[some] = 1.0 - np.einsum("ij,ij->i", slopes[some], to)
    spread[spread < _NOTHING] = 0.0
    return slopes, spread


def _kept_regular(matrices: Doubles) -> Doubles:
    """The same matrices, with the identity where one is singular: such parents are refused."""
    sign, size = np.linalg.slogdet(matrices)
    singular = (sign <= 0) | (size < np.log(_NOTHING))
    return np.where(singular[:, None, None], np.eye(matrices.shape[1]), matrices)


def dense_covariance(elimination: Elimination, slopes: Doubles, spread: Doubles) -> Doubles:
    """Fill the covariance row by row (the parents' rows times the slopes); in order of columns."""
    n = len(spread)
    covariance = np.zeros((n, n))
    for p in range(n):
        parents = elimination.parents[p]
        parents = parents[parents >= 0]
        coefficients = slopes[p, : len(parents)]
        row = coefficients @ covariance[parents, :p]
        covariance[p, :p] = covariance[:p, p] = row
        covariance[p, p] = spread[p] + coefficients @ row[parents]
    return covariance[np.ix_(elimination.place, elimination.place)]
