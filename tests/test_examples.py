"""Every script in examples/ runs, and pages show what it prints."""

import importlib.util
import io
import runpy
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NEEDS = {
    "from_scanpy": "scanpy",
    "gene_panel": "scanpy",
    "homological_network": "torch",
    "learned_similarity": "torch",
    "persistence": "skops",
    "psychological_networks": "statsmodels",
    "representative_assets": "skfolio",
}

pages = pytest.importorskip("docs.make_outputs", reason="the repository alone has the pages")


def skip_without(name):
    package = NEEDS.get(name)
    if package is not None and importlib.util.find_spec(package) is None:
        extra = "torch" if package == "torch" else "docs-data"
        pytest.skip(f"it needs {package}: pip install 'topofs[{extra}]'")


@pytest.fixture
def run_here(monkeypatch):
    """Run a script in its folder, in this process: imports take longer than most examples."""

    def run(path):
        for name in ("COLUMNS", "NO_COLOR", "TERM"):
            monkeypatch.setenv(name, pages.environment()[name])
        monkeypatch.chdir(path.parent)
        with redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings(record=True):
            warnings.simplefilter("error")
            runpy.run_path(str(path), run_name="__main__")
        return printed.getvalue()

    return run


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_runs_and_pages_show_what_it_prints(path, tmp_path, run_here):
    skip_without(path.stem)
    printed = pages.run_example(path.name, tmp_path, run_here)
    assert any(printed.values())
    for page in pages.pages():
        for shown in pages.shown_outputs(page):
            if shown.file == path.name:
                found = pages.shortened(printed[shown.section].lstrip("\n"), shown.text)
                assert found == shown.text, f"run python docs/make_outputs.py {page}"


def test_a_stale_output_is_seen(tmp_path):
    page = tmp_path / "page.md"
    block = "<!-- examples/own_graph.py, use -->\n```python\n```\n\n```text\nold\n```\n"
    page.write_text(block, encoding="utf-8")
    [shown] = pages.shown_outputs(page)
    assert shown.text == "old\n"
    assert pages.run_example(shown.file, tmp_path)[shown.section] != shown.text


def test_an_output_belongs_to_the_code_right_before_it(tmp_path):
    page = tmp_path / "page.md"
    silent = "<!-- examples/own_graph.py, define -->\n```python\n```\n\n"
    shown = "<!-- examples/own_graph.py, use -->\n```python\n```\n\n```text\nold\n```\n"
    page.write_text(silent + shown, encoding="utf-8")
    assert [found.section for found in pages.shown_outputs(page)] == ["use"]
