"""Where to draw the nodes of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from topofs.planar_layout import is_stacked, planar_layout

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph

__all__ = ["layout"]

Floats = npt.NDArray[np.float64]

_N_STEPS = 200
_N_PIVOTS = 50
_MOST_WITHOUT_CROSSINGS = 60
# Up to so many nodes the forces between all pairs take half a second.
_MOST_PAIRWISE = 1000
# Pairs worked on at a time: a few arrays of them stay in the cache.
_BLOCK = 1 << 15
# Under gravity g a cloud of nodes of mass 1 settles at one node to an area of π / g.
_GRAVITY = 0.5
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


def layout(graph: FilteredGraph, *, aspect: float = 1.25) -> Floats:
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
    # A little apart, each in its own direction: nodes alike in all distances would coincide.
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
        from topofs.kernels.spring_layout import relax

        # Cells along a side that make as many far cells as near nodes.
        n_cells = round((15.0 * n) ** 0.25)
        relax(places, graph.edges, stiffness, mass, gravity, step_sizes, n_cells)
    return _fitted(places)


def _relax(
    places: Floats,
    edges: npt.NDArray[np.int64],
    pull: Floats,
    mass: Floats,
    gravity: Floats,
    step_sizes: Floats,
) -> None:
    """Move the nodes along the forces between all pairs, as `topofs.kernels.spring_layout` does."""
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
            # The node itself, and one exactly on it, gives no direction.
            squares[squares == 0] = np.inf
            near = np.divide(1.0, squares, out=squares) @ weighted.T
            repulsion = near[:, :1] * here - near[:, 1:]
            forces[first : first + step] += mass[first : first + step, None] * repulsion
        length = np.hypot(forces[:, 0], forces[:, 1])
        moving = length > 0
        stretch = np.minimum(length / mass, step_size)[moving] / length[moving]
        places[moving] += stretch[:, None] * forces[moving]


def _fitted(places: Floats) -> Floats:
    """Centre the places and scale them to [-1, 1]."""
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    return np.asarray(places / max(np.abs(places).max(), 1e-12))


def _pivot_mds(graph: FilteredGraph) -> Floats:
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
    # An eigenvector has no sign of its own: fix it, so that every machine draws the same.
    largest = places[np.argmax(np.abs(places), axis=0), [0, 1]]
    places *= np.where(largest < 0, -1.0, 1.0)
    spread = places.std()
    return np.asarray(places * (0.5 * np.sqrt(n) / spread if spread > 0 else 1.0))


def _stiffness(weights: Floats) -> Floats:
    """Springs between 0.3 and 1.3; a weight of zero or less holds weakly."""
    strong = np.maximum(weights, 0.0)
    highest = strong.max(initial=0.0)
    return np.asarray(0.3 + (strong / highest if highest > 0 else strong))
