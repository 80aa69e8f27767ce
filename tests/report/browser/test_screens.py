"""Both pages on a phone and in the dark."""

import pytest

from tests.report.browser.browser_pages import opened
from tests.report.comparison_cases import made_up
from topofs.report.comparison import write_comparison_report


@pytest.fixture(scope="module")
def comparison_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "comparison.html"
    write_comparison_report(path, comparison=made_up(), table_name="wine.csv")
    return path


@pytest.fixture(params=["page_file", "comparison_file"])
def any_file(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("width", [320, 390, 768])
def test_no_sideways_scrolling(browser, any_file, width):
    phone = {"viewport": {"width": width, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, any_file, **phone) as window:
        height = window.page.evaluate("document.documentElement.scrollHeight")
        for top in range(0, height, 700):
            window.page.evaluate("(top) => scrollTo(0, top)", top)
            window.settle()
            assert window.page.evaluate("document.documentElement.scrollWidth") <= width
        # Nothing that is not in a box of its own scrolling sticks out.
        outside = window.page.evaluate(
            """(width) => [...document.querySelectorAll("body *")].filter((element) =>
                element.getBoundingClientRect().right > width + 1
                && !element.closest(".scroll, .skip, .visually-hidden, .tooltip, svg")
            ).map((element) => element.outerHTML.slice(0, 80))""",
            width,
        )
        assert outside == []
        assert window.complaints == []
        assert window.asked_only_for(any_file)


def test_a_finger_taps_a_dot(browser, page_file):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with opened(browser, page_file, **phone) as window:
        window.page.locator("#network").scroll_into_view_if_needed()
        window.settle()
        x, y = window.page.evaluate("() => window.topofsReport.placeOf('a b')")
        window.page.touchscreen.tap(x, y)
        window.settle()
        assert window.text("#details h3") == "a b"
        assert window.complaints == []


def brightness(color):
    red, green, blue = (int(part) for part in color.strip("rgb()").split(",")[:3])
    return (red + green + blue) / 765


def test_light_and_dark(browser, any_file):
    for scheme, low, high in (("light", 0.8, 1.0), ("dark", 0.0, 0.25)):
        with opened(browser, any_file, color_scheme=scheme) as window:
            style = "getComputedStyle(document.body)"
            ground = brightness(window.page.evaluate(f"{style}.backgroundColor"))
            ink = brightness(window.page.evaluate(f"{style}.color"))
            assert low <= ground <= high
            assert abs(ground - ink) > 0.6
            assert window.complaints == []


def test_the_drawing_follows_a_change_of_scheme(browser, page_file, selector):
    best = selector.get_feature_names_out()[0]
    with opened(browser, page_file) as window:
        light = window.color_at(best)
        window.page.emulate_media(color_scheme="dark")
        window.settle()
        dark = window.color_at(best)
        assert light == [217, 72, 15, 255]
        assert dark == [255, 138, 76, 255]


def test_print_shows_every_chart(browser, page_file):
    with opened(browser, page_file) as window:
        window.page.emulate_media(media="print")
        window.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        window.settle()
        assert window.page.locator("#scores-chart rect").count() > 0
        assert window.page.locator("#coverage-chart path").count() == 2
        assert window.page.locator("#download").is_hidden()
