"""Constraints and sizes as options of the commands that select."""

import os
from collections import Counter
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import AtLeast, AtMost, Budget, MinShare, TopologicalFeatureSelector, UntilCoverage


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(as_frame=True).data


@pytest.fixture(scope="module")
def path(tumours, tmp_path_factory):
    path = tmp_path_factory.mktemp("constraints") / "tumours.csv"
    tumours.to_csv(path, index=False)
    return path


@pytest.fixture
def groups_csv(tumours, tmp_path):
    path = tmp_path / "groups.csv"
    pd.DataFrame({"column": tumours.columns, "group": [kind(c) for c in tumours]}).to_csv(
        path, index=False
    )
    return path


@pytest.fixture
def cost_csv(tumours, tmp_path):
    path = tmp_path / "cost.csv"
    pd.DataFrame({"column": tumours.columns, "cost": costs(tumours).values()}).to_csv(
        path, index=False
    )
    return path


def kind(column):
    return column.split()[-1] if column.endswith("error") else column.split()[0]


def costs(tumours):
    return {column: 1.0 + i % 4 for i, column in enumerate(tumours)}


def names(found):
    return {column["name"] for column in found["selected"]}


def chosen(selector):
    return set(selector.get_feature_names_out())


def test_the_example_of_the_issue(path):
    found = run_json("select", path, "-k", 3, "--keep", "mean area", "--graph", "tmfg")
    assert names(found) == {"mean area", "mean compactness", "compactness error"}
    assert found["coverage"] >= 0.55


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (["--keep", "mean s*"], {"keep": ["mean smoothness", "mean symmetry"]}),
        (["--exclude", "worst *"], {"exclude": ["worst *"]}),
        (["--max-similarity", "0.5"], {"max_similarity": 0.5}),
        (["--coverage", "90%"], {"n_features_to_select": UntilCoverage(0.9)}),
        (["--min-share", "0.8"], {"n_features_to_select": MinShare(0.8)}),
        (["--budget", "4"], {"n_features_to_select": Budget(4)}),
    ],
)
def test_each_constraint_is_that_of_the_estimator(path, tumours, options, settings):
    found = run_json("select", path, *options)
    selector = TopologicalFeatureSelector(**settings).fit(tumours)
    assert names(found) == chosen(selector)
    assert found["coverage"] == pytest.approx(selector.shares_.mean())


def test_groups_and_costs_come_from_files(path, tumours, groups_csv, cost_csv):
    found = run_json("select", path, "--at-most", 1, "--groups", groups_csv)
    limit = AtMost(1, of={column: kind(column) for column in tumours})
    assert names(found) == chosen(TopologicalFeatureSelector(at_most=limit).fit(tumours))
    found = run_json("select", path, "--budget", 7, "--cost", cost_csv)
    selector = TopologicalFeatureSelector(Budget(7, costs(tumours))).fit(tumours)
    assert names(found) == chosen(selector)
    assert sum(costs(tumours)[name] for name in names(found)) <= 7
    assert found["stopping"]["size"] == {"budget": 7.0}
    assert "of the budget of 7" in run("select", path, "--budget", 7, "--cost", cost_csv).stdout


def test_at_least_so_many_of_each_group(path, tumours, groups_csv):
    options = ("--at-least", 2, "--at-most", 3, "--groups", groups_csv)
    found = run_json("select", path, *options)
    of = {column: kind(column) for column in tumours}
    limits = {"at_least": AtLeast(2, of=of), "at_most": AtMost(3, of=of)}
    assert names(found) == chosen(TopologicalFeatureSelector(**limits).fit(tumours))
    assert (found["settings"]["at_least"], found["settings"]["at_most"]) == (2, 3)
    counts = Counter(map(kind, names(found)))
    assert set(counts) == set(of.values())
    assert min(counts.values()) >= 2
    few = next(name for name in names(found) if counts[kind(name)] == 2)
    said = run("explain", path, few, *options).stdout
    assert_tells(said, "at_least", kind(few))
    assert run_json("explain", path, few, *options)["demanded_group"] == kind(few)


def test_a_header_is_not_needed(path, groups_csv, cost_csv):
    for size, option, file in (
        (("--budget", 7), "--cost", cost_csv),
        (("--at-most", 1), "--groups", groups_csv),
    ):
        with_header = run_json("select", path, *size, option, file)
        bare = file.with_name("bare.csv")
        bare.write_text(file.read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
        assert names(run_json("select", path, *size, option, bare)) == names(with_header)


def test_names_come_from_a_file(path, tmp_path):
    must = tmp_path / "must.txt"
    must.write_text("mean area\n\n  worst texture \nmean s*\n", encoding="utf-8")
    found = run_json("groups", path, "-k", 6, "--keep", f"@{must}", "--exclude", "mean radius")
    forced = {group["name"] for group in found["groups"] if group["forced"]}
    assert forced == {"mean area", "worst texture", "mean smoothness", "mean symmetry"}
    assert found["settings"]["exclude"] == ["mean radius"]


@pytest.mark.parametrize("command", ["select", "groups", "stability"])
def test_all_commands_take_them(path, command):
    quick = ("--resamples", 3) if command == "stability" else ()
    constraints = ("--keep", "mean area", "--exclude", "mean p*", "--max-similarity", "0.8")
    found = run_json(command, path, "--coverage", "0.6", *constraints, *quick)
    assert found["settings"] == found["settings"] | {
        "size": {"until_coverage": 0.6},
        "keep": ["mean area"],
        "exclude": ["mean perimeter"],
        "max_similarity": 0.8,
    }


def test_explain_says_that_a_column_is_excluded(path):
    said = run("explain", path, "mean area", "--exclude", "mean area").stdout
    assert "mean area is not selected." in said
    assert "It is excluded" in said
    assert run_json("explain", path, "mean area", "--exclude", "mean *")["excluded"]


def test_random_lists_stand_beside_a_coverage(path, tumours):
    selector = TopologicalFeatureSelector(5).fit(tumours)
    lists = selector.random_lists()
    expected = {"mean": lists.mean, "low": lists.low, "high": lists.high, "n_lists": 200}
    for command in ("select", "groups"):
        found = run_json(command, path, "-k", 5)
        assert found["random_coverage"] == pytest.approx(expected)
        printed = run(command, path, "-k", 5).stdout.splitlines()[0]
        assert_tells(printed, "random lists of 5", f"{lists.mean:.1%}")
    assert run_json("select", path, "-k", 5, "--rule", "degree")["random_coverage"] is None


def test_a_small_share_is_not_said_to_represent(wine_csv):
    arguments = (wine_csv, "--drop", "class", "--graph", "tmfg")
    lines = run("select", *arguments).stdout.splitlines()
    assert any("alcohol 0.41; shares 15% with magnesium" in line for line in lines)
    assert any("itself; shares 19% with ash" in line for line in lines)
    lines = run("groups", *arguments).stdout.splitlines()
    assert any(line.split() == ["magnesium", "shares", "15%"] for line in lines)
    assert any(line.split() == ["alcohol", "0.41"] for line in lines)
    said = run("explain", wine_csv, "magnesium", *arguments[1:]).stdout
    assert "proline shares 15% with it" in said
    assert "represents it" not in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--keep", "mean aera"],
            "--keep: there is no column 'mean aera'; did you mean 'mean area'",
        ),
        (["--exclude", "wrst area"], "--exclude: there is no column 'wrst area'; did you mean"),
        (["--keep", "HLA-*"], "--keep: no column is like 'HLA-*'"),
        (
            ["--keep", "mean area", "--exclude", "mean *"],
            "the column 'mean area' is given to both --keep and --exclude; choose one",
        ),
        (["--exclude", "*"], "--exclude names all columns: there is nothing left to select"),
        (["-k", "3", "--coverage", "0.9"], "-k and --coverage are two sizes: give one of them"),
        (["--min-share", "0.9", "--budget", "3"], "--min-share and --budget are two sizes"),
        (["-k", "auto", "--budget", "3"], "-k and --budget are two sizes"),
        (["--coverage", "1.5"], "'1.5' is no share such as 0.9"),
        (["--coverage", "much"], "'much' is no share such as 0.9"),
        (["--coverage", "0.99", "--exclude", "worst *"], "--coverage 0.99 cannot be reached"),
        (["--budget", "-1"], "--budget -1.0: give a number above 0"),
        (["--budget", "0.5"], "--budget 0.5 is below the cost of the cheapest column, 1"),
        (
            ["--budget", "1", "--keep", "mean area", "--keep", "mean radius"],
            "--keep names columns that cost 2, more than --budget 1: raise --budget",
        ),
        (
            ["--max-similarity", "0.9", "--keep", "mean area", "--keep", "mean radius"],
            "--keep names 'mean radius' and 'mean area', which are more alike",
        ),
        (["--max-similarity", "0.9", "--min-share", "0.9"], "--min-share keeps every column"),
        (["--coverage", "0.9", "--rule", "degree"], "--coverage needs a rule by which"),
        (["--at-most", "1"], "--at-most goes together with --groups FILE.csv"),
        (["--at-least", "1"], "--at-least goes together with --groups FILE.csv"),
        (["--groups", "x.csv"], "--groups goes together with --at-most N or --at-least N"),
        (["--cost", "x.csv"], "--cost goes together with --budget TOTAL"),
        (["--keep", "@no.txt"], "--keep @no.txt: there is no such file"),
        (["--budget", "3", "--cost", "no.csv"], "--cost no.csv: there is no such file"),
    ],
)
def test_bad_constraints_get_a_sentence(path, options, sentence):
    result = run("select", path, *options)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) <= 2


def test_forced_columns_over_a_limit_are_named(path, groups_csv):
    limit = ("--at-most", 1, "--groups", groups_csv)
    result = run("select", path, *limit, "--keep", "mean area", "--keep", "mean radius")
    assert result.exit_code == 2
    assert "--keep names 2 columns of the group 'mean'" in result.stderr
    assert "('mean radius', 'mean area')" in result.stderr
    assert "raise --at-most" in result.stderr
    refused = run("select", path, "--at-least", 11, "--groups", groups_csv)
    assert "the group 'mean' has 10 columns that can be selected" in refused.stderr
    assert "--at-least demands 11" in refused.stderr
    assert (
        "--at-most 0: give a whole number"
        in run("select", path, "--at-most", 0, "--groups", groups_csv).stderr
    )


@pytest.mark.parametrize(
    ("content", "option", "sentence"),
    [
        ("", "--keep", "the file is empty; give one name a line"),
        ("\n \n", "--exclude", "the file is empty; give one name a line"),
        ("", "--cost", "the file is empty; give a header"),
        ("column,cost\n", "--cost", "the file is empty; give a header"),
        (
            "column,cost\nmean area,3\n",
            "--cost",
            "has no cost; give each column a cost above 0",
        ),
        ("column,cost\nmean area,dear\n", "--cost", "costs 'dear', which is no number"),
        ("column,cost\nmean area,1\nmean area,2\n", "--cost", "is there twice"),
        ("column,cost\nmean area,1,7\n", "--cost", "row 2 has 3 fields; give two"),
        (
            "column,cost\nweight,1\n",
            "--cost",
            "none of the names, such as 'weight', is a column",
        ),
        ("column,group\nweight,1\n", "--groups", "none of the names, such as 'weight'"),
    ],
)
def test_bad_files_get_a_sentence(path, tmp_path, content, option, sentence):
    file = tmp_path / "file.csv"
    file.write_text(content, encoding="utf-8")
    beside = {"--cost": ("--budget", 3), "--groups": ("--at-most", 1)}.get(option, ())
    given = file if beside else f"@{file}"
    result = run("select", path, option, given, *beside)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert option in result.stderr


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no such devices")
@pytest.mark.parametrize("option", ["--keep", "--exclude", "--cost", "--groups"])
def test_a_device_without_an_end_is_no_list(path, option):
    beside = {"--cost": ("--budget", 3), "--groups": ("--at-most", 1)}.get(option, ())
    given = "/dev/zero" if beside else "@/dev/zero"
    result = run("select", path, option, given, *beside)
    assert result.exit_code == 2, result.output
    assert_tells(result.stderr, option, given, "64 MB")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
def test_costs_come_through_a_pipe_as_from_a_file(path, tumours, tmp_path):
    costs = "column,cost\r\n" + "".join(f"{column},1\r\n" for column in tumours)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(costs.encode())
    found = []
    for name in ("file", "pipe"):
        if name == "pipe":
            Thread(target=(tmp_path / "pipe").write_bytes, args=[costs.encode()]).start()
        found.append(run_json("select", path, "--budget", 3, "--cost", tmp_path / name))
    assert [answer["selected"] for answer in found] == [found[0]["selected"]] * 2
    assert len(found[0]["selected"]) == 3


def test_a_negative_cost(path, tumours, tmp_path):
    file = tmp_path / "cost.csv"
    lines = [f"{column};{-2 if column == 'mean area' else 1}" for column in tumours]
    file.write_text("\n".join(["column;cost", *lines]), encoding="utf-8")
    result = run("select", path, "--budget", 3, "--cost", file)
    assert result.exit_code == 2
    assert_tells(result.stderr, "--cost", "'mean area'", -2, "above 0")


def test_compare_lets_no_method_select_what_is_excluded(wine_csv, wine):
    given = ("compare", wine_csv, "--target", "class", "--id", "bottle", "--sizes", "2,1.0")
    without = ("hue", "flavanoids", "color_intensity", "proline")
    exclude = [argument for name in without for argument in ("--exclude", name)]
    found = run_json(*given, *exclude)
    assert (found["n_features"], found["sizes"]) == (9, [2, 9])
    # All columns are those that may be selected: at that size the methods are one.
    full = [scores for scores in found["scores"] if scores["n_features"] == 9]
    assert len(full) == 6
    for scores in full:
        assert scores["by_split"] == pytest.approx(full[0]["by_split"])
    assert found["settings"]["exclude"] == [c for c in wine if c in without]
    dropped = [argument for name in without for argument in ("--drop", name)]
    rest = run_json(*given, *dropped)
    assert next(s["mean"] for s in rest["scores"] if s["method"] == "all") == pytest.approx(
        full[0]["mean"]
    )
    assert "there is no column 'huee'" in run(*given, "--exclude", "huee").stderr


def test_an_excluded_column_that_takes_no_part_is_let_be(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(30, 4)), columns=list("abcd"))
    frame["same"] = 1.0
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = run_json(
        "select", tmp_path / "t.csv", "-k", 2, "--exclude", "same", "--exclude", "a"
    )
    assert found["settings"]["exclude"] == ["a"]
    assert "a" not in names(found)
