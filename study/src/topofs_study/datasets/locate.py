"""Find the file of a dataset on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from topofs_study.errors import DatasetError, DatasetNotFoundError

if TYPE_CHECKING:
    from topofs_study.datasets.entries import DatasetInfo

__all__ = ["find", "how_to_get", "locate", "search_path", "user_cache"]

_VARIABLE = "TOPOFS_DATA"


def locate(entry: DatasetInfo, *, data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Find the file of a dataset: in `data_dir`, in ``$TOPOFS_DATA``, in the user cache.

    Parameters
    ----------
    entry : DatasetInfo
        The dataset, one that has a file.
    data_dir : path-like, optional
        A folder to look in first.

    Returns
    -------
    pathlib.Path
        The first file (for GISETTE: folder) with the right name; its content is not looked at.

    Raises
    ------
    DatasetNotFoundError
        None of the folders has it; the message says where it was looked for and how to get it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topofs_study.datasets import info
    >>> with TemporaryDirectory() as folder:
    ...     (Path(folder) / "Yale.mat").touch()
    ...     locate(info("Yale"), data_dir=folder).name
    'Yale.mat'
    """
    path = find(entry, data_dir=data_dir)
    if path is None:
        searched = ", ".join(str(folder) for folder in search_path(data_dir))
        raise DatasetNotFoundError(
            f"{entry.name}: {entry.file} is in none of the folders {searched}; "
            + how_to_get(entry)
        )
    return path


def find(entry: DatasetInfo, *, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
    """Like `locate`, with None for a file that is nowhere.

    Parameters
    ----------
    entry : DatasetInfo
        The dataset; an embedded one has no file.
    data_dir : path-like, optional
        A folder to look in first.

    Returns
    -------
    pathlib.Path or None

    Examples
    --------
    >>> from topofs_study.datasets import info
    >>> find(info("wine")) is None
    True
    """
    if entry.file is None:
        return None
    candidates = (folder / entry.file for folder in search_path(data_dir))
    return next((candidate for candidate in candidates if candidate.exists()), None)


def search_path(data_dir: str | os.PathLike[str] | None = None) -> tuple[Path, ...]:
    """List the folders in which datasets are looked for, in order.

    Parameters
    ----------
    data_dir : path-like, optional
        A folder to look in first; it must exist.

    Returns
    -------
    tuple of pathlib.Path

    Examples
    --------
    >>> search_path(".")[0].name, search_path(".")[-1] == user_cache()
    ('', True)
    """
    folders = []
    if data_dir is not None:
        folders.append(Path(data_dir))
        if not folders[0].is_dir():
            raise DatasetError(f"{folders[0]}: the data folder does not exist")
    from_environment = os.environ.get(_VARIABLE)
    if from_environment:
        folders.append(Path(from_environment))
    return (*folders, user_cache())


def user_cache() -> Path:
    """Name the folder that `fetch` puts files in; it need not exist yet.

    Returns
    -------
    pathlib.Path

    Examples
    --------
    >>> user_cache().name
    'topofs'
    """
    try:
        import pooch
    except ModuleNotFoundError:
        return Path.home() / ".cache" / "topofs"
    return Path(pooch.os_cache("topofs"))


def how_to_get(entry: DatasetInfo) -> str:
    """Tell how the file of a dataset is obtained.

    Parameters
    ----------
    entry : DatasetInfo
        The dataset, one that has a file.

    Returns
    -------
    str
        What can be said of the file, to go on with a sentence that names it.

    Examples
    --------
    >>> from topofs_study.datasets import info
    >>> how_to_get(info("Yale"))
    'fetch it with `topofs datasets fetch Yale`, or set $TOPOFS_DATA to the folder that has it'
    """
    if entry.url is not None:
        return (
            f"fetch it with `topofs datasets fetch {entry.name}`, or set ${_VARIABLE} to the "
            "folder that has it"
        )
    return (
        f"it cannot be downloaded; it comes from {entry.source}. Put it into {user_cache()}, "
        f"or set ${_VARIABLE} to the folder that has it"
    )
