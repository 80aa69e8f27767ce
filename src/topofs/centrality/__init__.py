"""Scores of the nodes of a graph: one number a feature, large for a central one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topofs.centrality.degree import degree, strength
from topofs.centrality.infinite_paths import infinite_path_scores
from topofs.centrality.paths import betweenness, closeness
from topofs.centrality.spectral import eigenvector, pagerank

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from topofs.graph import FilteredGraph

__all__ = [
    "CENTRALITIES",
    "betweenness",
    "closeness",
    "degree",
    "eigenvector",
    "infinite_path_scores",
    "pagerank",
    "strength",
]

CENTRALITIES: dict[str, Callable[[FilteredGraph], npt.NDArray[np.float64]]] = {
    "degree": degree,
    "strength": strength,
    "eigenvector": eigenvector,
    "pagerank": pagerank,
    "closeness": closeness,
    "betweenness": betweenness,
}
"""The centralities of a graph by name: each takes a `FilteredGraph` and nothing else."""
