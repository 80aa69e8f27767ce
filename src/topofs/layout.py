"""Layouts of a graph: by forces, and without crossings for a small TMFG.

The layouts are computed here and not by networkx or rustworkx, for three reasons. The report and
the plots must not need the extra `graphs`. Their force-directed layouts start at random and take
O(n²) a step. The planar layout of networkx puts the nodes on a grid, where most faces are too flat
to read.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.typing import Doubles, Ints

    Triangle = tuple[int, int, int]

_N_STEPS = 200
_N_PIVOTS = 50
# Up to so many nodes the forces between all pairs take half a second.
_MOST_PAIRWISE = 1000
# Pairs worked on at a time: a few arrays of them stay in the cache.
_BLOCK = 1 << 15
# Under gravity g a cloud of nodes of mass 1 settles at one node to an area of π / g.
_GRAVITY = 0.5
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
# A TMFG of so many nodes at most is drawn without crossings: in so many steps, each halved so
# often where a face would become too flat; no face needs more height than `_ROOM`.
_MOST_WITHOUT_CROSSINGS = 60
_N_PLANAR_STEPS = 150
_N_HALVINGS = 6
_ROOM = 0.3


def layout(graph: FilteredGraph, *, aspect: float = 1.25) -> Doubles:
    r"""Place the nodes so that joined nodes lie close and all nodes have room.

    Pivot MDS [1]_ on the distances along the edges gives the start. Then a fixed number of
    steps follow the forces: a spring along each edge, stiffer for a stronger one, the
    repulsion :math:`m_i m_j / d_{ij}` between all pairs [2]_ with
    :math:`m_i = \sqrt{\deg(i) / \overline{\deg}}`, and a pull :math:`g\,m_i x_i` towards the
    middle. The last two together spread the nodes evenly over an ellipse of this aspect, width
    over height. O(n^1.5) a step (beyond 1,000 nodes, those far away repel by the cells of a
    grid): 3 s for 5,000 nodes.

    A TMFG of at most 60 nodes is drawn without crossings instead: from a planar drawing, by the
    same forces, and no node moves across an edge.

    The places lie within [-1, 1], centred, the same scale along both axes; the same graph gives
    the same places.

    .. [1] Brandes & Pich, "Eigensolver methods for progressive multidimensional scaling of
       large data", Graph Drawing 2006.
    .. [2] Jacomy, Venturini, Heymann & Bastian, "ForceAtlas2", PLoS ONE 9(6), 2014.
    """
    n = graph.n_nodes
    if n < 2:
        return np.zeros((n, 2))
    stiffness = _stiffness(graph.weights.astype(np.float64))
    if n <= _MOST_WITHOUT_CROSSINGS and is_stacked(graph):
        return _fitted(planar_layout(graph, stiffness, aspect=aspect))
    places = _pivot_mds(graph)
    # Move each node slightly in its own direction: nodes of equal distances would coincide.
    angles = _GOLDEN_ANGLE * np.arange(n)
    places += 0.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    degree = np.maximum(graph.degree(), 1).astype(np.float64)
    mass = np.sqrt(degree / degree.mean())
    # The field inside an even ellipse of half axes a and b goes as b : a.
    gravity = 2 * _GRAVITY * np.array([1.0, aspect]) / (1 + aspect)
    step_sizes = 0.1 * np.sqrt(n) * (1 - np.arange(_N_STEPS) / _N_STEPS)
    if n <= _MOST_PAIRWISE:
        _relax(places, graph.edges, stiffness, mass, gravity, step_sizes)
    else:
        from topofs._kernels.spring_layout import relax

        # Cells along a side that make as many far cells as near nodes.
        n_cells = round((15.0 * n) ** 0.25)
        relax(places, graph.edges, stiffness, mass, gravity, step_sizes, n_cells)
    return _fitted(places)


def _relax(
    places: Doubles,
    edges: Ints,
    pull: Doubles,
    mass: Doubles,
    gravity: Doubles,
    step_sizes: Doubles,
) -> None:
    """Follow the forces between all pairs, as `topofs._kernels.spring_layout` does."""
    n = len(places)
    start, end = edges.T
    springs = sparse.coo_array((pull, (start, end)), shape=(n, n)).tocsr()
    springs = springs + springs.T
    held = springs.sum(axis=1)
    step = max(1, _BLOCK // n)
    for step_size in step_sizes:
        # Rows are m, m·x and m·y.
        weighted = np.vstack([mass, mass * places.T])
        forces = springs @ places - held[:, None] * places - gravity * mass[:, None] * places
        for first in range(0, n, step):
            here = places[first : first + step]
            squares = np.square(here[:, :1] - places[:, 0])
            squares += np.square(here[:, 1:] - places[:, 1])
            # The node itself, and a node at the same position, exert no force.
            squares[squares == 0] = np.inf
            near = np.divide(1.0, squares, out=squares) @ weighted.T
            repulsion = near[:, :1] * here - near[:, 1:]
            forces[first : first + step] += mass[first : first + step, None] * repulsion
        length = np.hypot(forces[:, 0], forces[:, 1])
        moving = length > 0
        stretch = np.minimum(length / mass, step_size)[moving] / length[moving]
        places[moving] += stretch[:, None] * forces[moving]


def _fitted(places: Doubles) -> Doubles:
    """Centre the places and scale them to [-1, 1]."""
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    return np.asarray(places / max(np.abs(places).max(), 1e-12))


def _pivot_mds(graph: FilteredGraph) -> Doubles:
    """Two coordinates from the distances to some nodes far apart; about √n wide."""
    n = graph.n_nodes
    adjacency = graph.to_scipy()
    # csgraph takes a stored zero for no edge, and would fail on weights below zero.
    adjacency.data = np.ones(len(adjacency.data))
    pivot = int(np.argmax(graph.degree()))
    nearest = np.full(n, np.inf)
    distances = np.empty((n, min(_N_PIVOTS, n)))
    for column in range(distances.shape[1]):
        distances[:, column] = csgraph.dijkstra(adjacency, indices=pivot, unweighted=True)
        np.minimum(nearest, distances[:, column], out=nearest)
        pivot = int(np.argmax(nearest))
    reached = np.isfinite(distances)
    distances[~reached] = distances[reached].max() + 1
    squares = distances**2
    centred = (
        squares.mean(axis=0) + squares.mean(axis=1, keepdims=True) - squares - squares.mean()
    )
    _, vectors = np.linalg.eigh(centred.T @ centred)
    places = centred @ vectors[:, :-3:-1]
    # The sign of an eigenvector is arbitrary: fix it, so that every machine draws the same.
    largest = places[np.argmax(np.abs(places), axis=0), [0, 1]]
    places *= np.where(largest < 0, -1.0, 1.0)
    spread = places.std()
    return np.asarray(places * (0.5 * np.sqrt(n) / spread if spread > 0 else 1.0))


def _stiffness(weights: Doubles) -> Doubles:
    """Springs between 0.3 and 1.3; a weight of zero or less holds weakly."""
    strong = np.maximum(weights, 0.0)
    highest = strong.max(initial=0.0)
    return np.asarray(0.3 + (strong / highest if highest > 0 else strong))


def is_stacked(graph: FilteredGraph) -> bool:
    """Whether its cliques are tetrahedra, two at most in each triangle, as those of a TMFG."""
    cliques, n = graph.cliques, graph.n_nodes
    if cliques is None or cliques.shape != (n - 3, 4) or (cliques < 0).any():
        return False
    meeting = _cliques_of_triangles(cliques.tolist()).values()
    return graph.n_edges == 3 * n - 6 and all(len(numbers) <= 2 for numbers in meeting)


def planar_layout(graph: FilteredGraph, stiffness: Doubles, *, aspect: float) -> Doubles:
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
    _relax_planar(places, graph.edges, stiffness, faces, aspect)
    return places


def _cliques_of_triangles(cliques: list[list[int]]) -> dict[Triangle, list[int]]:
    """The one or two cliques that each triangle belongs to; a face belongs to one."""
    found: dict[Triangle, list[int]] = defaultdict(list)
    for number, clique in enumerate(cliques):
        for a, b, c in combinations(sorted(clique), 3):
            found[a, b, c].append(number)
    return found


def _outer_face(inside: dict[Triangle, list[int]]) -> Triangle:
    """A face of the central clique, which keeps the nesting shallow."""
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
    places: Doubles,
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


def _relax_planar(
    places: Doubles, edges: Ints, stiffness: Doubles, faces: Ints, aspect: float
) -> None:
    """Follow the forces, as far as every face keeps its orientation and some height."""
    n = len(places)
    pull = 2 * _GRAVITY * np.array([1.0, aspect]) / (1 + aspect)
    start, end = edges.T
    heights = _heights(places, faces)
    longest = 0.1 * np.sqrt(n) * (1 - np.arange(_N_PLANAR_STEPS) / _N_PLANAR_STEPS)
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


def _heights(places: Doubles, faces: Ints) -> Doubles:
    """The least height of each face; negative where it is turned over."""
    a, b, c = (places[faces[:, i]] for i in range(3))
    doubled = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (
        c[:, 0] - a[:, 0]
    )
    sides = [np.linalg.norm(p - q, axis=1) for p, q in ((a, b), (b, c), (c, a))]
    return np.asarray(doubled / np.maximum(np.max(sides, axis=0), 1e-12))
