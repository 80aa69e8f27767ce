"""`Dataset`, and how one is read: by name, or from a file of one's own."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError
from topofs.io import open_table
from topofs.io.arrays import MAX_BYTES, READERS, checked_arrays, refuse_oversize
from topofs.io.comparable import read_numbers
from topofs.io.table import column_values
from topofs_study.datasets.entries import info, locate, verify
from topofs_study.errors import DatasetError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy.typing as npt

    from topofs.io import Table

__all__ = ["Dataset", "load", "read"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of samples, a class for each, and what is known about rows and columns.

    The arrays are read-only, also after the dataset has been sent to another process.
    They keep the number type and the memory layout of the file they come from: many of the
    paper's tables hold small unsigned integers, so convert before subtracting.

    Parameters
    ----------
    name : str
        What to call it.
    X : array, shape (n_samples, n_features)
        The table, numbers only.
    y : array, shape (n_samples,)
        The class of each sample.
    feature_names : sequence of str, optional
        A name for each column.
    test_rows : slice, optional
        The rows that the makers of the dataset set aside for testing. Without it the
        dataset comes in one piece.

    Examples
    --------
    >>> from topofs_study.datasets import Dataset
    >>> Dataset("tiny", [[1, 2], [3, 4], [5, 6]], [0, 1, 1])
    Dataset('tiny', n_samples=3, n_features=2, n_classes=2)
    """

    name: str
    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    feature_names: Sequence[str] | None = None
    test_rows: slice | None = None

    def __post_init__(self) -> None:
        X = _read_only(self.X)
        y = _read_only(self.y)
        if X.ndim != 2 or y.shape != X.shape[:1]:
            raise ValueError(
                f"X of shape {X.shape} and y of shape {y.shape} do not fit together; "
                "they must be (n_samples, n_features) and (n_samples,)"
            )
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)
        if self.feature_names is not None:
            names = tuple(str(name) for name in self.feature_names)
            if len(names) != X.shape[1]:
                raise ValueError(f"got {len(names)} feature names for {X.shape[1]} columns")
            object.__setattr__(self, "feature_names", names)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of different labels."""
        return len(np.unique(self.y))

    def __reduce__(self) -> tuple[type[Dataset], tuple[Any, ...]]:
        # Through the constructor, so that a copy made by pickle is read-only too.
        return Dataset, tuple(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{size}={getattr(self, size)}" for size in ("n_samples", "n_features", "n_classes")
        )
        return f"Dataset({self.name!r}, {sizes})"


def _read_only(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Take a read-only view, so that an array of the caller's stays as it was."""
    view = np.asarray(values).view()
    view.flags.writeable = False
    return view


def load(name: str, *, data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load one of the paper's datasets from disk, or an embedded one.

    The file is looked for in `data_dir`, in the folder that ``$TOPOFS_DATA`` names and in
    the user cache; its checksum and its sizes must be those of the registry. GISETTE has no
    known checksum, so only its sizes are compared.

    Parameters
    ----------
    name : str
        A name in `registry`.
    data_dir : path-like, optional
        A folder to look in first.

    Returns
    -------
    Dataset
        With read-only arrays, as the file stores them.

    Raises
    ------
    UnknownDatasetError
        No dataset has this name.
    DatasetNotFoundError
        The file is in none of the folders.
    DatasetError
        The file is not what it should be.

    Examples
    --------
    >>> from topofs_study.datasets import load
    >>> load("wine")
    Dataset('wine', n_samples=178, n_features=13, n_classes=3)
    """
    entry = info(name)
    if entry.embedded:
        return _load_embedded(name)
    path = locate(entry, data_dir=data_dir)
    if entry.sha256 is not None:
        verify(path, entry.sha256)
    dataset = read_arrays(path, entry.reader)
    # A MATLAB file has no word for the split; the text files have, and it must be the known.
    if dataset.test_rows is None:
        dataset = replace(dataset, test_rows=entry.test_rows)
    for fact in ("n_samples", "n_features", "n_classes", "test_rows"):
        found, expected = getattr(dataset, fact), getattr(entry, fact)
        if found != expected:
            raise DatasetError(f"{path}: {fact} is {found}; in {name} it is {expected}")
    return replace(dataset, name=name)


def _load_embedded(name: str) -> Dataset:
    from sklearn import datasets

    bunch: Any = getattr(datasets, f"load_{name}")()
    return Dataset(name, bunch.data, bunch.target, feature_names=tuple(bunch.feature_names))


_TABLES = (".csv", ".parquet")
_ARRAYS = {".mat": "mat", ".npz": "npz"}
_TRAIN_TABLE = "_train.data"
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
    """Read a format that keeps the table and its labels apart: mat, npz or uci."""
    try:
        if kind == "uci":
            return _read_uci(path, max_bytes)
        found = READERS[kind](path, max_bytes=max_bytes)
    except TableError as error:
        raise DatasetError(str(error)) from error
    return Dataset(path.stem, found.X, found.y)


def _read_uci(folder: Path, max_bytes: int) -> Dataset:
    """Read the text format of the NIPS 2003 challenge: whole numbers, a sample a line.

    The two parts are stacked, and the validation part becomes the test rows.
    """
    if not folder.is_dir():
        raise DatasetError(f"{folder}: must be a folder with the files NAME{_TRAIN_TABLE}, …")
    tables = sorted(folder.glob(f"*{_TRAIN_TABLE}"))
    if len(tables) != 1:
        names = ", ".join(table.name for table in tables) or "none"
        raise DatasetError(f"{folder}: needs one file NAME{_TRAIN_TABLE}; found {names}")
    name = tables[0].name.removesuffix(_TRAIN_TABLE)
    train, train_labels = _uci_part(folder, f"{name}_train", max_bytes)
    test, test_labels = _uci_part(folder, f"{name}_valid", max_bytes)
    if train.shape[1] != test.shape[1]:
        raise DatasetError(
            f"{folder}: {name}_train.data has {train.shape[1]} columns and "
            f"{name}_valid.data has {test.shape[1]}"
        )
    y = np.concatenate([train_labels, test_labels])
    found = checked_arrays(folder, np.concatenate([train, test]), y)
    test_rows = slice(len(train), len(train) + len(test))
    return Dataset(folder.stem, found.X, found.y, test_rows=test_rows)


def _uci_part(
    folder: Path, stem: str, max_bytes: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    table, path = _uci_numbers(folder / f"{stem}.data", max_bytes), folder / f"{stem}.labels"
    labels = _uci_numbers(path, max_bytes)
    if labels.shape != (len(table), 1):
        raise DatasetError(
            f"{path}: holds {labels.shape[0]} lines of {labels.shape[1]} numbers; "
            f"{stem}.data needs one label for each of its {len(table)} lines"
        )
    return table, labels


def _uci_numbers(path: Path, max_bytes: int) -> npt.NDArray[Any]:
    if not path.is_file():
        raise DatasetError(f"{path}: the file is missing")
    # A value takes two characters at least in the file and eight bytes in memory.
    refuse_oversize(path, "a table as long as this", path.stat().st_size * 4, max_bytes)
    with warnings.catch_warnings():
        # numpy only warns of a file without a line.
        warnings.filterwarnings("error", message=".*input contained no data")
        try:
            return np.loadtxt(path, comments=None, ndmin=2, encoding="ascii")
        except (UserWarning, ValueError) as error:
            raise DatasetError(f"{path}: not a table of numbers ({error})") from error


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
