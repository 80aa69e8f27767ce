import random

import numpy as np
import polars as pl
import pytest

from topofs_study.datasets import read
from topofs_study.errors import DatasetError

FRAME = pl.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "target": ["x", "y", "x"]})


def write(frame, path):
    (frame.write_csv if path.suffix == ".csv" else frame.write_parquet)(path)
    return path


both = pytest.mark.parametrize("name", ["t.csv", "t.parquet"])


@both
def test_one_column_of_labels_the_others_are_features(tmp_path, name):
    dataset = read(write(FRAME, tmp_path / name))
    assert dataset.name == "t"
    assert dataset.feature_names == ("a", "b")
    assert np.array_equal(dataset.X, [[1, 0.5], [2, 1.5], [3, 2.5]])
    assert dataset.y.tolist() == ["x", "y", "x"]
    assert not dataset.X.flags.writeable


@both
def test_the_target_can_be_any_column(tmp_path, name):
    dataset = read(write(FRAME.drop("target"), tmp_path / name), target="a")
    assert dataset.feature_names == ("b",)
    assert dataset.y.tolist() == [1, 2, 3]


def test_categories_and_truth_values(tmp_path):
    frame = pl.DataFrame({"a": [True, False, True], "target": ["x", "y", "x"]})
    frame = frame.with_columns(pl.col("target").cast(pl.Categorical))
    dataset = read(write(frame, tmp_path / "t.parquet"))
    assert dataset.X.tolist() == [[1], [0], [1]]
    assert dataset.y.tolist() == ["x", "y", "x"]
    frame = frame.with_columns(target=pl.Series([True, False, True]))
    assert read(write(frame, tmp_path / "t.parquet")).n_classes == 2


@both
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": None}, "has no column 'target'; name the column of labels .* one of a, b$"),
        (
            {"a": ["1", "2", "three"]},
            "column 'a' holds numbers with text among them.*; features must be numbers",
        ),
        ({"a": [1, None, 3]}, "column 'a' is empty in row 2"),
        ({"a": [1.0, float("inf"), 3.0]}, "the column 'a' holds an infinite value in row 2"),
        ({"target": ["x", None, "y"]}, "column 'target' is empty in row 2"),
        ({"target": [0.5, 1.0, 2.0]}, "the labels hold 0.5"),
    ],
)
def test_contents_that_are_no_dataset(tmp_path, name, changes, message):
    frame = FRAME
    for column, values in changes.items():
        frame = (
            frame.drop(column)
            if values is None
            else frame.with_columns(pl.Series(column, values))
        )
    with pytest.raises(DatasetError, match=rf"{name}: {message}"):
        read(write(frame, tmp_path / name))


def test_columns_that_hold_no_numbers(tmp_path):
    path = tmp_path / "t.parquet"
    with pytest.raises(DatasetError, match=r"column 'a' holds values of type List\(Int64\)"):
        read(write(FRAME.with_columns(a=pl.Series([[1], [2], [3]])), path))
    with pytest.raises(
        DatasetError, match=r"column 'target' holds values of type List\(Int64\)"
    ):
        read(write(FRAME.with_columns(target=pl.Series([[1], [2], [3]])), path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"a,target\n", "no rows below it"),
        (
            b"target\n1\n2\n",
            r"X has shape \(.*\); it must have two dimensions and not be empty",
        ),
        (b"a,a,target\n1,2,3\n", "the column 'a' is there more than once"),
        (b"a,target\n1,2\n1,2,3\n", "line 3 has 3 fields and line 1 names 2 columns"),
        (b"a,b,target\n1,2,0\n1\n", "line 3 has 1 field and line 1 names 3 columns"),
        (b"a,target\n\xff\xfe,2\n", "line 2 is not UTF-8"),
        (b"PAR1\x00\x00\x00", "the table cannot be read"),
    ],
)
def test_text_that_is_no_table(tmp_path, content, message):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=rf"t\.csv: .*({message})"):
        read(path)


def test_a_mark_of_byte_order_is_no_part_of_the_first_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfa,target\n1,2\n3,4\n")
    assert read(path).feature_names == ("a",)


def test_a_parquet_file_cut_short(tmp_path):
    path = write(FRAME, tmp_path / "t.parquet")
    content = path.read_bytes()
    for length in range(0, len(content), 29):
        path.write_bytes(content[:length])
        with pytest.raises(DatasetError, match=r"t\.parquet: "):
            read(path)


@both
def test_sizes_beyond_the_limit(tmp_path, name):
    path = write(pl.DataFrame({"a": [0] * 10_000, "target": [1] * 10_000}), tmp_path / name)
    with pytest.raises(DatasetError, match="the table would take 160,000 bytes"):
        read(path, max_bytes=1000)


def test_damaged_files_are_read_or_refused(tmp_path):
    frame = pl.DataFrame(np.arange(60.0).reshape(12, 5)).with_columns(
        target=pl.Series([0, 1] * 6)
    )
    path = write(frame, tmp_path / "t.csv")
    content = path.read_bytes()
    dice = random.Random(0)
    refusals = []
    for _ in range(150):
        damaged = bytearray(content)
        for _ in range(dice.choice([1, 2, 4])):
            damaged[dice.randrange(len(damaged))] = dice.choice([0, 1, 127, 128, 255])
        path.write_bytes(damaged)
        try:
            assert read(path).n_samples == 12
        except DatasetError as error:
            refusals.append(str(error))
    assert len(refusals) > 20
    assert all(str(path) in refusal for refusal in refusals)
