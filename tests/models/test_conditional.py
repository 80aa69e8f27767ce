"""What known columns say about the others, against the dense formula."""

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.matrices import factor_table
from tests.models.test_logo import chordal_graph
from tests.naive import models as naive
from topofs import FilteredGraph, LoGoCovariance


@settings(max_examples=40)
@given(st.integers(2, 12), st.integers(0, 5), st.integers(0, 10**6), st.data())
def test_the_dense_formula_on_any_chordal_graph(n, width, seed, data):
    X = factor_table(40, n, seed=seed)
    model = LoGoCovariance(chordal_graph(n, width, seed)).fit(X)
    known = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, n))]
    found = model.conditional(known, X[0, known])
    mean, variance = naive.conditional(model.location_, model.covariance_, known, X[0, known])
    assert found.columns.tolist() == [i for i in range(n) if i not in known]
    np.testing.assert_allclose(found.mean, mean, atol=1e-8)
    np.testing.assert_allclose(found.variance, variance, atol=1e-8)
    np.testing.assert_allclose(
        found.share, 1 - variance / X.var(axis=0)[found.columns], atol=1e-8
    )


@pytest.mark.parametrize("graph", ["tmfg", "mst"])
def test_rows_of_values(graph):
    X = factor_table(60, 50)
    model = LoGoCovariance(graph).fit(X)
    known = [7, 3, 40, 21]
    found = model.conditional(known, X[:5][:, known])
    assert found.mean.shape == (5, 46)
    for row, mean in zip(X[:5], found.mean, strict=True):
        expected, variance = naive.conditional(
            model.location_, model.covariance_, known, row[known]
        )
        np.testing.assert_allclose(mean, expected, atol=1e-8)
        np.testing.assert_allclose(found.variance, variance, atol=1e-8)


def test_names_and_no_values():
    X = pd.DataFrame(factor_table(60, 6), columns=list("abcdef"))
    model = LoGoCovariance().fit(X)
    found = model.conditional(["c", 0])
    assert found.columns.tolist() == [1, 3, 4, 5]
    np.testing.assert_allclose(found.mean, X.mean().to_numpy()[found.columns])
    np.testing.assert_array_equal(found.variance, model.conditional([0, 2], [5, 5]).variance)
    assert model.conditional("c").columns.tolist() == [0, 1, 3, 4, 5]
    assert model.conditional(2).columns.tolist() == [0, 1, 3, 4, 5]


@pytest.mark.parametrize(
    ("known", "values", "sentence"),
    [
        ([9], None, r"the known column 9 is none of the 6 columns: give positions 0 … 5$"),
        ([-1], None, "the known column -1 is none"),
        (["a"], None, "the known column 'a' is none"),
        (1.5, None, "the known column 1.5 is none"),
        (np.ones(6, dtype=bool), None, "the known column True is none"),
        ([1, 1], None, "given twice"),
        ([1, 2], [1.0], r"2 columns are known, but values has the shape \(1,\)"),
        ([1], [np.nan], "missing or infinite"),
    ],
)
def test_bad_input(known, values, sentence):
    model = LoGoCovariance().fit(factor_table(30, 6))
    with pytest.raises(ValueError, match=sentence):
        model.conditional(known, values)


@pytest.mark.needs_jit
def test_far_faster_than_the_dense_formula():
    """Against a covariance that is there already; its computation is not counted."""
    n, known = 3000, np.arange(0, 3000, 30)
    X = np.random.default_rng(0).normal(size=(50, n)).cumsum(axis=1)
    path = FilteredGraph(
        n, np.column_stack([np.arange(n - 1), np.arange(1, n)]), np.ones(n - 1)
    )
    model = LoGoCovariance(path).fit(X)
    covariance, mean = model.covariance_, model.location_

    def dense():
        others = np.setdiff1d(np.arange(n), known)
        cross = covariance[np.ix_(known, others)]
        slopes = np.linalg.solve(covariance[np.ix_(known, known)], cross)
        variance = covariance[others, others] - (slopes * cross).sum(axis=0)
        return mean[others] + (X[0, known] - mean[known]) @ slopes, variance

    def seconds(function):
        start = time.perf_counter()
        function()
        return time.perf_counter() - start

    found = model.conditional(known, X[0, known])
    for ours, theirs in zip((found.mean, found.variance), dense(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)
    fast = min(seconds(lambda: model.conditional(known, X[0, known])) for _ in range(5))
    assert 5 * fast < min(seconds(dense) for _ in range(5))
