"""With --target, a column that alone tells it is named."""

import numpy as np
import polars as pl
import pytest

from tests.cli.running import run, run_json
from tests.messages import assert_tells

REASON = (
    "cancellation_reason alone predicts churn (1.00, by being missing or not; said from 0.95"
)
KNOWN = "on): is it known before?"
QUICK = ("--sizes", "2", "--repeats", "1", "--folds", "3")


@pytest.fixture(scope="module")
def customers(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 400
    left = rng.random(n) < 0.3
    age = rng.integers(18, 80, n)
    frame = pl.DataFrame(
        {
            "email": [f"customer{i}@example.org" for i in range(n)],
            "signup_date": [f"20{10 + i // 300}-{i // 28 % 12 + 1:02}-{i % 28 + 1:02}"
                            for i in range(n)],
            "age": age,
            "paid": age * 2.5 + rng.normal(size=n),
            "visits": rng.poisson(5, n),
            "plan": rng.choice(["basic", "pro", "team"], n),
            "cancellation_reason": [
                rng.choice(["price", "moved"]) if gone else "" for gone in left
            ],
            "goodbye": [f"so long, {i}" if gone else " " for i, gone in enumerate(left)],
            "active": np.where(left, "no", "yes"),
            "churn": left.astype(int),
        }
    )  # fmt: skip
    path = tmp_path_factory.mktemp("leaks") / "customers.csv"
    frame.write_csv(path)
    return path


def test_select_says_it_in_notes_json_and_page(customers, tmp_path):
    page = tmp_path / "r.html"
    arguments = ("select", customers, "--target", "churn", "--report", page)
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stderr.splitlines() if "alone predicts" in line]
    assert len(lines) == 3
    assert f"note: {REASON} {KNOWN}" in lines
    assert "cancellation_reason alone predicts churn" in page.read_text(encoding="utf-8")
    assert "alone predicts" not in run("select", customers, "--drop", "churn").stderr
    found = run_json("select", customers, "--target", "churn", "--exclude", "active")
    listed = {leak["column"]: leak for leak in found["leaks"]}
    assert listed.keys() == {"cancellation_reason", "goodbye"}
    said = listed["goodbye"].pop("sentence")
    assert said.startswith("goodbye alone predicts churn (1.00")
    assert "0.95" in said
    assert listed["goodbye"] == {"column": "goodbye", "score": 1.0, "by_missing": True}


def test_panel_says_it(customers):
    arguments = ("panel", customers, "--target", "churn", "--panel", "age", "--next", "0")
    found = run_json(*arguments)
    assert {leak["column"] for leak in found["leaks"]} == {
        *("cancellation_reason", "goodbye", "active"),
    }
    assert REASON in run(*arguments).stderr


def test_compare_says_it_beside_the_scores(customers, tmp_path):
    page = tmp_path / "r.html"
    arguments = ("compare", customers, "--target", "churn", *QUICK)
    result = run(*arguments, "--report", page)
    assert result.exit_code == 0, result.output
    assert "1.000" in result.stdout
    assert f"{REASON} {KNOWN}" in result.stdout
    assert "goodbye alone predicts churn (1.00, by being missing" in result.stdout
    assert "active alone predicts churn (1.00; said" in page.read_text(encoding="utf-8")


def test_a_target_that_nothing_can_predict_is_said(customers):
    for target, why in (
        ("signup_date", "dates, such as"),
        ("email", "400 classes in 400 rows"),
    ):
        result = run("select", customers, "--target", target)
        assert result.exit_code == 0, result.output
        assert_tells(result.stderr, target, "not tried")
        assert why in result.stderr
        assert "--task" not in result.stderr


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("signup_date", "the target holds dates, such as '2010-01-01'"),
        ("email", "the target holds 400 classes in 400 rows"),
    ],
)
def test_compare_refuses_targets_of_dates_and_of_names_that_hardly_repeat(
    customers, target, reason
):
    result = run("compare", customers, "--target", target, *QUICK)
    assert result.exit_code == 3, result.output
    assert reason in result.stderr


def test_dates_as_numbers_are_a_target_and_parsed_dates_are_named(customers, tmp_path):
    arguments = ("--target", "signup_date", "--drop", "email", *QUICK)
    found = run_json("compare", customers, *arguments, "--dates", "numbers")
    assert found["task"] == "regression"
    parsed = tmp_path / "t.parquet"
    frame = pl.read_csv(customers, try_parse_dates=True)
    frame.write_parquet(parsed)
    result = run("compare", parsed, *arguments)
    assert result.exit_code == 3
    assert "the column 'signup_date' holds dates or times" in result.stderr
    assert "--dates numbers" in result.stderr
