"""The loop of `topofs._kernels.tmfg_lists` for a similarity that is held as a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from topofs._kernels.block_maxima import (
    WIDTH,
    BlockMaxima,
    best_vertex,
    block_maxima_of,
    gain_bound,
    raise_block_maxima,
)
from topofs._kernels.cache_folder import njit
from topofs._kernels.compiler_hints import NO_REFCOUNT
from topofs._kernels.faces import scan_three_faces, sift_down, sift_up
from topofs._kernels.tmfg_lists import Growth, split_top, start_growth

__all__ = ["best_vertex_of_face", "grow_dense", "tmfg_cliques"]

Matrix = npt.NDArray[Any]

# After so many questions it is decided anew whether block_maxima are worth asking for new faces.
WINDOW = 64


def tmfg_cliques(
    similarity: Matrix,
    start: npt.NDArray[np.int64],
    block_maxima: BlockMaxima | None = None,
    *,
    width: int = WIDTH,
) -> npt.NDArray[np.int64]:
    """Grow a TMFG from a tetrahedron and return its four-cliques in insertion order.

    Row 0 is `start`; each later row is (v, a, b, c): vertex v went into face (a, b, c). The
    similarity is C-contiguous and finite, and its diagonal is never read. Its block_maxima are
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
def grow_dense(matrix: Matrix, block_maxima: BlockMaxima, growth: Growth) -> None:
    """Insert vertices until none is free.

    BlockMaxima, from `raise_block_maxima`, are lowered on the way. A new face enters the heap with the
    largest sum of its corners' block_maxima. Where most blocks are opened anyway (noise), the three
    new faces share one pass over four rows instead.
    """
    _grow(matrix, block_maxima, growth, np.empty(block_maxima.height.shape[1], matrix.dtype))


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def _grow(matrix: Matrix, block_maxima: BlockMaxima, growth: Growth, bounds: Matrix) -> None:
    """The loop, with room for the bounds of blocks."""
    cliques, penalty, corner, vertex, heap, key, _, records = growth
    counters = records[0]
    questions, opened, under_roofs, first_free = 0, 0, True, 0
    while counters.step < len(cliques):
        top = heap[0]
        while vertex[top] < 0 or penalty[vertex[top]] != 0:
            a, b, c = corner[top, 0], corner[top, 1], corner[top, 2]
            highest = gain_bound(block_maxima, a, b, c, bounds)
            if highest < key[0]:
                vertex[top], key[0] = -1, highest
            else:
                vertex[top], key[0], n_opened = best_vertex(
                    matrix, block_maxima, a, b, c, penalty, bounds, highest, key[0]
                )
                questions += 1
                opened += n_opened
                if questions == WINDOW:
                    under_roofs = 2 * opened <= WINDOW * len(bounds)
                    questions, opened = 0, 0
            sift_down(heap, key, counters.n_faces)
            top = heap[0]
        v = split_top(growth)
        if counters.step == len(cliques):
            break
        a, b = corner[top, 0], corner[top, 1]
        second, third = counters.n_faces - 2, counters.n_faces - 1
        c = corner[second, 1]
        if under_roofs:
            vertex[top], key[0] = -1, gain_bound(block_maxima, a, b, v, bounds)
            vertex[second], key[second] = -1, gain_bound(block_maxima, a, c, v, bounds)
            vertex[third], key[third] = -1, gain_bound(block_maxima, b, c, v, bounds)
        else:
            while penalty[first_free] != 0:
                first_free += 1
            rows = matrix[a], matrix[b], matrix[c], matrix[v]
            ab, ac, bc = scan_three_faces(*rows, penalty, first_free)
            vertex[top], key[0] = ab
            vertex[second], key[second] = ac
            vertex[third], key[third] = bc
        sift_down(heap, key, second)
        sift_up(heap, key, second)
        sift_up(heap, key, third)


@njit(cache=True, nogil=True)
def best_vertex_of_face(matrix: Matrix, block_maxima: BlockMaxima, growth: Growth) -> None:
    """Answer the face on top; block_maxima are lowered where they are looked under."""
    _, penalty, corner, vertex, heap, key, _, records = growth
    bounds = np.empty(block_maxima.height.shape[1], matrix.dtype)
    top = heap[0]
    a, b, c = corner[top, 0], corner[top, 1], corner[top, 2]
    highest = gain_bound(block_maxima, a, b, c, bounds)
    vertex[top], key[0], _ = best_vertex(
        matrix, block_maxima, a, b, c, penalty, bounds, highest, key[0]
    )
    sift_down(heap, key, records[0].n_faces)
