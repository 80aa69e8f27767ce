"""Read numpy archives: arrays X and y, never a pickled object."""

from __future__ import annotations

import math
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.datasets.readers.checked import MAX_BYTES, checked_dataset, refuse_oversize
from topofs.errors import DatasetError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from topofs.datasets.dataset import Dataset

__all__ = ["read_npz"]

_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npz(path: Path, *, max_bytes: int = MAX_BYTES) -> Dataset:
    """Read the arrays ``X`` and ``y`` of a numpy archive, with pickle switched off.

    The header of each array is compared with the bytes that are there before any memory is
    taken, so a header that promises an absurd size costs nothing.

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
    >>> import numpy as np
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.npz"
    ...     np.savez(path, X=[[1, 2], [3, 4]], y=[1, 2])
    ...     read_npz(path)
    Dataset('tiny', n_samples=2, n_features=2, n_classes=2)
    """
    try:
        with zipfile.ZipFile(path) as archive:
            X, y = (_array(path, archive, name, max_bytes) for name in ("X", "y"))
    except DatasetError:
        raise
    except zipfile.BadZipFile as error:
        raise DatasetError(f"{path}: not a whole numpy archive ({error})") from error
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise DatasetError(f"{path}: the file is damaged ({reason})") from error
    return checked_dataset(path, X, y)


def _array(path: Path, archive: zipfile.ZipFile, name: str, max_bytes: int) -> npt.NDArray[Any]:
    member = f"{name}.npy"
    if member not in archive.namelist():
        held = ", ".join(archive.namelist()) or "nothing"
        raise DatasetError(f"{path}: needs an array {name}; it holds {held}")
    n_bytes = archive.getinfo(member).file_size
    refuse_oversize(path, name, n_bytes, max_bytes)
    with archive.open(member) as file:
        _check_header(path, file, name, n_bytes)
    with archive.open(member) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _check_header(path: Path, file: Any, name: str, n_bytes: int) -> None:
    version = np.lib.format.read_magic(file)
    if version not in _HEADER_READERS:
        raise DatasetError(f"{path}: {name} is in the unknown array format {version}")
    shape, _, dtype = _HEADER_READERS[version](file)
    if dtype.hasobject:
        raise DatasetError(
            f"{path}: {name} holds pickled objects, which are never loaded; store numbers"
        )
    promised = math.prod(shape) * dtype.itemsize
    if promised != n_bytes - file.tell():
        raise DatasetError(
            f"{path}: {name} is said to be {dtype} of shape {shape}, {promised:,} bytes, and "
            f"{n_bytes - file.tell():,} are there"
        )
