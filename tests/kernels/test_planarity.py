"""The left-right test on graphs with a known answer, and against networkx on random ones."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import ConvexHull

from topofs._kernels.planarity import (
    add_edge,
    component_is_planar,
    planarity_arrays,
    remove_edge,
)


def edges_of(graph: nx.Graph) -> np.ndarray:
    return np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2)


def is_planar(n: int, edges: np.ndarray) -> bool:
    """Ask for one node of each component, in arrays of their own."""
    arrays = planarity_arrays(n, len(edges))
    for e, (i, j) in enumerate(edges.tolist()):
        add_edge(e, i, j, *arrays[:2])
    joined = sparse.coo_array((np.ones(len(edges)), tuple(edges.T)), shape=(n, n))
    component = sparse.csgraph.connected_components(joined, directed=False)[1]
    roots = np.unique(component, return_index=True)[1]
    return all(component_is_planar(root, *arrays) for root in roots.tolist())


def planar(graph: nx.Graph) -> bool:
    """Ask the kernel, whatever the nodes are called."""
    graph = nx.convert_node_labels_to_integers(graph)
    return is_planar(graph.number_of_nodes(), edges_of(graph))


def shuffled(graph: nx.Graph, rng: np.random.Generator) -> nx.Graph:
    """The same graph with other numbers on its nodes and its edges in another order."""
    n = graph.number_of_nodes()
    names = rng.permutation(n)
    edges = edges_of(nx.convert_node_labels_to_integers(graph))
    out = nx.empty_graph(n)
    out.add_edges_from(names[rng.permutation(edges)].tolist())
    return out


def subdivided(graph: nx.Graph, pieces: int) -> nx.Graph:
    """Every edge made a path of `pieces` edges."""
    out = nx.Graph()
    for i, j in graph.edges:
        inner = [(i, j, k) for k in range(pieces - 1)]
        nx.add_path(out, [i, *inner, j])
    return out


def triangulation(n: int, rng: np.random.Generator) -> nx.Graph:
    """A random maximal planar graph: the hull of points on a sphere."""
    points = rng.normal(size=(n, 3))
    hull = ConvexHull(points / np.linalg.norm(points, axis=1, keepdims=True))
    graph = nx.empty_graph(n)
    for a, b, c in hull.simplices.tolist():
        nx.add_cycle(graph, [a, b, c])
    return graph


PLANAR = {
    "no node": nx.empty_graph(0),
    "one node": nx.empty_graph(1),
    "no edge": nx.empty_graph(7),
    "one edge": nx.path_graph(2),
    "path": nx.path_graph(30),
    "star": nx.star_graph(12),
    "tree": nx.balanced_tree(3, 3),
    "cycle": nx.cycle_graph(9),
    "K4": nx.complete_graph(4),
    "K5 less an edge": nx.Graph(set(nx.complete_graph(5).edges) - {(1, 3)}),
    "K3,3 less an edge": nx.Graph(set(nx.complete_bipartite_graph(3, 3).edges) - {(0, 4)}),
    "K2,9": nx.complete_bipartite_graph(2, 9),
    "wheel": nx.wheel_graph(9),
    "grid": nx.grid_2d_graph(7, 8),
    "ladder": nx.circular_ladder_graph(8),
    "cube": nx.cubical_graph(),
    "octahedron": nx.octahedral_graph(),
    "dodecahedron": nx.dodecahedral_graph(),
    "icosahedron": nx.icosahedral_graph(),
    "two K4 at a cut node": nx.compose(
        nx.complete_graph(range(4)), nx.complete_graph(range(3, 7))
    ),
    "many components": nx.disjoint_union_all(
        [nx.complete_graph(4), nx.empty_graph(2), nx.icosahedral_graph(), nx.path_graph(3)]
    ),
}

NOT_PLANAR = {
    "K5": nx.complete_graph(5),
    "K3,3": nx.complete_bipartite_graph(3, 3),
    "K6": nx.complete_graph(6),
    "Petersen": nx.petersen_graph(),
    "Heawood": nx.heawood_graph(),
    "Möbius–Kantor": nx.moebius_kantor_graph(),
    "Wagner": nx.circulant_graph(8, [1, 4]),
    "hypercube": nx.hypercube_graph(4),
    "torus": nx.grid_2d_graph(4, 5, periodic=True),
    "K5 subdivided": subdivided(nx.complete_graph(5), 4),
    "K3,3 subdivided": subdivided(nx.complete_bipartite_graph(3, 3), 3),
    "K5 in the last component": nx.disjoint_union_all(
        [nx.path_graph(4), nx.empty_graph(3), nx.icosahedral_graph(), nx.complete_graph(5)]
    ),
    "K3,3 in the first component": nx.disjoint_union(
        nx.complete_bipartite_graph(3, 3), nx.grid_2d_graph(4, 4)
    ),
    "K5 at a cut node": nx.Graph([*nx.complete_graph(5).edges, (4, 5), (5, 6), (6, 4)]),
}


@pytest.mark.parametrize("name", PLANAR)
def test_planar(name):
    rng = np.random.default_rng(0)
    assert planar(PLANAR[name])
    assert all(planar(shuffled(PLANAR[name], rng)) for _ in range(10))


@pytest.mark.parametrize("name", NOT_PLANAR)
def test_not_planar(name):
    rng = np.random.default_rng(0)
    assert not planar(NOT_PLANAR[name])
    assert not any(planar(shuffled(NOT_PLANAR[name], rng)) for _ in range(10))


@pytest.mark.parametrize("name", ["K5", "K3,3", "K5 subdivided", "K3,3 subdivided"])
def test_a_kuratowski_graph_less_any_edge_is_planar(name):
    for edge in NOT_PLANAR[name].edges:
        graph = NOT_PLANAR[name].copy()
        graph.remove_edge(*edge)
        assert planar(graph)


def test_every_graph_up_to_seven_nodes_agrees_with_networkx():
    answers = {True: 0, False: 0}
    for graph in nx.graph_atlas_g():
        expected = nx.check_planarity(graph)[0]
        assert planar(graph) == expected, list(graph.edges)
        answers[expected] += 1
    assert min(answers.values()) > 100


def test_random_graphs_of_every_density_agree_with_networkx():
    rng = np.random.default_rng(1)
    answers = {True: 0, False: 0}
    for _ in range(1000):
        n = int(rng.integers(5, 40))
        n_edges = int(n * rng.uniform(0.5, 2.2))
        graph = nx.gnm_random_graph(n, n_edges, seed=int(rng.integers(2**31)))
        expected = nx.check_planarity(graph)[0]
        assert planar(graph) == expected, list(graph.edges)
        answers[expected] += 1
    assert min(answers.values()) > 100


def test_triangulations_more_or_less_an_edge():
    rng = np.random.default_rng(2)
    for n in [*range(5, 15), 20, 40]:
        graph = triangulation(n, rng)
        assert graph.number_of_edges() == 3 * n - 6
        assert planar(shuffled(graph, rng))
        full = graph.copy()
        full.add_edge(*next(iter(nx.non_edges(graph))))
        assert not planar(full)
        graph.remove_edge(*rng.permutation(np.array(graph.edges))[0].tolist())
        assert planar(shuffled(graph, rng))


def test_triangulations_with_edges_moved_agree_with_networkx():
    rng = np.random.default_rng(3)
    answers = {True: 0, False: 0}
    for _ in range(300):
        graph = triangulation(int(rng.integers(6, 25)), rng)
        for edge in rng.permutation(np.array(graph.edges))[: rng.integers(2, 12)].tolist():
            graph.remove_edge(*edge)
        others = np.array(list(nx.non_edges(graph)))
        graph.add_edge(*others[rng.integers(len(others))].tolist())
        graph = shuffled(graph, rng)
        expected = nx.check_planarity(graph)[0]
        assert planar(graph) == expected, list(graph.edges)
        answers[expected] += 1
    assert min(answers.values()) > 50


def test_arrays_serve_one_graph_after_another():
    """Edges added and taken back, with the answer of fresh arrays at each step."""
    rng = np.random.default_rng(4)
    n, n_edges = 12, 24
    arrays = planarity_arrays(n, n_edges)
    node, half = arrays[:2]
    edges: list[list[int]] = []
    answers = {True: 0, False: 0}
    for _ in range(400):
        missing = [(i, j) for i in range(n) for j in range(i + 1, n) if [i, j] not in edges]
        if len(edges) == n_edges or (edges and rng.random() < 0.4):
            edges.pop()
            remove_edge(len(edges), node, half)
        else:
            i, j = missing[rng.integers(len(missing))]
            add_edge(len(edges), i, j, node, half)
            edges.append([i, j])
        answer = all(component_is_planar(root, *arrays) for root in range(n))
        assert answer == is_planar(n, np.array(edges, dtype=np.int64).reshape(-1, 2))
        answers[answer] += 1
    assert min(answers.values()) > 50


def test_only_the_component_of_the_root_is_looked_at():
    graph = NOT_PLANAR["K5 in the last component"]
    n = graph.number_of_nodes()
    arrays = planarity_arrays(n, graph.number_of_edges())
    for e, (i, j) in enumerate(graph.edges):
        add_edge(e, i, j, *arrays[:2])
    answers = [component_is_planar(root, *arrays) for root in (0, 4, 8, n - 1)]
    assert answers == [True, True, True, False]


@pytest.mark.needs_jit
def test_depth_is_no_limit():
    """A path far beyond Python's recursion limit, with and without a K3,3 at its end."""
    n = 200_000
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    ends = np.array([[n - 6, n - 3], [n - 5, n - 2], [n - 4, n - 1]])
    closing = np.array([[n - 6, n - 1]])
    assert is_planar(n, path)
    assert is_planar(n, np.concatenate([path, ends]))
    assert not is_planar(n, np.concatenate([path, ends, closing]))


@pytest.mark.needs_jit
def test_a_large_graph_that_crosses_once():
    rng = np.random.default_rng(5)
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(60, 60))
    assert planar(shuffled(grid, rng))
    grid.add_edge(0, 60 * 30 + 30)
    assert not planar(shuffled(grid, rng))
