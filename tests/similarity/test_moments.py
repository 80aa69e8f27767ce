"""Moments of rows: merged in any order, they give the correlations of the whole table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive.similarity import naive_pearson
from topofs import pearson
from topofs.similarity.base import dense
from topofs.similarity.moments import MomentCorrelation, merged, moments_of


def in_parts(X, cuts, seed):
    """The moments of the parts of a table, merged in a random order."""
    parts = np.split(X, sorted(cuts))
    order = np.random.default_rng(seed).permutation(len(parts))
    return merged(moments_of(np.ascontiguousarray(parts[i].T)) for i in order)


def correlation(moments, dtype=np.float64):
    everyone = np.arange(moments.n_features)
    return dense(MomentCorrelation(moments=moments.select(everyone), dtype=np.dtype(dtype)))


def naive_sums(X):
    """m, s, q and G of all pairs, one pair at a time."""
    n = X.shape[1]
    m, s, q, G = np.zeros((4, n, n))
    for i in range(n):
        for j in range(n):
            both = ~np.isnan(X[:, i]) & ~np.isnan(X[:, j])
            x, y = X[both, i], X[both, j]
            m[i, j], s[i, j], q[i, j], G[i, j] = len(x), sum(x), sum(x * x), sum(x * y)
    return m, s, q, G


@st.composite
def tables(draw, *, whole, gaps):
    seed, n_rows, n = (
        draw(st.integers(0, 10**6)),
        draw(st.integers(2, 60)),
        draw(st.integers(2, 6)),
    )
    rng = np.random.default_rng(seed)
    X = (
        rng.integers(-9, 10, (n_rows, n)).astype(float)
        if whole
        else rng.normal(size=(n_rows, n))
    )
    X[:, 0] += draw(st.sampled_from([0.0, 1e6, -(2.0**30)]))
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    cuts = draw(st.lists(st.integers(0, n_rows), max_size=7))
    return X, cuts, seed


@settings(max_examples=60, deadline=None)
@given(tables(whole=True, gaps=True))
def test_sums_of_whole_numbers_are_exact(drawn):
    X, cuts, seed = drawn
    found = in_parts(X, cuts, seed)
    m, s, q, G = naive_sums(X - found.centre)
    counts, sums, squares = (
        np.broadcast_to(part, G.shape) for part in (found.counts, found.sums, found.squares)
    )
    assert (counts == m).all()
    assert (sums == s).all()
    assert (squares == q).all()
    assert (found.products == G).all()


@settings(max_examples=60, deadline=None)
@given(st.booleans().flatmap(lambda gaps: tables(whole=True, gaps=gaps)))
def test_whole_numbers_give_the_bits_of_the_table_in_memory(drawn):
    X, cuts, seed = drawn
    X = X[:, (~np.isnan(X)).any(axis=0)]
    assert (correlation(in_parts(X, cuts, seed)) == pearson(X)).all()


@settings(max_examples=60, deadline=None)
@given(st.booleans().flatmap(lambda gaps: tables(whole=False, gaps=gaps)))
def test_reals_agree_with_the_definition(drawn):
    X, cuts, seed = drawn
    # Offsets take digits of the values themselves, so they are rounded before.
    X = np.round(X, 4)
    found = correlation(in_parts(X, cuts, seed))
    assert np.abs(found - naive_pearson(X)).max() < 1e-8
    assert np.abs(found - pearson(X)).max() < 1e-10


def test_quarters_are_exact_and_so_are_large_offsets():
    rng = np.random.default_rng(0)
    X = rng.integers(-40, 40, (500, 4)) / 4 + np.array([0, 1e6, 2.0**40, -(2.0**35)])
    found = correlation(in_parts(X, [3, 60, 61, 300], 1))
    assert (found == pearson(X)).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e150, 1e300])
def test_very_small_and_very_large_values(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4))
    X[50:90, 1] = np.nan
    X[:, :2] *= scale
    X[:5] = 0.0
    found = correlation(in_parts(X, [5, 20, 100], 2))
    assert np.abs(found - pearson(X)).max() < 1e-10


def test_a_drift_far_from_the_first_rows_keeps_the_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3)) @ rng.normal(size=(3, 3))
    X[0] = 1e7  # an untypical first row, which the first batch consists of
    X = X[np.r_[0, 1:3000]]
    Y = X[1:]
    found = merged(
        [moments_of(X[:1].T), *(moments_of(part.T) for part in np.split(Y[:2990], 10))]
    )
    expected = pearson(np.vstack([X[:1], Y[:2990]]))
    assert np.abs(correlation(found) - expected).max() < 1e-10


def test_a_column_constant_where_the_other_is_observed_correlates_0():
    x = np.array([0.1, 0.1, 0.1, 5.3, np.nan])
    y = np.array([1.7, 2.9, -0.4, np.nan, 1.0])
    assert correlation(moments_of(np.stack([x, y])))[0, 1] == 0
    assert correlation(moments_of(np.stack([x, np.full(5, np.nan)])))[0, 1] == 0


def test_empty_parts_change_nothing():
    X = np.random.default_rng(0).normal(size=(30, 3))
    whole, parts = moments_of(X.T), in_parts(X, [0, 0, 30, 30], 0)
    assert parts.n_rows == 30
    assert np.abs(correlation(whole) - correlation(parts)).max() < 1e-15


def test_infinite_values_show_in_the_extremes():
    found = moments_of(np.array([[1.0, np.inf, np.nan], [1.0, 2.0, 3.0]]))
    assert np.isinf(found.highest).tolist() == [True, False]


def test_the_covariance_of_standard_columns_puts_missing_values_at_the_mean():
    from topofs.similarity.standard_columns import standard_columns

    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5)) @ rng.normal(size=(5, 5)) + 1e4
    X[rng.random(X.shape) < 0.2] = np.nan
    expected = standard_columns(X).gram_of_rows()
    found = in_parts(X, [10, 40], 0).standard_covariance()
    assert np.abs(found - expected).max() < 1e-10
