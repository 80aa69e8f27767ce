"""Targets: whether the values of a column are classes or numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.errors import TableError
from topofs.io.frames import as_vector, column_name, is_frame, is_missing, series_at, unmasked
from topofs.io.text_values import seen_in, text_kind
from topofs.io.types import TIMES, kind_of
from topofs.text import shortened

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.typing import Bools

_MOST_CLASSES = 50
_ROWS_PER_CLASS = 5
_MOST_NAMES = 1_000


@dataclass(frozen=True, eq=False)
class Target:
    """The target of a prediction.

    Attributes
    ----------
    task : {"classification", "regression"}
        A class or a number.
    y : array, shape (n_given,)
        Its values without missing ones; for classes, their positions in `classes`.
    given : array of bool, shape (n_samples,)
        The rows with a value.
    classes : tuple of str
        The classes in the order of their names; empty for a number.
    name : str
        The name of the column; empty if it is unknown.
    """

    task: str
    y: npt.NDArray[Any]
    given: Bools
    classes: tuple[str, ...] = ()
    name: str = ""


def as_target(y: Target | npt.ArrayLike, n_samples: int) -> Target:
    """Read a target, unless it is read already, and check its length."""
    if isinstance(y, Target):
        _check_length(len(y.given), n_samples)
        return y
    values = as_vector(y)
    if values.ndim != 1:
        raise ValueError(f"y has the shape {values.shape}: give one target a row")
    _check_length(len(values), n_samples)
    # Arrays of dask have names, too: tokens.
    name = getattr(y, "name", None) if hasattr(y, "to_frame") else None
    return replace(target_of(values), name="" if name is None else column_name(name))


def _check_length(n: int, n_samples: int) -> None:
    if n != n_samples:
        raise ValueError(f"X has {n_samples} rows and y has {n}: give one target a row")


def targets_of(y: Any, n_samples: int) -> list[Target]:
    """Read one target, or several, one a column."""
    if isinstance(y, Target) or hasattr(y, "to_frame"):
        return [as_target(y, n_samples)]
    if is_frame(y):
        columns = [series_at(y, i) for i in range(np.shape(y)[1])]
        names = [repr(column_name(column.name)) for column in columns]
    else:
        values = _rows_of_targets(y)
        if values.ndim != 2 or not values.shape[1]:
            return [as_target(values, n_samples)]
        columns = list(values.T)
        names = [str(i) for i in range(len(columns))]
    if len(columns) == 1:
        return [as_target(columns[0], n_samples)]
    targets = []
    for column, name in zip(columns, names, strict=True):
        try:
            targets.append(as_target(column, n_samples))
        except TableError as error:
            raise TableError(f"column {name} of y: {error}") from None
    return targets


def _rows_of_targets(y: Any) -> npt.NDArray[Any]:
    """Targets as an array, with one column each if there are several."""
    if hasattr(y, "toarray"):
        return np.asarray(y.toarray())
    if not (isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple))):
        return as_vector(y)
    lengths = sorted({len(row) if isinstance(row, (list, tuple)) else 1 for row in y})
    if len(lengths) > 1:
        raise ValueError(
            f"y has rows of {lengths[0]} and of {lengths[-1]} targets: give each row as many"
        )
    # Numbers beside text stay numbers.
    return np.array(y, dtype=object)


def target_of(values: npt.NDArray[Any], *, task: str | None = None) -> Target:
    """Tell whether a column holds classes or numbers.

    Text and truth values are classes. Whole numbers are classes if there are at most fifty
    different ones and five rows for each on average; other numbers are numbers. Dates are
    refused, unless `task` is "classification", which treats them as classes. Too many classes
    are refused: more than fifty need five rows each on average, and the limit is 1,000.

    Parameters
    ----------
    values : array, shape (n_samples,)
        Numbers with NaN, or text with None or NaN, for missing values; masked ones are missing,
        too.
    task : {"classification", "regression"}, optional
        The task, if it is known.

    Returns
    -------
    Target

    Raises
    ------
    TableError
        All values are missing or equal, they are dates, there are too many classes, or a
        regression is requested and the values are not numbers.

    Examples
    --------
    >>> target = target_of(np.array(["oak", None, "elm"], dtype=object))
    >>> target.y.tolist(), target.classes
    ([1, 0], ('elm', 'oak'))
    >>> target_of(np.array([0.5, 1.5, np.nan])).task
    'regression'
    """
    values = unmasked(values)
    # Numbers with None among them are numbers.
    if values.dtype == object and {kind_of(v) for v in values if not is_missing(v)} == {
        "numbers"
    }:
        values = np.array([np.nan if is_missing(v) else v for v in values], dtype=np.float64)
    numbers = values.dtype.kind in "fiu"
    given = ~np.isnan(values) if numbers else np.array([not is_missing(v) for v in values])
    y = values[given]
    if not len(y):
        raise TableError("every value of the target is missing: there is nothing to predict")
    if not numbers and task != "classification":
        _refuse_dates(y)
    if task == "regression" and not numbers:
        raise TableError(
            f"the target holds text, such as {shortened(str(y[0]))!r}; it cannot be a number"
        )
    if numbers and not np.isfinite(y).all():
        raise TableError("the target holds an infinite value; leave those rows out")
    n_values = len(np.unique(y) if numbers else set(map(str, y)))
    if n_values < 2:
        raise TableError("the target has fewer than two values: there is nothing to predict")
    if task is None:
        whole = numbers and bool((y == np.rint(y)).all())
        few = n_values <= min(_MOST_CLASSES, len(y) / _ROWS_PER_CLASS)
        task = "classification" if not numbers or (whole and few) else "regression"
    if task == "regression":
        return Target(task, y.astype(np.float64), given)
    if n_values > _MOST_NAMES or n_values > max(_MOST_CLASSES, len(y) / _ROWS_PER_CLASS):
        raise TableError(
            f"the target holds {n_values:,} classes in {len(y):,} rows, such as "
            f"{shortened(str(y[0]))!r}; more than {_MOST_CLASSES} classes need "
            f"{_ROWS_PER_CLASS} rows each on average, and there may be {_MOST_NAMES:,}: give a "
            "target whose values repeat, or numbers"
        )
    labels = [_label(value) for value in y.tolist()] if numbers else [str(value) for value in y]
    # Models make arrays of their predictions; in a text array every entry has the longest
    # width.
    classes = tuple(sorted(set(labels)))
    position = {label: i for i, label in enumerate(classes)}
    return Target(task, np.array([position[label] for label in labels]), given, classes)


def _refuse_dates(values: npt.NDArray[Any]) -> None:
    """Refuse a target that holds dates, parsed or as text."""
    first = values[0]
    held = values.dtype.kind in "mM" or isinstance(first, TIMES)
    if isinstance(first, str):
        held = text_kind(seen_in(map(str, values))).holds == "dates"
    if held:
        raise TableError(
            f"the target holds dates, such as {str(first)!r}; a target is a number, a class or a "
            "truth value: turn dates into numbers (--dates numbers: days), or say that they are "
            "classes (--task classification)"
        )


def _label(value: float) -> str:
    """Write a number as a class: different numbers give different labels."""
    whole = isinstance(value, int) or value.is_integer()
    return str(int(value)) if whole else repr(value)
