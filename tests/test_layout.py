import numpy as np
import pytest

from tests.matrices import factor_table
from topofs import FilteredGraph, clique_forest, mst, pearson, pmfg, tmfg
from topofs.layout import layout


@pytest.mark.parametrize("family", [mst, pmfg, tmfg])
def test_joined_nodes_lie_close_and_all_have_room(family):
    graph = family(pearson(factor_table(60, 60)))
    places = layout(graph)
    assert places.shape == (60, 2)
    assert np.abs(places).max() == pytest.approx(1)
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    along_edges = distances[tuple(graph.edges.T)].mean()
    pairs = distances[np.triu_indices(60, 1)]
    assert along_edges < 0.6 * pairs.mean()
    # Even spread would give each node a square of side 2 / √60 = 0.26.
    assert np.median(np.where(distances == 0, 9, distances).min(axis=1)) > 0.05


def test_a_large_graph_uses_cells():
    graph = tmfg(pearson(factor_table(40, 1100)))
    places = layout(graph)
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert distances[tuple(graph.edges.T)].mean() < 0.5 * distances.mean()
    assert (layout(graph) == places).all()


def test_the_drawing_is_as_wide_as_asked():
    graph = tmfg(pearson(factor_table(40, 300)))
    for aspect in (1.0, 2.0):
        width, height = np.ptp(layout(graph, aspect=aspect), axis=0)
        assert width / height == pytest.approx(aspect, rel=0.25)


@pytest.mark.parametrize("n_nodes", [0, 1, 2, 5])
def test_nodes_without_edges(n_nodes):
    places = layout(FilteredGraph(n_nodes, [], []))
    assert places.shape == (n_nodes, 2)
    assert np.isfinite(places).all()
    assert len(np.unique(places, axis=0)) == n_nodes


def test_parts_that_are_not_joined_stay_apart():
    edges = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]
    places = layout(FilteredGraph(6, edges, np.ones(6)))
    middle = [places[part].mean(axis=0) for part in (slice(0, 3), slice(3, 6))]
    assert np.linalg.norm(middle[0] - middle[1]) > 0.5


def test_zero_and_negative_weights_hold_too():
    graph = FilteredGraph(4, [[0, 1], [1, 2], [2, 3]], [0.0, -0.5, 0.0])
    places = layout(graph)
    assert np.isfinite(places).all()
    assert np.linalg.norm(places[0] - places[1]) < np.linalg.norm(places[0] - places[3])


def crossings(places, edges):
    """Pairs of edges that cross, without a common end."""

    def side(a, b, c):
        return np.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    n_crossings = 0
    for i, (a, b) in enumerate(edges):
        for c, d in edges[:i]:
            if len({a, b, c, d}) == 4:
                p, q, r, s = places[[a, b, c, d]]
                n_crossings += side(p, q, r) != side(p, q, s) and side(r, s, p) != side(r, s, q)
    return n_crossings


@pytest.mark.parametrize("n_nodes", [4, 5, 13, 30, 60])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_small_tmfg_is_drawn_without_crossings(n_nodes, seed):
    table = np.random.default_rng(seed).standard_normal((40, n_nodes))
    table[:, ::2] += 1.5 * table[:, :1]
    graph = tmfg(pearson(table, squared=True))
    places = layout(graph)
    assert crossings(places, graph.edges.tolist()) == 0
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert np.where(distances == 0, 9, distances).min() > 0.01
    np.testing.assert_array_equal(layout(graph), places)


def test_crossings_are_seen():
    square = np.array([[0, 0], [1, 1], [0, 1], [1, 0]], dtype=float)
    assert crossings(square, [[0, 1], [2, 3]]) == 1


@pytest.mark.parametrize("max_clique", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("n_nodes", [4, 5, 30])
def test_cliques_need_not_be_those_of_a_tmfg(max_clique, n_nodes):
    graph = clique_forest(pearson(factor_table(60, n_nodes)) ** 2, max_clique=max_clique)
    places = layout(graph)
    assert places.shape == (n_nodes, 2)
    assert np.isfinite(places).all()


def test_three_cliques_may_share_a_triangle():
    edges = [(0, 1), (0, 2), (1, 2)] + [(i, j) for i in range(3) for j in range(3, 6)]
    cliques = [[0, 1, 2, 3], [4, 0, 1, 2], [5, 0, 1, 2]]
    graph = FilteredGraph(6, edges, np.ones(12), cliques=cliques)
    assert np.isfinite(layout(graph)).all()
