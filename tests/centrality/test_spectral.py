"""Eigenvector and PageRank against networkx, a dense twin and certificates."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive.centrality import eigenvector_scores, pagerank_scores
from topofs import FilteredGraph
from topofs.centrality import eigenvector, pagerank, significant


def filtered(graph: nx.Graph) -> FilteredGraph:
    """Copy a networkx graph, with weights that a score of shape must not read."""
    graph = nx.convert_node_labels_to_integers(graph, ordering="sorted")
    weights = np.linspace(-1, 1, graph.number_of_edges())
    return FilteredGraph(len(graph), list(graph.edges), weights)


def apollonian(n_nodes: int, seed: int) -> nx.Graph:
    """Random planar 3-tree, the shape of a TMFG."""
    rng = np.random.default_rng(seed)
    graph = nx.complete_graph(4)
    faces = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    for node in range(4, n_nodes):
        a, b, c = faces.pop(rng.integers(len(faces)))
        graph.add_edges_from([(node, a), (node, b), (node, c)])
        faces += [(node, a, b), (node, a, c), (node, b, c)]
    return graph


def two_stars(n_leaves: int, n_between: int) -> nx.Graph:
    """Two equal stars, hubs 0 and 1, joined by a path: ρ is all but a double eigenvalue."""
    graph = nx.Graph([(hub, 2 + 2 * i + hub) for hub in (0, 1) for i in range(n_leaves)])
    first = 2 + 2 * n_leaves
    nx.add_path(graph, [0, *range(first, first + n_between), 1])
    return graph


GRAPHS = {
    "apollonian": apollonian(60, 0),
    "tree": nx.random_labeled_tree(40, seed=1),
    "path": nx.path_graph(12),
    "star": nx.star_graph(15),
    "regular": nx.petersen_graph(),
    "complete": nx.complete_graph(6),
    "grid": nx.grid_2d_graph(5, 4),
    "disconnected": nx.disjoint_union(apollonian(12, 3), nx.star_graph(4)),
    "equal components": nx.disjoint_union_all([nx.path_graph(4)] * 2 + [nx.empty_graph(2)]),
    "isolated node": nx.disjoint_union(nx.cycle_graph(5), nx.empty_graph(1)),
    "no edges": nx.empty_graph(5),
}

small_graphs = st.builds(
    nx.gnp_random_graph,
    st.integers(1, 14),
    st.floats(0.05, 0.9),
    seed=st.integers(0, 2**32 - 1),
)


@pytest.mark.parametrize("name", GRAPHS)
def test_eigenvector_equals_networkx(name):
    expected = nx.eigenvector_centrality(GRAPHS[name], max_iter=100_000, tol=1e-14)
    ordered = [expected[node] for node in sorted(GRAPHS[name])]
    np.testing.assert_allclose(eigenvector(filtered(GRAPHS[name])), ordered, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(small_graphs)
def test_eigenvector_equals_its_dense_twin(graph):
    expected = eigenvector_scores(nx.to_numpy_array(graph))
    np.testing.assert_allclose(eigenvector(filtered(graph)), expected, atol=1e-7)


@pytest.mark.parametrize(
    "graph",
    [apollonian(2000, 5), nx.random_labeled_tree(2000, seed=2), nx.path_graph(2000)],
    ids=["apollonian", "tree", "path"],
)
def test_eigenvector_is_a_certified_perron_vector(graph):
    scores = eigenvector(filtered(graph))
    assert np.linalg.norm(scores) == pytest.approx(1)
    assert (scores > 0).all()
    # Collatz-Wielandt: equal ratios at a positive vector mean that it is the Perron vector,
    # in each entry however small.
    ratios = nx.to_scipy_sparse_array(graph, nodelist=sorted(graph)) @ scores / scores
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-11)


@pytest.mark.parametrize("n_between", [0, 1, 10, 60])
def test_eigenvector_treats_two_equal_hubs_equally(n_between):
    scores = eigenvector(filtered(two_stars(20, n_between)))
    assert scores[0] == pytest.approx(scores[1], rel=1e-9)
    assert scores[0] > 0.4


def test_eigenvector_survives_scores_below_the_smallest_float():
    graph = nx.star_graph(100)
    nx.add_path(graph, range(100, 1500))
    scores = eigenvector(filtered(graph))
    assert scores[0] == pytest.approx(2**-0.5, abs=0.01)
    assert (np.diff(scores[100:]) <= 0).all()
    assert scores[-1] < 1e-280


def test_eigenvector_is_the_same_from_run_to_run():
    graph = filtered(apollonian(500, 7))
    np.testing.assert_array_equal(eigenvector(graph), eigenvector(graph))


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85, 0.99])
@pytest.mark.parametrize("name", GRAPHS)
def test_pagerank_equals_networkx(name, damping):
    graph = GRAPHS[name]
    # networkx stops on the last change: at 0.99 its error may be a hundred times that.
    expected = nx.pagerank(graph, alpha=damping, max_iter=10_000, tol=1e-14)
    scores = pagerank(filtered(graph), damping=damping)
    np.testing.assert_allclose(scores, [expected[node] for node in sorted(graph)], atol=1e-10)
    assert scores.sum() == pytest.approx(1, abs=1e-10)


@settings(max_examples=60, deadline=None)
@given(small_graphs, st.floats(0, 0.99))
def test_pagerank_equals_its_dense_twin(graph, damping):
    expected = pagerank_scores(nx.to_numpy_array(graph), damping)
    np.testing.assert_allclose(pagerank(filtered(graph), damping=damping), expected, atol=2e-12)


@pytest.mark.parametrize("damping", [-0.1, 1.0, 2.0, float("nan")])
def test_pagerank_refuses_a_damping_outside_its_range(damping):
    with pytest.raises(ValueError, match=r"damping is .* at least 0 and less than 1"):
        pagerank(filtered(nx.path_graph(3)), damping=damping)


def test_scores_that_differ_by_the_order_of_a_sum_tie():
    assert significant(np.array([0.1 + 0.2, 0.3, 0.0])).tolist() == [0.3, 0.3, 0.0]
