"""What some columns say about the others: a Gaussian model given values of some columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.kernels.elimination import eliminate, selected_variances, solve, take_product

if TYPE_CHECKING:
    from topofs.models.elimination import Elimination

__all__ = ["Conditional", "conditional_moments"]

Doubles = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Conditional:
    """Mean and variance of the columns that are not known, given those that are.

    Attributes
    ----------
    columns : array of int, shape (n_others,)
        The columns that are not known, ascending.
    mean : array of float64, shape (n_others,) or (n_rows, n_others)
        Their means, for each row of values that was given.
    variance : array of float64, shape (n_others,)
        Their variances, which do not depend on the values.
    share : array of float64, shape (n_others,)
        The share of their variance that the known columns explain.
    """

    columns: IntArray
    mean: Doubles
    variance: Doubles
    share: Doubles


def conditional_moments(
    elimination: Elimination,
    diagonal: Doubles,
    beside: Doubles,
    known: IntArray,
    deviations: Doubles,
) -> tuple[Doubles, Doubles]:
    r"""Condition a Gaussian of mean 0 whose precision J lies on a chordal graph.

    .. math:: E[x_u \mid x_k] = -J_{uu}^{-1} J_{uk} x_k, \qquad
              \operatorname{Var}[x_u \mid x_k] = J_{uu}^{-1}.

    Parameters
    ----------
    elimination : Elimination
        The graph.
    diagonal, beside : arrays of float64
        J, as `topofs.kernels.elimination.information` gives it.
    known : array of int
        The columns that are known.
    deviations : array of float64, shape (n_rows, n_known)
        Their values.

    Returns
    -------
    mean : array of float64, shape (n_rows, n_columns)
        Of every column; the values of the known ones are 0 here.
    variance : array of float64, shape (n_columns,)
        The diagonal of :math:`J_{uu}^{-1}`; 0 for known columns.
    """
    n = len(elimination.order)
    place = np.empty(n, dtype=np.int64)
    place[elimination.order] = np.arange(n)
    is_known = np.zeros(n, dtype=np.bool_)
    is_known[place[known]] = True
    given = np.zeros((n, len(deviations)))
    given[place[known]] = deviations.T
    pivots, factor, found = diagonal.copy(), beside.copy(), np.zeros_like(given)
    take_product(elimination.parents, beside, given, is_known, found)
    eliminate(elimination.parents, pivots, factor, is_known)
    solve(elimination.parents, pivots, factor, is_known, found)
    variance = selected_variances(elimination.parents, pivots, factor, is_known)
    return found[place].T, variance[place]
