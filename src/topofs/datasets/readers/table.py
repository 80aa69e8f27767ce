"""Read CSV and Parquet files: one column of labels, every other column a feature."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.datasets.readers.checked import MAX_BYTES, checked_dataset, refuse_oversize
from topofs.errors import DatasetError, import_extra

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    from topofs.datasets.dataset import Dataset

__all__ = ["read_csv", "read_parquet"]

_SHOWN_COLUMNS = 8


def read_csv(path: Path, *, target: str = "target", max_bytes: int = MAX_BYTES) -> Dataset:
    r"""Read a CSV file with a line of column names.

    Parameters
    ----------
    path : pathlib.Path
        The file: UTF-8, commas between the fields.
    target : str, default "target"
        The column of labels; every other column is a feature and must hold numbers.
    max_bytes : int, default 2 GiB
        The largest table to make of it.

    Returns
    -------
    Dataset
        With the column names as feature names.

    Raises
    ------
    DatasetError
        The file is not what it should be; the message says how.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.csv"
    ...     _ = path.write_text("width,height,kind\n1,2,oak\n3,4,elm\n")
    ...     tiny = read_csv(path, target="kind")
    >>> tiny.feature_names, tiny.y.tolist()
    (('width', 'height'), ['oak', 'elm'])
    """
    polars = _polars()
    # A value takes two characters at least in the file and eight bytes in memory.
    refuse_oversize(path, "a table as long as this", path.stat().st_size * 4, max_bytes)
    _check_column_names(path)
    # Types are inferred from every line: a word in the last one is found like one in the first.
    frame = _parsed(path, lambda: polars.read_csv(path, infer_schema_length=None, glob=False))
    return _from_frame(path, frame, target)


def read_parquet(path: Path, *, target: str = "target", max_bytes: int = MAX_BYTES) -> Dataset:
    """Read a Parquet file.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    target : str, default "target"
        The column of labels; every other column is a feature and must hold numbers.
    max_bytes : int, default 2 GiB
        The largest table to unpack.

    Returns
    -------
    Dataset
        With the column names as feature names.

    Raises
    ------
    DatasetError
        The file is not what it should be; the message says how.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tiny.parquet"
    ...     polars.DataFrame({"width": [1.5, 2.5], "target": [0, 1]}).write_parquet(path)
    ...     read_parquet(path)
    Dataset('tiny', n_samples=2, n_features=1, n_classes=2)
    """
    polars = _polars()
    n_columns = len(_parsed(path, lambda: polars.read_parquet_schema(path)))
    scan = polars.scan_parquet(path, glob=False).select(polars.len())
    n_rows = _parsed(path, lambda: scan.collect().item())
    refuse_oversize(path, "the table", n_rows * n_columns * 8, max_bytes)
    frame = _parsed(path, lambda: polars.read_parquet(path, glob=False))
    return _from_frame(path, frame, target)


def _polars() -> Any:
    return import_extra("polars", extra="tables", purpose="Reading CSV and Parquet files")


def _parsed(path: Path, parse: Callable[[], Any]) -> Any:
    """Parse; the complaints of the parser and the panics of its Rust part become ours."""
    exceptions = _polars().exceptions
    try:
        return parse()
    except (exceptions.PolarsError, exceptions.PanicException) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise DatasetError(f"{path}: the table cannot be read ({reason})") from error


def _check_column_names(path: Path) -> None:
    # polars gives a repeated name a number of its own accord.
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            names = next(csv.reader(file), [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{path}: not a CSV file ({error})") from error
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatasetError(f"{path}: the column {twice[0]!r} is there more than once")


def _from_frame(path: Path, frame: Any, target: str) -> Dataset:
    if target not in frame.columns:
        shown = ", ".join(frame.columns[:_SHOWN_COLUMNS])
        more = ", …" if frame.width > _SHOWN_COLUMNS else ""
        raise DatasetError(
            f"{path}: has no column {target!r}; name the column of labels with target=, "
            f"one of {shown}{more}"
        )
    table = frame.drop(target)
    for column in table:
        _check_numbers(path, column)
    names = tuple(table.columns)
    return checked_dataset(
        path, table.to_numpy(), _labels(path, frame[target]), feature_names=names
    )


def _check_numbers(path: Path, column: Any) -> None:
    polars = _polars()
    if column.dtype == polars.String:
        readable = column.cast(polars.Float64, strict=False)
        row = readable.is_null().arg_max() or 0
        if len(column) and column[row] is not None:
            raise DatasetError(
                f"{path}: column {column.name!r} holds {column[row]!r} at row {row}; "
                "features must be numbers"
            )
    elif not column.dtype.is_numeric() and column.dtype != polars.Boolean:
        raise DatasetError(
            f"{path}: column {column.name!r} holds {column.dtype}; features must be numbers"
        )
    _check_complete(path, column)


def _labels(path: Path, column: Any) -> npt.NDArray[Any]:
    polars = _polars()
    _check_complete(path, column)
    if column.dtype in (polars.String, polars.Categorical, polars.Enum):
        return np.array(column.cast(polars.String).to_list(), dtype=np.str_)
    if column.dtype.is_numeric() or column.dtype == polars.Boolean:
        return np.asarray(column.to_numpy())
    raise DatasetError(
        f"{path}: the labels in {column.name!r} are {column.dtype}; "
        "a class is a whole number or a text"
    )


def _check_complete(path: Path, column: Any) -> None:
    if column.null_count():
        row = column.is_null().arg_max()
        raise DatasetError(f"{path}: column {column.name!r} is empty at row {row}")
