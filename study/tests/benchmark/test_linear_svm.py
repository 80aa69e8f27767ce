"""The linear machine against scikit-learn's, driven to its limit."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from topofs_study.benchmark.unseen_rows import predict_classes

WIDE = make_classification(60, 150, n_informative=20, n_classes=3, random_state=0)
TWO = make_classification(200, 12, flip_y=0.2, random_state=1)


@pytest.mark.parametrize(
    "table", [load_iris(return_X_y=True), load_wine(return_X_y=True), WIDE, TWO]
)
def test_it_predicts_what_liblinear_does(table):
    X, y = StandardScaler().fit_transform(table[0]), table[1]
    train, test = np.arange(len(y)) % 3 != 0, np.arange(len(y)) % 3 == 0
    machine = LinearSVC(dual=False, tol=1e-10, max_iter=10_000).fit(X[train], y[train])
    found = predict_classes(X[train], y[train], X[test])
    assert found.tolist() == machine.predict(X[test]).tolist()


def test_equal_rows_of_two_classes_do_not_stop_it():
    X = np.repeat(np.array([[1.0, 0.0], [0.0, 1.0]]), 4, axis=0)
    y = np.array(list("aaabbbbb"))
    assert predict_classes(X, y, X[[0, 7]]).tolist() == ["a", "b"]
