"""Write a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["replacing", "replacing_together"]


# A name may have 255 bytes at most, and the temporary one is longer.
_SHOWN_STEM = 40


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
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{target.stem[:_SHOWN_STEM]}-", suffix=target.suffix, dir=target.parent
        )
    except OSError as error:
        # The name of the temporary file would tell nobody anything.
        raise type(error)(error.errno, error.strerror, str(path)) from None
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


@contextmanager
def replacing_together(paths: Iterable[str | os.PathLike[str]]) -> Iterator[list[Path]]:
    """Do as `replacing` does for several files: all of them appear, or none does.

    No file is moved to its place before the block has ended well, so what fails while the
    last one is written leaves the first one as it was, too.

    Parameters
    ----------
    paths : iterable of path-like
        The files to write, all different.

    Yields
    ------
    list of pathlib.Path
        The temporary files to write to, in the same order.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     targets = [Path(folder) / "a.txt", Path(folder) / "b.txt"]
    ...     with replacing_together(targets) as unfinished:
    ...         for path in unfinished:
    ...             _ = path.write_text("42")
    ...     [target.read_text() for target in targets]
    ['42', '42']
    """
    with ExitStack() as stack:
        yield [stack.enter_context(replacing(path)) for path in paths]


def _permissions_of_a_new_file(target: Path) -> int:
    """The permissions of the file that is replaced, or those the umask gives a new one."""
    if target.exists():
        return target.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
