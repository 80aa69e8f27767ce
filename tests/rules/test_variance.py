"""The rule "variance" against explicit least squares, for every kind of column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from tests.matrices import factor_table, tables
from tests.naive.variance import gains, levels_as_block, naive_order, standardised
from topofs import TopologicalFeatureSelector, UntilCoverage
from topofs.rules.residuals import CovarianceResiduals, SampleResiduals
from topofs.similarity.standard_columns import standard_columns


def fitted(X, size=1, **terms):
    return TopologicalFeatureSelector(size, rule="variance", **terms).fit(X)


def order_of(selector):
    return np.argsort(selector.ranking_)


def numbers(X):
    return [column[:, None] for column in standardised(X).T]


def check_greedy(blocks, selector, *, rtol=1e-7):
    """Each column explains most of what those before it left, and as much as its score says."""
    order, chosen = order_of(selector).tolist(), []
    for node in order:
        naive = gains(blocks, chosen)
        if not np.isfinite(naive).any():
            break
        assert naive[node] == pytest.approx(naive.max(), rel=rtol, abs=rtol)
        assert selector.scores_[node] == pytest.approx(naive[node], rel=rtol, abs=rtol)
        chosen.append(node)
    # What is explained comes last and adds nothing.
    assert (selector.scores_[order[len(chosen) :]] == 0).all()
    added = sum(selector.scores_[chosen])
    assert added == pytest.approx(sum((block**2).sum() for block in blocks), rel=1e-6)
    assert len(set(order)) == len(blocks)


@given(
    st.integers(0, 10**6),
    st.integers(4, 25),
    st.integers(2, 25),
    st.sampled_from([np.float64, np.float32]),
)
@settings(max_examples=25, deadline=None)
def test_numbers(seed, n_samples, n_features, dtype):
    X = factor_table(n_samples, n_features, seed=seed).astype(dtype)
    rtol = 1e-7 if dtype == np.float64 else 1e-3
    check_greedy(numbers(X), fitted(X), rtol=rtol)


@pytest.mark.parametrize("shape", [(60, 12), (12, 40), (30, 30)], ids=str)
def test_the_same_order_as_the_twin(shape):
    for seed in range(5):
        X = factor_table(*shape, seed=seed)
        selector = fitted(X)
        # All columns tie in the last dimension.
        expected, added = naive_order(numbers(X), min(shape[1], shape[0] - 2))
        order = order_of(selector)[: len(expected)]
        assert order.tolist() == expected
        np.testing.assert_allclose(selector.scores_[order], added, rtol=1e-8)


@given(st.integers(0, 10**6), st.integers(5, 20), st.integers(2, 15))
@settings(max_examples=15, deadline=None)
def test_ranks(seed, n_samples, n_features):
    X = np.rint(2 * factor_table(n_samples, n_features, seed=seed))
    X[0] += 100.0  # no column is constant
    check_greedy(numbers(stats.rankdata(X, axis=0)), fitted(X, similarity="spearman"))


@given(st.integers(0, 10**6), st.integers(5, 30), st.integers(2, 30), st.booleans())
@settings(max_examples=15, deadline=None)
def test_sparse_counts(seed, n_samples, n_features, little_memory):
    X = np.random.default_rng(seed).poisson(0.4, size=(n_samples, n_features)).astype(float)
    X[0] += 1.0
    X[1] = 0.0
    memory = 100 if little_memory else None
    check_greedy(numbers(X), fitted(sparse.csr_array(X), memory=memory))


@given(st.integers(0, 10**6), st.integers(40, 80), st.integers(1, 4), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_blocks_of_categories(seed, n_samples, n_nominal, n_numbers):
    rng = np.random.default_rng(seed)
    X = factor_table(n_samples, n_numbers, seed=seed)
    table, blocks = {}, []
    for i in range(n_nominal):
        # Levels of at least five samples, two of which would be a number.
        codes = rng.permutation(np.arange(n_samples) % rng.integers(3, 7))
        table[f"name{i}"] = [f"level {code}" for code in codes]
        blocks.append(levels_as_block(codes))
    table |= {f"x{i}": column for i, column in enumerate(X.T)}
    blocks += numbers(stats.rankdata(X, axis=0))
    check_greedy(blocks, fitted(pd.DataFrame(table)))


def test_blocks_from_the_samples_as_from_the_covariance():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, size=(40, 30))
    table = {f"n{i}": [f"l{c}" for c in column] for i, column in enumerate(codes.T)}
    table |= {f"x{i}": column for i, column in enumerate(factor_table(40, 20).T)}
    blocks = [levels_as_block(column) for column in codes.T]
    blocks += numbers(stats.rankdata(factor_table(40, 20), axis=0))
    # More rows than samples: the covariance is never made.
    selector = fitted(pd.DataFrame(table))
    expected, _ = naive_order(blocks, 8)
    assert order_of(selector)[:8].tolist() == expected


@pytest.mark.parametrize("shape", [(20, 30), (30, 20)], ids=str)
def test_without_memory_for_a_matrix(shape):
    X = factor_table(*shape)
    check_greedy(numbers(X), fitted(X, memory=100))


def test_missing_values_lie_at_the_mean():
    X = factor_table(30, 10)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    check_greedy(numbers(X), fitted(X))


@given(tables(missing=True), st.sampled_from([5.67e15, -(2.0**52), 1e9]))
@settings(max_examples=50)
def test_a_large_offset_costs_no_digits_of_whole_numbers(X, offset):
    X = np.rint(X)
    X = X[:, np.nanmax(X, axis=0, initial=-np.inf) > np.nanmin(X, axis=0, initial=np.inf)]
    expected = standard_columns(X).values
    np.testing.assert_allclose(standard_columns(X + offset).values, expected, atol=1e-12)
    stored = sparse.csc_array(np.nan_to_num(X, nan=7.0) + offset)
    some = standard_columns(stored)
    whole = standard_columns(stored.toarray())
    found = some.rows(np.arange(some.n_rows))
    np.testing.assert_allclose(found, whole.values, atol=1e-12)


@pytest.mark.parametrize("kind", ["missing", "sparse"])
def test_copies_beside_a_large_offset_explain_each_other(kind):
    steps = np.array([0.0, 1, 2, 1, 0, 2, 1, 1, 0, 2])
    X = np.column_stack([5.67e15 + steps, steps])
    if kind == "missing":
        X[3] = np.nan
    selector = fitted(sparse.csc_array(X) if kind == "sparse" else X)
    np.testing.assert_allclose(selector.shares_, 1.0, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(30, 6), (8, 20)], ids=str)
def test_copies_are_never_chosen_twice(shape, dtype):
    X = factor_table(*shape).astype(dtype)
    twice = np.column_stack([X, -3 * X + 1, X[:, 0] + X[:, 1]]).astype(dtype)
    selector = fitted(twice)
    n = min(shape[1], shape[0] - 1)
    first = order_of(selector)[:n]
    assert len(set(first % shape[1])) == n or shape[1] * 2 in first
    assert (selector.scores_[first] > 0).all()
    assert (selector.scores_[order_of(selector)[n:]] == 0).all()
    assert selector.coverage_[n - 1] == pytest.approx(1.0, abs=1e-5)


def test_more_columns_than_samples_keep_an_order():
    X = factor_table(6, 30)
    selector = fitted(X, 20)
    order = order_of(selector)
    explained = order[5:]
    strength = (np.corrcoef(X.T) ** 2).sum(axis=0)[explained]
    assert (np.diff(strength) <= 1e-9).all()
    assert selector.n_features_ == 20
    assert selector.at("auto").n_features_ <= 5


def test_the_order_of_columns_does_not_matter():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n_samples, n_features = rng.integers(4, 40, size=2)
        X = factor_table(n_samples, n_features, seed=seed)
        permutation = rng.permutation(n_features)
        expected, found = fitted(X), fitted(X[:, permutation])
        np.testing.assert_array_equal(permutation[order_of(found)], order_of(expected))
        assert found.at("auto").n_features_ == expected.at("auto").n_features_
        other = fitted(X * rng.choice([-3.0, 0.5], size=n_features) + 7)
        np.testing.assert_array_equal(order_of(other), order_of(expected))


@pytest.mark.parametrize("passes_only", [True, False])
def test_both_ways_keep_the_same_books(passes_only):
    X = factor_table(25, 18)
    columns = standard_columns(sparse.csc_array(X))
    gram = columns.gram_of_samples()
    by_samples = SampleResiduals(columns, None if passes_only else gram, columns.forms(gram))
    by_covariance = CovarianceResiduals(columns.gram_of_rows(), columns.starts)
    np.testing.assert_allclose(columns.squared_products(), columns.forms(gram))
    for node in (3, 17, 0, 9):
        assert by_samples.take(node) == pytest.approx(by_covariance.take(node))
        np.testing.assert_allclose(by_samples.gains()[0], by_covariance.gains()[0], rtol=1e-9)
        np.testing.assert_allclose(by_samples.left, by_covariance.left, atol=1e-12)


def test_large_tables_are_ordered_as_far_as_asked_for(monkeypatch):
    X = factor_table(30, 50)
    whole = fitted(X, 7)
    monkeypatch.setattr("topofs.rules.variance.FULL_ORDER", 0)
    part = fitted(X, 7)
    np.testing.assert_array_equal(part.support_, whole.support_)
    order = order_of(part)
    assert order[:7].tolist() == order_of(whole)[:7].tolist()
    naive = gains(numbers(X), order[:7].tolist())
    np.testing.assert_allclose(part.scores_[order[7:]], naive[order[7:]])
    assert (np.diff(part.scores_[order[7:]]) <= 1e-12).all()
    assert part.coverage_[-1] == part.coverage_[6] == pytest.approx(whole.coverage_[6])
    assert part.at("auto").n_features_ == whole.at("auto").n_features_
    more = part.extend(3)
    assert set(np.flatnonzero(more.support_)) == set(order_of(whole)[:10])
    far = fitted(X, UntilCoverage(0.99))
    assert far.n_features_ == whole.at(UntilCoverage(0.99)).n_features_ > 7
    auto = fitted(X, "auto")
    assert auto.n_features_ == whole.at("auto").n_features_
