"""Columns that alone tell the target are found, and no others."""

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import datasets

from tests.naive.leakage import score
from topofs import TopologicalFeatureSelector
from topofs.comparison import LEAK_SCORE, Resampling, compare, find_leaks, target_of
from topofs.comparison.leakage import _Classes, _Numbers
from topofs.errors import TableError
from topofs.io.frames import NamedArray
from topofs.io.types import typed_table

QUICK = Resampling(n_folds=3, n_repeats=1, n_random=2)


def customers(n=600, seed=0):
    """Customers, one in four of whom left, with columns that tell it and columns that do not."""
    rng = np.random.default_rng(seed)
    left = rng.random(n) < 0.25
    reasons = rng.choice(["price", "moved", "service"], n)
    return left, pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "spent": np.exp(rng.normal(size=n)) + left,
            "region": rng.choice(list("abcdefgh"), n),
            "tenure": np.where(rng.random(n) < 0.2, np.nan, rng.random(n)),
            "email": [f"customer{i}@example.org" if i % 50 else None for i in range(n)],
            "cancellation_reason": np.where(left, reasons, None),
            "status": np.where(left, "gone", "active"),
            "refund": np.where(left, rng.random(n) + 0.1, 0),
            "comment": [f"goodbye, says {i}" if gone else None for i, gone in enumerate(left)],
            "closed_on": [dt.datetime(2024, 1, 1 + i % 28) if gone else pd.NaT
                          for i, gone in enumerate(left)],
            "days_to_close": np.where(left, rng.normal(size=n), np.nan),
        }
    )  # fmt: skip


LEAKS = {"cancellation_reason", "status", "refund", "comment", "closed_on", "days_to_close"}
BY_MISSING = LEAKS - {"status", "refund"}


@pytest.mark.parametrize("churn", [lambda left: left, lambda left: np.where(left, "yes", "no")])
def test_leaks_of_a_business_table_are_found_and_no_other_column(churn):
    left, table = customers()
    found = find_leaks(table, churn(left))
    assert {leak.column for leak in found} == LEAKS
    assert {leak.column for leak in found if leak.by_missing} == BY_MISSING
    assert all(LEAK_SCORE <= leak.score <= 1 for leak in found)


def test_the_sentence_has_column_target_score_and_threshold():
    left, table = customers()
    (leak,) = find_leaks(table[["age", "status"]], left)
    expected = "status alone predicts churn (1.00; said from 0.95 on): is it known before?"
    assert leak.sentence("churn") == expected


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits", "diabetes"])
def test_measurements_that_only_predict_well_are_no_leaks(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    assert find_leaks(X, y.astype(float)) == ()


@pytest.mark.parametrize(("n", "width"), [(10, 1000), (16, 1000), (40, 300), (200, 50)])
@pytest.mark.parametrize("kind", ["classes", "rare", "numbers"])
def test_noise_tells_no_target_however_few_the_rows(n, width, kind):
    alarms = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, width))
        if kind == "numbers":
            y = rng.standard_normal(n)
        else:
            y = rng.permutation(np.arange(n) < (n // 2 if kind == "classes" else 5))
        alarms += len(find_leaks(X, y)) > 0
    assert alarms == 0


def test_a_row_never_helps_to_predict_itself():
    """In runs of two every row has an equal and another beside it: all but two are a guess."""
    y = np.repeat([0, 1] * 10, 2).astype(float)
    assert _Classes(np.arange(40), y.astype(int)).score_of_values(
        np.arange(40.0), nominal=False
    ) == pytest.approx(2 / 40)


def test_a_few_rows_of_ten_are_told_apart_by_chance_and_of_a_thousand_are_not():
    """The same perfect column: chance gives one of 10 rows, but none of 1,000."""
    for n, is_told in ((10, False), (1000, True)):
        y = np.arange(n) < 5
        X = np.random.default_rng(0).standard_normal((n, 2000))
        X[:, 7] = np.where(y, 1.0, 0.0)
        assert [leak.column for leak in find_leaks(X, y)] == ["x7"] * is_told


@pytest.mark.parametrize(
    "copy",
    [
        lambda y: 100 * y + 3,
        lambda y: -y,
        np.log,
        np.sqrt,
        lambda y: np.round(y, 3),
        lambda y: y * np.exp(0.001 * np.sin(np.arange(len(y)))),
    ],
)
def test_copies_of_a_number_in_other_units_are_found(copy):
    rng = np.random.default_rng(1)
    y = np.exp(2 * rng.standard_normal(400))
    X = np.column_stack([rng.standard_normal((400, 3)), copy(y)])
    assert [leak.column for leak in find_leaks(X, y)] == ["x3"]
    X[:, 3] = y * np.exp(rng.normal(size=400))
    assert find_leaks(X, y) == ()


def test_one_row_far_from_all_others_is_no_line():
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((100, 3)), rng.standard_normal(100)
    X[7, 1] = y[7] = 1e6
    assert find_leaks(X, y) == ()
    few = np.zeros(50_000)
    few[:2] = 1.5
    assert find_leaks(rng.standard_normal((50_000, 2)), target_of(few, task="regression")) == ()


def test_a_rare_class_in_a_large_table_is_told():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60_000, 4))
    fraud = rng.random(60_000) < 0.002
    X[:, 2] = np.where(fraud, 1000 + X[:, 2], X[:, 2])
    (leak,) = find_leaks(X, fraud)
    assert leak.column == "x2"
    assert leak == find_leaks(X, fraud)[0]


def test_sparse_tables_and_named_arrays():
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.5
    X = sparse.random(300, 6, density=0.2, random_state=0).tolil()
    X[:, 4] = y[:, None].astype(float)
    assert [leak.column for leak in find_leaks(X.tocsr(), y)] == ["x4"]
    named = NamedArray(X.tocsc(), tuple("abcdef"))
    assert [leak.column for leak in find_leaks(named, y)] == ["e"]
    assert find_leaks(named, y, exclude=["e"]) == ()
    closed = {"closed": np.where(y, True, False)}
    found = find_leaks(named, y, exclude=["e"], also_missing=closed)
    assert [(leak.column, leak.by_missing) for leak in found] == [("closed", True)]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_infinite_values_are_refused_with_their_column_and_row(form):
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[7, 1] = np.inf
    found = form(X)
    with pytest.raises(ValueError, match=r"column '(x1|1)' has .*infinite value in row 7"):
        find_leaks(found, X[:, 0])


def test_rows_without_a_target_are_passed_over_and_other_lengths_refused():
    y = np.array([0.0, 1.0, np.nan] * 40)
    X = np.column_stack([np.random.default_rng(4).random(120), np.nan_to_num(y, nan=7)])
    assert [leak.column for leak in find_leaks(X, y)] == ["x1"]
    with pytest.raises(ValueError, match="X has 119 rows and y has 120"):
        find_leaks(X[1:], y)


values = st.lists(
    st.sampled_from([0.0, 1.0, 2.0, 3.5, 4.0, 5.0, 6.25, 7.0, 8.0, float("nan")]),
    min_size=12,
    max_size=24,
)


@settings(max_examples=60, deadline=None)
@given(values=values, names=st.booleans(), classes=st.booleans(), data=st.data())
def test_the_score_is_that_of_the_definition(values, names, classes, data):
    n = len(values)
    codes = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    codes[:6] = [0, 1, 2, 0, 1, 2]
    column = np.array(values)
    rows = np.arange(n)
    reaches = (0,) if names else (1, 5)
    if classes:
        found = _Classes(rows, np.array(codes)).score_of_values(column, nominal=names)
        naive = [score(values, codes, classes=True, names=names, reach=r) for r in reaches]
    else:
        # Distinct answers, so that they are their own ranks; no straight line for names.
        answers = np.array(codes) * n + rows + 1.0
        sample = _Numbers(rows, answers)
        sample.y = np.zeros(n)
        sample.told = sample.told[:, :1]
        found = sample.score_of_values(column, nominal=names)
        listed = answers.tolist()
        naive = [score(values, listed, classes=False, names=names, reach=r) for r in reaches]
        naive = [max(naive)] if names else [max(*naive, 0.0)]
        found = found if names else max(found, 0.0)
    assert found == pytest.approx(max(naive), abs=1e-9)


def test_compare_has_the_leaks_of_what_may_be_selected():
    left, table = customers(200)
    table = table[["age", "spent", "tenure", "status"]]
    target = target_of(left)
    found = compare(typed_table(table), target, sizes=[2], resampling=QUICK, target_name="left")
    assert [leak.column for leak in found.leaks] == ["status"]
    assert found.doubts == (found.leaks[0].sentence("left"),)
    listed = json.loads(json.dumps(found.as_dict()))
    assert listed["leaks"] == [{"column": "status", "score": 1.0, "by_missing": False}]
    assert listed["doubts"] == list(found.doubts)
    without = TopologicalFeatureSelector(exclude=["status"])
    found = compare(typed_table(table), target, selector=without, sizes=[2], resampling=QUICK)
    assert found.leaks == found.doubts == ()
    numbers = table.drop(columns="status").to_numpy()
    numbers[:, 1] = left
    for X, name in ((numbers, "x1"), (NamedArray(numbers, ("a", "b", "c")), "b")):
        found = compare(X, target, sizes=[2], resampling=QUICK)
        assert [leak.column for leak in found.leaks] == [name]


def test_a_perfect_score_without_a_leak_is_asked_about():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((120, 3))
    found = compare(X, target_of(X.sum(axis=1)), sizes=[2], resampling=QUICK)
    assert found.of("all").mean > 0.9995
    assert found.leaks == ()
    assert found.doubts[0].startswith("a score of 1.000, and no column alone predicts target")


def test_classes_that_are_nearly_all_different_are_refused():
    days = [f"{2020 + i // 336}-{i // 28 % 12 + 1:02}-{i % 28 + 1:02}" for i in range(1496)]
    texts = np.array([f"u{i % 1496}@example.org" for i in range(2000)], dtype=object)
    with pytest.raises(TableError, match=r"1,496 classes in 2,000 rows, such as 'u0@example"):
        target_of(texts)
    numbers = np.arange(2000.0)
    assert target_of(numbers).task == "regression"
    with pytest.raises(TableError, match=r"2,000 classes in 2,000 rows"):
        target_of(numbers, task="classification")
    with pytest.raises(TableError, match=r"1,001 classes in 10,010 rows"):
        target_of(np.repeat(np.arange(1001.0), 10), task="classification")
    assert len(np.unique(target_of(np.repeat(texts[:300], 5)).y)) == 300
    assert target_of(texts[:50]).task == "classification"
    dates = pd.to_datetime(pd.Series(days))
    for values in (
        np.array(days, dtype=object),
        dates.to_numpy(),
        dates.to_numpy(dtype=object),
        np.array([None, *dates.dt.date], dtype=object),
    ):
        with pytest.raises(TableError, match=r"holds dates, such as '20.*numbers.*classes"):
            target_of(values)
    months = np.array(["2024-01", "2024-02"] * 10, dtype=object)
    assert target_of(months, task="classification").task == "classification"
    partly = target_of(np.array(["a", np.nan, "b"], dtype=object))
    assert (partly.classes, partly.y.tolist()) == (("a", "b"), [0, 1])


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, np.ndarray.tolist])
def test_long_whole_numbers_tell_a_target_as_short_ones_do(form):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, (200, 4))
    X, y = form(codes + 2**62), codes[:, 0] > 4
    assert [leak.score for leak in find_leaks(X, y)] == [1.0]
    found = compare(X, y, sizes=[2], resampling=QUICK)
    assert [leak.score for leak in found.leaks] == [1.0]


@pytest.mark.parametrize("kind", [float, Decimal])
def test_a_target_of_objects_that_are_numbers_is_one_of_numbers(kind):
    values = [kind(f"{i / 7:.3f}") for i in range(40)]
    found = target_of(np.array([*values, None, np.nan], dtype=object))
    assert found.task == "regression"
    assert found.given.tolist() == [True] * 40 + [False] * 2
    np.testing.assert_array_equal(found.y, np.array(values, dtype=float))
    classes = target_of(np.array([1, 2, None] * 20, dtype=object))
    assert (classes.task, classes.classes) == ("classification", ("1", "2"))


def test_a_missing_date_is_no_class():
    dates = np.array(["2020-01-01", "2020-01-02", "NaT"] * 20, dtype="M8[D]")
    found = target_of(dates, task="classification")
    assert found.classes == ("2020-01-01", "2020-01-02")
    assert found.given.tolist() == [True, True, False] * 20
