"""Rows drawn anew: one by one, in blocks of neighbours, or as a splitter says."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs.tables.given import as_vector, is_missing, unmasked

__all__ = ["check_of_rows", "drawn_rows", "is_pair", "parts_of", "row_positions"]

Rows = npt.NDArray[np.intp]


def drawn_rows(
    splits: Any,
    n_samples: int,
    n_resamples: int,
    generator: np.random.RandomState,
    *,
    y: Any = None,
    groups: Any = None,
) -> list[Rows]:
    """Positions of the rows of each resample, drawn as `splits` of `topofs.stability` says.

    A row may come several times.
    """
    y = check_of_rows(y, n_samples, splits, name="y")
    groups = check_of_rows(groups, n_samples, splits, name="groups")
    if splits is None or (isinstance(splits, str) and splits == "blocks"):
        seeds = generator.randint(np.iinfo(np.int32).max, size=n_resamples)
        draw = _one_by_one if splits is None else _in_blocks
        return [draw(n_samples, np.random.RandomState(int(seed))) for seed in seeds]
    if isinstance(splits, str):
        raise ValueError(f"splits is {splits!r}; give 'blocks', a splitter, or None")
    found = [
        row_positions(split[0] if is_pair(split) else split, n_samples)
        for split in parts_of(splits, n_samples, y=y, groups=groups)
    ]
    if len(found) < 2 or any(len(rows) < 2 for rows in found):
        fewest = min(map(len, found), default=0)
        raise ValueError(
            f"splits gives {len(found)} resamples, the smallest of {fewest} rows; at least two of "
            "at least two rows are needed"
        )
    return found


def parts_of(splits: Any, n_samples: int, *, y: Any = None, groups: Any = None) -> list[Any]:
    """What a splitter or an iterable gives, one item a split.

    A splitter gets the labels and the groups of the rows, where there are any.
    """
    if not hasattr(splits, "split"):
        try:
            return list(splits)
        except TypeError:
            raise ValueError(
                f"splits is {splits!r}, which gives no pairs of rows: give a splitter of "
                "scikit-learn, or an iterable of pairs (train, test)"
            ) from None
    of_rows = {"y": y, "groups": groups}
    given = {name: values for name, values in of_rows.items() if values is not None}
    try:
        return list(splits.split(np.empty((n_samples, 1)), **given))
    except (TypeError, ValueError) as error:
        # Splitters name what they miss.
        missing = [name for name in of_rows if name not in given and f"'{name}'" in str(error)]
        advice = "".join(f"; give {name}=, one value a row" for name in missing)
        raise ValueError(
            f"splits is {splits!r}, which cannot split {n_samples} rows ({error}){advice}"
        ) from error


def row_positions(given: Any, n_samples: int) -> Rows:
    """Positions of rows that are given by position, or by a mask of one truth value a row."""
    try:
        rows = np.asarray(unmasked(given))
        if rows.dtype == np.object_:
            # Types that allow for missing values become plain ones where none is missing.
            rows = np.asarray(rows.tolist())
    except ValueError:  # lists of unequal length
        rows = np.empty((0, 0))
    if rows.ndim != 1 or (rows.dtype.kind not in "biu" and rows.size):
        values = rows.tolist()
        what = f"an array of shape {rows.shape}"
        if rows.ndim == 1:
            what = repr(next((value for value in values if is_missing(value)), values[0]))
        raise ValueError(
            f"splits gives {what} where rows are expected: give positions of rows, which are "
            "whole numbers from 0, or a mask of one truth value a row"
        )
    if rows.dtype.kind == "b":
        if len(rows) != n_samples:
            raise ValueError(
                f"splits has a mask of {len(rows)} truth values, and X has {n_samples} rows: give "
                "one a row"
            )
        return np.flatnonzero(rows)
    outside = rows[(rows < 0) | (rows >= n_samples)]
    if outside.size:
        raise ValueError(
            f"splits names row {outside[0]}, and the {n_samples} rows of X are 0 to "
            f"{n_samples - 1}: give positions among these, or a mask of one truth value a row"
        )
    if len(rows) == n_samples > 2 and rows.max() <= 1:
        raise ValueError(
            f"splits gives {n_samples} zeros and ones, as many as X has rows, which are the "
            "positions of two rows: give a mask as truth values (mask.astype(bool))"
        )
    return rows.astype(np.intp)


def check_of_rows(values: Any, n_samples: int, splits: Any, *, name: str) -> Any:
    """Check labels or groups that only a splitter reads, one a row."""
    if values is None:
        return None
    if not hasattr(splits, "split") or isinstance(splits, str):
        raise ValueError(
            f"{name} is for a splitter, and splits is {splits!r}: give one of scikit-learn, such "
            f"as {'LeaveOneGroupOut()' if name == 'groups' else 'StratifiedKFold()'}"
        )
    values = np.asarray(unmasked(as_vector(values)))
    if values.ndim != 1 or len(values) != n_samples:
        raise ValueError(
            f"{name} has the shape {values.shape}, and X has {n_samples} rows: give one value a row"
        )
    missing = [row for row, value in enumerate(values.tolist()) if is_missing(value)]
    if missing:
        raise ValueError(
            f"{name} is missing in row {missing[0]}, and a splitter asks for all of them: give "
            "every row a value, or leave out the rows without one"
        )
    return values


def is_pair(split: Any) -> bool:
    """Whether a split is a pair (train, test), and not the rows themselves."""
    pair = isinstance(split, (tuple, list)) and len(split) == 2
    return pair and all(hasattr(rows, "__len__") for rows in split)


def _one_by_one(n_samples: int, generator: np.random.RandomState) -> Rows:
    return np.sort(generator.randint(n_samples, size=n_samples))


def _in_blocks(n_samples: int, generator: np.random.RandomState) -> Rows:
    """Runs of neighbours, one after the other, as many rows as there are.

    Runs of S^(1/3) rows, rounded, at least 2, of S: H. R. Künsch (1989), The jackknife and the
    bootstrap for general stationary observations, Annals of Statistics 17(3), 1217-1241.
    """
    length = min(max(2, int(round(n_samples ** (1 / 3)))), n_samples)  # noqa: RUF046
    n_blocks = -(-n_samples // length)
    starts = generator.randint(n_samples - length + 1, size=n_blocks)
    return np.asarray(np.add.outer(starts, np.arange(length)).ravel()[:n_samples])
