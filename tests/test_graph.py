import copy
import pickle
from dataclasses import FrozenInstanceError
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.matrices import factor_table
from topofs import FilteredGraph, tmfg
from topofs.graphs.filtered_graph import graphml_document


@pytest.fixture
def graph():
    similarity = np.corrcoef(factor_table(40, 8).T)
    return tmfg(np.where(similarity < 0, 0, similarity))


def test_edges_are_sorted_and_weights_follow():
    graph = FilteredGraph(4, [[3, 0], [2, 1], [1, 0]], [3, 2, 1])
    assert graph.edges.tolist() == [[0, 1], [0, 3], [1, 2]]
    assert graph.weights.tolist() == [1.0, 3.0, 2.0]
    assert graph.n_edges == 3


def test_degree_strength_and_neighbors_agree_with_networkx(graph):
    other = graph.to_networkx()
    np.testing.assert_array_equal(graph.degree(), [other.degree[i] for i in range(8)])
    expected = [other.degree(i, weight="weight") for i in range(8)]
    np.testing.assert_allclose(graph.strength(), expected)
    for node in range(8):
        assert graph.neighbors(node).tolist() == sorted(other[node])


def test_an_edge_of_weight_zero_is_an_edge():
    graph = FilteredGraph(3, [[0, 1], [1, 2]], [0.0, 0.0])
    assert graph.degree().tolist() == [1, 2, 1]
    assert graph.to_scipy().nnz == 4
    assert graph.neighbors(1).tolist() == [0, 2]
    assert graph.to_networkx().number_of_edges() == 2


def test_to_scipy_is_symmetric_and_a_copy(graph):
    adjacency = graph.to_scipy()
    np.testing.assert_array_equal(adjacency.toarray(), adjacency.toarray().T)
    adjacency.data[:] = 7
    assert 7 not in graph.to_scipy().data


def test_it_is_frozen(graph):
    with pytest.raises(FrozenInstanceError):
        graph.n_nodes = 3
    with pytest.raises(ValueError, match="read-only"):
        graph.edges[0, 0] = 5


def test_it_does_not_share_memory_with_what_it_was_made_from():
    edges, weights = np.array([[0, 1]]), np.array([0.5])
    graph = FilteredGraph(2, edges, weights)
    edges[0, 0], weights[0] = 1, 9
    assert graph.edges.tolist() == [[0, 1]]
    assert graph.weights.tolist() == [0.5]


def test_equality_hash_and_round_trips(graph):
    for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert other == graph
        assert hash(other) == hash(graph)
        assert not other.edges.flags.writeable
    assert graph != FilteredGraph(8, graph.edges, graph.weights)
    assert graph != FilteredGraph(
        8,
        graph.edges,
        graph.weights + 1,
        cliques=graph.cliques,
        order=graph.order,
        separators=graph.separators,
    )
    assert graph != "graph"


def test_repr_is_readable(graph):
    assert repr(graph) == "FilteredGraph(n_nodes=8, n_edges=18, n_cliques=5)"
    assert repr(FilteredGraph(0, [], [])) == "FilteredGraph(n_nodes=0, n_edges=0)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((6, [[0, 1, 2], [3, 4, 5]], [1.0] * 3), r"pairs of whole numbers.*\(2, 3\)"),
        ((2, [[0.5, 1.0]], [1.0]), "pairs of whole numbers.* got float64"),
        ((2, [[0, 1]], [[1.0]]), "one number an edge"),
        ((2, [[0, 1]], []), "got 1 edges and 0 weights"),
        ((2, [[0, 2]], [1.0]), r"the edge \(0, 2\) leaves the nodes 0 … 1"),
        ((2, [[-1, 0]], [1.0]), r"the edge \(-1, 0\) leaves"),
        ((2, [[1, 1]], [1.0]), "node 1 is joined to itself"),
        ((2, [[0, 1], [1, 0]], [1.0, 1.0]), r"the edge \(0, 1\) is given twice"),
        ((-1, [], []), "n_nodes is -1"),
    ],
)
def test_impossible_edges_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        FilteredGraph(*arguments)


def test_labels_must_be_as_many_as_nodes():
    with pytest.raises(ValueError, match="got 1 labels for 2 nodes"):
        FilteredGraph(2, [[0, 1]], [1.0], labels=["a"])


@pytest.mark.parametrize("node", [-1, 8])
def test_neighbors_of_no_node_are_refused(graph, node):
    with pytest.raises(IndexError, match=f"node {node} is not one of 0 … 7"):
        graph.neighbors(node)


@pytest.mark.parametrize(
    "labels", [None, ["a", '<b> & "c"', "é\n", "\x00\x1b", "", "f", "g", "h"]]
)
def test_graphml_reads_back(graph, labels, tmp_path):
    graph = FilteredGraph(8, graph.edges, graph.weights, labels=labels)
    path = tmp_path / "graph.graphml"
    graph.write_graphml(path)
    other = nx.read_graphml(path, node_type=lambda name: int(name[1:]))
    assert {tuple(sorted(edge)) for edge in other.edges} == {
        tuple(edge) for edge in graph.edges.tolist()
    }
    for (i, j), weight in zip(graph.edges.tolist(), graph.weights, strict=True):
        assert other.edges[i, j]["weight"] == weight
    if labels is not None:
        shown = {node.text for node in ElementTree.parse(path).iterfind(".//{*}node/{*}data")}
        assert '<b> & "c"' in shown
        assert "\ufffd\ufffd" in shown


@given(st.lists(st.text('\r\n\t &#13;<>"é', max_size=6), min_size=2, max_size=2))
def test_graphml_keeps_every_character_that_xml_can_hold(labels):
    document = graphml_document(2, np.array([[0, 1]]), np.array([0.25]), labels)
    nodes = nx.parse_graphml(document.decode()).nodes
    assert [nodes[node].get("label") or "" for node in ("n0", "n1")] == labels


def test_networkx_keeps_labels():
    graph = FilteredGraph(2, [[0, 1]], [1.0], labels=["a", "b"])
    assert graph.to_networkx().nodes[1]["label"] == "b"


def test_graphml_with_more_about_the_nodes():
    data = {"selected": [True, False], "rank": [1, 2], "score": [0.5, 3]}
    text = graphml_document(2, np.array([[0, 1]]), np.array([0.25]), ["a", "b"], data)
    nodes = nx.parse_graphml(text.decode()).nodes
    assert nodes["n0"] == {"label": "a", "selected": True, "rank": 1, "score": 0.5}
    assert nodes["n1"] == {"label": "b", "selected": False, "rank": 2, "score": 3.0}


def test_other_numbers_leave_what_fills_up_rows():
    cliques, separators = [[0, 1, -1], [2, 1, -1], [3, 0, 1]], [[1, -1], [0, 1]]
    graph = FilteredGraph(
        4, [[0, 1], [1, 2], [0, 3], [1, 3]], np.ones(4), cliques=cliques, separators=separators
    )
    numbers = np.array([3, 1, 0, 2])
    other = graph.renumbered(numbers)
    assert other.cliques.tolist() == [[3, 1, -1], [0, 1, -1], [2, 3, 1]]
    assert other.separators.tolist() == [[1, -1], [3, 1]]
    assert other.renumbered(np.argsort(numbers)) == graph
