"""The view of a selection in notebooks that nbconvert exported, as a reader uses it."""

import warnings

import pytest

from tests.report.browser.browser_pages import Watched
from tests.report.selection_cases import HOSTILE, table
from topofs import TopologicalFeatureSelector, view

WITHOUT = "the tests of exported notebooks need nbconvert: pip install '.[test]'"
nbformat = pytest.importorskip("nbformat", reason=WITHOUT)
nbconvert = pytest.importorskip("nbconvert", reason=WITHOUT)
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@pytest.fixture(scope="module")
def selectors():
    X = table()
    return [
        TopologicalFeatureSelector(4).fit(X),
        TopologicalFeatureSelector(6, keep=[HOSTILE]).fit(X),
        TopologicalFeatureSelector(5, rule="degree").fit(X),
    ]


@pytest.fixture(scope="module", params=["light", "dark"])
def notebook(request, selectors, tmp_path_factory):
    """The three views in cells of one notebook, exported in a theme; and the theme."""
    cells = []
    for selector in selectors:
        shown = view(selector, None if selector.has_groups else table())
        data = {"text/html": shown._repr_html_(), "text/plain": repr(shown)}
        output = nbformat.v4.new_output("display_data", data=data)
        cells.append(nbformat.v4.new_code_cell("view(selector)", outputs=[output]))
    nothing = "data:text/javascript,"  # in place of the scripts that the exporter loads
    exporter = nbconvert.HTMLExporter(
        theme=request.param, require_js_url=nothing, mathjax_url=nothing
    )
    with warnings.catch_warnings():
        # Without IPython, the code of the cells has other colours.
        warnings.filterwarnings("ignore", "IPython3 lexer", UserWarning)
        page, _ = exporter.from_notebook_node(nbformat.v4.new_notebook(cells=cells))
    path = tmp_path_factory.mktemp("notebook") / "notebook.html"
    path.write_text(page, encoding="utf-8")
    return path, request.param


@pytest.fixture
def opened_notebook(browser, notebook):
    """Open the notebook without emulated colours: its theme decides."""
    contexts = []

    def opened(**options):
        context = browser.new_context(color_scheme="null", **options)
        contexts.append(context)
        context.set_default_timeout(10_000)
        watched = Watched(context.new_page())
        watched.page.goto(notebook[0].as_uri())
        watched.settle()
        return watched

    yield opened
    for context in contexts:
        context.close()


def views_of(watched):
    frames = watched.page.frames[1:]
    assert len(frames) == 3
    return frames


def test_views_do_not_disturb_each_other(opened_notebook, selectors):
    watched = opened_notebook()
    first, second, third = views_of(watched)
    assert [frame.input_value("#size-number") for frame in (first, second, third)] == [
        "4",
        "6",
        "5",
    ]
    first.fill("#size-number", "7")
    first.press("#size-number", "Enter")
    watched.settle()
    assert first.text_content(".steps code") == "selector.at(7)"
    assert first.locator("#selected li").count() == 7
    expected = selectors[0].at(7).get_feature_names_out()
    assert set(first.locator("#selected li").all_inner_texts()) == set(expected)
    assert second.input_value("#size-number") == "6"
    assert watched.complaints == []


def test_search_leads_to_who_represents_a_column(opened_notebook, selectors):
    watched = opened_notebook()
    frame, selector = views_of(watched)[0], selectors[0]
    group = max(selector.groups_, key=lambda one: len(one.members))
    name = group.members[0].name
    frame.fill("#search", name)
    frame.press("#search", "Enter")
    watched.settle()
    assert frame.inner_text("#details h3") == name
    assert group.name in frame.inner_text("#details-body")
    assert frame.locator(".group").count() == 4


def test_names_run_nowhere(opened_notebook):
    watched = opened_notebook()
    for frame in watched.page.frames:
        assert frame.evaluate("window.hacked") is None
    frame = views_of(watched)[1]
    assert HOSTILE in frame.locator("#selected li").first.inner_text()
    # The notebook around a view is another origin.
    with pytest.raises(Exception, match="origin"):
        frame.evaluate("parent.document.title")
    # A plain list stands below every view.
    assert watched.page.locator("iframe.topofs-view + details").count() == 3
    assert watched.complaints == []


def test_a_view_has_the_colours_of_the_notebook(opened_notebook, notebook):
    frame = views_of(opened_notebook())[0]
    ground = frame.evaluate("getComputedStyle(document.body).backgroundColor")
    red = int(ground.strip("rgb()").split(",")[0])
    assert red > 200 if notebook[1] == "light" else red < 60


def test_no_sideways_scrolling_on_a_phone(opened_notebook):
    for frame in views_of(opened_notebook(**PHONE)):
        width, inside = frame.evaluate("[innerWidth, document.documentElement.scrollWidth]")
        assert inside <= width
