"""pmfg against its twin over networkx's planarity test, and against its definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.certificates import (
    assert_chordal,
    assert_maximal_planar,
    assert_planar,
    assert_spanning_tree,
    assert_tmfg,
)
from tests.naive.graphs import naive_mst, naive_pmfg
from topofs import FilteredGraph
from topofs._kernels.planarity import planar_filter
from topofs.graphs.pmfg import pmfg


@st.composite
def tied_matrices(draw, max_n: int = 9) -> np.ndarray:
    """Symmetric, of a few values only, so that ties, zeros and negatives abound."""
    n = draw(st.integers(1, max_n))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    levels = draw(st.sampled_from([(0.0,), (-1.0, 0.0, 1.0), (-0.5, -0.0, 0.0, 0.25, 3.0)]))
    upper = np.triu(draw(hnp.arrays(dtype, (n, n), elements=st.sampled_from(levels))), 1)
    return upper + upper.T


def random_matrix(n: int, seed: int, dtype: type = np.float64) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=(n, n)).astype(dtype)
    return (values + values.T) / 2


def factor_matrix(n: int, seed: int) -> np.ndarray:
    """Correlations of features that share three factors: many strong blocks."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(100, 3)) @ rng.normal(size=(3, n))
    return np.corrcoef(common + rng.normal(size=(100, n)), rowvar=False)


def edge_list(graph) -> list[tuple[int, int]]:
    return [(i, j) for i, j in graph.edges.tolist()]


@settings(deadline=None, max_examples=80)
@given(tied_matrices())
def test_equals_the_naive_twin_under_ties(similarity):
    graph = pmfg(similarity)
    assert_maximal_planar(graph)
    assert edge_list(graph) == naive_pmfg(similarity)
    assert graph.weights.dtype == similarity.dtype


@pytest.mark.parametrize("make", [random_matrix, factor_matrix])
@pytest.mark.parametrize("n", [5, 12, 25])
def test_equals_the_naive_twin(n, make):
    similarity = make(n, seed=n)
    graph = pmfg(similarity)
    assert_maximal_planar(graph)
    assert edge_list(graph) == naive_pmfg(similarity)
    assert graph.weights.tolist() == [similarity[i, j] for i, j in graph.edges]


@pytest.mark.needs_jit
@pytest.mark.parametrize("make", [random_matrix, factor_matrix])
def test_150_nodes_are_maximal_planar_and_hold_the_spanning_tree(make):
    similarity = make(150, seed=0)
    graph = pmfg(similarity)
    assert_maximal_planar(graph)
    assert set(naive_mst(similarity)) <= set(edge_list(graph))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_up_to_four_nodes_the_graph_is_complete(n):
    graph = pmfg(random_matrix(n, seed=n))
    assert edge_list(graph) == list(combinations(range(n), 2))


def test_five_nodes_lose_the_weakest_edge():
    similarity = random_matrix(5, seed=1)
    weakest = min(combinations(range(5), 2), key=lambda edge: similarity[edge])
    assert set(combinations(range(5), 2)) - set(edge_list(pmfg(similarity))) == {weakest}


def test_a_maximal_planar_graph_is_its_own_filter():
    similarity = random_matrix(15, seed=2)
    graph = pmfg(similarity)
    strong = np.zeros((15, 15))
    strong[tuple(graph.edges.T)] = 1
    assert edge_list(pmfg(strong + strong.T)) == edge_list(graph)


def test_permuting_distinct_weights_permutes_the_graph():
    similarity = random_matrix(15, seed=3)
    shuffle = np.random.default_rng(4).permutation(15)
    shuffled = pmfg(similarity[np.ix_(shuffle, shuffle)])
    back = {frozenset(shuffle[edge].tolist()) for edge in shuffled.edges}
    assert back == {frozenset(edge) for edge in edge_list(pmfg(similarity))}


def test_the_diagonal_and_rounding_in_the_lower_half_play_no_part():
    similarity = np.round(random_matrix(10, seed=5))
    noise = np.tril(np.random.default_rng(6).uniform(0, 1e-10, (10, 10)), -1)
    other = similarity + noise
    np.fill_diagonal(other, 1e6)
    assert pmfg(other) == pmfg(similarity)


def test_a_matrix_that_is_not_symmetric_is_refused():
    with pytest.raises(ValueError, match="not symmetric"):
        pmfg([[1.0, 0.5], [0.4, 1.0]])


def test_filter_of_few_candidates_leaves_the_graph_short_of_full():
    i, j = np.triu_indices(5, 1)
    # K5 among the first five of nine nodes, then two edges between other components.
    candidates = np.concatenate([np.column_stack([i, j]), [[5, 6], [6, 7]]])
    accepted = planar_filter(9, candidates)
    assert accepted.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11]


def test_filter_stops_at_a_triangulation():
    i, j = np.triu_indices(4, 1)
    assert planar_filter(4, np.column_stack([i, j])).tolist() == list(range(6))
    assert planar_filter(3, np.empty((0, 2), dtype=np.int64)).tolist() == []


def graph_of(n: int, edges, **parts) -> FilteredGraph:
    return FilteredGraph(n, edges, np.ones(len(edges)), **parts)


SQUARE = [(0, 1), (1, 2), (2, 3), (0, 3)]
K5 = list(combinations(range(5), 2))


@pytest.mark.parametrize(
    ("certificate", "graph"),
    [
        (assert_planar, graph_of(5, K5)),
        (assert_maximal_planar, graph_of(5, K5)),
        (assert_maximal_planar, graph_of(4, SQUARE)),
        (assert_chordal, graph_of(4, SQUARE)),
        (assert_spanning_tree, graph_of(4, SQUARE)),
        (assert_spanning_tree, graph_of(4, [(0, 1), (1, 2), (0, 2)])),
    ],
)
def test_certificates_fire(certificate, graph):
    with pytest.raises(AssertionError):
        certificate(graph)


def test_the_certificate_of_a_tmfg_fires_on_each_part():
    edges = [edge for edge in K5 if edge != (3, 4)]
    parts = {
        "cliques": [[0, 1, 2, 3], [4, 0, 1, 2]],
        "separators": [[0, 1, 2]],
        "order": [0, 1, 2, 3, 4],
    }
    assert_tmfg(graph_of(5, edges, **parts))
    wrong = [
        {"cliques": None},
        {"cliques": [[0, 1, 2, 3]]},
        {"cliques": [[0, 1, 2, 3], [4, 0, 1, 3]], "separators": [[0, 1, 3]]},
        {"cliques": [[0, 1, 2, 3], [4, 0, 1, 1]], "separators": [[0, 1, 1]]},
        {"separators": [[0, 1, 3]]},
        {"order": [0, 1, 2, 4, 3]},
        {"order": [0, 1, 2, 3, 3]},
    ]
    for change in wrong:
        with pytest.raises(AssertionError):
            assert_tmfg(graph_of(5, edges, **(parts | change)))
    with pytest.raises(AssertionError):
        assert_tmfg(graph_of(5, edges[:-1], **parts))
