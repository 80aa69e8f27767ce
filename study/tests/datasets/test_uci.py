import numpy as np
import pytest

from topofs_study.datasets.reading import read_arrays
from topofs_study.errors import DatasetError

SOUND = {
    "tiny_train.data": "1 2 3 \n4 5 6 \n7 8 9 \n",
    "tiny_train.labels": "1\n-1\n1\n",
    "tiny_valid.data": "10 11 12 \n",
    "tiny_valid.labels": "-1\n",
}


def read(folder, **limit):
    return read_arrays(folder, "uci", **limit)


def folder_with(tmp_path, **changes):
    folder = tmp_path / "TINY"
    folder.mkdir()
    for name, text in (
        SOUND | {key.replace("__", "."): v for key, v in changes.items()}
    ).items():
        if text is not None:
            (folder / name).write_text(text, encoding="latin-1")
    return folder


def test_parts_are_stacked_and_the_second_is_for_testing(tmp_path):
    found = read(folder_with(tmp_path))
    assert np.array_equal(found.X, np.arange(1, 13).reshape(4, 3))
    assert found.y.tolist() == [1, -1, 1, -1]
    assert found.y.dtype.kind == "i"
    assert found.test_rows == slice(3, 4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tiny_train__data": None}, r"TINY: needs one file NAME_train\.data; found none"),
        ({"other_train__data": "1\n"}, "found other_train.data, tiny_train.data"),
        ({"tiny_train__labels": None}, r"tiny_train\.labels: the file is missing"),
        ({"tiny_valid__data": None}, r"tiny_valid\.data: the file is missing"),
        ({"tiny_valid__data": ""}, r"tiny_valid\.data: not a table of numbers \(.*no data"),
        ({"tiny_valid__data": "\n\n"}, r"tiny_valid\.data: not a table of numbers"),
        ({"tiny_valid__data": "1 2 \n"}, r"tiny_train\.data has 3 columns and .* has 2"),
        (
            {"tiny_train__data": "1 2 3\n4 5\n6 7 8\n"},
            r"tiny_train\.data: not a table of numbers",
        ),
        ({"tiny_train__data": "1 2 3\n4 x 6\n7 8 9\n"}, r"not a table of numbers \(.*'x'"),
        ({"tiny_train__data": "1 2 3\n4 # 6\n7 8 9\n"}, r"not a table of numbers"),
        ({"tiny_train__data": "1 2 3\n4 é 6\n7 8 9\n"}, r"not a table of numbers"),
        (
            {"tiny_train__data": "1 2 3\n4 nan 6\n7 8 9\n"},
            "TINY: X holds nan at row 1, column 1",
        ),
        ({"tiny_train__labels": "1\n-1\n"}, r"train\.labels: holds 2 lines of 1 numbers"),
        ({"tiny_train__labels": "1 1\n-1 1\n1 1\n"}, "holds 3 lines of 2 numbers"),
        ({"tiny_train__labels": "1\n0.5\n1\n"}, "TINY: the labels hold 0.5"),
    ],
)
def test_folders_that_are_no_dataset(tmp_path, changes, message):
    with pytest.raises(DatasetError, match=message):
        read(folder_with(tmp_path, **changes))


def test_sizes_beyond_the_limit(tmp_path):
    with pytest.raises(DatasetError, match=r"tiny_train\.data: a table .* would take 84 bytes"):
        read(folder_with(tmp_path), max_bytes=50)


def test_a_file_where_a_folder_belongs(tmp_path):
    (tmp_path / "GISETTE").touch()
    with pytest.raises(DatasetError, match="GISETTE: must be a folder"):
        read(tmp_path / "GISETTE")
