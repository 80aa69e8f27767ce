"""The page of a panel as a reader uses it: constraints, sorting, stand-ins, one more, one less."""

import csv
import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from tests.report.browser.browser_pages import opened
from tests.report.selection_cases import HOSTILE, NAMES, chained_table
from topofs import AtMost, Budget, TopologicalFeatureSelector
from topofs.report.selection import write_selection_report
from topofs.text import percent

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
KEPT = (HOSTILE, "feature 12")
EXCLUDED = ("=2+5", "feature 9")


@pytest.fixture(scope="module")
def X():
    return chained_table()


@pytest.fixture(scope="module")
def panel(X):
    groups = {name: at // 3 for at, name in enumerate(X.columns) if at < 27}
    return TopologicalFeatureSelector(
        6, keep=KEPT, exclude=EXCLUDED, at_most=AtMost(1, of=groups)
    ).fit(X)


@pytest.fixture(scope="module")
def panel_file(panel, X, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "panel.html"
    write_selection_report(path, selector=panel, X=X, table_name="panel.csv")
    return path


@pytest.fixture
def window(browser, panel_file):
    with opened(browser, panel_file) as watched:
        yield watched
        assert watched.complaints == []
        assert watched.asked_only_for(panel_file)
        assert watched.page.evaluate("window.hacked") is None
        assert watched.page.locator("img").count() == 0


def names_in_order(selector, X):
    return [X.columns[i] for i in np.argsort(selector.ranking_)]


def choose(window, name):
    window.page.fill("#search", name)
    window.page.press("#search", "Enter")
    window.settle()


def set_size(window, k):
    window.page.fill("#size-number", str(k))
    window.page.press("#size-number", "Tab")
    window.settle()


def rows(window):
    """Name to status, of every row of the ranking."""
    found = {}
    while True:
        for row in window.page.locator("#ranking-table tbody tr").all():
            found[row.locator("td.name").inner_text()] = row.locator("td.selected").inner_text()
        if window.page.locator("#page-after").is_disabled():
            return found
        window.page.click("#page-after")


def downloaded(window):
    with window.page.expect_download() as waiting:
        window.page.click("#download")
    text = waiting.value.path().read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_forced_and_excluded_are_marked_in_the_ranking(window, panel, X):
    found = rows(window)
    for name, selected in zip(X.columns, panel.support_, strict=True):
        wanted = "Selected" if selected else "–"
        if name in KEPT + EXCLUDED:
            wanted = "Forced" if name in KEPT else "Excluded"
        assert found[name] == wanted
    for status, names in (("forced", KEPT), ("excluded", EXCLUDED)):
        window.page.select_option("#filter-status", status)
        assert set(rows(window)) == set(names)


def test_forced_and_excluded_are_marked_in_the_groups_and_chips(window, panel):
    window.page.locator("#groups").scroll_into_view_if_needed()
    window.page.click("#groups-open")
    window.settle()
    forced = window.page.locator("#groups-list > .group:has(.badge.forced) b")
    assert set(forced.all_inner_texts()) == set(KEPT)
    members = {member.name for group in panel.groups_ for member in group.members} & set(
        EXCLUDED
    )
    marked = window.page.locator(".group-members li:has(.badge.excluded) .name-button")
    assert members
    assert members <= set(marked.all_text_contents())
    assert window.page.locator("#selected .badge.forced").count() == len(KEPT)


def test_forced_and_excluded_are_marked_in_the_drawing(window):
    legend = window.text(".legend")
    assert "forced" in legend
    assert "excluded" in legend
    # A forced column is a square: its colour reaches into the corners.
    reach = """([name, down]) => {
        const canvas = document.getElementById("network");
        const box = canvas.getBoundingClientRect();
        const [x, y] = window.topofsReport.placeOf(name);
        const scale = canvas.width / box.width;
        const often = { willReadFrequently: true };
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", often);
        copy.drawImage(canvas, 0, 0);
        const red = (step) => {
            const at = [x - box.left + step, y - box.top + down * step];
            const [r, g, b] = copy.getImageData(at[0] * scale, at[1] * scale, 1, 1).data;
            return r > 190 && g < 100 && b < 60;
        };
        let step = 0;
        while (step < 40 && red(step)) step += 0.25;
        return step;
    }"""
    across, corner = (window.page.evaluate(reach, ["feature 12", down]) for down in (0, 1))
    assert across > 3
    assert corner > 0.8 * across
    # An excluded one has a cross of the colour of the text in its middle.
    assert max(window.color_at("feature 9")[:3]) < 80


def test_the_details_say_why(window, panel, X):
    choose(window, "feature 12")
    assert window.text("#details .status") == "Forced"
    assert "you asked for it" in window.text("#details-body")
    choose(window, "feature 9")
    assert window.text("#details .status") == "Excluded"
    assert "it cannot be selected because you asked for that" in window.text("#details-body")
    order = names_in_order(panel, X)
    no_room = next(n for n in order[panel.n_selectable_ :] if n not in EXCLUDED)
    choose(window, no_room)
    assert "the constraints leave no room for it" in window.text("#details-body")


def test_the_slider_ends_where_the_constraints_do(window, panel):
    most = panel.n_selectable_
    assert window.page.get_attribute("#size", "max") == str(most)
    set_size(window, 30)
    assert window.page.input_value("#size-number") == str(most)
    assert "none, by the constraints" in window.text("#one-more")
    set_size(window, 1)
    assert window.page.input_value("#size-number") == str(len(KEPT))
    assert "all are forced" in window.text("#one-less")


def test_one_more_and_one_less(window, panel, X):
    order = names_in_order(panel, X)
    for k in (6, 4):
        set_size(window, k)
        adds = panel.scores_[panel.ranking_ == k + 1][0]
        assert window.text("#one-more") == f"One more: + {order[k]} adds {adds:.2f}"
        loses = panel.scores_[panel.ranking_ == k][0]
        assert window.text("#one-less") == f"One less: − {order[k - 1]} loses {loses:.2f}"
    window.page.locator("#one-more .name-button").click()
    window.settle()
    assert window.text("#details h3") == order[4]


def test_random_lists_stand_beside_every_coverage(window, panel):
    random = percent(panel.random_lists().mean)
    assert window.text("#covered") == percent(panel.shares_.mean())
    assert window.text("#covered-detail") == f"random lists: {random}"
    assert f"6 columns drawn at random represent {random} on average." in window.text(".lead")
    assert window.page.get_attribute("#size", "aria-valuetext").endswith(random)
    window.page.locator("#coverage-chart").scroll_into_view_if_needed()
    window.settle()
    chart = window.page.locator("#coverage-chart")
    assert f"random lists: {random}" in chart.inner_text()
    assert chart.locator(".random").count() == 1
    set_size(window, 4)
    shown = int(window.text("#covered-detail").removeprefix("random lists: ")[:-2])
    assert shown == pytest.approx(100 * panel.random_lists(4).mean, abs=3)


def test_alternatives_of_a_selected_column(window, panel, X):
    name = names_in_order(panel, X)[3]
    choose(window, name)
    shown = window.page.locator(".alternatives li")
    expected = panel.substitute(name, n=3)
    assert shown.count() == len(expected)
    for item, one in zip(shown.all(), expected, strict=True):
        text = item.inner_text()
        assert text.startswith(one.name)
        assert f"{percent(one.share)} of it stays explained" in text
        change = one.gained - one.lost
        more = "the same" if abs(change) < 5e-5 else "% more" if change > 0 else "% less"
        assert more in text
    set_size(window, 5)
    assert "with 6 columns selected" in window.text("#details-body")


def test_below_a_quarter_nobody_represents(browser, tmp_path):
    X = load_breast_cancer(as_frame=True).data
    selector = TopologicalFeatureSelector().fit(X)
    path = tmp_path / "tumours.html"
    write_selection_report(path, selector=selector, X=X)
    share = selector.shares_
    weak = X.columns[(share > 0) & (share < 0.25)]
    strong = X.columns[(share >= 0.25) & (share < 1)]
    with opened(browser, path) as window:
        for name, represented in ((weak[0], False), (strong[-1], True)):
            choose(window, name)
            text = window.text("#details-body")
            assert (" represents it and explains" in text) is represented
            value = percent(share[X.columns.get_loc(name)])
            assert (f"It shares {value} with " in text) is not represented
        window.page.fill("#filter", weak[0])
        assert window.text("td.by").startswith("shares ")
        by = selector.explain(weak[0]).representation.representative
        group = next(group for group in selector.groups_ if group.name == by)
        n_weak = sum(member.share < 0.25 for member in group.members)
        choose(window, by)
        assert f"It shares less than 25 % with {n_weak} other" in window.text("#details-body")
        assert "shares less than 25 % with" in window.text("#groups-list")
        assert window.complaints == []


def test_every_column_of_the_table_sorts_both_ways(window):
    heads = window.page.locator("#ranking-table th button")
    names = window.page.locator("#ranking-table td.name")
    for at in range(heads.count()):
        heads.nth(at).click()
        head = window.page.locator("#ranking-table th").nth(at)
        one = head.get_attribute("aria-sort"), names.all_inner_texts()
        heads.nth(at).click()
        other = head.get_attribute("aria-sort"), names.all_inner_texts()
        assert {one[0], other[0]} == {"ascending", "descending"}
        assert one[1] != other[1]
    window.page.get_by_role("button", name="Selected", exact=True).click()
    shown = window.page.locator("td.selected").all_inner_texts()
    assert shown[:3] == ["Forced", "Forced", "Selected"]


def test_search_and_download(window, panel, X):
    window.page.fill("#filter", "FEATURE 1")
    wanted = {name for name in X.columns if name.startswith("feature 1")}
    assert set(rows(window)) == wanted
    assert {row["column"] for row in downloaded(window)} == wanted
    window.page.fill("#filter", "")
    window.page.get_by_role("button", name="Adds", exact=True).click()
    found = downloaded(window)
    assert len(found) == 30
    adds = [float(row["adds"]) for row in found]
    assert adds == sorted(adds, reverse=True)
    for row in found:
        assert not row["column"].startswith("=")
        name = row["column"].removeprefix("'")
        constraint = "forced" if name in KEPT else "excluded" if name in EXCLUDED else ""
        assert row["constraint"] == constraint
        assert (row["selected"] == "yes") == panel.support_[X.columns.get_loc(name)]


def test_on_a_phone(browser, panel_file):
    with opened(browser, panel_file, **PHONE) as window:
        choose(window, HOSTILE)
        assert window.text("#details h3") == HOSTILE
        window.page.tap("#groups-open")
        height = window.page.evaluate("document.documentElement.scrollHeight")
        for top in range(0, height, 700):
            window.page.evaluate("(top) => scrollTo(0, top)", top)
            window.settle()
            assert window.page.evaluate("document.documentElement.scrollWidth") <= 390
        outside = window.page.evaluate(
            """() => [...document.querySelectorAll("body *")].filter((element) =>
                element.getBoundingClientRect().right > 391
                && !element.closest(".scroll, .skip, .visually-hidden, .tooltip, svg")
            ).map((element) => element.outerHTML.slice(0, 80))"""
        )
        assert outside == []
        assert window.page.locator("#covered-detail").is_visible()
        window.page.get_by_role("button", name="Selected", exact=True).tap()
        assert window.page.locator("td.selected").first.inner_text() == "Forced"
        window.page.fill("#filter", "feature 9")
        assert window.page.locator("td.selected .excluded").is_visible()
        assert window.page.evaluate("window.hacked") is None
        assert window.complaints == []


def test_hostile_names_in_every_place(browser, tmp_path, X):
    selector = TopologicalFeatureSelector(
        Budget(9, [1.0 + at % 3 for at in range(30)]), keep=NAMES[:1], exclude=NAMES[1:3]
    ).fit(X)
    path = tmp_path / "hostile.html"
    write_selection_report(path, selector=selector, X=X, table_name=HOSTILE)
    with opened(browser, path) as window:
        for name in X.columns[selector.support_]:
            choose(window, name)
            assert window.text("#details h3") == name
        window.page.get_by_role("button", name="Cost", exact=True).click()
        assert f"Forced: {HOSTILE}" in window.text(".notes")
        assert "of it spent" in window.text(".notes")
        set_size(window, 1)
        assert HOSTILE in window.page.locator("#selected").inner_text()
        assert {row["cost"] for row in downloaded(window)} == {"1", "2", "3"}
        assert window.page.evaluate("window.hacked") is None
        assert window.page.locator("img").count() == 0
        assert window.complaints == []
        assert window.asked_only_for(path)


def test_a_list_that_is_judged(browser, X, tmp_path):
    listed = (HOSTILE, "feature 12", "feature 9")
    selector = TopologicalFeatureSelector(3, keep=listed).fit(X)
    path = tmp_path / "judged.html"
    write_selection_report(path, selector=selector, X=X, table_name="list", judged=True)
    with opened(browser, path) as window:
        choose(window, "feature 12")
        assert "In the list at rank" in window.text("#details-body")
        assert "because you asked" not in window.text("#details-body")
        choose(window, "feature 3")
        assert "Not in the list: it takes rank" in window.text("#details-body")
        assert "all are in the list" in window.text("#one-less")
        set_size(window, 5)
        assert "The list has 3." in window.text("#lead")
        added = names_in_order(selector, X)[3]
        choose(window, added)
        assert "Added at rank 4" in window.text("#details-body")
        text = window.page.locator("body").inner_text()
        for word in ("chosen", "selected", "Selected", "Forced"):
            assert word not in text, word
        assert window.complaints == []
        assert window.asked_only_for(path)
