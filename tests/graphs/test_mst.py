"""mst against Kruskal over the same total order, scipy's total weight, and the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse.csgraph import minimum_spanning_tree

from tests.certificates import assert_spanning_tree
from tests.naive.graphs import naive_mst
from topofs._kernels.spanning_tree import maximum_spanning_tree
from topofs.graphs.mst import mst


@st.composite
def tied_matrices(draw, max_n: int = 12) -> np.ndarray:
    """Symmetric, of a few values only, so that ties, zeros and negatives abound."""
    n = draw(st.integers(1, max_n))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    levels = draw(st.sampled_from([(0.0,), (-1.0, 0.0, 1.0), (-0.5, -0.0, 0.0, 0.25, 3.0)]))
    upper = np.triu(draw(hnp.arrays(dtype, (n, n), elements=st.sampled_from(levels))), 1)
    return upper + upper.T


def random_matrix(n: int, seed: int, dtype: type = np.float64) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(n, n)).astype(dtype)
    return (values + values.T) / 2


def edge_list(graph) -> list[tuple[int, int]]:
    return [(i, j) for i, j in graph.edges.tolist()]


@settings(deadline=None, max_examples=150)
@given(tied_matrices())
def test_equals_kruskal_under_ties(similarity):
    tree = mst(similarity)
    assert_spanning_tree(tree)
    assert edge_list(tree) == naive_mst(similarity)
    assert tree.weights.dtype == similarity.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 60])
def test_equals_kruskal_on_random_weights(n, dtype):
    similarity = random_matrix(n, seed=n, dtype=dtype)
    tree = mst(similarity)
    assert_spanning_tree(tree)
    assert edge_list(tree) == naive_mst(similarity)
    assert tree.weights.tolist() == [similarity[i, j] for i, j in tree.edges]


def test_equals_kruskal_on_few_levels():
    """Ties between edges that share no node, which only the full order settles."""
    rng = np.random.default_rng(7)
    for n_levels in (2, 3, 5, 8) * 40:
        n = rng.integers(4, 16)
        upper = np.triu(rng.integers(n_levels, size=(n, n)) - 1.0, 1)
        similarity = upper + upper.T
        assert edge_list(mst(similarity)) == naive_mst(similarity)


def test_total_weight_equals_scipy():
    similarity = random_matrix(80, seed=0)
    # scipy reads zeros as absent edges and minimises: shift and turn round.
    distance = similarity.max() + 1 - similarity
    np.fill_diagonal(distance, 0)
    total = 79 * (similarity.max() + 1) - minimum_spanning_tree(distance).sum()
    assert mst(similarity).weights.sum() == pytest.approx(total)


def test_all_equal_weights_give_the_star_of_node_0():
    assert edge_list(mst(np.full((6, 6), -2.0))) == [(0, j) for j in range(1, 6)]


def test_permuting_distinct_weights_permutes_the_tree():
    similarity = random_matrix(30, seed=3)
    shuffle = np.random.default_rng(4).permutation(30)
    shuffled = mst(similarity[np.ix_(shuffle, shuffle)])
    back = {frozenset(shuffle[edge].tolist()) for edge in shuffled.edges}
    assert back == {frozenset(edge) for edge in edge_list(mst(similarity))}


def test_kernel_reads_the_upper_triangle_only():
    similarity = random_matrix(20, seed=5)
    holed = np.where(np.triu(np.ones((20, 20)), 1) > 0, similarity, np.nan)
    assert np.array_equal(maximum_spanning_tree(holed), maximum_spanning_tree(similarity))


def test_rounding_in_the_lower_half_is_ignored():
    exact = np.full((5, 5), 0.5)
    noisy = exact + np.tril(np.random.default_rng(6).uniform(0, 1e-10, (5, 5)), -1)
    assert mst(noisy) == mst(exact)


def test_a_matrix_that_is_not_symmetric_is_refused():
    with pytest.raises(ValueError, match="not symmetric"):
        mst([[1.0, 0.5], [0.4, 1.0]])
