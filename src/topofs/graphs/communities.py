"""Communities of a maximal planar graph by its directed bubble hierarchical tree (DBHT).

`bubble_tree` takes the graph apart at its separating triangles; `communities_of` directs the
tree, finds its converging bubbles and assigns the nodes to them. Sums of weights are sums of
whole units, so that no answer depends on the order of their terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from topofs._kernels.numpy_or_numba import units

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.typing import Bools, Doubles, Ints

__all__ = ["BubbleTree", "bubble_tree", "communities_of"]

_SOURCES = 128
"""Rows of distances held at a time."""

_ROUNDING = 1e-9
"""What a weight may exceed 1 by."""

_DIGITS = 9
"""Digits of a mean distance that count: the rest is rounding."""


@dataclass(frozen=True, eq=False)
class BubbleTree:
    """The bubbles of a maximal planar graph, and the directed edges between them.

    Attributes
    ----------
    bubbles : list of array of int
        The nodes of each bubble: parts of the graph without a separating triangle.
    source, target : array of int, shape (n_bubbles - 1,)
        Both bubbles at each separating triangle. The edge points to the side on which the
        triangle has the larger sum of weights.
    """

    bubbles: list[Ints]
    source: Ints
    target: Ints

    @property
    def converging(self) -> Ints:
        """The bubbles that no edge leaves."""
        return np.setdiff1d(np.arange(len(self.bubbles)), self.source)

    def leading_to(self, bubble: int) -> Ints:
        """The bubbles with a directed path to a bubble, itself included."""
        n = len(self.bubbles)
        ones = np.ones(len(self.source))
        backwards = sparse.csr_array((ones, (self.target, self.source)), shape=(n, n))
        found: Ints = csgraph.breadth_first_order(backwards, bubble, return_predecessors=False)
        return found


def communities_of(graph: FilteredGraph) -> Ints:
    """Assign each node of a maximal planar graph to a community, as `FilteredGraph.communities`."""
    n = graph.n_nodes
    if n <= 3 and graph.n_edges == n * (n - 1) // 2:
        return np.zeros(n, dtype=np.int64)
    if graph.n_edges and graph.weights.max() > 1 + _ROUNDING:
        raise ValueError(
            f"the graph has an edge of weight {graph.weights.max():g}: communities measure "
            "distances by the square root of 2 (1 - weight), so no weight may be above 1; build "
            "the graph of correlations or of shares of variance"
        )
    tree = bubble_tree(graph)
    converging = tree.converging
    if len(converging) == 1:
        return np.zeros(n, dtype=np.int64)
    community = _cores(graph, [tree.bubbles[bubble] for bubble in converging])
    rest = np.flatnonzero(community < 0)
    if rest.size:
        community[rest] = _nearest_cores(graph, tree, community, rest)
    return _largest_first(community)


def bubble_tree(graph: FilteredGraph) -> BubbleTree:
    """Take a maximal planar graph apart at its separating triangles; refuse other graphs."""
    found = _tree_of_cliques(graph)
    if found is None:
        _refuse_unless_maximal_planar(graph)
        found = _tree_of_triangles(graph)
    return found


def _refuse_unless_maximal_planar(graph: FilteredGraph) -> None:
    from topofs._kernels.planarity import planar_filter

    n = graph.n_nodes
    planar = graph.n_edges == 3 * n - 6 and len(planar_filter(n, graph.edges)) == graph.n_edges
    if not planar:
        raise ValueError(
            f"communities (DBHT) need a maximal planar graph, and this graph of {n} nodes and "
            f"{graph.n_edges} edges is none: use graph='tmfg' or graph='pmfg'"
        )


def _tree_of_cliques(graph: FilteredGraph) -> BubbleTree | None:
    """The tree of a TMFG, from its cliques and separators; None for any other graph.

    Each clique is a bubble. Each separator is a face of one earlier clique, its parent.
    """
    cliques, separators, n = graph.cliques, graph.separators, graph.n_nodes
    if cliques is None or separators is None or cliques.shape != (n - 3, 4):
        return None
    if graph.n_edges != 3 * n - 6 or (cliques < 0).any() or (separators < 0).any():
        return None
    parent = np.full(len(cliques), -1)
    clique_of: dict[tuple[int, ...], int] = {}
    for t, clique in enumerate(np.sort(cliques, axis=1).tolist()):
        if t:
            separator = tuple(sorted(separators[t - 1].tolist()))
            parent[t] = clique_of.pop(separator, -1)
            if parent[t] < 0:
                return None  # a face is used twice: the graph is not planar
        faces = [tuple(clique[:i] + clique[i + 1 :]) for i in range(4)]
        for face in faces:
            if not t or face != separator:
                clique_of[face] = t
    inwards = _points_inwards(graph, cliques, parent)
    child = np.arange(1, len(cliques))
    source = np.where(inwards, parent[1:], child)
    target = np.where(inwards, child, parent[1:])
    return BubbleTree(list(cliques), source, target)


def _points_inwards(graph: FilteredGraph, cliques: Ints, parent: Ints) -> Bools:
    """Whether the edge at each separator points to the nodes that were inserted beyond it."""
    n, weights = graph.n_nodes, units(graph.weights)
    number = graph.edges[:, 0] * n + graph.edges[:, 1]

    def weight(left: Ints, right: Ints) -> Ints:
        ends = np.minimum(left, right) * n + np.maximum(left, right)
        return np.asarray(weights[np.searchsorted(number, ends)])

    strength = np.zeros(n, dtype=np.int64)
    np.add.at(strength, graph.edges.ravel(), np.repeat(weights, 2))
    node, corners = cliques[1:, 0], cliques[1:, 1:]
    around = sum(weight(corners[:, a], corners[:, b]) for a, b in ((0, 1), (0, 2), (1, 2)))
    # The weights between each corner of a separator and the nodes beyond it, last ones first.
    beyond = weight(np.repeat(node, 3), corners.ravel()).reshape(-1, 3).tolist()
    n_beyond = np.ones(len(corners), dtype=np.int64).tolist()
    place = [{corner: at for at, corner in enumerate(face)} for face in corners.tolist()]
    for t in range(len(corners) - 1, -1, -1):
        above = int(parent[t + 1]) - 1
        if above < 0:
            continue
        n_beyond[above] += n_beyond[t]
        for corner, at in place[t].items():
            if corner in place[above]:
                beyond[above][place[above][corner]] += beyond[t][at]
    inside = np.array(beyond, dtype=np.int64).reshape(-1, 3).sum(axis=1)
    outside = strength[corners].sum(axis=1) - inside - 2 * around
    n_inside = np.array(n_beyond, dtype=np.int64)
    more = n_inside > n - 3 - n_inside
    return np.asarray((inside > outside) | ((inside == outside) & more))


def _tree_of_triangles(graph: FilteredGraph) -> BubbleTree:
    """The tree of any maximal planar graph: find the separating triangles and split at each."""
    adjacency = graph.to_scipy()
    weights = sparse.csr_array(
        (units(adjacency.data), adjacency.indices, adjacency.indptr), shape=adjacency.shape
    )
    pattern = sparse.csr_array((np.ones(adjacency.nnz), adjacency.indices, adjacency.indptr))
    everyone = np.arange(graph.n_nodes)
    pieces, joints = [everyone], []
    for triangle in _triangles(graph):
        sides = _sides(pattern, everyone, triangle)
        if len(sides) < 2:
            continue
        sums = [int(weights[triangle][:, side].sum()) for side in sides]
        # Equal sums: to the side with more nodes, then to that of the first node.
        towards = max((0, 1), key=lambda i: (sums[i], len(sides[i]), -i))
        joints.append((triangle, sides[towards]))
        for number, piece in enumerate(pieces):
            if np.isin(triangle, piece).all():
                parts = _sides(pattern, piece, triangle)
                if len(parts) == 2:
                    left, right = (np.union1d(part, triangle) for part in parts)
                    pieces[number] = left
                    pieces.append(right)
                    break
    source, target = [], []
    for triangle, side in joints:
        both = [b for b, piece in enumerate(pieces) if np.isin(triangle, piece).all()]
        inside = [bool(np.isin(pieces[b], side).any()) for b in both]
        target.append(both[inside.index(True)])
        source.append(both[inside.index(False)])
    return BubbleTree(pieces, np.array(source, np.int64), np.array(target, np.int64))


def _triangles(graph: FilteredGraph) -> list[Ints]:
    """All triangles of a graph, the corners ascending."""
    near = [set(graph.neighbors(node).tolist()) for node in range(graph.n_nodes)]
    return [
        np.array([i, j, k])
        for i, j in graph.edges.tolist()
        for k in sorted(near[i] & near[j])
        if k > j
    ]


def _sides(pattern: Any, nodes: Ints, triangle: Ints) -> list[Ints]:
    """The connected parts of some nodes without a triangle."""
    others = np.setdiff1d(nodes, triangle)
    n_parts, part = csgraph.connected_components(pattern[others][:, others], directed=False)
    return [others[part == number] for number in range(n_parts)]


def _cores(graph: FilteredGraph, bubbles: list[Ints]) -> Ints:
    """Assign the nodes of converging bubbles to the bubble that holds most of their weight."""
    adjacency = graph.to_scipy()
    community = np.full(graph.n_nodes, -1)
    best = np.full(graph.n_nodes, -np.inf)
    for number, bubble in enumerate(bubbles):
        held = units(adjacency[bubble][:, bubble].toarray()).sum(axis=1)
        attachment = held / (3 * (len(bubble) - 2))
        stronger = bubble[attachment > best[bubble]]
        best[bubble] = np.maximum(best[bubble], attachment)
        community[stronger] = number
    return community


def _nearest_cores(graph: FilteredGraph, tree: BubbleTree, community: Ints, rest: Ints) -> Ints:
    """The nearest core for each other node, of those that a path of its bubbles leads to."""
    edges, n = graph.edges, graph.n_nodes
    lengths = np.sqrt(2 * np.maximum(0, 1 - graph.weights.astype(np.float64)))
    i, j = edges.T.astype(np.int32)
    roads = sparse.csr_array((lengths, (i, j)), shape=(n, n))
    nearest = np.full((2, len(rest)), -1)
    least = np.full((2, len(rest)), np.inf)
    for number, bubble in enumerate(tree.converging.tolist()):
        core = np.flatnonzero(community == number)
        if not core.size:
            continue
        basin = np.zeros(n, dtype=np.bool_)
        basin[np.concatenate([tree.bubbles[b] for b in tree.leading_to(bubble)])] = True
        distance = np.round(_mean_distances(roads, core)[rest], _DIGITS)
        # A node that no path leads from to any core takes the nearest of all cores.
        for row, reached in enumerate((basin[rest], np.True_)):
            nearer = (distance < least[row]) & reached
            nearest[row, nearer], least[row, nearer] = number, distance[nearer]
    return np.asarray(np.where(nearest[0] >= 0, nearest[0], nearest[1]), dtype=np.int64)


def _mean_distances(roads: Any, core: Ints) -> Doubles:
    """The mean length of the shortest paths from each node to the nodes of a core."""
    total = np.zeros(roads.shape[0])
    for first in range(0, len(core), _SOURCES):
        some = core[first : first + _SOURCES]
        total += csgraph.dijkstra(roads, directed=False, indices=some).sum(axis=0)
    return np.asarray(total / len(core))


def _largest_first(community: Ints) -> Ints:
    """Number communities from 0, the largest first, equal ones by their first node."""
    _, first, number, sizes = np.unique(
        community, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    renumbered: Ints = np.argsort(order)[number]
    return renumbered
