"""The three classifiers of the study and the scores of a prediction."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from topofs_study.paper.splits import TrainTest

__all__ = ["CLASSIFIERS", "METRICS", "score_classifier"]

CLASSIFIERS = ("LinearSVM", "KNN", "DecisionTree")
"""Names of the classifiers, in the order of the paper's tables."""

METRICS = ("balanced_accuracy", "f1", "mcc")
"""Names of the scores: mean recall, macro F1, Matthews correlation."""


def score_classifier(
    classifier: str,
    split: TrainTest,
    train_columns: NDArray[np.intp],
    test_columns: NDArray[np.intp],
    *,
    metrics: tuple[str, ...] = METRICS,
) -> tuple[float, ...]:
    """Scale, fit on the training table and score on the test table.

    Parameters
    ----------
    classifier : str
        One of `CLASSIFIERS`.
    split : TrainTest
        The two tables.
    train_columns, test_columns : ndarray of int
        The selected columns of each table, in the order in which the classifier sees them.
    metrics : tuple of str
        Which scores to compute.

    Returns
    -------
    tuple of float
        The scores, in the order of `metrics`.
    """
    scaler = StandardScaler()
    X_train = scaler.fit_transform(split.X_train[:, train_columns])
    X_test = scaler.transform(split.X_test[:, test_columns])
    with warnings.catch_warnings():
        # Both are part of the study as it is: a solver stopped at its limit, and a
        # class that the small test part does not hold.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
        predicted = _estimator(classifier).fit(X_train, split.y_train).predict(X_test)
        return tuple(_score(metric, split.y_test, predicted) for metric in metrics)


def _estimator(classifier: str) -> Any:
    """Build a classifier with the settings of the study."""
    if classifier == "LinearSVM":
        return LinearSVC(max_iter=50_000, random_state=0)
    if classifier == "KNN":
        return KNeighborsClassifier()
    return DecisionTreeClassifier(random_state=0)


def _score(metric: str, y: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Compare a prediction with the truth."""
    if metric == "balanced_accuracy":
        return float(balanced_accuracy_score(y, predicted))
    if metric == "f1":
        return float(f1_score(y, predicted, average="macro", zero_division=0.0))
    return float(matthews_corrcoef(y, predicted))
