"""A drawing without crossings, for a graph of stacked triangles such as the TMFG."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph

__all__ = ["is_stacked", "planar_layout"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Triangle = tuple[int, int, int]

_N_STEPS = 150
_N_HALVINGS = 6
_ROOM = 0.3
_GRAVITY = 0.5


def is_stacked(graph: FilteredGraph) -> bool:
    """Whether its cliques are tetrahedra, two at most in each triangle, as those of a TMFG."""
    cliques, n = graph.cliques, graph.n_nodes
    if cliques is None or cliques.shape != (n - 3, 4) or (cliques < 0).any():
        return False
    meeting = _cliques_of_triangles(cliques.tolist()).values()
    return graph.n_edges == 3 * n - 6 and all(len(numbers) <= 2 for numbers in meeting)


def planar_layout(graph: FilteredGraph, stiffness: Floats, *, aspect: float) -> Floats:
    """Place the nodes of a TMFG so that no two edges cross, by springs along its edges.

    One face is drawn as a triangle around all others, a node inside a triangle where the parts
    get room for the faces they hold, and so on. Then springs along the edges and repulsion
    between all pairs move the nodes; no node moves across an edge, because every face keeps
    its orientation. `aspect`, width over height, is reached as far as the faces allow.
    """
    assert graph.cliques is not None
    cliques = graph.cliques.tolist()
    inside = _cliques_of_triangles(cliques)
    outer = _outer_face(inside)
    places = np.zeros((graph.n_nodes, 2))
    angles = np.pi / 2 + 2 * np.pi * np.arange(3) / 3
    radius = 1.5 * np.sqrt(graph.n_nodes)
    places[list(outer)] = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    faces = _stack(places, outer, inside, cliques)
    _relax(places, graph.edges, stiffness, faces, aspect)
    return places


def _cliques_of_triangles(cliques: list[list[int]]) -> dict[Triangle, list[int]]:
    """The one or two cliques that each triangle belongs to; a face belongs to one."""
    found: dict[Triangle, list[int]] = defaultdict(list)
    for number, clique in enumerate(cliques):
        for a, b, c in combinations(sorted(clique), 3):
            found[a, b, c].append(number)
    return found


def _outer_face(inside: dict[Triangle, list[int]]) -> Triangle:
    """A face of the clique in the middle of the others: nothing is nested deeply then."""
    neighbours: dict[int, list[int]] = defaultdict(list)
    for numbers in inside.values():
        if len(numbers) == 2:
            neighbours[numbers[0]].append(numbers[1])
            neighbours[numbers[1]].append(numbers[0])
    faces = sorted(triangle for triangle, numbers in inside.items() if len(numbers) == 1)
    farness = {n: _farness(n, neighbours) for n in {inside[face][0] for face in faces}}
    return min(faces, key=lambda face: (farness[inside[face][0]], face))


def _farness(start: int, neighbours: dict[int, list[int]]) -> int:
    """Sum of the distances from a clique to all others."""
    seen, front, distance, total = {start}, [start], 0, 0
    while front:
        total += distance * len(front)
        front = [n for clique in front for n in neighbours[clique] if n not in seen]
        seen.update(front)
        distance += 1
    return total


def _stack(
    places: Floats,
    outer: Triangle,
    inside: dict[Triangle, list[int]],
    cliques: list[list[int]],
) -> Ints:
    """Place the nodes inside the outer face; give the faces, in the order of the plane."""

    def parts(triangle: Triangle, clique: int) -> tuple[int, list[Triangle]]:
        node = next(n for n in cliques[clique] if n not in triangle)
        a, b, c = triangle
        return node, [(node, b, c), (a, node, c), (a, b, node)]

    def beyond(triangle: Triangle, clique: int) -> int | None:
        a, b, c = sorted(triangle)
        return next((n for n in inside[a, b, c] if n != clique), None)

    # First down, to have every triangle after the one that holds it; then up, to count.
    pending: list[tuple[Triangle, int | None]] = [(outer, inside[outer][0])]
    divided: list[tuple[Triangle, int, list[Triangle]]] = []
    faces: list[Triangle] = []
    while pending:
        triangle, clique = pending.pop()
        if clique is None:
            faces.append(triangle)
            continue
        node, within = parts(triangle, clique)
        divided.append((triangle, node, within))
        pending += [(part, beyond(part, clique)) for part in within]
    n_faces: dict[Triangle, int] = dict.fromkeys(faces, 1)
    for triangle, _, within in reversed(divided):
        n_faces[triangle] = sum(n_faces[part] for part in within)
    for triangle, node, within in divided:
        # The part opposite to a corner grows with the weight of that corner.
        weights = np.sqrt([n_faces[part] for part in within])
        places[node] = weights @ places[list(triangle)] / weights.sum()
    return np.array(faces, dtype=np.int64)


def _relax(places: Floats, edges: Ints, stiffness: Floats, faces: Ints, aspect: float) -> None:
    """Follow the forces, as far as every face keeps its orientation and some height."""
    n = len(places)
    pull = 2 * _GRAVITY * np.array([1.0, aspect]) / (1 + aspect)
    start, end = edges.T
    heights = _heights(places, faces)
    longest = 0.1 * np.sqrt(n) * (1 - np.arange(_N_STEPS) / _N_STEPS)
    for length in longest:
        apart = places[:, None] - places[None]
        squares = (apart**2).sum(axis=2) + 1e-9
        force = (apart / squares[:, :, None]).sum(axis=1) - pull * places
        spring = stiffness[:, None] * (places[end] - places[start])
        np.add.at(force, start, spring)
        np.add.at(force, end, -spring)
        size = np.linalg.norm(force, axis=1, keepdims=True)
        step = force * np.minimum(1.0, length / np.maximum(size, 1e-12))
        allowed = np.minimum(heights, _ROOM)
        for _ in range(_N_HALVINGS):
            bad = _heights(places + step, faces) < 0.9 * allowed
            if not bad.any():
                break
            step[np.unique(faces[bad])] *= 0.5
        while (bad := _heights(places + step, faces) < 0.9 * allowed).any():
            touched = np.unique(faces[bad])
            if not step[touched].any():
                break
            step[touched] = 0.0
        moved = places + step
        new = _heights(moved, faces)
        if (new > 0).all():
            places[:] = moved
            heights = new


def _heights(places: Floats, faces: Ints) -> Floats:
    """The least height of each face; negative where it is turned over."""
    a, b, c = (places[faces[:, i]] for i in range(3))
    doubled = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (
        c[:, 0] - a[:, 0]
    )
    sides = [np.linalg.norm(p - q, axis=1) for p, q in ((a, b), (b, c), (c, a))]
    return np.asarray(doubled / np.maximum(np.max(sides, axis=0), 1e-12))
