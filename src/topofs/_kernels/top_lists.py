"""Lists of the strongest links of each vertex to free vertices, strongest first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs._kernels.column_weights import ColumnWeights, weight
from topofs._kernels.compiler import NO_REFCOUNT, fetch_row, njit
from topofs.typing import Doubles, Floats, Ints

Ids = npt.NDArray[np.int32]

# A column is prefetched this many entries before it is multiplied.
AHEAD = 2


class TopLists(NamedTuple):
    """The lists of all vertices; entries of vertex v are ``head[v] … length[v] - 1``.

    `weight` (falling weights or bounds of them) and `vertex` (the other ends) have shape (n,
    k). Entries before ``head[v]`` lead to used vertices; later ones may, too. No free vertex
    outside the list has a larger weight than `floor`, which is −∞ if there is no such vertex,
    and ∞ until the list is filled.
    """

    weight: npt.NDArray[Any]
    vertex: Ids
    length: Ints
    head: Ints
    floor: Floats


def empty_lists(n: int, k: int, dtype: npt.DTypeLike) -> TopLists:
    """Lists of k entries for n vertices, none of them filled."""
    return TopLists(
        weight=np.empty((n, k), dtype=dtype),
        vertex=np.empty((n, k), dtype=np.int32),
        length=np.zeros(n, dtype=np.int64),
        head=np.zeros(n, dtype=np.int64),
        floor=np.full(n, np.inf, dtype=dtype),
    )


def no_peaks(n: int, dtype: npt.DTypeLike) -> Any:
    """Records for the strongest links of n vertices to free ones; at first none is known."""
    fields = np.dtype([("weight", dtype), ("vertex", np.int32)], align=True)
    peaks = np.zeros(n, dtype=np.dtype((np.record, fields)))
    peaks["vertex"] = -1
    return peaks


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def highest_free_weight(v: int, lists: TopLists, penalty: Floats) -> float:
    """A bound of the weights of v to free vertices; exact if the list has a free vertex."""
    weight, vertex, length, head, floor = lists
    position = head[v]
    while position < length[v] and penalty[vertex[v, position]] != 0:
        position += 1
    head[v] = position
    highest = floor[v]
    if position < length[v]:
        highest = weight[v, position]
    return highest


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def place_in_list(v: int, u: int, lists: TopLists) -> int:
    """The position of the free vertex u in the list of v, or −1."""
    _, vertex, length, head, _ = lists
    first = head[v]
    place = -1 - first
    listed = vertex[v, first : length[v]]
    # The compiler vectorises a loop from 0 to the end without a break.
    for position in range(len(listed)):
        if listed[position] == u:
            place = position
    return first + place


@njit(cache=True, nogil=True, **NO_REFCOUNT)
def write_lists(
    weights: ColumnWeights,
    vertices: Ints,
    proposed: Ids,
    floors: Doubles,
    first: int,
    last: int,
    lists: TopLists,
) -> None:
    """Make lists of proposed vertices for ``vertices[first:last]``.

    `proposed` has shape (m, k), padded with −1. No vertex outside the proposals has a larger
    weight than the floor, which is −∞ if there is none. A proposed vertex below the floor is
    left out, because vertices outside may be heavier.
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
                # The list is full: drop the lightest, whose weight becomes the floor.
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
    vertices: Ints, proposed: Ids, bounds: Doubles, floors: Doubles, lists: TopLists
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
def rounded_up(bound: float, like: Floats) -> Any:
    """A number of the type of `like` that is no less than the bound."""
    rounded = like.dtype.type(bound)
    if rounded < bound:
        rounded = np.nextafter(rounded, like.dtype.type(np.inf))
    return rounded


@njit(cache=True, nogil=True)
def strongest_first(values: Floats, places: Ids, count: int, k: int) -> None:
    """Rearrange the first `count` values, with their places, so that the k strongest lead.

    Of equal values the one at the lowest place is the strongest; the k-th stands last among
    the k. Hoare's selection; invariant: what stands before `low` is as strong as what stands
    from it on, what stands after `high` as weak as what stands up to it, and the k-th lies
    between.
    """
    low, high = 0, count - 1
    while low < high:
        pivot, at = values[(low + high) // 2], places[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while _stronger(values[i], places[i], pivot, at):
                i += 1
            while _stronger(pivot, at, values[j], places[j]):
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                places[i], places[j] = places[j], places[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break


@njit(cache=True, nogil=True)
def sort_links(values: Floats, places: Ids, count: int) -> None:
    """Sort the first `count` values, with their places, the strongest first (Shell's sort)."""
    gap = 40
    while gap > 0:
        for position in range(gap, count):
            value, place, hole = values[position], places[position], position
            while hole >= gap and _stronger(
                value, place, values[hole - gap], places[hole - gap]
            ):
                values[hole], places[hole] = values[hole - gap], places[hole - gap]
                hole -= gap
            values[hole], places[hole] = value, place
        # 40, 13, 4, 1
        gap //= 3


@njit(cache=True, nogil=True)
def _stronger(value: float, place: int, other: float, there: int) -> bool:
    """Whether a value is larger than another, or as large and at a lower place."""
    return value > other or (value == other and place < there)


@njit(cache=True, nogil=True)
def place_among(columns: npt.NDArray[np.integer[Any]], v: int) -> int:
    """The position of v among ascending columns, or −1.

    Invariant: columns before `low` are below v, columns from `high` on are not.
    """
    low, high = 0, len(columns)
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low if low < len(columns) and columns[low] == v else -1
