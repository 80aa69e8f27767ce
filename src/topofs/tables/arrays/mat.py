"""Read the MATLAB files of the scikit-feature collection: variables X and Y."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from topofs.datasets.readers.checked import MAX_BYTES, checked_dataset, refuse_oversize
from topofs.datasets.readers.mat5 import DamagedError, Variable, variables
from topofs.errors import DatasetError

if TYPE_CHECKING:
    from pathlib import Path

    from topofs.datasets.dataset import Dataset

__all__ = ["read_mat"]

_MAGIC = b"MATLAB 5.0 MAT-file"
_MAGIC_OF_HDF5 = b"MATLAB 7.3 MAT-file"
_BYTES_OF_A_NUMBER = 8


def read_mat(path: Path, *, max_bytes: int = MAX_BYTES) -> Dataset:
    """Read the variables ``X`` (full or sparse) and ``Y`` of a MATLAB file, versions 5 to 7.

    Only these two are decoded, and only if their descriptions say that they are arrays of
    real numbers of a bearable size: cells, structures, objects and functions stay unread.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    max_bytes : int, default 2 GiB
        The largest array to unpack.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        The file is not what it should be; the message says how.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from scipy.io import savemat
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.mat"
    ...     savemat(path, {"X": [[1, 2], [3, 4]], "Y": [[1], [2]]})
    ...     read_mat(path)
    Dataset('tiny', n_samples=2, n_features=2, n_classes=2)
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
        raise DatasetError(f"{path}: the file is damaged or cut short ({error})") from error
    return checked_dataset(path, X, y)


def _check_magic(path: Path, content: bytes) -> None:
    if content.startswith(_MAGIC_OF_HDF5):
        raise DatasetError(f"{path}: this is a version 7.3 MATLAB file; save it with -v7")
    if not content.startswith(_MAGIC):
        raise DatasetError(f"{path}: this is not a MATLAB file (version 5 to 7)")


def _wanted(path: Path, found: list[Variable], name: str, max_bytes: int) -> Variable:
    named = [variable for variable in found if variable.name == name]
    if len(named) != 1:
        held = ", ".join(variable.name for variable in found) or "nothing"
        raise DatasetError(f"{path}: needs one variable {name}; it holds {held}")
    variable = named[0]
    if not variable.is_numeric:
        raise DatasetError(f"{path}: {name} is a {variable.kind}; it must hold real numbers")
    refuse_oversize(path, name, math.prod(variable.shape) * _BYTES_OF_A_NUMBER, max_bytes)
    return variable
