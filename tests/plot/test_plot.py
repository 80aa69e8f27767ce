import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

from tests.matrices import factor_table
from tests.report import selection_cases
from tests.report.comparison_cases import made_up
from topofs import (
    FilteredGraph,
    MinShare,
    Pearson,
    TopologicalFeatureSelector,
    network_stability,
    pearson,
    plot,
    stability,
    tmfg,
)
from topofs.errors import MissingExtraError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


def table():
    """The names of the page's tests, but for letters that matplotlib's own font has not."""
    return selection_cases.table().rename(columns={"naïve ☃ 特徴": "naïve ☃"})


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def selector():
    return selection_cases.tied_selector(table())


@cache
def resampled_network():
    X = factor_table(60, 8)
    names = ["$x$", "_y", *"cdefgh"]
    tree = TopologicalFeatureSelector(graph="mst")
    frame = pd.DataFrame(X, columns=names)
    return network_stability(tree, frame, n_resamples=20, random_state=0)


def pictures(selector):
    X = table()
    found = stability(TopologicalFeatureSelector(5), X, n_resamples=4, random_state=0)
    resampled = resampled_network()
    return {
        "case_dropping": lambda ax=None: plot.case_dropping(resampled, ax=ax),
        "intervals": lambda ax=None: plot.intervals(resampled, ax=ax),
        "network": lambda ax=None: plot.network(selector, ax=ax),
        "degree_distribution": lambda ax=None: plot.degree_distribution(selector, ax=ax),
        "coverage_curve": lambda ax=None: plot.coverage_curve(selector, X, ax=ax),
        "similarity_heatmap": lambda ax=None: plot.similarity_heatmap(selector, X, ax=ax),
        "stability": lambda ax=None: plot.stability(found, ax=ax),
        "compare": lambda ax=None: plot.compare(made_up(), ax=ax),
    }


@pytest.mark.parametrize("name", plot.__all__)
def test_every_picture_is_drawn_on_the_axes_given(name, selector, tmp_path):
    draw = pictures(selector)[name]
    _, axes = pyplot.subplots()
    assert draw(axes) is axes
    made = draw()
    assert made is not axes
    # Names such as "$x$" or "{{ 7 * 7 }}" are text, not formulas.
    made.figure.savefig(tmp_path / "picture.png")


def test_the_network_marks_and_names_the_selected(selector):
    axes = plot.network(selector, labels="selected")
    sizes = {
        c.get_label(): len(c.get_offsets())
        for c in axes.collections
        if hasattr(c, "get_offsets")
    }
    assert sizes["selected"] == selector.support_.sum()
    assert sizes["not selected"] == 24 - selector.support_.sum()
    written = {text.get_text() for text in axes.texts}
    assert written
    assert written <= set(selector.get_feature_names_out())
    assert not plot.network(selector, labels=None).texts
    assert len(plot.network(selector, labels="all").texts) > len(written)


def test_a_bare_graph_is_drawn_without_marks():
    graph = tmfg(pearson(factor_table(30, 50)))
    assert plot.network(graph).get_title() == "50 features, 144 links"
    axes = plot.degree_distribution(graph)
    assert sum(bar.get_height() for bar in axes.patches) == 50


def test_a_selection_without_links_is_drawn(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 5))
    axes = plot.network(TopologicalFeatureSelector(MinShare(0.9)).fit(X))
    assert axes.get_title() == "5 features, 0 links, 5 selected"
    axes.figure.savefig(tmp_path / "picture.png")


def test_dollars_in_names_are_no_formulas(tmp_path):
    X = table().rename(columns={"a b": r"$\broken{$", "feature 0": "$x$"})
    selector = TopologicalFeatureSelector(24).fit(X)
    for axes in (plot.network(selector), plot.similarity_heatmap(selector, X)):
        axes.figure.savefig(tmp_path / "picture.png")


def test_the_curve_and_the_ties(selector):
    k = int(selector.support_.sum())
    curve = plot.coverage_curve(selector, table()).lines[0].get_ydata()
    similarity = np.corrcoef(table().to_numpy().T) ** 2
    assert curve[k] == pytest.approx(similarity[:, selector.support_].max(axis=1).mean())
    assert "Tied at the cut" in plot.degree_distribution(selector).get_title()
    other = TopologicalFeatureSelector(5, rule="pagerank").fit(table())
    assert plot.degree_distribution(other).get_title() == ""
    assert (
        plot.degree_distribution(TopologicalFeatureSelector(5).fit(table())).get_title() == ""
    )
    with pytest.raises(ValueError, match="needs the table"):
        plot.coverage_curve(selector)


def test_the_curve_of_rule_coverage_marks_where_it_stops():
    X = selection_cases.chained_table()
    selector = TopologicalFeatureSelector(3).fit(X)
    axes = plot.coverage_curve(selector)
    np.testing.assert_allclose(axes.lines[0].get_ydata()[1:], selector.coverage_, atol=1e-9)
    stop = selector.at("auto").n_features_
    assert stop != 3
    assert [text.get_text() for text in axes.texts] == [f"stops by itself at {stop}"]
    assert axes.get_title().startswith("3 of 30 features cover")


def test_groups_have_colors_of_their_own(selector):
    fitted = TopologicalFeatureSelector().fit(selection_cases.chained_table())
    axes = plot.network(fitted, groups=True, labels=None)
    colors = {
        tuple(color)
        for dots in axes.collections
        if dots.get_label() in ("selected", "not selected")
        for color in dots.get_facecolors()
    }
    with_members = sum(bool(group.members) for group in fitted.groups_)
    assert len(colors) == min(with_members, 10) + 1
    with pytest.raises(ValueError, match="rule='coverage'"):
        plot.network(selector, groups=True)
    with pytest.raises(ValueError, match="rule='coverage'"):
        plot.network(selector.graph_, groups=True)


@pytest.mark.parametrize("rule", ["coverage", "degree"])
@pytest.mark.parametrize("similarity", ["mixed", "spearman", "mutual_information"])
def test_every_similarity_can_be_drawn(rule, similarity):
    X = table()
    if similarity == "mixed":
        X = selection_cases.mixed_table().drop(columns=["id", "constant"])
    selector = TopologicalFeatureSelector(3, rule=rule, similarity=similarity).fit(X)
    names = {text.get_text() for text in plot.similarity_heatmap(selector, X).get_yticklabels()}
    assert names == set(selector.get_feature_names_out())
    assert "3 of" in plot.coverage_curve(selector, X).get_title()
    assert plot.network(selector).get_title().endswith("3 selected")
    assert sum(bar.get_height() for bar in plot.degree_distribution(selector).patches) >= 7


def test_stability_names_the_most_frequent_first():
    X = selection_cases.chained_table().rename(columns={"naïve ☃ 特徴": "$x$"})
    found = stability(TopologicalFeatureSelector(4), X, n_resamples=6, random_state=0)
    axes = plot.stability(found, most=8)
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == sorted(found.frequency, reverse=True)[:8]
    assert f"Φ = {found.phi:.2f} (95% interval" in axes.get_title()
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == ["an average selection has room for it", "it has none"]
    everything = stability(TopologicalFeatureSelector(30), X, n_resamples=2, random_state=0)
    assert "not defined" in plot.stability(everything).get_title()


def test_negative_similarities_get_a_scale_of_two_sides():
    selector = TopologicalFeatureSelector(10, rule="degree", similarity=Pearson(squared=False))
    selector.fit(table())
    image = plot.similarity_heatmap(selector, table()).images[0]
    assert image.get_clim() == (-1, 1)


def test_many_selected_features_are_cut(selector):
    X = factor_table(30, 80)
    axes = plot.similarity_heatmap(TopologicalFeatureSelector(70).fit(X), X)
    assert len(axes.get_yticks()) == 60
    assert "the first 60" in axes.get_title()


def test_bad_input():
    with pytest.raises(ValueError, match="labels is 'some'"):
        plot.network(tmfg(np.eye(5)), labels="some")
    with pytest.raises(ValueError, match="cannot draw list"):
        plot.network([1, 2])


def test_a_missing_package_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"topofs\[plot\]"):
        plot.network(tmfg(np.eye(5)))


def lines_of(axes):
    return axes.collections[0].get_colors()


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_positive_and_negative_links_have_two_colours_and_a_legend():
    X = factor_table(60, 8)
    selector = TopologicalFeatureSelector(3, graph="tmfg").fit(X)
    graph = selector.signed_graph(X)
    for axes in (plot.network(selector, X), plot.network(graph)):
        assert legend_of(axes) == ["positive correlation", "negative correlation"]
        colors = [tuple(color[:3]) for color in lines_of(axes)]
        assert len(set(colors)) == 2
        for sign in (True, False):
            assert (
                len({colors[i] for i in np.flatnonzero((graph.correlations < 0) == sign)}) == 1
            )
    assert plot.network(selector).get_legend() is None
    positive = FilteredGraph(2, [[0, 1]], [0.5], correlations=[0.7])
    assert legend_of(plot.network(positive)) == ["positive correlation"]


def test_communities_have_colours_and_a_legend():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(300, 3)), 6, axis=1) + rng.normal(size=(300, 18))
    graph = tmfg(np.corrcoef(X.T) ** 2)
    axes = plot.network(graph, communities=True)
    sizes = np.bincount(graph.communities()).tolist()
    assert legend_of(axes) == [
        f"community {i}: {size} features" for i, size in enumerate(sizes)
    ]
    dots = next(c for c in axes.collections if c.get_label() == "not selected")
    colors = [tuple(color) for color in dots.get_facecolors()]
    for number in range(3):
        assert len({colors[i] for i in np.flatnonzero(graph.communities() == number)}) == 1
    assert len(set(colors)) == 3


def test_what_cannot_be_coloured_is_refused():
    X = factor_table(60, 8)
    selector = TopologicalFeatureSelector(3, graph="tmfg").fit(X)
    with pytest.raises(ValueError, match="set one of them"):
        plot.network(selector, groups=True, communities=True)
    with pytest.raises(ValueError, match="X is for a fitted selector"):
        plot.network(selector.graph_, X)
    with pytest.raises(ValueError, match="maximal planar graph"):
        plot.network(TopologicalFeatureSelector(3).fit(X), communities=True)


def test_intervals_are_ordered_by_value():
    found = resampled_network()
    edges = found.intervals["edge"]
    axes = plot.intervals(found)
    order = np.argsort(-edges.values)
    names = [text.get_text() for text in axes.get_yticklabels()]
    ends = [[found.names[i] for i in found.edges[edge]] for edge in order]
    assert names == [" – ".join(pair) for pair in ends]
    bars, dots = axes.collections[:2]
    segments = np.array([segment[:, 0] for segment in bars.get_segments()])
    np.testing.assert_allclose(segments[:, 0], edges.lower[order])
    np.testing.assert_allclose(segments[:, 1], edges.upper[order])
    np.testing.assert_allclose(dots.get_offsets()[:, 0], edges.values[order])
    assert axes.get_xlabel() == "correlation"
    few = plot.intervals(found, most=3)
    strongest = np.sort(np.abs(edges.values))[-3:]
    shown = np.sort(np.abs(few.collections[1].get_offsets()[:, 0]))
    np.testing.assert_allclose(shown, strongest)
    assert "the 3 strongest of 7" in few.get_title()
    assert plot.intervals(found, "strength").get_xlabel() == "strength"
    with pytest.raises(ValueError, match="statistic is 'fame'; known are 'edge', 'strength'"):
        plot.intervals(found, "fame")


def test_the_curve_of_dropped_rows():
    found = resampled_network()
    axes = plot.case_dropping(found)
    curves = {line.get_label().partition(":")[0]: line for line in axes.get_lines()}
    for name, values in found.correlations.items():
        np.testing.assert_allclose(curves[name].get_xdata(), found.dropped)
        np.testing.assert_allclose(curves[name].get_ydata(), values.mean(axis=1))
    assert any(f"{found.coefficient['edge']:.0%}" in text for text in legend_of(axes))
