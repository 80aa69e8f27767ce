"""``topofs select``: how many columns it takes by itself, and what it says about it."""

import numpy as np
import polars as pl
import pytest

from tests.cli.running import run, run_json
from topofs import TopologicalFeatureSelector


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
        assert found["stopping"]["reason"].startswith("the next column would explain")
        assert found["stopping"]["next_adds"] < 1
    assert [group["name"] for group in found["groups"]] == [g.name for g in selector.groups_]
    assert found["groups"][0]["members"][0]["name"] == selector.groups_[0].members[0].name
    by = {row["name"]: row["representative"] for row in found["representatives"]}
    assert by["alcohol"] == "alcohol"
    assert by["proline"] == "alcohol"
    printed = run("select", wine_csv, "--drop", "class").stdout
    assert printed.startswith("3 of 13 columns of wine.csv represent ")
    assert "the next column would explain no more than itself" in printed
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
