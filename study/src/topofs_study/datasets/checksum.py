"""Compare a file with its known checksum, once for each state of the file."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from topofs_study.errors import DatasetError

__all__ = ["sha256", "verify"]


def sha256(path: Path) -> str:
    """Checksum of a file, remembered as long as its size and time stay the same.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "empty"
    ...     path.touch()
    ...     sha256(path)[:16]
    'e3b0c44298fc1c14'
    """
    state = path.stat()
    return _sha256(str(path.resolve()), state.st_mtime_ns, state.st_size)


def verify(path: Path, expected: str) -> None:
    """Make sure that a file is the one it is taken for.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    expected : str
        The checksum it must have.

    Raises
    ------
    DatasetError
        It has another one.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "empty"
    ...     path.touch()
    ...     verify(path, sha256(path))
    """
    found = sha256(path)
    if found != expected:
        raise DatasetError(
            f"{path}: the checksum is {found} and should be {expected}; "
            "the file is another version or damaged, replace it"
        )


@lru_cache(maxsize=64)
def _sha256(path: str, mtime_ns: int, size: int) -> str:  # noqa: ARG001 - part of the key
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
