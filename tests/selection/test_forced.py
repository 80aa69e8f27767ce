"""Forced columns: they come first, and the others are ranked given them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.coverage_settings import BY_COVERAGE
from tests.greedy import greedy
from tests.matrices import factor_table
from tests.naive.coverage import naive_cover, naive_nearest, naive_path_weights
from tests.naive.ranking import naive_ranking
from topofs import (
    Centrality,
    ConstantFeatureWarning,
    Coverage,
    Links,
    NoStructureWarning,
    TopologicalFeatureSelector,
    registered,
)
from topofs._kernels.numpy_or_numba import UNIT
from topofs.rules.coverage import HALF, MatrixCoverage, PathCoverage

pytestmark = pytest.mark.usefixtures("both_ways")

OF_TREES = {
    "paths": {"graph": "mst", "reach": "paths"},
    "edges": {"graph": "mst", "reach": "edges"},
    "links": {"graph": Links(strongest=None), "reach": "auto"},
}


def precomputed(size="auto", **parameters):
    return TopologicalFeatureSelector(
        size, similarity="precomputed", threshold=None, **parameters
    )


@st.composite
def trees(draw, max_size=9):
    """A similarity whose spanning tree has all its links: weights of few digits, many ties."""
    n = draw(st.integers(2, max_size))
    weight = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
    links = np.zeros((n, n))
    for node in range(1, n):
        other = draw(st.integers(0, node - 1))
        links[node, other] = links[other, node] = draw(weight)
    forced = draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n))
    return links, np.array(sorted(forced), dtype=np.int64)


@given(trees())
def test_kernels_are_greedy_given_a_set(case):
    links, forced = case
    whole = naive_path_weights(links, HALF)
    expected, expected_gains = naive_cover(whole, forced)
    rows = sparse.csr_array(links)
    models = (
        MatrixCoverage(whole),
        MatrixCoverage(sparse.csr_array(whole)),
        PathCoverage(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data),
    )
    for model in models:
        order, gains = greedy(model, forced)
        assert order.tolist() == expected
        np.testing.assert_allclose(gains, expected_gains, atol=len(links) / UNIT)


@given(trees(), st.sampled_from(sorted(OF_TREES)), st.sampled_from(["drop", "keep", "last"]))
def test_order_gains_end_and_groups_follow_the_twin(case, way, isolated):
    links, forced = case
    n, settings = len(links), OF_TREES[way]
    matrix = links + np.eye(n)
    weights = naive_path_weights(links, HALF) if way == "paths" else matrix
    rule = Coverage(reach=settings["reach"], isolated=isolated, ties="index")
    # A size, so that a table without any link gives no warning.
    selector = precomputed(n, rule=rule, graph=settings["graph"], keep=forced.tolist()).fit(
        matrix
    )
    order, gains, end = naive_ranking(weights, forced=forced, isolated=isolated)
    assert np.argsort(selector.ranking_).tolist() == order
    assert selector.scores_[order].tolist() == gains
    np.testing.assert_allclose(selector.coverage_, np.cumsum(gains) / n, atol=1e-9)
    cut = selector.at("auto")
    assert cut.n_features_ == end
    assert cut.support_[forced].all()
    found, shares = naive_nearest(weights, set(np.flatnonzero(cut.support_)))
    assert cut.representative_.tolist() == found
    assert cut.shares_.tolist() == pytest.approx(shares)


@pytest.mark.parametrize("way", BY_COVERAGE)
def test_a_forced_column_takes_the_place_of_its_like(way):
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(300, 3))
    X = np.repeat(factors, 4, axis=1) + 0.3 * rng.normal(size=(300, 12))
    settings = BY_COVERAGE[way]
    plain = TopologicalFeatureSelector(**settings).fit(X)
    assert plain.n_features_ == 3
    # Another of the first group: it is enough for this group, and the others stay.
    other = next(i for i in range(4) if not plain.support_[i])
    forced = TopologicalFeatureSelector(keep=[other], **settings).fit(X)
    assert forced.n_features_ == 3
    assert forced.ranking_[other] == 1
    assert not forced.support_[np.flatnonzero(plain.support_)[0]]
    np.testing.assert_array_equal(forced.support_[4:], plain.support_[4:])
    assert {member.position for member in forced.groups_[0].members} == set(range(4)) - {other}


def test_the_first_of_the_ranking_are_the_selected_at_every_size():
    X = factor_table(80, 12)
    selector = TopologicalFeatureSelector(keep=[11, 3, 7]).fit(X)
    assert selector.forced_.tolist() == [3, 7, 11]
    assert set(np.argsort(selector.ranking_)[:3]) == {3, 7, 11}
    for size in range(3, 13):
        cut = selector.at(size)
        assert cut.support_[[3, 7, 11]].all()
        np.testing.assert_array_equal(cut.support_, cut.ranking_ <= size)
    with pytest.raises(ValueError, match="keep names 3 columns, but only 2"):
        selector.at(2)
    assert [selector.explain(i).forced for i in (3, 4)] == [True, False]


@pytest.mark.parametrize("score", sorted(registered("rule").keys() - {"coverage", "variance"}))
def test_centralities_put_them_first_and_change_no_score(score):
    X = factor_table(60, 9)
    rule = Centrality(score)
    plain = TopologicalFeatureSelector(4, rule=rule).fit(X)
    last = np.argsort(plain.ranking_)[-2:]
    forced = TopologicalFeatureSelector(4, rule=rule, keep=last.tolist()).fit(X)
    np.testing.assert_array_equal(forced.scores_, plain.scores_)
    before = np.argsort(plain.ranking_)
    assert np.argsort(forced.ranking_).tolist() == [*last, *before[:-2]]


def test_forced_columns_that_take_no_part_come_first_too():
    X = pd.DataFrame(factor_table(60, 6), columns=list("abcdef"))
    X["one"] = 1.0
    with pytest.warns(ConstantFeatureWarning):
        plain = TopologicalFeatureSelector().fit(X)
    with pytest.warns(ConstantFeatureWarning):
        forced = TopologicalFeatureSelector(keep=["one"]).fit(X)
    assert forced.n_features_ == plain.n_features_ + 1
    assert forced.ranking_[6] == 1
    np.testing.assert_array_equal(forced.ranking_[:6], plain.ranking_[:6] + 1)
    with pytest.warns(ConstantFeatureWarning):
        both = TopologicalFeatureSelector(keep=["one", "f"]).fit(X)
    assert sorted(both.ranking_[5:]) == [1, 2]


def test_isolated_columns_that_are_kept_are_never_lost():
    W = np.eye(6)
    for i, j in ((1, 2), (1, 3), (1, 0), (0, 4)):
        W[i, j] = W[j, i] = 0.5
    selector = TopologicalFeatureSelector(
        similarity="precomputed", rule=Coverage(isolated="keep")
    ).fit(W)
    assert selector.isolated_.tolist() == [5]
    assert selector.support_[5]
    assert selector.at("auto").support_[5]
    for isolated in ("drop", "last"):
        rule = Coverage(isolated=isolated)
        dropped = TopologicalFeatureSelector(similarity="precomputed", rule=rule).fit(W)
        assert not dropped.support_[5]
    assert dropped.ranking_[5] == 6


@pytest.mark.parametrize("way", BY_COVERAGE)
def test_an_isolated_column_that_is_forced(way):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    X[:, 1] += 2 * X[:, 0]
    selector = TopologicalFeatureSelector(keep=[4], **BY_COVERAGE[way]).fit(X)
    assert np.flatnonzero(selector.support_).tolist() in ([0, 4], [1, 4])
    assert selector.ranking_[4] == 1
    assert selector.scores_[4] == 1
    with pytest.warns(NoStructureWarning, match="2 of them are selected"):
        noise = TopologicalFeatureSelector(keep=[1, 2], **BY_COVERAGE[way]).fit(
            rng.normal(size=(60, 4))
        )
    assert np.flatnonzero(noise.support_).tolist() == [1, 2]


def test_all_columns_forced():
    X = factor_table(60, 5)
    for rule in ("coverage", "degree"):
        selector = TopologicalFeatureSelector(5, keep=range(5), rule=rule).fit(X)
        assert selector.support_.all()
        assert sorted(selector.ranking_) == [1, 2, 3, 4, 5]
    assert TopologicalFeatureSelector(keep=range(5)).fit(X).n_features_ == 5
