"""``topofs select``: how many columns it takes by itself, and what it says about it."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import Coverage, TopologicalFeatureSelector, UntilCoverage


def test_the_selection_stops_by_itself_and_says_why(wine, wine_csv):
    X = wine.drop(columns=["bottle", "class"])
    selector = TopologicalFeatureSelector().fit(X)
    for arguments in ((), ("-k", "auto")):
        found = run_json("select", wine_csv, "--drop", "class", *arguments)
        assert {column["name"] for column in found["selected"]} == set(
            selector.get_feature_names_out()
        )
        assert found["n_selected"] == selector.n_features_ == len(found["groups"])
        assert found["coverage"] == pytest.approx(selector.coverage_[selector.n_features_ - 1])
        assert found["settings"]["size"] == "auto"
        measure = {"name": "pearson", "squared": True, "rows": "independent"}
        assert found["settings"]["similarity"] == measure
        assert found["stopping"]["size"] == "auto"
        assert found["stopping"]["reason"] == selector.rule_.end_words
        assert found["stopping"]["next_adds"] < 1
    assert [group["name"] for group in found["groups"]] == [g.name for g in selector.groups_]
    assert found["groups"][0]["members"][0]["name"] == selector.groups_[0].members[0].name
    by = {row["name"]: row["representative"] for row in found["representatives"]}
    assert by["alcohol"] == "alcohol"
    assert by["proline"] == "alcohol"
    printed = run("select", wine_csv, "--drop", "class").stdout
    assert printed.startswith("3 of 13 columns of wine.csv represent ")
    assert "no more than its own variance" in printed
    lines = printed.splitlines()
    assert lines[1].split()[:5] == ["rank", "column", "adds", "represents,", "with"]
    assert "total_phenols 0.7" in lines[2]
    assert "and 3 more" in lines[3]
    asked = run("select", wine_csv, "--drop", "class", "-k", 6).stdout
    assert "-k auto would select 3" in asked


def structured(n_samples=200, n_noise=5):
    """Two groups of three columns and some columns of noise."""
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((n_samples, 2)).repeat(3, axis=1)
    X = np.hstack([
        factors + 0.3 * rng.standard_normal((n_samples, 6)),
        rng.standard_normal((n_samples, n_noise)),
    ])  # fmt: skip
    return pl.DataFrame(X, schema=[f"c{i}" for i in range(X.shape[1])])


def test_isolated_columns_are_counted_and_can_be_kept(tmp_path):
    path = tmp_path / "t.parquet"
    structured().write_parquet(path)
    result = run("select", path)
    said = "5 columns share with no other more than chance explains and are not selected"
    assert f"{said}; --isolated keep selects them" in result.stderr
    assert result.stdout.startswith("2 of 11 columns")
    kept = run("select", path, "--isolated", "keep")
    assert kept.stdout.startswith("7 of 11 columns")
    assert "and isolated ones are selected, too" in kept.stdout
    assert kept.stderr == ""
    assert run_json("select", path)["isolated"] == [f"c{i}" for i in range(6, 11)]


def test_past_auto_a_line_says_what_the_rest_are(tmp_path):
    path = tmp_path / "t.parquet"
    structured().write_parquet(path)
    assert run_json("select", path)["stopping"]["beyond_auto"] is None
    assert run("select", path).stdout.splitlines()[1].startswith("rank")
    for command in ("select", "groups"):
        found = run_json(command, path, "-k", 9)["stopping"]
        assert found["auto"] == 2
        assert found["beyond_auto"] == {"isolated": 5, "second": 2, "alone": 0}
        said = run(command, path, "-k", 9).stdout.splitlines()[1]
        assert_tells(said, 2, "-k auto", 7, "5 are isolated", "2 are second")
    one = run("select", path, "-k", 3).stdout.splitlines()[1]
    assert_tells(one, 2, "-k auto", 1, "1 is isolated")
    assert "second" not in one
    last = run_json("select", path, "-k", 5, "--isolated", "last")["stopping"]["beyond_auto"]
    assert last == {"isolated": 0, "second": 3, "alone": 0}


def test_coverage_of_a_table_of_many_unrelated_columns(tmp_path):
    """Six groups of ten and sixty unrelated columns: isolated ones come before near-copies."""
    rng = np.random.default_rng(0)
    groups = rng.normal(size=(400, 6)).repeat(10, axis=1)
    noisy = groups + 0.7 * rng.normal(size=groups.shape)
    X = np.hstack([noisy, rng.normal(size=(400, 60))])
    path = tmp_path / "t.parquet"
    pl.DataFrame(X, schema=[f"c{i}" for i in range(120)]).write_parquet(path)
    few = run_json("select", path, "--coverage", "0.8")
    many = run_json("select", path, "--coverage", "0.8", "--isolated", "last")
    assert few["coverage"] >= 0.8
    assert few["n_selected"] < 0.85 * many["n_selected"]
    assert run_json("select", path, "-k", few["n_selected"] - 1)["coverage"] < 0.8
    assert few["random_coverage"]["mean"] < few["coverage"]
    lines = run("select", path, "--coverage", "0.8").stdout.splitlines()
    assert "coverage 0.8 or more" in lines[0]
    assert lines[1].startswith("6 are what -k auto selects; of the other ")


def test_exchanges_cover_no_less(tmp_path):
    path = tmp_path / "t.csv"
    load_breast_cancer(as_frame=True).data.to_csv(path, index=False)
    plain, refined = run_json("select", path), run_json("select", path, "--refine")
    assert plain["settings"]["rule"]["refine"] is False
    assert refined["settings"]["rule"]["refine"] is True
    adds = [run["n_features"] * run["coverage"] - run["n_selected"] for run in (plain, refined)]
    assert adds[1] > adds[0]
    listed = [argument for one in plain["selected"] for argument in ("--panel", one["name"])]
    replaced = [a for one in plain["selected"] for a in ("--substitute", one["name"])]
    said = run("panel", path, *listed, *replaced).stdout
    better = [
        name
        for name, ranked in run_json("panel", path, *listed, *replaced)["substitutes"].items()
        if any(one["gained"] > one["lost"] for one in ranked)
    ]
    assert better
    assert said.count("`topofs select --refine` exchanges by itself") == len(better)


def test_a_table_without_structure_is_one_note(tmp_path):
    structured(n_noise=12).select(pl.nth(range(6, 18))).write_parquet(tmp_path / "t.parquet")
    result = run("select", tmp_path / "t.parquet")
    assert result.exit_code == 0
    assert result.stderr.count("\n") == 1
    assert "note: no two of the 12 columns share more than chance explains" in result.stderr
    assert result.stdout.startswith("1 of 12 columns of t.parquet represents")


def test_degree_without_a_size_is_half_and_says_so(wine_csv):
    for option in (["--rule", "degree"], ["--paper"]):
        result = run("select", wine_csv, "--drop", "class", *option)
        assert (
            "6 of 13 columns of wine.csv, by degree in the TMFG (half of them" in result.stdout
        )
        assert "strength" in result.stdout.splitlines()[1]


@pytest.mark.parametrize("size", [(), ("-k", 5), ("--coverage", 0.7)])
def test_exchanges_are_those_of_the_library(tmp_path, size):
    X = load_breast_cancer(as_frame=True).data
    path = tmp_path / "cancer.csv"
    X.to_csv(path, index=False)
    wanted = {(): "auto", ("-k", 5): 5}.get(size, UntilCoverage(0.7))
    selector = TopologicalFeatureSelector(wanted, rule=Coverage(refine=True)).fit(X)
    found = run_json("select", path, "--refine", *size)
    names = {column["name"] for column in found["selected"]}
    assert names == set(selector.get_feature_names_out())
    assert names != {column["name"] for column in run_json("select", path, *size)["selected"]}
    assert found["coverage"] == pytest.approx(selector.shares_.mean())
    if not size:
        assert found["stopping"]["next_adds"] <= 1
