"""Read a dataset from a file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError
from topofs.io import open_table
from topofs.io.arrays import MAX_BYTES, READERS, checked_arrays, refuse_oversize
from topofs.io.numeric_table import read_numbers
from topofs.io.table import column_values
from topofs_study.datasets.dataset import Dataset
from topofs_study.errors import DatasetError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.io import Table

__all__ = ["read", "read_arrays"]

_TABLES = (".csv", ".parquet")
_ARRAYS = {".mat": "mat", ".npz": "npz"}
_BYTES_OF_A_NUMBER = 8
_SHOWN_COLUMNS = 8


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
        For CSV and Parquet: the column of labels, ``"target"`` unless given. Every other
        column is a feature and must hold numbers.
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
    >>> from topofs_study.datasets import read
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
        return _read_table(path, target or "target", max_bytes)
    if target is not None:
        raise ValueError(f"target names a column of a CSV or Parquet file; {path} is neither")
    if path.is_dir():
        return read_arrays(path, "uci", max_bytes=max_bytes)
    if kind not in _ARRAYS:
        allowed = ", ".join((*_ARRAYS, *_TABLES))
        raise DatasetError(
            f"{path}: cannot read {kind or 'a file without an ending'}; "
            f"give a folder or one of {allowed}"
        )
    return read_arrays(path, _ARRAYS[kind], max_bytes=max_bytes)


def read_arrays(path: Path, kind: str, *, max_bytes: int = MAX_BYTES) -> Dataset:
    """Read a format that keeps the table and its labels apart.

    Parameters
    ----------
    path : pathlib.Path
        The file or folder.
    kind : {"mat", "npz", "uci"}
        The format.
    max_bytes : int, default 2 GiB
        The largest array to make of it.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        The file is not what it should be; the message says how.
    """
    try:
        found = READERS[kind](path, max_bytes=max_bytes)
    except TableError as error:
        raise DatasetError(str(error)) from error
    return Dataset(path.stem, found.X, found.y, test_rows=found.test_rows)


def _read_table(path: Path, target: str, max_bytes: int) -> Dataset:
    """Read one column of labels; every other column is a feature."""
    try:
        with open_table(path) as table:
            _check_target(table, target)
            features = [column for column in table.columns if column != target]
            n_bytes = table.n_samples * len(table.columns) * _BYTES_OF_A_NUMBER
            refuse_oversize(path, "the table", n_bytes, max_bytes)
            X = _features(table, features)
            found = checked_arrays(path, X, _labels(table, target))
    except TableError as error:
        raise DatasetError(_with_path(path, str(error))) from error
    return Dataset(path.stem, found.X, found.y, feature_names=features)


def _check_target(table: Table, target: str) -> None:
    if target not in table.columns:
        shown = ", ".join(table.columns[:_SHOWN_COLUMNS])
        more = ", …" if len(table.columns) > _SHOWN_COLUMNS else ""
        raise TableError(
            f"{table.name}: has no column {target!r}; name the column of labels with target=, "
            f"one of {shown}{more}"
        )


def _features(table: Table, columns: Sequence[str]) -> npt.NDArray[Any]:
    for column in columns:
        if column in table.not_numbers:
            raise TableError(
                f"{table.name}: column {column!r} holds {table.not_numbers[column]}; features "
                "must be numbers"
            )
    X: npt.NDArray[Any] = read_numbers(table, columns).X
    missing = np.isnan(X)
    if missing.any():
        first = int(missing.any(axis=0).argmax())
        row = int(missing[:, first].argmax()) + 1
        raise TableError(f"{table.name}: column {columns[first]!r} is empty in row {row}")
    return X


def _labels(table: Table, column: str) -> npt.NDArray[Any]:
    values = column_values(table, column)
    numbers = values.dtype.kind == "f"
    missing = np.isnan(values) if numbers else np.array([v is None for v in values])
    if missing.any():
        row = int(missing.argmax()) + 1
        raise TableError(f"{table.name}: column {column!r} is empty in row {row}")
    return values


def _with_path(path: Path, message: str) -> str:
    """Put the whole path where a table names itself by its last part."""
    if message.startswith(str(path)):
        return message
    return f"{path}: {message.removeprefix(f'{path.name}: ')}"
