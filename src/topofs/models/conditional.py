"""What some columns say about the others: a Gaussian model given values of some columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.kernels.elimination import absorb, predict, to_covariances

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
    slopes: Doubles,
    spread: Doubles,
    known: IntArray,
    others: IntArray,
    deviations: Doubles,
) -> tuple[Doubles, Doubles]:
    """Condition a Gaussian of mean 0 that is one regression a node on a chordal graph.

    Parameters
    ----------
    elimination : Elimination
        The graph.
    slopes, spread : arrays of float64
        The regressions of the nodes on their parents.
    known, others : arrays of int
        The columns that are known, and those that are not.
    deviations : array of float64, shape (n_rows, n_known)
        Values of the known ones.

    Returns
    -------
    mean, variance : arrays of float64, shapes (n_rows, n_others) and (n_others,)
    """
    parents, place = elimination.parents, elimination.place
    is_known = np.zeros(len(place), dtype=np.bool_)
    is_known[place[known]] = True
    x = np.zeros((len(place), len(deviations)))
    x[place[known]] = deviations.T
    slopes, variance = absorb(parents, slopes, spread, is_known, x)
    predict(parents, slopes, is_known, x)
    to_covariances(parents, slopes, variance)
    asked = place.take(others)
    return x.take(asked, axis=0).T, variance.take(asked)
