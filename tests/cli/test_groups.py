"""``topofs groups``: the selected columns and those they represent."""

import polars as pl
import pytest
from sklearn.datasets import load_wine

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import TopologicalFeatureSelector


@pytest.fixture
def wine_csv(tmp_path):
    path = tmp_path / "wine.csv"
    load_wine(as_frame=True).data.assign(same=1).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def expected():
    return TopologicalFeatureSelector().fit(load_wine(as_frame=True).data)


def test_the_groups_are_those_of_the_estimator(wine_csv, expected):
    found = run_json("groups", wine_csv)
    assert [(g["name"], g["rank"], len(g["members"])) for g in found["groups"]] == [
        (g.name, g.rank, len(g.members)) for g in expected.groups_
    ]
    assert found["groups"][0]["members"][0] == {
        "name": expected.groups_[0].members[0].name,
        "share": expected.groups_[0].members[0].share,
    }
    assert found["n_selected"] == 3
    assert found["left_out"] == [{"name": "same", "reason": "constant"}]


def test_they_are_printed_with_their_shares(wine_csv):
    result = run("groups", wine_csv)
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[0].startswith("3 of 13 columns of wine.csv represent ")
    assert lines[1] == "flavanoids"
    assert lines[2].split() == ["total_phenols", "0.75"]
    assert "same (constant)" in result.stderr
    assert run("groups", wine_csv, "--quiet").output == ""


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_the_file_has_a_row_for_each_column(wine_csv, tmp_path, expected, ending):
    path = tmp_path / f"groups.{ending}"
    result = run("groups", wine_csv, "--out", path)
    assert f"written: {path}" in result.stderr
    if ending == "parquet":
        rows = pl.read_parquet(path)
    else:
        rows = pl.read_csv(path, separator="\t" if ending == "tsv" else ",")
    assert rows.columns == [
        *("column", "representative", "share", "selected", "forced", "isolated"),
    ]
    assert rows["column"].to_list() == list(expected.feature_names_in_)
    assert rows["selected"].to_list() == expected.support_.tolist()
    assert rows["share"].to_list() == pytest.approx(expected.shares_.tolist())
    names = expected.feature_names_in_
    assert rows["representative"].to_list() == [
        names[by] if by >= 0 else None for by in expected.representative_
    ]
    assert not rows["isolated"].any()
    assert not rows["forced"].any()


def test_columns_that_nobody_represents_are_named(wine_csv):
    found = run_json("groups", wine_csv, "-k", 1, "--reach", "edges")
    assert found["alone"]
    printed = run("groups", wine_csv, "-k", 1, "--reach", "edges").stdout
    assert_tells(printed, "alone", found["alone"][0])


def test_forced_columns_are_marked(wine_csv):
    found = run_json("groups", wine_csv, "--keep", "ash")
    assert [group["forced"] for group in found["groups"]][:2] == [True, False]
    lines = run("groups", wine_csv, "--keep", "ash").stdout.splitlines()
    assert lines[1].split() == ["ash", "forced"]


def test_long_lists_are_cut_and_the_way_to_all_is_told(tmp_path):
    import numpy as np

    rng = np.random.default_rng(0)
    factor = rng.standard_normal((200, 1))
    X = np.hstack([factor + 0.3 * rng.standard_normal((200, 20)), rng.random((200, 15))])
    names = [f"c{i}" for i in range(35)]
    pl.DataFrame(X, schema=names).write_parquet(tmp_path / "t.parquet")
    printed = run("groups", tmp_path / "t.parquet").stdout
    assert "… and 7 more" in printed
    assert "isolated: c20, " in printed
    assert "c29 and 5 more" in printed
    assert "--out FILE and --json list them all" in printed


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--paper"], 2, "choose --rule coverage or variance, and leave --paper out"),
        (["--rule", "degree"], 2, "by degree no column represents another"),
        (["--out", "x.xlsx"], 2, "end the name in .csv"),
        (["--out", "nowhere/x.csv"], 3, "does not exist"),
        (["-k", "40"], 2, "give at most 13"),
    ],
)
def test_wrong_usage(wine_csv, monkeypatch, arguments, status, reason):
    monkeypatch.chdir(wine_csv.parent)
    result = run("groups", wine_csv, *arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    lines = [line for line in result.stderr.splitlines() if not line.startswith("note:")]
    assert len(lines) == 1
    assert reason in lines[0]
