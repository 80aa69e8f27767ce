"""Scores of a subset, each against a plain computation."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from topofs_study.benchmark.plan import varying_split
from topofs_study.benchmark.unseen_rows import UnseenRows

SPLIT, _ = varying_split(*load_wine(return_X_y=True), 0)
UNSEEN = UnseenRows(SPLIT)
SCALER = StandardScaler().fit(SPLIT.X_train)
TRAIN, TEST = SCALER.transform(SPLIT.X_train), SCALER.transform(SPLIT.X_test)
COLUMNS = np.array([0, 3, 6, 9])


def test_nearest_neighbours_vote_as_in_scikit_learn():
    voters = KNeighborsClassifier().fit(TRAIN[:, COLUMNS], SPLIT.y_train)
    expected = balanced_accuracy_score(SPLIT.y_test, voters.predict(TEST[:, COLUMNS]))
    assert UNSEEN.everything(COLUMNS)[0]["KNN"] == UNSEEN.score("KNN", COLUMNS) == expected


def test_shared_neighbours():
    def nearest(columns, row):
        return set(np.linalg.norm(TRAIN[:, columns] - row[columns], axis=1).argsort()[:10])

    everything = np.arange(TRAIN.shape[1])
    shared = [len(nearest(COLUMNS, row) & nearest(everything, row)) / 10 for row in TEST]
    assert UNSEEN.everything(COLUMNS)[1]["neighbours"] == pytest.approx(np.mean(shared))
    assert UNSEEN.everything(everything)[1]["neighbours"] == 1.0


def test_the_ridge_has_the_penalty_of_generalised_cross_validation():
    def fitted(penalty):
        ridge = Ridge(alpha=penalty).fit(TRAIN[:, COLUMNS], TRAIN)
        A = TRAIN[:, COLUMNS]
        hat = A @ np.linalg.solve(A.T @ A + penalty * np.eye(len(COLUMNS)), A.T)
        missed = np.sum((TRAIN - ridge.predict(A)) ** 2)
        return missed / (1 - (np.trace(hat) + 1) / len(A)) ** 2, ridge

    ridge = min((fitted(p) for p in np.logspace(0, 5, 11)), key=lambda pair: pair[0])[1]
    wrong = TEST - ridge.predict(TEST[:, COLUMNS])
    expected = 1 - np.sum(wrong**2) / np.sum(TEST**2)
    assert UNSEEN.everything(COLUMNS)[1]["rebuilt"] == pytest.approx(expected)
