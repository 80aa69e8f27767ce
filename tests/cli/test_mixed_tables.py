"""Tables of numbers, names and truth values, from the file to the selection."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import TopologicalFeatureSelector

N = 300


def shop():
    """Two groups of columns, each of numbers and names, a column of noise and an id."""
    rng = np.random.default_rng(0)
    wealth, age = rng.standard_normal(N), rng.integers(18, 90, N)
    town = np.array(["Ulm", "Bonn", "Kiel"])[np.digitize(wealth, [-0.5, 0.5])]
    return pd.DataFrame(
        {
            "customer": [f"C{i:04}" for i in range(N)],
            "age": age,
            "senior": age > 65,
            "income": np.exp(wealth + 0.1 * rng.standard_normal(N)),
            "town": np.where(np.arange(N) % 20 == 0, None, town),
            "plan": np.where(wealth > 0.8, "gold", np.where(wealth > -0.5, "silver", "basic")),
            "colour": rng.choice(["red", "green", "blue"], N),
            "height": rng.standard_normal(N),
        }
    )


@pytest.fixture(params=["csv", "tsv", "parquet"])
def shop_file(request, tmp_path):
    path = tmp_path / f"shop.{request.param}"
    if request.param == "parquet":
        pl.from_pandas(shop()).write_parquet(path)
    else:
        shop().to_csv(path, index=False, sep="\t" if request.param == "tsv" else ",")
    return path


def names(found):
    return [column["name"] for column in found["selected"]]


def left_out(found):
    return {column["name"]: column["reason"] for column in found["left_out"]}


def test_the_columns_are_those_of_the_estimator(shop_file, tmp_path):
    out = tmp_path / "out.parquet"
    found = run_json("select", shop_file, "--out", out)
    selector = TopologicalFeatureSelector().fit(shop().drop(columns="customer"))
    assert set(names(found)) == set(selector.get_feature_names_out())
    assert found["settings"]["similarity"] == {"name": "mixed", "rows": "independent"}
    assert left_out(found) == {"customer": "names that hardly repeat, as an identifier's do"}
    assert found["isolated"] == ["colour", "height"]
    reduced = pl.read_parquet(out)
    original = pl.from_pandas(shop()).select(reduced.columns)
    assert reduced.schema == original.schema
    assert reduced.equals(original)


def test_every_command_takes_them(shop_file, tmp_path):
    assert run_json("groups", shop_file)["groups"]
    assert run("explain", shop_file, "town").exit_code == 0
    graph = run_json("graph", shop_file, "--out", tmp_path / "g.graphml")
    assert graph["n_nodes"] == 7
    ranking = tmp_path / "r.csv"
    assert run("select", shop_file, "-k", 3, "--ranking", ranking).exit_code == 0
    assert pl.read_csv(ranking).height == 8


def test_measures_of_numbers_leave_names_out_and_tell_of_mixed(shop_file):
    for similarity in ("pearson", "spearman", "mutual_information"):
        result = run("select", shop_file, "--similarity", similarity, "--drop", "customer")
        assert "3 columns left out: town (text" in result.stderr
        assert "which --similarity auto or mixed compares" in result.stderr
    found = run_json("select", shop_file, "--similarity", "pearson", "--drop", "customer")
    # Truth values are 0 and 1 to them.
    assert found["n_features"] == 4


def test_an_identifier_alone_does_not_change_the_measure(tmp_path):
    frame = shop()[["customer", "age", "income", "height"]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = run_json("select", tmp_path / "t.csv")
    assert found["settings"]["similarity"]["name"] == "pearson"
    assert list(left_out(found)) == ["customer"]


def test_numbers_can_be_compared_by_ranks(tmp_path):
    frame = shop()[["age", "income", "height"]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    arguments = ("select", tmp_path / "t.csv", "--similarity", "mixed", "-k", 2)
    found = run_json(*arguments, "--ranking", tmp_path / "r.csv")
    selector = TopologicalFeatureSelector(2, similarity="mixed").fit(frame)
    assert set(names(found)) == set(selector.get_feature_names_out())


def test_numbers_with_stray_text_are_a_mistake_and_not_names(tmp_path):
    score = [str(i % 9) if i % 30 else "not yet" for i in range(N)]
    shop().assign(score=score).to_csv(tmp_path / "t.csv", index=False)
    found = run_json("select", tmp_path / "t.csv")
    assert left_out(found)["score"] == "numbers with text among them, such as 'not yet'"
    pl.from_pandas(shop().assign(score=score)).write_parquet(tmp_path / "t.parquet")
    assert left_out(run_json("select", tmp_path / "t.parquet")) == left_out(found)


def test_ordered_categories_are_ranked_and_others_are_names(tmp_path):
    rng = np.random.default_rng(1)
    level = rng.integers(0, 4, N)
    words = np.array(["none", "low", "mid", "high"])
    frame = pl.DataFrame(
        {
            "ordered": pl.Series(words[level], dtype=pl.Enum(words.tolist())),
            "unordered": pl.Series(words[level], dtype=pl.Categorical),
            "amount": level + 0.5 * rng.standard_normal(N),
            "noise": rng.standard_normal(N),
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    found = run_json("select", tmp_path / "t.parquet", "-k", 2, "--ranking", tmp_path / "r.csv")
    expected = TopologicalFeatureSelector(2).fit(frame)
    assert set(names(found)) == set(expected.get_feature_names_out())
    shares = {row["name"]: row["share"] for row in found["representatives"]}
    assert shares == dict(zip(frame.columns, expected.shares_.tolist(), strict=True))
    only_ordered = frame.select("ordered", "amount", "noise")
    only_ordered.write_parquet(tmp_path / "o.parquet")
    from_file = run_json("select", tmp_path / "o.parquet")
    from_frame = TopologicalFeatureSelector().fit(only_ordered)
    assert from_file["settings"]["similarity"]["name"] == from_frame.similarity_.name
    assert names(from_file) == from_frame.get_feature_names_out().tolist()
    measured = TopologicalFeatureSelector(similarity="mixed").fit(only_ordered)
    by_ranks = run_json("select", tmp_path / "o.parquet", "--similarity", "mixed")
    assert names(by_ranks) == measured.get_feature_names_out().tolist()
    out = run("select", tmp_path / "o.parquet", "--similarity", "spearman").stderr
    assert "ordered (categories)" in out


def test_the_order_that_pandas_wrote_is_said_to_be_lost(tmp_path):
    pytest.importorskip("pyarrow")
    frame = shop()
    frame["plan"] = pd.Categorical(frame["plan"], ["basic", "silver", "gold"], ordered=True)
    frame["colour"] = pd.Categorical(frame["colour"])
    frame.to_parquet(tmp_path / "t.parquet")
    result = run("select", tmp_path / "t.parquet")
    assert result.exit_code == 0
    assert result.stderr.count("the order of the categories of 'plan' is lost") == 1
    assert "'colour'" not in result.stderr


def test_timestamps_and_nested_values_are_left_out_with_the_reason(tmp_path):
    frame = pl.from_pandas(shop()).with_columns(
        day=pl.date_range(dt.date(2020, 1, 1), dt.date(2020, 10, 26), eager=True),
        tags=pl.lit([1, 2]),
        pair=pl.struct(x="age", y="income"),
        raw=pl.lit(b"abc"),
    )
    frame.write_parquet(tmp_path / "t.parquet")
    found = run_json("select", tmp_path / "t.parquet", "--out", tmp_path / "o.parquet")
    reasons = left_out(found)
    assert reasons["day"] == "dates or times; --dates numbers uses them"
    assert reasons["tags"].startswith("values of type List")
    assert reasons["pair"].startswith("values of type Struct")
    kept = run("select", tmp_path / "t.parquet", "--keep", "day")
    assert kept.exit_code == 2
    assert_tells(kept.stderr, "--keep", "'day'", "dates or times", "--dates")


def test_truth_values_only(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.random(N) < 0.5
    frame = pl.DataFrame({"a": a, "b": a ^ (rng.random(N) < 0.1), "c": rng.random(N) < 0.5})
    frame.write_csv(tmp_path / "t.csv")
    found = run_json("select", tmp_path / "t.csv")
    assert names(found) == ["a"]
    assert found["isolated"] == ["c"]
    assert found["groups"][0]["members"][0]["name"] == "b"


def test_names_only_and_one_of_a_single_level(tmp_path):
    frame = shop()[["town", "plan", "colour"]].assign(country="DE")
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = run_json("select", tmp_path / "t.csv")
    assert len(names(found)) == 1
    assert left_out(found) == {"country": "constant"}


def test_marks_of_missing_values_are_one_level_in_text_files(tmp_path):
    marks = ["NA", "null", "", "n/a"]
    frame = shop()
    marked = [marks[i // 20 % 4] if i % 20 == 0 else t for i, t in enumerate(frame["town"])]
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.assign(town=marked).to_csv(tmp_path / "b.csv", index=False)
    one, other = (run_json("groups", tmp_path / f"{name}.csv")["groups"] for name in "ab")
    assert one == other


def test_a_forced_name_and_a_target_of_names(shop_file):
    found = run_json("select", shop_file, "--keep", "colour", "--target", "town")
    assert names(found)[0] == "colour"
    assert left_out(found)["town"] == "target"


def test_hostile_levels_and_names(tmp_path):
    rng = np.random.default_rng(0)
    levels = np.array(["[bold]x[/]", "<script>", "=1+1"])
    kind = levels[rng.integers(0, 3, N)]
    frame = pl.DataFrame({"^.*$": kind, "*": kind, "[red]n": rng.random(N)})
    frame.write_csv(tmp_path / "t.csv")
    result = run("groups", tmp_path / "t.csv")
    assert result.exit_code == 0, result.output
    assert "^.*$" in result.stdout
    assert "isolated: [red]n" in result.stdout


def test_the_reports_take_names(shop_file, tmp_path):
    pytest.importorskip("jinja2")
    page = tmp_path / "page.html"
    assert run("select", shop_file, "--report", page).exit_code == 0
    assert "town" in page.read_text(encoding="utf-8")
    arguments = ("compare", shop_file, "--target", "plan", "--repeats", "1", "--folds", "2")
    result = run(*arguments, "--sizes", "2,auto", "--report", page)
    assert result.exit_code == 0, result.output
    assert "TFS (paper)" in page.read_text(encoding="utf-8")
    assert "auto (" in page.read_text(encoding="utf-8")
