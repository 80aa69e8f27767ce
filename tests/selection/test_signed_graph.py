"""Correlations with their signs along the edges of a fit's graph, and overlaps in a list."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

from tests.matrices import factor_table
from topofs import (
    FilteredGraph,
    LoGoCovariance,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
)

GRAPHS = ["links", "tmfg", "pmfg", "mst", "mfcf"]


def correlation_of_pair(x, y, how):
    both = ~(np.isnan(x) | np.isnan(y))
    return how(x[both], y[both]).statistic


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize(
    ("measure", "how"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr)]
)
@pytest.mark.parametrize("missing", [False, True])
def test_each_edge_has_the_correlation_of_its_columns(graph, measure, how, missing):
    X = factor_table(80, 12)
    X[:, 3] = 7.0  # takes no part, so nodes are not positions
    if missing:
        X[::5, 1] = np.nan
        X[1::6, 4] = np.nan
    selector = TopologicalFeatureSelector(4, graph=graph, similarity=measure)
    with pytest.warns(UserWarning, match="constant"):
        selector.fit(X)
    signed = selector.signed_graph(X)
    ends = selector.nodes_[signed.edges]
    if measure == "spearman":
        # Each column is ranked once, over its own observed values.
        X, how = stats.rankdata(X, axis=0, nan_policy="omit"), stats.pearsonr
    expected = [correlation_of_pair(X[:, i], X[:, j], how) for i, j in ends]
    np.testing.assert_allclose(signed.correlations, expected, atol=1e-12)
    np.testing.assert_array_equal(signed.edges, selector.graph_.edges)
    np.testing.assert_array_equal(signed.weights, selector.graph_.weights)
    assert signed.labels == selector.graph_.labels
    assert (signed.correlations < 0).any()


def test_the_fit_holds_none_of_it():
    X = factor_table(60, 10)
    selector = TopologicalFeatureSelector(3).fit(X)
    before = len(pickle.dumps(selector))
    selector.signed_graph(X)
    assert selector.graph_.correlations is None
    assert len(pickle.dumps(selector)) == before


def test_correlations_that_are_not_squared_and_sparse_tables():
    X = np.random.default_rng(0).poisson(1, size=(90, 8)).astype(float)
    expected = np.corrcoef(X.T)
    for table in (X, sparse.csr_array(X), X.astype(np.float32)):
        for measure in (Pearson(squared=False), Pearson()):
            selector = TopologicalFeatureSelector(
                3, graph="tmfg", similarity=measure, min_carriers=0
            )
            signed = selector.fit(table).signed_graph(table)
            i, j = signed.edges.T
            np.testing.assert_allclose(signed.correlations, expected[i, j], atol=1e-6)


def test_many_columns_are_compared_in_parts():
    X = np.random.default_rng(0).normal(size=(40, 600))
    X[:, 300:] += 2 * X[:, :300]
    signed = TopologicalFeatureSelector(9, graph="mst").fit(X).signed_graph(X)
    expected = np.corrcoef(X.T)[tuple(signed.edges.T)]
    np.testing.assert_allclose(signed.correlations, expected, atol=1e-12)


@pytest.mark.parametrize("measure", ["energy", "mutual_information", "mixed"])
def test_other_measures_have_no_sign(measure):
    X = pd.DataFrame(factor_table(50, 6))
    X.columns = list("abcdef")
    selector = TopologicalFeatureSelector(2, graph="tmfg", similarity=measure, rule="degree")
    selector.fit(X)
    with pytest.raises(ValueError, match=f"'{measure}' has no sign.*'pearson' or 'spearman'"):
        selector.signed_graph(X)


def test_what_it_needs_is_said():
    X = factor_table(50, 6)
    selector = TopologicalFeatureSelector(2).fit(X)
    with pytest.raises(ValueError, match="X has 5 columns; the selector was fitted on 6"):
        selector.signed_graph(X[:, :5])
    with pytest.raises(AttributeError, match="ranks columns without a graph"):
        TopologicalFeatureSelector(2, rule="variance").fit(X).signed_graph(X)


def questionnaire(seed=0):
    """24 items of 4 scales; the first two of each scale ask the same."""
    rng = np.random.default_rng(seed)
    scales = np.repeat(rng.normal(size=(500, 4)), 6, axis=1)
    asked = np.repeat(rng.normal(size=(500, 4)), 2, axis=1)
    X = 0.6 * scales + 0.8 * rng.normal(size=(500, 24))
    twice = np.arange(24).reshape(4, 6)[:, :2].ravel()
    X[:, twice] = 0.6 * scales[:, twice] + 0.65 * asked + 0.5 * rng.normal(size=(500, 8))
    X[:, 1] *= -1
    return pd.DataFrame(X, columns=[f"i{i}" for i in range(24)])


def test_items_that_are_asked_twice_say_the_same():
    X = questionnaire()
    network = LoGoCovariance().fit(X).partial_correlations()
    selector = TopologicalFeatureSelector().fit(X)
    found = selector.evaluate(X.columns, same=0.25, network=network).same
    asked = {frozenset((f"i{6 * scale}", f"i{6 * scale + 1}")) for scale in range(4)}
    pairs = {frozenset((pair.name, pair.other)) for pair in found}
    assert asked <= pairs
    assert len(pairs - asked) <= 1
    overlaps = [abs(pair.overlap) for pair in found]
    assert overlaps == sorted(overlaps, reverse=True)
    reversed_item = next(pair for pair in found if "i1" in (pair.name, pair.other))
    assert reversed_item.overlap < -0.25
    assert "overlap" in repr(found[0])
    # Of a list without one of the two, nothing is reported.
    assert selector.evaluate(["i0", "i2", "i7"], same=0.25, network=network).same == ()


def test_without_a_network_the_graph_decides():
    X = questionnaire()
    selector = TopologicalFeatureSelector(graph="tmfg").fit(X)
    found = selector.evaluate(["i3", "i0", "i1"], same=0.25).same
    overlap = selector.graph_.topological_overlap().toarray()
    [pair] = found
    assert {pair.name, pair.other} == {"i0", "i1"}
    assert pair.overlap == overlap[0, 1]
    share = selector.evaluate(["i0", "i1"]).groups
    assert 0 < pair.share <= 1
    assert share
    # By default a share of the variance decides, as before.
    assert all(pair.overlap is None for pair in selector.evaluate(["i0", "i1"]).same)


def test_a_network_of_all_columns_or_of_those_that_vary():
    X = questionnaire()
    X.insert(0, "constant", 1.0)
    selector = TopologicalFeatureSelector()
    with pytest.warns(UserWarning, match="constant"):
        selector.fit(X)
    small = LoGoCovariance().fit(X.drop(columns="constant")).partial_correlations()
    large = FilteredGraph(25, small.edges + 1, small.weights, correlations=small.correlations)
    names = ["i0", "i1", "i5"]
    assert (
        selector.evaluate(names, same=0.2, network=small).same
        == selector.evaluate(names, same=0.2, network=large).same
        != ()
    )


@pytest.mark.parametrize("same", [1.0, -0.1, "much", True, np.nan])
def test_bad_levels(same):
    selector = TopologicalFeatureSelector().fit(factor_table(50, 6))
    with pytest.raises(ValueError, match=r"same is .*a number in \[0, 1\)"):
        selector.evaluate([0, 1], same=same)


def test_bad_networks():
    selector = TopologicalFeatureSelector().fit(factor_table(50, 6))
    network = FilteredGraph(3, [[0, 1]], [0.5])
    with pytest.raises(ValueError, match="network has 3 nodes.*fitted on 6 columns"):
        selector.evaluate([0, 1], same=0.25, network=network)
    with pytest.raises(ValueError, match="same is None"):
        selector.evaluate([0, 1], network=selector.graph_)
    selector = TopologicalFeatureSelector(2, rule="variance").fit(factor_table(50, 6))
    with pytest.raises(ValueError, match="same needs a network, and rule 'variance'"):
        selector.evaluate([0, 1], same=0.25)


def test_spearman_of_a_default_fit():
    X = factor_table(60, 6)
    selector = TopologicalFeatureSelector(2, similarity=Spearman(squared=False)).fit(X)
    signed = selector.signed_graph(X)
    expected = stats.spearmanr(X).statistic[tuple(signed.edges.T)]
    np.testing.assert_allclose(signed.correlations, expected, atol=1e-12)
