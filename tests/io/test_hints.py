"""Identifiers that are numbers, and codes of missing values: named, and without false alarms."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import datasets

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs import ColumnReadingWarning, TopologicalFeatureSelector
from topofs.io import numeric_table, open_table
from topofs.io.hints import hints_of_numbers

N = 1000


def hints(**columns):
    X = np.column_stack(list(columns.values())).astype(float)
    return hints_of_numbers(X, list(columns), leaving_out="of X")


def beside(name, values, *, seed=0):
    """The hints on a column beside two of reals."""
    rng = np.random.default_rng(seed)
    return hints(**{name: values, "p": rng.random(len(values)), "q": rng.random(len(values))})


def random():
    return np.random.default_rng(1)


def some(values, code, *, share=0.05):
    """The values, with a code in the place of some."""
    return np.where(random().random(len(values)) < share, code, values)


IDENTIFIERS = {
    "row": np.arange(N),
    "number of rows, in any order": random().permutation(N) + 7,
    "a few numbers left out": np.sort(random().choice(int(N * 1.1), N, replace=False)),
    "customer": random().choice(40_000, N, replace=False) + 10**9,
    "steps of ten": 10.0 * np.arange(N) + 1000,
    "id": random().choice(10**6, N, replace=False),
    "customerId": random().choice(10**6, N, replace=False),
    "order_no": np.where(np.arange(N) % 50 == 0, np.nan, random().integers(0, 10**7, N)),
}
AMOUNTS = {
    "population": random().choice(10**6, N, replace=False),
    "income": random().integers(10**4, 10**5, N),
    "ages": random().integers(18, 90, N),
    "tenant_id": random().integers(0, 30, N),
    "sorted reals": np.sort(random().random(N)),
    "sorted counts": np.sort(random().poisson(3, N)),
    "zip": random().integers(10**4, 10**5, N),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers_are_named(name):
    expected = f"{name!r} looks like an identifier: if it is one, leave it out of X"
    assert beside(name, IDENTIFIERS[name]) == [expected]


@pytest.mark.parametrize("name", AMOUNTS)
def test_amounts_are_not(name):
    assert beside(name, AMOUNTS[name]) == []


def test_ranks_and_few_rows_are_not():
    rng = np.random.default_rng(0)
    assert hints(**{f"r{i}": rng.permutation(N) for i in range(4)}) == []
    assert hints(a=np.arange(19), b=rng.random(19)) == []
    assert hints(**{"": np.arange(N), "b": rng.random(N), "c": rng.random(N)}) == []


CODES = {
    "ages": (some(random().integers(18, 90, N), -99), "-99", "far from"),
    "income": (some(random().gamma(2, 3000, N), -99), "-99", "the only value below"),
    "temperature": (some(random().normal(20, 5, N), 999.9), "999.9", "far from"),
    "celsius": (some(random().normal(8, 5, N), -200), "-200", "far from"),
    "yes or no": (some(random().integers(0, 2, N), 9), "9", "far from"),
    "answers": (some(random().integers(1, 6, N), 99), "99", "far from"),
    "three codes": (
        some(random().integers(1, 6, N), np.where(np.arange(N) % 9, -98, -99)),
        "-98",
        "far from",
    ),
    "with gaps": (some(some(random().integers(18, 90, N), np.nan), -9), "-9", "the only value"),
}
ORDINARY = {
    "zeros": some(random().gamma(2, 3000, N), 0, share=0.4),
    "one or none": random().integers(0, 2, N),
    "minus one or one": 2 * random().integers(0, 2, N) - 1,
    "three signs": random().integers(-1, 2, N),
    "rare ones": random().random(N) < 0.01,
    "counts": random().poisson(0.4, N),
    "heavy tail": np.floor(random().pareto(1, N)),
    "powers of two": 2 ** random().integers(0, 4, N),
    "scaled": some(random().random(N) + 3, -0.25, share=0.4),
    "one outlier": np.append(random().normal(size=N - 1), -99),
    "outliers": np.append(random().normal(size=N - 4), [-99] * 4),
    "mostly": some(random().random(N), -1, share=0.8),
    "percent": random().integers(0, 100, N),
    "changes": random().integers(-9, 10, N),
    "ends at 99": random().integers(90, 100, N),
}


@pytest.mark.parametrize("name", CODES)
def test_codes_are_named(name):
    values, code, why = CODES[name]
    times = int((values == float(code)).sum())
    (hint,) = beside(name, values)
    assert hint.startswith(f"{code} appears {times} times in {name!r} and is {why}")
    assert hint.endswith("does it stand for a missing one? Then leave those cells empty")


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_values_are_no_codes(name):
    assert beside(name, ORDINARY[name]) == []


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.integers(0, 60), min_size=30, max_size=80),
    sign=st.sampled_from([1, -1]),
    scale=st.sampled_from([1.0, 0.5, 3.0]),
)
def test_what_is_named_is_an_end_that_repeats(values, sign, scale):
    """The promise in other words: five times at least, at an end, never zero, never most."""
    column = sign * scale * np.array(values, dtype=float)
    for hint in beside("c", column):
        if "appears" in hint:
            code = float(hint.split()[0])
            assert code in (column.min(), column.max())
            assert code != 0
            assert 5 <= (column == code).sum() <= len(column) / 2


def test_many_codes_are_one_line():
    rng = np.random.default_rng(0)
    columns = {f"c{i}": some(rng.integers(18, 90, N), -99) for i in range(6)}
    (hint,) = hints(**columns)
    assert_tells(hint, -99, "'c0'", -99, "'c1'", "'c2'", "'c3'", "2 more")


@pytest.mark.parametrize("name", ["breast_cancer", "wine", "diabetes", "iris", "digits"])
def test_no_false_alarm_on_tables_of_scikit_learn(name):
    X = getattr(datasets, f"load_{name}")(as_frame=True).data
    assert hints_of_numbers(X.to_numpy(float), list(X), leaving_out="") == []


def test_no_false_alarm_on_the_datasets(shared_datasets):
    for path in sorted(shared_datasets.glob("*.[mn][ap][tz]")):
        with open_table(path) as table:
            assert numeric_table(table).notes == (), path.name


def survey():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(N)
    return pd.DataFrame(
        {
            "row": np.arange(N),
            "age": some((40 + 10 * x).round(), -99),
            "income": (2000 + 500 * x + rng.normal(0, 100, N)).round(2),
            "visits": rng.poisson(3, N),
        }
    )


ROW = "'row' looks like an identifier: if it is one, leave it out"
AGE = "-99 appears 47 times in 'age' and is far from all other values"


@pytest.mark.parametrize("with_names", [False, True])
@pytest.mark.parametrize("form", ["pandas", "polars", "array"])
def test_a_fit_says_so(form, with_names):
    table = survey().assign(**({"town": ["Ulm", "Bonn"] * (N // 2)} if with_names else {}))
    similarity = "mixed" if with_names else "auto"
    expected = (ROW, AGE)
    if form == "polars":
        table = pl.from_pandas(table)
    elif form == "array":
        table = table.to_numpy(dtype=object if with_names else float)
        expected = tuple(
            text.replace("'row'", "'x0'").replace("'age'", "'x1'") for text in expected
        )
    with pytest.warns(ColumnReadingWarning) as caught:
        TopologicalFeatureSelector(2, similarity=similarity).fit(table)
    said = [str(warning.message) for warning in caught]
    assert len(said) == 2
    assert all(any(text in line for line in said) for text in expected)
    assert "leave it out of X" in said[0]


def test_the_command_line_says_so_once(tmp_path):
    survey().to_csv(tmp_path / "t.csv", index=False)
    said = run("select", tmp_path / "t.csv").stderr
    assert said.count(f"note: {ROW} with --drop") == said.count(f"note: {AGE}") == 1
    assert "Warning" not in said
    notes = run_json("select", tmp_path / "t.csv")["notes"]
    assert any(AGE in note for note in notes)
    assert "identifier" not in run("select", tmp_path / "t.csv", "--drop", "row").stderr


@pytest.mark.filterwarnings("ignore::topofs.DependentRowsWarning")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_zeros_before_numbers_are_named(tmp_path, ending):
    frame = pl.from_pandas(survey()).with_columns(
        customer=pl.Series([f"{i * 37 % 8000:05}" for i in range(N)]),
        office=pl.Series([None if i % 7 == 0 else f"{i % 9:03}" for i in range(N)]),
        month=pl.Series([f"{i % 12 + 1:02}" for i in range(N)]),
    )
    path = tmp_path / f"t.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    said = run("select", path).stderr
    assert_tells(said, "'00000'", "'customer', 'office'", "zeros")
    with pytest.warns(ColumnReadingWarning) as caught:
        TopologicalFeatureSelector().fit(frame)
    (line,) = [str(w.message) for w in caught if "otherwise" in str(w.message)]
    assert_tells(line, "customer", "'00000'", "zeros", "office")
    assert "month" not in line
