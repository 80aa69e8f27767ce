import errno
import os

import polars as pl
import pytest

from topofs.io import Table, open_table, write_columns
from topofs.io.write import check_ending


def test_text_goes_over_as_it_is_written(tmp_path):
    text = 'id,x,t\n007,1.50,"a, ""b"""\n008,1e3,\n009,NA,""\n'
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with open_table(tmp_path / "t.csv") as table:
        write_columns(table, ["t", "x", "id"], tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_text(encoding="utf-8") == text


def test_rows_stay_in_order_when_there_are_many(tmp_path):
    n = 200_000
    frame = pl.DataFrame({"a": range(n), "b": pl.Series(range(n)) % 7, "c": ["x"] * n})
    frame.write_csv(tmp_path / "t.csv")
    for ending in ("csv", "parquet"):
        out = tmp_path / f"o.{ending}"
        with open_table(tmp_path / "t.csv") as table:
            write_columns(table, ["a", "c"], out)
        read = pl.read_csv(out) if ending == "csv" else pl.read_parquet(out)
        assert read.equals(frame.select("a", "c"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EPIPE])
def test_an_error_of_the_system_keeps_its_number(tmp_path, monkeypatch, number):
    def fail(*_, **__):
        raise pl.exceptions.ComputeError(f"sink failed: no luck (os error {number})\nmore")

    monkeypatch.setattr(pl.LazyFrame, "sink_csv", fail)
    table = Table("t", pl.LazyFrame({"a": [1]}), 1, {"a": pl.Int64()})
    with pytest.raises(OSError, match=os.strerror(number)) as caught:
        write_columns(table, ["a"], tmp_path / "o.csv")
    assert caught.value.errno == number
    assert isinstance(caught.value, BrokenPipeError) == (number == errno.EPIPE)


def test_an_ending_nobody_knows():
    with pytest.raises(ValueError, match=r"end the name in \.csv, \.tsv or \.parquet"):
        check_ending("table.json")
