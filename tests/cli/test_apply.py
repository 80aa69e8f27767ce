"""``topofs select --save`` and ``topofs apply``: the same columns from another table."""

import json
import os
import string
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from tests.platforms import posix
from topofs.cli import apply as saved_selection
from topofs.cli.apply import SavedSelection, SelectionFileError, read_selection, write_selection

SELECTED = ["alcohol", "ash", "flavanoids"]


@pytest.fixture
def saved(wine_csv, tmp_path):
    """A selection, with a target and an identifier."""
    path = tmp_path / "selection.json"
    options = ["--target", "class", "--id", "bottle", "--drop", "hue"]
    result = run("select", wine_csv, *options, "--save", path, "--out", tmp_path / "s.csv")
    assert result.exit_code == 0, result.output
    assert "written:" in result.stderr
    return path


def test_the_file_says_what_it_is(saved, wine):
    content = json.loads(saved.read_text(encoding="utf-8"))
    assert content["topofs_selection"] == 1
    assert content["table"] == "wine.csv"
    assert content["n_samples"] == len(wine)
    assert sorted(content["selected"]) == SELECTED
    assert content["passed_through"] == ["bottle", "class"]
    assert content["columns"] == wine.columns.tolist()
    assert content["settings"]["rule"]["name"] == "coverage"
    assert saved.read_text(encoding="utf-8").count("\n") > len(wine.columns)


def test_the_same_table_gives_the_same_file(saved, wine_csv, tmp_path):
    out = tmp_path / "again.csv"
    result = run("apply", saved, wine_csv, "--out", out)
    assert result.exit_code == 0, result.output
    assert out.read_bytes() == (tmp_path / "s.csv").read_bytes()
    assert "note:" not in result.stderr
    assert_tells(result.stdout, "3 selected columns", "bottle, class", "178 rows")


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_another_table_in_another_order_gives_columns_in_the_old_one(
    saved, wine, tmp_path, ending
):
    month = wine.iloc[::-1, ::-1].drop(columns=["proline"]).assign(sugar=1.0)
    out = tmp_path / f"o.{ending}"
    month.to_parquet(tmp_path / "next.parquet", index=False)
    result = run("apply", saved, tmp_path / "next.parquet", "--out", out)
    assert result.exit_code == 0, result.output
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}.get(
        ending, lambda path: pd.read_csv(path, sep="\t")
    )
    expected = wine[["bottle", *SELECTED, "class"]].iloc[::-1].reset_index(drop=True)
    pd.testing.assert_frame_equal(read(out), expected)
    assert "1 column is new since the selection: sugar" in result.stderr
    assert "1 column is gone since the selection: proline" in result.stderr


def test_a_target_that_is_not_known_yet(saved, wine, tmp_path):
    wine.drop(columns=["class"]).to_csv(tmp_path / "next.csv", index=False)
    result = run("apply", saved, tmp_path / "next.csv", "--out", tmp_path / "o.csv")
    assert result.exit_code == 0, result.output
    assert "note: o.csv is without class, written by `topofs select`" in result.stderr
    assert pl.read_csv(tmp_path / "o.csv").columns == ["bottle", *SELECTED]


def test_as_json(saved, wine, tmp_path):
    wine.drop(columns=["class"]).assign(sugar=1.0).to_csv(tmp_path / "next.csv", index=False)
    found = run_json("apply", saved, tmp_path / "next.csv")
    assert sorted(found["selected"]) == SELECTED
    assert found["passed_through"] == ["bottle"]
    assert (found["new"], found["gone"]) == (["sugar"], ["class"])
    assert (found["n_samples"], found["n_selected"], found["files"]) == (len(wine), 3, {})


def test_a_selected_column_that_is_missing_is_named_with_the_one_that_may_be_meant(
    saved, wine, tmp_path
):
    month = wine.rename(columns={"flavanoids": "Flavanoids"}).drop(columns=["ash"])
    month.to_csv(tmp_path / "next.csv", index=False)
    out = tmp_path / "o.csv"
    result = run("apply", saved, tmp_path / "next.csv", "--out", out)
    assert result.exit_code == 3
    assert result.stderr.startswith("error: next.csv: 2 of 3 selected columns are missing: ")
    assert "'flavanoids' (did you mean 'Flavanoids'?)" in result.stderr
    assert "'ash'" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not out.exists()


def test_text_is_read_as_it_was(wine, tmp_path):
    """The same option at both ends: numbers with decimal commas stay numbers in Parquet."""
    table = pd.DataFrame({"a": ["1,5", "2,125", "3,0"] * 9, "b": ["2,5", "1,125", "3,0"] * 9})
    table.to_csv(tmp_path / "t.csv", index=False, sep=";")
    saved, out = tmp_path / "s.json", tmp_path / "o.parquet"
    result = run("select", tmp_path / "t.csv", "-k", 1, "--decimal", ",", "--save", saved)
    assert result.exit_code == 0, result.output
    assert run("apply", saved, tmp_path / "t.csv", "--out", out).exit_code == 0
    assert pl.read_parquet(out).to_series().to_list()[:2] in ([1.5, 2.125], [2.5, 1.125])


def test_an_annotated_table(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata = pytest.importorskip("anndata")
        values = np.random.default_rng(0).normal(size=(30, 6)).round(3)
        values[:, 3:] += 3 * values[:, :3]
        cells = anndata.AnnData(
            values.copy(), var=pd.DataFrame(index=[f"g{i}" for i in range(6)])
        )
        cells.obs["kind"] = "a"
        cells.write_h5ad(tmp_path / "cells.h5ad")
        cells[::-1, ::-1].copy().write_h5ad(tmp_path / "next.h5ad")
        options = ["--save", tmp_path / "s.json", "--out", tmp_path / "o.h5ad"]
        assert run("select", tmp_path / "cells.h5ad", *options).exit_code == 0
        options = ["--out", tmp_path / "n.h5ad"]
        done = run("apply", tmp_path / "s.json", tmp_path / "next.h5ad", *options)
        assert done.exit_code == 0, done.output
        before = anndata.read_h5ad(tmp_path / "o.h5ad")
        after = anndata.read_h5ad(tmp_path / "n.h5ad")
    pd.testing.assert_frame_equal(after.var, before.var)
    np.testing.assert_array_equal(after.X, before.X[::-1])
    assert after.obs["kind"].tolist() == before.obs["kind"].tolist()
    refused = run("apply", tmp_path / "s.json", tmp_path / "cells.h5ad", "--out", "o.xlsx")
    assert refused.exit_code == 2


def test_the_layer_of_a_selection_is_one_of_annotated_files_only(wine, tmp_path):
    anndata = pytest.importorskip("anndata")
    numbers = wine.drop(columns=["class"]).select_dtypes("number").iloc[:, :5]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = anndata.AnnData(numbers.to_numpy(dtype=float))
        cells.var_names = numbers.columns
        cells.layers["doubled"] = 2 * cells.X
        cells.write_h5ad(tmp_path / "cells.h5ad")
        options = ["--layer", "doubled", "--save", tmp_path / "s.json"]
        assert run("select", tmp_path / "cells.h5ad", *options).exit_code == 0
        options = ["--out", tmp_path / "from_cells.csv"]
        assert (
            run("apply", tmp_path / "s.json", tmp_path / "cells.h5ad", *options).exit_code == 0
        )
    (2 * numbers).to_csv(tmp_path / "t.csv", index=False)
    options = ["--out", tmp_path / "from_csv.csv"]
    result = run("apply", tmp_path / "s.json", tmp_path / "t.csv", *options)
    assert result.exit_code == 0, result.output
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "from_csv.csv"), pd.read_csv(tmp_path / "from_cells.csv")
    )
    refused = run("apply", tmp_path / "s.json", tmp_path / "t.csv", "--layer", "doubled")
    assert refused.exit_code == 2
    assert "t.csv is no AnnData file" in refused.stderr


@pytest.mark.parametrize("name", ["s.csv", "s", "s.py"])
def test_a_selection_is_saved_as_json_only(wine_csv, tmp_path, name):
    result = run("select", wine_csv, "--save", tmp_path / name)
    assert result.exit_code == 2
    assert "a selection is saved as JSON; end the name in .json" in result.stderr
    assert os.listdir(tmp_path) == ["wine.csv"]


@posix
def test_the_selection_is_not_overwritten(saved, wine_csv):
    (link := saved.with_name("link.csv")).symlink_to(saved)
    before = saved.read_bytes()
    result = run("apply", saved, wine_csv, "--out", link)
    assert result.exit_code == 2
    assert "is the selection that is read, and would be overwritten" in result.stderr
    assert saved.read_bytes() == before


GOOD = {
    "topofs_selection": 1,
    "selected": ["ash"],
    "passed_through": [],
    "columns": ["ash", "hue"],
}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is no saved selection"),
        ("{", "is no saved selection"),
        ("[1]", "is no saved selection"),
        ("[" * 100_000, "is no saved selection"),
        ("1" * 10_000, "is no saved selection"),
        (b"\xff\xfe\x00", "is no saved selection"),
        ({"selected": ["ash"]}, "is no saved selection"),
        (GOOD | {"topofs_selection": True}, "is no saved selection"),
        (GOOD | {"topofs_selection": 2}, "is a selection in form 2"),
        (GOOD | {"selected": []}, "'selected' is empty"),
        (GOOD | {"selected": "ash"}, "'selected' is no list of names"),
        (GOOD | {"selected": [1]}, "'selected' is no list of names"),
        (GOOD | {"selected": ["\ud800"]}, "'selected' is no list of names"),
        (GOOD | {"selected": ["ash", "ash"]}, "'selected' has a name twice"),
        (GOOD | {"selected": ["sugar"]}, "'sugar' is not among its 'columns'"),
        (GOOD | {"passed_through": ["x"]}, "'x' is not among its 'columns'"),
        (GOOD | {"columns": None}, "'columns' is no list of names"),
        (GOOD | {"reading": {"decimal": ";"}}, "'decimal' is neither"),
        (GOOD | {"reading": {"layer": 3}}, "'layer' is no name"),
    ],
)
def test_a_file_that_holds_no_selection(wine_csv, tmp_path, content, said):
    path = tmp_path / "s.json"
    raw = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    result = run("apply", path, wine_csv)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"error: {path}: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_what_is_not_read_does_no_harm(wine_csv, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(
        json.dumps(GOOD | {"settings": {"rule": "__import__('os')"}, "reading": 3}),
        encoding="utf-8",
    )
    assert run("apply", path, wine_csv).exit_code == 0


@pytest.mark.parametrize("name", ["no.json", "."])
def test_a_selection_that_is_not_there(wine_csv, tmp_path, name):
    result = run("apply", tmp_path / name, wine_csv)
    assert result.exit_code == 3
    assert "there is no such file" in result.stderr or "is a folder" in result.stderr


def test_the_size_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(saved_selection, "_MAX_BYTES", 1 << 20)
    long = SavedSelection(("a" * (1 << 20),), (), ("a" * (1 << 20),), has_groups=True)
    with pytest.raises(SelectionFileError, match="more than 1 MB, which a saved selection may"):
        write_selection(long, tmp_path / "s.json")
    (tmp_path / "big.json").write_bytes(b" " * (2 << 20))
    with pytest.raises(
        SelectionFileError, match="more than 1 MB, which no saved selection has"
    ):
        read_selection(tmp_path / "big.json")


def _names(**sizes):
    odd = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    named = st.sampled_from(["=cmd()", "../x", "[red]a[/]", "\x1b[2J", "__class__", "a\nb", ""])
    return st.lists(odd | named, unique=True, **sizes)


@settings(max_examples=60)
@given(_names(min_size=1, max_size=8), st.data())
def test_any_names_are_read_again_as_they_were(tmp_path_factory, columns, data):
    order = data.draw(st.permutations(columns))
    selection = SavedSelection(
        selected=tuple(order[: data.draw(st.integers(1, len(order)))]),
        passed_through=tuple(order[data.draw(st.integers(0, len(order))) :]),
        columns=tuple(columns),
        has_groups=data.draw(st.booleans()),
        decimal=data.draw(st.sampled_from([None, ",", "."])),
        layer=data.draw(st.none() | st.text(string.ascii_letters, min_size=1)),
    )
    path = tmp_path_factory.mktemp("any") / "s.json"
    write_selection(selection, path)
    assert read_selection(path) == selection


def test_hostile_names_are_shown_as_text(tmp_path):
    names = ["[red]a[/]", "\x1b[2J", "=cmd()", "a\nb"]
    values = np.random.default_rng(0).normal(size=(40, 4))
    values[:, 2:] += 3 * values[:, :2]
    pd.DataFrame(values, columns=names).to_csv(tmp_path / "t.csv", index=False)
    saved = tmp_path / "s.json"
    assert run("select", tmp_path / "t.csv", "-k", 4, "--save", saved).exit_code == 0
    done = run("apply", saved, tmp_path / "t.csv", "--out", tmp_path / "o.csv")
    assert done.exit_code == 0, done.output
    assert pd.read_csv(tmp_path / "o.csv").columns.tolist() == names
    pd.DataFrame({"x": [1, 2]}).to_csv(tmp_path / "n.csv", index=False)
    refused = run("apply", saved, tmp_path / "n.csv")
    assert refused.exit_code == 3
    assert "\x1b" not in refused.stderr
    assert refused.stderr.count("\n") == 1
