"""Write a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its place when the block ends well.

    When the block raises, the temporary file is removed and a file that stood at `path`
    before stays as it was. The move is one `os.replace`, so a reader sees the old file or
    the new one, never a part. A link is followed; a device or a pipe, such as
    ``/dev/stdout``, cannot be replaced and is given itself.

    Parameters
    ----------
    path : path-like
        The file to write. Its folder must exist.

    Yields
    ------
    pathlib.Path
        The temporary file to write to, in the folder of `path`, with the same ending.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     target = Path(folder) / "answer.txt"
    ...     with replacing(target) as unfinished:
    ...         _ = unfinished.write_text("42")
    ...     target.read_text()
    '42'
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file to write")
    if target.exists() and not target.is_file():
        yield target
        return
    handle, name = tempfile.mkstemp(
        prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent
    )
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        unfinished.chmod(_permissions_of_a_new_file(target))
        os.replace(unfinished, target)  # noqa: PTH105 - Path.replace hides that it is atomic
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def _permissions_of_a_new_file(target: Path) -> int:
    """The permissions of the file that is replaced, or those the umask gives a new one."""
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
