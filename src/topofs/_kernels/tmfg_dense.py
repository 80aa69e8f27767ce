"""Growth of a TMFG from a similarity matrix.

The loop and its invariant are those of `topofs._kernels.tmfg_lists`. The gains of a face are
bounded by block maxima: the largest weight of each block of columns, row by row. A block maximum
is never below the weights of its row to free vertices in its block. So the sum of the block
maxima of three corners, added in the order of a gain, is never below a gain in the block, to
the last bit. Blocks whose sum cannot win are not scanned. A scan of a block lowers the block
maxima of the three corners to the maxima over its free vertices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from topofs._kernels.compiler import NO_REFCOUNT, larger, njit
from topofs._kernels.faces import scan_three_faces, sift_down, sift_new_faces
from topofs._kernels.matrix_scan import sum_above
from topofs._kernels.tmfg_lists import Growth, split_top, start_growth
from topofs.typing import Doubles, Floats, Ints

# Columns a block: 64 was as fast as 32 and 128 on structured tables, faster than 32 on noise.
WIDTH = 64
# Number of scanned faces after which to decide again whether new faces get bounds.
WINDOW = 64


class BlockMaxima(NamedTuple):
    """The largest weight of each row in each block of columns, shape (n, n_blocks).

    The width, in columns per block, changes the time but not the graph.
    """

    height: Floats
    width: int


def block_maxima_of(matrix: Floats, width: int = WIDTH) -> BlockMaxima:
    """Room for the block maxima of a matrix."""
    n = len(matrix)
    return BlockMaxima(np.empty((n, -(-n // width)), dtype=matrix.dtype), width)


@njit(cache=True, nogil=True)
def survey_matrix(
    matrix: Floats,
    level: float,
    first: int,
    last: int,
    sums: Doubles,
    block_maxima: BlockMaxima,
) -> None:
    """Compute `sum_above` and the block maxima of the rows first … last − 1 in one pass."""
    for i in range(first, last):
        sums[i] = sum_above(matrix[i], level)
        raise_block_maxima(matrix, i, i + 1, block_maxima)


@njit(cache=True, nogil=True)
def raise_block_maxima(
    matrix: Floats, first: int, last: int, block_maxima: BlockMaxima
) -> None:
    """Write the block maxima of the rows first … last − 1; the diagonal is left out."""
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
def _highest(row: Floats, low: int, high: int) -> Any:
    highest = row.dtype.type(-np.inf)
    for j in range(high - low):
        highest = larger(row[np.uint64(low + j)], highest)
    return highest


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _gain_bound(block_maxima: BlockMaxima, a: int, b: int, c: int, bounds: Floats) -> Any:
    """Write the bound of each block for the face (a, b, c); return the largest."""
    height, _ = block_maxima
    highest = height.dtype.type(-np.inf)
    for block in range(height.shape[1]):
        bound = (height[a, block] + height[b, block]) + height[c, block]
        bounds[block] = bound
        highest = larger(bound, highest)
    return highest


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _scan_block(
    matrix: Floats,
    block_maxima: BlockMaxima,
    a: int,
    b: int,
    c: int,
    penalty: Floats,
    block: int,
) -> Any:
    """Largest gain in a block; lowers its three block maxima."""
    height, width = block_maxima
    lowest = height.dtype.type(-np.inf)
    best, max_a, max_b, max_c = lowest, lowest, lowest, lowest
    low = block * width
    for j in range(min(matrix.shape[1] - low, width)):
        u = np.uint64(low + j)
        w_a = matrix[a, u] + penalty[u]
        w_b = matrix[b, u] + penalty[u]
        w_c = matrix[c, u] + penalty[u]
        best = larger((w_a + w_b) + w_c, best)
        max_a = larger(w_a, max_a)
        max_b = larger(w_b, max_b)
        max_c = larger(w_c, max_c)
    height[a, block], height[b, block], height[c, block] = max_a, max_b, max_c
    return best


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _best_vertex(
    matrix: Floats,
    block_maxima: BlockMaxima,
    a: int,
    b: int,
    c: int,
    penalty: Floats,
    bounds: Floats,
    highest: float,
    ceiling: float,
) -> tuple[int, float, int]:
    """Lowest of the free vertices with the largest gain in (a, b, c), and that gain.

    Also gives the number of scanned blocks. At least one vertex is free, and no gain exceeds
    the ceiling. `bounds` and `highest` are those of `_gain_bound`.
    """
    first = 0
    while bounds[first] != highest:
        first += 1
    best = _scan_block(matrix, block_maxima, a, b, c, penalty, first)
    place, n_scanned = first, 1
    for block in range(first):
        # The lowest vertex wins a tie, so earlier blocks are scanned if they may be equal.
        if bounds[block] >= best:
            gain = _scan_block(matrix, block_maxima, a, b, c, penalty, block)
            n_scanned += 1
            if gain > best or (gain == best and block < place):
                best, place = gain, block
    for block in range(first + 1, len(bounds)):
        if best >= ceiling:
            break
        if bounds[block] > best:
            gain = _scan_block(matrix, block_maxima, a, b, c, penalty, block)
            n_scanned += 1
            if gain > best:
                best, place = gain, block
    u = place * block_maxima.width
    while ((matrix[a, u] + matrix[b, u]) + matrix[c, u]) + penalty[u] != best:
        u += 1
    return u, best, n_scanned


def tmfg_cliques(
    similarity: Floats,
    start: Ints,
    block_maxima: BlockMaxima | None = None,
    *,
    width: int = WIDTH,
) -> Ints:
    """Grow a TMFG from a tetrahedron and return its four-cliques in insertion order.

    Row 0 is `start`; each later row is (v, a, b, c): vertex v went into face (a, b, c). The
    similarity is C-contiguous and finite, and its diagonal is never read. Its block maxima are
    lowered; without them they are computed here, `width` columns a block.
    """
    n = len(similarity)
    growth = start_growth(n, start, similarity.dtype)
    if block_maxima is None:
        block_maxima = block_maxima_of(similarity, width)
        raise_block_maxima(similarity, 0, n, block_maxima)
    grow_dense(similarity, block_maxima, growth)
    return growth.cliques


@njit(cache=True, nogil=True)
def grow_dense(matrix: Floats, block_maxima: BlockMaxima, growth: Growth) -> None:
    """Insert vertices until none is free.

    Block maxima, from `raise_block_maxima`, are lowered during the growth. A new face enters
    the heap with the largest sum of its corners' block maxima. If most blocks are scanned
    anyway (noise), the three new faces share one pass over four rows instead.
    """
    _grow(matrix, block_maxima, growth, np.empty(block_maxima.height.shape[1], matrix.dtype))


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _grow(matrix: Floats, block_maxima: BlockMaxima, growth: Growth, bounds: Floats) -> None:
    """The loop, with a work array for the bounds of blocks."""
    cliques, penalty, corner, vertex, heap, key, _, records = growth
    counters = records[0]
    n_faces_scanned, n_blocks_scanned, use_bounds, first_free = 0, 0, True, 0
    while counters.step < len(cliques):
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            a, b, c = corner[top, 0], corner[top, 1], corner[top, 2]
            highest = _gain_bound(block_maxima, a, b, c, bounds)
            if highest < key[0]:
                vertex[top], key[0] = -1, highest
            else:
                vertex[top], key[0], n_scanned = _best_vertex(
                    matrix, block_maxima, a, b, c, penalty, bounds, highest, key[0]
                )
                n_faces_scanned += 1
                n_blocks_scanned += n_scanned
                if n_faces_scanned == WINDOW:
                    use_bounds = 2 * n_blocks_scanned <= WINDOW * len(bounds)
                    n_faces_scanned, n_blocks_scanned = 0, 0
            sift_down(heap, key, counters.n_faces)
            top = heap[0]
        v = split_top(growth)
        if counters.step == len(cliques):
            break
        a, b = corner[top, 0], corner[top, 1]
        second, third = counters.n_faces - 2, counters.n_faces - 1
        c = corner[second, 1]
        if use_bounds:
            vertex[top], key[0] = -1, _gain_bound(block_maxima, a, b, v, bounds)
            vertex[second], key[second] = -1, _gain_bound(block_maxima, a, c, v, bounds)
            vertex[third], key[third] = -1, _gain_bound(block_maxima, b, c, v, bounds)
        else:
            while penalty[first_free] != 0:
                first_free += 1
            rows = matrix[a], matrix[b], matrix[c], matrix[v]
            ab, ac, bc = scan_three_faces(*rows, penalty, first_free)
            vertex[top], key[0] = ab
            vertex[second], key[second] = ac
            vertex[third], key[third] = bc
        sift_new_faces(heap, key, second)


@njit(cache=True, nogil=True)
def settle_from_matrix(matrix: Floats, block_maxima: BlockMaxima, growth: Growth) -> None:
    """Find the best free vertex of the face on top."""
    _, penalty, corner, vertex, heap, key, _, records = growth
    bounds = np.empty(block_maxima.height.shape[1], matrix.dtype)
    top = heap[0]
    a, b, c = corner[top, 0], corner[top, 1], corner[top, 2]
    highest = _gain_bound(block_maxima, a, b, c, bounds)
    vertex[top], key[0], _ = _best_vertex(
        matrix, block_maxima, a, b, c, penalty, bounds, highest, key[0]
    )
    sift_down(heap, key, records[0].n_faces)
