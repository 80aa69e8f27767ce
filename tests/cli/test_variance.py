"""The rule "variance" on the command line, in pages and in pictures."""

import pytest

from tests.cli.running import run, run_json
from topofs import TopologicalFeatureSelector

OPTIONS = ("--rule", "variance", "--drop", "bottle", "--drop", "class")


@pytest.fixture
def selector(wine):
    return TopologicalFeatureSelector(rule="variance").fit(
        wine.drop(columns=["bottle", "class"])
    )


def test_select_and_groups(wine_csv, selector):
    found = run_json("select", wine_csv, *OPTIONS)
    chosen = [one["name"] for one in found["groups"]]
    assert set(chosen) == set(selector.get_feature_names_out())
    assert found["coverage"] == pytest.approx(selector.explained_.mean())
    assert found["stopping"]["auto"] == selector.n_features_
    assert "half of another beyond chance" in run("groups", wine_csv, *OPTIONS).stdout


def test_explain(wine_csv, selector):
    said = run("explain", wine_csv, "alcohol", *OPTIONS).stdout
    assert said.startswith(str(selector.explain("alcohol")) + "\n")
    assert "All selected features together explain" in said


def test_panel_and_stability(wine_csv, selector):
    panel = ("--panel", "hue", "--panel", "ash")
    found = run_json("panel", wine_csv, *panel, *OPTIONS)
    expected = selector.evaluate(["hue", "ash"])
    assert found["coverage"] == pytest.approx(expected.coverage)
    said = run("stability", wine_csv, "-k", 3, "--resamples", 3, *OPTIONS)
    assert said.exit_code == 0, said.output
    assert "links of the network" not in said.stdout


def test_a_page(wine_csv, tmp_path):
    page = tmp_path / "page.html"
    result = run("select", wine_csv, *OPTIONS, "--report", page)
    assert result.exit_code == 0, result.output
    text = page.read_text(encoding="utf-8")
    assert "explains most of the variance of all columns" in text
    assert "explained by all selected columns together" in text


def test_a_measure_that_is_no_correlation(wine_csv):
    result = run("select", wine_csv, *OPTIONS, "--similarity", "energy", "-k", 3)
    assert result.exit_code == 2
    assert "is no correlation of columns" in result.stderr
