"""What to do when the chosen columns explain every other: begin again with the rest.

A table of S rows has at most S − 1 independent columns. Methods that choose by what is not yet
explained have no opinion beyond that; here they start anew on the columns that are left, as if
none had been chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Order = npt.NDArray[np.intp]

__all__ = ["in_sweeps"]


def in_sweeps(
    choose: Callable[[npt.NDArray[np.float64], int], Order],
    columns: npt.NDArray[np.float64],
    size: int,
) -> Order:
    """Ask for columns until `size` of them are chosen; then all others in the order of the table.

    ``choose(columns, size)`` gives positions of at least one and at most `size` columns, best
    first, none twice.
    """
    left = np.arange(columns.shape[1])
    chosen: list[int] = []
    while len(chosen) < min(size, columns.shape[1]):
        found = choose(columns[:, left], size - len(chosen))
        chosen += left[found].tolist()
        left = np.delete(left, found)
    return np.concatenate([np.array(chosen, dtype=np.intp), left])
