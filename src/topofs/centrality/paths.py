"""Closeness and betweenness: how a node lies on the shortest paths, counted in hops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csgraph

from topofs.centrality.degree import zero_one_adjacency
from topofs.centrality.rounding import significant
from topofs.errors import import_extra

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.graph import FilteredGraph

__all__ = ["betweenness", "closeness"]

# Rows of the distance matrix held at one time.
SOURCES_PER_BLOCK = 128


def closeness(graph: FilteredGraph) -> npt.NDArray[np.float64]:
    """Score each node by the inverse of its mean distance to the nodes it reaches.

    With ``R(i)`` the ``r`` nodes that `i` reaches, other than itself, and ``d`` the number of
    hops::

        closeness(i) = r / Σ_{j in R(i)} d(i, j) · r / (n_nodes - 1)

    The second factor is the Wasserman-Faust scaling: it is 1 in a connected graph, and it keeps
    the nodes of small components from winning. A node that reaches nothing scores zero. The
    weights play no role. The definition is that of ``networkx.closeness_centrality``.

    Parameters
    ----------
    graph : FilteredGraph
        The graph. It may be disconnected.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores, in ``[0, 1]``.

    Notes
    -----
    One search a source: O(n_nodes (n_nodes + n_edges) log n_nodes) time. The distances are held
    a block of sources at a time, so memory is O(n_nodes).

    References
    ----------
    .. [1] L. C. Freeman (1978). Centrality in social networks: conceptual clarification.
       Social Networks 1(3), 215-239.
    .. [2] S. Wasserman and K. Faust (1994). Social Network Analysis: Methods and Applications,
       p. 201. Cambridge University Press.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import closeness
    >>> path = FilteredGraph(3, [[0, 1], [1, 2]], [0.5, 0.9])
    >>> closeness(path).round(3).tolist()
    [0.667, 1.0, 0.667]
    """
    n_nodes = graph.n_nodes
    adjacency = zero_one_adjacency(graph)
    totals = np.zeros(n_nodes)
    reached = np.zeros(n_nodes)
    for start in range(0, n_nodes, SOURCES_PER_BLOCK):
        sources = np.arange(start, min(start + SOURCES_PER_BLOCK, n_nodes))
        # The matrix is symmetric: its rows as they stand are the neighbours of each node.
        hops = csgraph.dijkstra(adjacency, directed=True, unweighted=True, indices=sources)
        within = np.isfinite(hops)
        totals[sources] = hops.sum(axis=1, where=within)
        reached[sources] = within.sum(axis=1) - 1
    scores = np.zeros(n_nodes)
    np.divide(reached**2, totals * (n_nodes - 1), out=scores, where=totals > 0)
    return scores


def betweenness(graph: FilteredGraph) -> npt.NDArray[np.float64]:
    """Score each node by the share of shortest paths that pass through it.

    With ``σ(s, t)`` the number of shortest paths, in hops, between two nodes and
    ``σ(s, t | i)`` the number of those with `i` strictly inside::

        betweenness(i) = 2 / ((n_nodes - 1) (n_nodes - 2)) Σ_{s < t} σ(s, t | i) / σ(s, t)

    over the pairs joined by a path. The weights play no role. The definition is that of
    ``networkx.betweenness_centrality``.

    Parameters
    ----------
    graph : FilteredGraph
        The graph. It may be disconnected.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores, in ``[0, 1]``.

    Raises
    ------
    MissingExtraError
        If rustworkx is not installed: ``pip install 'topofs[graphs]'``.

    Notes
    -----
    Brandes' algorithm [2]_ from rustworkx: O(n_nodes · n_edges) time, O(n_nodes + n_edges)
    memory. It runs on one thread, since the parallel version adds the shares in whatever order
    the threads finish and its last digits change from run to run. Scores are rounded to
    twelve significant digits, so that nodes in the same place tie.

    References
    ----------
    .. [1] L. C. Freeman (1977). A set of measures of centrality based on betweenness.
       Sociometry 40(1), 35-41.
    .. [2] U. Brandes (2001). A faster algorithm for betweenness centrality. Journal of
       Mathematical Sociology 25(2), 163-177.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import betweenness
    >>> path = FilteredGraph(4, [[0, 1], [1, 2], [2, 3]], [0.5, 0.9, 0.1])
    >>> betweenness(path).round(3).tolist()
    [0.0, 0.667, 0.667, 0.0]
    """
    rustworkx = import_extra("rustworkx", extra="graphs", purpose="betweenness")
    copy = rustworkx.PyGraph(multigraph=False)
    copy.add_nodes_from(range(graph.n_nodes))
    copy.add_edges_from_no_data([(i, j) for i, j in graph.edges.tolist()])
    shares = rustworkx.graph_betweenness_centrality(
        copy, normalized=True, endpoints=False, parallel_threshold=graph.n_nodes + 1
    )
    return significant(
        np.array([shares[node] for node in range(graph.n_nodes)], dtype=np.float64)
    )
