"""Read a dataset from a file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from topofs.datasets.readers import MAX_BYTES, READERS, read_csv, read_parquet
from topofs.errors import DatasetError

if TYPE_CHECKING:
    import os

    from topofs.datasets.dataset import Dataset

__all__ = ["read"]

_TABLES = {".csv": read_csv, ".parquet": read_parquet}
_ARRAYS = {".mat": READERS["mat"], ".npz": READERS["npz"]}


def read(
    path: str | os.PathLike[str], *, target: str | None = None, max_bytes: int = MAX_BYTES
) -> Dataset:
    r"""Read a table and its labels; the ending of the name says how.

    ============  ==================================================================
    ``.mat``      MATLAB, versions 5 to 7: variables ``X`` and ``Y``
    ``.npz``      numpy: arrays ``X`` and ``y``
    ``.csv``      a line of column names; the column `target` holds the labels
    ``.parquet``  likewise
    a folder      ``NAME_train.data``, ``NAME_valid.data`` and their ``.labels``
    ============  ==================================================================

    No format is trusted: nothing is unpickled, and what a header promises is compared with
    what is there before memory is taken.

    Parameters
    ----------
    path : path-like
        The file or folder; its name without the ending names the dataset.
    target : str, optional
        For CSV and Parquet: the column of labels, ``"target"`` unless given.
    max_bytes : int, default 2 GiB
        The largest array to make of it.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        The file is missing or not what it should be; the message says how.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from topofs.datasets import read
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.csv"
    ...     _ = path.write_text("width,height,target\n1,2,0\n3,4,1\n")
    ...     read(path)
    Dataset('tiny', n_samples=2, n_features=2, n_classes=2)
    """
    path = Path(path)
    if not path.exists():
        raise DatasetError(f"{path}: there is no such file")
    kind = path.suffix.lower()
    if path.is_file() and kind in _TABLES:
        return _TABLES[kind](path, target=target or "target", max_bytes=max_bytes)
    if target is not None:
        raise ValueError(f"target names a column of a CSV or Parquet file; {path} is neither")
    if path.is_dir():
        return READERS["uci"](path, max_bytes=max_bytes)
    if kind not in _ARRAYS:
        allowed = ", ".join((*_ARRAYS, *_TABLES))
        raise DatasetError(
            f"{path}: cannot read {kind or 'a file without an ending'}; "
            f"give a folder or one of {allowed}"
        )
    return _ARRAYS[kind](path, max_bytes=max_bytes)
