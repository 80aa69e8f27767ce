"""The selection page of rule coverage: who represents whom, stability, names and numbers."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from tests.matrices import factor_table
from tests.report.selection_cases import HOSTILE, chained_table, mixed_table, table
from tests.report.test_selection import data_of
from topofs import (
    Coverage,
    Links,
    MinShare,
    Pearson,
    TopologicalFeatureSelector,
    pearson,
    stability,
)
from topofs.io.types import typed_table
from topofs.report.selection import summarise_selection, write_selection_report
from topofs.report.selection_words import Words


def page_of(tmp_path, selector, X, **options):
    path = tmp_path / "page.html"
    write_selection_report(path, selector=selector, X=X, **options)
    return path.read_text(encoding="utf-8")


def representatives(data, k):
    """Representative and share of each feature at size k, as the scripts find them."""
    found = {feature: (feature, 10_000) for feature in data["order"][:k]}
    near = data["nearest"]
    for node, feature in enumerate(data["nodes"]):
        for change in range(near["starts"][node], near["starts"][node + 1]):
            if near["positions"][change] < k and feature not in data["order"][:k]:
                by = data["order"][near["positions"][change]]
                found[feature] = (by, near["values"][change])
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"graph": Links(strongest=None)},
        {"graph": "tmfg"},
        {"graph": "tmfg", "rule": Coverage(reach="edges")},
    ],
)
def test_the_share_is_the_coverage_of_the_selector(options):
    X = chained_table()
    selector = TopologicalFeatureSelector(**options).fit(X)
    summary = summarise_selection(selector, X)
    np.testing.assert_allclose(summary.share[1:], selector.coverage_, atol=1e-9)
    assert summary.end == summary.n_selected == selector.n_features_
    assert summary.ties is None
    assert Words(summary).method


@pytest.mark.parametrize("keep", [None, ["a b", "feature 23"]])
def test_the_page_holds_the_groups_of_every_size(keep, tmp_path):
    X = chained_table().assign(constant=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = TopologicalFeatureSelector(keep=keep).fit(X)
    data = data_of(page_of(tmp_path, selector, X))
    for k in (2, 5, 12, 30):
        cut = selector.at(k)
        found = representatives(data, k)
        for feature in range(31):
            by, share = found.get(feature, (-1, 0))
            assert by == cut.representative_[feature]
            assert share / 1e4 == pytest.approx(cut.shares_[feature], abs=6e-5)
        share = cut.shares_[cut.nodes_].mean()
        assert data["share"][k] / 1e4 == pytest.approx(share, abs=6e-5)
    assert data["representation"]["isolated"] == selector.isolated_.tolist()
    assert data["end"] == selector.at("auto").n_features_
    assert len(data["representation"]["through"]) == len(data["nearest"]["positions"])
    assert data["scoreGroups"] is data["bars"] is data["resampled"] is data["nominal"] is None


def test_the_sentences_say_that_columns_represent_others():
    X = chained_table()
    selector = TopologicalFeatureSelector().fit(X)
    words = Words(summarise_selection(selector, X, table_name="t.csv"))
    n, share = selector.n_features_, round(100 * selector.coverage_[selector.n_features_ - 1])
    assert words.headline == f"{n} of 30 columns represent {share} % of the variance of all 30"
    assert f"{n} columns drawn at random represent" in words.meaning
    assert f"The selection stopped at {n}: {selector.rule_.end_words}." in words.meaning
    assert "how much of one's variance the other explains" in words.how
    assert "squared Pearson correlation, 120 rows" in words.how
    assert words.how.count("TMFG") == words.how.count("links") == 0
    assert "Of all pairs count the 128 strongest links" in words.method
    along = TopologicalFeatureSelector(graph="tmfg").fit(X)
    method = Words(summarise_selection(along, X)).method
    assert "of them stronger than chance explains" in method
    assert "3 columns are isolated" in words.notes[0]
    assert words.notes[0].endswith("They are left out.")


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        ({"n_features_to_select": 1}, "1 column drawn at random represents"),
        (
            {"n_features_to_select": 2},
            "You asked for 2; by itself the selection would go on to",
        ),
        ({"n_features_to_select": 9}, "You asked for 9; by itself the selection would stop at"),
        ({"n_features_to_select": 6}, "That is also where the selection stops by itself."),
        ({"n_features_to_select": 30}, "All of them are selected."),
        (
            {"n_features_to_select": 28, "rule": Coverage(isolated="last")},
            "1 of them is selected.",
        ),
        ({"rule": Coverage(isolated="keep")}, "All of them are selected."),
        ({"graph": Links(strongest=None)}, "count all links above the noise floor"),
        ({"similarity": "mutual_information"}, "shared information, on the scale"),
        ({"similarity": Pearson(squared=False)}, "compared by Pearson correlation over"),
        ({"graph": "mst"}, "a maximum spanning tree (MST) keeps 29 links"),
    ],
)
def test_every_setting_has_its_words(options, phrase):
    X = chained_table()
    words = Words(summarise_selection(TopologicalFeatureSelector(**options).fit(X), X))
    assert phrase in " ".join([words.meaning, words.method, *words.notes])


def test_a_given_similarity_says_nothing_of_chance(tmp_path):
    X = factor_table(50, 12)
    matrix = pearson(X, squared=True)
    matrix[:, 3] = matrix[3] = 0.0
    matrix[3, 3] = 1.0
    selector = TopologicalFeatureSelector(4, similarity="precomputed").fit(matrix)
    page = page_of(tmp_path, selector, matrix)
    assert "1 column is isolated, with no link of any weight" in page
    assert "chance explains" not in page


def test_data_without_structure_says_so():
    X = np.random.default_rng(0).normal(size=(30, 6))
    with pytest.warns(UserWarning, match="nothing to choose by"):
        selector = TopologicalFeatureSelector().fit(X)
    words = Words(summarise_selection(selector, X))
    assert "nothing to choose by: every column represents itself alone" in words.meaning


def test_names_and_numbers_are_told_apart(tmp_path):
    X = mixed_table()
    with pytest.warns(UserWarning, match="hardly repeat|constant"):
        selector = TopologicalFeatureSelector().fit(X)
    page = page_of(tmp_path, selector, X)
    assert "5 columns of numbers and 4 of names (categories): retired, town, state, id." in page
    assert "Spearman² between numbers, η² between numbers and names" in page
    assert (
        "2 columns took no part: id (names that hardly repeat, as an identifier&#39;s do)"
        in page
    )
    assert data_of(page)["nominal"] == [3, 4, 5, 7]
    # The same from a table that was read already.
    assert page_of(tmp_path, selector, typed_table(X)) == page


def test_numbers_alone_are_not_spoken_of_as_such(tmp_path):
    X = table()
    selector = TopologicalFeatureSelector(similarity="mixed").fit(X)
    page = page_of(tmp_path, selector, X)
    assert "of names" not in page.split("</header>")[0].split("Spearman²")[0]
    assert data_of(page)["nominal"] is None


@pytest.mark.parametrize("rule", ["coverage", "degree"])
def test_stability_is_shown_with_columns_and_links(rule, tmp_path):
    X = chained_table()
    selector = TopologicalFeatureSelector(4, rule=rule, graph="tmfg").fit(X)
    found = stability(selector, X, n_resamples=8, random_state=0)
    page = page_of(tmp_path, selector, X, stability=found)
    assert "Would other data give the same columns?" in page
    assert f"stability {found.phi:.2f} (95 % interval {found.lower:.2f} to" in page
    data = data_of(page)
    resampled = data["resampled"]
    np.testing.assert_allclose(np.array(resampled["frequency"]) / 1e4, found.frequency)
    known = {(e.left, e.right): e.confidence for e in found.edges}
    edges = np.sort(selector.nodes_[selector.graph_.edges], axis=1).tolist()
    expected = [known.get(tuple(edge), 0.0) for edge in edges]
    assert max(expected) > 0
    confidence = np.array(data["graph"]["confidence"])
    np.testing.assert_allclose(confidence / 1e4, expected, atol=6e-5)


def test_the_sentence_about_stability(tmp_path):
    X = chained_table()
    selector = TopologicalFeatureSelector(30).fit(X)
    everything = stability(TopologicalFeatureSelector(30), X, n_resamples=3, random_state=0)
    assert "all columns were always selected" in page_of(
        tmp_path, selector, X, stability=everything
    )
    with pytest.raises(ValueError, match="stability is over 30 columns"):
        few = X.iloc[:, :10]
        summarise_selection(TopologicalFeatureSelector(2).fit(few), few, stability=everything)


def test_hostile_names_in_groups_and_alone_are_text(tmp_path):
    X = chained_table()
    alone = X.columns[-1]
    X = X.rename(columns={HOSTILE: "tame", alone: HOSTILE})
    selector = TopologicalFeatureSelector().fit(X)
    assert 29 in selector.isolated_
    page = page_of(tmp_path, selector, X, table_name=HOSTILE)
    for raw in ("<script>window", "<img", 'onerror="', "</script><script>"):
        assert raw not in page
    assert "&lt;/script&gt;&lt;script&gt;window.hacked = true" in page
    assert data_of(page)["names"][29] == HOSTILE


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_few_columns_stop_by_themselves(n, tmp_path):
    X = factor_table(30, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = TopologicalFeatureSelector().fit(X)
    assert f"of {n} column" in page_of(tmp_path, selector, X)


def test_near_copies_are_safe_to_drop(tmp_path):
    X = chained_table()
    selector = TopologicalFeatureSelector().fit(X)
    page = page_of(tmp_path, selector, X)
    assert "Safe to drop" in page
    assert "at least 90 % of" in page
    assert data_of(page)["copies"] == {"from": 0.9}
    # The list comes before the drawing, and the headline before both.
    order = [
        page.index(f'id="{name}"') for name in ("headline", "copies", "network", "ranking")
    ]
    assert order == sorted(order)
    redundant = TopologicalFeatureSelector(MinShare(0.8)).fit(X)
    assert data_of(page_of(tmp_path, redundant, X))["copies"] == {"from": 0.8}
    by_energy = TopologicalFeatureSelector(5, similarity="energy", rule="degree").fit(X)
    page = page_of(tmp_path, by_energy, X)
    assert "Safe to drop" not in page
    assert data_of(page)["copies"] is None


@pytest.mark.parametrize("size", ["auto", 5])
def test_a_replacement_that_covers_more_says_what_takes_it(size, tmp_path):
    X = load_breast_cancer(as_frame=True).data
    greedy = TopologicalFeatureSelector(size).fit(X)
    better = [
        (one.gained - one.lost, one.name, selected)
        for selected in greedy.get_feature_names_out()
        for one in greedy.substitute(selected, n=3)
    ]
    most, other, selected = max(better)
    notes = Words(summarise_selection(greedy, X)).notes
    said = [note for note in notes if "--refine" in note]
    assert len(said) == (most > 5e-5)
    if said:
        assert f"“{other}” in place of “{selected}”" in said[0]
        assert f"{100 * most:.2f} points" in said[0]
    refined = TopologicalFeatureSelector(size, rule=Coverage(refine=True)).fit(X)
    page = page_of(tmp_path, refined, X)
    assert "--refine" not in page
    assert data_of(page)["words"]["refine"] == ""


def test_what_is_ranked_past_the_automatic_end():
    X = chained_table()
    selector = TopologicalFeatureSelector().fit(X)
    rest = Words(summarise_selection(selector, X)).rest
    n_rest = 30 - selector.n_features_
    assert f"automatic end at {selector.n_features_}" in rest
    assert f"{n_rest - len(selector.isolated_)} second representatives" in rest
    assert f"{len(selector.isolated_)} isolated columns" in rest
    by_degree = TopologicalFeatureSelector(4, rule="degree").fit(X)
    assert Words(summarise_selection(by_degree, X)).rest == ""
