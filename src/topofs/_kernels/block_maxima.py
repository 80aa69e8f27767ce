"""The largest weight of each block of columns, row by row: bounds for the gains of a face.

A roof is never below the weights of its row to free vertices in its block. The sum of the
block_maxima of three corners, added in the order of a gain, is therefore never below a gain in the
block, to the last bit. Blocks whose sum cannot win stay closed; one that is opened gets its
three block_maxima lowered to what is still free there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs._kernels.cache_folder import njit
from topofs._kernels.compiler_hints import NO_REFCOUNT, larger

__all__ = ["BlockMaxima", "best_vertex", "block_maxima_of", "gain_bound", "raise_block_maxima"]

Matrix = npt.NDArray[Any]

# Columns a block: 64 was as fast as 32 and 128 on structured tables, faster than 32 on noise.
WIDTH = 64


class BlockMaxima(NamedTuple):
    """For each row the largest weight in each block of columns, shape (n, n_blocks).

    The width, in columns a block, changes the time, never a graph.
    """

    height: Matrix
    width: int


def block_maxima_of(matrix: Matrix, width: int = WIDTH) -> BlockMaxima:
    """Room for the block_maxima of a matrix."""
    n = len(matrix)
    return BlockMaxima(np.empty((n, -(-n // width)), dtype=matrix.dtype), width)


@njit(cache=True, nogil=True)
def raise_block_maxima(
    matrix: Matrix, first: int, last: int, block_maxima: BlockMaxima
) -> None:
    """Write the block_maxima of the rows first … last − 1; the diagonal is left out."""
    n, (height, width) = matrix.shape[1], block_maxima
    for i in range(first, last):
        row = matrix[i]
        for block in range(height.shape[1]):
            low, high = block * width, min(n, (block + 1) * width)
            if low <= i < high:
                height[i, block] = larger(_highest(row, low, i), _highest(row, i + 1, high))
            else:
                height[i, block] = _highest(row, low, high)


@njit(cache=True, nogil=True)
def _highest(row: Matrix, low: int, high: int) -> float:
    highest = row.dtype.type(-np.inf)
    for j in range(high - low):
        highest = larger(row[np.uint64(low + j)], highest)
    return highest


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def gain_bound(block_maxima: BlockMaxima, a: int, b: int, c: int, bounds: Matrix) -> float:
    """Write the bound of each block for the face (a, b, c); return the largest."""
    height, _ = block_maxima
    highest = height.dtype.type(-np.inf)
    for block in range(height.shape[1]):
        bound = (height[a, block] + height[b, block]) + height[c, block]
        bounds[block] = bound
        highest = larger(bound, highest)
    return highest


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _open(
    matrix: Matrix,
    block_maxima: BlockMaxima,
    a: int,
    b: int,
    c: int,
    penalty: Matrix,
    block: int,
) -> float:
    """Largest gain in a block; lowers the three block_maxima over it."""
    height, width = block_maxima
    lowest = height.dtype.type(-np.inf)
    best, roof_a, roof_b, roof_c = lowest, lowest, lowest, lowest
    low = block * width
    for j in range(min(matrix.shape[1] - low, width)):
        u = np.uint64(low + j)
        w_a = matrix[a, u] + penalty[u]
        w_b = matrix[b, u] + penalty[u]
        w_c = matrix[c, u] + penalty[u]
        best = larger((w_a + w_b) + w_c, best)
        roof_a = larger(w_a, roof_a)
        roof_b = larger(w_b, roof_b)
        roof_c = larger(w_c, roof_c)
    height[a, block], height[b, block], height[c, block] = roof_a, roof_b, roof_c
    return best


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def best_vertex(
    matrix: Matrix,
    block_maxima: BlockMaxima,
    a: int,
    b: int,
    c: int,
    penalty: Matrix,
    bounds: Matrix,
    highest: float,
    ceiling: float,
) -> tuple[int, float, int]:
    """Lowest of the free vertices with the largest gain in (a, b, c), and that gain.

    The number of blocks that were looked into comes with them. At least one vertex is free, and
    no gain exceeds the ceiling. `bounds` and `highest` are what `gain_bound` found;
    block_maxima are lowered where they are looked under.
    """
    first = 0
    while bounds[first] != highest:
        first += 1
    best, place, n_opened = _open(matrix, block_maxima, a, b, c, penalty, first), first, 1
    for block in range(first):
        # A lower vertex wins a tie, so what may be equal is opened before, and only there.
        if bounds[block] >= best:
            gain = _open(matrix, block_maxima, a, b, c, penalty, block)
            n_opened += 1
            if gain > best or (gain == best and block < place):
                best, place = gain, block
    for block in range(first + 1, len(bounds)):
        if best >= ceiling:
            break
        if bounds[block] > best:
            gain = _open(matrix, block_maxima, a, b, c, penalty, block)
            n_opened += 1
            if gain > best:
                best, place = gain, block
    u = place * block_maxima.width
    while ((matrix[a, u] + matrix[b, u]) + matrix[c, u]) + penalty[u] != best:
        u += 1
    return u, best, n_opened
