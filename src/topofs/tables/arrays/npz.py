"""Read numpy archives: arrays X and y, never a pickled object."""

from __future__ import annotations

import math
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError
from topofs.tables.arrays.checked import MAX_BYTES, bytes_of, checked_arrays, refuse_oversize

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from topofs.tables.arrays.checked import LabelledArrays

__all__ = ["read_npz"]

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
