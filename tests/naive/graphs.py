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
