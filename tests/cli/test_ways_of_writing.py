"""Decimal commas, thousands and dates in files, and the options that say what they are."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.cli.running import run, run_json
from tests.messages import assert_tells
from topofs.io.text_columns import days_of_text


def german(n=40):
    """Six columns with decimal commas, semicolons between them."""
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((n, 2))
    values = 2000 + 300 * (factor[:, [0, 0, 0, 1, 1, 1]] + 0.4 * rng.standard_normal((n, 6)))
    return pd.DataFrame(values.round(2), columns=list("abcdef"))


def reasons(found):
    return {column["name"]: column["reason"] for column in found["left_out"]}


def test_a_file_with_decimal_commas_is_read_as_the_same_with_points(tmp_path):
    frame = german()
    frame.to_csv(tmp_path / "points.csv", index=False)
    frame.to_csv(tmp_path / "commas.csv", index=False, sep=";", decimal=",")
    expected = run_json("select", tmp_path / "points.csv")
    for options in ((), ("--decimal", ",")):
        found = run_json("select", tmp_path / "commas.csv", *options)
        assert found["n_features"] == 6
        assert found["selected"] == expected["selected"]
    said = run("select", tmp_path / "commas.csv").stderr
    assert "numbers with decimal commas in 'a', 'b', " in said
    assert "(--decimal . reads the comma otherwise)" in said
    refused = run("select", tmp_path / "commas.csv", "--decimal", ".")
    assert refused.exit_code == 3
    assert "numbers with a decimal comma, such as" in refused.stderr
    out = tmp_path / "out.csv"
    assert run("select", tmp_path / "commas.csv", "-k", "2", "--out", out).exit_code == 0
    assert "," in out.read_text(encoding="utf-8").splitlines()[1].strip('"')


def test_the_option_settles_what_a_comma_is(tmp_path):
    frame = pd.DataFrame({"a": [f"{i},{i * 37 % 900 + 100}" for i in range(1, 31)]})
    frame["b"] = frame["a"].to_numpy()[::-1]
    frame["c"] = range(30)
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";")
    refused = run("select", tmp_path / "t.csv")
    assert refused.exit_code == 3
    assert_tells(refused.stderr, "comma", "decimal", "--decimal")
    for mark in (",", "."):
        assert run_json("select", tmp_path / "t.csv", "--decimal", mark)["n_features"] == 3
    wrong = run("select", tmp_path / "t.csv", "--decimal", "x")
    assert wrong.exit_code == 2


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("similarity", ["auto", "pearson"])
def test_dates_are_left_out_or_used_as_numbers(tmp_path, ending, similarity):
    frame = german()
    days = pd.date_range("2023-06-01", periods=len(frame), freq="D")
    frame = frame.assign(day=days.strftime("%Y-%m-%d"))
    table = pl.DataFrame(frame.to_dict("list"))
    path = tmp_path / f"t.{ending}"
    if ending == "csv":
        table.write_csv(path)
    else:
        table.with_columns(pl.col("day").str.to_date(), text=pl.col("day")).write_parquet(path)
    options = ("--similarity", similarity)
    found = run_json("select", path, *options)
    assert found["n_features"] == 6
    assert "--dates numbers uses them" in reasons(found)["day"]
    used = run_json("select", path, *options, "--dates", "numbers")
    assert used["n_features"] == 7 + (ending == "parquet")
    assert run("select", path, "--dates", "numbers", "--keep", "day").exit_code == 0


def test_dates_that_cannot_be_told(tmp_path):
    lines = "".join(f"{i % 12 + 1}/{i % 11 + 1}/2024,{i},{i * i % 7}\n" for i in range(20))
    (tmp_path / "t.csv").write_text("day,a,b\n" + lines, encoding="utf-8")
    result = run("select", tmp_path / "t.csv", "--dates", "numbers")
    assert result.exit_code == 3
    assert "the dates of 'day' such as '" in result.stderr
    assert "may have the day first or the month" in result.stderr
    (tmp_path / "t.csv").write_text(
        "day,a,b\n2024-02-30,1,2\n" + "2024-02-01,2,3\n" * 3, encoding="utf-8"
    )
    result = run("select", tmp_path / "t.csv", "--dates", "numbers")
    assert "include '2024-02-30', a day that does not exist" in result.stderr


def test_days():
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    for text in ("2024-02-29T13:45:30+02:00", "1969-12-31 23:00", "2024-02-29"):
        time = dt.datetime.fromisoformat(text)
        time = time if time.tzinfo else time.replace(tzinfo=dt.UTC)
        assert days_of_text([text]) == pytest.approx([(time - epoch) / dt.timedelta(days=1)])
    assert days_of_text(["2024-03", "NA"]) == [19783.0, None]
    assert days_of_text(["12/31/1970 12:30 AM", "1/1/1970 1:00 pm"]) == pytest.approx(
        [364 + 0.5 / 24, 13 / 24]
    )
