"""One browser for all tests here; without one they skip and say why."""

import pytest

from tests.report.browser.browser_pages import CHROMIUM, OPTIONS, opened
from tests.report.selection_cases import table, tied_selector
from topofs.report.selection import write_selection_report


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="the browser tests need playwright: pip install '.[test]'"
    )
    if not CHROMIUM.exists():
        pytest.skip(f"the browser tests need {CHROMIUM}: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(OPTIONS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def selector():
    return tied_selector(table())


@pytest.fixture(scope="session")
def page_file(selector, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "selection.html"
    write_selection_report(path, selector=selector, X=table(), table_name="wine.csv")
    return path


@pytest.fixture
def window(browser, page_file):
    """The selection page; at the end of the test it must have behaved."""
    with opened(browser, page_file) as watched:
        yield watched
        assert watched.complaints == []
        assert watched.asked_only_for(page_file)
