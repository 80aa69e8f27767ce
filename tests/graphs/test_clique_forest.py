"""Clique forests against a slow twin, by certificate, and with what chance gives left out."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.certificates import assert_chordal, assert_clique_forest
from tests.matrices import factor_table, similarity_matrices
from tests.naive.graphs import naive_clique_forest, naive_mst
from topofs import (
    CliqueForest,
    LoGoCovariance,
    TopologicalFeatureSelector,
    clique_forest,
    pearson,
    tmfg,
)
from topofs.similarity import noise_floor


def members(rows):
    return [[int(v) for v in row if v >= 0] for row in rows]


LINK_BELOW_ZERO = np.zeros((8, 8))
LINK_BELOW_ZERO[2, 4] = LINK_BELOW_ZERO[4, 2] = -0.25


@settings(max_examples=150)
@example(LINK_BELOW_ZERO, 5, -0.5)
@given(
    similarity_matrices(max_size=11),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.25, 0.5, -0.5, -np.inf, 2.0]),
)
def test_equals_the_twin_and_is_chordal(similarity, max_clique, floor):
    forest = clique_forest(similarity, max_clique=max_clique, floor=floor)
    cliques, separators, order = naive_clique_forest(similarity, max_clique, floor)
    assert members(forest.cliques) == cliques
    assert members(forest.separators) == separators
    assert forest.order.tolist() == order
    assert_clique_forest(forest, max_clique)
    assert (forest.weights > floor).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_clique", [2, 4, 6])
def test_equals_the_twin_on_correlations(max_clique, dtype):
    similarity = pearson(factor_table(50, 30), squared=True).astype(dtype)
    for floor in (0.0, 0.1):
        forest = clique_forest(similarity, max_clique=max_clique, floor=floor)
        cliques, separators, order = naive_clique_forest(similarity, max_clique, floor)
        assert (members(forest.cliques), members(forest.separators)) == (cliques, separators)
        assert forest.order.tolist() == order
        assert_clique_forest(forest, max_clique)


def test_cliques_of_two_are_the_spanning_tree():
    similarity = pearson(factor_table(50, 40), squared=True)
    forest = clique_forest(similarity, max_clique=2)
    assert [tuple(edge) for edge in forest.edges.tolist()] == naive_mst(similarity)


def test_shuffled_columns_give_the_same_forest():
    similarity = pearson(factor_table(50, 40), squared=True)
    shuffle = np.random.default_rng(0).permutation(40)
    shuffled = clique_forest(similarity[np.ix_(shuffle, shuffle)], floor=0.05)
    back = {frozenset(shuffle[edge].tolist()) for edge in shuffled.edges}
    assert back == {
        frozenset(edge.tolist()) for edge in clique_forest(similarity, floor=0.05).edges
    }


def test_it_is_not_the_tmfg():
    """Four nodes that all want one triangle: K₃,₄ is not planar."""
    similarity = np.full((7, 7), 0.1)
    similarity[:3, :] = similarity[:, :3] = 0.5
    similarity[:3, :3] = 0.9
    forest = clique_forest(similarity, floor=-np.inf)
    assert forest.n_edges == tmfg(similarity).n_edges == 3 * 7 - 6
    assert members(forest.separators) == [[0, 1, 2]] * 3
    assert_chordal(forest)
    assert forest.weights.sum() > tmfg(similarity).weights.sum()


def test_chance_is_left_out():
    related = factor_table(60, 12, n_factors=2)
    X = np.column_stack([related, np.random.default_rng(1).normal(size=(60, 6))])
    model = LoGoCovariance(CliqueForest()).fit(X)
    squares = pearson(X, squared=True)
    floor = noise_floor(60, 18)
    expected = clique_forest(np.where(squares < floor, 0, squares))
    assert model.graph_.edges.tolist() == expected.edges.tolist()
    np.testing.assert_allclose(model.graph_.weights, expected.weights, rtol=1e-12)
    assert model.graph_.weights.min() >= floor
    assert not model.graph_.degree()[12:].any()
    np.testing.assert_allclose(
        model.covariance_[12:, 12:], np.diag(X.var(axis=0)[12:]), atol=1e-12
    )
    everything = LoGoCovariance(CliqueForest(floor=0.0)).fit(X).graph_
    assert everything.n_edges == 3 * 18 - 6
    selector = TopologicalFeatureSelector(4, graph="mfcf", threshold=None).fit(X)
    assert selector.graph_.edges.tolist() == model.graph_.edges.tolist()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"max_clique": 1}, "max_clique is 1; it must be a whole number, 2 or more"),
        ({"max_clique": 3.0}, "max_clique is 3.0; it must be a whole number"),
        ({"floor": "luck"}, "floor is 'luck'; it must be"),
        ({"floor": np.nan}, "floor is nan; it must be a number"),
    ],
)
def test_bad_parameters(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        CliqueForest(**given)
    with pytest.raises(ValueError, match=sentence.split(";")[0]):
        clique_forest(np.eye(3), **given)
