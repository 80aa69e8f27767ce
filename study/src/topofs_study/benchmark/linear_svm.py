r"""A linear support vector machine, exactly and quickly, for few columns and many classes.

For each class against the others, with labels :math:`y_i = ±1`, rows :math:`x_i` and a constant
as one more column, the machine minimises

.. math:: \tfrac12 \lVert w \rVert^2 + C \sum_i \max(0, 1 - y_i\, w \cdot x_i)^2,

the problem of scikit-learn's `LinearSVC` with its settings. It is a smooth, strictly convex
function made of quadratic pieces, so Newton's method ends at the very minimum after a few
steps, where liblinear stops at a tolerance after many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

if TYPE_CHECKING:
    import numpy.typing as npt

    Doubles = npt.NDArray[np.float64]

__all__ = ["predict_classes"]

_MOST_STEPS = 100
_HALVINGS = 30


def predict_classes(
    train: Doubles, classes: npt.NDArray[Any], test: Doubles, *, penalty: float = 1.0
) -> npt.NDArray[Any]:
    """Fit the machine to some rows and predict the classes of others.

    Parameters
    ----------
    train, test : array, shape (n_rows, n_columns)
        Standardised columns.
    classes : array, shape (n_train,)
        Of the rows to learn from.
    penalty : float, default=1.0
        The factor C.

    Returns
    -------
    array, shape (n_test,)

    Examples
    --------
    >>> train = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> predict_classes(train, np.array(["a", "a", "b", "b"]), np.array([[-3.0], [0.5]]))
    array(['a', 'b'], dtype='<U1')
    """
    names, codes = np.unique(classes, return_inverse=True)
    rows, unseen = _with_constant(train), _with_constant(test)
    if rows.shape[1] > rows.shape[0]:
        # The minimum lies in the span of the rows: turn to coordinates within it.
        directions, coordinates = np.linalg.qr(rows.T)
        rows, unseen = np.ascontiguousarray(coordinates.T), unseen @ directions
    against = np.where(codes[:, None] == np.arange(len(names)), 1.0, -1.0)
    if len(names) == 2:
        against = against[:, 1:]
    start = np.linalg.solve(_curvature(rows, penalty), 2 * penalty * rows.T @ against)
    weights = np.column_stack(
        [_minimum(rows, y, w, penalty) for y, w in zip(against.T, start.T, strict=True)]
    )
    margins = unseen @ weights
    found = (margins[:, 0] > 0).astype(int) if len(names) == 2 else margins.argmax(axis=1)
    return np.asarray(names[found])


def _with_constant(rows: Doubles) -> Doubles:
    return np.column_stack([rows, np.ones(len(rows))])


def _curvature(rows: Doubles, penalty: float) -> Doubles:
    """The second derivative where exactly these rows are within the margin."""
    found: Doubles = 2 * penalty * (rows.T @ rows)
    found[np.diag_indices_from(found)] += 1.0
    return found


def _minimum(rows: Doubles, y: Doubles, weights: Doubles, penalty: float) -> Doubles:
    """Go from minimum to minimum of the quadratic pieces until one lies within its own piece."""
    short = 1.0 - y * (rows @ weights)
    for _ in range(_MOST_STEPS):
        active = short > 0
        piece = cho_factor(_curvature(rows[active], penalty), check_finite=False)
        step = cho_solve(piece, 2 * penalty * rows[active].T @ y[active]) - weights
        change = -y * (rows @ step)
        if np.array_equal(short + change > 0, active):
            return np.asarray(weights + step)
        length = _step_length(weights, step, short, change, penalty)
        if length == 0.0:  # what is left is rounding
            break
        weights, short = weights + length * step, short + length * change
    return weights


def _step_length(
    weights: Doubles, step: Doubles, short: Doubles, change: Doubles, penalty: float
) -> float:
    """Halve a step until it goes down."""

    def height(length: float) -> float:
        beyond = np.maximum(short + length * change, 0.0)
        moved = weights + length * step
        return float(0.5 * moved @ moved + penalty * beyond @ beyond)

    here, length = height(0.0), 1.0
    for _ in range(_HALVINGS):
        if height(length) < here:
            return length
        length /= 2
    return 0.0
