"""``topofs select``: the same columns as the estimator, and files that hold what they should."""

import csv
import gzip
import json
import os
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import (
    MST,
    PMFG,
    Centrality,
    Coverage,
    Energy,
    Links,
    Mixed,
    MutualInformation,
    Spearman,
    TopologicalFeatureSelector,
)
from topofs.cli.options import parse_size
from topofs.io.arrays import read_mat
from topofs.selection import plain_settings


def names(summary):
    return {column["name"] for column in summary["selected"]}


def selected_by_estimator(X, *arguments, **options):
    return set(TopologicalFeatureSelector(*arguments, **options).fit(X).get_feature_names_out())


@pytest.mark.parametrize(
    ("arguments", "terms"),
    [
        ("--similarity spearman --no-squared", {"similarity": Spearman(squared=False)}),
        ("--similarity mixed", {"similarity": Mixed()}),
        ("--similarity mutual_information", {"similarity": MutualInformation()}),
        (
            "--similarity mutual_information --n-bins 5",
            {"similarity": MutualInformation(n_bins=5)},
        ),
        ("--reach edges --isolated keep", {"rule": Coverage(reach="edges", isolated="keep")}),
        ("--graph links --strongest 4", {"graph": Links(strongest=4)}),
        ("--strongest 64", {"graph": Links(strongest=64)}),
        ("--strongest none", {"graph": Links(strongest=None)}),
        ("--reach paths", {"rule": Coverage(reach="paths")}),
        ("--refine --isolated last", {"rule": Coverage(refine=True, isolated="last")}),
        (
            "--rule degree --similarity energy --alpha 0.3",
            {"rule": Centrality("degree"), "similarity": Energy(alpha=0.3)},
        ),
        ("--rule strength --graph pmfg", {"rule": Centrality("strength"), "graph": PMFG()}),
        (
            "--rule closeness --graph mst --ties index",
            {"rule": Centrality("closeness", ties="index"), "graph": MST()},
        ),
        ("--threshold mean --memory 2GB", {"threshold": "mean", "memory": "2GB"}),
        ("--rule pagerank --threshold none", {"rule": "pagerank", "threshold": None}),
    ],
)
def test_every_setting_reaches_the_estimator(wine, wine_csv, arguments, terms):
    found = run_json("select", wine_csv, "-k", "4", "--drop", "class", *arguments.split())
    X = wine.drop(columns=["bottle", "class"])
    selector = TopologicalFeatureSelector(4, **terms).fit(X)
    assert names(found) == set(selector.get_feature_names_out())
    # Best first; past "auto" a column that adds more may come after one that adds less.
    order = sorted(np.flatnonzero(selector.support_), key=lambda i: selector.ranking_[i])
    assert [one["score"] for one in found["selected"]] == selector.scores_[order].tolist()
    assert found["settings"] == plain_settings(selector)


def test_the_settings_are_a_document(wine_csv):
    arguments = ("select", wine_csv, "--drop", "class", "--keep", "ash", "--rule", "degree")
    assert run_json(*arguments, "--alpha", "0.3", "--similarity", "energy")["settings"] == {
        "size": None,
        "similarity": {"name": "energy", "alpha": 0.3},
        "threshold": "auto",
        "graph": {"name": "tmfg"},
        "rule": {"name": "degree", "ties": "strength"},
        "keep": ["ash"],
        "exclude": [],
        "at_most": None,
        "at_least": None,
        "max_similarity": None,
        "relevance": None,
        "min_carriers": "auto",
    }


def test_the_published_method_takes_any_measure(wine, wine_csv):
    X = wine.drop(columns=["bottle", "class"])
    for similarity in ("spearman", "energy", "mixed"):
        found = run_json(
            *("select", wine_csv, "-k", 4, "--drop", "class", "--paper"),
            *("--similarity", similarity, "--memory", "1GB"),
        )
        published = TopologicalFeatureSelector.paper(4, similarity=similarity).fit(X)
        assert names(found) == set(published.get_feature_names_out())
        assert found["settings"] == plain_settings(published)


def test_a_dataset_file_keeps_its_labels_apart(shared_datasets, tmp_path):
    source = shared_datasets / "lung_small.mat"
    found = run_json("select", source, "-k", "0.1", "--out", tmp_path / "small.parquet")
    dataset = read_mat(source)
    X = pd.DataFrame(np.asarray(dataset.X, dtype=float)).rename(columns=lambda i: f"x{i}")
    assert names(found) == selected_by_estimator(X, 0.1)
    reduced = pl.read_parquet(tmp_path / "small.parquet")
    assert reduced.columns[-1] == "target"
    assert reduced["target"].to_list() == dataset.y.tolist()


def test_the_reduced_table_keeps_text_order_and_rows(wine, wine_csv, tmp_path):
    out = tmp_path / "reduced.csv"
    result = run(
        "select", wine_csv, "-k", 3, "--target", "class", "--id", "bottle", "--out", out
    )
    assert result.exit_code == 0, result.output
    reduced = pd.read_csv(out)
    kept = [column for column in wine.columns if column in set(reduced.columns)]
    assert list(reduced.columns) == kept
    assert (kept[0], kept[-1], len(kept)) == ("bottle", "class", 5)
    pd.testing.assert_frame_equal(reduced, pd.read_csv(wine_csv)[kept])
    lines = wine_csv.read_text(encoding="utf-8").splitlines()
    first = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
    assert out.read_text(encoding="utf-8").splitlines()[1] == ",".join(
        first[column] for column in kept
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_types_come_back_from_every_format(tmp_path, ending):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "whole": rng.integers(0, 9, 30),
            "real": rng.standard_normal(30),
            "flag": rng.random(30) < 0.5,
            "gaps": [None if i % 7 == 0 else float(i) for i in range(30)],
            "text": [f'row, "{i}"' for i in range(30)],
        }
    )
    frame.write_parquet(tmp_path / "table.parquet")
    out = tmp_path / f"out.{ending}"
    source = tmp_path / "table.parquet"
    assert run("select", source, "-k", "1.0", "--id", "text", "--out", out).exit_code == 0
    if ending == "parquet":
        back = pl.read_parquet(out)
    else:
        back = pl.read_csv(out, separator="\t" if ending == "tsv" else ",")
    assert back.equals(frame)
    assert back.schema == frame.schema


def test_csv_to_parquet_gives_types_and_keeps_what_is_missing(tmp_path):
    text = "n,x,b,t\n1,0.5,true,NA\n2,NA,false,b\n4, 1.5,true,c\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    out = tmp_path / "t.parquet"
    assert run("select", tmp_path / "t.csv", "-k", 3, "--id", "t", "--out", out).exit_code == 0
    frame = pl.read_parquet(out)
    assert frame.dtypes == [pl.Int64, pl.Float64, pl.Boolean, pl.String]
    assert frame["x"].to_list() == [0.5, None, 1.5]
    assert frame["t"].to_list() == ["NA", "b", "c"]


def test_the_ranking_holds_every_column(wine, wine_csv, tmp_path):
    path = tmp_path / "ranking.csv"
    run_json("select", wine_csv, "-k", 4, "--target", "class", "--ranking", path)
    ranking = pl.read_csv(path)
    assert ranking.columns == [
        *("name", "rank", "score", "strength", "selected", "forced"),
        *("nearest_selected", "similarity"),
        *("representative", "share", "relevance", "left_out"),
    ]
    assert set(ranking["name"]) == set(wine.columns)
    placed = ranking.filter(pl.col("rank").is_not_null())
    assert placed["rank"].to_list() == list(range(1, 14))
    X = wine.drop(columns=["bottle", "class"])
    selector = TopologicalFeatureSelector(4).fit(X)
    assert placed["name"].to_list() == list(X.columns[np.argsort(selector.ranking_)])
    order = np.argsort(selector.ranking_)
    assert placed["score"].to_list() == selector.scores_[order].tolist()
    assert placed["representative"].to_list() == [
        X.columns[by] if by >= 0 else None for by in selector.representative_[order]
    ]
    for given, share in zip(placed["share"], selector.shares_[order], strict=True):
        assert (given or 0.0) == share
    left_out = dict(ranking.filter(pl.col("rank").is_null()).select("name", "left_out").rows())
    assert left_out == {
        "bottle": "names that hardly repeat, as an identifier's do",
        "class": "target",
    }


def test_a_ranking_by_degree_has_no_representatives(wine_csv, tmp_path):
    path = tmp_path / "ranking.csv"
    arguments = ("select", wine_csv, "-k", 4, "--target", "class", "--rule", "degree")
    found = run_json(*arguments, "--ranking", path)
    placed = pl.read_csv(path).filter(pl.col("rank").is_not_null())
    assert placed["representative"].null_count() == 13
    assert placed["score"].to_list() == sorted(placed["score"], reverse=True)
    for name in ("coverage", "groups", "isolated", "representatives"):
        assert found[name] is None


def test_the_nearest_selected_column_is_the_most_correlated_other_one(wine, wine_csv, tmp_path):
    path = tmp_path / "ranking.parquet"
    found = run_json("select", wine_csv, "-k", 4, "--drop", "class", "--ranking", path)
    squared = wine.drop(columns=["bottle", "class"]).corr() ** 2
    for row in pl.read_parquet(path).filter(pl.col("rank").is_not_null()).iter_rows(named=True):
        others = sorted(names(found) - {row["name"]})
        best = squared.loc[row["name"], others]
        assert row["nearest_selected"] == best.idxmax()
        assert row["similarity"] == pytest.approx(best.max(), abs=1e-12)


def test_the_graph_is_graphml_with_the_selection_marked(wine_csv, tmp_path):
    path = tmp_path / "network.graphml"
    found = run_json("select", wine_csv, "-k", 4, "--drop", "class", "--graph-out", path)
    space = "{http://graphml.graphdrawing.org/xmlns}"
    nodes = [
        {data.get("key"): data.text for data in node}
        for node in ET.parse(path).iter(f"{space}node")
    ]
    assert len(nodes) == 13
    assert {node["label"] for node in nodes if node["selected"] == "true"} == names(found)


def test_standard_input_and_gzip_and_separators(wine, wine_csv, tmp_path):
    expected = names(run_json("select", wine_csv, "-k", 4))
    packed = tmp_path / "wine.csv.gz"
    packed.write_bytes(gzip.compress(wine_csv.read_bytes()))
    assert names(run_json("select", packed, "-k", 4)) == expected
    for separator in "\t;|":
        path = tmp_path / "other.txt"
        wine.to_csv(path, index=False, sep=separator)
        assert names(run_json("select", path, "-k", 4)) == expected
    for content in (wine_csv.read_bytes(), packed.read_bytes()):
        found = run_json("select", "-", "-k", 4, stdin=content)
        assert (names(found), found["table"]) == (expected, "standard input")
    pl.read_csv(wine_csv).write_parquet(tmp_path / "w.parquet")
    content = (tmp_path / "w.parquet").read_bytes()
    assert names(run_json("select", "-", "-k", 4, stdin=content)) == expected


def test_what_is_left_out_is_said_with_the_reason(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,c,same,none,word\n1,2,3,7,,x\n2,1,5,7,NA,y\n3,3,1,7,,z\n", encoding="utf-8"
    )
    result = run("select", path, "-k", 2)
    assert result.exit_code == 0
    said = "3 columns left out: same (constant), none (all missing), word (names that hardly"
    assert said in result.stderr
    numbers = run("select", path, "-k", 2, "--similarity", "pearson")
    assert "word (text, such as 'x')" in numbers.stderr
    assert_tells(
        numbers.stderr, "1 of them", "text or categories", "--similarity auto or mixed"
    )
    quiet = run("select", path, "-k", 2, "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    many = tmp_path / "many.csv"
    many.write_text(
        "a,b," + ",".join(f"t{i}" for i in range(9)) + "\n1,2" + ",x" * 9 + "\n2,5",
        encoding="utf-8",
    )
    many.write_text(many.read_text(encoding="utf-8") + ",y" * 9 + "\n", encoding="utf-8")
    many_said = run("select", many, "-k", 1, "--similarity", "pearson").stderr
    assert "and 3 more" in many_said


def test_a_forced_column_is_selected_whatever_it_holds(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,c,same,none\n1,2,3,7,\n2,1,5,7,\n3,3,1,7,\n9,3,2,7,\n", encoding="utf-8"
    )
    found = run_json("select", path, "-k", 3, "--keep", "same", "--keep", "none")
    assert {"same", "none"} < names(found)
    out = tmp_path / "ranking.csv"
    assert run("select", path, "-k", 3, "--keep", "same", "--ranking", out).exit_code == 0
    row = pl.read_csv(out).row(by_predicate=pl.col("name") == "same", named=True)
    assert (row["rank"], row["score"], row["nearest_selected"]) == (1, 0.0, None)
    assert (row["selected"], row["forced"]) == (True, True)
    too_many = run("select", path, "-k", 1, "--keep", "a", "--keep", "b")
    assert too_many.exit_code == 2
    assert "raise -k" in too_many.stderr


def test_a_column_of_text_cannot_be_forced_among_numbers_and_the_way_out_is_told(wine_csv):
    arguments = ("select", wine_csv, "-k", 2, "--keep", "bottle")
    result = run(*arguments, "--similarity", "pearson")
    assert result.exit_code == 2
    assert_tells(result.stderr, "--similarity auto or mixed", "--id")
    kept = run(*arguments)
    assert kept.exit_code == 0
    assert "1 of 15 columns hold names that cannot be compared" in kept.stderr
    assert "bottle" in kept.stdout


def test_hostile_names_are_names_and_nothing_else(tmp_path):
    hostile = ["*", "^.*$", "[bold]a[/bold]", "<script>", "a\x1b[31m", "", "x,y", "=1+1"]
    rng = np.random.default_rng(1)
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([hostile, *rng.standard_normal((20, len(hostile)))])
    out, ranking = tmp_path / "out.csv", tmp_path / "r.csv"
    graph = tmp_path / "g.graphml"
    arguments = ("select", tmp_path / "t.csv", "-k", "1.0")
    result = run(*arguments, "--out", out, "--ranking", ranking, "--graph-out", graph)
    assert result.exit_code == 0, result.output
    assert "[bold]a[/bold]" in result.stdout
    assert "\x1b" not in result.output
    with out.open(newline="", encoding="utf-8") as file:
        assert next(csv.reader(file)) == hostile
    assert pl.read_csv(ranking).height == len(hostile)
    assert "--drop ''" in result.stderr
    one = run_json(*arguments, "--drop", "*")
    assert names(one) == set(hostile) - {"*"}


def test_a_fraction_and_a_percentage():
    assert [parse_size(text) for text in ("7", "0.5", "1.0", "5%")] == [7, 0.5, 1.0, 0.05]
    assert parse_size("auto") == "auto"
    assert isinstance(parse_size("1"), int)


def test_long_selections_are_cut_on_the_terminal(tmp_path):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(rng.standard_normal((9, 30)), schema=[f"c{i}" for i in range(30)])
    frame.write_parquet(tmp_path / "t.parquet")
    result = run("select", tmp_path / "t.parquet", "-k", 25)
    assert "… and 5 more" in result.stdout
    assert "trust this little" in result.stderr


def test_forced_columns_come_first_are_marked_and_always_shown(wine, wine_csv, tmp_path):
    found = run_json("select", wine_csv, "-k", 4, "--drop", "class", "--keep", "ash")
    assert [column["forced"] for column in found["selected"]] == [True, False, False, False]
    assert [group["forced"] for group in found["groups"]] == [True, False, False, False]
    selector = TopologicalFeatureSelector(4, keep=["ash"]).fit(
        wine.drop(columns=["bottle", "class"])
    )
    assert [group["name"] for group in found["groups"]] == [g.name for g in selector.groups_]
    for rule in ([], ["--rule", "degree"]):
        printed = run("select", wine_csv, "-k", 4, "--drop", "class", "--keep", "ash", *rule)
        marked = [line.split()[:3] for line in printed.stdout.splitlines() if "forced" in line]
        assert marked == [["1", "ash", "forced"]]
    frame = pl.DataFrame(np.random.default_rng(1).standard_normal((40, 30)))
    frame.write_parquet(tmp_path / "t.parquet")
    keep = [argument for i in range(25) for argument in ("--keep", f"column_{i}")]
    printed = run("select", tmp_path / "t.parquet", "-k", 27, *keep).stdout
    assert printed.count("forced") == 25
    assert "… and 2 more" in printed
    best = ("flavanoids", "proline", "hue", "ash")
    keep = [argument for name in best for argument in ("--keep", name)]
    enough = run("select", wine_csv, "--drop", "class", *keep).stdout
    assert enough.splitlines()[0].endswith("; the forced columns are enough")


def test_the_report_is_written(wine_csv, tmp_path):
    pytest.importorskip("topofs.report.selection")
    pytest.importorskip("jinja2")
    path = tmp_path / "report.html"
    result = run("select", wine_csv, "-k", 4, "--target", "class", "--report", path)
    assert result.exit_code == 0, result.output
    assert "flavanoids" in path.read_text(encoding="utf-8")
    assert sorted(os.listdir(tmp_path)) == ["report.html", "wine.csv"]


def test_json_is_one_document(wine_csv, tmp_path):
    out = tmp_path / "o.csv"
    result = run(
        *("select", wine_csv, "-k", 2, "--drop", "class", "--json", "--quiet", "--out", out)
    )
    summary = json.loads(result.stdout)
    assert result.stderr == ""
    assert summary["files"] == {"out": str(out)}
    assert (summary["n_samples"], summary["n_features"], summary["n_columns"]) == (178, 13, 15)
    assert summary["n_selected"] == len(summary["selected"]) == 2


def test_progress_is_shown_on_a_terminal_only(wine_csv, monkeypatch):
    assert "reading" not in run("select", wine_csv, "-k", 2).stderr
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = run("select", wine_csv, "-k", 2, "--drop", "class")
    assert "reading" in shown.stderr
    assert "comparing 13 columns" in shown.stderr
    assert run("select", wine_csv, "-k", 2, "--quiet").stderr == ""
