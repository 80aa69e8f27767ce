"""Greedy coverage of columns by columns (facility location) from a matrix of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.gain_heap import UNIT, heapify, others, sift_down

__all__ = ["greedy_cover"]

Ints = npt.NDArray[Any]
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.floating[Any]]


@njit(cache=True, nogil=True)
def greedy_cover(
    starts: Ints, columns_at: Ints, columns: Ints, weights: Floats, chosen: Ints
) -> tuple[Ints, Doubles]:
    """Order all nodes by what each adds to Σ_j max_i w_ij beyond the nodes before it.

    Parameters
    ----------
    starts : array of int64, shape (n + 1,)
        Row i of the weights is ``weights[starts[i] : starts[i + 1]]``.
    columns_at : array of int64, shape (n,)
        The columns of row i begin at ``columns[columns_at[i]]``. A sparse matrix has
        ``columns_at = starts[:-1]``; the rows of a dense one share ``columns = 0 … n - 1``.
    columns : array of int32 or int64
        Nodes that a row has weights for.
    weights : array of float32 or float64
        How well node i represents each of them, in [0, 1]; the diagonal is stored.
    chosen : array of int64
        Nodes that come before all others, in whatever order adds most.

    Returns
    -------
    order : array of int64, shape (n,)
        A permutation of the nodes.
    gains : array of float64, shape (n,)
        What each added, never rising among the chosen nodes, nor among the others.

    Notes
    -----
    Invariant: ``bound[v]`` is the gain of v at step ``known_at[v]``, and a gain never rises
    (the sum is submodular, and exact: see `UNIT`). A node on top of the heap whose bound is
    of the present step is therefore the best, and the lowest of the best.
    """
    n = len(starts) - 1
    covered = np.zeros(n, np.float64)
    bound = np.empty(n, np.int64)
    known_at = np.zeros(n, np.int64)
    for v in range(n):
        bound[v] = _gain(v, starts, columns_at, columns, weights, covered)
    order = np.empty(n, np.int64)
    gains = np.empty(n, np.float64)
    heap = chosen.copy() if len(chosen) else np.arange(n)
    heapify(heap, bound)
    end = len(heap)
    for step in range(n):
        if step == end:
            heap = others(n, chosen)
            heapify(heap, bound)
            end = n
        size = end - step
        while known_at[heap[0]] != step:
            v = heap[0]
            bound[v] = _gain(v, starts, columns_at, columns, weights, covered)
            known_at[v] = step
            sift_down(heap, size, bound, 0)
        best = heap[0]
        order[step] = best
        gains[step] = bound[best] / UNIT
        shift = columns_at[best] - starts[best]
        for position in range(starts[best], starts[best + 1]):
            j = columns[position + shift]
            covered[j] = max(covered[j], weights[position])
        heap[0] = heap[size - 1]
        sift_down(heap, size - 1, bound, 0)
    return order, gains


@njit(cache=True, nogil=True)
def _gain(
    node: int,
    starts: Ints,
    columns_at: Ints,
    columns: Ints,
    weights: Floats,
    covered: Doubles,
) -> int:
    """What a node adds to the coverage, in units."""
    shift = columns_at[node] - starts[node]
    total = 0
    for position in range(starts[node], starts[node + 1]):
        more = weights[position] - covered[columns[position + shift]]
        if more > 0:
            total += int(np.rint(more * UNIT))
    return total
