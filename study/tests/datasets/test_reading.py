import numpy as np
import pytest

from topofs_study.datasets import read
from topofs_study.errors import DatasetError


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DatasetError, match=r"nothing\.csv: there is no such file"):
        read(tmp_path / "nothing.csv")


@pytest.mark.parametrize("name", ["table.xlsx", "table.pkl", "table"])
def test_an_ending_nobody_reads_lists_those_that_are(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(DatasetError, match=r"one of \.mat, \.npz, \.csv, \.parquet"):
        read(tmp_path / name)


def test_capital_endings_and_text_paths(tmp_path):
    path = tmp_path / "TABLE.CSV"
    path.write_text("a,target\n1,0\n2,1\n", encoding="utf-8")
    assert read(str(path)).name == "TABLE"


def test_a_target_where_there_are_no_columns(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=[0, 1])
    with pytest.raises(ValueError, match="target names a column of a CSV or Parquet file"):
        read(tmp_path / "a.npz", target="y")
