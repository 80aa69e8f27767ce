"""Read the text format of the NIPS 2003 challenge, in which GISETTE and MADELON are kept."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError
from topofs.io.arrays import MAX_BYTES, READERS, checked_arrays, refuse_oversize

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from topofs.io.arrays import LabelledArrays

__all__ = ["ARRAY_READERS", "read_uci"]

_TRAIN_TABLE = "_train.data"


def read_uci(folder: Path, *, max_bytes: int = MAX_BYTES) -> LabelledArrays:
    """Read a folder with ``NAME_train.data``, ``NAME_valid.data`` and their ``.labels``.

    A table is one sample a line, whole numbers with spaces between; labels are one a line.
    The two parts are stacked, and the validation part becomes the test rows.
    """
    name = _name_of_files(folder)
    train_table, train_labels = _part(folder, f"{name}_train", max_bytes)
    test_table, test_labels = _part(folder, f"{name}_valid", max_bytes)
    if train_table.shape[1] != test_table.shape[1]:
        raise TableError(
            f"{folder}: {name}_train.data has {train_table.shape[1]} columns and "
            f"{name}_valid.data has {test_table.shape[1]}"
        )
    found = checked_arrays(
        folder,
        np.concatenate([train_table, test_table]),
        np.concatenate([train_labels, test_labels]),
    )
    return replace(found, test_rows=slice(len(train_table), len(found.X)))


ARRAY_READERS = READERS | {"uci": read_uci}
"""The readers by format: a path in, checked arrays out."""


def _name_of_files(folder: Path) -> str:
    if not folder.is_dir():
        raise TableError(f"{folder}: must be a folder with the files NAME{_TRAIN_TABLE}, …")
    tables = sorted(folder.glob(f"*{_TRAIN_TABLE}"))
    if len(tables) != 1:
        found = ", ".join(table.name for table in tables) or "none"
        raise TableError(f"{folder}: needs one file NAME{_TRAIN_TABLE}; found {found}")
    return tables[0].name.removesuffix(_TRAIN_TABLE)


def _part(folder: Path, stem: str, max_bytes: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    table = _numbers_of_part(folder / f"{stem}.data", max_bytes)
    path = folder / f"{stem}.labels"
    labels = _numbers_of_part(path, max_bytes)
    if labels.shape != (len(table), 1):
        raise TableError(
            f"{path}: holds {labels.shape[0]} lines of {labels.shape[1]} numbers; "
            f"{stem}.data needs one label for each of its {len(table)} lines"
        )
    return table, labels


def _numbers_of_part(path: Path, max_bytes: int) -> npt.NDArray[Any]:
    if not path.is_file():
        raise TableError(f"{path}: the file is missing")
    # A value takes two characters at least in the file and eight bytes in memory.
    refuse_oversize(path, "a table as long as this", path.stat().st_size * 4, max_bytes)
    with warnings.catch_warnings():
        # numpy only warns of a file without a line.
        warnings.filterwarnings("error", message=".*input contained no data")
        try:
            numbers = np.loadtxt(path, comments=None, ndmin=2, encoding="ascii")
        except (UserWarning, ValueError) as error:
            raise TableError(f"{path}: not a table of numbers ({error})") from error
    return numbers
