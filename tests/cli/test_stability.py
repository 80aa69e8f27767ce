"""``topofs stability``: the same columns again, or others."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine

import topofs
from tests.cli.running import run, run_json

QUICK = ("--resamples", "6", "--seed", "3")


@pytest.fixture
def wine_csv(tmp_path):
    path = tmp_path / "wine.csv"
    load_wine(as_frame=True).data.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def expected():
    X = load_wine(as_frame=True).data
    selector = topofs.TopologicalFeatureSelector()
    return topofs.stability(selector, X, n_resamples=6, random_state=3)


def test_the_numbers_are_those_of_the_library(wine_csv, expected):
    found = run_json("stability", wine_csv, *QUICK)
    assert found["stability"] == expected.phi
    assert found["interval"] == [expected.lower, expected.upper]
    assert found["sizes"] == expected.sizes.tolist()
    assert (found["n_resamples"], found["seed"], found["n_selected"]) == (6, 3, 3)
    chosen = {row["column"]: row["frequency"] for row in found["columns"]}
    assert chosen == dict(zip(expected.names, expected.frequency.tolist(), strict=True))
    assert len(found["links"]) == 45
    confidence = {(e.left, e.right): e.confidence for e in expected.edges}
    names = list(expected.names)
    for link in found["links"]:
        pair = tuple(sorted((names.index(link["source"]), names.index(link["target"]))))
        assert link["confidence"] == confidence.get(pair, 0.0)


def test_it_is_printed(wine_csv, expected):
    lines = run("stability", wine_csv, *QUICK).stdout.splitlines()
    assert lines[0].startswith(f"stability {expected.phi:.2f}, 95% interval ")
    assert lines[1].endswith("chosen in each of 6 resamples; 3 from all rows")
    assert lines[2].split()[:2] == ["chosen", "column"]
    assert any(line.split() == ["100%", "flavanoids", "selected"] for line in lines)
    assert any("of 45 links of the network are in at least 90%" in line for line in lines)
    assert run("stability", wine_csv, *QUICK, "--quiet").output == ""


def test_the_frequencies_go_to_a_file_and_jobs_change_nothing(wine_csv, tmp_path):
    out = tmp_path / "often.csv"
    found = run_json("stability", wine_csv, *QUICK, "--jobs", 2, "--out", out)
    rows = pl.read_csv(out)
    assert rows.columns == ["column", "frequency", "selected"]
    assert rows.rows(named=True) == found["columns"]
    assert run_json("stability", wine_csv, *QUICK)["columns"] == found["columns"]


def test_a_forced_column_is_always_chosen(wine_csv):
    found = run_json("stability", wine_csv, *QUICK, "-k", 2, "--keep", "ash")
    assert {row["column"]: row["frequency"] for row in found["columns"]}["ash"] == 1


def test_every_column_chosen_has_no_stability(wine_csv):
    found = run_json("stability", wine_csv, *QUICK, "-k", "1.0")
    assert (found["stability"], found["interval"]) == (None, [None, None])
    assert "cannot be told" in run("stability", wine_csv, *QUICK, "-k", "1.0").stdout


def test_names_are_resampled_like_numbers(tmp_path):
    rng = np.random.default_rng(0)
    kind = rng.choice(["oak", "elm", "ash"], 200)
    frame = pl.DataFrame(
        {
            "kind": kind,
            "soil": np.where(rng.random(200) < 0.8, kind, "clay"),
            "leaf": (kind == "oak") + 0.1 * rng.standard_normal(200),
            "noise": rng.standard_normal(200),
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    found = run_json("stability", tmp_path / "t.csv", *QUICK)
    often = {row["column"]: row["frequency"] for row in found["columns"]}
    assert often["kind"] == 1
    assert found["settings"]["similarity"] == {"name": "mixed", "rows": "independent"}


def test_progress_is_shown_on_a_terminal_only(wine_csv, monkeypatch):
    assert "resamples" not in run("stability", wine_csv, *QUICK).stderr
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "6 of 6 resamples" in run("stability", wine_csv, *QUICK).stderr


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--resamples", "1"], 2, "--resamples"),
        (["--seed", "-1"], 2, "--seed"),
        (["--jobs", "0"], 2, "0 is not a number of processes"),
        (["--out", "often"], 2, "a file without an ending"),
        (["--paper", "-k", "auto"], 2, "-k auto needs --rule coverage"),
    ],
)
def test_wrong_usage(wine_csv, arguments, status, reason):
    result = run("stability", wine_csv, *arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    assert reason in result.stderr
    assert result.stderr.count("\n") <= 2


def test_the_page_has_the_selection_and_its_stability(wine_csv, tmp_path, expected):
    page = tmp_path / "wine.html"
    found = run_json("stability", wine_csv, *QUICK, "--report", page)
    assert found["files"] == {"report": str(page)}
    assert f"{expected.phi:.2f}" in page.read_text(encoding="utf-8")
    refused = run("stability", wine_csv, *QUICK, "--report", wine_csv)
    assert refused.exit_code == 2
    assert wine_csv.read_text(encoding="utf-8").startswith("alcohol")
