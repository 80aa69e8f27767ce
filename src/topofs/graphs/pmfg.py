"""The Planar Maximally Filtered Graph (PMFG)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topofs.graphs.base import Graph
from topofs.terms import register

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity_matrix import SimilarityMatrix


def pmfg(similarity: npt.ArrayLike | SimilarityMatrix) -> FilteredGraph:
    r"""Build the Planar Maximally Filtered Graph of a similarity matrix.

    Sort all pairs by falling similarity; take each in turn as an edge if the graph with it is
    still planar. The result is a maximal planar graph: for :math:`n \ge 3` it has

    .. math:: |E| = 3n - 6

    edges, all its faces are triangles, and it contains the maximum spanning tree.

    Parameters
    ----------
    similarity : array-like, shape (n, n)
        Symmetric, finite; any sign. A data frame lends its column names as node labels.

    Returns
    -------
    FilteredGraph
        With 3n − 6 edges, those of zero or negative weight included. For n ≤ 4 the graph is
        complete.

    See Also
    --------
    topofs.graphs.tmfg : A maximal planar graph that is also chordal, and far quicker.
    topofs.graphs.mst : The tree that it contains.

    Notes
    -----
    Edges are totally ordered by :math:`(-w_{ij}, i, j)` with :math:`i < j`, so the graph is
    unique whatever the ties. Where the two halves of the matrix differ by rounding, the upper
    one counts; the diagonal plays no part.

    Most pairs have to be tried before the graph is full, each by a planarity test of O(n)
    time: O(n³) in all, O(n²) memory.

    References
    ----------
    .. [1] M. Tumminello, T. Aste, T. Di Matteo and R. N. Mantegna, "A tool for filtering
       information in complex systems", PNAS 102 (2005) 10421-10426.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.graphs import pmfg
    >>> graph = pmfg(np.corrcoef(np.random.default_rng(0).normal(size=(6, 50))))
    >>> graph.n_edges == 3 * 6 - 6
    True

    Five nodes have one edge too many for the plane, so the weakest goes:

    >>> similarity = np.array([[abs(i - j) + 1.0 for i in range(5)] for j in range(5)])
    >>> pairs = {(i, j) for i in range(5) for j in range(i + 1, 5)}
    >>> pairs - {(i, j) for i, j in pmfg(similarity).edges.tolist()}
    {(3, 4)}
    """
    from topofs._kernels.planarity import planar_filter
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity_matrix import check_similarity_matrix

    matrix = check_similarity_matrix(similarity)
    n = len(matrix.values)
    i, j = np.triu_indices(n, 1)
    weights = matrix.values[i, j]
    # The pairs are sorted by (i, j) and the sort is stable, so ties keep that order.
    order = np.argsort(-weights, kind="stable")
    candidates = np.column_stack([i[order], j[order]])
    kept = planar_filter(n, candidates)
    return FilteredGraph(n, candidates[kept], weights[order[kept]], labels=matrix.labels)


@dataclass(frozen=True, repr=False)
class PMFG(Graph):
    """The Planar Maximally Filtered Graph: planar, 3n − 6 edges, slow beyond a few hundred.

    Examples
    --------
    >>> from topofs import PMFG
    >>> PMFG().without_matrix
    False
    """

    @property
    def words(self) -> str:
        """Its name in a sentence."""
        return "a planar maximally filtered graph (PMFG)"

    def build(self, similarity: SimilarityMatrix) -> FilteredGraph:
        """Filter a similarity."""
        return pmfg(similarity)


register(PMFG())
