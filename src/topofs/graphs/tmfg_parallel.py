"""The growth of a TMFG from a matrix, where many cores write lists for the one that grows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import numpy.typing as npt

from topofs._kernels.column_weights import GIVEN, ColumnWeights
from topofs._kernels.tmfg_dense import best_vertex_of_face, grow_dense
from topofs._kernels.tmfg_lists import grow, start_growth
from topofs._kernels.top_lists import empty_lists, list_rows
from topofs.runtime import for_row_ranges

if TYPE_CHECKING:
    from topofs._kernels.block_maxima import BlockMaxima
    from topofs._kernels.tmfg_lists import Growth

__all__ = ["cliques_in_parallel", "has_cores_for"]

Matrix = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.int64]

# On fewer cores, and for smaller matrices, block_maxima alone are as fast.
_LEAST_CORES = 8
_LEAST_COLUMNS = 8192
_LIST_LENGTH = 128


def has_cores_for(n: int) -> bool:
    """Whether lists are worth their writing for a matrix of n columns, on the cores there are."""
    return n >= _LEAST_COLUMNS and numba.get_num_threads() >= _LEAST_CORES


def cliques_in_parallel(
    similarity: Matrix, start: IntArray, block_maxima: BlockMaxima
) -> IntArray:
    """Do what `topofs._kernels.tmfg_dense.tmfg_cliques` does, from lists of strongest links.

    One core grows the graph; all write the lists, at first and again when they do not decide
    and a third of the free vertices is gone. What lists do not decide is answered under the
    block_maxima, which are lowered, and so is everything where they seldom do.
    """
    n = len(similarity)
    growth = start_growth(n, start, similarity.dtype)
    _grow_by_lists(similarity, block_maxima, growth)
    grow_dense(similarity, block_maxima, growth)
    return growth.cliques


def _grow_by_lists(similarity: Matrix, block_maxima: BlockMaxima, growth: Growth) -> None:
    """Let the graph grow to its end, or until lists are given up."""
    n = len(similarity)
    everyone, unused = np.arange(n), np.zeros(n)
    weights = ColumnWeights(GIVEN, similarity, 1.0, unused, unused, 0.0, unused, -np.inf)
    lists = empty_lists(n, min(_LIST_LENGTH, n - 1), similarity.dtype)

    def write(vertices: IntArray) -> None:
        for_row_ranges(
            lambda i, j: list_rows(similarity, vertices, i, j, growth.penalty, lists),
            len(vertices),
            n,
        )

    write(everyone)
    n_free = n
    while growth.uses_lists and not grow(weights, growth, lists):
        if 3 * growth.n_free <= 2 * n_free:
            write(everyone)
            n_free = growth.n_free
        else:
            write(growth.corners_on_top)
        best_vertex_of_face(similarity, block_maxima, growth)
