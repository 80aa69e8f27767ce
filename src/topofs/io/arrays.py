"""`LabelledArrays`, and what every reader makes sure of before it hands them on.

Read numpy archives: arrays X and y, never a pickled object.

Decode the arrays of numbers in a MATLAB file of version 5 (also called 6 and 7).

`scipy.io.loadmat` looks up the number types it finds in a file without asking whether they
exist: one damaged byte can end the process. Here every length, type and index is compared
with the bytes at hand before it is used.

A file is a header of 128 bytes and a row of elements. An element is a tag, two 32-bit numbers
(type, length), and so many bytes, filled up to a multiple of eight; an element of up to four
bytes may sit inside its tag. A variable is an element of type 14 that holds further elements:
flags, dimensions, name and numbers. It may come packed by zlib, in an element of type 15.

Read the MATLAB files of the scikit-feature collection: variables X and Y.

Read the text format of the NIPS 2003 challenge, in which GISETTE and MADELON are kept.

Formats that keep a table and its labels apart: one a module, nothing ever unpickled.
"""

from __future__ import annotations

import math
import struct
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt


__all__ = [
    "MAX_BYTES",
    "READERS",
    "DamagedError",
    "LabelledArrays",
    "Variable",
    "bytes_of",
    "checked_arrays",
    "read_mat",
    "read_npz",
    "read_uci",
    "refuse_oversize",
    "variables",
]


MAX_BYTES = 2 * 1024**3


"""The largest array that is read unless the caller allows more: 2 GiB, once unpacked."""


_SHOWN_LABELS = 3


_BYTES_OF_A_NUMBER = 8


_BYTES_OF_A_COLUMN = 6000


@dataclass(frozen=True, eq=False)
class LabelledArrays:
    """A table, in the type and memory layout of its file, with the class of each row.

    `test_rows` are those that the makers of the file set aside for testing.
    """

    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    test_rows: slice | None = None


def checked_arrays(
    path: Path,
    X: npt.NDArray[Any],
    y: npt.NDArray[Any],
    *,
    test_rows: slice | None = None,
) -> LabelledArrays:
    """Check what a file holds, or say what is wrong with the file.

    The table must be two-dimensional, not empty, of finite real numbers; labels must be one
    a row, whole numbers or text. Labels stored as floats become integers.
    """
    _check_table(path, X)
    labels = _checked_labels(path, y)
    if len(labels) != len(X):
        raise TableError(f"{path}: X has {len(X)} rows and there are {len(labels)} labels")
    return LabelledArrays(X, labels, test_rows)


def bytes_of(shape: tuple[int, ...]) -> int:
    """What an array takes as columns of numbers: eight bytes a number, and some for a column."""
    n_columns = shape[1] if len(shape) > 1 else 1
    return _BYTES_OF_A_NUMBER * math.prod(shape) + _BYTES_OF_A_COLUMN * n_columns


def refuse_oversize(path: Path | str, what: str, n_bytes: int, max_bytes: int) -> None:
    """Stop before an array is unpacked that is larger than the caller allows."""
    if n_bytes > max_bytes:
        raise TableError(
            f"{path}: {what} would take {n_bytes:,} bytes and at most {max_bytes:,} are "
            "allowed; if the file is to be trusted raise --max-size (in Python max_bytes)"
        )


def _check_table(path: Path, X: npt.NDArray[Any]) -> None:
    if X.ndim != 2 or X.size == 0:
        raise TableError(
            f"{path}: X has shape {X.shape}; it must have two dimensions and not be empty"
        )
    if X.dtype.kind not in "biuf":
        raise TableError(f"{path}: X holds {X.dtype} values; it must hold real numbers")
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(X)))
        raise TableError(
            f"{path}: X holds {X[row, column]} at row {row}, column {column}; "
            "every value must be a finite number"
        )


def _checked_labels(path: Path, y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if y.ndim == 2 and 1 in y.shape:
        y = y.ravel()
    if y.ndim != 1:
        raise TableError(f"{path}: the labels have shape {y.shape}; give one for each row")
    if y.dtype.kind == "f":
        whole = np.isfinite(y) & (y == np.floor(y)) & (np.abs(y) < 2**53)
        if not whole.all():
            odd = ", ".join(str(label) for label in y[~whole][:_SHOWN_LABELS])
            raise TableError(
                f"{path}: the labels hold {odd}; a class is a whole number or a text"
            )
        return y.astype(np.int64)
    is_text = y.dtype == object and all(isinstance(label, str) for label in y)
    if y.dtype.kind not in "biuU" and not is_text:
        raise TableError(
            f"{path}: the labels hold {y.dtype} values; a class is a whole number or a text"
        )
    return y


_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npz(path: Path, *, max_bytes: int = MAX_BYTES) -> LabelledArrays:
    """Read the arrays ``X`` and ``y`` of a numpy archive, with pickle switched off.

    The header of each array is compared with the bytes that are there before any memory is
    taken, so a header that promises an absurd size costs nothing.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            X, y = (_array(path, archive, name, max_bytes) for name in ("X", "y"))
    except TableError:
        raise
    except zipfile.BadZipFile as error:
        raise TableError(f"{path}: not a whole numpy archive ({error})") from error
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise TableError(f"{path}: the file is damaged ({reason})") from error
    return checked_arrays(path, X, y)


def _array(path: Path, archive: zipfile.ZipFile, name: str, max_bytes: int) -> npt.NDArray[Any]:
    member = f"{name}.npy"
    if member not in archive.namelist():
        held = ", ".join(archive.namelist()) or "nothing"
        raise TableError(f"{path}: needs an array {name}; it holds {held}")
    n_bytes = archive.getinfo(member).file_size
    refuse_oversize(path, name, n_bytes, max_bytes)
    with archive.open(member) as file:
        refuse_oversize(path, name, _check_header(path, file, name, n_bytes), max_bytes)
    with archive.open(member) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _check_header(path: Path, file: Any, name: str, n_bytes: int) -> int:
    """Compare the header with what is there; give the bytes of the array as numbers."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADER_READERS:
        raise TableError(f"{path}: {name} is in the unknown array format {version}")
    shape, _, dtype = _HEADER_READERS[version](file)
    if dtype.hasobject:
        raise TableError(
            f"{path}: {name} holds pickled objects, which are never loaded; store numbers"
        )
    promised = math.prod(shape) * dtype.itemsize
    if promised != n_bytes - file.tell():
        raise TableError(
            f"{path}: {name} is said to be {dtype} of shape {shape}, {promised:,} bytes, and "
            f"{n_bytes - file.tell():,} are there"
        )
    return bytes_of(shape)


_HEADER_BYTES = 128


_MATRIX = 14


_PACKED = 15


_NUMBER_TYPES = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}


_CLASSES = dict(
    enumerate(
        (
            *("cell", "structure", "object", "text", "sparse matrix", "double", "single"),
            *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
            *("function", "object"),
        ),
        start=1,
    )
)


_SPARSE = 5


_FIRST_NUMERIC, _LAST_NUMERIC = 5, 15


_CLASS_BITS = 0xFF


_COMPLEX_FLAG = 0x800


_PEEK_BYTES = 4096


class DamagedError(ValueError):
    """The bytes are not those of a MATLAB file; the message says what does not fit."""


@dataclass(frozen=True)
class Variable:
    """A variable whose description was read and whose numbers were not.

    `kind` is what it is, in words; `array` can be called where it `is_numeric` (real, full or
    sparse). `element` has its bytes, packed or not; `order` is "<" or ">", as in `struct`.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    is_numeric: bool
    element: memoryview
    order: str

    def array(self, *, max_bytes: int) -> npt.NDArray[Any]:
        """Decode the numbers, in the type they are stored in; a sparse matrix becomes full."""
        view = _unpacked(self.element, self.order, max_bytes + _PEEK_BYTES)
        *_, start = _description(view, self.order)
        numbers = [_numbers(*part, self.order) for part in _elements(view, start, self.order)]
        if self.kind == _CLASSES[_SPARSE]:
            return _filled_in(self.shape, numbers)
        if len(numbers) != 1 or numbers[0].size != math.prod(self.shape):
            sizes = " + ".join(str(part.size) for part in numbers) or "no"
            raise DamagedError(f"{self.name} of shape {self.shape} holds {sizes} numbers")
        return numbers[0].reshape(self.shape, order="F")


def variables(content: bytes) -> list[Variable]:
    """Describe the variables of a file."""
    order = {b"IM": "<", b"MI": ">"}.get(content[_HEADER_BYTES - 2 : _HEADER_BYTES])
    if order is None:
        raise DamagedError("the header is not complete")
    found = []
    view = memoryview(content)
    start = _HEADER_BYTES
    while start < len(view):
        end = _end_of_element(view, start, order)
        found.append(_variable(view[start:end], order))
        start = end
    return found


def _end_of_element(view: memoryview, start: int, order: str) -> int:
    if start + 8 > len(view):
        raise DamagedError("it ends within a tag")
    _, length = struct.unpack_from(f"{order}II", view, start)
    end: int = start + 8 + length
    if end > len(view):
        raise DamagedError(f"it ends {end - len(view):,} bytes too early")
    return end


def _variable(element: memoryview, order: str) -> Variable:
    flags, shape, name, _ = _description(_unpacked(element, order, _PEEK_BYTES), order)
    kind = flags & _CLASS_BITS
    is_numeric = _FIRST_NUMERIC <= kind <= _LAST_NUMERIC and not flags & _COMPLEX_FLAG
    words = _CLASSES.get(kind, f"thing of class {kind}")
    if flags & _COMPLEX_FLAG:
        words = f"complex {words}"
    return Variable(name, shape, words, is_numeric, element, order)


def _unpacked(element: memoryview, order: str, max_bytes: int) -> memoryview:
    """Take the packing off, up to `max_bytes`; what is beyond them is left out."""
    (kind,) = struct.unpack_from(f"{order}I", element)
    if kind != _PACKED:
        return element
    try:
        return memoryview(zlib.decompressobj().decompress(element[8:], max_bytes))
    except zlib.error as error:
        raise DamagedError(str(error)) from error


def _description(view: memoryview, order: str) -> tuple[int, tuple[int, ...], str, int]:
    """Read flags, dimensions and name, and tell where the numbers begin."""
    if len(view) < 8 or struct.unpack_from(f"{order}I", view)[0] != _MATRIX:
        raise DamagedError("a variable does not begin like one")
    parts = []
    start = 8
    for _ in range(3):
        number_type, content, start = _element(view, start, order)
        parts.append(_numbers(number_type, content, order))
    flags, shape, name = (_whole(part) for part in parts)
    if flags.size != 2 or shape.size < 1 or (shape < 0).any():
        raise DamagedError("the description of a variable makes no sense")
    words = "".join(chr(letter) if 32 <= letter < 127 else "?" for letter in name.tolist())
    return int(flags[0]), tuple(shape.tolist()), words, start


def _elements(view: memoryview, start: int, order: str) -> Iterator[tuple[int, memoryview]]:
    (length,) = struct.unpack_from(f"{order}I", view, 4)
    end = 8 + length
    if end > len(view):
        raise DamagedError(f"a variable ends {end - len(view):,} bytes too early")
    while start < end:
        number_type, content, start = _element(view[:end], start, order)
        yield number_type, content


def _element(view: memoryview, start: int, order: str) -> tuple[int, memoryview, int]:
    """Type and content of the element at `start`, and where the next one begins."""
    if start + 8 > len(view):
        raise DamagedError("a variable ends within a tag")
    kind, length = struct.unpack_from(f"{order}II", view, start)
    small_length = kind >> 16
    if small_length:
        if small_length > 4:
            raise DamagedError(f"a small element of {small_length} bytes")
        return kind & 0xFFFF, view[start + 4 : start + 4 + small_length], start + 8
    end = start + 8 + length
    if end > len(view):
        raise DamagedError(f"an element ends {end - len(view):,} bytes too early")
    return kind, view[start + 8 : end], end + -end % 8


def _numbers(number_type: int, content: memoryview, order: str) -> npt.NDArray[Any]:
    if number_type not in _NUMBER_TYPES:
        raise DamagedError(f"there are no numbers of type {number_type}")
    dtype = np.dtype(order + _NUMBER_TYPES[number_type])
    if len(content) % dtype.itemsize:
        raise DamagedError(f"{len(content)} bytes are not whole {dtype} numbers")
    return np.frombuffer(content, dtype).astype(dtype.newbyteorder("="))


def _whole(numbers: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Make integers to count and to index with; no honest file has wider ones than these."""
    if numbers.dtype.kind == "f" or numbers.dtype.itemsize > 4:
        raise DamagedError(f"{numbers.dtype} numbers stand where sizes or letters belong")
    return numbers.astype(np.int64)


def _filled_in(shape: tuple[int, ...], parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Make a full matrix of row numbers, where each column begins among them, and values."""
    if len(parts) != 3 or len(shape) != 2:
        raise DamagedError("a sparse matrix needs two dimensions and three lists of numbers")
    rows, starts, values = _whole(parts[0]), _whole(parts[1]), parts[2]
    n_rows, n_columns = shape
    if starts.size != n_columns + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise DamagedError("the columns of a sparse matrix are out of order")
    n_values = int(starts[-1])
    if n_values > min(rows.size, values.size):
        raise DamagedError(f"a sparse matrix lacks some of its {n_values} values")
    rows, values = rows[:n_values], values[:n_values]
    if rows.size and not 0 <= rows.min() <= rows.max() < n_rows:
        raise DamagedError(f"a sparse matrix of {n_rows} rows names row {rows.max()}")
    full = np.zeros(shape, values.dtype, order="F")
    full[rows, np.repeat(np.arange(n_columns), np.diff(starts))] = values
    return full


_MAGIC = b"MATLAB 5.0 MAT-file"


_MAGIC_OF_HDF5 = b"MATLAB 7.3 MAT-file"


def read_mat(path: Path, *, max_bytes: int = MAX_BYTES) -> LabelledArrays:
    """Read the variables ``X`` (full or sparse) and ``Y`` of a MATLAB file, versions 5 to 7.

    Only these two are decoded, and only if their descriptions say that they are arrays of
    real numbers of a bearable size: cells, structures, objects and functions stay unread.
    """
    refuse_oversize(path, "the file", path.stat().st_size, max_bytes)
    content = path.read_bytes()
    _check_magic(path, content)
    try:
        found = variables(content)
        X, y = (
            _wanted(path, found, name, max_bytes).array(max_bytes=max_bytes)
            for name in ("X", "Y")
        )
    except DamagedError as error:
        raise TableError(f"{path}: the file is damaged or cut short ({error})") from error
    return checked_arrays(path, X, y)


def _check_magic(path: Path, content: bytes) -> None:
    if content.startswith(_MAGIC_OF_HDF5):
        raise TableError(f"{path}: this is a version 7.3 MATLAB file; save it with -v7")
    if not content.startswith(_MAGIC):
        raise TableError(f"{path}: this is not a MATLAB file (version 5 to 7)")


def _wanted(path: Path, found: list[Variable], name: str, max_bytes: int) -> Variable:
    named = [variable for variable in found if variable.name == name]
    if len(named) != 1:
        held = ", ".join(variable.name for variable in found) or "nothing"
        raise TableError(f"{path}: needs one variable {name}; it holds {held}")
    variable = named[0]
    if not variable.is_numeric:
        raise TableError(f"{path}: {name} is a {variable.kind}; it must hold real numbers")
    refuse_oversize(path, name, bytes_of(variable.shape), max_bytes)
    return variable


_TRAIN_TABLE = "_train.data"


def read_uci(folder: Path, *, max_bytes: int = MAX_BYTES) -> LabelledArrays:
    """Read a folder with ``NAME_train.data``, ``NAME_valid.data`` and their ``.labels``.

    A table is one sample a line, whole numbers with spaces between; labels are one a line.
    The two parts are stacked, and the validation part becomes the test rows.
    """
    name = _name_of_files(folder)
    train_table, train_labels = _part(folder, f"{name}_train", max_bytes)
    test_table, test_labels = _part(folder, f"{name}_valid", max_bytes)
    if train_table.shape[1] != test_table.shape[1]:
        raise TableError(
            f"{folder}: {name}_train.data has {train_table.shape[1]} columns and "
            f"{name}_valid.data has {test_table.shape[1]}"
        )
    return checked_arrays(
        folder,
        np.concatenate([train_table, test_table]),
        np.concatenate([train_labels, test_labels]),
        test_rows=slice(len(train_table), len(train_table) + len(test_table)),
    )


def _name_of_files(folder: Path) -> str:
    if not folder.is_dir():
        raise TableError(f"{folder}: must be a folder with the files NAME{_TRAIN_TABLE}, …")
    tables = sorted(folder.glob(f"*{_TRAIN_TABLE}"))
    if len(tables) != 1:
        found = ", ".join(table.name for table in tables) or "none"
        raise TableError(f"{folder}: needs one file NAME{_TRAIN_TABLE}; found {found}")
    return tables[0].name.removesuffix(_TRAIN_TABLE)


def _part(folder: Path, stem: str, max_bytes: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    table = _numbers_of_part(folder / f"{stem}.data", max_bytes)
    path = folder / f"{stem}.labels"
    labels = _numbers_of_part(path, max_bytes)
    if labels.shape != (len(table), 1):
        raise TableError(
            f"{path}: holds {labels.shape[0]} lines of {labels.shape[1]} numbers; "
            f"{stem}.data needs one label for each of its {len(table)} lines"
        )
    return table, labels


def _numbers_of_part(path: Path, max_bytes: int) -> npt.NDArray[Any]:
    if not path.is_file():
        raise TableError(f"{path}: the file is missing")
    # A value takes two characters at least in the file and eight bytes in memory.
    refuse_oversize(path, "a table as long as this", path.stat().st_size * 4, max_bytes)
    with warnings.catch_warnings():
        # numpy only warns of a file without a line.
        warnings.filterwarnings("error", message=".*input contained no data")
        try:
            numbers = np.loadtxt(path, comments=None, ndmin=2, encoding="ascii")
        except (UserWarning, ValueError) as error:
            raise TableError(f"{path}: not a table of numbers ({error})") from error
    return numbers


READERS = {"mat": read_mat, "npz": read_npz, "uci": read_uci}


"""The readers by format: a path in, checked `LabelledArrays` out."""
