"""Download a dataset and make sure that it is the right one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from topofs_study.datasets.checksum import sha256
from topofs_study.datasets.entries import DatasetInfo, info
from topofs_study.datasets.locate import how_to_get, user_cache
from topofs_study.errors import DatasetError

if TYPE_CHECKING:
    import os

__all__ = ["fetch"]

_TIMEOUT_SECONDS = 30


def fetch(
    name: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
) -> Path:
    """Download the file of a dataset, unless it is there already.

    The file gets its name only once its checksum is the known one; a failed or a wrong
    download leaves nothing behind. GISETTE has no known checksum and is never downloaded.

    Parameters
    ----------
    name : str
        A name in `registry`.
    data_dir : path-like, optional
        Where to put it, the user cache unless given. Made if it does not exist.
    base_url : str, optional
        A mirror: the file name is added to this ``http://`` or ``https://`` address.
        A mirror may also serve the reconstructed tables, which have no address of their own.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    UnknownDatasetError
        No dataset has this name.
    DatasetError
        There is nowhere to download it from, the download failed, or it brought another file.

    Examples
    --------
    >>> from topofs_study.datasets import fetch
    >>> fetch("lung")
    Traceback (most recent call last):
    topofs_study.errors.DatasetError: lung: lung.npz has no address; it cannot be downloaded;
    it comes from ...
    """
    import pooch

    entry = info(name)
    url = _address(entry, base_url)
    folder = user_cache() if data_dir is None else Path(data_dir)
    target = folder / str(entry.file)
    if target.is_file() and sha256(target) == entry.sha256:
        return target
    try:
        pooch.retrieve(
            url,
            known_hash=f"sha256:{entry.sha256}",
            fname=target.name,
            path=folder,
            downloader=pooch.HTTPDownloader(timeout=_TIMEOUT_SECONDS),
        )
    # A wrong checksum is a ValueError; a network, a server or a disk that fails is an OSError.
    except (OSError, ValueError) as error:
        raise DatasetError(f"{name}: could not fetch {url} into {folder}: {error}") from error
    return target


def _address(entry: DatasetInfo, base_url: str | None) -> str:
    if entry.embedded:
        raise ValueError(f"{entry.name} comes with scikit-learn; there is nothing to fetch")
    if entry.sha256 is None or (base_url is None and entry.url is None):
        raise DatasetError(f"{entry.name}: {entry.file} has no address; {how_to_get(entry)}")
    if base_url is None:
        return str(entry.url)
    if urlsplit(base_url).scheme not in {"http", "https"}:
        raise ValueError(f"base_url is {base_url!r}; it must begin with http:// or https://")
    return f"{base_url.rstrip('/')}/{quote(str(entry.file))}"
