"""The selection page as a reader uses it. Every test also checks `window` at its end."""

import csv
import io

import numpy as np
import pytest

from tests.report.browser.browser_pages import opened
from tests.report.selection_cases import NAMES, table
from topofs.report.selection import summarise_selection
from topofs.selection import fitted_similarity, ranked_columns
from topofs.text import percent

SELECTED, OTHER = [217, 72, 15, 255], [135, 150, 170, 255]


@pytest.fixture(scope="module")
def ranking(selector):
    return ranked_columns(selector, fitted_similarity(selector, table()))


def shown_names(window):
    return window.page.locator("#ranking-table tbody td.name").all_inner_texts()


def test_search_by_keyboard_shows_a_column(window):
    page = window.page
    page.locator("#search").focus()
    page.keyboard.type("FEATURE 1")
    window.settle()
    found = page.locator("#search-results [role=option]").all_inner_texts()
    assert sorted(found) == sorted(["feature 1", *(f"feature {n}" for n in range(10, 18))])
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#search-results [aria-selected=true]").inner_text()
    page.keyboard.press("Enter")
    window.settle()
    assert window.text("#details h3") == chosen == found[1]
    assert page.locator("#search-results").is_hidden()


def test_search_by_pointer_and_in_vain(window):
    window.page.fill("#search", "no such column")
    assert "No column has this" in window.text("#search-results")
    window.page.fill("#search", "a b")
    window.page.locator("#search-results [role=option]").first.click()
    window.settle()
    assert window.text("#details h3") == "a b"
    window.page.press("#search", "Escape")
    assert window.page.input_value("#search") == ""


def test_click_a_dot_shows_neighbours_and_the_reason(window, selector, ranking):
    for column in (ranking[0], ranking[-1]):
        window.click_dot(column.name)
        assert window.text("#details h3") == column.name
        assert window.text("#details .status") == (
            "Selected" if column.selected else "Not selected"
        )
        why = window.text("#details-body")
        assert f"rank {column.rank} of 24" in why
        assert column.nearest in why
        neighbors = selector.explain(column.name).neighbors
        expected = [neighbor.name for neighbor in neighbors if neighbor.weight > 0]
        said = why.partition("Not listed: ")[2].split(" ")[0]
        assert len(neighbors) - len(expected) == int(said or 0)
        more = window.page.get_by_role("button", name="Show all 1")
        if len(expected) > 12:
            more.click()
        shown = window.page.locator("#details .neighbours .name-button > span:nth-child(2)")
        listed = [
            text.removesuffix(" (selected)").removesuffix(" (not selected)")
            for text in shown.all_text_contents()
        ]
        assert sorted(listed) == sorted(expected)
    # A neighbour in the list leads on.
    window.page.locator("#details .neighbours button").first.click()
    window.settle()
    assert window.text("#details h3") == selector.explain(ranking[-1].name).neighbors[0].name


def test_hover_names_a_column(window, ranking):
    window.page.locator("#network").scroll_into_view_if_needed()
    x, y = window.page.evaluate("(name) => window.topofsReport.placeOf(name)", ranking[0].name)
    window.page.mouse.move(x, y)
    window.settle()
    assert ranking[0].name in window.text("#tooltip")
    assert "Selected · rank 1" in window.text("#tooltip")
    window.page.mouse.move(x, 1)
    window.settle()
    assert window.page.locator("#tooltip").is_hidden()


def test_the_slider_moves_dots_table_and_share(window, selector, ranking):
    page = window.page
    summary = summarise_selection(selector, table())
    start = summary.n_selected
    following = ranking[start].name
    assert window.color_at(following) == OTHER
    page.locator("#size").focus()
    page.keyboard.press("ArrowRight")
    window.settle()
    assert window.color_at(following) == SELECTED
    assert window.text("#covered") == percent(summary.share[start + 1])
    assert page.locator("#ranking-table .status.selected").count() == start + 1
    assert page.locator("#selected li").count() == start + 1
    assert page.input_value("#size-number") == str(start + 1)
    page.click("#size-reset")
    window.settle()
    assert window.color_at(following) == OTHER
    for k in (1, 5, 24):
        page.fill("#size-number", str(k))
        page.press("#size-number", "Tab")
        window.settle()
        assert window.text("#covered") == percent(summary.share[k])
        assert page.locator("#ranking-table .status.selected").count() == k
    page.fill("#size-number", "999")
    page.press("#size-number", "Tab")
    assert page.input_value("#size-number") == "24"


@pytest.mark.parametrize("k", [1, 4, 9])
def test_nearest_selected_column_at_every_k(window, selector, k):
    window.page.fill("#size-number", str(k))
    window.page.press("#size-number", "Tab")
    window.settle()
    similarity = fitted_similarity(selector, table())
    expected = {c.name: c.nearest for c in ranked_columns(selector.at(k), similarity)}
    rows = window.page.locator("#ranking-table tbody tr")
    for row in rows.all():
        name = row.locator("td.name").inner_text()
        nearest = row.locator("td.nearest").inner_text().removesuffix("…")
        assert (expected[name] or "–").startswith(nearest)


def test_ties_at_the_cut_are_pointed_out(window, selector):
    k = int(selector.support_.sum())
    cut = np.sort(selector.scores_)[::-1][k - 1]
    tied = int((selector.scores_ == cut).sum())
    assert window.text("#tied") == str(tied)
    window.page.locator("#scores-chart").scroll_into_view_if_needed()
    window.settle()
    assert f"{tied} columns with {cut:g} links" in window.text("#ties-text")
    assert window.page.locator("#scores-chart .tied").count() == 1
    window.page.select_option("#filter-status", "tied")
    assert len(shown_names(window)) == tied


def test_sort_and_filter(window, ranking):
    page = window.page
    by_rank = [column.name for column in ranking]
    assert shown_names(window) == by_rank
    page.get_by_role("button", name="Rank", exact=True).click()
    assert shown_names(window) == by_rank[::-1]
    assert page.locator("#ranking-table th").first.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="Links", exact=True).click()
    scores = [int(text) for text in page.locator("td.score").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    page.get_by_role("button", name="Column", exact=True).click()
    plain = [name for name in shown_names(window) if name.startswith("feature")]
    assert plain == [f"feature {number}" for number in range(18)]
    page.fill("#filter", "Feature 1")
    assert len(shown_names(window)) == 9
    page.select_option("#filter-status", "selected")
    selected = {c.name for c in ranking if c.selected and c.name.startswith("feature 1")}
    assert set(shown_names(window)) == selected
    page.fill("#filter", "nothing like it")
    assert "No column fits" in window.text("#ranking-table tbody")


def test_download_is_safe_and_comes_back(window, ranking):
    with window.page.expect_download() as waiting:
        window.page.click("#download")
    assert waiting.value.suggested_filename == "ranking.csv"
    text = io.StringIO(waiting.value.path().read_text(encoding="utf-8-sig"), newline="")
    rows = list(csv.DictReader(text))
    assert len(rows) == 24
    for row, column in zip(rows, ranking, strict=True):
        # A name like a formula is led by an apostrophe; all others come back as they are.
        assert row["column"].removeprefix("'") == column.name
        assert not row["column"].startswith("=")
        assert int(row["rank"]) == column.rank
        assert row["selected"] == ("yes" if column.selected else "no")
        assert float(row["score"]) == column.score
        assert row["nearest_selected"].removeprefix("'") == column.nearest
        assert float(row["similarity"]) == pytest.approx(column.similarity, abs=1e-4)
    window.page.fill("#filter", "feature")
    with window.page.expect_download() as waiting:
        window.page.click("#download")
    lines = waiting.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == 1 + 24 - len(NAMES)


def test_zoom_move_and_show_all(window, ranking):
    page, name = window.page, ranking[0].name

    def place():
        window.settle()
        return np.array(page.evaluate("(name) => window.topofsReport.placeOf(name)", name))

    page.locator("#network").focus()
    start = place()
    page.keyboard.press("ArrowRight")
    np.testing.assert_allclose(place() - start, [-50, 0], atol=0.01)
    page.keyboard.press("+")
    assert np.abs(place() - start).max() > 1
    page.keyboard.press("0")
    np.testing.assert_allclose(place(), start, atol=0.01)
    page.click("#zoom-in")
    page.mouse.move(*(start + 5))
    page.mouse.down()
    page.mouse.move(*(start + np.array([25, 45])), steps=4)
    page.mouse.up()
    assert np.abs(place() - start).max() > 10
    page.click("#zoom-fit")
    np.testing.assert_allclose(place(), start, atol=0.01)


def test_the_wheel_scrolls_the_page_unless_the_drawing_has_the_focus(window):
    page = window.page
    page.locator("#network").scroll_into_view_if_needed()
    box = page.locator("#network").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, 120)
    page.wait_for_function("(before) => scrollY > before", arg=before)
    page.locator("#network").focus()
    still = page.evaluate("scrollY")
    place = "() => window.topofsReport.placeOf('a b').join()"
    start = page.evaluate(place)
    page.mouse.wheel(0, -120)
    page.wait_for_function(f"(start) => ({place})() !== start", arg=start)
    assert page.evaluate("scrollY") == still


def test_the_curve_sets_the_size(window):
    chart = window.page.locator("#coverage-chart svg")
    chart.scroll_into_view_if_needed()
    window.settle()
    box = window.page.locator("#coverage-chart svg").bounding_box()
    window.page.mouse.click(box["x"] + box["width"] - 16, box["y"] + 60)
    window.settle()
    assert window.page.input_value("#size-number") == "24"


def test_the_heat_map_names_the_most_alike(window, selector):
    window.page.locator("#heat").scroll_into_view_if_needed()
    window.settle()
    similarity = np.corrcoef(table().to_numpy().T) ** 2
    np.fill_diagonal(similarity, -1)
    selected = np.flatnonzero(selector.support_)
    best = similarity[np.ix_(selected, selected)].max()
    assert f"{best:.2f}" in window.page.locator("#alike li").first.inner_text()
    box = window.page.locator("#heat").bounding_box()
    # From the left over the name of the first row to its first cell: a column with itself.
    for across in range(10, int(box["width"]), 10):
        window.page.mouse.move(box["x"] + across, box["y"] + 20)
        if window.page.locator("#heat-tooltip").is_visible():
            break
    value, first, second = window.text("#heat-tooltip").split("\n")
    assert value == "1.00"
    assert first == second


def test_all_of_it_is_reached_by_the_tab_key(window):
    page = window.page
    page.keyboard.press("Tab")
    seen = []
    while page.evaluate("document.activeElement !== document.body"):
        seen.append(
            page.evaluate("document.activeElement.id || document.activeElement.className")
        )
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", seen[-1]
        page.keyboard.press("Tab")
    wanted = ["size", "size-number", "search", "zoom-in", "network", "download", "filter"]
    places = [seen.index(name) for name in wanted]
    assert places == sorted(places)


def test_names_are_text_and_no_script_of_theirs_runs(browser, tmp_path, selector):
    from topofs.report.selection import write_selection_report

    hostile = NAMES[0]
    path = tmp_path / "hostile.html"
    write_selection_report(path, selector=selector, X=table(), table_name=hostile)
    with opened(browser, path) as window:
        window.page.fill("#search", hostile[:12])
        window.page.press("#search", "Enter")
        window.page.fill("#size-number", "24")
        window.page.press("#size-number", "Tab")
        for part in ("#coverage-chart", "#heat", "#ranking"):
            window.page.locator(part).scroll_into_view_if_needed()
            window.settle()
        assert window.text("#details h3") == hostile
        assert hostile in shown_names(window)
        assert hostile in window.text(".eyebrow")
        assert hostile in window.page.locator("#selected").inner_text()
        window.click_dot(hostile)
        window.page.mouse.move(2, 2)
        window.page.mouse.move(
            *window.page.evaluate("(n) => window.topofsReport.placeOf(n)", hostile)
        )
        window.settle()
        assert hostile in window.text("#tooltip")
        assert window.page.evaluate("window.hacked") is None
        assert window.page.locator("img").count() == 0
        assert window.page.title().endswith(hostile)
        assert window.complaints == []
        assert window.asked_only_for(path)


def test_the_page_cannot_ask_a_host(browser, page_file):
    with opened(browser, page_file) as window:
        outcome = window.page.evaluate(
            "fetch('https://example.org/').then(() => 'came', () => 'refused')"
        )
        assert outcome == "refused"
        assert any("Content Security Policy" in text for text in window.complaints)
