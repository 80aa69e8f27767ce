"""The graph that is named ranks the columns, and is the one that is shown."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from tests.naive.coverage import naive_path_weights
from tests.naive.ranking import naive_ranking
from topofs import (
    Centrality,
    Coverage,
    FilteredGraph,
    Links,
    MinShare,
    TopologicalFeatureSelector,
    Variance,
    registered,
)
from topofs.similarity.noise_floor import correct_bias, noise_floor

pytestmark = pytest.mark.usefixtures("both_ways")

DIGITS = load_digits(as_frame=True).data
TABLES = {
    "wine": load_wine(as_frame=True).data,
    "breast cancer": load_breast_cancer(as_frame=True).data,
    "digits": DIGITS.loc[:, DIGITS.nunique() > 5],
}
FAMILIES = sorted(registered("graph").keys() - {"auto"})


def fitted(name, graph="auto", size="auto", **settings):
    return TopologicalFeatureSelector(size, graph=graph, min_carriers=0, **settings).fit(
        TABLES[name]
    )


@pytest.fixture(scope="module")
def selections(both_ways):
    """What each family selects of each table, at two sizes."""
    return {
        graph: [
            fitted(name, graph, size).support_.tolist() for name in TABLES for size in (5, 12)
        ]
        for graph in FAMILIES
    }


@pytest.mark.filterwarnings("ignore::topofs.IsolatedFeatureWarning")
@pytest.mark.parametrize("graph", FAMILIES)
def test_every_family_changes_the_selection_of_some_table(graph, selections):
    for other in FAMILIES:
        assert other == graph or selections[other] != selections[graph], other


def weights_of(graph, reach, n_samples, n_features):
    """Shares that nodes explain of each other, from the shown graph alone."""
    i, j = graph.edges.T
    shares = graph.weights.astype(np.float64)
    if not hasattr(graph, "shares"):
        above = shares >= noise_floor(n_samples, n_features)
        shares = np.where(above, correct_bias(shares, n_samples), 0)
    edges = np.zeros((graph.n_nodes, graph.n_nodes))
    edges[i, j] = edges[j, i] = shares
    return naive_path_weights(edges, 0.5) if reach == "paths" else edges + np.eye(len(edges))


@pytest.mark.filterwarnings("ignore::topofs.IsolatedFeatureWarning")
@pytest.mark.parametrize("reach", ["auto", "edges", "paths"])
@pytest.mark.parametrize("graph", FAMILIES)
@pytest.mark.parametrize("name", ["wine", "breast cancer"])
def test_the_graph_that_is_shown_is_what_ranked(name, graph, reach):
    selector = fitted(name, graph, rule=Coverage(reach=reach))
    shown = selector.graph_
    # A copy without anything but edges and weights, to show that nothing else is used.
    edges_only = FilteredGraph(shown.n_nodes, shown.edges, shown.weights)
    strength = shown.sums if hasattr(shown, "sums") else edges_only.strength()
    if reach == "auto":
        reach = "edges" if graph == "links" else "paths"
    weights = weights_of(shown, reach, *TABLES[name].shape)
    order, gains, end = naive_ranking(weights, strength=strength)
    assert np.argsort(selector.ranking_).tolist() == order
    np.testing.assert_allclose(selector.scores_[order], gains, atol=1e-9)
    assert selector.n_features_ == end
    assert shown.labels == tuple(TABLES[name])


@pytest.mark.parametrize("score", ["degree", "strength"])
def test_centralities_are_of_the_graph_that_is_shown(score):
    for graph in FAMILIES:
        selector = fitted("wine", graph, 5, rule=Centrality(score))
        expected = getattr(selector.graph_, score)()
        np.testing.assert_allclose(selector.scores_, expected, rtol=1e-10)


def test_what_auto_is():
    assert fitted("wine").graph_ == fitted("wine", "links").graph_
    assert fitted("wine").graph_ == fitted("wine", Links()).graph_
    for rule in ("degree", "pagerank"):
        by_auto, named = (fitted("wine", graph, 5, rule=rule) for graph in ("auto", "tmfg"))
        assert by_auto.graph_ == named.graph_
        np.testing.assert_array_equal(by_auto.ranking_, named.ranking_)


@pytest.mark.parametrize(
    ("size", "rule", "who"),
    [
        ("auto", "variance", "rule 'variance'"),
        (5, Variance(), "rule 'variance'"),
        (MinShare(0.5), "coverage", "MinShare"),
        (MinShare(0.5), "variance", "MinShare"),
    ],
    ids=str,
)
def test_what_ranks_without_a_graph_refuses_one_and_has_none(size, rule, who):
    selector = fitted("wine", size=size, rule=rule)
    assert not hasattr(selector, "graph_")
    with pytest.raises(AttributeError, match="ranks columns without a graph") as told:
        _ = selector.graph_
    assert who.replace("rule ", "").strip("'") in str(told.value)
    assert selector.explain("proline").neighbors == ()
    for graph in (*FAMILIES, Links(strongest=None)):
        with pytest.raises(ValueError, match=f"{who} ranks columns without a graph"):
            fitted("wine", graph, size, rule=rule)


def test_cuts_and_copies_show_the_same_graph():
    selector = fitted("wine")
    assert selector.at(4).graph_ is selector.graph_
    assert selector.extend(2).graph_ is selector.graph_


@pytest.mark.parametrize("rule", ["coverage", "degree"])
def test_links_refuse_a_given_similarity_that_is_no_share_of_variance(rule):
    given = np.corrcoef(TABLES["wine"].T)
    selector = TopologicalFeatureSelector(3, similarity="precomputed", graph="links", rule=rule)
    with pytest.raises(ValueError, match="share of variance is between 0 and 1"):
        selector.fit(given)
