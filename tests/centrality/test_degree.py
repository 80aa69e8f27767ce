"""Degree and strength: hand-made values, and the registry of all graph centralities."""

import numpy as np
import pytest

from topofs import FilteredGraph
from topofs.centrality import CENTRALITIES, degree, strength

STAR = FilteredGraph(5, [[2, 0], [2, 1], [2, 3]], [0.5, -0.25, 0.0])


def test_degree_counts_edges_whatever_their_weight():
    np.testing.assert_array_equal(degree(STAR), [1, 1, 3, 1, 0])


def test_strength_sums_signed_weights():
    np.testing.assert_array_equal(strength(STAR), [0.5, -0.25, 0.25, 0, 0])


def test_strength_sums_float32_weights_in_float64():
    weights = np.array([1.0, 1e-9], dtype=np.float32)
    scores = strength(FilteredGraph(3, [[0, 1], [0, 2]], weights))
    assert scores[0] == 1.0 + float(weights[1])


def test_registry_names_the_six_centralities_in_order():
    assert list(CENTRALITIES) == [
        "degree",
        "strength",
        "eigenvector",
        "pagerank",
        "closeness",
        "betweenness",
    ]


@pytest.mark.parametrize("name", CENTRALITIES)
@pytest.mark.parametrize("n_nodes", [0, 1, 2, 7])
def test_scores_are_finite_float64_of_one_a_node(name, n_nodes):
    for n_edges in (0, max(n_nodes - 1, 0)):
        edges = [[i, i + 1] for i in range(n_edges)]
        graph = FilteredGraph(n_nodes, edges, np.linspace(-1, 1, n_edges, dtype=np.float32))
        scores = CENTRALITIES[name](graph)
        assert scores.dtype == np.float64
        assert scores.shape == (n_nodes,)
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", [name for name in CENTRALITIES if name != "strength"])
def test_weights_play_no_role_but_in_strength(name):
    reweighted = FilteredGraph(5, STAR.edges, [0.0, 7.0, -3.0])
    np.testing.assert_array_equal(CENTRALITIES[name](STAR), CENTRALITIES[name](reweighted))
