"""The rules by which the nodes of a graph are ranked: one function a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs.centrality import CENTRALITIES
from topofs.selection.coverage import MatrixReach, cover, graph_reach

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph
    from topofs.selection.coverage import Coverage, Reach
    from topofs.selection.similarity_graph import ScaledGraph

__all__ = [
    "REACHES",
    "RULES",
    "RankedNodes",
    "rank_by_centrality",
    "rank_by_coverage",
    "rank_nodes",
]

RULES = ("coverage", "degree")
"""The rules by name."""

REACHES = ("paths", "edges", "similarity")
"""How far a column speaks under the rule 'coverage'."""


@dataclass(frozen=True, eq=False)
class RankedNodes:
    """Nodes in order, with the scores that put them there.

    Attributes
    ----------
    order : array of int, shape (n_nodes,)
        The nodes, best first.
    scores : array of float, shape (n_nodes,)
        The score of each node.
    coverage, reach
        What the rule 'coverage' found; None for others.
    """

    order: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    coverage: Coverage | None = None
    reach: Reach | None = None


def rank_nodes(selector: Any, built: ScaledGraph) -> RankedNodes:
    """Rank nodes by the rule of an estimator.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Its parameters say how.
    built : ScaledGraph
        The graph and its weights.

    Returns
    -------
    RankedNodes
    """
    ties, graph = selector.ties, built.graph
    if selector.rule == "degree":
        return rank_by_centrality(graph, centrality=selector.centrality, ties=ties)
    reach: Reach
    if built.whole is not None:
        reach = MatrixReach(built.whole)
    else:
        reach = graph_reach(graph, built.scale, paths=selector.reach == "paths")
    return rank_by_coverage(graph, reach, ties=ties, isolated=selector.isolated)


def rank_by_centrality(graph: FilteredGraph, *, centrality: str, ties: str) -> RankedNodes:
    """Rank nodes by a centrality: the published method, with degree.

    Parameters
    ----------
    graph : FilteredGraph
        The graph.
    centrality : str
        A name in `topofs.centrality.CENTRALITIES`.
    ties : {"strength", "index"}
        What orders equal scores.

    Returns
    -------
    RankedNodes
    """
    scores = CENTRALITIES[centrality](graph)
    keys = [-graph.strength(), -scores] if ties == "strength" else [-scores]
    return RankedNodes(np.lexsort(keys), scores)


def rank_by_coverage(
    graph: FilteredGraph, reach: Reach, *, ties: str, isolated: str
) -> RankedNodes:
    """Rank nodes by what each adds to the coverage of all.

    Parameters
    ----------
    graph : FilteredGraph
        The graph; its strength orders isolated nodes.
    reach : Reach
        Which nodes a node stands for.
    ties : {"strength", "index"}
        What orders isolated nodes.
    isolated : {"drop", "keep"}
        Whether they come last or where their gain puts them.

    Returns
    -------
    RankedNodes
        The score of a node is its gain.
    """
    strength = graph.strength() if ties == "strength" else None
    coverage = cover(reach, strength=strength, isolated_last=isolated == "drop")
    scores = np.empty(graph.n_nodes)
    scores[coverage.order] = coverage.gains
    return RankedNodes(coverage.order, scores, coverage, reach)
