"""``topofs compare``: from the table to the verdict."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine

from tests.cli.running import run, run_json

QUICK = ("--sizes", "3,0.5", "--repeats", "1", "--folds", "3")


@pytest.fixture
def wine_csv(tmp_path):
    path = tmp_path / "wine.csv"
    data = load_wine(as_frame=True)
    frame = data.data.assign(kind=data.target_names[data.target], bottle=range(len(data.data)))
    frame.to_csv(path, index=False)
    return path


def test_classes(wine_csv):
    found = run_json("compare", wine_csv, "--target", "kind", "--id", "bottle", *QUICK)
    assert (found["task"], found["metric"]) == ("classification", "balanced accuracy")
    assert (found["sizes"], found["n_features"], found["n_samples"]) == ([3, 6], 13, 178)
    assert found["table"] == "wine.csv"
    means = {(row["method"], row["n_features"]): row["mean"] for row in found["scores"]}
    assert set(means) == {
        *(
            (method, size)
            for method in ("tfs", "tfs_paper", "inf_fs", "variance", "random")
            for size in (3, 6)
        ),
        ("all", 13),
    }
    assert means["all", 13] > 0.95
    assert all(len(row["by_split"]) == 3 for row in found["scores"])
    assert len(found["tests"]) == 2 * 5
    test = next(t for t in found["tests"] if (t["rival"], t["n_features"]) == ("all", 3))
    assert test["difference"] == pytest.approx(means["tfs", 3] - means["all", 13])


def test_numbers(wine_csv):
    found = run_json(
        *("compare", wine_csv, "--target", "alcohol", "--drop", "kind", *QUICK),
        *("--drop", "bottle", "--model", "tree", "--similarity", "spearman"),
    )
    assert (found["task"], found["metric"], found["model"]) == ("regression", "R²", "tree")
    measure = {"name": "spearman", "squared": True, "rows": "independent"}
    assert found["settings"]["similarity"] == measure


def test_the_printed_table_and_verdict(wine_csv):
    result = run("compare", wine_csv, "--target", "kind", "--drop", "bottle", *QUICK)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("balanced accuracy of a linear model for kind")
    assert lines[1].split() == ["number", "of", "columns", "3", "6"]
    assert [line.split()[0] for line in lines[2:6]] == ["TFS", "TFS", "Inf-FS", "variance"]
    verdicts = [line for line in lines if line.startswith("TFS against ")]
    assert len(verdicts) == 5
    assert all(line.endswith("of 2 sizes") for line in verdicts)
    assert run("compare", wine_csv, "--target", "kind", *QUICK, "--quiet").output == ""


def test_rivals_that_select_for_the_target(wine_csv):
    given = ("compare", wine_csv, "--target", "kind", "--id", "bottle", *QUICK)
    found = run_json(*given, "--relevance", "target", "--methods", "mrmr, random")
    assert [test["rival"] for test in found["tests"]] == ["mrmr", "random"] * 2
    assert found["settings"]["relevance"]["by"] == "target"
    lines = run(*given, "--methods", "mrmr,all").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["number", "TFS", "mRMR", "all"]


def test_a_dataset_has_a_target_of_its_own(tmp_path):
    X, y = load_wine(return_X_y=True)
    np.savez(tmp_path / "wine.npz", X=X, y=y)
    found = run_json("compare", tmp_path / "wine.npz", *QUICK)
    assert (found["target"], found["task"]) == ("target", "classification")


def test_rows_without_a_target_and_gaps(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    frame = pl.DataFrame(X, schema=list("abcde")).with_columns(
        pl.Series("y", [None if i % 10 == 0 else X[i, 0] for i in range(60)]),
        pl.when(pl.int_range(60) % 7 == 0).then(None).otherwise(pl.col("b")).alias("b"),
    )
    frame.write_parquet(tmp_path / "t.parquet")
    result = run("compare", tmp_path / "t.parquet", "--target", "y", *QUICK, "--json")
    assert "6 rows without a target are left out" in result.stderr
    found = json.loads(result.stdout)
    assert found["n_samples"] == 54
    assert next(row["mean"] for row in found["scores"] if row["method"] == "all") > 0.9


def test_a_class_that_looks_missing_is_one_and_is_pointed_out(tmp_path):
    X = np.random.default_rng(0).standard_normal((30, 3))
    signs = np.where(X[:, 0] > 0, "+", "-")
    pl.DataFrame(X, schema=list("abc")).with_columns(sign=signs).write_csv(tmp_path / "t.csv")
    result = run("compare", tmp_path / "t.csv", "--target", "sign", *QUICK[2:], "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["n_samples"] == 30
    assert "note: the target has a class '-'; if it stands for a missing" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        ([], 2, "give the column to predict"),
        (["--target", "kin"], 2, "did you mean 'kind'"),
        (["--target", "kind", "--sizes", "30"], 2, "--sizes 30: there are 14 columns"),
        (["--target", "kind", "--sizes", "3,x"], 2, "neither a number of columns"),
        (["--target", "kind", "--task", "regression"], 3, "it cannot be a number"),
        (["--target", "kind", "--folds", "80"], 3, "80 folds need at least 80 rows"),
        (["--target", "kind", "--folds", "1"], 2, "'--folds'"),
        (["--target", "kind", "--methods", "mrm"], 2, "did you mean 'mrmr'"),
        (["--target", "kind", "--sizes", "auto,2", "--paper"], 2, "--sizes auto needs"),
        (["--target", "kind", "--similarity", "energy"], 2, "choose --rule degree"),
        (["--target", "kind", "--report", "nowhere/r.html"], 3, "does not exist"),
    ],
)
def test_wrong_usage(wine_csv, monkeypatch, arguments, status, reason):
    monkeypatch.chdir(wine_csv.parent)
    result = run("compare", wine_csv, *arguments)
    assert result.exit_code == status, result.output
    assert reason in result.stderr
    lines = [line for line in result.stderr.splitlines() if not line.startswith("note:")]
    assert len(lines) <= 2


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("same", "fewer than two values"),
        ("list", "values of type List(Int64)"),
        ("inf", "infinite"),
    ],
)
def test_a_target_that_cannot_be_predicted(tmp_path, target, reason):
    frame = pl.DataFrame(
        {
            "a": [1.0, 2.0, 3.0, 4.0],
            "b": [2.0, 1.0, 3.0, 5.0],
            "same": ["x"] * 4,
            "list": [[1]] * 4,
            "inf": [1.0, float("inf"), 2.0, 3.0],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    arguments = ("compare", tmp_path / "t.parquet", "--target", target)
    result = run(*arguments, *(("--drop", "inf") if target != "inf" else ()))
    assert result.exit_code == 3, result.output
    assert reason in result.stderr


def test_the_report_is_written(wine_csv, tmp_path):
    pytest.importorskip("topofs.report.comparison")
    pytest.importorskip("jinja2")
    path = tmp_path / "comparison.html"
    result = run("compare", wine_csv, "--target", "kind", *QUICK, "--report", path)
    assert result.exit_code == 0, result.output
    assert "Inf-FS" in path.read_text(encoding="utf-8")


def test_the_automatic_size_is_that_of_each_split(wine_csv):
    arguments = ("compare", wine_csv, "--target", "kind", "--id", "bottle")
    options = ("--sizes", "auto,2", "--repeats", "1", "--folds", "3")
    found = run_json(*arguments, *options)
    assert found["sizes"] == [2, "auto"]
    assert len(found["auto_sizes"]) == 3
    assert all(1 <= size <= 13 for size in found["auto_sizes"])
    sizes = {row["n_features"] for row in found["scores"] if row["method"] == "random"}
    assert sizes == {2, "auto"}
    printed = run(*arguments, *options).stdout
    mean = round(sum(found["auto_sizes"]) / 3)
    assert printed.splitlines()[1].split() == [
        "number",
        "of",
        "columns",
        "2",
        "auto",
        f"({mean})",
    ]
    by_degree = run_json(*arguments, "--paper", "--repeats", "1", "--folds", "3")
    assert "auto" not in by_degree["sizes"]


def test_names_are_compared_and_predicted_from(tmp_path):
    rng = np.random.default_rng(0)
    n = 150
    kind = rng.choice(["oak", "elm", "ash"], n)
    frame = pl.DataFrame(
        {
            "kind": kind,
            "soil": np.where(rng.random(n) < 0.9, kind, "clay"),
            "a": rng.standard_normal(n),
            "b": rng.standard_normal(n),
            "tag": [f"t{i}" for i in range(n)],
            "y": np.where(kind == "elm", "yes", "no"),
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    result = run("compare", tmp_path / "t.csv", "--target", "y", "--sizes", "1,4", "--json")
    assert "tag (names that hardly repeat" in result.stderr
    found = json.loads(result.stdout)
    means = {(row["method"], row["n_features"]): row["mean"] for row in found["scores"]}
    assert found["n_features"] == 4
    # The numbers are noise, and the methods that need numbers have nothing else.
    assert means["tfs", 1] > 0.9
    for rival in ("tfs_paper", "inf_fs", "variance"):
        assert means[rival, 1] < 0.7
        assert means[rival, 4] == means["all", 4] > 0.95
