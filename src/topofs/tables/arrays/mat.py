"""Read the MATLAB files of the scikit-feature collection: variables X and Y."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topofs.errors import TableError
from topofs.tables.arrays.checked import MAX_BYTES, bytes_of, checked_arrays, refuse_oversize
from topofs.tables.arrays.mat5 import DamagedError, Variable, variables

if TYPE_CHECKING:
    from pathlib import Path

    from topofs.tables.arrays.checked import LabelledArrays

__all__ = ["read_mat"]

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
