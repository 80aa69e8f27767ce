"""`LabelledArrays`, and what every reader makes sure of before it hands them on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

__all__ = ["MAX_BYTES", "LabelledArrays", "bytes_of", "checked_arrays", "refuse_oversize"]

MAX_BYTES = 2 * 1024**3
"""The largest array that is read unless the caller allows more: 2 GiB, once unpacked."""

_SHOWN_LABELS = 3
_BYTES_OF_A_NUMBER = 8
_BYTES_OF_A_COLUMN = 6000


@dataclass(frozen=True, eq=False)
class LabelledArrays:
    """A table, in the type and memory layout of its file, with the class of each row.

    `test_rows` are those that the makers of the file set aside for testing.
    """

    X: npt.NDArray[Any]
    y: npt.NDArray[Any]
    test_rows: slice | None = None


def checked_arrays(
    path: Path,
    X: npt.NDArray[Any],
    y: npt.NDArray[Any],
    *,
    test_rows: slice | None = None,
) -> LabelledArrays:
    """Check what a file holds, or say what is wrong with the file.

    The table must be two-dimensional, not empty, of finite real numbers; labels must be one
    a row, whole numbers or text. Labels stored as floats become integers.
    """
    _check_table(path, X)
    labels = _checked_labels(path, y)
    if len(labels) != len(X):
        raise TableError(f"{path}: X has {len(X)} rows and there are {len(labels)} labels")
    return LabelledArrays(X, labels, test_rows)


def bytes_of(shape: tuple[int, ...]) -> int:
    """What an array takes as columns of numbers: eight bytes a number, and some for a column."""
    n_columns = shape[1] if len(shape) > 1 else 1
    return _BYTES_OF_A_NUMBER * math.prod(shape) + _BYTES_OF_A_COLUMN * n_columns


def refuse_oversize(path: Path | str, what: str, n_bytes: int, max_bytes: int) -> None:
    """Stop before an array is unpacked that is larger than the caller allows."""
    if n_bytes > max_bytes:
        raise TableError(
            f"{path}: {what} would take {n_bytes:,} bytes and at most {max_bytes:,} are "
            "allowed; if the file is to be trusted raise --max-size (in Python max_bytes)"
        )


def _check_table(path: Path, X: npt.NDArray[Any]) -> None:
    if X.ndim != 2 or X.size == 0:
        raise TableError(
            f"{path}: X has shape {X.shape}; it must have two dimensions and not be empty"
        )
    if X.dtype.kind not in "biuf":
        raise TableError(f"{path}: X holds {X.dtype} values; it must hold real numbers")
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(X)))
        raise TableError(
            f"{path}: X holds {X[row, column]} at row {row}, column {column}; "
            "every value must be a finite number"
        )


def _checked_labels(path: Path, y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if y.ndim == 2 and 1 in y.shape:
        y = y.ravel()
    if y.ndim != 1:
        raise TableError(f"{path}: the labels have shape {y.shape}; give one for each row")
    if y.dtype.kind == "f":
        whole = np.isfinite(y) & (y == np.floor(y)) & (np.abs(y) < 2**53)
        if not whole.all():
            odd = ", ".join(str(label) for label in y[~whole][:_SHOWN_LABELS])
            raise TableError(
                f"{path}: the labels hold {odd}; a class is a whole number or a text"
            )
        return y.astype(np.int64)
    is_text = y.dtype == object and all(isinstance(label, str) for label in y)
    if y.dtype.kind not in "biuU" and not is_text:
        raise TableError(
            f"{path}: the labels hold {y.dtype} values; a class is a whole number or a text"
        )
    return y
