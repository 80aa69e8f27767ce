"""The page of rules that topofs does not know, as a reader uses it."""

import csv
import io

import numpy as np
import pytest

from tests.report.browser.browser_pages import opened
from tests.report.own_rules import Ended, Neighbourhoods, Plain
from tests.report.selection_cases import chained_table
from topofs import TopologicalFeatureSelector
from topofs.report.selection import write_selection_report


@pytest.fixture(scope="module")
def X():
    return chained_table()


@pytest.fixture
def open_page(browser, X, tmp_path):
    """Open the page of a fitted selector; at the end it must have behaved."""
    path = tmp_path / "page.html"
    windows = []

    def show(selector):
        write_selection_report(path, selector=selector, X=X)
        window = opened(browser, path)
        windows.append((window, window.__enter__()))
        return windows[-1][1]

    yield show
    for context, window in windows:
        context.__exit__(None, None, None)
        assert window.complaints == []
        assert window.asked_only_for(path)


def look_through(window):
    """Scroll past every panel, so that each is drawn, and choose the first column."""
    height = window.page.evaluate("document.documentElement.scrollHeight")
    for top in range(0, height, 500):
        window.page.evaluate("(top) => scrollTo(0, top)", top)
        window.settle()
    window.page.locator("#selected button").first.click()
    window.settle()


@pytest.mark.parametrize("rule", [Neighbourhoods(), Ended(), Plain()])
def test_every_panel_is_drawn(open_page, X, rule):
    selector = TopologicalFeatureSelector(5, rule=rule, keep=["feature 20"]).fit(X)
    window = open_page(selector)
    look_through(window)
    assert window.text("#details h3") == "feature 20"
    assert window.text("#details .status") == "Forced"
    assert "it is selected because you asked for it" in window.text("#details-body")
    assert window.page.locator("#coverage-chart .stop-text").count() == int(rule.has_end)
    assert window.page.locator("#scores-chart rect").count() > 0
    assert window.page.locator("#groups").count() == int(rule.has_groups)
    assert rule.name.capitalize() in window.page.locator("#ranking-table th").all_inner_texts()
    window.click_dot("feature 3")
    assert window.text("#details h3") == "feature 3"
    joined = "joined to" in window.text("#details-body")
    assert joined == rule.needs.graph


def test_what_a_column_adds_is_shown_beside_its_score(open_page, X):
    selector = TopologicalFeatureSelector(5, rule=Neighbourhoods()).fit(X)
    window = open_page(selector)
    look_through(window)
    heads = window.page.locator("#ranking-table th").all_inner_texts()
    assert heads[3:5] == ["Neighbourhoods", "Adds"]
    assert window.page.locator("td.score").first.inner_text() == "3,000"
    first = selector.at(1).shares_.sum()
    assert window.page.locator("td.adds").first.inner_text() == f"{first:.2f}"
    with window.page.expect_download() as waiting:
        window.page.click("#download")
    text = io.StringIO(waiting.value.path().read_text(encoding="utf-8-sig"), newline="")
    rows = list(csv.DictReader(text))
    assert [float(row["score"]) for row in rows[:2]] == [3000, 2900]
    total = np.sum([float(row["adds"]) for row in rows[:5]])
    assert total == pytest.approx(selector.shares_.sum(), rel=1e-4)


def test_a_forced_column_is_told_from_the_others(open_page, X):
    selector = TopologicalFeatureSelector(4, keep=["feature 20"]).fit(X)
    window = open_page(selector)
    status = window.page.locator("#ranking-table .status").all_inner_texts()
    assert status[:5] == ["Forced", "Selected", "Selected", "Selected", "–"]
    assert window.page.get_attribute("#size", "min") == "1"
    window.page.fill("#size-number", "0")
    window.page.press("#size-number", "Tab")
    assert window.page.input_value("#size-number") == "1"
