"""The Laplacian score against its formula."""

import numpy as np
import pytest

from study.tests.naive.laplacian import laplacian_scores as naive_scores
from topofs_study.benchmark.rivals import laplacian_scores


@pytest.mark.parametrize("n_neighbors", [1, 3, 5])
def test_it_is_the_quotient_of_the_paper(n_neighbors):
    X = np.random.default_rng(0).normal(size=(30, 8)) * np.arange(1, 9)
    found = laplacian_scores(X, n_neighbors=n_neighbors)
    np.testing.assert_allclose(found, naive_scores(X, n_neighbors), rtol=1e-10)


def test_a_column_that_follows_the_clusters_is_best():
    random = np.random.default_rng(1)
    groups = np.repeat([0.0, 1.0], 20)
    noise = random.normal(size=(40, 2))
    X = np.column_stack([noise[:, 0], 50 * groups + noise[:, 1], 50 * groups])
    assert laplacian_scores(X).argmax() == 0


def test_units_play_no_part():
    X = np.random.default_rng(2).normal(size=(20, 4))
    scaled = X * [1, 10, 100, 1000] + 5
    np.testing.assert_allclose(laplacian_scores(scaled), laplacian_scores(X), rtol=1e-9)


def test_fewer_rows_than_neighbours():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]])
    np.testing.assert_allclose(laplacian_scores(X), naive_scores(X, 2), rtol=1e-12)


def test_equal_rows_are_joined_most_strongly():
    random = np.random.default_rng(3)
    pairs = np.repeat(random.normal(size=(6, 4)), 2, axis=0)
    X = np.vstack([pairs, random.normal(size=(5, 4))])
    found = laplacian_scores(X, n_neighbors=1)
    np.testing.assert_allclose(found, naive_scores(X, 1), rtol=1e-10)
    two = np.repeat(random.normal(size=(2, 3)), 6, axis=0)
    assert np.isfinite(laplacian_scores(two)).all()
