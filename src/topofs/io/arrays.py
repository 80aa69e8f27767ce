"""Files that store a table X and its labels separately: numpy archives and MATLAB files.

No file is trusted: nothing is unpickled, every size in a header is compared with the available
bytes before memory is allocated, and a damaged file raises a `TableError` with one sentence.
"""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError
from topofs.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from topofs.typing import Ints

    Array = np.ndarray[Any, np.dtype[Any]]

MAX_BYTES = 2 * 1024**3
"""The largest array that is read unless the caller allows more: 2 GiB, once unpacked."""

_BYTES_OF_A_NUMBER = 8
_BYTES_OF_A_COLUMN = 6000


@dataclass(frozen=True, eq=False)
class LabelledArrays:
    """A table, in the type and memory layout of its file, with the class of each row."""

    X: Array
    y: Array


def checked_arrays(path: Path, X: Array, y: Array) -> LabelledArrays:
    """Check the arrays of a file; raise an error that describes the fault.

    The table must be two-dimensional, not empty, and hold finite real numbers. There must be
    one label per row, a whole number or text. Labels stored as floats become integers.
    """
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
    labels = _checked_labels(path, y)
    if len(labels) != len(X):
        raise TableError(f"{path}: X has {len(X)} rows and there are {len(labels)} labels")
    return LabelledArrays(X, labels)


def _checked_labels(path: Path, y: Array) -> Array:
    if y.ndim == 2 and 1 in y.shape:
        y = y.ravel()
    if y.ndim != 1:
        raise TableError(f"{path}: the labels have shape {y.shape}; give one for each row")
    if y.dtype.kind == "f":
        whole = np.isfinite(y) & (y == np.floor(y)) & (np.abs(y) < 2**53)
        if not whole.all():
            odd = ", ".join(str(label) for label in y[~whole][:3])
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


def bytes_of(shape: tuple[int, ...]) -> int:
    """Bytes of an array as columns of numbers: eight per number, and some per column."""
    n_columns = shape[1] if len(shape) > 1 else 1
    return _BYTES_OF_A_NUMBER * math.prod(shape) + _BYTES_OF_A_COLUMN * n_columns


def refuse_oversize(path: Path | str, what: str, n_bytes: int, max_bytes: int) -> None:
    """Refuse an array that is larger than the caller allows, before it is unpacked."""
    if n_bytes > max_bytes:
        raise TableError(
            f"{path}: {what} would take {n_bytes:,} bytes and at most {max_bytes:,} are "
            "allowed; if the file is to be trusted raise --max-size (in Python max_bytes)"
        )


# numpy archives

_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npz(path: Path, *, max_bytes: int = MAX_BYTES) -> LabelledArrays:
    """Read the arrays ``X`` and ``y`` of a numpy archive, with pickle switched off."""
    try:
        with zipfile.ZipFile(path) as archive:
            X, y = (_member(path, archive, name, max_bytes) for name in ("X", "y"))
    except TableError:
        raise
    except zipfile.BadZipFile as error:
        raise TableError(f"{path}: not a whole numpy archive ({error})") from error
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise TableError(f"{path}: the file is damaged ({reason})") from error
    return checked_arrays(path, X, y)


def _member(path: Path, archive: zipfile.ZipFile, name: str, max_bytes: int) -> Array:
    member = f"{name}.npy"
    if member not in archive.namelist():
        held = listed(archive.namelist()) or "nothing"
        raise TableError(f"{path}: needs an array {name}; it holds {held}")
    n_bytes = archive.getinfo(member).file_size
    refuse_oversize(path, name, n_bytes, max_bytes)
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADER_READERS:
            raise TableError(f"{path}: {name} is in the unknown array format {version}")
        shape, _, dtype = _HEADER_READERS[version](file)
        if dtype.hasobject:
            raise TableError(
                f"{path}: {name} holds pickled objects, which are never loaded; store numbers"
            )
        promised, there = math.prod(shape) * dtype.itemsize, n_bytes - file.tell()
        if promised != there:
            raise TableError(
                f"{path}: {name} is said to be {dtype} of shape {shape}, {promised:,} bytes, and "
                f"{there:,} are there"
            )
        refuse_oversize(path, name, bytes_of(shape), max_bytes)
    with archive.open(member) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


# MATLAB files of version 5, also called 6 and 7
#
# Written by hand for security: scipy.io.loadmat does not check the number types and sparse
# indices of a file, and one wrong byte can crash the process: with wrong bytes as in
# tests/io/arrays/test_damage.py, 113 of 600 sparse files ended it (scipy 1.17.1, 2026-11-19).
# Here every length, type and index is compared with the bytes at hand before it is used.
#
# A file is a header of 128 bytes and a row of elements. An element is a tag, two 32-bit numbers
# (type, length), and so many bytes, filled up to a multiple of eight; an element of up to four
# bytes may sit inside its tag. A variable is an element of type 14 that holds further elements:
# flags, dimensions, name and numbers. It may come packed by zlib, in an element of type 15.

_HEADER_BYTES = 128
_PEEK_BYTES = 4096
_MATRIX, _PACKED = 14, 15
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
_CLASSES = (
    *("", "cell", "structure", "object", "text", "sparse matrix", "double", "single"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("function", "object"),
)
_SPARSE, _LAST_NUMERIC = 5, 15
_CLASS_BITS, _COMPLEX_FLAG = 0xFF, 0x800


class DamagedError(ValueError):
    """The bytes are not those of a MATLAB file; the message says what does not fit."""


def read_mat(path: Path, *, max_bytes: int = MAX_BYTES) -> LabelledArrays:
    """Read the variables ``X`` (full or sparse) and ``Y`` of a MATLAB file, versions 5 to 7.

    Only these two are decoded, and only if their descriptions say that they are arrays of
    real numbers of a bearable size: cells, structures, objects and functions stay unread.
    """
    refuse_oversize(path, "the file", path.stat().st_size, max_bytes)
    content = path.read_bytes()
    if content.startswith(b"MATLAB 7.3 MAT-file"):
        raise TableError(f"{path}: this is a version 7.3 MATLAB file; save it with -v7")
    if not content.startswith(b"MATLAB 5.0 MAT-file"):
        raise TableError(f"{path}: this is not a MATLAB file (version 5 to 7)")
    try:
        found = variables(content)
        X, y = (_decoded(path, found, name, max_bytes) for name in ("X", "Y"))
    except DamagedError as error:
        raise TableError(f"{path}: the file is damaged or cut short ({error})") from error
    return checked_arrays(path, X, y)


def _decoded(path: Path, found: list[Variable], name: str, max_bytes: int) -> Array:
    named = [variable for variable in found if variable.name == name]
    if len(named) != 1:
        held = listed([variable.name for variable in found]) or "nothing"
        raise TableError(f"{path}: needs one variable {name}; it holds {held}")
    variable = named[0]
    if not variable.is_numeric:
        raise TableError(f"{path}: {name} is a {variable.kind}; it must hold real numbers")
    refuse_oversize(path, name, bytes_of(variable.shape), max_bytes)
    return variable.array(max_bytes=max_bytes)


@dataclass(frozen=True)
class Variable:
    """A variable whose description was read, but not its numbers.

    `kind` describes it in words. `array` can be called if it `is_numeric` (real, full or
    sparse). `element` holds its bytes, packed or not; `order` is "<" or ">", as in `struct`.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    is_numeric: bool
    element: memoryview
    order: str

    def array(self, *, max_bytes: int) -> Array:
        """Decode the numbers, in the type they are stored in; a sparse matrix becomes full."""
        view = _unpacked(self.element, self.order, max_bytes + _PEEK_BYTES)
        *_, start = _description(view, self.order)
        (length,) = struct.unpack_from(f"{self.order}I", view, 4)
        if 8 + length > len(view):
            raise DamagedError(f"a variable ends {8 + length - len(view):,} bytes too early")
        numbers = list(_arrays(view[: 8 + length], start, self.order))
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
        if start + 8 > len(view):
            raise DamagedError("it ends within a tag")
        end = start + 8 + struct.unpack_from(f"{order}II", view, start)[1]
        if end > len(view):
            raise DamagedError(f"it ends {end - len(view):,} bytes too early")
        element = view[start:end]
        flags, shape, name, _ = _description(_unpacked(element, order, _PEEK_BYTES), order)
        kind, is_complex = flags & _CLASS_BITS, bool(flags & _COMPLEX_FLAG)
        words = _CLASSES[kind] if 0 < kind < len(_CLASSES) else f"thing of class {kind}"
        words = f"complex {words}" if is_complex else words
        is_numeric = _SPARSE <= kind <= _LAST_NUMERIC and not is_complex
        found.append(Variable(name, shape, words, is_numeric, element, order))
        start = end
    return found


def _unpacked(element: memoryview, order: str, max_bytes: int) -> memoryview:
    """Unpack up to `max_bytes`, and drop the rest."""
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
        numbers, start = _array_at(view, start, order)
        parts.append(_whole(numbers))
    flags, shape, name = parts
    if flags.size != 2 or shape.size < 1 or (shape < 0).any():
        raise DamagedError("the description of a variable makes no sense")
    letters = "".join(chr(letter) if 32 <= letter < 127 else "?" for letter in name.tolist())
    return int(flags[0]), tuple(shape.tolist()), letters, start


def _arrays(view: memoryview, start: int, order: str) -> Iterator[Array]:
    while start < len(view):
        numbers, start = _array_at(view, start, order)
        yield numbers


def _array_at(view: memoryview, start: int, order: str) -> tuple[Array, int]:
    """The numbers of the element at `start`, and where the next element begins."""
    if start + 8 > len(view):
        raise DamagedError("a variable ends within a tag")
    kind, length = struct.unpack_from(f"{order}II", view, start)
    first, end = start + 8, start + 8 + length
    following = end + -end % 8
    if kind >> 16:
        # An element inside its tag: the length stands where the type has its upper half.
        kind, length = kind & 0xFFFF, kind >> 16
        if length > 4:
            raise DamagedError(f"a small element of {length} bytes")
        first, end, following = start + 4, start + 4 + length, start + 8
    if end > len(view):
        raise DamagedError(f"an element ends {end - len(view):,} bytes too early")
    if kind not in _NUMBER_TYPES:
        raise DamagedError(f"there are no numbers of type {kind}")
    dtype = np.dtype(order + _NUMBER_TYPES[kind])
    if length % dtype.itemsize:
        raise DamagedError(f"{length} bytes are not whole {dtype} numbers")
    numbers = np.frombuffer(view[first:end], dtype).astype(dtype.newbyteorder("="))
    return numbers, following


def _whole(numbers: Array) -> Ints:
    """Make integers for counts and indices; no valid file has wider ones."""
    if numbers.dtype.kind == "f" or numbers.dtype.itemsize > 4:
        raise DamagedError(f"{numbers.dtype} numbers stand where sizes or letters belong")
    return numbers.astype(np.int64)


def _filled_in(shape: tuple[int, ...], parts: list[Array]) -> Array:
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


READERS = {"mat": read_mat, "npz": read_npz}
"""The readers by format: a path in, checked `LabelledArrays` out."""
