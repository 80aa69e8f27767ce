"""The datasets that have a name, and the files that hold them: find, verify, download.

The list itself is ``registry.csv`` beside this file, one line a dataset: the paper's sixteen and
three that come with scikit-learn. A checksum and an address are missing where none is known:
GISETTE (read from the text files of its makers) and the two reconstructed tables USPS and lung,
which nobody serves.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
import os
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from topofs_study.errors import DatasetError, DatasetNotFoundError, UnknownDatasetError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DatasetInfo", "fetch", "info", "registry", "search_path"]

_SIZES = ("n_samples", "n_features", "n_classes", "n_train")
_VARIABLE = "TOPOFS_DATA"
_TIMEOUT_SECONDS = 30


@dataclass(frozen=True, kw_only=True)
class DatasetInfo:
    """What is known of a dataset before it is read.

    Parameters
    ----------
    name : str
        The name in the paper.
    category : str
        The paper's word for where the data come from, or ``"embedded"``.
    n_samples, n_features, n_classes : int
        Sizes of the whole table.
    n_train : int or None
        Where the makers split the table: rows from here on are for testing.
    file : str or None
        The name of the file (a folder for GISETTE); None for the embedded ones.
    reader : str
        How it is read: ``"mat"``, ``"npz"``, ``"uci"`` or ``"sklearn"``.
    sha256 : str or None
        Checksum of the file; None where none is known.
    url : str or None
        Where `fetch` finds it; None where it cannot be downloaded.
    source : str
        Where the data come from.

    Examples
    --------
    >>> from topofs_study.datasets import info
    >>> madelon = info("MADELON")
    >>> madelon.file, madelon.n_samples, madelon.test_rows
    ('madelon.mat', 2600, slice(2000, 2600, None))
    """

    name: str
    category: str
    n_samples: int
    n_features: int
    n_classes: int
    n_train: int | None
    file: str | None
    reader: str
    sha256: str | None
    url: str | None
    source: str

    @property
    def embedded(self) -> bool:
        """Whether scikit-learn brings it along, so that no file is needed."""
        return self.file is None

    @property
    def test_rows(self) -> slice | None:
        """The rows set aside for testing, where the dataset comes split."""
        return None if self.n_train is None else slice(self.n_train, self.n_samples)


@cache
def registry() -> Mapping[str, DatasetInfo]:
    """List every dataset that has a name, the paper's first, in the paper's order.

    Returns
    -------
    mapping of str to DatasetInfo
        Read-only.

    Examples
    --------
    >>> from topofs_study.datasets import registry
    >>> list(registry())[:3]
    ['PCMAC', 'RELATHE', 'COIL20']
    >>> [name for name, entry in registry().items() if entry.embedded]
    ['digits', 'breast_cancer', 'wine']
    """
    text = files("topofs_study.datasets").joinpath("registry.csv").read_text(encoding="utf-8")
    entries = {}
    for row in csv.DictReader(text.splitlines()):
        known: dict[str, Any] = {name: value or None for name, value in row.items()}
        sizes = {name: int(value) for name, value in row.items() if name in _SIZES and value}
        entries[row["name"]] = DatasetInfo(**known | sizes)
    return MappingProxyType(entries)


def info(name: str) -> DatasetInfo:
    """Look up one dataset by its name.

    Parameters
    ----------
    name : str
        A name in `registry`, spelled exactly.

    Returns
    -------
    DatasetInfo

    Raises
    ------
    UnknownDatasetError
        No dataset has this name; the message lists those there are.

    Examples
    --------
    >>> from topofs_study.datasets import info
    >>> info("colon").source
    'jundongl/scikit-feature@48cffad skfeature/data/colon.mat'
    >>> info("Colon")
    Traceback (most recent call last):
    topofs_study.errors.UnknownDatasetError: no dataset is called 'Colon' (did you mean 'colon'?);
    there are PCMAC, RELATHE, ...
    """
    known = registry()
    if name in known:
        return known[name]
    folded = {known_name.casefold(): known_name for known_name in known}
    close = difflib.get_close_matches(name.casefold(), folded, n=1)
    hint = f" (did you mean {folded[close[0]]!r}?)" if close else ""
    raise UnknownDatasetError(
        f"no dataset is called {name!r}{hint}; there are {', '.join(known)}"
    )


def locate(entry: DatasetInfo, *, data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Find the file of a dataset: in `data_dir`, in ``$TOPOFS_DATA``, in the user cache.

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
            + download_advice(entry)
        )
    return path


def find(entry: DatasetInfo, *, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
    """Like `locate`, with None for a file that is nowhere.

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

    Examples
    --------
    >>> "topofs" in user_cache().parts
    True
    """
    try:
        import pooch
    except ModuleNotFoundError:
        return Path.home() / ".cache" / "topofs"
    return Path(pooch.os_cache("topofs"))


def download_advice(entry: DatasetInfo) -> str:
    """Tell how the file of a dataset is obtained.

    Examples
    --------
    >>> from topofs_study.datasets import info
    >>> download_advice(info("Yale"))
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


def sha256(path: Path) -> str:
    """Checksum of a file, remembered as long as its size and time stay the same.

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


def fetch(
    name: str, *, data_dir: str | os.PathLike[str] | None = None, base_url: str | None = None
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
        raise DatasetError(
            f"{entry.name}: {entry.file} has no address; {download_advice(entry)}"
        )
    if base_url is None:
        return str(entry.url)
    if urlsplit(base_url).scheme not in {"http", "https"}:
        raise ValueError(f"base_url is {base_url!r}; it must begin with http:// or https://")
    return f"{base_url.rstrip('/')}/{quote(str(entry.file))}"
