"""Entries of a similarity in the host's arithmetic, for what was proposed elsewhere.

Somebody who multiplies fast but rounds otherwise (a device, a BLAS) proposes vertices; the
kernels here give the entries by which they are decided, all by `column_weights.weight`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs._kernels.cache_folder import njit
from topofs._kernels.column_weights import ColumnWeights, weight
from topofs._kernels.compiler_hints import NO_REFCOUNT, fetch_row
from topofs._kernels.faces import sift_down

if TYPE_CHECKING:
    from topofs._kernels.tmfg_lists import Growth
    from topofs._kernels.top_lists import TopLists

__all__ = [
    "answer_from_near",
    "best_among",
    "best_by_columns",
    "edge_weights",
    "face_gain",
    "rounded_up",
    "write_bounds",
    "write_lists",
]

IntArray = npt.NDArray[np.int64]

# Columns are asked for so many entries before they are multiplied.
AHEAD = 2


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def edge_weights(
    weights: ColumnWeights, edges: IntArray, first: int, last: int, found: npt.NDArray[Any]
) -> None:
    """Write the entries of the pairs first … last − 1 into `found`."""
    for e in range(first, last):
        found[e] = weight(weights, edges[e, 0], edges[e, 1], found)


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def write_lists(
    weights: ColumnWeights,
    vertices: IntArray,
    proposed: npt.NDArray[np.int32],
    floors: npt.NDArray[np.float64],
    first: int,
    last: int,
    lists: TopLists,
) -> None:
    """Make lists of proposed vertices for ``vertices[first:last]``.

    `proposed` has shape (m, k), −1 where there are no more. No vertex that was not proposed has
    a larger weight than the floor, −∞ where there is none; so a proposed one below it is left
    out: others that were not proposed may be heavier.
    """
    weight_of, listed, length, head, floor = lists
    k = min(proposed.shape[1], listed.shape[1])
    for r in range(first, last):
        v = vertices[r]
        least = rounded_up(floors[r], weight_of)
        count = 0
        for p in range(proposed.shape[1]):
            u = proposed[r, p]
            if p + AHEAD < proposed.shape[1] and proposed[r, p + AHEAD] >= 0:
                fetch_row(weights.values, proposed[r, p + AHEAD])
            if u < 0:
                continue
            w = weight(weights, v, u, weight_of)
            if w < least:
                continue
            if count == k:
                # More than there is room for: the lightest goes, and bounds the rest.
                lightest = weight_of[v, k - 1]
                least = max(least, min(w, lightest))
                if w <= lightest:
                    continue
                count -= 1
            hole = count
            while hole > 0 and weight_of[v, hole - 1] < w:
                weight_of[v, hole] = weight_of[v, hole - 1]
                listed[v, hole] = listed[v, hole - 1]
                hole -= 1
            weight_of[v, hole] = w
            listed[v, hole] = u
            count += 1
        head[v] = 0
        length[v] = count
        floor[v] = least


@njit(cache=True, nogil=True)
def write_bounds(
    vertices: IntArray,
    proposed: npt.NDArray[np.int32],
    bounds: npt.NDArray[np.float64],
    floors: npt.NDArray[np.float64],
    lists: TopLists,
) -> None:
    """Make lists of proposed vertices with falling bounds for weights; there is room for all.

    Proposals and their bounds have shape (m, k), −1 where there are no more; floors are as in
    `write_lists`.
    """
    weight_of, listed, length, head, floor = lists
    for r in range(len(vertices)):
        v = vertices[r]
        count = 0
        while count < proposed.shape[1] and proposed[r, count] >= 0:
            listed[v, count] = proposed[r, count]
            weight_of[v, count] = rounded_up(bounds[r, count], weight_of)
            count += 1
        head[v] = 0
        length[v] = count
        floor[v] = rounded_up(floors[r], weight_of)


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def rounded_up(bound: float, like: npt.NDArray[Any]) -> float:
    """A number of the type of `like` that is no less than the bound."""
    rounded = like.dtype.type(bound)
    if rounded < bound:
        rounded = np.nextafter(rounded, like.dtype.type(np.inf))
    return rounded


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def best_by_columns(
    weights: ColumnWeights, corners: IntArray, penalty: npt.NDArray[Any]
) -> tuple[int, float]:
    """The best free vertex of a face and its gain, by products with every free column."""
    best_vertex, best = -1, -np.inf
    for u in range(len(penalty)):
        if penalty[u] == 0:
            gain = face_gain(weights, corners, u, penalty)
            if gain > best:
                best_vertex, best = u, gain
    return best_vertex, best


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def best_among(
    weights: ColumnWeights,
    corners: IntArray,
    vertices: npt.NDArray[np.int32],
    like: npt.NDArray[Any],
) -> float:
    """The best gain of a face by some vertices, −∞ without any."""
    best = -np.inf
    for u in vertices:
        best = max(best, face_gain(weights, corners, u, like))
    return best


@njit(cache=True, nogil=True)
def answer_from_near(
    weights: ColumnWeights,
    growth: Growth,
    columns: IntArray,
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    c: npt.NDArray[Any],
    margin: float,
) -> None:
    """Answer the face on top from rows that are not quite those of `weights`.

    As `topofs._kernels.tmfg_lists.answer_from_rows` does; but all that may gain most is looked at
    again: by `weights` a vertex gains at most `margin` more than by the rows.
    """
    penalty, top = growth.penalty, growth.heap[0]
    place, likely = -1, -np.inf
    for p in range(len(columns)):
        gain = (a[p] + b[p]) + c[p]
        if gain > likely and penalty[columns[p]] == 0:
            place, likely = p, gain
    vertex = columns[place]
    best = face_gain(weights, growth.corner[top], vertex, penalty)
    for p in range(len(columns)):
        u = columns[p]
        if (a[p] + b[p]) + c[p] >= best - margin and penalty[u] == 0:
            gain = face_gain(weights, growth.corner[top], u, penalty)
            if gain > best or (gain == best and u < vertex):
                vertex, best = u, gain
    growth.vertex[top], growth.key[0] = vertex, best
    sift_down(growth.heap, growth.key, growth.counters[0].n_faces)


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def face_gain(
    weights: ColumnWeights, corners: IntArray, u: int, like: npt.NDArray[Any]
) -> float:
    """What the vertex u adds to a face, in the order of its corners."""
    a, b, c = corners
    return (weight(weights, a, u, like) + weight(weights, b, u, like)) + weight(
        weights, c, u, like
    )
