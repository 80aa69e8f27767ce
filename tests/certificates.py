"""What a graph must satisfy, checked from its definition; each takes a FilteredGraph."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from topofs import FilteredGraph


def assert_spanning_tree(graph: FilteredGraph) -> None:
    """Connected, with one edge less than nodes."""
    assert graph.n_edges == graph.n_nodes - 1
    assert nx.is_connected(graph.to_networkx())


def assert_planar(graph: FilteredGraph) -> None:
    """There is a combinatorial embedding of genus zero, with exactly these edges."""
    copy = graph.to_networkx()
    planar, embedding = nx.check_planarity(copy)
    assert planar
    embedding.check_structure()
    assert {frozenset(edge) for edge in embedding.edges} == {frozenset(e) for e in copy.edges}


def assert_maximal_planar(graph: FilteredGraph) -> None:
    """Planar, and full: 3n - 6 edges, or all pairs of fewer than three nodes."""
    n = graph.n_nodes
    assert graph.n_edges == (3 * n - 6 if n >= 3 else n * (n - 1) // 2)
    assert_planar(graph)


def assert_chordal(graph: FilteredGraph) -> None:
    """Every cycle of four or more nodes has a chord."""
    assert nx.is_chordal(graph.to_networkx())


def assert_perfect_elimination_order(graph: FilteredGraph, order: list[int]) -> None:
    """When each node goes, in this order, its remaining neighbours are a clique."""
    copy = graph.to_networkx()
    assert sorted(order) == list(range(graph.n_nodes))
    for v in order:
        assert all(copy.has_edge(a, b) for a, b in combinations(copy[v], 2)), v
        copy.remove_node(v)


def assert_tmfg(graph: FilteredGraph) -> None:
    """Maximal planar and chordal, with cliques, separators and an order that prove it; n >= 4.

    Each clique after the first is the inserted node and the separator it was joined to, and
    the cliques hold every edge.
    """
    n = graph.n_nodes
    assert_maximal_planar(graph)
    assert_chordal(graph)
    assert graph.cliques is not None
    assert graph.separators is not None
    assert graph.order is not None
    assert graph.cliques.shape == (n - 3, 4)
    assert graph.separators.shape == (n - 4, 3)
    _assert_distinct_cliques(graph, graph.cliques.tolist())
    _assert_distinct_cliques(graph, graph.separators.tolist())
    assert graph.cliques[0].tolist() == graph.order[:4].tolist()
    assert graph.cliques[1:, 0].tolist() == graph.order[4:].tolist()
    assert graph.cliques[1:, 1:].tolist() == graph.separators.tolist()
    covered = {frozenset(e) for row in graph.cliques.tolist() for e in combinations(row, 2)}
    assert covered == {frozenset(edge) for edge in graph.edges.tolist()}
    assert_perfect_elimination_order(graph, graph.order[::-1].tolist())


def _assert_distinct_cliques(graph: FilteredGraph, cliques: list[list[int]]) -> None:
    copy = graph.to_networkx()
    for clique in cliques:
        assert len(set(clique)) == len(clique), clique
        assert all(copy.has_edge(a, b) for a, b in combinations(clique, 2)), clique
    assert len({frozenset(clique) for clique in cliques}) == len(cliques)


def assert_clique_forest(graph: FilteredGraph, max_clique: int) -> None:
    """Chordal, by its cliques: all the maximal ones, each met by those before in a separator.

    A clique meets all earlier ones in its separator, which lies in one of them (the running
    intersection property); the reverse of the insertion order eliminates without new edges.
    """
    assert graph.cliques is not None
    assert graph.separators is not None
    assert graph.order is not None
    assert_chordal(graph)
    assert_perfect_elimination_order(graph, graph.order[::-1].tolist())
    cliques = [{v for v in row if v >= 0} for row in graph.cliques.tolist()]
    separators = [{v for v in row if v >= 0} for row in graph.separators.tolist()]
    expected = {frozenset(clique) for clique in nx.find_cliques(graph.to_networkx())}
    assert {frozenset(clique) for clique in cliques} == expected
    assert len(cliques) == len(expected) == len(separators) + 1
    assert max(map(len, cliques)) <= max_clique
    before: set[int] = set()
    for i, clique in enumerate(cliques):
        if i:
            assert clique & before == separators[i - 1]
            assert any(separators[i - 1] <= other for other in cliques[:i])
        before |= clique
