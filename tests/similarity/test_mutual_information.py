from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from tests.matrices import tables
from tests.naive.mixed import naive_mutual_information
from topofs import mutual_information, pearson
from topofs.similarity.base import dense
from topofs.similarity.mutual_information import mutual_information_operator


def naive_bins(x, n_bins):
    """Bins of equal counts by average rank; NaN is a bin of its own."""
    observed = ~np.isnan(x)
    n_observed = int(observed.sum())
    places = [
        (Fraction(rank) - Fraction(1, 2)) / n_observed for rank in stats.rankdata(x[observed])
    ]
    if n_bins % 2 == 0 and Fraction(1, 2) in places:
        n_bins += 1
    bins = np.full(len(x), n_bins)
    bins[observed] = [
        floor(place * n_bins) if 2 * place <= 1 else ceil(place * n_bins) - 1
        for place in places
    ]
    return bins


def naive_similarity(x, y, n_bins):
    a, b = naive_bins(x, n_bins), naive_bins(y, n_bins)
    d, e = len(np.unique(a)) - 1, len(np.unique(b)) - 1
    information = naive_mutual_information(a, b) - d * e / (2 * len(x))
    most = min(naive_mutual_information(a, a), naive_mutual_information(b, b))
    if most <= 0 or information <= 0:
        return 0.0
    return min(1.0, (1 - np.exp(-2 * information)) / (1 - np.exp(-2 * most)))


@pytest.mark.parametrize("n_bins", [2, 3, 4, 7])
@given(X=tables(missing=True, max_features=4))
def test_it_follows_the_definition(X, n_bins):
    found = mutual_information(X, n_bins=n_bins)
    for i in range(X.shape[1]):
        for j in range(i):
            expected = naive_similarity(X[:, i], X[:, j], n_bins)
            assert found[i, j] == pytest.approx(expected, abs=1e-9)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 1)


@pytest.mark.parametrize("n_bins", [None, 2, 4, 5, 254])
def test_the_sign_of_a_column_does_not_matter(n_bins):
    rng = np.random.default_rng(0)
    for table in range(200):
        X = rng.normal(size=(41, 4)).round(table % 3)
        X[:, 1] += X[:, 0]
        X[rng.random(X.shape) < 0.05 * (table % 2)] = np.nan
        found = mutual_information(X, n_bins=n_bins)
        flipped = mutual_information(X * [-1, 1, 1, -1], n_bins=n_bins)
        np.testing.assert_allclose(flipped, found, atol=1e-12)


def test_it_sees_what_a_correlation_does_not():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 600)
    X = np.column_stack([np.cos(angle), np.sin(angle), rng.normal(size=600)])
    assert pearson(X, squared=True)[0, 1] < 0.02
    found = mutual_information(X)
    assert found[0, 1] > 0.8
    assert found[0, 2] < 0.06


def test_for_normal_columns_it_is_near_the_squared_correlation():
    rng = np.random.default_rng(0)
    for rho in (0.3, 0.6, 0.8):
        X = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=4000)
        assert mutual_information(X)[0, 1] == pytest.approx(rho**2, abs=0.05)


def test_floors_let_noise_through_in_few_tables():
    rng = np.random.default_rng(0)
    passed = 0
    for _ in range(100):
        operator = mutual_information_operator(rng.normal(size=(200, 10)))
        left, right = np.triu_indices(10, k=1)
        passed += (dense(operator)[left, right] >= operator.floors(left, right)).any()
    assert passed <= 12


def test_blocks_do_not_depend_on_where_they_are_cut():
    X = np.random.default_rng(0).normal(size=(50, 12))
    operator = mutual_information_operator(X)
    whole = operator.block(slice(0, 12), slice(0, 12))
    np.testing.assert_array_equal(operator.block(slice(3, 7), slice(5, 12)), whole[3:7, 5:12])
    np.testing.assert_array_equal(whole, whole.T)


@pytest.mark.parametrize("n_bins", [1, 0, 256, 2.5, True, "4"])
def test_impossible_bins_are_refused(n_bins):
    with pytest.raises(ValueError, match="whole number from 2 to 255"):
        mutual_information(np.ones((3, 2)), n_bins=n_bins)


def test_many_bins_and_missing_values_fit_in_a_byte():
    X = np.random.default_rng(0).normal(size=(600, 2))
    X[0, 0] = np.nan
    assert 0 <= mutual_information(X, n_bins=255)[0, 1] <= 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_its_type_is_the_one_that_memory_is_counted_by(dtype):
    operator = mutual_information_operator(np.eye(6, 4, dtype=dtype), n_bins=3)
    found = dense(operator)
    assert operator.dtype == operator.block(slice(0, 2), slice(0, 2)).dtype == found.dtype
    assert operator.dtype.itemsize == 8
