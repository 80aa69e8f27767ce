"""The loops behind the rule "variance"."""

import numpy as np
import pytest

from topofs._kernels.column_products import deflate_rows, two_products


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_two_products(dtype):
    rng = np.random.default_rng(0)
    rows, vectors = rng.normal(size=(7, 9)).astype(dtype), rng.normal(size=(2, 9))
    products = np.zeros((2, 7))
    two_products(rows, vectors, products, 2, 6)
    expected = vectors @ rows.astype(np.float64).T
    np.testing.assert_allclose(products[:, 2:6], expected[:, 2:6], rtol=1e-12)
    assert not products[:, [0, 1, 6]].any()


def test_deflation():
    rng = np.random.default_rng(0)
    covariance, direction, squares = rng.normal(size=(6, 6)), rng.normal(size=6), np.zeros(6)
    expected = covariance - np.outer(direction, direction)
    expected[[0, 5]] = covariance[[0, 5]]
    deflate_rows(covariance, direction, squares, 1, 5)
    np.testing.assert_allclose(covariance, expected)
    np.testing.assert_allclose(squares[1:5], (expected**2).sum(axis=1)[1:5])
    assert not squares[[0, 5]].any()
