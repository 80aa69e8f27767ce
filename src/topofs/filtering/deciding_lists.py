"""Lists of strongest links that somebody proposed, with the entries that decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba
import numpy as np
import numpy.typing as npt

from topofs.kernels.exact_entries import write_lists
from topofs.row_threads import for_each

if TYPE_CHECKING:
    from topofs.filtering.rounding import Rounding
    from topofs.kernels.column_weights import ColumnWeights
    from topofs.kernels.top_lists import TopLists

__all__ = ["decide_lists"]

IntArray = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]
Doubles = npt.NDArray[np.float64]

_LISTS_AT_ONCE = 4096
# Lists that are worth a task.
_LISTS_A_TASK = 8


def decide_lists(
    weights: ColumnWeights,
    vertices: IntArray,
    lists: TopLists,
    rounding: Rounding | None = None,
) -> None:
    """Give lists of vertices the entries that decide, in their order, in several threads.

    `rounding` says by how much their floors may be too low; without it they are not.
    """
    for first in range(0, len(vertices), _LISTS_AT_ONCE):
        some = vertices[first : first + _LISTS_AT_ONCE]
        proposed, floors = lists.vertex[some], lists.floor[some].astype(np.float64)
        proposed[np.arange(proposed.shape[1]) >= lists.length[some, None]] = -1
        if rounding is not None:
            known = floors > -np.inf
            floors[known] += rounding.margin(floors[known], 1)
        _write(weights, some, proposed, floors, lists)


def _write(
    weights: ColumnWeights, vertices: IntArray, proposed: Ids, floors: Doubles, lists: TopLists
) -> None:
    parts = min(2 * numba.get_num_threads(), -(-len(vertices) // _LISTS_A_TASK))
    cuts = np.linspace(0, len(vertices), parts + 1).astype(np.int64)

    def write_part(part: int) -> None:
        first, last = cuts[part], cuts[part + 1]
        write_lists(weights, vertices, proposed, floors, first, last, lists)

    for_each(write_part, range(parts))
