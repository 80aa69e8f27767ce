"""Rows drawn anew: one by one, in blocks of neighbours, or as a splitter says."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["drawn_rows"]

Rows = npt.NDArray[np.intp]


def drawn_rows(
    splits: Any, n_samples: int, n_resamples: int, generator: np.random.RandomState
) -> list[Rows]:
    """Positions of the rows of each resample, drawn as `splits` of `topofs.stability` says.

    A row may come several times.
    """
    if splits is None or (isinstance(splits, str) and splits == "blocks"):
        seeds = generator.randint(np.iinfo(np.int32).max, size=n_resamples)
        draw = _one_by_one if splits is None else _in_blocks
        return [draw(n_samples, np.random.RandomState(int(seed))) for seed in seeds]
    if isinstance(splits, str):
        raise ValueError(f"splits is {splits!r}; give 'blocks', a splitter, or None")
    if hasattr(splits, "split"):
        splits = splits.split(np.empty((n_samples, 1)))
    try:
        found = [_training_rows(split) for split in splits]
    except TypeError:
        raise ValueError(
            f"splits is {splits!r}; give 'blocks', a splitter, an iterable of rows, or None"
        ) from None
    if len(found) < 2 or any(len(rows) < 2 for rows in found):
        raise ValueError(
            f"splits gives {len(found)} resamples; at least two of at least two rows are needed"
        )
    if any(rows.min() < 0 or rows.max() >= n_samples for rows in found):
        raise ValueError(f"splits names rows beyond the {n_samples} of X")
    return found


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


def _training_rows(split: Any) -> Rows:
    """The rows of a split: its first part where it is a pair."""
    rows = split[0] if isinstance(split, tuple) else split
    return np.asarray(rows, dtype=np.intp)
