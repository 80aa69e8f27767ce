"""Lazy greedy coverage against its naive twin, with ties and without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from tests.greedy import greedy
from tests.naive.coverage import naive_cover, naive_nearest, naive_path_weights
from topofs.rules.coverage import MatrixCoverage, PathCoverage

pytestmark = pytest.mark.usefixtures("both_ways")

# Dyadic weights: products and sums of a few are exact, so equal gains are equal.
DYADIC = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def weight_matrices(draw, elements, max_size=8):
    n = draw(st.integers(1, max_size))
    values = draw(hnp.arrays(np.float64, (n, n), elements=elements))
    weights = np.tril(values) + np.tril(values, -1).T
    np.fill_diagonal(weights, 1.0)
    return weights


def path_model(edges, least):
    rows = sparse.csr_array(edges)
    return PathCoverage(
        rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data, least
    )


def without_diagonal(weights):
    edges = weights.copy()
    np.fill_diagonal(edges, 0.0)
    return edges


@given(weight_matrices(DYADIC))
def test_dense_and_sparse_weights_follow_the_twin(weights):
    order, gains = naive_cover(weights)
    for matrix in (weights, weights.astype(np.float32), sparse.csr_array(weights)):
        found, found_gains = greedy(MatrixCoverage(matrix))
        assert found.tolist() == order
        assert found_gains.tolist() == gains


@given(weight_matrices(st.floats(0, 1)))
def test_with_any_weights_each_step_takes_a_best_node(weights):
    order, gains = greedy(MatrixCoverage(weights))
    assert sorted(order) == list(range(len(weights)))
    covered = np.zeros(len(weights))
    for step, node in enumerate(order):
        possible = np.maximum(weights[order[step:]] - covered, 0).sum(axis=1)
        assert gains[step] == pytest.approx(possible[0], abs=1e-9)
        assert possible[0] >= possible.max() - 1e-9
        covered = np.maximum(covered, weights[node])
    assert (np.diff(gains) <= 0).all()


@pytest.mark.parametrize("least", [0.5, 0.3, 1.0])
@given(weights=weight_matrices(DYADIC))
def test_paths_follow_the_twin(weights, least):
    edges = without_diagonal(weights)
    whole = naive_path_weights(edges, least)
    order, gains = naive_cover(whole)
    model = path_model(edges, least)
    found, found_gains = greedy(model)
    assert found_gains.tolist() == pytest.approx(gains, abs=1e-11)
    assert found.tolist() == order
    np.testing.assert_array_equal(model.isolated(), (whole > 0).sum(axis=1) == 1)


@pytest.mark.parametrize("least", [0.5, 0.2])
@given(weights=weight_matrices(st.floats(0, 1)), data=st.data())
def test_the_nearest_source_is_that_of_the_whole_matrix(weights, least, data):
    edges = without_diagonal(weights)
    whole = naive_path_weights(edges, least)
    n = len(weights)
    chosen = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
    for model in (path_model(edges, least), MatrixCoverage(whole)):
        representative, share = model.representatives(np.array(chosen))
        _, expected = naive_nearest(whole, chosen)
        # A product at the very limit may fall on either side of it by rounding.
        close = np.isclose(share, expected, atol=1e-12)
        at_limit = np.isclose(np.maximum(share, expected), least, atol=1e-9)
        assert (close | at_limit).all()
        assert (representative[np.array(chosen)] == chosen).all()
        served = representative >= 0
        assert (share[~served] == 0).all()
        served_by = whole[representative[served], np.flatnonzero(served)]
        assert (served_by >= share[served] - 1e-12).all()


@given(weight_matrices(DYADIC))
def test_equal_sources_leave_a_node_to_the_lowest(weights):
    n = len(weights)
    for model in (MatrixCoverage(weights), MatrixCoverage(sparse.csr_array(weights))):
        representative, share = model.representatives(np.arange(n)[::-2])
        expected, expected_share = naive_nearest(weights, list(range(n))[::-2])
        assert representative.tolist() == expected
        assert share.tolist() == expected_share


def test_permuted_columns_give_the_permuted_order():
    rng = np.random.default_rng(0)
    edges = rng.random((60, 60)) * (rng.random((60, 60)) < 0.1)
    edges = np.maximum(edges, edges.T)
    np.fill_diagonal(edges, 0)
    order, gains = greedy(path_model(edges, 0.5))
    for seed in range(5):
        shuffled = np.random.default_rng(seed).permutation(60)
        model = path_model(edges[np.ix_(shuffled, shuffled)], 0.5)
        found, again = greedy(model, tie_rank=shuffled)
        assert shuffled[found].tolist() == order.tolist()
        assert again.tolist() == gains.tolist()


def test_an_empty_graph_is_ordered_by_index():
    order, gains = greedy(path_model(np.zeros((4, 4)), 0.5))
    assert order.tolist() == [0, 1, 2, 3]
    assert gains.tolist() == [1.0] * 4


@pytest.mark.needs_jit
@pytest.mark.parametrize("strength", [0.3, 0.8, 0.97])
def test_a_large_graph_of_weak_or_strong_links_follows_the_whole_matrix(strength):
    rng = np.random.default_rng(0)
    n = 400
    # A tree with some more edges, its weights around the given strength.
    parents = np.array([rng.integers(0, i) for i in range(1, n)])
    edges = np.zeros((n, n))
    edges[np.arange(1, n), parents] = np.clip(rng.normal(strength, 0.1, n - 1), 0.01, 0.999)
    extra = rng.integers(0, n, size=(2, n))
    edges[extra[0], extra[1]] = np.clip(rng.normal(strength, 0.1, n), 0.01, 0.999)
    edges = np.maximum(edges, edges.T)
    np.fill_diagonal(edges, 0)
    lengths = sparse.csr_array(-np.log(np.where(edges > 0, edges, 1)))
    whole = np.exp(-dijkstra(lengths, directed=False))
    whole = np.maximum(np.where(whole >= 0.5, whole, 0), edges)
    np.fill_diagonal(whole, 1)
    order, gains = greedy(MatrixCoverage(whole))
    found, found_gains = greedy(path_model(edges, 0.5))
    np.testing.assert_allclose(found_gains, gains, atol=1e-6)
    assert found[:50].tolist() == order[:50].tolist()
