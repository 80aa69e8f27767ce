"""One long cell must not cost its length in every row: no array of text of one width."""

import ast
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GroupShuffleSplit

from tests.cli.running import run
from tests.syntax_trees import source_files
from topofs import TopologicalFeatureSelector, stability
from topofs.comparison import Resampling, compare, find_leaks, target_of
from topofs.io.types import typed_table

N, LENGTH = 20_000, 50_000
MOST = 60e6


def long_cell():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(N)
    kind = np.array(["oak", "elm", "ash"], dtype=object)[np.digitize(x, [-1, 1])]
    kind[7] = "x" * LENGTH
    return pd.DataFrame({"x": x, "y": x + rng.standard_normal(N), "kind": kind})


@pytest.fixture(scope="module")
def table():
    return long_cell()


def peak(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def labels(table):
    return table["kind"].tolist()


few = Resampling(n_folds=2, n_repeats=1, n_random=1)
WORK = {
    "fit": lambda t: TopologicalFeatureSelector(2).fit(t),
    "polars": lambda t: TopologicalFeatureSelector(2).fit(pl.from_pandas(t)),
    "transform": lambda t: TopologicalFeatureSelector(2).fit(t).transform(t),
    "list": lambda t: TopologicalFeatureSelector(2, similarity="mixed").fit(t.values.tolist()),
    "objects": lambda t: TopologicalFeatureSelector(2, similarity="mixed").fit(t.to_numpy()),
    "stability": lambda t: stability(TopologicalFeatureSelector(2), t, n_resamples=2),
    "compare": lambda t: compare(
        typed_table(t), target_of(t["kind"].to_numpy()), sizes=[1], resampling=few
    ),
    "compare, target in a list": lambda t: compare(t, labels(t), sizes=[1], resampling=few),
    "leaks": lambda t: find_leaks(t, labels(t)),
    "groups": lambda t: stability(
        TopologicalFeatureSelector(2), t, splits=GroupShuffleSplit(2), groups=labels(t)
    ),
}


@pytest.mark.parametrize("work", WORK)
def test_a_long_cell_costs_its_length_once(table, work):
    assert peak(lambda: WORK[work](table)) < MOST


@pytest.mark.parametrize(
    "arguments",
    [
        ("select", "-k", "2", "--out", "o.csv"),
        ("compare", "--target", "kind", "--repeats", "1", "--folds", "2", "--sizes", "1"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_nor_on_the_command_line(table, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    table.to_csv("t.csv", index=False)
    command, *options = arguments

    def work():
        result = run(command, "t.csv", *options)
        assert result.exit_code == 0, result.output

    assert peak(work) < MOST


def makes_array_of_text(node):
    """Whether a call asks for an array of text: astype(str), dtype=str, a type such as "U5"."""
    if not isinstance(node, ast.Call):
        return False
    is_cast = isinstance(node.func, ast.Attribute) and node.func.attr in {"astype", "dtype"}
    asked = [
        *(node.args if is_cast else ()),
        *(k.value for k in node.keywords if k.arg == "dtype"),
    ]
    return any(
        (isinstance(a, ast.Name) and a.id == "str")
        or (isinstance(a, ast.Attribute) and a.attr in {"str_", "StringDType"})
        or (isinstance(a, ast.Constant) and str(a.value).lstrip("<>=")[:1] in {"U", "S"})
        for a in asked
    )


@pytest.mark.parametrize(
    "text", ["x.astype(str)", "np.array(x, dtype=str)", "np.empty(3, dtype='<U5')"]
)
def test_the_check_fires(text):
    assert any(map(makes_array_of_text, ast.walk(ast.parse(text))))


def test_no_array_of_text_is_asked_for():
    found = [
        f"{path}: {node.lineno}"
        for path in source_files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if makes_array_of_text(node)
    ]
    assert not found
