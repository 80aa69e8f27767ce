"""The page of rule coverage as a reader uses it. Every test also checks `window` at its end."""

import csv
import io

import numpy as np
import pytest

from tests.report.browser.browser_pages import opened
from tests.report.selection_cases import NAMES, chained_table, mixed_table
from topofs import TopologicalFeatureSelector, stability
from topofs.report.selection import write_selection_report
from topofs.text import percent

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def X():
    return chained_table()


@pytest.fixture(scope="module")
def fitted(X):
    return TopologicalFeatureSelector(graph="tmfg").fit(X)


@pytest.fixture(scope="module")
def found(X):
    return stability(TopologicalFeatureSelector(graph="tmfg"), X, n_resamples=6, random_state=0)


@pytest.fixture(scope="module")
def groups_file(fitted, X, found, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "groups.html"
    write_selection_report(path, selector=fitted, X=X, table_name=NAMES[0], stability=found)
    return path


@pytest.fixture
def window(browser, groups_file):
    with opened(browser, groups_file) as watched:
        yield watched
        assert watched.complaints == []
        assert watched.asked_only_for(groups_file)


def set_size(window, k):
    window.page.fill("#size-number", str(k))
    window.page.press("#size-number", "Tab")
    window.page.locator("#groups").scroll_into_view_if_needed()
    window.settle()


def shown_groups(window):
    """Every group that is listed: name to the names of its members."""
    if window.text("#groups-open") == "Open all":
        window.page.click("#groups-open")
        window.settle()
    groups = {}
    for group in window.page.locator("#groups-list > .group").all():
        members = group.locator(".group-members li .name-button").all_inner_texts()
        groups[group.locator("b").inner_text()] = members
    return groups


def expected_groups(selector):
    return {group.name: [member.name for member in group.members] for group in selector.groups_}


@pytest.mark.parametrize("k", [None, 1, 3, 10, 30])
def test_the_groups_follow_the_slider(window, fitted, k):
    selector = fitted if k is None else fitted.at(k)
    set_size(window, selector.n_features_)
    assert shown_groups(window) == expected_groups(selector)
    share = selector.shares_.mean()
    assert window.text("#covered") == percent(share)
    alone = (selector.representative_ < 0).sum()
    assert window.text("#alone") == str(alone)
    assert window.page.locator("#alone-list").is_visible() == (alone > 0)
    if alone:
        assert f"{alone} column" in window.text("#alone-list summary")
        isolated = (~selector.support_[fitted.isolated_]).sum()
        window.page.click("#alone-list summary")
        assert window.page.locator("#alone-list li", has_text=" isolated").count() == isolated
    window.page.select_option("#filter-status", "alone")
    assert window.text("#filter-count") == f"{alone} column{'' if alone == 1 else 's'}"


def test_the_slider_moved_by_keyboard_moves_the_groups(window, fitted):
    window.page.locator("#size").focus()
    window.page.keyboard.press("ArrowRight")
    window.page.locator("#groups").scroll_into_view_if_needed()
    window.settle()
    assert list(shown_groups(window)) == list(
        expected_groups(fitted.at(fitted.n_features_ + 1))
    )


def places(window, names):
    return np.array(
        window.page.evaluate("(n) => n.map((name) => window.topofsReport.placeOf(name))", names)
    )


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("k", [None, 2, 12])
def test_columns_stand_around_the_one_that_represents_them(
    browser, groups_file, fitted, X, screen, k
):
    selector = fitted if k is None else fitted.at(k)
    with opened(browser, groups_file, **screen) as window:
        set_size(window, selector.n_features_)
        window.page.locator("#network").scroll_into_view_if_needed()
        window.settle()
        box = window.page.locator("#network").bounding_box()
        at = places(window, list(X.columns))
        chosen = np.flatnonzero(selector.support_)
        grouped = selector.representative_ >= 0
        for group in selector.groups_:
            members = [member.position for member in group.members]
            away = np.linalg.norm(at[members] - at[group.position], axis=1)
            # The nearer the larger the share: members come with the largest first.
            assert (np.diff(away) > -1e-6).all()
            for member in members:
                others = np.linalg.norm(at[chosen] - at[member], axis=1)
                assert chosen[others.argmin()] == group.position
        # Nobody represents these: they stand below all groups.
        if (~grouped).any():
            assert at[~grouped, 1].min() > at[grouped, 1].max()
        assert (at >= [box["x"], box["y"]]).all()
        assert (at <= [box["x"] + box["width"], box["y"] + box["height"]]).all()
        # No third of the drawing is empty.
        for axis, size in ((0, box["width"]), (1, box["height"])):
            start = box["xy"[axis]]
            lines = np.sort(np.concatenate([[start], at[:, axis], [start + size]]))
            assert np.diff(lines).max() < 0.45 * size
        assert window.complaints == []


def test_the_graph_is_a_second_view(window, fitted, X):
    in_groups = places(window, list(X.columns))
    assert window.page.get_attribute("button[data-view=groups]", "aria-pressed") == "true"
    window.page.click("button[data-view=graph]")
    window.settle()
    in_graph = places(window, list(X.columns))
    assert np.abs(in_graph - in_groups).max() > 20
    assert "(TMFG)" in window.text("p[data-view=graph]")
    assert window.page.locator("p[data-view=groups]").is_hidden()
    # Here the slider moves no dot.
    set_size(window, fitted.n_features_ + 3)
    window.page.evaluate("scrollTo(0, 0)")
    window.settle()
    moved = places(window, list(X.columns)) - in_graph
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=0.01)
    window.page.click("button[data-view=groups]")
    window.settle()
    assert window.page.locator("p[data-view=graph]").is_hidden()


@pytest.mark.parametrize("k", [None, 1, 8, 30])
def test_what_is_safe_to_drop(window, fitted, X, k):
    selector = fitted if k is None else fitted.at(k)
    set_size(window, selector.n_features_)
    shares = np.where(selector.support_, 0, selector.shares_)
    copies = np.flatnonzero(shares >= 0.9)
    assert window.text("#copies-count").startswith(
        f"{len(copies)} of the {30 - selector.n_features_} column" if k != 30 else ""
    )
    if window.page.locator("#copies-all").is_visible():
        window.page.click("#copies-all")
    listed = window.page.locator("#copies li").all_inner_texts()
    assert listed == [
        f"{X.columns[i]}: {X.columns[selector.representative_[i]]} says the same "
        f"({percent(shares[i])})"
        for i in sorted(copies, key=lambda i: listed_order(selector, shares, i))
    ]


def listed_order(selector, shares, i):
    return -round(1e4 * shares[i]), selector.ranking_[selector.representative_[i]], i


def test_past_the_automatic_end_the_rest_is_named(window, fitted):
    assert window.text("#past-end") == ""
    set_size(window, fitted.n_features_ + 5)
    said = window.text("#past-end")
    past = np.argsort(fitted.ranking_)[fitted.n_features_ : fitted.n_features_ + 5]
    n_isolated = int(np.isin(past, fitted.isolated_).sum())
    assert f"end at {fitted.n_features_}" in said
    assert ("isolated" in said) == (n_isolated > 0)
    for number, kind in ((n_isolated, "isolated"), (5 - n_isolated, "second representative")):
        assert number == 0 or f"{number} {kind}" in said
    assert "second representatives" in window.text("#rest")


def test_a_click_shows_who_represents_a_column(window, fitted, X):
    names = list(X.columns)
    longest = max(range(len(names)), key=lambda i: len(fitted.explain(i).representation.path))
    found = fitted.explain(longest).representation
    assert found.path
    window.click_dot(names[longest])
    why = window.text("#details-body")
    assert f"{found.representative} represents it" in why
    assert f"explains {percent(found.share)} of its variance" in why
    assert f"by way of {', '.join(found.path)}." in why
    # The name of the one that represents it leads on to it, and to whom it represents.
    window.page.locator("#details-body p .name-button").first.click()
    window.settle()
    assert window.text("#details h3") == found.representative
    group = next(group for group in fitted.groups_ if group.name == found.representative)
    assert f"represents itself and {len(group.members)} other column" in window.text(
        "#details-body"
    )
    shown = window.page.locator(
        ".represented .name-button > span:nth-child(2)"
    ).all_inner_texts()
    assert shown == [member.name for member in group.members][:12]


def test_a_column_that_is_isolated(window, fitted, X):
    alone = X.columns[fitted.isolated_[0]]
    window.click_dot(alone)
    assert "It is isolated: it has no link stronger than chance" in window.text("#details-body")
    window.page.locator("#alone-list").scroll_into_view_if_needed()
    window.page.click("#alone-list summary")
    assert f"{alone} isolated" in window.text("#alone-list")
    window.page.select_option("#filter-status", "isolated")
    assert window.page.locator("#ranking-table tbody tr").count() == 3


def test_the_charts_mark_where_it_stops(window, fitted):
    window.page.locator("#coverage-chart").scroll_into_view_if_needed()
    window.settle()
    stop = fitted.n_features_
    assert f"stops by itself at {stop}" in window.page.locator("#coverage-chart").inner_text()
    gains = window.page.locator("#scores-chart")
    assert gains.locator(".bar-selected").count() == stop
    assert gains.locator(".one").count() == 1
    assert f"stops by itself at {stop}, where the next column would" in window.text(
        "#ties-text"
    )
    assert window.text("#next") == f"{fitted.scores_[fitted.ranking_ == stop + 1][0]:.2f}"


def test_the_ranking_says_who_represents(window, fitted, X):
    page = window.page
    heads = page.locator("#ranking-table th").all_inner_texts()
    assert heads[:7] == [
        "Rank",
        "Column",
        "Selected",
        "Adds",
        "Represents",
        "Represented by",
        "Share",
    ]
    page.get_by_role("button", name="Represented by", exact=True).click()
    page.get_by_role("button", name="Adds", exact=True).click()
    adds = [float(text) for text in page.locator("td.score").all_inner_texts()]
    assert adds == sorted(adds, reverse=True)
    page.get_by_role("button", name="Rank", exact=True).click()
    with page.expect_download() as waiting:
        page.click("#download")
    text = io.StringIO(waiting.value.path().read_text(encoding="utf-8-sig"), newline="")
    names = list(X.columns)
    for row in csv.DictReader(text):
        column = names.index(row["column"].removeprefix("'"))
        by = fitted.representative_[column]
        assert row["represented_by"].removeprefix("'") == ("" if by < 0 else names[by])
        assert float(row["share"] or 0) == pytest.approx(fitted.shares_[column], abs=1e-4)
        assert float(row["adds"]) == pytest.approx(fitted.scores_[column], rel=1e-5)


def test_stability_of_columns_and_links(window, fitted, found):
    window.page.locator("#stability-chart").scroll_into_view_if_needed()
    window.settle()
    assert window.page.locator("#stability-chart .bar-selected").count() > 0
    selected = np.flatnonzero(fitted.support_)
    least = found.frequency[selected].min()
    assert percent(least) in window.page.locator("#unsure li").first.inner_text()
    best = fitted.groups_[0]
    window.click_dot(best.name)
    chosen = percent(found.frequency[best.position])
    assert f"in {chosen} of 6 draws" in window.text("#details .facts")
    assert "the draws in which the link came back" in window.text("#details-body")


def test_hostile_names_stay_text_in_the_groups(window, fitted):
    assert set(NAMES) & {member.name for group in fitted.groups_ for member in group.members}
    shown = shown_groups(window)
    everything = set(shown).union(*shown.values())
    assert set(NAMES) <= everything
    assert window.page.evaluate("window.hacked") is None
    assert window.page.locator("img").count() == 0


def test_on_a_phone(browser, groups_file):
    with opened(browser, groups_file, **PHONE) as window:
        window.page.locator("#groups").scroll_into_view_if_needed()
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
        assert window.complaints == []
        assert window.asked_only_for(groups_file)


def test_a_table_with_names(browser, tmp_path):
    X = mixed_table()
    with pytest.warns(UserWarning, match="hardly repeat|constant"):
        selector = TopologicalFeatureSelector().fit(X)
    path = tmp_path / "mixed.html"
    write_selection_report(path, selector=selector, X=X)
    with opened(browser, path) as window:
        assert "Holds" in window.page.locator("#ranking-table th").all_inner_texts()
        kinds = window.page.locator("#ranking-table td.kind").all_inner_texts()
        assert sorted(kinds) == ["names"] * 4 + ["numbers"] * 5
        window.page.fill("#search", "id")
        window.page.locator("#search-results [role=option]").first.click()
        window.settle()
        assert "names that hardly repeat" in window.text("#details-body")
        assert window.complaints == []
        assert window.asked_only_for(path)


def test_print_lists_every_group(browser, groups_file, fitted):
    with opened(browser, groups_file) as window:
        window.page.emulate_media(media="print")
        window.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        window.settle()
        assert window.page.locator("#groups-list > .group").count() == fitted.n_features_
