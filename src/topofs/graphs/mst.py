"""The maximum spanning tree (MST) of a similarity matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs.graphs.base import Graph
from topofs.terms import register

if TYPE_CHECKING:
    import numpy.typing as npt

    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity_matrix import SimilarityMatrix


def mst(similarity: npt.ArrayLike | SimilarityMatrix) -> FilteredGraph:
    r"""Build the maximum spanning tree of a similarity matrix.

    The MST is the tree over all :math:`n` nodes with the largest total weight,

    .. math:: \operatorname*{arg\,max}_{T} \sum_{(i, j) \in T} w_{ij}.

    On distances that fall as the similarity grows, such as
    :math:`d_{ij} = \sqrt{2 (1 - w_{ij})}`, it is the *minimum* spanning tree of [1]_.

    Parameters
    ----------
    similarity : array-like, shape (n, n)
        Symmetric, finite; any sign. A data frame lends its column names as node labels.

    Returns
    -------
    FilteredGraph
        A tree: always n − 1 edges, those of zero or negative weight included.

    See Also
    --------
    topofs.graphs.pmfg : A planar graph that contains this tree.

    Notes
    -----
    Edges are totally ordered by :math:`(-w_{ij}, i, j)` with :math:`i < j`, so the tree is
    unique even with ties. If the two halves of the matrix differ by rounding, the upper half is
    used. The diagonal is not read.

    Prim's algorithm on the dense matrix: O(n²) time, O(n) memory beyond the matrix.

    References
    ----------
    .. [1] R. N. Mantegna, "Hierarchical structure in financial markets", The European
       Physical Journal B 11 (1999) 193-197.
    .. [2] R. C. Prim, "Shortest connection networks and some generalizations", Bell System
       Technical Journal 36 (1957) 1389-1401.

    Examples
    --------
    >>> from topofs.graphs import mst
    >>> tree = mst([[1.0, 0.9, 0.1], [0.9, 1.0, 0.4], [0.1, 0.4, 1.0]])
    >>> tree.edges.tolist()
    [[0, 1], [1, 2]]
    >>> tree.weights.tolist()
    [0.9, 0.4]
    """
    from topofs._kernels.spanning_tree import maximum_spanning_tree
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity_matrix import check_similarity_matrix

    matrix = check_similarity_matrix(similarity)
    edges = maximum_spanning_tree(matrix.values)
    weights = matrix.values[edges[:, 0], edges[:, 1]]
    return FilteredGraph(len(matrix.values), edges, weights, labels=matrix.labels)


@dataclass(frozen=True, repr=False)
class MST(Graph):
    """The maximum spanning tree: n − 1 edges.

    Examples
    --------
    >>> from topofs import MST
    >>> MST().words
    'a maximum spanning tree (MST)'
    """

    @property
    def words(self) -> str:
        """Its name in a sentence."""
        return "a maximum spanning tree (MST)"

    def build(self, similarity: SimilarityMatrix) -> FilteredGraph:
        """Filter a similarity."""
        return mst(similarity)


register(MST())
