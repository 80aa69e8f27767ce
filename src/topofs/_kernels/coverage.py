"""Lazy greedy coverage under constraints, by paths of a graph or by a matrix of shares.

The parameter `model` of a kernel is a `PathGraph` or a `ShareMatrix`. The type is fixed when
the kernel is compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba.extending import overload

from topofs._kernels.compiler import njit
from topofs._kernels.numpy_or_numba import PART, UNIT
from topofs._kernels.path_search import (
    heapify,
    no_covering,
    path_bounds,
    search,
    sift_down,
    units,
    work_space,
)
from topofs.typing import Bools, Doubles, Floats, Ints


class PathGraph(NamedTuple):
    """Shares along paths: the largest product of weights, if it is large enough.

    CSR rows hold both directions of each edge, with weights in (0, 1]. The product along a path
    of several edges must be at least `least`, in (0, 1].
    """

    starts: Ints
    columns: Ints
    weights: Doubles
    least: float


class ShareMatrix(NamedTuple):
    """Shares from a matrix, dense or sparse: row i is ``shares[starts[i] : starts[i + 1]]``.

    The shares lie in [0, 1], and the diagonal is stored. `weights` are the shares that count in
    the coverage, which may have weights. `columns` are the nodes that the rows of a sparse
    matrix have shares of; empty for a dense one.
    """

    starts: Ints
    columns: npt.NDArray[np.int32]
    weights: Floats
    shares: Floats


def _of_kind(model: Any, by_paths: Any, by_matrix: Any) -> Any:
    """Choose one of two functions by the type of `model`; also while numba compiles."""
    kind = getattr(model, "instance_class", type(model))
    return by_paths if kind is PathGraph else by_matrix


def start_cover(model: Any) -> Any:
    """The initial state of the functions below: nothing is covered."""
    return _of_kind(model, _start_paths, _start_matrix)(model)


def first_bounds(model: Any, state: Any) -> Any:
    """Bound the gain of each node while nothing is covered, in units."""
    return _of_kind(model, _bounds_of_paths, _bounds_of_matrix)(model, state)


def gain_of(model: Any, node: int, state: Any) -> Any:
    """The gain of a node, in units."""
    return _of_kind(model, _gain_by_paths, _gain_by_matrix)(model, node, state)


def cover_with(model: Any, node: int, state: Any) -> None:
    """Update the coverage with a node."""
    _of_kind(model, _cover_by_paths, _cover_by_matrix)(model, node, state)


def support_of(model: Any, node: int, state: Any, left: Ints) -> Any:
    """Σ_j w_vj · left_j of a node v, in units, with what is `left` of each node, in parts.

    The shares w have their weights.
    """
    return _of_kind(model, _support_by_paths, _support_by_matrix)(model, node, state, left)


def leave_less(model: Any, node: int, state: Any, left: Ints) -> None:
    """Multiply the rest of each node j that a node v reaches by (1 − w_vj), without weights."""
    _of_kind(model, _leave_by_paths, _leave_by_matrix)(model, node, state, left)


# Each overload is written out: numba names machine code by the function's name and arguments.
# With equal names, a cached kernel would be used for another one.
@overload(start_cover, strict=False)
def _start(model: Any) -> Any:
    return _of_kind(model, _start_paths, _start_matrix)


@overload(first_bounds, strict=False)
def _bounds(model: Any, state: Any) -> Any:  # noqa: ARG001
    return _of_kind(model, _bounds_of_paths, _bounds_of_matrix)


@overload(gain_of, strict=False)
def _gain(model: Any, node: int, state: Any) -> Any:  # noqa: ARG001
    return _of_kind(model, _gain_by_paths, _gain_by_matrix)


@overload(cover_with, strict=False)
def _cover(model: Any, node: int, state: Any) -> Any:  # noqa: ARG001
    return _of_kind(model, _cover_by_paths, _cover_by_matrix)


@overload(support_of, strict=False)
def _support(model: Any, node: int, state: Any, left: Ints) -> Any:  # noqa: ARG001
    return _of_kind(model, _support_by_paths, _support_by_matrix)


@overload(leave_less, strict=False)
def _leave(model: Any, node: int, state: Any, left: Ints) -> Any:  # noqa: ARG001
    return _of_kind(model, _leave_by_paths, _leave_by_matrix)


def _start_paths(model: PathGraph) -> Any:
    n = len(model.starts) - 1
    graph = (model.starts, model.columns, model.weights)
    # No representative is stored, so covering a node equally well is not an improvement.
    return graph, no_covering(n), work_space(n, len(model.columns)), no_covering(n)


def _start_matrix(model: ShareMatrix) -> Any:
    """The initial state, with a copy of sparse rows in units, which shrink during the search.

    An entry that no longer improves the coverage of a column never will again, so it is dropped
    the next time its row is read. A dense matrix is not copied: its rows are empty.
    """
    starts, columns, weights, _ = model
    covered, ends = np.zeros(len(starts) - 1, np.int64), starts[1:].copy()
    amounts = np.empty(len(columns), np.int64)
    for position in range(len(columns)):
        amounts[position] = units(weights[position])
    return covered, ends, columns.copy(), amounts


def _bounds_of_paths(model: PathGraph, state: Any) -> Ints:
    graph, covering, work, _ = state
    return path_bounds(graph, model.least, covering, work)


def _bounds_of_matrix(model: ShareMatrix, state: Any) -> Ints:
    n = len(model.starts) - 1
    bounds = np.empty(n, np.int64)
    for v in range(n):
        bounds[v] = gain_of(model, v, state)
    return bounds


def _gain_by_paths(model: PathGraph, node: int, state: Any) -> int:
    graph, covering, work, _ = state
    return search(node, graph, model.least, covering, work)[0]


def _gain_by_matrix(model: ShareMatrix, node: int, state: Any) -> int:
    covered, ends, nodes, amounts = state
    starts, _, weights, _ = model
    start, total = starts[node], 0
    if len(amounts) == 0:
        for j in range(len(covered)):
            total += max(0, units(weights[start + j]) - covered[j])
        return total
    kept = start
    for position in range(start, ends[node]):
        j, amount = nodes[position], amounts[position]
        more = amount - covered[j]
        # Write unconditionally: a branch would be mispredicted.
        nodes[kept], amounts[kept] = j, amount
        kept += more > 0
        total += max(0, more)
    ends[node] = kept
    return total


def _cover_by_paths(model: PathGraph, node: int, state: Any) -> None:
    graph, covering, work, _ = state
    n_reached = search(node, graph, model.least, covering, work)[1]
    reached, product, covered = work[0], work[1], covering[0]
    for position in range(n_reached):
        covered[reached[position]] = product[reached[position]]


def _cover_by_matrix(model: ShareMatrix, node: int, state: Any) -> None:
    covered, ends, nodes, amounts = state
    starts, _, weights, _ = model
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


def _support_by_matrix(model: ShareMatrix, node: int, state: Any, left: Ints) -> int:  # noqa: ARG001
    starts, columns, weights, _ = model
    total, start = 0, starts[node]
    for position in range(start, starts[node + 1]):
        j = columns[position] if len(columns) else position - start
        total += _parts(weights[position]) * left[j]
    return total


def _leave_by_matrix(model: ShareMatrix, node: int, state: Any, left: Ints) -> None:  # noqa: ARG001
    starts, columns, _, shares = model
    start = starts[node]
    for position in range(start, starts[node + 1]):
        j = columns[position] if len(columns) else position - start
        left[j] = left[j] * (PART - _parts(shares[position])) // PART


def _support_by_paths(model: PathGraph, node: int, state: Any, left: Ints) -> int:
    graph, _, work, nothing = state
    n_reached = search(node, graph, model.least, nothing, work)[1]
    reached, product, total = work[0], work[1], 0
    for position in range(n_reached):
        j = reached[position]
        total += _parts(product[j]) * left[j]
    return total


def _leave_by_paths(model: PathGraph, node: int, state: Any, left: Ints) -> None:
    graph, _, work, nothing = state
    n_reached = search(node, graph, model.least, nothing, work)[1]
    reached, product = work[0], work[1]
    for position in range(n_reached):
        j = reached[position]
        left[j] = left[j] * (PART - _parts(product[j])) // PART


class Search(NamedTuple):
    """A greedy search in progress.

    Nodes ``order[:counters[0]]`` are taken, with ``gains``. `counters` holds their number and
    the size of the heap of the phase. ``left[j]`` is Π (1 − w_ij) over the taken nodes i, in
    parts. ``bound[v]`` is at least the value of v, and was exact when ``known_at[v]`` nodes
    were taken. `key` orders the heap. `room` and `money` are the rests of the limits.
    """

    order: Ints
    gains: Doubles
    counters: Ints
    left: Ints
    bound: Ints
    known_at: Ints
    key: Floats
    open_: Bools
    room: Ints
    money: Doubles


@njit(cache=True, nogil=True)
def begin_search(model: Any, limits: Any, key: Any) -> tuple[Any, Search]:
    """Begin with nothing taken; `key` has shape (n,): int64, or float64 for gain over cost."""
    n = len(limits.allowed)
    state = start_cover(model)
    search = Search(
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        np.zeros(2, np.int64),
        np.full(n, PART, np.int64),
        first_bounds(model, state),
        np.full(n, -1, np.int64),
        key,
        limits.allowed.copy(),
        limits.room.copy(),
        np.array([limits.budget]),
    )
    return state, search


@njit(cache=True, nogil=True)
def begin_phase(
    model: Any,
    state: Any,
    search: Search,
    limits: Any,
    tie_rank: Ints,
    heap: Ints,
    support_quarters: int,
) -> None:
    """Put the nodes of a phase in heap order; with `support_quarters`, compute the bounds again."""
    _, _, counters, left, bound, known_at, key, _, _, _ = search
    for v in heap:
        if support_quarters:
            bound[v] = gain_of(model, v, state)
            bound[v] += support_quarters * support_of(model, v, state, left) // 4
            known_at[v] = counters[0]
        _set_key(key, v, bound[v], limits.cost, limits.by_cost)
    heapify(heap, key, tie_rank)
    counters[1] = len(heap)


@njit(cache=True, nogil=True)
def take_best(  # noqa: PLR0917
    model: Any,
    state: Any,
    search: Search,
    limits: Any,
    tie_rank: Ints,
    heap: Ints,
    limited: int,
    least: int,
    support_quarters: int,
    truncated: Bools,
    exact: int,
) -> int:
    """Take nodes of a phase, best first, until no node is left with a value above `least`.

    The value of a node is its gain in Σ_j max_i w_ij plus `support_quarters` of its support (see
    `support_of`). Limits apply if `limited` is 1. Returns -1 at the end of the phase, or a node
    just taken, one of the first `exact`, whose row is `truncated`: the caller then updates the
    coverage with its full row and calls again.

    Invariant: the value of a node never rises (both terms are submodular, and exact: see
    `UNIT`). So an open node on top of the heap with a current bound is the best, and among
    equal ones the one of the lowest rank. A closed node stays closed, because groups fill up,
    budgets shrink, and taken nodes stay.
    """
    order, gains, counters, left, bound, known_at, key, open_, room, money = search
    taken, size = counters[0], counters[1]
    stopped_at = -1
    while size > 0:
        v = heap[0]
        closed = limited and not _is_open(v, open_, limits.group, room, limits.cost, money[0])
        if not closed and known_at[v] != taken:
            bound[v] = gain_of(model, v, state)
            if support_quarters:
                bound[v] += support_quarters * support_of(model, v, state, left) // 4
            _set_key(key, v, bound[v], limits.cost, limits.by_cost)
            known_at[v] = taken
            sift_down(heap, size, key, 0, tie_rank)
            continue
        if not closed and bound[v] <= least:
            break
        size -= 1
        heap[0] = heap[size]
        sift_down(heap, size, key, 0, tie_rank)
        if closed:
            continue
        order[taken] = v
        gains[taken] = (gain_of(model, v, state) if support_quarters else bound[v]) / UNIT
        _close(v, search, limits)
        taken += 1
        if truncated[v] and taken <= exact:
            stopped_at = v
            break
        cover_with(model, v, state)
        leave_less(model, v, state, left)
    counters[0], counters[1] = taken, size
    return stopped_at


@njit(cache=True, nogil=True)
def cover_by_row(covered: Ints, search: Search, row: Ints, parts: Ints) -> None:
    """Update the coverage with the complete row of the last node, in units and in parts."""
    total, taken, left = 0, search.counters[0], search.left
    for j in range(len(row)):
        total += max(0, row[j] - covered[j])
        covered[j] = max(covered[j], row[j])
        left[j] = left[j] * (PART - parts[j]) // PART
    search.gains[taken - 1] = total / UNIT


@njit(cache=True, nogil=True)
def _set_key(key: Floats, v: int, bound: int, cost: Doubles, by_cost: int) -> None:
    """Set the key of the heap: the exact bound, or the bound divided by the cost."""
    if by_cost:
        key[v] = bound / cost[v]
    else:
        key[v] = bound


@njit(cache=True, nogil=True)
def _is_open(v: int, open_: Bools, group: Ints, room: Ints, cost: Doubles, left: float) -> bool:
    """Whether a node may be taken together with the taken nodes."""
    if not open_[v] or (group[v] >= 0 and room[group[v]] <= 0):
        return False
    return len(cost) == 0 or cost[v] <= left


@njit(cache=True, nogil=True)
def _close(v: int, search: Search, limits: Any) -> None:
    """Close the nodes that a taken node forbids, and subtract its cost."""
    search.open_[v] = False
    if limits.group[v] >= 0:
        search.room[limits.group[v]] -= 1
    if len(limits.columns):
        for position in range(limits.starts[v], limits.starts[v + 1]):
            search.open_[limits.columns[position]] = False
    if len(limits.cost):
        search.money[0] -= limits.cost[v]
