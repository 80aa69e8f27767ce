"""How well nodes are covered so far, and what one more node adds: by paths, or by a matrix.

A kernel that takes a `reach` works on both: on a `PathGraph` or on a `ShareMatrix`. Which of the
two is settled when the kernel is compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.extending import overload

from topofs.kernels.gain_heap import units
from topofs.kernels.path_search import no_covering, path_bounds, search, work_space

__all__ = [
    "PathGraph",
    "ShareMatrix",
    "cover_with",
    "first_bounds",
    "gain_of",
    "start_cover",
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


@njit(cache=True, nogil=True)
def _start_paths(reach: PathGraph) -> Any:
    n = len(reach.starts) - 1
    graph = (reach.starts, reach.columns, reach.weights)
    # Who covers a node plays no part: as well as others is not better.
    return graph, no_covering(n), work_space(n, len(reach.columns))


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
    graph, covering, work = state
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
    graph, covering, work = state
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
    graph, covering, work = state
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


def _either(by_paths: Any, by_matrix: Any) -> Any:
    """One function for both kinds of reach."""

    def plain(reach: Any, *rest: Any) -> Any:
        return (by_paths if isinstance(reach, PathGraph) else by_matrix)(reach, *rest)

    @overload(plain, strict=False)
    def compiled(reach: Any, *rest: Any) -> Any:  # noqa: ARG001
        kernel = by_paths if reach.instance_class is PathGraph else by_matrix
        return lambda reach, *rest: kernel(reach, *rest)  # noqa: PLW0108

    return plain


# (reach): nothing is covered yet, the state that the functions below share.
start_cover = _either(_start_paths, _start_matrix)
# (reach, state): bounds of what each node adds while nothing is covered, in units.
first_bounds = _either(_bounds_of_paths, _bounds_of_matrix)
# (reach, node, state): what a node adds to what is covered, in units.
gain_of = _either(_gain_by_paths, _gain_by_matrix)
# (reach, node, state): let a node cover what it covers better.
cover_with = _either(_cover_by_paths, _cover_by_matrix)
