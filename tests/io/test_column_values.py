import numpy as np
import polars as pl
import pytest

from topofs.io import open_table
from topofs.io.table import column_values
from topofs.io.text_values import MISSING, MISSING_CLASSES


def values_of(tmp_path, *given):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": range(len(given)), "y": given}).write_parquet(path)
    with open_table(path) as table:
        return column_values(table, "y").tolist()


def test_marks_that_may_be_classes_are_classes_of_text(tmp_path):
    classes = ["+", "-", ".", "?", "None", "none", "oak"]
    assert values_of(tmp_path, *classes) == classes
    (tmp_path / "t.csv").write_text(
        "a,y\n" + "".join(f"1,{name}\n" for name in classes), encoding="utf-8"
    )
    with open_table(tmp_path / "t.csv") as table:
        assert column_values(table, "y").tolist() == classes


@pytest.mark.parametrize("mark", [None, "  ", *MISSING_CLASSES])
def test_what_is_missing_among_words(tmp_path, mark):
    assert values_of(tmp_path, "oak", mark) == ["oak", None]


def test_all_marks_are_missing_among_numbers(tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,y\n1,2.5\n" + "".join(f"1,{m}\n" for m in MISSING), encoding="utf-8"
    )
    with open_table(tmp_path / "t.csv") as table:
        values = column_values(table, "y")
    assert values[0] == 2.5
    assert np.isnan(values[1:]).all()
