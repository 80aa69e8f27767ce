"""Communities by DBHT against their definition, and against a published program."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.matrices import factor_table
from tests.naive import networks as naive
from topofs import FilteredGraph, clique_forest, mst, pmfg, tmfg
from topofs.graphs.communities import bubble_tree

PUBLISHED = json.loads(
    (Path(__file__).parents[1] / "data" / "dbht.json").read_text(encoding="utf-8")
)


def similarity(n, seed, n_factors=3):
    return np.abs(np.corrcoef(factor_table(60, n, seed=seed, n_factors=n_factors).T))


def sets_of(community):
    return {
        frozenset(np.flatnonzero(community == number)) for number in set(community.tolist())
    }


def without_cliques(graph):
    return FilteredGraph(graph.n_nodes, graph.edges, graph.weights)


@pytest.mark.parametrize("build", [tmfg, pmfg])
@settings(max_examples=15, deadline=None)
@given(n=st.integers(5, 16), seed=st.integers(0, 10_000), n_factors=st.integers(2, 5))
def test_they_follow_the_definition(build, n, seed, n_factors):
    graph = build(similarity(n, seed, n_factors))
    expected = naive.communities(n, graph.edges.tolist(), graph.weights.tolist())
    assert sets_of(graph.communities()) == expected


@pytest.mark.parametrize("seed", range(5))
def test_cliques_and_triangles_give_the_same_tree(seed):
    graph = tmfg(similarity(30, seed))
    by_cliques, by_triangles = bubble_tree(graph), bubble_tree(without_cliques(graph))

    def edges(tree):
        sets = [frozenset(bubble.tolist()) for bubble in tree.bubbles]
        ends = zip(tree.source.tolist(), tree.target.tolist(), strict=True)
        return {(sets[i], sets[j]) for i, j in ends}

    assert edges(by_cliques) == edges(by_triangles)
    assert sets_of(graph.communities()) == sets_of(without_cliques(graph).communities())


@pytest.mark.parametrize("build", [tmfg, pmfg])
def test_they_do_not_depend_on_the_numbers_of_the_nodes(build):
    graph = build(similarity(24, 3, 5))
    numbers = np.random.default_rng(0).permutation(24)
    community, other = graph.communities(), graph.renumbered(numbers).communities()
    assert sets_of(other[numbers]) == sets_of(community)


def test_the_largest_comes_first():
    community = tmfg(similarity(40, 1, 5)).communities()
    sizes = np.bincount(community)
    assert len(sizes) > 2
    assert (np.diff(sizes) <= 0).all()
    assert sizes.min() > 0


def test_blocks_of_columns_are_communities():
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(400, 3))
    X = np.repeat(factors, 8, axis=1) + rng.normal(size=(400, 24))
    community = tmfg(np.corrcoef(X.T) ** 2).communities()
    assert [len(set(block)) for block in community.reshape(3, 8).tolist()] == [1, 1, 1]
    assert community.max() == 2


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_few_nodes_are_one_community(n):
    graph = tmfg(np.ones((n, n))) if n else FilteredGraph(0, [], [])
    assert graph.communities().tolist() == [0] * n


def test_copies_have_distance_0():
    X = factor_table(50, 6)
    doubled = np.column_stack([X, X])
    community = tmfg(np.corrcoef(doubled.T) ** 2).communities()
    assert community.shape == (12,)
    assert community.min() == 0


def test_weights_that_all_tie_are_one_answer():
    for n in (5, 9, 20):
        for weight in (0.0, 1.0):
            community = tmfg(np.full((n, n), weight)).communities()
            assert community.shape == (n,)
            assert community.min() == 0


@pytest.mark.parametrize(
    "graph",
    [
        mst(similarity(9, 0)),
        clique_forest(similarity(9, 0), max_clique=3),
        FilteredGraph(6, [], []),
        # As many edges as a maximal planar graph, but not planar: K5 and five more.
        FilteredGraph(
            6,
            [(i, j) for i in range(5) for j in range(i)] + [(5, 0), (5, 1)],
            np.full(12, 0.5),
        ),
    ],
)
def test_other_graphs_are_refused(graph):
    with pytest.raises(ValueError, match=r"maximal planar graph.*graph='tmfg'"):
        graph.communities()


def test_a_clique_forest_that_is_not_planar_is_refused():
    # Three nodes on one triangle: K3,3 is part of it.
    cliques = [[0, 1, 2, 3], [4, 0, 1, 2], [5, 0, 1, 2]]
    edges = {tuple(sorted((a, b))) for c in cliques for a in c for b in c if a != b}
    graph = FilteredGraph(
        6,
        sorted(edges),
        np.full(len(edges), 0.5),
        cliques=cliques,
        separators=[[0, 1, 2], [0, 1, 2]],
    )
    assert graph.n_edges == 12
    with pytest.raises(ValueError, match="maximal planar"):
        graph.communities()


def test_weights_above_1_have_no_distance():
    graph = tmfg(3 * similarity(6, 0))
    with pytest.raises(ValueError, match="no weight may be above 1"):
        graph.communities()


@pytest.mark.parametrize("name", ["tmfg", "pmfg"])
def test_a_published_program_agrees(name):
    """It differs where it gives a node to a converging bubble that the node is not part of."""
    build, agreed = {"tmfg": tmfg, "pmfg": pmfg}[name], 0
    cases = PUBLISHED["partitions"][name]
    for n, n_factors, seed, partition in cases:
        found = build(similarity(n, seed, n_factors)).communities()
        agreed += sets_of(found) == sets_of(np.array(partition))
    assert agreed >= 0.95 * len(cases)
