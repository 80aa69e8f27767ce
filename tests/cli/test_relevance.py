"""--relevance target: in text, JSON, files, on the page, and what is refused."""

import csv
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import TopologicalFeatureSelector

WITH = ("--target", "diagnosis", "--relevance", "target")


@pytest.fixture(scope="module")
def tumours(tmp_path_factory):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    frame = X.assign(diagnosis=y.map({0: "malignant", 1: "benign"}))
    path = tmp_path_factory.mktemp("tumours") / "tumours.csv"
    frame.to_csv(path, index=False)
    return path, X, frame.diagnosis


@pytest.fixture(scope="module")
def expected(tumours):
    _, X, y = tumours
    return TopologicalFeatureSelector(relevance="target").fit(X, y)


def test_select_by_relevance_is_that_of_python(tumours, expected, tmp_path):
    path, X, _ = tumours
    ranking, smaller = tmp_path / "ranking.csv", tmp_path / "smaller.csv"
    found = run_json("select", path, *WITH, "--ranking", ranking, "--out", smaller)
    names = [column["name"] for column in found["selected"]]
    order = np.argsort(expected.ranking_)[: expected.n_features_]
    assert names == X.columns[order].tolist()
    assert [c["relevance"] for c in found["selected"]] == expected.relevance_[order].tolist()
    assert found["settings"]["relevance"] == {"by": "target", "selected": 2, "represented": 1}
    about = found["relevance"]
    assert about["target"] == "diagnosis"
    assert about["held"] == pytest.approx(expected.evaluate().relevance)
    assert about["held"] > about["random"]["mean"]
    assert len(about["columns"]) == 30
    with ranking.open(newline="") as file:
        by_name = {row["name"]: row for row in csv.DictReader(file)}
    assert float(by_name["worst area"]["relevance"]) == pytest.approx(
        expected.relevance_[X.columns.get_loc("worst area")]
    )
    assert set(pl.read_csv(smaller).columns) == {*names, "diagnosis"}


def test_the_table_and_the_headline_speak_of_the_target(tumours, expected):
    result = run("select", tumours[0], *WITH)
    assert result.exit_code == 0, result.output
    assert_tells(
        result.stdout,
        "more about diagnosis than chance",
        f"hold {expected.evaluate().relevance:.0%}",
        "about diagnosis",
    )
    assert_tells(result.stdout, "explains diagnosis", "61%")
    assert "was not used" not in result.stderr


def test_without_relevance_a_note_says_how_the_target_is_used(tumours):
    path = tumours[0]
    note = run("select", path, "--target", "diagnosis").stderr
    assert_tells(note, "diagnosis was not used", "--relevance target")
    assert "--relevance" not in run("select", path, "--drop", "diagnosis").stderr
    plain = run_json("select", path, "--target", "diagnosis")
    assert plain["relevance"] is None
    assert plain["settings"]["relevance"] is None


def test_the_page_shows_what_columns_say_about_the_target(tumours, tmp_path, expected):
    page = tmp_path / "r.html"
    result = run("select", tumours[0], *WITH, "--report", page)
    assert result.exit_code == 0, result.output
    text = page.read_text(encoding="utf-8")
    assert_tells(
        text, "about diagnosis, one by one", "count more", "Says nothing about diagnosis"
    )
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    values = np.rint(expected.relevance_ * 10_000).astype(int).tolist()
    assert data["relevance"] == {
        "target": "diagnosis",
        "values": values,
        "most": max(values),
    }


def test_other_commands_take_it(tumours, expected):
    path = tumours[0]
    told = run("explain", path, "mean radius", *WITH).stdout
    assert_tells(told, "explains 53% of diagnosis", "worst perimeter", "61% of diagnosis")
    panel = run("panel", path, *WITH, "--panel", "mean area", "--substitute", "mean area")
    assert_tells(panel.stdout, "about diagnosis", "in place of mean area", "of diagnosis")
    assert run_json("panel", path, *WITH, "--panel", "mean area")["relevance"]["held"] > 0.3
    found = run_json("stability", path, *WITH, "--resamples", "4", "-k", "4")
    assert found["stability"] > 0.3
    groups = run_json("groups", path, *WITH)
    assert groups["n_selected"] == expected.n_features_


def test_noise_selects_nothing(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 6))).rename(columns=lambda i: f"x{i}")
    path = tmp_path / "noise.csv"
    frame.assign(y=rng.normal(size=60)).to_csv(path, index=False)
    page, out = tmp_path / "r.html", tmp_path / "out.csv"
    arguments = ("--target", "y", "--relevance", "target", "--report", page, "--out", out)
    result = run("select", path, *arguments)
    assert result.exit_code == 0, result.output
    assert_tells(result.stderr, "no column says more about y than chance")
    assert_tells(result.stdout, "0 of 6 columns")
    assert pl.read_csv(out).columns == ["y"]
    assert page.stat().st_size


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (("--relevance", "target"), ["--target"]),
        ((*WITH, "--rule", "degree"), ["degree", "relevance", "coverage"]),
        ((*WITH, "--paper"), ["relevance"]),
        (("--target", "diagnosis", "--relevance", "labels"), ["labels", "target"]),
    ],
)
def test_what_does_not_go_together_is_refused(tumours, arguments, facts):
    result = run("select", tumours[0], *arguments)
    assert result.exit_code == 2
    assert_tells(result.stderr, *facts)


def test_a_target_that_cannot_be_predicted_is_refused(tumours, tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.read_csv(tumours[0])
    frame.assign(diagnosis=[f"case {i}" for i in range(len(frame))]).to_csv(path, index=False)
    result = run("select", path, *WITH)
    assert result.exit_code == 3
    assert_tells(result.stderr, "569 classes")
