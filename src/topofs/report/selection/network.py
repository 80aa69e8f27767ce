"""The part of a filtered graph that a page draws, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.graph import FilteredGraph, LinkGraph

if TYPE_CHECKING:
    from topofs.report.selection.features import Features
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["MOST_NODES", "NetworkView", "filtered_graph", "network_view"]

MOST_NODES = 5000
"""The most nodes of a filtered graph that a page draws."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NetworkView:
    """Pairs of features joined by all edges, drawn or not, with the weights the filter saw.

    Drawn are the features `drawn`, ascending, at `places` within [-1, 1].
    """

    edges: Ints
    weights: npt.NDArray[np.float64]
    drawn: Ints
    places: npt.NDArray[np.float64]


def filtered_graph(selector: TopologicalFeatureSelector) -> FilteredGraph | None:
    """Give the graph that a selector ranked by; None for lists of links, or for none."""
    graph: FilteredGraph | None = getattr(selector, "graph_", None)
    return None if isinstance(graph, LinkGraph) else graph


def network_view(
    graph: FilteredGraph,
    features: Features,
    n_selected: int,
    *,
    most: int = MOST_NODES,
) -> NetworkView:
    """Choose what to draw and lay it out."""
    from topofs.layout import layout

    nodes = np.arange(graph.n_nodes)
    if graph.n_nodes > most:
        nodes = _neighbourhood(graph, features.node_order(), n_selected, most)
    return NetworkView(
        edges=features.nodes[graph.edges],
        weights=graph.weights.astype(np.float64),
        drawn=features.nodes[nodes],
        places=layout(_induced(graph, nodes)),
    )


def _neighbourhood(graph: FilteredGraph, order: Ints, n_selected: int, most: int) -> Ints:
    """The selected nodes and those most strongly joined to them, ascending."""
    selected = order[: min(n_selected, most)]
    inside = np.zeros(graph.n_nodes, dtype=np.bool_)
    inside[selected] = True
    crossing = inside[graph.edges[:, 0]] != inside[graph.edges[:, 1]]
    pairs, weights = graph.edges[crossing], graph.weights[crossing]
    outer = np.where(inside[pairs[:, 0]], pairs[:, 1], pairs[:, 0])
    strongest_first = outer[np.lexsort((outer, -weights))]
    _, at = np.unique(strongest_first, return_index=True)
    neighbours = strongest_first[np.sort(at)]
    return np.sort(np.concatenate([selected, neighbours[: most - len(selected)]]))


def _induced(graph: FilteredGraph, nodes: Ints) -> FilteredGraph:
    """The graph on some nodes, ascending and numbered anew."""
    if len(nodes) == graph.n_nodes:
        return graph
    both = np.isin(graph.edges, nodes).all(axis=1)
    ends = np.searchsorted(nodes, graph.edges[both])
    return FilteredGraph(len(nodes), ends, graph.weights[both])
