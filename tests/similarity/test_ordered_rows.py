"""Rows in an order of time: for how many samples they count, and when they are noticed."""

import numpy as np
import pytest
from scipy import signal, sparse
from sklearn.datasets import load_iris, load_wine

from topofs import (
    Auto,
    DependentRowsWarning,
    Mixed,
    NoStructureWarning,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
)
from topofs.io.types import Column, TypedTable
from topofs.similarity.autocorrelation import (
    EffectiveSamples,
    autocorrelations,
    inflation,
    neighbours_alike,
    slowest_scores,
)
from topofs.similarity.base import dense

N_TABLES = 60


def series(autocorrelation, n_samples, n_features, random):
    """Independent normal series, each sample like the one before it."""
    noise = random.normal(size=(n_features, n_samples + 200))
    return signal.lfilter([1], [1, -autocorrelation], noise, axis=1)[:, 200:].T


def with_names(X):
    """Every other column cut into levels: two of half the rows, or four of unequal sizes."""
    columns = []
    for i, values in enumerate(X.T):
        at = np.quantile(values, [0.5] if i % 4 == 1 else [0.4, 0.7, 0.9])
        coded = np.digitize(values, at).astype(float) if i % 2 else values
        columns.append(Column(f"c{i}", nominal=bool(i % 2), values=coded))
    return TypedTable(tuple(columns))


def has_link(measure, table):
    n_samples, n = table.shape
    operator = measure.operator(table)
    scale = measure.scale(operator, n_samples=n_samples, n_features=n)
    weights = scale.weights(dense(operator), np.arange(n)[:, None], np.arange(n)[None, :])
    return bool(np.triu(weights, k=1).any())


@pytest.mark.parametrize("autocorrelation", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("shape", [(200, 10), (600, 30), (2000, 20)])
@pytest.mark.parametrize("measure", [Pearson, Spearman, Mixed])
def test_unrelated_series_have_no_link_in_most_tables(measure, shape, autocorrelation):
    random = np.random.default_rng(5)
    n_linked = 0
    for _ in range(N_TABLES):
        X = series(autocorrelation, *shape, random)
        table = with_names(X) if measure is Mixed else X
        n_linked += has_link(measure(rows="ordered"), table)
    # Of 60 tables 3 are expected at most; more than 8 come once in 200 times.
    assert n_linked <= 8


def test_as_independent_rows_they_have():
    random = np.random.default_rng(0)
    tables = [series(0.9, 600, 30, random) for _ in range(5)]
    assert all(has_link(Pearson(), X) for X in tables)
    assert not any(has_link(Pearson(rows="ordered"), X) for X in tables)


@pytest.mark.parametrize("measure", [Pearson(rows="ordered"), Spearman(rows="ordered")])
def test_links_of_related_series_stay(measure):
    random = np.random.default_rng(1)
    common = series(0.9, 600, 1, random)
    X = np.hstack([common + 0.5 * series(0.9, 600, 4, random), series(0.9, 600, 6, random)])
    with pytest.warns(DependentRowsWarning):
        TopologicalFeatureSelector(similarity=measure.replace(rows="independent")).fit(X)
    fitted = TopologicalFeatureSelector(similarity=measure).fit(X)
    assert fitted.isolated_.tolist() == list(range(4, 10))
    assert len(fitted.groups_[0].members) == 3


def test_independent_rows_count_for_almost_all():
    X = np.random.default_rng(2).normal(size=(1000, 20))
    samples = EffectiveSamples(1000, autocorrelations(X.T))
    found = samples(np.arange(20)[:, None], np.arange(20)[None, :])
    off = found[~np.eye(20, dtype=bool)]
    assert off.max() <= 1000
    assert off.mean() > 980
    np.testing.assert_array_equal(found, found.T)
    i, j = np.triu_indices(20, k=1)
    np.testing.assert_array_equal(samples(i, j), found[i, j])


def test_autocorrelations_are_the_textbook_ones():
    random = np.random.default_rng(3)
    X = series(0.7, 80, 5, random).T
    X[4] = 3.0
    found = autocorrelations(X)
    centred = X - X.mean(axis=1, keepdims=True)
    for lag in range(1, 21):
        products = (centred[:, lag:] * centred[:, :-lag]).sum(axis=1)
        expected = products[:4] / (centred[:4] ** 2).sum(axis=1)
        np.testing.assert_allclose(found[:4, lag - 1], expected, atol=1e-12)
    assert not found[4].any()
    assert found.shape == (5, 20)
    huge = autocorrelations(X * 1e300)
    np.testing.assert_allclose(huge, found, atol=1e-9)
    np.testing.assert_allclose(autocorrelations(sparse.csr_array(X)), found, atol=1e-12)
    both = inflation(found, np.array([0]), np.array([1]))
    assert both[0] == pytest.approx(max(1, 1 + 2 * found[0] @ found[1]))


def test_missing_values_count_for_no_sample():
    random = np.random.default_rng(4)
    complete = series(0.9, 2000, 8, random)
    X = np.where(random.random(complete.shape) < 0.3, np.nan, complete)
    np.testing.assert_allclose(
        autocorrelations(X.T)[:, :5], autocorrelations(complete.T)[:, :5], atol=0.05
    )
    assert not has_link(Pearson(rows="ordered"), X)
    assert not has_link(Spearman(rows="ordered"), X)
    assert has_link(Pearson(), X)


def test_a_sparse_table_has_the_floor_of_a_dense_one():
    X = np.random.default_rng(5).poisson(0.3, size=(400, 8)).astype(float)
    X[:, 1] += X[:, 0]
    shape = {"n_samples": 400, "n_features": 8}
    measure = Pearson(rows="ordered")
    rows, columns = np.arange(8)[:, None], np.arange(8)[None, :]
    found = [
        measure.scale(operator, **shape).weights(dense(operator), rows, columns)
        for operator in (measure.operator(X), measure.operator(sparse.csc_array(X)))
    ]
    np.testing.assert_allclose(*found, atol=1e-12)
    assert found[0][0, 1] > 0.2


def test_scores_of_levels_are_those_that_change_least():
    random = np.random.default_rng(6)
    slow = np.repeat(random.integers(2, size=200), 10)
    codes = 2 * slow + random.integers(2, size=2000)
    scores = slowest_scores(codes)
    # Two levels that follow each other at will have one score.
    means = [scores[codes == level].mean() for level in range(4)]
    assert abs(means[0] - means[1]) < 0.2 * abs(means[0] - means[2])
    assert autocorrelations(scores[None, :])[0, 0] > 0.8


@pytest.mark.parametrize("rule", ["coverage", "variance"])
def test_without_the_matrix_and_by_variance(rule):
    X = series(0.9, 300, 12, np.random.default_rng(7))
    given = {"rule": rule, "similarity": Auto(rows="ordered")}
    with pytest.warns(NoStructureWarning):
        fitted = TopologicalFeatureSelector(**given).fit(X)
    assert fitted.n_features_ == 1
    if rule == "coverage":
        with pytest.warns(NoStructureWarning):
            # The graph is left out: no room for the matrix.
            small = TopologicalFeatureSelector(memory="1MB", **given).fit(X)
        np.testing.assert_array_equal(small.ranking_, fitted.ranking_)


def test_dependent_rows_are_noticed_and_others_are_not():
    random = np.random.default_rng(8)
    for shape in [(200, 30), (600, 10), (2000, 3)]:
        for _ in range(10):
            X = series(0.9, *shape, random)
            assert neighbours_alike(X) == pytest.approx(0.9, abs=0.07)
            assert neighbours_alike(random.permutation(X)) is None
    common = random.normal(size=(500, 1))
    for _ in range(10):
        assert neighbours_alike(common + 0.1 * random.normal(size=(500, 20))) is None
        assert neighbours_alike(random.poisson(0.2, size=(500, 20)).astype(float)) is None


def test_rows_that_were_sorted_by_classes_are_no_series():
    random = np.random.default_rng(9)
    for n_rows in (10, 50, 200):
        kind = np.repeat(np.arange(600 // n_rows), n_rows)
        centres = 3 * random.normal(size=(600 // n_rows, 20))
        assert neighbours_alike(centres[kind] + random.normal(size=(600, 20))) is None
    for load in (load_iris, load_wine):
        assert neighbours_alike(load().data) is None


def test_what_is_looked_at_of_any_table():
    random = np.random.default_rng(10)
    X = series(0.9, 7000, 150, random)
    assert neighbours_alike(X) == pytest.approx(0.9, abs=0.02)
    assert neighbours_alike(with_names(X[:500, :10])) > 0.7
    assert neighbours_alike(sparse.csc_array(np.where(X > 1, X, 0.0))) > 0.5
    X[random.random(X.shape) < 0.2] = np.nan
    assert neighbours_alike(X) > 0.8
    assert neighbours_alike(X[:20]) is None
    assert neighbours_alike(1e308 * series(0.9, 500, 5, random).clip(-1, 1)) > 0.5


def test_the_warning_says_what_to_do_and_is_silent_then():
    X = series(0.9, 600, 10, np.random.default_rng(11))
    with pytest.warns(DependentRowsWarning, match=r"autocorrelation 0\.\d\d.*rows='ordered'"):
        TopologicalFeatureSelector().fit(X)
    TopologicalFeatureSelector(5, similarity=Auto(rows="ordered")).fit(X)
    # A centrality makes no difference between links and chance.
    TopologicalFeatureSelector(5, rule="degree").fit(X)
    with pytest.raises(ValueError, match="rows is 'sorted'; known are"):
        Pearson(rows="sorted")


def test_workers_see_no_order_of_rows():
    da = pytest.importorskip("dask.array")
    X = da.from_array(series(0.9, 600, 10, np.random.default_rng(12)), chunks=(100, 10))
    with pytest.raises(ValueError, match=r"rows='ordered' .* X\.compute\(\)"):
        TopologicalFeatureSelector(similarity=Pearson(rows="ordered")).fit(X)


def test_mutual_information_says_that_rows_are_alike_and_what_can_allow_for_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6)).cumsum(axis=0)
    with pytest.warns(DependentRowsWarning, match="as pearson, spearman and mixed can"):
        TopologicalFeatureSelector(2, similarity="mutual_information").fit(X)
