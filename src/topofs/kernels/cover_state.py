"""How well nodes are covered so far, and what one more node adds: by paths, or by a matrix.

A kernel that takes a `reach` works on both: on a `PathGraph` or on a `ShareMatrix`. Which of the
two is settled when the kernel is compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from topofs.kernels.cache_folder import njit
from topofs.kernels.gain_heap import units
from topofs.kernels.path_search import no_covering, path_bounds, search, work_space
from topofs.kernels.units import PART

__all__ = [
    "PathGraph",
    "ShareMatrix",
    "cover_with",
    "first_bounds",
    "gain_of",
    "leave_less",
    "start_cover",
    "support_of",
]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


class PathGraph(NamedTuple):
    """Shares along paths: the largest product of weights, where enough of it is left.

    CSR rows hold both directions of each edge, weights in (0, 1]; `least`, in (0, 1], must be
    left at the end of a path of several edges.
    """

    starts: Ints
    columns: Ints
    weights: Doubles
    least: float


class ShareMatrix(NamedTuple):
    """Shares from a matrix, dense or sparse: row i is ``weights[starts[i] : starts[i + 1]]``.

    The shares lie in [0, 1], and the diagonal is stored. `columns` are the nodes that the rows
    of a sparse matrix have shares of; empty for a dense one.
    """

    starts: Ints
    columns: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]


# Each overload is written out: numba names machine code by the function's name and arguments, and
# alike, kernels from its cache would answer for each other.


def start_cover(reach: Any) -> Any:
    """Nothing is covered yet: the state that the functions below share."""
    return (_start_paths if _is_paths(reach) else _start_matrix)(reach)


def first_bounds(reach: Any, state: Any) -> Ints:
    """Bound what each node adds while nothing is covered, in units."""
    return (_bounds_of_paths if _is_paths(reach) else _bounds_of_matrix)(reach, state)


def gain_of(reach: Any, node: int, state: Any) -> int:
    """What a node adds to what is covered, in units."""
    return (_gain_by_paths if _is_paths(reach) else _gain_by_matrix)(reach, node, state)


def cover_with(reach: Any, node: int, state: Any) -> None:
    """Let a node cover what it covers better."""
    (_cover_by_paths if _is_paths(reach) else _cover_by_matrix)(reach, node, state)


def support_of(reach: Any, node: int, state: Any, left: Ints) -> int:
    """Σ_j w_vj · left_j of a node v, in units, with what is `left` of each node, in parts."""
    return (_support_by_paths if _is_paths(reach) else _support_by_matrix)(
        reach, node, state, left
    )


def leave_less(reach: Any, node: int, state: Any, left: Ints) -> None:
    """Leave (1 − w_vj) of what is left of each node j that a node v reaches."""
    (_leave_by_paths if _is_paths(reach) else _leave_by_matrix)(reach, node, state, left)


def _is_paths(reach: Any) -> bool:
    return isinstance(reach, PathGraph)


@overload(start_cover, strict=False)
def _start(reach: Any) -> Any:
    if reach.instance_class is PathGraph:
        return lambda reach: _start_paths(reach)  # noqa: PLW0108
    return lambda reach: _start_matrix(reach)  # noqa: PLW0108


@overload(first_bounds, strict=False)
def _bounds(reach: Any, state: Any) -> Any:  # noqa: ARG001
    if reach.instance_class is PathGraph:
        return lambda reach, state: _bounds_of_paths(reach, state)  # noqa: PLW0108
    return lambda reach, state: _bounds_of_matrix(reach, state)  # noqa: PLW0108


@overload(gain_of, strict=False)
def _gain(reach: Any, node: int, state: Any) -> Any:  # noqa: ARG001
    if reach.instance_class is PathGraph:
        return lambda reach, node, state: _gain_by_paths(reach, node, state)  # noqa: PLW0108
    return lambda reach, node, state: _gain_by_matrix(reach, node, state)  # noqa: PLW0108


@overload(cover_with, strict=False)
def _cover(reach: Any, node: int, state: Any) -> Any:  # noqa: ARG001
    if reach.instance_class is PathGraph:
        return lambda reach, node, state: _cover_by_paths(reach, node, state)  # noqa: PLW0108
    return lambda reach, node, state: _cover_by_matrix(reach, node, state)  # noqa: PLW0108


@overload(support_of, strict=False)
def _support(reach: Any, node: int, state: Any, left: Ints) -> Any:  # noqa: ARG001
    if reach.instance_class is PathGraph:
        return lambda reach, node, state, left: _support_by_paths(reach, node, state, left)  # noqa: PLW0108
    return lambda reach, node, state, left: _support_by_matrix(reach, node, state, left)  # noqa: PLW0108


@overload(leave_less, strict=False)
def _leave(reach: Any, node: int, state: Any, left: Ints) -> Any:  # noqa: ARG001
    if reach.instance_class is PathGraph:
        return lambda reach, node, state, left: _leave_by_paths(reach, node, state, left)  # noqa: PLW0108
    return lambda reach, node, state, left: _leave_by_matrix(reach, node, state, left)  # noqa: PLW0108


@njit(cache=True, nogil=True)
def _start_paths(reach: PathGraph) -> Any:
    n = len(reach.starts) - 1
    graph = (reach.starts, reach.columns, reach.weights)
    # Who covers a node plays no part: as well as others is not better.
    return graph, no_covering(n), work_space(n, len(reach.columns)), no_covering(n)


@njit(cache=True, nogil=True)
def _start_matrix(reach: ShareMatrix) -> Any:
    """Nothing covered, and a copy of sparse rows, in units, which shrink on the way.

    What covers a column no better than others do never will again, so it is left out of the
    row when that is next looked at. A dense matrix is not copied: of it the rows are empty.
    """
    starts, columns, weights = reach
    covered, ends = np.zeros(len(starts) - 1, np.int64), starts[1:].copy()
    amounts = np.empty(len(columns), np.int64)
    for position in range(len(columns)):
        amounts[position] = units(weights[position])
    return covered, ends, columns.copy(), amounts


@njit(cache=True, nogil=True)
def _bounds_of_paths(reach: PathGraph, state: Any) -> Ints:
    graph, covering, work, _ = state
    return path_bounds(graph, reach.least, covering, work)


@njit(cache=True, nogil=True)
def _bounds_of_matrix(reach: ShareMatrix, state: Any) -> Ints:
    n = len(reach.starts) - 1
    bounds = np.empty(n, np.int64)
    for v in range(n):
        bounds[v] = _gain_by_matrix(reach, v, state)
    return bounds


@njit(cache=True, nogil=True)
def _gain_by_paths(reach: PathGraph, node: int, state: Any) -> int:
    graph, covering, work, _ = state
    return search(node, graph, reach.least, covering, work)[0]


@njit(cache=True, nogil=True)
def _gain_by_matrix(reach: ShareMatrix, node: int, state: Any) -> int:
    covered, ends, nodes, amounts = state
    starts, _, weights = reach
    start, total = starts[node], 0
    if len(amounts) == 0:
        for j in range(len(covered)):
            total += max(0, units(weights[start + j]) - covered[j])
        return total
    kept = start
    for position in range(start, ends[node]):
        j, amount = nodes[position], amounts[position]
        more = amount - covered[j]
        # Written in any case: a jump that nobody can foresee takes longer.
        nodes[kept], amounts[kept] = j, amount
        kept += more > 0
        total += max(0, more)
    ends[node] = kept
    return total


@njit(cache=True, nogil=True)
def _cover_by_paths(reach: PathGraph, node: int, state: Any) -> None:
    graph, covering, work, _ = state
    n_reached = search(node, graph, reach.least, covering, work)[1]
    reached, product, covered = work[0], work[1], covering[0]
    for position in range(n_reached):
        covered[reached[position]] = product[reached[position]]


@njit(cache=True, nogil=True)
def _cover_by_matrix(reach: ShareMatrix, node: int, state: Any) -> None:
    covered, ends, nodes, amounts = state
    starts, _, weights = reach
    start = starts[node]
    if len(amounts) == 0:
        for j in range(len(covered)):
            covered[j] = max(covered[j], units(weights[start + j]))
        return
    for position in range(start, ends[node]):
        j = nodes[position]
        covered[j] = max(covered[j], amounts[position])


@njit(cache=True, nogil=True)
def _parts(share: float) -> int:
    return int(np.rint(share * PART))


@njit(cache=True, nogil=True)
def _support_by_matrix(reach: ShareMatrix, node: int, state: Any, left: Ints) -> int:  # noqa: ARG001
    starts, columns, weights = reach
    total, start = 0, starts[node]
    for position in range(start, starts[node + 1]):
        j = columns[position] if len(columns) else position - start
        total += _parts(weights[position]) * left[j]
    return total


@njit(cache=True, nogil=True)
def _leave_by_matrix(reach: ShareMatrix, node: int, state: Any, left: Ints) -> None:  # noqa: ARG001
    starts, columns, weights = reach
    start = starts[node]
    for position in range(start, starts[node + 1]):
        j = columns[position] if len(columns) else position - start
        left[j] = left[j] * (PART - _parts(weights[position])) // PART


@njit(cache=True, nogil=True)
def _support_by_paths(reach: PathGraph, node: int, state: Any, left: Ints) -> int:
    graph, _, work, nothing = state
    n_reached = search(node, graph, reach.least, nothing, work)[1]
    reached, product, total = work[0], work[1], 0
    for position in range(n_reached):
        j = reached[position]
        total += _parts(product[j]) * left[j]
    return total


@njit(cache=True, nogil=True)
def _leave_by_paths(reach: PathGraph, node: int, state: Any, left: Ints) -> None:
    graph, _, work, nothing = state
    n_reached = search(node, graph, reach.least, nothing, work)[1]
    reached, product = work[0], work[1]
    for position in range(n_reached):
        j = reached[position]
        left[j] = left[j] * (PART - _parts(product[j])) // PART
