import os
import sys
import threading

import numpy as np
import polars as pl
import pytest
from scipy.io import savemat

from topofs.errors import TableError
from topofs.io import open_table
from topofs.io.table import as_table_errors


@pytest.mark.parametrize("name", ["t.mat", "t.npz", "t.csv"])
def test_the_content_decides_and_not_the_ending(tmp_path, name):
    X, y = np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([0, 1])
    for kind in ("mat", "npz", "parquet"):
        path = tmp_path / name
        if kind == "mat":
            savemat(path, {"X": X, "Y": y[:, None]}, appendmat=False)
        elif kind == "npz":
            with path.open("wb") as file:
                np.savez(file, X=X, y=y)
        else:
            frame = pl.DataFrame(X, schema=["x0", "x1"]).with_columns(target=pl.Series(y))
            frame.write_parquet(path)
        with open_table(path) as table:
            assert table.columns == ("x0", "x1", "target")
            assert table.rows.collect()["x1"].to_list() == [2.0, 5.0]
            assert table.label == (None if kind == "parquet" else "target")


def test_labels_of_text_are_no_numbers(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(2), y=["oak", "elm"])
    with open_table(tmp_path / "t.npz") as table:
        assert table.not_numbers == {"target": "text"}


def test_an_archive_of_something_else_keeps_its_message(tmp_path):
    np.savez(tmp_path / "t.npz", Z=np.eye(2))
    with (
        pytest.raises(TableError, match=r"^t\.npz: needs an array X"),
        open_table(tmp_path / "t.npz"),
    ):
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_with_a_name(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(
        target=lambda: pipe.write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    )
    writer.start()
    with open_table(pipe) as table:
        assert table.n_samples == 2
    writer.join()


DATES = "dates or times; --dates numbers uses them"


@pytest.mark.parametrize(
    ("frame", "not_numbers"),
    [
        ({"d": [1, 2], "t": ["a", "b"]}, {"t": "text, such as 'a'"}),
        ({"d": pl.Series([1, 2]).cast(pl.Datetime), "n": [None, None]}, None),
        ({"d": pl.Series([1, 2]).cast(pl.Decimal(5, 1)), "c": [[1], [2]]}, None),
    ],
)
def test_what_parquet_columns_hold(tmp_path, frame, not_numbers):
    frame = pl.DataFrame(frame)
    frame.write_parquet(tmp_path / "t.parquet")
    with open_table(tmp_path / "t.parquet") as table:
        if not_numbers is None:
            kinds = {
                "d": {"Datetime": DATES}.get(str(frame.schema["d"].base_type())),
                "n": "all missing",
                "c": "values of type List(Int64)",
            }
            not_numbers = {c: kinds[c] for c in frame.columns if kinds[c]}
        assert table.not_numbers == not_numbers


@pytest.mark.parametrize("name", ["PAR1", "BZh", "ARROW1", "%PDF"])
def test_a_column_may_be_called_like_the_beginning_of_another_format(tmp_path, name):
    path = tmp_path / "table.csv"
    path.write_text(f"{name},other column\n1,2\n3,4\n", encoding="utf-8")
    with open_table(path) as table:
        assert list(table.columns) == [name, "other column"]


def test_a_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TableError, match="standard input is closed"), open_table("-"):
        pass


def test_a_file_name_that_is_not_utf8(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.csv"
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - the name is bytes
        file.write("a,b\n1,2\n")
    with (
        pytest.raises(TableError, match="the name of the file is not UTF-8"),
        open_table(os.fsdecode(path)),
    ):
        pass


def test_a_complaint_of_polars_is_one_line_that_names_the_table():
    with (
        pytest.raises(TableError, match=r"^t\.csv: the table cannot be read \(odd bytes\)$"),
        as_table_errors("t.csv"),
    ):
        raise pl.exceptions.PolarsError("odd bytes\nConsider this and that")
