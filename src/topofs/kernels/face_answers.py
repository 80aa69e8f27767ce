"""The best free vertices of faces, as somebody told them who was asked.

A face is a slot of the growth, or one that does not exist yet: a vertex that is to be inserted
soon will make three faces of one, and vertices will be inserted into these. What is said of such
faces is kept by their corners, some faces a place, of which the oldest go first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topofs.kernels.cache_folder import njit
from topofs.kernels.column_weights import ColumnWeights, weight
from topofs.kernels.compiler_hints import UNCOUNTED

__all__ = [
    "NO_LIMIT",
    "FaceAnswers",
    "copy_answer",
    "drop_answer",
    "empty_answers",
    "find_face",
    "likely_answer",
    "make_face",
    "settled_answer",
    "write_answers",
]

IntArray = npt.NDArray[np.int64]

NO_LIMIT = np.iinfo(np.int32).max

# Faces that are not slots: so many for each place, and places, a power of two.
N_WAYS = 4
N_PLACES = 2**14


class FaceAnswers(NamedTuple):
    """For each face its best vertices; entries of face f are ``head[f] … length[f] - 1``.

    The first faces are the slots of a growth. Those after them, N_PLACES · N_WAYS, do not exist
    yet: `corner` has their corners, in order, −1 for none, and `stamp` when they were made.

    `bound`, falling, and `vertex` have shape (n_faces, k); nothing before `head` is free. No
    free vertex outside the list gains more than `floor`, ∞ as long as nobody was asked; those
    outside that gain as much lie above the vertex `limit`.
    """

    bound: npt.NDArray[np.float64]
    vertex: npt.NDArray[np.int32]
    length: npt.NDArray[np.int32]
    head: npt.NDArray[np.int32]
    floor: npt.NDArray[np.float64]
    limit: npt.NDArray[np.int32]
    corner: IntArray
    stamp: IntArray


def empty_answers(n_slots: int, k: int) -> FaceAnswers:
    """Room for k vertices of each face; nobody was asked."""
    others = N_PLACES * N_WAYS
    n_faces = n_slots + others
    return FaceAnswers(
        bound=np.empty((n_faces, k)),
        vertex=np.empty((n_faces, k), dtype=np.int32),
        length=np.zeros(n_faces, dtype=np.int32),
        head=np.zeros(n_faces, dtype=np.int32),
        floor=np.full(n_faces, np.inf),
        limit=np.full(n_faces, -1, dtype=np.int32),
        corner=np.full((others, 3), -1, dtype=np.int64),
        stamp=np.full(others, -1, dtype=np.int64),
    )


@njit(cache=True, nogil=True, **UNCOUNTED)
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


@njit(cache=True, nogil=True, **UNCOUNTED)
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
        # Not `face_gain`, whose call takes longer than it saves.
        gain = weight(weights, a, u, penalty) + weight(weights, b, u, penalty)
        gain = gain + weight(weights, c, u, penalty)
        if gain > best or (gain == best and u < best_vertex):
            best_vertex, best = u, gain
    floor = answers.floor[face]
    if best > floor or (best == floor and best_vertex <= answers.limit[face]):
        return best_vertex, best
    return -1, floor


@njit(cache=True, nogil=True, **UNCOUNTED)
def _place(a: int, b: int, c: int) -> int:
    """Where a face that is not a slot is kept: by the middle bits of a product."""
    mixed = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ np.uint64(b)) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ np.uint64(c)) * np.uint64(0x165667B19E3779F9)
    return N_WAYS * np.int64((mixed >> np.uint64(32)) % np.uint64(N_PLACES))  # type: ignore[return-value]


@njit(cache=True, nogil=True, **UNCOUNTED)
def find_face(a: int, b: int, c: int, answers: FaceAnswers) -> int:
    """The face of these corners that is not a slot, or −1."""
    first = _place(a, b, c)
    corner = answers.corner
    for i in range(first, first + N_WAYS):
        if corner[i, 0] == a and corner[i, 1] == b and corner[i, 2] == c:
            return len(answers.length) - len(corner) + i
    return -1


@njit(cache=True, nogil=True, **UNCOUNTED)
def make_face(a: int, b: int, c: int, stamp: int, answers: FaceAnswers) -> int:
    """Make a face of these corners in the place of the oldest; nothing is said of it yet."""
    first = _place(a, b, c)
    chosen = first
    for i in range(first + 1, first + N_WAYS):
        if answers.stamp[i] < answers.stamp[chosen]:
            chosen = i
    corner = answers.corner[chosen]
    corner[0], corner[1], corner[2] = a, b, c
    answers.stamp[chosen] = stamp
    face = len(answers.length) - len(answers.corner) + chosen
    drop_answer(face, answers)
    return face


@njit(cache=True, nogil=True, **UNCOUNTED)
def drop_answer(face: int, answers: FaceAnswers) -> None:
    """Forget what was said of a face: it has other corners now."""
    answers.length[face] = 0
    answers.head[face] = 0
    answers.floor[face] = np.inf


@njit(cache=True, nogil=True, **UNCOUNTED)
def copy_answer(source: int, target: int, answers: FaceAnswers) -> None:
    """Let a face have what was said of another one."""
    count = answers.length[source]
    for position in range(count):
        answers.bound[target, position] = answers.bound[source, position]
        answers.vertex[target, position] = answers.vertex[source, position]
    answers.length[target] = count
    answers.head[target] = answers.head[source]
    answers.floor[target] = answers.floor[source]
    answers.limit[target] = answers.limit[source]


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

    That is vertices, −1 where there are no more, and falling bounds of their gains. Floors and
    limits are as in `FaceAnswers`.
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
