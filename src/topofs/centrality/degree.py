"""Degree and strength: what a node sees of the graph one step away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt
    from scipy import sparse

    from topofs.graph import FilteredGraph

__all__ = ["degree", "strength"]


def degree(graph: FilteredGraph) -> npt.NDArray[np.float64]:
    """Count the edges at each node.

    With ``A`` the 0/1 adjacency matrix, ``degree(i) = Σ_j A[i, j]``. The weights play no role.
    The count is not divided by ``n_nodes - 1``, as networkx does: the ranking is the same.

    Parameters
    ----------
    graph : FilteredGraph
        The graph.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores: whole numbers, kept as floats like every other centrality.

    Notes
    -----
    Time and memory are O(n_nodes + n_edges).

    References
    ----------
    .. [1] L. C. Freeman (1978). Centrality in social networks: conceptual clarification.
       Social Networks 1(3), 215-239.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import degree
    >>> degree(FilteredGraph(4, [[0, 1], [0, 2], [0, 3]], [0.5, 0.9, -0.2])).tolist()
    [3.0, 1.0, 1.0, 1.0]
    """
    return graph.degree().astype(np.float64)


def strength(graph: FilteredGraph) -> npt.NDArray[np.float64]:
    """Sum the weights of the edges at each node.

    With ``W`` the weighted adjacency matrix, ``strength(i) = Σ_j W[i, j]``. This is the only
    centrality of the package that reads the weights; weights of opposite sign cancel.

    Parameters
    ----------
    graph : FilteredGraph
        The graph.

    Returns
    -------
    array of float64, shape (n_nodes,)
        The scores, summed in float64 whatever the type of the weights.

    Notes
    -----
    Time and memory are O(n_nodes + n_edges).

    References
    ----------
    .. [1] A. Barrat, M. Barthélemy, R. Pastor-Satorras and A. Vespignani (2004). The
       architecture of complex weighted networks. PNAS 101(11), 3747-3752.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> from topofs.centrality import strength
    >>> strength(FilteredGraph(4, [[0, 1], [0, 2], [0, 3]], [0.5, 0.75, -0.25])).tolist()
    [1.0, 0.5, 0.75, -0.25]
    """
    return graph.strength().astype(np.float64)


def zero_one_adjacency(graph: FilteredGraph) -> sparse.csr_array:
    """Adjacency matrix with a one for each edge, whatever its weight, even zero."""
    adjacency = graph.to_scipy().astype(np.float64)
    adjacency.data[:] = 1.0
    return adjacency
