"""Slow twins of the graph filters: Kruskal's loop, written as the definitions read.

Nothing here comes from topofs. Matrices in; sorted lists of edges (i, j), i < j, out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    import numpy as np

Edge = tuple[int, int]


def naive_mst(similarity: np.ndarray) -> list[Edge]:
    """Kruskal: take each edge in order unless its ends are joined already."""
    component = list(range(len(similarity)))
    kept = []
    for i, j in ordered_pairs(similarity):
        old, new = component[j], component[i]
        if old != new:
            kept.append((i, j))
            component = [new if c == old else c for c in component]
    return sorted(kept)


def naive_pmfg(similarity: np.ndarray) -> list[Edge]:
    """Take each edge in order unless the graph would stop being planar; try every pair."""
    graph = nx.Graph()
    graph.add_nodes_from(range(len(similarity)))
    for i, j in ordered_pairs(similarity):
        graph.add_edge(i, j)
        if not nx.check_planarity(graph)[0]:
            graph.remove_edge(i, j)
    return sorted((min(edge), max(edge)) for edge in graph.edges)


def ordered_pairs(similarity: np.ndarray) -> list[Edge]:
    """All pairs i < j by falling similarity, then by i, then by j."""
    n = len(similarity)
    keys = [(-similarity[i, j], i, j) for i in range(n) for j in range(i + 1, n)]
    return [(i, j) for _, i, j in sorted(keys)]


def naive_clique_forest(
    similarity: np.ndarray, max_clique: int, floor: float
) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Every free node looks at every clique at every step: cliques, separators, order."""
    n = len(similarity)
    cliques: list[list[int]] = []
    separators: list[list[int]] = []
    order: list[int] = []

    def separator(v: int, clique: list[int]) -> list[int]:
        linked = [u for u in clique if similarity[u, v] > floor]
        linked.sort(key=lambda u: (-similarity[u, v], u))
        return linked[: max_clique - 1]

    while len(order) < n:
        free = [v for v in range(n) if v not in order]
        steps = []
        for v in free:
            for c, clique in enumerate(cliques):
                chosen = separator(v, clique)
                if chosen:
                    steps.append((-sum(float(similarity[u, v]) for u in chosen), v, c))
        if steps:
            _, v, c = min(steps)
            chosen = separator(v, cliques[c])
            if len(chosen) == len(cliques[c]) < max_clique:
                cliques[c].append(v)
            else:
                cliques.append([*chosen, v])
                separators.append(chosen)
            order.append(v)
            continue
        links = [
            (-similarity[i, j], i, j)
            for i in free
            for j in free
            if i < j and similarity[i, j] > floor
        ]
        start = list(min(links)[1:]) if links else [free[0]]
        if cliques:
            separators.append([])
        cliques.append(start)
        order += start
    return cliques, separators, order
