"""The numbers of the selection page, against definitions."""

import numpy as np
import pytest
from scipy import sparse

from tests.matrices import factor_table
from tests.naive import coverage as naive
from tests.report.pages import selection_report
from tests.report.selection_cases import table, tied_selector
from tests.report.test_selection import data_of
from topofs import Pearson, TopologicalFeatureSelector, energy, pearson, spearman
from topofs.errors import ConstantFeatureWarning, IdentifierFeatureWarning
from topofs.io.frames import NamedArray
from topofs.io.types import LeftOutColumn, typed_table
from topofs.report.selection import selection_page, summarise_selection
from topofs.report.selection_summary import (
    bars_of,
    drawing_of,
    heat_map,
    score_groups,
    ties_at_cut,
)
from topofs.report.selection_words import Words
from topofs.selection import fit_and_compare, fitted_similarity, ranked_columns
from topofs.similarity.base import MatrixOperator

MEASURES = {
    "pearson": lambda X: pearson(X, squared=True),
    "spearman": lambda X: spearman(X, squared=True),
    "energy": lambda X: energy(X, alpha=0.5),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_coverage_is_the_mean_best_similarity_for_every_k(measure):
    X = factor_table(50, 20)
    selector = TopologicalFeatureSelector(5, similarity=measure, rule="degree").fit(X)
    summary = summarise_selection(selector, X)
    expected = naive.curve(MEASURES[measure](X), np.argsort(selector.ranking_))
    np.testing.assert_allclose(summary.share, expected, atol=1e-12)


def test_a_given_similarity_is_used_as_it_is():
    X = factor_table(50, 12)
    selector = TopologicalFeatureSelector(5, rule="degree").fit(X)
    given = summarise_selection(selector, X, similarity=pearson(X, squared=True))
    computed = summarise_selection(selector, X)
    np.testing.assert_allclose(given.share, computed.share, atol=1e-12)
    with pytest.raises(ValueError, match="over 3 columns; the graph has 12 nodes"):
        summarise_selection(selector, X, similarity=np.eye(3))
    with pytest.raises(ValueError, match="must be 12 × 12"):
        summarise_selection(selector, X, similarity=np.ones((12, 3)))
    with pytest.raises(ValueError, match="the same table"):
        summarise_selection(selector, X[:, :3])


def test_similarities_that_are_no_names():
    X = factor_table(50, 12)
    by_name = summarise_selection(TopologicalFeatureSelector(5, rule="degree").fit(X), X)
    matrix = pearson(X, squared=True)

    def squared(table):
        return pearson(table, squared=True)

    others = [
        (
            TopologicalFeatureSelector(5, similarity="precomputed", rule="degree").fit(matrix),
            matrix,
        ),
        (
            TopologicalFeatureSelector(5, similarity=squared, rule="degree").fit(X),
            X,
        ),
        (
            TopologicalFeatureSelector(5, rule="degree").fit(sparse.csr_array(X)),
            sparse.csr_array(X),
        ),
    ]
    for selector, given in others:
        summary = summarise_selection(selector, given)
        np.testing.assert_allclose(summary.share, by_name.share, atol=1e-9)
        assert Words(summary).method


def test_the_nearest_selected_column_is_that_of_the_ranking_file():
    X = table()
    selector = TopologicalFeatureSelector(7, rule="degree", keep=["a b"]).fit(X)
    summary = summarise_selection(selector, X)
    cover, order = summary.running, np.argsort(selector.ranking_)
    for column in ranked_columns(selector, fitted_similarity(selector, X)):
        node = summary.names.index(column.name)
        part = slice(cover.starts[node], cover.starts[node + 1])
        at = np.searchsorted(cover.positions[part], 7) - 1
        assert summary.names[order[cover.positions[part][at]]] == column.nearest
        assert cover.values[part][at] == pytest.approx(column.similarity, abs=1e-9)


@pytest.mark.parametrize("k", [1, 4, 9, 12])
def test_the_order_of_selection_is_that_of_the_selector(k):
    X = factor_table(50, 12)
    selector = TopologicalFeatureSelector(12, keep=[3, 8]).fit(X)
    order = summarise_selection(selector, X).order
    assert set(order[:2]) == {3, 8}
    if k >= 2:
        assert set(order[:k]) == set(np.flatnonzero(selector.at(k).support_))


def test_constant_columns_are_outside_the_network():
    X = factor_table(50, 10)
    X[:, 4] = 2.0
    with pytest.warns(ConstantFeatureWarning):
        selector = TopologicalFeatureSelector(3, keep=[4]).fit(X)
    summary = summarise_selection(selector, X)
    assert summary.share[1] == 0  # the forced constant covers nothing
    assert summary.share[-1] == pytest.approx(1)
    assert len(summary.share) == 11
    assert 4 not in data_of(selection_page(summary))["nodes"]
    assert "1 column took no part: x4 (constant)." in " ".join(Words(summary).notes)
    assert "Forced: x4" in " ".join(Words(summary).notes)


def test_ties_at_the_cut():
    X = table()
    selector = tied_selector(X)
    ties = ties_at_cut(selector)
    same = selector.scores_ == ties.score
    assert ties.inside == (same & selector.support_).sum() > 0
    assert ties.outside == (same & ~selector.support_).sum() > 0
    notes = " ".join(Words(summarise_selection(selector, X)).notes)
    assert f"{ties.inside} selected and {ties.outside} not, decided by" in notes


def test_no_ties_where_nothing_is_left_to_choose():
    X = factor_table(50, 10)
    assert ties_at_cut(TopologicalFeatureSelector(10).fit(X)) is None
    assert ties_at_cut(TopologicalFeatureSelector(2, keep=[0, 1]).fit(X)) is None


def test_a_large_network_is_cut_down_to_the_neighbourhood():
    X = factor_table(60, 90)
    selector = TopologicalFeatureSelector(5, graph="tmfg").fit(X)
    graph, order = selector.graph_, np.argsort(selector.ranking_)
    found, places = drawing_of(graph, order, 5, most=20)
    selected = set(np.flatnonzero(selector.support_).tolist())
    around = {n for node in selected for n in graph.neighbors(node).tolist()}
    assert len(found) == len(places) == 20
    assert selected <= set(found.tolist()) <= selected | around
    # Those left out are joined no more strongly than those drawn.
    weights = graph.to_scipy().toarray()
    strongest = {n: max(weights[n, s] for s in selected) for n in around - selected}
    drawn = set(found.tolist()) - selected
    assert min(strongest[n] for n in drawn) >= max(strongest[n] for n in set(strongest) - drawn)


def test_more_selected_than_can_be_drawn():
    selector = TopologicalFeatureSelector(15, graph="tmfg").fit(factor_table(60, 30))
    order = np.argsort(selector.ranking_)
    drawn, _ = drawing_of(selector.graph_, order, 15, most=10)
    assert set(drawn) == set(order[:10])


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([3.0], ("3",)),
        ([3.0, 5.0], ("3", "4", "5")),
        ([0.25, 0.75], ("0.25–0.417", "0.417–0.583", "0.583–0.75")),
    ],
)
def test_bars(scores, labels):
    found, bar_of = bars_of(np.array(scores))
    assert tuple(found) == labels
    assert len(bar_of) == len(scores)


@pytest.mark.parametrize("high", [40, 500, 100_000])
def test_wide_whole_scores_get_few_bars_that_cover_them(high):
    scores = np.concatenate([np.repeat(3.0, 50), np.arange(3.0, 40), [float(high)]])
    labels, bar_of = bars_of(scores)
    assert len(labels) <= 29
    assert len(bar_of) == len(scores)
    assert bar_of[0] == 0
    assert bar_of[-1] == len(labels) - 1
    assert labels[0] == "3"
    ends = [int(label.replace(",", "").split("–")[-1]) for label in labels]
    firsts = [int(label.replace(",", "").split("–")[0]) for label in labels]
    assert [end + 1 for end in ends[:-1]] == firsts[1:]
    widths = [end - first for first, end in zip(firsts, ends, strict=True)][:-1]
    assert widths == sorted(widths)


def test_heat_map_puts_like_beside_like():
    groups = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    similarity = np.where(groups[:, None] == groups[None], 0.9, 0.1)
    np.fill_diagonal(similarity, 1)
    order = np.array([4, 0, 8, 2, 1, 3, 7, 6, 5])
    rows, values = heat_map(MatrixOperator(similarity), order)
    assert (np.diff(groups[rows]) != 0).sum() == 2
    np.testing.assert_array_equal(values, similarity[np.ix_(rows, rows)])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_few_columns(n):
    X = factor_table(30, n)
    summary = summarise_selection(TopologicalFeatureSelector(1).fit(X), X)
    assert summary.share[-1] == pytest.approx(1)
    assert len(summary.heat[0]) == n


def test_left_out_columns_are_grouped_by_reason():
    X = factor_table(30, 5)
    left_out = [
        LeftOutColumn("a", "text"),
        LeftOutColumn("b", "dates"),
        LeftOutColumn("c", "text"),
    ]
    left_out.append(LeftOutColumn("y", "target"))
    summary = summarise_selection(
        TopologicalFeatureSelector(1).fit(X), X, left_out=left_out, passed_through=["y"]
    )
    assert summary.left_out == (("text", ("a", "c")), ("dates", ("b",)))
    notes = " ".join(Words(summary).notes)
    assert "3 columns left out" in notes
    assert "kept in the output: y." in notes


def test_features_may_have_no_place_in_the_network():
    X = factor_table(50, 6)
    X[:, 0] = 2.0
    with pytest.warns(ConstantFeatureWarning):
        selector = TopologicalFeatureSelector(2, rule="degree", keep=[0]).fit(X)
    summary = summarise_selection(selector, X)
    assert summary.drawn.tolist() == [0, 1, 2, 3, 4]
    graph = data_of(selection_page(summary))["graph"]
    assert graph["drawn"] == [1, 2, 3, 4, 5]
    edges = selector.nodes_[selector.graph_.edges]
    assert graph["edges"] == edges.ravel().tolist()


@pytest.mark.parametrize("rule", ["coverage", "degree"])
def test_columns_that_were_prepared_for_the_fit_are_not_prepared_again(rule, monkeypatch):
    X = factor_table(50, 12)
    selector = TopologicalFeatureSelector(5, rule=rule)
    prepared = fit_and_compare(selector, X).operator
    expected = selection_report(selector=selector, X=X)
    monkeypatch.setattr(Pearson, "operator", None)
    assert selection_report(selector=selector, X=X, similarity=prepared) == expected


@pytest.mark.parametrize("rule", ["coverage", "degree"])
def test_tables_that_carry_their_names(rule):
    X = table()
    selector = TopologicalFeatureSelector(5, rule=rule).fit(X)
    page = selection_report(selector=selector, X=X)
    named = NamedArray(X.to_numpy(), tuple(X.columns))
    assert selection_report(selector=selector, X=named) == page
    assert selection_report(selector=selector, X=typed_table(X)) == page


def test_identifiers_beside_numbers():
    X = table().assign(id=[f"p{number}" for number in range(80)])
    with pytest.warns(IdentifierFeatureWarning):
        selector = TopologicalFeatureSelector(5, rule="degree").fit(X)
    assert selector.similarity_ == Pearson()
    notes = " ".join(Words(summarise_selection(selector, X)).notes)
    assert "24 columns of numbers and 1 of names (categories): id." in notes
    assert (
        "1 column took no part: id (names that hardly repeat, as an identifier's do)." in notes
    )


def test_forced_columns_come_first_and_are_not_tied():
    X = table()
    selector = TopologicalFeatureSelector(6, rule="degree", keep=["a b", "feature 3"]).fit(X)
    order, groups = summarise_selection(selector, X).order, score_groups(selector)
    forced = [list(X.columns).index(name) for name in ("a b", "feature 3")]
    assert set(order[:2].tolist()) == set(forced)
    assert order.tolist() == np.argsort(selector.ranking_).tolist()
    assert (groups[forced] == -1).all()
    assert (np.delete(groups, forced) >= 0).all()
