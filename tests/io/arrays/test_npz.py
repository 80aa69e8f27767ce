import io
import pickle
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from topofs.errors import TableError
from topofs.io.arrays import read_npz as read

X = np.arange(12.0).reshape(4, 3)
y = np.array([0, 1, 1, 0])


class Trap:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_as_stored(tmp_path, save):
    save(tmp_path / "a.npz", X=X.astype(np.float32), y=y.astype(np.int16), more=[1])
    found = read(tmp_path / "a.npz")
    assert np.array_equal(found.X, X)
    assert found.X.dtype == np.float32
    assert found.y.dtype == np.int16


def test_labels_may_be_text(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=["oak", "elm", "elm", "oak"])
    assert read(tmp_path / "a.npz").y.tolist() == ["oak", "elm", "elm", "oak"]


@pytest.mark.parametrize("name", ["X", "y"])
def test_objects_are_never_unpickled(tmp_path, name):
    mark = tmp_path / "mark"
    objects = np.array([Trap(mark)] * 4, dtype=object)
    np.savez(tmp_path / "a.npz", **({"X": X, "y": y} | {name: objects}))
    with pytest.raises(TableError, match=rf"a\.npz: {name} holds pickled objects"):
        read(tmp_path / "a.npz")
    assert not mark.exists()
    np.load(tmp_path / "a.npz", allow_pickle=True)[name]  # the trap does work
    assert mark.exists()


@pytest.mark.parametrize("disguise", ["pickle", "npy"])
def test_a_pickle_under_another_name(tmp_path, disguise):
    mark, path = tmp_path / "mark", tmp_path / "a.npz"
    with path.open("wb") as file:
        if disguise == "pickle":
            pickle.dump(Trap(mark), file)
        else:
            np.save(file, np.array([Trap(mark)], dtype=object), allow_pickle=True)
    with pytest.raises(TableError, match=r"a\.npz: not a whole numpy archive"):
        read(path)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": X}, r"needs an array y; it holds X\.npy"),
        ({"x": X, "y": y}, "needs an array X"),
        ({}, "needs an array X; it holds nothing"),
        ({"X": X, "y": y[:2]}, "X has 4 rows and there are 2 labels"),
        ({"X": X.T, "y": y}, "X has 3 rows and there are 4 labels"),
        ({"X": X[0], "y": y}, r"X has shape \(3,\)"),
        ({"X": X.astype("c16"), "y": y}, "X holds complex128 values"),
        ({"X": X.astype("U5"), "y": y}, "X holds <U5 values"),
        ({"X": np.zeros((4, 2), "f8,i4"), "y": y}, r"X holds .* values"),
        ({"X": X, "y": np.zeros(4, "M8[s]")}, "the labels hold datetime64"),
    ],
)
def test_contents_that_are_no_dataset(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(TableError, match=rf"a\.npz: {message}"):
        read(tmp_path / "a.npz")


def header_of(shape, dtype="<f8", version=(1, 0)):
    file = io.BytesIO()
    facts = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, facts)
    content = file.getvalue()
    return content[:6] + bytes(version) + content[8:]


def archive(path, X_bytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("X.npy", X_bytes)
        labels = io.BytesIO()
        np.save(labels, y)
        file.writestr("y.npy", labels.getvalue())
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            header_of((10**9, 10**9)),
            r"shape \(1000000000, 1000000000\), 8,000,000,0.* 0 are there",
        ),
        (header_of((4, 3)) + bytes(50), "96 bytes, and 50 are there"),
        (header_of((-4, -3)) + bytes(96), "damaged|found|shape"),
        (header_of((0, 10**30)), "X would take 6,000,000,"),
        (header_of((4, 3), version=(9, 9)) + bytes(96), r"unknown array format \(9, 9\)"),
        (b"not an array", "the file is damaged"),
        (b"", "the file is damaged"),
        (header_of((4, 3))[:40], "the file is damaged"),
        (
            b"\x93NUMPY\x01\x00"
            + struct.pack("<H", 30)
            + b"__import__('os').abort()".ljust(30),
            "damaged",
        ),
    ],
)
def test_headers_that_lie(tmp_path, content, message):
    with pytest.raises(TableError, match=rf"a\.npz: .*({message})"):
        read(archive(tmp_path / "a.npz", content))


def test_a_bomb_is_not_unpacked(tmp_path):
    path = archive(tmp_path / "a.npz", header_of((4, 10**6)) + bytes(32 * 10**6))
    assert path.stat().st_size < 10**5
    with pytest.raises(
        TableError, match=r"X would take 32,000,128 bytes and at most 1,000,000"
    ):
        read(path, max_bytes=10**6)


def test_a_file_cut_short(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=X, y=y)
    content = path.read_bytes()
    for length in range(0, len(content), 13):
        path.write_bytes(content[:length])
        with pytest.raises(TableError, match=r"a\.npz: "):
            read(path)


def test_a_damaged_value(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=X, y=y)
    content = path.read_bytes()
    path.write_bytes(content.replace(np.float64(7).tobytes(), np.float64(8).tobytes(), 1))
    with pytest.raises(TableError, match=r"a\.npz: .*Bad CRC-32"):
        read(path)
