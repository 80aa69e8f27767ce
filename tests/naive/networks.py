"""Slow twins of network measures: bubbles, overlaps, correlations of cases, as defined.

Nothing here comes from topofs.
"""

import math
from itertools import combinations

import networkx as nx
import numpy as np


def separating(graph, triangle):
    """Whether a graph falls apart without a triangle."""
    rest = graph.subgraph(set(graph) - set(triangle))
    return len(rest) > 0 and not nx.is_connected(rest)


def triangles(graph):
    return [
        c for c in combinations(sorted(graph), 3) if graph.subgraph(c).number_of_edges() == 3
    ]


def bubbles_of(graph):
    """Split at any separating triangle, and go on with both parts."""
    for triangle in triangles(graph):
        if separating(graph, triangle):
            rest = graph.subgraph(set(graph) - set(triangle))
            parts = [side | set(triangle) for side in nx.connected_components(rest)]
            return [bubble for part in parts for bubble in bubbles_of(graph.subgraph(part))]
    return [frozenset(graph)]


def directed_tree(graph, bubbles):
    """Edges between bubbles, each to the side that the triangle is linked to more strongly."""
    tree = nx.DiGraph()
    tree.add_nodes_from(range(len(bubbles)))
    for triangle in triangles(graph):
        if not separating(graph, triangle):
            continue
        sides = list(nx.connected_components(graph.subgraph(set(graph) - set(triangle))))
        sums = [
            math.fsum(
                graph.edges[u, v]["weight"]
                for u in triangle
                for v in side
                if graph.has_edge(u, v)
            )
            for side in sides
        ]
        ends = [
            next(b for b, nodes in enumerate(bubbles) if set(triangle) < nodes and nodes & side)
            for side in sides
        ]
        weak, strong = (ends[i] for i in np.argsort(sums))
        tree.add_edge(weak, strong)
    return tree


def communities(n, edges, weights):
    """Communities by DBHT, as a set of sets of nodes; weights must not tie."""
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for (i, j), w in zip(edges, weights, strict=True):
        graph.add_edge(i, j, weight=w, length=math.sqrt(2 * (1 - w)))
    bubbles = bubbles_of(graph)
    tree = directed_tree(graph, bubbles)
    converging = [b for b in tree if tree.out_degree(b) == 0]
    core = {}
    for v in graph:
        mine = [b for b in converging if v in bubbles[b]]
        if mine:
            core[v] = max(
                mine,
                key=lambda b: (
                    math.fsum(graph.edges[v, u]["weight"] for u in bubbles[b] if u in graph[v])
                    / (3 * (len(bubbles[b]) - 2))
                ),
            )
    distance = dict(nx.all_pairs_dijkstra_path_length(graph, weight="length"))
    members = {b: [v for v in core if core[v] == b] for b in converging}
    found = dict(core)
    for v in set(graph) - set(core):
        mine = [b for b in tree if v in bubbles[b]]
        reached = {c for c in converging for b in mine if nx.has_path(tree, b, c)}
        near = [c for c in converging if c in reached and members[c]]
        near = near or [c for c in converging if members[c]]
        found[v] = min(
            near, key=lambda c: math.fsum(distance[v][u] for u in members[c]) / len(members[c])
        )
    return {frozenset(v for v in found if found[v] == b) for b in found.values()}


def topological_overlap(matrix):
    """wTO of a symmetric matrix without a diagonal, pair by pair."""
    n = len(matrix)
    overlap = np.zeros((n, n))
    strength = [sum(abs(matrix[i][u]) for u in range(n)) for i in range(n)]
    for i in range(n):
        for j in range(n):
            if i != j:
                shared = sum(matrix[i][u] * matrix[u][j] for u in range(n))
                below = min(strength[i], strength[j]) + 1 - abs(matrix[i][j])
                overlap[i, j] = (shared + matrix[i][j]) / below
    return overlap


def case_dropping(dropped, correlations, least=0.7, probability=0.95):
    """The largest share of dropped rows that keeps the correlation often enough."""
    best = 0.0
    for share, values in zip(dropped, correlations, strict=True):
        if sum(value >= least for value in values) >= probability * len(values):
            best = max(best, share)
    return best
