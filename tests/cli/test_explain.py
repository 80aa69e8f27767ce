"""``topofs explain``: why a column was or was not selected."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import TopologicalFeatureSelector


@pytest.fixture
def wine_csv(tmp_path):
    path = tmp_path / "wine.csv"
    frame = load_wine(as_frame=True).data
    frame.assign(note="[b]x[/b]", same=1).to_csv(path, index=False)
    return path


def test_it_says_what_the_estimator_says_and_the_nearest(wine_csv):
    result = run("explain", wine_csv, "proline", "-k", 4)
    assert result.exit_code == 0, result.output
    X = load_wine(as_frame=True).data
    explanation = str(TopologicalFeatureSelector(4).fit(X).explain("proline"))
    assert result.stdout.startswith(explanation + "\n")
    assert "alcohol represents it" in result.stdout
    assert "The nearest selected column is" in result.stdout
    assert result.stderr == ""
    assert "nearest other selected" in run("explain", wine_csv, "flavanoids", "-k", 4).stdout


def test_a_single_selected_column_has_no_other(wine_csv):
    found = run_json("explain", wine_csv, "flavanoids", "-k", 1)
    assert (found["selected"], found["rank"]) == (True, 1)
    assert found["nearest_selected"] is None
    assert "nearest" not in run("explain", wine_csv, "flavanoids", "-k", 1).stdout


def test_a_column_that_takes_no_part(wine_csv):
    said = run("explain", wine_csv, "note", "--similarity", "pearson").stdout
    assert said.count("\n") == 1
    assert_tells(said, "note takes no part", "text", "'[b]x[/b]'")
    assert_tells(run("explain", wine_csv, "note").stdout, "note takes no part", "constant")
    assert run_json("explain", wine_csv, "same") == {
        "feature": "same",
        "selected": False,
        "left_out": "constant",
    }
    assert "dropped" in run("explain", wine_csv, "ash", "--drop", "ash").stdout


def test_names_with_line_breaks_stay_in_their_lines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        '"a\nb",c,"d\ne","t\nu"\n1,2,3,x\n2,1,5,y\n3,3,1,z\n5,1,2,x\n', encoding="utf-8"
    )
    lines = run("explain", path, "c", "-k", 1, "--graph", "tmfg").stdout.splitlines()
    assert lines[0].startswith("c is ")
    assert sum("a\ufffdb" in line for line in lines) >= 1
    starts = ("c is", "Rank", "It is", "Joined", "  ", "1 of the", "2 of the", "The nearest")
    assert all(line.startswith(starts) for line in lines)
    said = run("explain", path, "t\nu", "--similarity", "pearson").stdout
    assert said.count("\n") == 1
    assert_tells(said, "t\ufffdu takes no part", "text", "'x'")


def test_a_forced_column(wine_csv):
    found = run_json("explain", wine_csv, "ash", "-k", 2, "--keep", "ash")
    assert found["selected"]
    assert found["forced"]
    assert (found["rank"], found["representation"]["representative"]) == (1, "ash")
    assert found["neighbors"]


def test_an_unknown_column(wine_csv):
    result = run("explain", wine_csv, "ashes")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert_tells(result.stderr, "COLUMN", "'ashes'", "'ash'")


def test_who_represents_whom_is_in_the_document(wine_csv):
    found = run_json("explain", wine_csv, "proline")
    assert found["representation"]["representative"] == "alcohol"
    assert found["representation"]["share"] > 0.4
    degree = run_json("explain", wine_csv, "alcohol", "--rule", "degree")
    assert (degree["representation"], degree["score_name"]) == (None, "degree")


def test_the_reasons_are_those_of_python(tmp_path):
    n = 200
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "orders": rng.normal(size=n).round(3),
            "spent": rng.normal(size=n).round(3),
            "signup_date": [f"2024-01-{1 + i % 28:02}" for i in range(n)],
            "tenant": "acme",
            "version": 7.0,
            "customer": [f"C{i}" for i in range(n)],
            "shop": [f"S{i % 80}" for i in range(n)],
            "mail": [f"M{i % 4}" if i % 50 else "12.5" for i in range(n)],
            "size": ["1.5" if i % 9 else "large" for i in range(n)],
            "none": None,
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector = TopologicalFeatureSelector().fit(frame)
    found = run_json("select", tmp_path / "t.csv")
    said = {out["name"]: out["reason"] for out in found["left_out"]}
    # On the command line an option follows that uses dates.
    expected = {name: reason.partition("; --dates")[0] for name, reason in said.items()}
    assert set(expected) == set(frame) - {"orders", "spent", "mail"}
    assert {out.name: out.reason for out in selector.left_out_} == expected
    warned = " ".join(str(warning.message) for warning in caught)
    for name, reason in expected.items():
        sentence = f"{name} takes no part in the selection: {{}}."
        assert str(selector.explain(name)) == sentence.format(reason)
        assert selector.explain(name).left_out == reason
        printed = run("explain", tmp_path / "t.csv", name).stdout
        assert printed == sentence.format(said[name]) + "\n"
        assert (name if reason == "constant" else f"{name} ({reason})") in warned
    assert selector.explain("orders").left_out is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forced = TopologicalFeatureSelector(keep=["tenant"]).fit(frame).explain("tenant")
    assert str(forced).splitlines()[:2] == [
        "tenant is selected.",
        "It is not compared with the others: constant.",
    ]
