"""Decode the arrays of numbers in a MATLAB file of version 5 (also called 6 and 7).

`scipy.io.loadmat` looks up the number types it finds in a file without asking whether they
exist: one damaged byte can end the process. Here every length, type and index is compared
with the bytes at hand before it is used.

A file is a header of 128 bytes and a row of elements. An element is a tag, two 32-bit numbers
(type, length), and so many bytes, filled up to a multiple of eight; an element of up to four
bytes may sit inside its tag. A variable is an element of type 14 that holds further elements:
flags, dimensions, name and numbers. It may come packed by zlib, in an element of type 15.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

__all__ = ["DamagedError", "Variable", "variables"]

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
