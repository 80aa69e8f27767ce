r"""What some columns of a table are worth on rows that were not seen.

Everything is fitted to the training part of a split, whose standardisation is used throughout:

- ``LinearSVM``, ``KNN``: balanced accuracy of a linear support vector machine and of the five
  nearest neighbours;
- ``rebuilt``: the share of the variance of all columns that ridge regression on the chosen ones
  rebuilds, :math:`1 - \sum (z - \hat z)^2 / \sum z^2`; one penalty for all columns, of 1 to
  10⁵, by generalised cross-validation on the training part;
- ``neighbours``: the share of the ten nearest training rows in all columns that are among the
  ten nearest in the chosen ones.

The linear support vector machine is exact and quick for few columns and many classes. For each
class against the others, with labels :math:`y_i = ±1`, rows :math:`x_i` and a constant as one more
column, it minimises

.. math:: \tfrac12 \lVert w \rVert^2 + C \sum_i \max(0, 1 - y_i\, w \cdot x_i)^2,

the problem of scikit-learn's `LinearSVC` with its settings. That is a smooth, strictly convex
function made of quadratic pieces, so Newton's method ends at the very minimum after a few
steps, where liblinear stops at a tolerance after many.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs_study.paper.splits import TrainTest

    Doubles = npt.NDArray[np.float64]
    Columns = npt.NDArray[np.intp]


CLASSIFIERS = ("LinearSVM", "KNN")
"""The learners."""

MEASURES = ("rebuilt", "neighbours")
"""What is measured without labels."""

_VOTERS = 5
_NEIGHBOURS = 10
_TINY = 1e-9
_PENALTIES = np.logspace(0, 5, 11)


@dataclass(frozen=True, eq=False)
class UnseenRows:
    """A split, standardised once, on which subsets of the columns are scored."""

    split: TrainTest

    @cached_property
    def tables(self) -> tuple[Doubles, Doubles]:
        """Both parts, standardised as the training part says."""
        scaler = StandardScaler()
        train = scaler.fit_transform(self.split.X_train)
        return train, scaler.transform(self.split.X_test)

    def score(self, classifier: str, columns: Columns) -> float:
        """Give the balanced accuracy of a learner."""
        if classifier == "LinearSVM":
            train, test = (part[:, columns] for part in self.tables)
            return self._accuracy(predict_classes(train, self.split.y_train, test))
        return self._accuracy(self._vote(self._nearest(columns)))

    def everything(self, columns: Columns) -> tuple[dict[str, float], dict[str, float]]:
        """Give the accuracies, and what needs no labels."""
        nearest = self._nearest(columns)
        accuracies = {
            "LinearSVM": self.score("LinearSVM", columns),
            "KNN": self._accuracy(self._vote(nearest)),
        }
        same = nearest[:, :, None] == self._nearest_in_all[:, None, :]
        shared = float(same.any(axis=2).mean())
        return accuracies, {"rebuilt": self._rebuilt(columns), "neighbours": shared}

    @cached_property
    def _nearest_in_all(self) -> Columns:
        return self._nearest(np.arange(self.split.X_train.shape[1]))

    def _nearest(self, columns: Columns) -> Columns:
        """The nearest training rows of each test row, nearest first."""
        train, test = (np.ascontiguousarray(part[:, columns]) for part in self.tables)
        wanted = min(_NEIGHBOURS, len(train))
        search = NearestNeighbors(n_neighbors=wanted, algorithm="brute").fit(train)
        found: Columns = search.kneighbors(test, return_distance=False)
        return found

    def _vote(self, nearest: Columns) -> npt.NDArray[Any]:
        """The most frequent class of the first five; the first of equally frequent ones."""
        names, codes = np.unique(self.split.y_train, return_inverse=True)
        votes = codes[nearest[:, :_VOTERS], None] == np.arange(len(names))
        return np.asarray(names[votes.sum(axis=1).argmax(axis=1)])

    def _accuracy(self, predicted: npt.NDArray[Any]) -> float:
        with warnings.catch_warnings():
            # A small test part need not hold every class.
            warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
            return float(balanced_accuracy_score(self.split.y_test, predicted))

    def _rebuilt(self, columns: Columns) -> float:
        train, test = self.tables
        chosen = train[:, columns]
        squares, turns = np.linalg.eigh(chosen.T @ chosen)
        squares = np.maximum(squares, 0.0)
        common = turns.T @ (chosen.T @ train)
        # Of the training variance, direction i explains own[i]; the ridge takes shares of it.
        own = (common**2).sum(axis=1) / np.maximum(squares, _TINY)
        kept = squares / (squares + _PENALTIES[:, None])
        missed = np.vdot(train, train) - ((1 - (1 - kept) ** 2) * own).sum(axis=1)
        freedom = 1.0 - (kept.sum(axis=1) + 1.0) / len(train)
        penalty = _PENALTIES[(missed / freedom**2).argmin()]
        weights = turns @ (common / (squares + penalty)[:, None])
        wrong = test - test[:, columns] @ weights
        return float(1.0 - np.vdot(wrong, wrong) / np.vdot(test, test))


_MOST_STEPS = 100
_HALVINGS = 30


def predict_classes(
    train: Doubles, classes: npt.NDArray[Any], test: Doubles, *, penalty: float = 1.0
) -> npt.NDArray[Any]:
    """Fit the machine to some rows and predict the classes of others.

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
