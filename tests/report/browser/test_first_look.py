"""What irked at first use of the page: its headline, its first answer, phones and labels."""

import pandas as pd
import pytest

from tests.matrices import factor_table
from tests.report.browser.browser_pages import opened
from topofs import TopologicalFeatureSelector
from topofs.report.selection import write_selection_report

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@pytest.fixture(scope="module")
def fitted():
    X = pd.DataFrame(factor_table(60, 200), columns=[f"column number {i}" for i in range(200)])
    return X, TopologicalFeatureSelector().fit(X)


@pytest.fixture(scope="module")
def large(fitted, tmp_path_factory):
    X, selector = fitted
    path = tmp_path_factory.mktemp("large") / "page.html"
    write_selection_report(path, selector=selector, X=X, table_name="large.csv")
    return path


def set_size(window, k):
    window.page.fill("#size-number", str(k))
    window.page.press("#size-number", "Enter")
    window.settle()


def test_the_headline_follows_the_slider(window):
    before, lead = window.text("#headline"), window.text("#lead")
    k = int(window.page.input_value("#size-number"))
    assert before.startswith(f"{k} of 24 columns selected")
    set_size(window, k + 2)
    assert window.text("#headline") == f"{k + 2} of 24 columns tried"
    covered = window.text("#covered")
    assert window.text("#lead").startswith(f"They cover {covered} of ")
    assert f"The run selected {k}." in window.text("#lead")
    window.page.click("#size-reset")
    window.settle()
    assert (window.text("#headline"), window.text("#lead")) == (before, lead)


def test_the_first_answer_is_about_the_first_column(window, selector):
    first = selector.feature_names_in_[selector.ranking_ == 1][0]
    assert window.text("#details h3") == first
    assert "the column selected first" in window.text("#details-body")
    window.click_dot(first)
    assert "the column selected first" not in window.text("#details-body")


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
def test_going_back_does_not_move_the_page(browser, large, screen):
    with opened(browser, large, **screen) as window:
        network = "document.querySelector('#network').getBoundingClientRect().top"
        set_size(window, 3)
        window.page.evaluate("scrollTo(0, 300)")
        window.settle()
        before = window.page.evaluate(f"[scrollY, {network}]")
        window.page.locator("#size-reset").dispatch_event("click")
        window.settle()
        assert window.page.evaluate(f"[scrollY, {network}]") == pytest.approx(before, abs=1)


def test_finding_a_column_on_a_phone_leads_to_its_answer(browser, large):
    with opened(browser, large, **PHONE) as window:
        window.page.fill("#search", "column number 77")
        window.page.press("#search", "Enter")
        window.settle()
        window.settle()
        top, bar = window.page.evaluate(
            "['#details h3', '.toolbar'].map((s) => document.querySelector(s))"
            ".map((box, i) => box.getBoundingClientRect()[['top', 'bottom'][i]])"
        )
        assert bar < top < 700
        assert window.text("#details h3") == "column number 77"


def test_the_number_steps_by_one(browser, large, fitted):
    with opened(browser, large) as window:
        window.page.focus("#size-number")
        window.page.keyboard.press("ArrowUp")
        window.page.keyboard.press("Enter")
        window.settle()
        assert window.text("#headline").startswith(f"{fitted[1].n_features_ + 1} of 200")


LABELS = """() => {
  let boxes = [];
  const drawing = CanvasRenderingContext2D.prototype;
  const { fillText, clearRect } = drawing;
  drawing.clearRect = function (...box) {
    if (this.canvas.id === "network") boxes = [];
    return clearRect.apply(this, box);
  };
  drawing.fillText = function (text, x, y) {
    const right = x + this.measureText(text).width;
    if (this.canvas.id === "network") boxes.push([x, y - 7, right, y + 7]);
    return fillText.call(this, text, x, y);
  };
  window.labelBoxes = () => boxes;
}"""
DOTS = """(names) => {
  const box = document.getElementById("network").getBoundingClientRect();
  const places = names.map((name) => window.topofsReport.placeOf(name));
  return places.map(([x, y]) => [x - box.left, y - box.top]);
}"""


@pytest.mark.parametrize("n_zooms", [0, 3])
def test_labels_do_not_collide(browser, large, fitted, n_zooms):
    with opened(browser, large) as window:
        window.page.evaluate(LABELS)
        for _ in range(n_zooms + 1):
            window.page.click("#zoom-in")
            window.settle()
        boxes = window.page.evaluate("labelBoxes()")
        dots = window.page.evaluate(DOTS, fitted[1].get_feature_names_out().tolist())
    assert len(boxes) > 3
    for i, (left, top, right, bottom) in enumerate(boxes):
        for left2, top2, right2, bottom2 in boxes[:i]:
            assert not (left < right2 and right > left2 and top < bottom2 and bottom > top2)
        assert not any(left < x < right and top < y < bottom for x, y in dots)


CUT = """() => [...document.querySelectorAll("body *")]
  .filter((box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowY))
  .filter((box) => box.scrollHeight > box.clientHeight + 1)
  .map((box) => [box.id || box.className, getComputedStyle(box).backgroundImage])"""


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
def test_lists_that_go_on_below_their_edge_have_a_shadow_there(browser, large, screen):
    with opened(browser, large, **screen) as window:
        set_size(window, 120)
        cut = dict(window.page.evaluate(CUT))
    assert {"selected", "groups-list"} <= cut.keys()
    assert [name for name, image in cut.items() if image.count("linear-gradient") < 4] == []
