"""The best free vertices of faces, as somebody told them who was asked.

A face is a slot of the growth, or one that does not exist yet: a vertex that is to be inserted
soon will make three faces of one, and vertices will be inserted into these. So answers form
trees: a face, the vertex that is likely its best, its three children by this vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import ColumnWeights, weight

__all__ = [
    "NO_LIMIT",
    "FaceAnswers",
    "children_of",
    "copy_answer",
    "drop_answer",
    "empty_answers",
    "likely_answer",
    "settled_answer",
    "write_answers",
    "write_children",
]

IntArray = npt.NDArray[np.int64]

NO_LIMIT = np.iinfo(np.int32).max


class FaceAnswers(NamedTuple):
    """For each face its best vertices; entries of face f are ``head[f] … length[f] - 1``.

    The first faces are the slots of a growth; those after them are children, three at a time.

    bound, vertex : arrays, shape (n_faces, k)
        Vertices, and falling upper bounds of their gains.
    length, head : arrays of int32, shape (n_faces,)
        End of the list, and a position before which nothing is free.
    floor : array of float64, shape (n_faces,)
        No free vertex outside the list gains more; ∞ as long as nobody was asked.
    limit : array of int32, shape (n_faces,)
        Those outside that gain as much as `floor` lie above this vertex.
    child, stamp, by : arrays, shape (n_faces,)
        The first child by the vertex `by`, or −1, and the stamp it had when it was made.
    corner : array of int64, shape (n_children, 3)
        The corners of the children.
    stamps : array of int64, shape (n_children,)
        A child was made anew, for another face, if its stamp has changed.
    """

    bound: npt.NDArray[np.float64]
    vertex: npt.NDArray[np.int32]
    length: npt.NDArray[np.int32]
    head: npt.NDArray[np.int32]
    floor: npt.NDArray[np.float64]
    limit: npt.NDArray[np.int32]
    child: IntArray
    stamp: IntArray
    by: IntArray
    corner: IntArray
    stamps: IntArray


def empty_answers(n_slots: int, n_children: int, k: int) -> FaceAnswers:
    """Room for k vertices of each face; nobody was asked."""
    n_faces = n_slots + n_children
    return FaceAnswers(
        bound=np.empty((n_faces, k)),
        vertex=np.empty((n_faces, k), dtype=np.int32),
        length=np.zeros(n_faces, dtype=np.int32),
        head=np.zeros(n_faces, dtype=np.int32),
        floor=np.full(n_faces, np.inf),
        limit=np.full(n_faces, -1, dtype=np.int32),
        child=np.full(n_faces, -1, dtype=np.int64),
        stamp=np.zeros(n_faces, dtype=np.int64),
        by=np.full(n_faces, -1, dtype=np.int64),
        corner=np.zeros((n_children, 3), dtype=np.int64),
        stamps=np.zeros(n_children, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def likely_answer(
    face: int, answers: FaceAnswers, penalty: npt.NDArray[Any]
) -> tuple[int, float]:
    """The free vertex that is likely the best of a face, or −1, and a bound of all gains."""
    position = answers.head[face]
    while position < answers.length[face] and penalty[answers.vertex[face, position]] != 0:
        position += 1
    answers.head[face] = position
    floor = answers.floor[face]
    if position == answers.length[face]:
        return -1, floor
    return answers.vertex[face, position], max(floor, answers.bound[face, position])


@njit(cache=True, nogil=True)
def settled_answer(
    weights: ColumnWeights,
    corners: IntArray,
    face: int,
    answers: FaceAnswers,
    penalty: npt.NDArray[Any],
) -> tuple[int, float]:
    """The best free vertex of a face and its gain; −1 and the floor if others may be better."""
    a, b, c = corners
    best_vertex, best = -1, -np.inf
    for position in range(answers.head[face], answers.length[face]):
        if answers.bound[face, position] < best:
            break
        u = answers.vertex[face, position]
        if penalty[u] != 0:
            continue
        gain = weight(weights, a, u, penalty) + weight(weights, b, u, penalty)
        gain = gain + weight(weights, c, u, penalty)
        if gain > best or (gain == best and u < best_vertex):
            best_vertex, best = u, gain
    floor = answers.floor[face]
    if best > floor or (best == floor and best_vertex <= answers.limit[face]):
        return best_vertex, best
    return -1, floor


@njit(cache=True, nogil=True)
def children_of(face: int, vertex: int, n_slots: int, answers: FaceAnswers) -> int:
    """The first of the three children of a face by a vertex, or −1."""
    child = answers.child[face]
    if child < 0 or answers.by[face] != vertex:
        return -1
    return child if answers.stamps[child - n_slots] == answers.stamp[face] else -1


@njit(cache=True, nogil=True)
def drop_answer(face: int, answers: FaceAnswers) -> None:
    """Forget what was said of a face: it has other corners now."""
    answers.length[face] = 0
    answers.head[face] = 0
    answers.floor[face] = np.inf
    answers.child[face] = -1


@njit(cache=True, nogil=True)
def copy_answer(source: int, target: int, answers: FaceAnswers) -> None:
    """Let a face have what was said of another one, its children too."""
    count = answers.length[source]
    for position in range(count):
        answers.bound[target, position] = answers.bound[source, position]
        answers.vertex[target, position] = answers.vertex[source, position]
    answers.length[target] = count
    answers.head[target] = answers.head[source]
    answers.floor[target] = answers.floor[source]
    answers.limit[target] = answers.limit[source]
    answers.child[target] = answers.child[source]
    answers.stamp[target] = answers.stamp[source]
    answers.by[target] = answers.by[source]


@njit(cache=True, nogil=True)
def write_answers(
    faces: IntArray,
    proposed: npt.NDArray[np.int32],
    bounds: npt.NDArray[np.float64],
    floors: npt.NDArray[np.float64],
    limits: npt.NDArray[np.int32],
    answers: FaceAnswers,
) -> None:
    """Write what was said of some faces.

    Parameters
    ----------
    faces : array of int64, shape (m,)
        Of which.
    proposed, bounds : arrays, shape (m, k)
        Vertices, −1 where there are no more, and falling bounds of their gains.
    floors, limits : arrays, shape (m,)
        As in `FaceAnswers`.
    answers : FaceAnswers
        Changed.
    """
    for f in range(len(faces)):
        face = faces[f]
        count = 0
        for p in range(proposed.shape[1]):
            if proposed[f, p] >= 0:
                answers.vertex[face, count] = proposed[f, p]
                answers.bound[face, count] = bounds[f, p]
                count += 1
        answers.length[face] = count
        answers.head[face] = 0
        answers.floor[face] = floors[f]
        answers.limit[face] = limits[f]


@njit(cache=True, nogil=True)
def write_children(
    parents: IntArray,
    by: IntArray,
    first_children: IntArray,
    corners: IntArray,
    stamp: int,
    n_slots: int,
    answers: FaceAnswers,
) -> None:
    """Make children of some faces by some vertices; their answers come afterwards."""
    for p in range(len(parents)):
        child = first_children[p]
        for i in range(3):
            for j in range(3):
                answers.corner[child - n_slots + i, j] = corners[3 * p + i, j]
            answers.child[child + i] = -1
            answers.stamps[child - n_slots + i] = stamp
        answers.child[parents[p]] = child
        answers.stamp[parents[p]] = stamp
        answers.by[parents[p]] = by[p]
