"""The decoder against scipy's on sound files; its refusals on unsound ones."""

import struct
import zlib

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat

from topofs.errors import TableError
from topofs.io.arrays import DamagedError, variables
from topofs.io.arrays import read_mat as read

X = np.arange(12.0).reshape(4, 3)
Y = np.array([[1], [2], [1], [2]])


def write(path, contents, **options):
    savemat(path, contents, **options)
    return path


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_every_number_type_is_read_as_scipy_reads_it(tmp_path, dtype, packed):
    path = write(tmp_path / "a.mat", {"X": X.astype(dtype), "Y": Y}, do_compression=packed)
    found = read(path)
    expected = loadmat(path)
    assert found.X.dtype == expected["X"].dtype
    assert np.array_equal(found.X, expected["X"])
    assert found.X.flags.f_contiguous
    assert np.array_equal(found.y, expected["Y"].ravel())


def test_the_papers_files_are_read_as_scipy_reads_them(shared_datasets):
    paths = sorted(shared_datasets.glob("*.mat"))
    assert len(paths) == 13
    for path in paths:
        found, expected = read(path), loadmat(path)
        assert found.X.dtype == expected["X"].dtype, path.name
        assert np.array_equal(found.X, expected["X"]), path.name
        assert np.array_equal(found.y, expected["Y"].ravel()), path.name


@pytest.mark.parametrize("density", [0.0, 0.2, 1.0])
def test_sparse_tables_are_filled_in(tmp_path, density):
    rng = np.random.default_rng(0)
    table = sparse.csc_array(rng.random((30, 7)) * (rng.random((30, 7)) < density))
    path = write(tmp_path / "a.mat", {"X": table, "Y": np.arange(30) % 2})
    assert np.array_equal(read(path).X, table.toarray())


@pytest.mark.parametrize("shape", [(4, 1), (1, 4)])
def test_labels_in_a_row_or_a_column_stored_as_floats(tmp_path, shape):
    labels = np.array([1.0, 2.0, 1.0, -3.0]).reshape(shape)
    found = read(write(tmp_path / "a.mat", {"X": X, "Y": labels}))
    assert found.y.tolist() == [1, 2, 1, -3]
    assert found.y.dtype.kind == "i"


def test_big_endian_files(tmp_path):
    def element(kind, content):
        return struct.pack(">II", kind, len(content)) + content + bytes(-len(content) % 8)

    def variable(name, table):
        table = np.asarray(table, dtype=">f8")
        body = element(6, struct.pack(">II", 6, 0))
        body += element(5, struct.pack(">ii", *table.shape))
        body += element(1, name.encode()) + element(9, table.tobytes(order="F"))
        return element(14, body)

    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI"
    path = tmp_path / "a.mat"
    path.write_bytes(header + variable("X", X) + variable("Y", Y))
    assert np.array_equal(loadmat(path)["X"], X)
    found = read(path)
    assert np.array_equal(found.X, X)
    assert found.X.dtype.isnative


def test_other_variables_stay_unread(tmp_path):
    path = write(
        tmp_path / "a.mat", {"note": "text", "cell": np.array([{}, 1], object)} | sound()
    )
    assert len(read(path).X) == 4


def sound():
    return {"X": X, "Y": Y}


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ({"X": X}, "needs one variable Y; it holds X"),
        ({"x": X, "Y": Y}, "needs one variable X; it holds x, Y"),
        ({"X": np.array([[1, "a"]], object), "Y": Y}, "X is a cell; it must hold real numbers"),
        ({"X": {"field": 1}, "Y": Y}, "X is a structure"),
        ({"X": "text", "Y": Y}, "X is a text"),
        ({"X": X + 1j, "Y": Y}, "X is a complex double"),
        ({"X": X, "Y": np.array([["a"], ["b"]], object)}, "Y is a cell"),
        ({"X": X, "Y": Y[:3]}, "X has 4 rows and there are 3 labels"),
        ({"X": X, "Y": np.ones((4, 2))}, r"the labels have shape \(4, 2\)"),
        ({"X": X, "Y": Y + 0.5}, "the labels hold 1.5, 2.5, 1.5"),
        ({"X": X, "Y": Y * np.nan}, "the labels hold nan"),
        ({"X": X[None], "Y": Y}, r"X has shape \(1, 4, 3\)"),
        ({"X": X[:, :0], "Y": Y}, r"X has shape \(4, 0\)"),
        ({"X": np.where(X == 7, np.nan, X), "Y": Y}, "X holds nan at row 2, column 1"),
        ({"X": np.where(X == 7, -np.inf, X), "Y": Y}, "X holds -inf at row 2, column 1"),
    ],
)
def test_contents_that_are_no_dataset(tmp_path, contents, message):
    with pytest.raises(TableError, match=rf"a\.mat: {message}"):
        read(write(tmp_path / "a.mat", contents))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "this is not a MATLAB file"),
        (b"X,Y\n1,2\n", "this is not a MATLAB file"),
        (bytes(1000), "this is not a MATLAB file"),
        (b"MATLAB 7.3 MAT-file, HDF5 schema 1.00", "save it with -v7"),
        (b"MATLAB 5.0 MAT-file", "the header is not complete"),
        (b"MATLAB 5.0 MAT-file".ljust(126) + b"IM", "needs one variable X; it holds nothing"),
    ],
)
def test_files_that_are_something_else(tmp_path, content, message):
    path = tmp_path / "a.mat"
    path.write_bytes(content)
    with pytest.raises(TableError, match=rf"a\.mat: .*{message}"):
        read(path)


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_cut_short_anywhere(tmp_path, packed):
    path = write(tmp_path / "a.mat", sound(), do_compression=packed)
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(TableError, match=r"a\.mat: "):
            read(path)


def test_a_variable_there_twice(tmp_path):
    path = write(tmp_path / "a.mat", sound())
    path.write_bytes(path.read_bytes() + path.read_bytes()[128:])
    with pytest.raises(TableError, match="needs one variable X; it holds X, Y, X, Y"):
        read(path)


def patched(path, old, new):
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    return path


def test_an_unknown_number_type_that_crashes_scipy(tmp_path):
    path = write(tmp_path / "a.mat", sound())
    patched(path, struct.pack("<II", 9, X.nbytes), struct.pack("<II", 0xFFFF, X.nbytes))
    with pytest.raises(TableError, match=r"damaged .*no numbers of type 65535"):
        read(path)


def test_dimensions_that_promise_too_much(tmp_path):
    path = write(tmp_path / "a.mat", sound())
    patched(
        path, struct.pack("<IIii", 5, 8, *X.shape), struct.pack("<IIii", 5, 8, 2**30, 2**30)
    )
    with pytest.raises(TableError, match="X would take 9,223,378,479,305,719,808 bytes"):
        read(path)


def test_a_full_table_called_sparse(tmp_path):
    path = write(tmp_path / "a.mat", sound() | {"Y": Y.astype(float)})
    content = path.read_bytes()
    flags = struct.pack("<IIII", 6, 8, 6, 0)
    path.write_bytes(content.replace(flags, struct.pack("<IIII", 6, 8, 5, 0), 1))
    with pytest.raises(TableError, match="a sparse matrix needs"):
        read(path)


def test_dimensions_that_are_wrong(tmp_path):
    path = write(tmp_path / "a.mat", sound())
    patched(path, struct.pack("<IIii", 5, 8, *X.shape), struct.pack("<IIii", 5, 8, 40, 3))
    with pytest.raises(TableError, match=r"X of shape \(40, 3\) holds 12 numbers"):
        read(path)


@pytest.mark.parametrize(
    "wrong", [struct.pack("<IIii", 5, 8, -4, -3), struct.pack("<IId", 9, 8, 2)]
)
def test_dimensions_that_are_none(tmp_path, wrong):
    path = write(tmp_path / "a.mat", sound())
    patched(path, struct.pack("<IIii", 5, 8, *X.shape), wrong)
    with pytest.raises(TableError, match=r"makes no sense|where sizes or letters belong"):
        read(path)


@pytest.mark.parametrize(
    ("part", "position", "value", "message"),
    [
        ("indices", 0, 10**6, "of 4 rows names row 1000000"),
        ("indices", 0, -1, "of 4 rows names row"),
        ("indptr", 1, 99, "columns of a sparse matrix are out of order"),
        ("indptr", 0, 1, "columns of a sparse matrix are out of order"),
        ("indptr", -1, 10**6, "lacks some of its 1000000 values"),
    ],
)
def test_sparse_tables_that_point_outside_themselves(tmp_path, part, position, value, message):
    # scipy's writer puts such a matrix right, so the numbers are changed in the file.
    table = sparse.csc_array(X)
    path = write(tmp_path / "a.mat", {"X": table, "Y": Y})
    sound_part = getattr(table, part).astype("<i4")
    wrong_part = sound_part.copy()
    wrong_part[position] = value
    patched(path, sound_part.tobytes(), wrong_part.tobytes())
    with pytest.raises(TableError, match=rf"a\.mat: .*{message}"):
        read(path)


def test_a_bomb_is_not_unpacked(tmp_path):
    path = write(tmp_path / "a.mat", {"X": np.zeros((100, 1000)), "Y": np.arange(100)})
    content = path.read_bytes()
    size = 8 + struct.unpack_from("<I", content, 132)[0]
    # The packed variable claims a small shape and holds many more bytes than that.
    honest = content[128 : 128 + size].replace(
        struct.pack("<ii", 100, 1000), struct.pack("<ii", 100, 1), 1
    )
    packed = zlib.compress(honest)
    path.write_bytes(
        content[:128] + struct.pack("<II", 15, len(packed)) + packed + content[128 + size :]
    )
    with pytest.raises(TableError, match=r"a variable ends .* bytes too early"):
        read(path, max_bytes=4 * path.stat().st_size)


def test_sizes_beyond_the_limit(tmp_path):
    path = write(tmp_path / "a.mat", {"X": np.zeros((100, 100)), "Y": np.arange(100)})
    with pytest.raises(TableError, match=r"the file would take .* raise --max-size"):
        read(path, max_bytes=1000)
    write(path, {"X": np.zeros((100, 100)), "Y": np.arange(100)}, do_compression=True)
    with pytest.raises(TableError, match="X would take 680,000 bytes and at most 10,000"):
        read(path, max_bytes=10_000)
    assert len(read(path, max_bytes=700_000).X) == 100


def test_packing_that_is_damaged(tmp_path):
    path = write(tmp_path / "a.mat", sound(), do_compression=True)
    content = bytearray(path.read_bytes())
    content[140:150] = bytes(10)
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"damaged .*decompressing"):
        read(path)


@pytest.mark.parametrize(
    ("element", "message"),
    [
        (struct.pack("<II", 14, 4) + bytes(4), "ends within a tag"),
        (struct.pack("<II", 14, 16) + struct.pack("<I", 9 << 16 | 5) + bytes(12), "of 9 bytes"),
        (struct.pack("<II", 14, 16) + struct.pack("<II", 6, 7) + bytes(8), "not whole uint32"),
        (struct.pack("<II", 14, 8) + struct.pack("<II", 6, 80), "80 bytes too early"),
    ],
)
def test_elements_that_do_not_fit(element, message):
    with pytest.raises(DamagedError, match=message):
        variables(b"MATLAB 5.0 MAT-file".ljust(126) + b"IM" + element)
