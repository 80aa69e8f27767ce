"""The best free vertices of faces, as somebody told them who was asked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from topofs.kernels.column_weights import ColumnWeights, weight

__all__ = [
    "NO_LIMIT",
    "FaceAnswers",
    "copy_answer",
    "copy_answers",
    "drop_answer",
    "empty_answers",
    "next_answer",
    "without_answer",
    "write_answers",
]

IntArray = npt.NDArray[np.int64]

NO_LIMIT = np.iinfo(np.int32).max


class FaceAnswers(NamedTuple):
    """For each face its best vertices; entries of face f are ``head[f] … length[f] - 1``.

    gain, vertex : arrays, shape (n_faces, k)
        Falling gains and their vertices; of equal gains the lower vertex comes first.
    length, head : arrays of int32, shape (n_faces,)
        End of the list, and a position before which nothing is free.
    floor : array, shape (n_faces,)
        No free vertex outside the list has a larger gain; ∞ as long as nobody was asked.
    limit : array of int32, shape (n_faces,)
        Those outside with a gain of `floor` lie above this vertex.
    """

    gain: npt.NDArray[Any]
    vertex: npt.NDArray[np.int32]
    length: npt.NDArray[np.int32]
    head: npt.NDArray[np.int32]
    floor: npt.NDArray[Any]
    limit: npt.NDArray[np.int32]


def empty_answers(n_faces: int, k: int, dtype: npt.DTypeLike) -> FaceAnswers:
    """Room for k vertices of each face; nobody was asked."""
    return FaceAnswers(
        gain=np.empty((n_faces, k), dtype=dtype),
        vertex=np.empty((n_faces, k), dtype=np.int32),
        length=np.zeros(n_faces, dtype=np.int32),
        head=np.zeros(n_faces, dtype=np.int32),
        floor=np.full(n_faces, np.inf, dtype=dtype),
        limit=np.full(n_faces, -1, dtype=np.int32),
    )


@njit(cache=True, nogil=True)
def next_answer(
    face: int, answers: FaceAnswers, penalty: npt.NDArray[Any]
) -> tuple[int, float]:
    """The best free vertex of a face and its gain; −1 and a bound of the gains if not known."""
    gain, vertex, length, head, floor, limit = answers
    position = head[face]
    while position < length[face] and penalty[vertex[face, position]] != 0:
        position += 1
    head[face] = position
    if position == length[face]:
        return -1, floor[face]
    best, v = gain[face, position], vertex[face, position]
    if best > floor[face] or (best == floor[face] and v <= limit[face]):
        return v, best
    return -1, floor[face]


@njit(cache=True, nogil=True)
def drop_answer(face: int, answers: FaceAnswers) -> None:
    """Forget what was said of a face: it has other corners now."""
    answers.length[face] = 0
    answers.head[face] = 0
    answers.floor[face] = np.inf


@njit(cache=True, nogil=True)
def copy_answer(source: FaceAnswers, i: int, target: FaceAnswers, j: int) -> None:
    """Let face j of `target` have what was said of face i of `source`."""
    count = source.length[i]
    for position in range(count):
        target.gain[j, position] = source.gain[i, position]
        target.vertex[j, position] = source.vertex[i, position]
    target.length[j] = count
    target.head[j] = 0
    target.floor[j] = source.floor[i]
    target.limit[j] = source.limit[i]


@njit(cache=True, nogil=True)
def copy_answers(source: FaceAnswers, first: int, faces: IntArray, target: FaceAnswers) -> None:
    """Let some faces of `target` have what was said of those from `first` on."""
    for f in range(len(faces)):
        copy_answer(source, first + f, target, faces[f])


@njit(cache=True, nogil=True)
def without_answer(answers: FaceAnswers, penalty: npt.NDArray[Any]) -> IntArray:
    """The faces whose best vertex is not known."""
    found = np.empty(len(answers.length), np.int64)
    count = 0
    for face in range(len(answers.length)):
        if next_answer(face, answers, penalty)[0] < 0:
            found[count] = face
            count += 1
    return found[:count]


@njit(cache=True, nogil=True)
def write_answers(
    weights: ColumnWeights,
    corners: IntArray,
    proposed: npt.NDArray[np.int32],
    floors: npt.NDArray[np.float64],
    limits: npt.NDArray[np.int32],
    first: int,
    last: int,
    answers: FaceAnswers,
) -> None:
    """Put proposed vertices of faces in order, by gains in the host's arithmetic.

    Parameters
    ----------
    weights : ColumnWeights
        The entries.
    corners : array of int64, shape (m, 3)
        The corners (a, b, c) of each face.
    proposed : array of int32, shape (m, k)
        Vertices; −1 where there are no more.
    floors, limits : arrays, shape (m,)
        As in `FaceAnswers`; the floors in float64.
    first, last : int
        A range of faces, so that threads can share the work.
    answers : FaceAnswers
        Changed in the rows of the range.
    """
    gain, vertex, length, head, floor, limit = answers
    for f in range(first, last):
        a, b, c = corners[f, 0], corners[f, 1], corners[f, 2]
        count = 0
        for p in range(proposed.shape[1]):
            u = proposed[f, p]
            if u < 0:
                continue
            g = weight(weights, a, u, gain) + weight(weights, b, u, gain)
            g = g + weight(weights, c, u, gain)
            hole = count
            while hole > 0 and (
                gain[f, hole - 1] < g or (gain[f, hole - 1] == g and vertex[f, hole - 1] > u)
            ):
                gain[f, hole] = gain[f, hole - 1]
                vertex[f, hole] = vertex[f, hole - 1]
                hole -= 1
            gain[f, hole] = g
            vertex[f, hole] = u
            count += 1
        length[f] = count
        head[f] = 0
        least = gain.dtype.type(floors[f])
        if least < floors[f]:
            least = np.nextafter(least, gain.dtype.type(np.inf))
        floor[f] = least
        limit[f] = limits[f]
