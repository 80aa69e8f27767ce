"""The cliques of a graph by size, and what each is made of: its clique complex."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph

__all__ = ["LARGEST", "cliques_by_size", "facets"]

IntArray = npt.NDArray[np.int64]

LARGEST = 4
"""Cliques of up to so many nodes are used: nodes, edges, triangles and tetrahedra."""


def cliques_by_size(graph: FilteredGraph) -> list[IntArray]:
    """List all cliques of two, three and four nodes, an array a size.

    Nodes ascend in each row, rows are sorted; it ends before the first size without any.
    """
    above: list[set[int]] = [set() for _ in range(graph.n_nodes)]
    for i, j in graph.edges.tolist():
        above[i].add(j)
    cliques: list[tuple[int, ...]] = [(i,) for i in range(graph.n_nodes)]
    found = []
    for size in range(2, LARGEST + 1):
        cliques = [
            (*clique, node)
            for clique in cliques
            for node in sorted(set.intersection(*(above[i] for i in clique)))
        ]
        if not cliques:
            break
        found.append(np.array(cliques, dtype=np.int64).reshape(-1, size))
    return found


def facets(cliques: list[IntArray]) -> list[IntArray]:
    """Say which smaller cliques each clique of `cliques_by_size` is made of, in the same shapes.

    For an edge its two nodes, for a triangle the rows of its three edges, for a tetrahedron the
    rows of its four triangles; the a-th leaves out the a-th node.
    """
    made_of = []
    for size, rows in enumerate(cliques, start=2):
        if size == 2:
            made_of.append(rows[:, ::-1].copy())
            continue
        row_of = {tuple(row): i for i, row in enumerate(cliques[size - 3].tolist())}
        # Combinations leave out the last node first.
        listed = [
            [row_of[part] for part in combinations(row, size - 1)][::-1]
            for row in rows.tolist()
        ]
        made_of.append(np.array(listed, dtype=np.int64))
    return made_of
