import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_wine

from topofs import FilteredGraph, InfiniteFeatureSelector, TopologicalFeatureSelector

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def wine():
    return load_wine(as_frame=True).data.rename(columns={"hue": HOSTILE})


@pytest.mark.parametrize("kind", [TopologicalFeatureSelector, InfiniteFeatureSelector])
def test_a_fitted_selector_lists_what_it_selected(kind, wine):
    before = kind(4)
    assert "features selected" not in before._repr_html_()
    html = kind(4).fit(wine)._repr_mimebundle_()["text/html"]
    assert "4 of 13 features selected" in html
    assert kind.__name__ in html
    assert html.count("<tr") >= 5


def test_rule_coverage_shows_the_groups(wine):
    html = TopologicalFeatureSelector().fit(wine)._selection_html()
    assert "3 of 13 features selected</strong>, representing 50 % of all" in html
    assert ">represents</th>" in html
    assert ">alcohol</td>" in html
    assert ">proline, color_intensity</td>" in html
    assert "isolated" not in html
    noise = np.random.default_rng(0).normal(size=(40, 3))
    alone = TopologicalFeatureSelector(1).fit(np.column_stack([wine["ash"][:40], noise]))
    assert "4 features are isolated" in alone._selection_html()
    by_degree = TopologicalFeatureSelector(4, rule="degree").fit(wine)._selection_html()
    assert "represents" not in by_degree


def test_names_are_escaped(wine):
    selector = TopologicalFeatureSelector(13).fit(wine)
    ours = selector._selection_html()
    assert HOSTILE not in ours
    assert "and 3 more" in ours
    graph = selector.graph_._repr_html_()
    assert HOSTILE not in graph
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in graph


def test_scikit_learn_may_be_set_to_text(wine):
    selector = TopologicalFeatureSelector(2).fit(wine)
    with sklearn.config_context(display="text"):
        assert not hasattr(selector, "_repr_html_")
        assert list(selector._repr_mimebundle_()) == ["text/plain"]


def test_a_graph_is_described_and_drawn(wine):
    links = TopologicalFeatureSelector(2).fit(wine).graph_._repr_html_()
    assert "13 nodes, 45 edges, weights" in links
    html = TopologicalFeatureSelector(2, graph="tmfg").fit(wine).graph_._repr_html_()
    assert "13 nodes, 33 edges, 10 cliques" in html
    assert html.count("<circle") == 13


@pytest.mark.parametrize("n_nodes", [0, 1, 301])
def test_graphs_too_small_or_large_to_draw(n_nodes):
    html = FilteredGraph(n_nodes, [], [])._repr_html_()
    assert f"{n_nodes} nodes, 0 edges" in html
    assert ("<svg" in html) == (n_nodes == 1)
