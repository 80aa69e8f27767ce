"""Closeness and betweenness against networkx."""

import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topofs import FilteredGraph
from topofs import centrality as paths
from topofs.centrality import betweenness, closeness
from topofs.errors import MissingExtraError

ORACLES = {
    closeness: nx.closeness_centrality,
    betweenness: nx.betweenness_centrality,
}

small_graphs = st.builds(
    nx.gnp_random_graph,
    st.integers(0, 25),
    st.floats(0.0, 0.6),
    seed=st.integers(0, 2**32 - 1),
)


def filtered(graph: nx.Graph) -> FilteredGraph:
    """Copy a networkx graph, with weights that a score of shape must not read."""
    weights = np.linspace(-1, 1, graph.number_of_edges())
    return FilteredGraph(len(graph), list(graph.edges), weights)


def assert_equals_oracle(centrality, graph):
    expected = ORACLES[centrality](graph)
    values = [expected[node] for node in range(len(graph))]
    np.testing.assert_allclose(centrality(filtered(graph)), values, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("centrality", ORACLES, ids=lambda function: function.__name__)
@settings(max_examples=60, deadline=None)
@given(graph=small_graphs)
def test_equals_networkx(centrality, graph):
    assert_equals_oracle(centrality, graph)


@pytest.mark.parametrize("centrality", ORACLES, ids=lambda function: function.__name__)
@pytest.mark.parametrize(
    "graph",
    [
        nx.empty_graph(1),
        nx.path_graph(2),
        nx.empty_graph(2),
        nx.star_graph(9),
        nx.cycle_graph(9),
        nx.disjoint_union(nx.path_graph(5), nx.complete_graph(4)),
        # More nodes than two blocks of sources.
        nx.disjoint_union(nx.random_labeled_tree(270, seed=1), nx.path_graph(20)),
    ],
    ids=["one", "two joined", "two apart", "star", "cycle", "disconnected", "blocks"],
)
def test_equals_networkx_on(centrality, graph):
    assert_equals_oracle(centrality, graph)


def test_closeness_does_not_depend_on_the_block(monkeypatch):
    graph = filtered(nx.gnp_random_graph(40, 0.06, seed=3))
    whole = closeness(graph)
    monkeypatch.setattr(paths, "SOURCES_PER_BLOCK", 7)
    np.testing.assert_array_equal(closeness(graph), whole)


def test_betweenness_is_the_same_from_run_to_run():
    # 400 nodes are above the default size at which rustworkx goes parallel.
    graph = filtered(nx.random_labeled_tree(400, seed=4))
    dense = filtered(nx.gnp_random_graph(400, 0.02, seed=4))
    for each in (graph, dense):
        first = betweenness(each)
        for _ in range(3):
            np.testing.assert_array_equal(betweenness(each), first)


def test_betweenness_without_rustworkx_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "rustworkx", None)
    with pytest.raises(MissingExtraError, match=r"betweenness needs .*topofs\[graphs\]"):
        betweenness(filtered(nx.path_graph(3)))
