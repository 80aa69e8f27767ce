"""The page and the pictures of terms that topofs does not know."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from tests.report.own_rules import Ended, Neighbourhoods, Plain
from tests.report.pages import selection_report
from tests.report.selection_cases import chained_table
from tests.report.test_selection import data_of
from topofs import Given, Graph, Measure, TopologicalFeatureSelector, pearson
from topofs.graphs import tmfg
from topofs.report.selection import summarise_selection
from topofs.report.selection_words import Words
from topofs.similarity.base import MatrixOperator


@dataclass(frozen=True, repr=False)
class Cosine(Measure):
    """A measure that says nothing of chance and is not named anywhere."""

    means_alike: ClassVar[bool] = False

    @property
    def words(self):
        return "the cosine of the columns"

    def operator(self, table):
        unit = table / np.linalg.norm(table, axis=0)
        return MatrixOperator(np.abs(unit.T @ unit))


@dataclass(frozen=True, repr=False)
class Web(Graph):
    @property
    def words(self):
        return "a web of our own"

    def build(self, similarity):
        return tmfg(np.asarray(similarity.values))


def page_of(selector, X):
    return selection_report(selector=selector, X=X, table_name="t.csv")


def header_of(page):
    return page[page.index("<header>") : page.index("</header>")]


@pytest.mark.parametrize("keep", [None, ["feature 20"]])
@pytest.mark.parametrize("rule", [Neighbourhoods(), Ended(), Plain()])
def test_every_rule_gives_a_page(rule, keep):
    X = chained_table()
    selector = TopologicalFeatureSelector(5, rule=rule, keep=keep).fit(X)
    page = page_of(selector, X)
    data = data_of(page)
    assert f"5 of 30 columns {'represent' if rule.has_groups else 'selected'}" in page
    assert f"Columns were ranked by {rule.name}." in page
    assert (data["representation"] is None) == (not rule.has_groups)
    assert (data["bars"] is None) == rule.has_groups
    assert (data["end"] is None) == (not rule.has_end)
    assert (data["graph"] is None) == (not rule.needs.graph)
    assert data["view"] == ("graph" if rule.needs.graph else "groups")
    assert "chance explains" not in header_of(page)
    assert data["forced"] == len(keep or [])
    if keep:
        assert data["names"][data["order"][0]] == "feature 20"
        assert "Forced: feature 20." in page


def test_what_columns_add_comes_from_who_represents_whom():
    X = chained_table()
    selector = TopologicalFeatureSelector(5, rule=Neighbourhoods()).fit(X)
    data = data_of(page_of(selector, X))
    representation = data["representation"]
    assert not representation["addsAreScores"]
    assert representation["isolated"] == []
    steps = np.array(representation["adds"])[data["order"]]
    np.testing.assert_allclose(
        np.cumsum(steps) / 30, np.array(data["share"][1:]) / 1e4, atol=1e-4
    )
    assert data["share"][5] / 1e4 == pytest.approx(selector.shares_.mean(), abs=6e-5)
    by_coverage = data_of(page_of(TopologicalFeatureSelector().fit(X), X))
    assert by_coverage["representation"]["addsAreScores"]


def test_the_score_of_a_rule_that_is_the_strength_is_not_shown_twice():
    X = chained_table()
    for rule, shown in ((Plain(), False), ("degree", True), (Ended(), False)):
        data = data_of(page_of(TopologicalFeatureSelector(5, rule=rule).fit(X), X))
        assert data["words"]["strength"] is shown


@pytest.mark.parametrize(
    ("size", "phrase"),
    [
        ("auto", "The selection stopped at 4 by itself."),
        (2, "You asked for 2; by itself the selection would go on to 4."),
        (9, "You asked for 9; by itself the selection would stop at 4."),
        (4, "That is also where the selection stops by itself."),
    ],
)
def test_an_end_without_a_reason(size, phrase):
    X = chained_table()
    selector = TopologicalFeatureSelector(size, rule=Ended()).fit(X)
    words = Words(summarise_selection(selector, X))
    assert words.meaning.endswith(phrase)
    assert words.end == "The selection stops by itself at 4."


def test_only_a_filtered_graph_is_a_second_view():
    X = chained_table()
    for options, has_graph in (
        ({"rule": Neighbourhoods()}, False),
        ({}, False),
        ({"graph": "mst"}, True),
        ({"rule": "degree"}, True),
    ):
        selector = TopologicalFeatureSelector(5, **options).fit(X)
        page = page_of(selector, X)
        assert (data_of(page)["graph"] is not None) == has_graph
        assert ('<button type="button" data-view="graph">' in page) == has_graph
        assert (summarise_selection(selector, X).graph is not None) == has_graph


def test_words_come_from_the_terms():
    X = chained_table()
    selector = TopologicalFeatureSelector(5, similarity=Cosine(), graph=Web(), rule=Plain())
    page = page_of(selector.fit(X), X)
    assert "compared by the cosine of the columns over 120 rows" in page
    assert "Of 435 pairs, a web of our own keeps 84 links." in page
    assert "by this measure, the cosine of the columns, need not be alike" in page
    assert data_of(page)["words"]["alike"] is False
    assert data_of(page)["words"]["ties"] == "the order of the table"


def test_a_given_similarity_has_no_rows():
    matrix = pearson(chained_table().to_numpy(), squared=True)
    page = page_of(TopologicalFeatureSelector(5, similarity=Given()).fit(matrix), matrix)
    assert "compared by given similarity. Of all pairs count" in page
    assert "t.csv · 30 columns</p>" in page


def test_pictures_of_every_rule():
    plot = pytest.importorskip("topofs.plot")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X = chained_table().rename(columns={"naïve ☃ 特徴": "x"})
    for rule in (Neighbourhoods(), Ended(), Plain()):
        selector = TopologicalFeatureSelector(5, rule=rule).fit(X)
        axes = plot.coverage_curve(selector, X)
        marks = [text.get_text() for text in axes.texts]
        assert marks == (["stops by itself at 4"] if rule.has_end else [])
        assert plot.network(selector).get_title().endswith("5 selected")
        assert plot.degree_distribution(selector).get_title() == ""
        if not rule.has_groups:
            with pytest.raises(ValueError, match=f"the curve of rule '{rule.name}' needs"):
                plot.coverage_curve(selector)
        else:
            assert plot.network(selector, groups=True)
    pyplot.close("all")
