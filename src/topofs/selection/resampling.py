"""Rows drawn anew: one by one, in blocks of neighbours, or as a splitter says."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["block_length", "drawn_rows"]

Rows = npt.NDArray[np.intp]

BLOCKS = "blocks"


def drawn_rows(
    splits: Any, n_samples: int, n_resamples: int, generator: np.random.RandomState
) -> list[Rows]:
    """Draw rows again and again.

    Parameters
    ----------
    splits : None, "blocks", splitter or iterable
        As in `topofs.stability`.
    n_samples : int
        Number S of rows.
    n_resamples : int
        How often, unless the splits say.
    generator : RandomState
        Draws them.

    Returns
    -------
    list of arrays of int
        Positions; a row may come several times.

    Raises
    ------
    ValueError
        There are not two resamples of two rows.

    Examples
    --------
    >>> generator = np.random.RandomState(0)
    >>> [rows.tolist() for rows in drawn_rows("blocks", 8, 2, generator)]
    [[4, 5, 3, 4, 2, 3, 0, 1], [3, 4, 5, 6, 3, 4, 4, 5]]
    """
    if splits is None or (isinstance(splits, str) and splits == BLOCKS):
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
    outside = [rows for rows in found if rows.min() < 0 or rows.max() >= n_samples]
    if outside:
        raise ValueError(f"splits names rows beyond the {n_samples} of X")
    return found


def block_length(n_samples: int) -> int:
    """Give the length of a block of neighbouring rows, S^(1/3) rounded, at least 2.

    Parameters
    ----------
    n_samples : int
        Number S of rows.

    Returns
    -------
    int

    References
    ----------
    .. [1] H. R. Künsch (1989). The jackknife and the bootstrap for general stationary
       observations. Annals of Statistics 17(3), 1217-1241.
    """
    return max(2, int(round(n_samples ** (1 / 3))))  # noqa: RUF046


def _one_by_one(n_samples: int, generator: np.random.RandomState) -> Rows:
    return np.sort(generator.randint(n_samples, size=n_samples))


def _in_blocks(n_samples: int, generator: np.random.RandomState) -> Rows:
    """Runs of neighbours, one after the other, as many rows as there are."""
    length = min(block_length(n_samples), n_samples)
    n_blocks = -(-n_samples // length)
    starts = generator.randint(n_samples - length + 1, size=n_blocks)
    return np.asarray(np.add.outer(starts, np.arange(length)).ravel()[:n_samples])


def _training_rows(split: Any) -> Rows:
    """The rows of a split: its first part where it is a pair."""
    rows = split[0] if isinstance(split, tuple) else split
    return np.asarray(rows, dtype=np.intp)
