"""The page of a panel: constraints, sizes, random lists and stand-ins, before any browser."""

import json
import re
import warnings

import numpy as np
import pytest

from tests.report.pages import selection_report
from tests.report.selection_cases import HOSTILE, NAMES, chained_table, table
from topofs import AtMost, Budget, MinShare, TopologicalFeatureSelector, UntilCoverage
from topofs.report.selection import summarise_selection
from topofs.report.selection_words import Words
from topofs.text import percent


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(found.group(1))


def page_of(selector, X):
    page = selection_report(selector=selector, X=X, table_name="t.csv")
    return page, data_of(page)


def said(selector, X):
    words = Words(summarise_selection(selector, X, table_name="t.csv"))
    return " ".join([words.meaning, words.method, *words.notes])


@pytest.mark.parametrize("rule", ["coverage", "degree"])
def test_random_lists_stand_beside_the_coverage(rule):
    X = chained_table()
    selector = TopologicalFeatureSelector(5, rule=rule).fit(X)
    summary = summarise_selection(selector, X)
    random = summary.random
    assert random.sizes[0] == 1
    assert random.sizes[-1] == 30
    assert 5 in random.sizes
    assert (random.low <= random.mean).all()
    assert (random.mean <= random.high).all()
    assert (np.diff(random.mean) > -0.03).all()
    assert random.mean[-1] == pytest.approx(1.0)
    meaning = Words(summary).meaning.lower()
    said = "5 columns drawn at random" if rule == "coverage" else "random lists of 5"
    assert said in meaning
    assert percent(summary.random_share) in meaning
    between = random.at(int(random.sizes[-2]) + 1)
    assert random.mean[-2] < between < random.mean[-1]


def test_random_lists_are_those_of_the_selector():
    X = chained_table()
    selector = TopologicalFeatureSelector().fit(X)
    summary = summarise_selection(selector, X)
    assert summary.random_share == selector.random_lists().mean


def test_random_lists_of_a_rule_without_groups_are_those_of_any_list():
    X = table()
    summary = summarise_selection(TopologicalFeatureSelector(4, rule="degree").fit(X), X)
    similarity = np.corrcoef(X.to_numpy().T) ** 2
    rng = np.random.default_rng(5)
    drawn = [similarity[rng.permutation(24)[:4]].max(axis=0).mean() for _ in range(400)]
    assert summary.random_share == pytest.approx(np.mean(drawn), abs=0.02)


@pytest.mark.parametrize("rule", ["coverage", "degree"])
def test_constraints_are_said_and_handed_to_the_page(rule):
    X = chained_table()
    groups = {name: at // 3 for at, name in enumerate(X.columns) if at < 27}
    selector = TopologicalFeatureSelector(
        5,
        rule=rule,
        keep=[NAMES[1], HOSTILE],
        exclude=["feature 3", "feature 4"],
        at_most=AtMost(2, of=groups),
    ).fit(X)
    page, data = page_of(selector, X)
    text = said(selector, X)
    assert f"Forced: {HOSTILE}, =2+5." in text
    assert "Excluded: feature 3, feature 4. They cannot be selected" in text
    assert "At most 2 selected of each of 9 groups (3 columns in no group)." in text
    most = selector.n_selectable_
    assert most < 28
    assert f"At most {most} columns can be selected together under these constraints" in text
    assert data["most"] == most
    assert data["excluded"] == selector._constraints.excluded.tolist()
    assert f'max="{most}"' in page
    assert "window.hacked = true</script><img" not in page
    assert '<option value="excluded">' in page
    at_the_end = selector.at(most)
    assert not at_the_end.support_[data["excluded"]].any()


def test_no_constraints_no_words():
    X = chained_table()
    page, data = page_of(TopologicalFeatureSelector().fit(X), X)
    assert "Forced" not in page.split("<script")[0]
    assert '<option value="excluded">' not in page
    assert data["most"] == 30
    assert data["cost"] is None


def test_the_columns_that_may_be_alike():
    X = chained_table()
    selector = TopologicalFeatureSelector(4, max_similarity=0.5).fit(X)
    assert "No two selected columns are more alike than 0.5 (squared Pearson" in said(
        selector, X
    )


def test_sizes_that_are_terms():
    X = chained_table()
    until = TopologicalFeatureSelector(UntilCoverage(0.9)).fit(X)
    assert "the fewest columns of the ranking that cover 90 %." in said(until, X)
    cost = [1.0 + at % 3 for at in range(30)]
    budget = TopologicalFeatureSelector(Budget(9, cost), keep=[0]).fit(X)
    spent = np.array(cost)[budget.support_].sum()
    assert f"within a budget of 9; {spent:g} of it spent." in said(budget, X)
    assert "can be selected together within the budget" in said(budget, X)
    _, data = page_of(budget, X)
    assert data["cost"] == cost
    assert data["end"] is None


def test_redundant_columns_are_named_with_what_explains_them():
    X = chained_table()
    selector = TopologicalFeatureSelector(MinShare(0.8)).fit(X)
    text = said(selector, X)
    _, data = page_of(selector, X)
    out = np.flatnonzero(~selector.support_)
    assert len(out) > 3
    assert data["copies"] == {"from": 0.8}
    assert (selector.shares_[out] >= 0.8).all()
    assert Words(summarise_selection(selector, X)).redundant == (len(out), [])
    assert "Only what is redundant was left out" in text
    assert "of which a selected one explains at least 80 %." in text
    assert "stops by itself" not in text
    assert data["end"] is None


def test_redundancy_where_nothing_is_redundant_and_where_one_is_excluded():
    X = chained_table()
    selector = TopologicalFeatureSelector(MinShare(1.0)).fit(X)
    assert "There is none." in said(selector, X)
    alone = X.columns[-1]
    selector = TopologicalFeatureSelector(MinShare(0.8), exclude=[alone]).fit(X)
    assert f"Left out, and explained by no selected one: {alone}." in said(selector, X)


def test_alternatives_are_those_of_the_selector():
    X = chained_table()
    selector = TopologicalFeatureSelector(6, keep=["a b"]).fit(X)
    _, data = page_of(selector, X)
    assert set(data["alternatives"]["of"]) == {
        str(i) for i in np.flatnonzero(selector.support_)
    }
    for feature, found in data["alternatives"]["of"].items():
        expected = selector.substitute(int(feature), n=3)
        assert [one[0] for one in found] == [one.position for one in expected]
        for one, other in zip(found, expected, strict=True):
            assert one[1:] == pytest.approx(
                [other.lost, other.gained, other.share], rel=1e-4, abs=1e-9
            )


def test_alternatives_for_the_first_sixty_only_and_none_without_groups():
    X = np.random.default_rng(0).normal(size=(40, 70)).cumsum(axis=1)
    _, data = page_of(TopologicalFeatureSelector(65).fit(X), X)
    assert len(data["alternatives"]["of"]) == data["alternatives"]["most"] == 60
    _, data = page_of(TopologicalFeatureSelector(5, rule="degree").fit(X), X)
    assert data["alternatives"]["of"] == {}


def test_constant_columns_never_lift_a_limit():
    X = chained_table().assign(constant=1.0, still=2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = TopologicalFeatureSelector(3, exclude=["a b"], keep=["constant"]).fit(X)
        free = TopologicalFeatureSelector(3).fit(X)
    assert selector.n_selectable_ == 30
    assert free.n_selectable_ == 32
    assert not selector.at(30).support_[X.columns.get_loc("a b")]
    with pytest.raises(ValueError, match="only 30 can be selected together"):
        selector.at(31)
    _, data = page_of(selector, X)
    assert data["most"] == 30
    assert str(X.columns.get_loc("constant")) not in data["alternatives"]["of"]


JUDGED = ("a b", "feature 12", "feature 9")


def test_a_list_that_is_judged_is_not_called_a_selection():
    X = chained_table()
    selector = TopologicalFeatureSelector(3, keep=JUDGED).fit(X)
    summary = summarise_selection(selector, X, table_name="t.csv", judged=True)
    words = Words(summary)
    assert "list of 3 columns" in words.headline
    assert percent(float(summary.share[3])) in words.headline
    assert (
        f"Given the list, a selection stops by itself at {summary.end}, where" in words.meaning
    )
    sentences = " ".join([words.headline, words.meaning, words.how, words.method, *words.notes])
    assert f"In the list: {', '.join(n for n in X if n in JUDGED)}." in sentences
    page = selection_report(selector=selector, X=X, judged=True)
    body = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    for word in ("chosen", "asked for", "Forced", "selected"):
        assert word not in sentences, word
        assert word not in re.sub(r"<[^>]*>", " ", body), word
    assert data_of(page)["judged"]
    chosen = said(selector, X)
    assert "You asked for 3" in chosen


def test_what_takes_no_part_is_named_with_the_reason():
    X = chained_table().assign(still=2.0, day=[f"2024-01-{1 + i % 28:02}" for i in range(120)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = TopologicalFeatureSelector(3).fit(X)
    reasons = ["constant", "dates, such as '2024-01-01'"]
    assert data_of(selection_report(selector=selector, X=X))["reasons"] == {
        "30": reasons[0],
        "31": reasons[1],
    }
    assert f"2 columns took no part: still ({reasons[0]}), day ({reasons[1]})." in said(
        selector, X
    )
