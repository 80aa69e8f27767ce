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
from tests.naive import networks as naive
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
    document = graphml_document(FilteredGraph(2, [[0, 1]], [0.25], labels=labels))
    nodes = nx.parse_graphml(document.decode()).nodes
    assert [nodes[node].get("label") or "" for node in ("n0", "n1")] == labels


def test_networkx_keeps_labels():
    graph = FilteredGraph(2, [[0, 1]], [1.0], labels=["a", "b"])
    assert graph.to_networkx().nodes[1]["label"] == "b"


def test_graphml_with_more_about_the_nodes():
    data = {"selected": [True, False], "rank": [1, 2], "score": [0.5, 3]}
    graph = FilteredGraph(2, [[0, 1]], [0.25], labels=["a", "b"])
    text = graphml_document(graph, data, {"frequency": [0.75]})
    read = nx.parse_graphml(text.decode())
    assert read.edges["n0", "n1"] == {"weight": 0.25, "frequency": 0.75}
    nodes = read.nodes
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


def signed(graph):
    values = np.linspace(-1, 1, graph.n_edges)
    return FilteredGraph(graph.n_nodes, graph.edges, graph.weights, correlations=values)


def test_correlations_follow_their_edges(tmp_path):
    graph = FilteredGraph(3, [[2, 1], [1, 0]], [0.25, 0.5], correlations=[-0.5, 0.75])
    assert graph.correlations.tolist() == [0.75, -0.5]
    assert not graph.correlations.flags.writeable
    other = graph.renumbered(np.array([2, 1, 0]))
    assert other.edges.tolist() == [[0, 1], [1, 2]]
    assert other.correlations.tolist() == [-0.5, 0.75]
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert graph != FilteredGraph(3, graph.edges, graph.weights)
    assert graph.to_networkx().edges[1, 2] == {"weight": 0.25, "correlation": -0.5}
    path = tmp_path / "g.graphml"
    graph.write_graphml(path, node_data={"community": np.array([0, 0, 1])})
    read = nx.read_graphml(path)
    assert read.edges["n1", "n2"] == {"weight": 0.25, "correlation": -0.5}
    assert [read.nodes[node]["community"] for node in ("n0", "n1", "n2")] == [0, 0, 1]


def test_a_graph_without_edges_has_numbers_as_weights():
    document = graphml_document(FilteredGraph(2, [], [], correlations=[])).decode()
    assert document.count('attr.type="double"') == 2


@pytest.mark.parametrize(
    ("correlations", "message"),
    [
        ([0.5, 0.1], r"one number an edge, of 1 edges; got the shape \(2,\)"),
        ([1.5], r"a correlation is 1.5; correlations must lie in \[-1, 1\]"),
        ([np.nan], "a correlation is nan"),
    ],
)
def test_impossible_correlations_are_refused(correlations, message):
    with pytest.raises(ValueError, match=message):
        FilteredGraph(2, [[0, 1]], [1.0], correlations=correlations)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"label": [1, 2]}, "'label'.*another name"),
        ({"weight": [1, 2]}, "'weight'.*another name"),
        ({"community": [1]}, "for each of 2 nodes"),
        ({"community": ["a", "b"]}, "for each of 2 nodes"),
        ({"community": 3}, "for each of 2 nodes"),
    ],
)
def test_impossible_node_data_leave_no_file(data, message, tmp_path):
    path = tmp_path / "g.graphml"
    with pytest.raises(ValueError, match=message):
        FilteredGraph(2, [[0, 1]], [1.0]).write_graphml(path, node_data=data)
    assert not path.exists()


@given(st.integers(0, 10_000), st.booleans())
def test_topological_overlap_is_its_definition(seed, with_signs):
    graph = tmfg(np.abs(np.corrcoef(factor_table(30, 9, seed=seed).T)))
    graph = signed(graph) if with_signs else graph
    values = graph.correlations if with_signs else graph.weights
    matrix = np.zeros((9, 9))
    for (i, j), value in zip(graph.edges.tolist(), values.tolist(), strict=True):
        matrix[i, j] = matrix[j, i] = value
    found = graph.topological_overlap().toarray()
    np.testing.assert_allclose(found, naive.topological_overlap(matrix), atol=1e-12)
    np.testing.assert_array_equal(found, found.T)


def test_topological_overlap_of_few_nodes():
    assert FilteredGraph(2, [], []).topological_overlap().nnz == 0
    pair = FilteredGraph(2, [[0, 1]], [0.5], correlations=[-0.5])
    assert pair.topological_overlap().toarray().tolist() == [[0, -0.5], [-0.5, 0]]
    # An edge of weight 0 between strangers says nothing.
    zero = FilteredGraph(3, [[0, 1], [1, 2]], [0.0, 0.5])
    assert zero.topological_overlap().toarray()[0, 1] == 0
