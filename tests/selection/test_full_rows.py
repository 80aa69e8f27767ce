"""Columns with more links than their list holds: once selected, their full row counts."""

import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from topofs import Budget, Coverage, Links, TopologicalFeatureSelector, UntilCoverage
from topofs.backends import dispatch
from topofs.models.logo import graph_of_table
from topofs.rules import coverage


def groups_of(size, *, n_groups=3, noise=0.1, n_samples=300, n_lonely=0, seed=0):
    """Groups of near-copies, then unrelated columns."""
    rng = np.random.default_rng(seed)
    factors = np.repeat(rng.normal(size=(n_samples, n_groups)), size, axis=1)
    X = factors + noise * rng.normal(size=factors.shape)
    return np.column_stack([X, rng.normal(size=(n_samples, n_lonely))])


@pytest.fixture(scope="module")
def copies():
    return groups_of(150, n_lonely=10)


@pytest.fixture(scope="module")
def expected(copies):
    return TopologicalFeatureSelector(graph=Links(strongest=None)).fit(copies)


CUT = Links(strongest=20)


def assert_as_by_all_pairs(selector, expected):
    """Lists that are cut may tell which of the selected comes first, and no more."""
    n = selector.n_features_
    assert n == expected.n_features_
    np.testing.assert_array_equal(selector.support_, expected.support_)
    np.testing.assert_allclose(selector.shares_, expected.shares_, rtol=1e-10)
    np.testing.assert_array_equal(selector.representative_, expected.representative_)
    found, others = ({g.position: g for g in one.groups_} for one in (selector, expected))
    assert found.keys() == others.keys()
    for position, group in found.items():
        members = {m.position for m in others[position].members}
        assert {m.position for m in group.members} == members
    assert selector.coverage_[n - 1] == pytest.approx(expected.coverage_[n - 1], rel=1e-10)
    assert selector.shares_.mean() == pytest.approx(selector.coverage_[n - 1], rel=1e-10)
    drawn, as_drawn = selector.random_lists(5), expected.random_lists(5)
    assert drawn.mean == pytest.approx(as_drawn.mean, rel=1e-10)
    listed, as_listed = selector.evaluate([0, 200, 400]), expected.evaluate([0, 200, 400])
    assert listed.coverage == pytest.approx(as_listed.coverage, rel=1e-10)


@pytest.mark.needs_jit
def test_three_groups_of_a_thousand_need_three():
    X = groups_of(1000, n_samples=1000)
    selector = TopologicalFeatureSelector().fit(X)
    assert selector.n_features_ == 3
    assert {position // 1000 for position in np.flatnonzero(selector.support_)} == {0, 1, 2}
    assert [len(group.members) for group in selector.groups_] == [999] * 3
    by_all = TopologicalFeatureSelector(graph=Links(strongest=None)).fit(X)
    assert selector.shares_.mean() == pytest.approx(0.98, abs=0.003)
    assert_as_by_all_pairs(selector, by_all)
    little = TopologicalFeatureSelector(memory="40MB").fit(X)
    assert little.graph_ == selector.graph_ or little.graph_.n_edges == selector.graph_.n_edges
    assert_as_by_all_pairs(little, by_all)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("how", ["memory", "no matrix", "dask", "dask, no matrix", "pickled"])
def test_full_rows_count_wherever_the_table_is(copies, expected, how):
    little = {"memory": "1MB"} if "no matrix" in how else {}
    if how == "dask, no matrix":
        little = {"memory": "5MB"}
    table = da.from_array(copies, chunks=(100, 111)) if "dask" in how else copies
    with dask.config.set(scheduler="synchronous"):
        selector = TopologicalFeatureSelector(graph=CUT, **little).fit(table)
    if how == "pickled":
        selector = pickle.loads(pickle.dumps(selector))
    assert selector.n_features_ == 3
    assert selector.shares_[:450].mean() == pytest.approx(0.98, abs=0.003)
    assert_as_by_all_pairs(selector, expected)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("isolated", ["drop", "keep", "last"])
def test_another_size_is_that_of_a_fit(copies, isolated):
    settings = {"graph": CUT, "rule": Coverage(isolated=isolated)}
    fits = {size: TopologicalFeatureSelector(size, **settings).fit(copies) for size in SIZES}
    for selector in fits.values():
        for size, fitted in fits.items():
            cut = selector.at(size)
            assert cut.n_features_ == fitted.n_features_, size
            np.testing.assert_array_equal(cut.support_, fitted.support_)
            n = fitted.n_features_
            first, same = np.argsort(cut.ranking_)[:n], np.argsort(fitted.ranking_)[:n]
            np.testing.assert_array_equal(first, same)
            # Rows that are computed one by one may differ in their last digits.
            np.testing.assert_allclose(cut.shares_, fitted.shares_, rtol=1e-12)
            np.testing.assert_allclose(cut.scores_[first], fitted.scores_[first], rtol=1e-10)
            np.testing.assert_allclose(cut.coverage_[:n], fitted.coverage_[:n], rtol=1e-12)
            np.testing.assert_array_equal(cut.representative_, fitted.representative_)


SIZES = ["auto", 1, 3, 4, 12, 40, UntilCoverage(0.9), UntilCoverage(0.985)]


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("wanted", [0.5, 0.7, 0.9])
def test_as_few_reach_a_coverage_as_by_a_fit(wanted):
    X = groups_of(40, noise=0.7, n_lonely=5)
    few = Links(strongest=3)
    fitted = TopologicalFeatureSelector(UntilCoverage(wanted), graph=few).fit(X)
    n = fitted.n_features_
    assert fitted.at(n - 1).shares_.mean() < wanted <= fitted.shares_.mean()
    for size in ("auto", 1, 3, 30):
        cut = TopologicalFeatureSelector(size, graph=few).fit(X).at(UntilCoverage(wanted))
        np.testing.assert_array_equal(cut.support_, fitted.support_)


@pytest.mark.usefixtures("both_ways")
def test_coverage_is_what_the_selected_represent_at_every_size(copies):
    for size in ("auto", 2, 30, UntilCoverage(0.95), Budget(6)):
        selector = TopologicalFeatureSelector(size, graph=CUT).fit(copies)
        for k in {1, 2, selector.n_features_}:
            cut = selector.at(k)
            assert cut.shares_.mean() == pytest.approx(cut.coverage_[k - 1], rel=1e-10)
            assert cut.shares_.mean() == pytest.approx(selector.coverage_[k - 1], rel=1e-10)


@pytest.mark.usefixtures("both_ways")
def test_kept_excluded_and_more_columns_count_by_full_rows(copies, expected):
    for constraints in ({"keep": [7, 160]}, {"exclude": list(range(0, 450, 2))}):
        selector = TopologicalFeatureSelector(graph=CUT, **constraints).fit(copies)
        whole = TopologicalFeatureSelector(graph=Links(strongest=None), **constraints).fit(
            copies
        )
        assert_as_by_all_pairs(selector, whole)
    more = TopologicalFeatureSelector(2, graph=CUT).fit(copies).extend(3)
    assert more.shares_.mean() == pytest.approx(more.coverage_[4], rel=1e-10)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threshold", ["auto", "mean", None])
def test_a_matrix_that_is_changed_later_changes_no_share(threshold, dtype):
    given = (np.corrcoef(groups_of(8, noise=0.6).T) ** 2).astype(dtype)
    settings = {"graph": Links(strongest=3), "similarity": "precomputed"}
    selector = TopologicalFeatureSelector(2, threshold=threshold, **settings).fit(given)
    untouched = TopologicalFeatureSelector(2, threshold=threshold, **settings).fit(given.copy())
    given[:] = np.eye(len(given))
    asked = list(range(4, 20, 3))
    for fitted in (selector, pickle.loads(pickle.dumps(selector))):
        np.testing.assert_array_equal(fitted.shares_, untouched.shares_)
        found, expected = (one.evaluate(asked).coverage for one in (fitted, untouched))
        assert found == expected


@pytest.mark.usefixtures("both_ways")
def test_float32_is_compared_with_the_mean_as_float64_is():
    alike = np.float32(1 - 2.0**-24)
    given = np.full((3, 3), alike)
    np.fill_diagonal(given, 1)
    assert alike < given.mean(dtype=np.float64)
    settings = {"similarity": "precomputed", "threshold": "mean"}
    for n_links in (None, 2, 1):
        graph = Links(strongest=n_links)
        selector = TopologicalFeatureSelector(1, graph=graph, **settings)
        assert selector.fit(given).graph_.n_edges == 0, n_links


def test_what_is_fitted_holds_no_matrix_that_can_be_computed_anew(copies):
    selector = TopologicalFeatureSelector(graph=CUT).fit(copies)
    whole = selector.graph_.full_rows
    n = copies.shape[1]
    held = [value for value in vars(whole).values() if getattr(value, "shape", None) == (n, n)]
    assert whole.truncated.any()
    assert not held
    graph = graph_of_table(copies, CUT, memory=None)
    assert graph.full_rows is None
    assert graph.n_edges > 0


def test_another_size_needs_a_fit():
    with pytest.raises(NotFittedError):
        TopologicalFeatureSelector().at(3)


@pytest.mark.parametrize("memory", [None, "3MB"])
def test_many_random_lists_are_measured_on_a_sample_of_columns(copies, memory, monkeypatch):
    selector = TopologicalFeatureSelector(graph=CUT, memory=memory).fit(copies)
    exact = selector.random_lists(5)
    monkeypatch.setattr(coverage, "_MOST_FULL", 0)
    n = copies.shape[1]
    for size, tolerance in ((n - 1, 0.01), (n // 2, 0.05)):
        monkeypatch.setattr(coverage, "_SAMPLE", size)
        sampled = selector.random_lists(5)
        assert sampled.mean == pytest.approx(exact.mean, abs=tolerance)
        assert sampled.low == pytest.approx(exact.low, abs=2 * tolerance)
        assert sampled != exact
        assert sampled == selector.random_lists(5)
    assert selector.random_lists(n).mean == 1.0
    assert selector.random_lists(0).mean == 0.0


@pytest.mark.needs_jit
def test_a_sparse_table_needs_no_matrix(monkeypatch):
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 3, 60)
    X = rng.poisson(np.where(np.arange(3000) % 3 == kinds[:, None], 2.0, 0.05)).astype(float)
    X = X[:, np.ptp(X, axis=0) > 0]
    expected = TopologicalFeatureSelector(5).fit(X)
    monkeypatch.setattr(dispatch, "dense", None)
    selector = TopologicalFeatureSelector(5).fit(sparse.csr_array(X))
    assert selector.graph_ == expected.graph_
    np.testing.assert_array_equal(selector.graph_.sums, expected.graph_.sums)
    np.testing.assert_array_equal(selector.ranking_, expected.ranking_)
    np.testing.assert_allclose(selector.shares_, expected.shares_, rtol=1e-12)
