"""``topofs panel``: a list that somebody else made."""

import os
import threading

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from tests.platforms import posix
from topofs import LoGoCovariance, TopologicalFeatureSelector

PANEL = ["ash", "hue", "flavanoids", "total_phenols"]


@pytest.fixture
def listed(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("\n".join(PANEL) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def evaluation(wine):
    X = wine.drop(columns=["bottle", "class"])
    return TopologicalFeatureSelector().fit(X).evaluate(PANEL)


def arguments(wine_csv, *options):
    return ("panel", wine_csv, "--drop", "class", *options)


def test_the_numbers_are_those_of_evaluate(wine_csv, listed, evaluation):
    found = run_json(*arguments(wine_csv, "--panel", listed))
    assert set(found["panel"]) == set(PANEL)
    assert found["coverage"] == pytest.approx(evaluation.coverage)
    random = evaluation.random
    assert found["random_coverage"] == pytest.approx(
        {"mean": random.mean, "low": random.low, "high": random.high, "n_lists": 200}
    )
    members = {g["name"]: [m["name"] for m in g["members"]] for g in found["groups"]}
    assert members == {g.name: [m.name for m in g.members] for g in evaluation.groups}
    assert [one["name"] for one in found["next"]] == [one.name for one in evaluation.next]
    assert [one["name"] for one in found["least"]] == [one.name for one in evaluation.least]
    assert found["alone"] == list(evaluation.alone)
    assert found["isolated"] == list(evaluation.isolated)
    assert found["substitutes"] == {}


def test_a_list_is_a_file_names_or_both(wine_csv, listed):
    by_file = run_json(*arguments(wine_csv, "--panel", listed))
    by_at = run_json(*arguments(wine_csv, "--panel", f"@{listed}"))
    one_by_one = [argument for name in PANEL for argument in ("--panel", name)]
    assert by_file == by_at == run_json(*arguments(wine_csv, *one_by_one))
    both = run_json(*arguments(wine_csv, "--panel", listed, "--panel", "*_of_ash"))
    assert set(both["panel"]) == {*PANEL, "alcalinity_of_ash"}


@posix
def test_a_list_may_come_through_a_pipe(wine_csv, listed):
    pipe = listed.with_name("pipe")
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_text("\n".join(PANEL), encoding="utf-8")).start()
    by_pipe = run_json(*arguments(wine_csv, "--panel", pipe))
    assert by_pipe == run_json(*arguments(wine_csv, "--panel", listed))


def test_it_reads_well(wine_csv, listed, evaluation):
    lines = run(*arguments(wine_csv, "--panel", listed, "--next", 2)).stdout.splitlines()
    random = evaluation.random
    bounds = (f"{share:.1%}" for share in (random.mean, random.low, random.high))
    assert_tells(
        lines[0],
        "4 of 13",
        "wine.csv",
        f"{evaluation.coverage:.0%}",
        "random lists of 4",
        *bounds,
    )
    assert any(line.startswith("add least beyond the others: total_phenols") for line in lines)
    assert lines[-3] == "add next, each given those before it:"
    assert lines[-2] == f"  {evaluation.next[0].name}  +{evaluation.next[0].adds:.2f}"


def test_what_is_missing_and_what_says_the_same(tmp_path, wine):
    wine.assign(ash_again=wine["ash"] * 2).drop(columns=["bottle", "class"]).to_csv(
        tmp_path / "t.csv", index=False
    )
    two = ("--panel", "ash", "--panel", "ash_again")
    result = run("panel", tmp_path / "t.csv", *two)
    assert "say the same: ash and ash_again 1.00" in result.stdout
    found = run_json("panel", tmp_path / "t.csv", *two)
    assert_tells(result.stdout, len(found["alone"]), "alone")
    after = result.stdout.partition("largest groups not represented:\n")[2]
    largest = after.splitlines()[0].strip().partition(",")[0]
    assert found["missing"][0]["name"] == largest
    assert not set(found["alone"]) & {"ash", "ash_again"}


def test_stand_ins_are_ranked(wine, wine_csv, listed):
    X = wine.drop(columns=["bottle", "class"])
    selector = TopologicalFeatureSelector(4, keep=PANEL).fit(X)
    ranked = selector.substitute("hue")
    found = run_json(*arguments(wine_csv, "--panel", listed, "--substitute", "hue"))
    shown = ("name", "lost", "gained", "share", "relevance")
    assert found["substitutes"]["hue"] == [
        pytest.approx({key: getattr(one, key) for key in shown}) for one in ranked
    ]
    said = run(*arguments(wine_csv, "--panel", listed, "--substitute", "hue")).stdout
    assert "in place of hue:" in said
    assert f"  {ranked[0].name}  " in said


def test_limits_hold_for_what_is_added(wine_csv, listed):
    free = run_json(*arguments(wine_csv, "--panel", listed))["next"][0]["name"]
    limited = ("--panel", listed, "--exclude", free, "--substitute", "hue")
    found = run_json(*arguments(wine_csv, *limited))
    proposed = [*found["next"], *found["substitutes"]["hue"]]
    assert proposed
    assert free not in {one["name"] for one in proposed}


def test_a_page_for_the_list(wine_csv, listed, tmp_path):
    page = tmp_path / "page.html"
    found = run_json(*arguments(wine_csv, "--panel", listed, "--report", page))
    assert found["files"] == {"report": str(page)}
    text = page.read_text(encoding="utf-8")
    assert "The list of 4 columns represents " in text
    for words in ("They were chosen", "You asked for", "Forced: "):
        assert words not in text.partition("<script>")[0], words
    assert found["settings"]["rule"]["name"] == "coverage"
    assert not {"keep", "size"} & set(found["settings"])
    assert run(*arguments(wine_csv, "--panel", listed, "--quiet")).output == ""


def test_limits_on_the_page_are_those_of_a_list(wine_csv, listed, tmp_path):
    page, groups = tmp_path / "page.html", tmp_path / "groups.csv"
    groups.write_text("column,group\nash,a\nmagnesium,a\nhue,b\n", encoding="utf-8")
    limits = ("--exclude", "proline", "--at-most", 1, "--groups", groups)
    similar = ("--max-similarity", 0.9)
    run(*arguments(wine_csv, "--panel", listed, "--report", page, *limits, *similar))
    text = page.read_text(encoding="utf-8")
    for sentence in (
        "Excluded: proline. It cannot be added, but is to be represented.",
        "At most 1 in the list of each of 2 groups",
        "No two columns of the list are more alike than 0.9",
        "columns can be in the list together",
    ):
        assert sentence in text, sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--panel", "asch"], "--panel: there is no column 'asch'; did you mean 'ash'?"),
        (["--panel", "HLA-*"], "--panel: no column is like 'HLA-*'"),
        (["--panel", "class"], "is given to both --drop and --panel"),
        (["--panel", "ash", "--exclude", "ash"], "is given to both --panel and --exclude"),
        (
            ["--panel", "bottle", "--similarity", "pearson"],
            "--panel: the column 'bottle' holds",
        ),
        (["--panel", "ash", "--substitute", "hue"], "'hue' is not in the list"),
        (["--panel", "ash", "--substitute", "huee"], "did you mean 'hue'?"),
        (["--panel", "ash", "--rule", "degree"], "by degree no column represents another"),
        (["--panel", "@no.txt"], "--panel @no.txt: there is no such file"),
        ([], "Missing option '--panel'"),
    ],
)
def test_bad_lists_get_a_sentence(wine_csv, options, sentence):
    result = run(*arguments(wine_csv, *options))
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr


def test_an_empty_list_is_refused(wine_csv, tmp_path):
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    result = run(*arguments(wine_csv, "--panel", tmp_path / "empty.txt"))
    assert result.exit_code == 2
    assert "the file is empty; give one name a line" in result.stderr


def test_isolated_columns_are_told_from_those_that_others_could_represent(tmp_path, wine):
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(178, 2)), columns=["noise", "hiss"])
    table = pd.concat([wine.drop(columns=["bottle", "class"]), noise], axis=1)
    table.to_csv(tmp_path / "t.csv", index=False)
    arguments = ("panel", tmp_path / "t.csv", "--panel", "ash", "--panel", "hue")
    found = run_json(*arguments)
    assert found["isolated"] == ["noise", "hiss"]
    assert not set(found["alone"]) & {"noise", "hiss"}
    said = run(*arguments)
    assert_tells(said.stdout, "2 columns are isolated", "noise, hiss")
    assert "selects them" not in said.stderr


def test_what_says_the_same_by_topological_overlap(wine, wine_csv):
    names = ["total_phenols", "flavanoids", "hue"]
    listed = [word for name in names for word in ("--panel", name)]
    found = run_json(*arguments(wine_csv, *listed, "--same", "0.25"))
    X = wine.drop(columns=["bottle", "class"])
    network = LoGoCovariance().fit(X).partial_correlations()
    expected = TopologicalFeatureSelector().fit(X).evaluate(names, same=0.25, network=network)
    assert found["same_above"] == 0.25
    assert found["same"] == [vars(pair) for pair in expected.same]
    assert {found["same"][0]["name"], found["same"][0]["other"]} == {names[0], names[1]}
    printed = run(*arguments(wine_csv, *listed, "--same", "0.25")).stdout
    assert_tells(printed, "say the same", "overlap", f"{expected.same[0].overlap:.2f}")
    assert run_json(*arguments(wine_csv, *listed, "--same", "0.9"))["same"] == []
    assert run_json(*arguments(wine_csv, *listed))["same_above"] is None


def test_a_bad_overlap_is_one_sentence(wine_csv):
    result = run(*arguments(wine_csv, "--panel", "hue", "--same", "1.5"))
    assert result.exit_code == 2
    assert result.stderr.count("error:") == 1
    assert_tells(result.stderr, "--same 1.5", "0.25")


def test_columns_that_share_too_few_rows_are_named(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 5))
    X[:21, 1] = X[24:, 3] = np.nan
    X[21:24, 3] = X[21:24, 1]
    path = tmp_path / "t.csv"
    pd.DataFrame(X, columns=list("abcde")).to_csv(path, index=False)
    result = run("panel", path, "--panel", "a", "--panel", "b", "--same", "0.25")
    assert result.exit_code == 2
    assert_tells(result.stderr, "'b'", "'d'", "3 rows", "at least 5")
    assert "Traceback" not in result.stderr


def test_overlaps_of_a_mixed_table_are_those_of_its_graph(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.normal(size=80)
    frame = pd.DataFrame({"a": a, "b": a + 0.1 * rng.normal(size=80), "c": rng.normal(size=80)})
    frame["d"] = np.where(frame["c"] > 0, "yes", "no")
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    found = run_json("panel", path, "--panel", "a", "--panel", "b", "--same", "0.25")
    [pair] = found["same"]
    assert {pair["name"], pair["other"]} == {"a", "b"}
    assert pair["overlap"] > 0.25
