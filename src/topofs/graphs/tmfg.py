"""The Triangulated Maximally Filtered Graph (TMFG).

One core grows the graph from a matrix. With a large matrix and many cores, the other cores
write lists of strongest links. `topofs.graphs.tmfg_out_of_core` builds the graph without the
matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from topofs.graphs.base import Graph
from topofs.terms import register

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from topofs._kernels.tmfg_dense import BlockMaxima
    from topofs._kernels.tmfg_lists import Growth
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.graphs.products import Products
    from topofs.similarity_matrix import SimilarityMatrix
    from topofs.typing import Doubles, Floats, Ints

# With fewer cores or smaller matrices, block maxima alone are as fast as lists.
_LEAST_CORES = 8
_LEAST_COLUMNS = 8192
_LIST_LENGTH = 128
# Rows whose exact sums are computed at a time.
_ROWS = 64


def tmfg(similarity: npt.ArrayLike | SimilarityMatrix) -> FilteredGraph:
    r"""Build the Triangulated Maximally Filtered Graph of a similarity matrix.

    The TMFG is a planar, chordal graph with :math:`3n-6` edges whose total weight is made
    large greedily. It starts from a tetrahedron and keeps a set of triangular faces. Each
    step takes the free vertex :math:`u` and the face :math:`(a, b, c)` of the largest gain

    .. math:: (w_{au} + w_{bu}) + w_{cu}

    joins the vertex to the three corners, and replaces the face by three new ones.

    Parameters
    ----------
    similarity : array-like, shape (n, n)
        Symmetric, finite; any sign. A data frame lends its column names as node labels.

    Returns
    -------
    FilteredGraph
        With `cliques` (n − 3), `separators` (n − 4) and the insertion `order`. For n ≤ 4 the
        graph is complete.

    Notes
    -----
    The tetrahedron holds the four vertices with the largest
    :math:`\sum_j w_{ij}\,[w_{ij} > \bar w]`, where :math:`\bar w` is the mean of all
    entries. The diagonal counts in the mean and in these sums, and is not read afterwards. Ties
    between sums are broken by the sums of all weights of the row, of their squares and of their
    cubes, and last by the lowest vertex. Only the last step depends on the order of the
    columns.

    Among equal gains, the face that is first in the list of faces wins, and within a face the
    lowest vertex. The list begins with the faces of the tetrahedron. When :math:`u` enters
    :math:`(a, b, c)`, the face :math:`(a, b, u)` replaces it in place, and :math:`(a, c, u)`
    and :math:`(b, c, u)` are appended. Used vertices are excluded whatever the sign of the
    gains, so every vertex enters exactly once.

    Time is O(n²) for typical matrices and O(n³) at worst; memory beyond the matrix is a 64th
    of it, and 1,536·n bytes for lists where eight cores or more share a large one.

    References
    ----------
    .. [1] Massara, Di Matteo & Aste, "Network filtering for big data: Triangulated Maximally
       Filtered Graph", Journal of Complex Networks 5(2), 2017.
    .. [2] Briola & Aste, "Topological Feature Selection", 2023, Appendix C.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.graphs import tmfg
    >>> similarity = np.corrcoef(np.random.default_rng(0).normal(size=(6, 50)))
    >>> graph = tmfg(similarity)
    >>> graph.n_edges == 3 * 6 - 6
    True
    >>> graph.order.tolist()
    [3, 2, 1, 4, 5, 0]
    """
    from topofs.similarity_matrix import check_similarity_matrix

    matrix = check_similarity_matrix(similarity)
    values = matrix.values
    if len(values) < 4:
        return replace(complete_graph(values), labels=matrix.labels)
    cliques = cliques_of_matrix(matrix)
    graph = graph_of_cliques(cliques, lambda edges: values[edges[:, 0], edges[:, 1]])
    return graph if matrix.labels is None else replace(graph, labels=matrix.labels)


def cliques_of_matrix(matrix: SimilarityMatrix) -> Ints:
    """Cliques of the TMFG of four nodes or more, in insertion order, as an array alone."""
    from topofs._kernels.tmfg_dense import block_maxima_of, survey_matrix, tmfg_cliques
    from topofs.runtime import for_row_ranges

    values, mean, n = matrix.values, matrix.mean, len(matrix.values)
    sums, block_maxima = np.empty(n), block_maxima_of(values)
    for_row_ranges(lambda i, j: survey_matrix(values, mean, i, j, sums, block_maxima), n, n)
    start = four_strongest(sums, sums, lambda some: values[some], mean)
    if has_cores_for(n):
        return cliques_in_parallel(values, start, block_maxima)
    return tmfg_cliques(values, start, block_maxima)


def has_cores_for(n: int) -> bool:
    """Whether lists save time for a matrix of n columns on the available cores."""
    import numba

    return n >= _LEAST_COLUMNS and numba.get_num_threads() >= _LEAST_CORES


def cliques_in_parallel(similarity: Floats, start: Ints, block_maxima: BlockMaxima) -> Ints:
    """Do what `topofs._kernels.tmfg_dense.tmfg_cliques` does, from lists of strongest links.

    One core grows the graph. All cores write the lists, at the start and again when lists leave
    a face undecided and a third of the free vertices is used. Block maxima, which are lowered,
    decide the other faces; they decide all faces if lists rarely do.
    """
    from topofs._kernels.tmfg_dense import grow_dense
    from topofs._kernels.tmfg_lists import start_growth

    growth = start_growth(len(similarity), start, similarity.dtype)
    _grow_by_lists(similarity, block_maxima, growth)
    grow_dense(similarity, block_maxima, growth)
    return growth.cliques


def _grow_by_lists(similarity: Floats, block_maxima: BlockMaxima, growth: Growth) -> None:
    """Grow the graph until it is complete, or until lists are given up."""
    from topofs._kernels.column_weights import GIVEN, ColumnWeights
    from topofs._kernels.survey import list_rows
    from topofs._kernels.tmfg_dense import settle_from_matrix
    from topofs._kernels.tmfg_lists import grow
    from topofs._kernels.top_lists import empty_lists
    from topofs.runtime import for_row_ranges

    n = len(similarity)
    everyone, unused = np.arange(n), np.zeros(n)
    weights = ColumnWeights(GIVEN, similarity, 1.0, unused, unused, 0.0, unused, -np.inf)
    lists = empty_lists(n, min(_LIST_LENGTH, n - 1), similarity.dtype)

    def write(vertices: Ints) -> None:
        for_row_ranges(
            lambda i, j: list_rows(similarity, vertices, i, j, growth.penalty, lists),
            len(vertices),
            n,
        )

    write(everyone)
    n_free = n
    while growth.uses_lists and not grow(weights, growth, lists):
        if 3 * growth.n_free <= 2 * n_free:
            write(everyone)
            n_free = growth.n_free
        else:
            write(growth.corners_on_top)
        settle_from_matrix(similarity, block_maxima, growth)


@dataclass(frozen=True, repr=False)
class TMFG(Graph):
    """The Triangulated Maximally Filtered Graph: planar, chordal, 3n − 6 edges.

    Examples
    --------
    >>> from topofs import TMFG
    >>> TMFG().without_matrix, TMFG().chordal
    (True, True)
    """

    chordal: ClassVar[bool] = True
    without_matrix: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """Its name in a sentence."""
        return "a triangulated maximally filtered graph (TMFG)"

    def build(self, similarity: SimilarityMatrix) -> FilteredGraph:
        """Filter a similarity."""
        return tmfg(similarity)

    def build_without_matrix(
        self, products: Products, *, threshold: bool, memory: int
    ) -> FilteredGraph:
        """Filter a similarity without holding its matrix."""
        from topofs.graphs.tmfg_out_of_core import tmfg_of_products

        return tmfg_of_products(products, threshold=threshold, memory=memory)


register(TMFG())


def four_strongest(
    low: Doubles, high: Doubles, rows_of: Callable[[Ints], Floats], level: float
) -> Ints:
    """Four rows with the largest sum of weights above a level, best first.

    The sums lie between `low` and `high`, up to rounding. Ties are broken by the sums of all
    weights of the row, of their squares and of their cubes, then by index. Only the index
    depends on the order of the columns.
    """
    from topofs._kernels.matrix_scan import exact_sums

    n = len(low)
    # The absolute value of a negative weight above the level is below that of the level.
    rounding = n * np.finfo(float).eps * (np.abs(high).max() + 2 * n * max(-level, 0.0))
    candidates = np.flatnonzero(high >= np.partition(low, -4)[-4] - 2 * rounding)
    sums = np.empty((len(candidates), 4))
    for first in range(0, len(candidates), _ROWS):
        some = slice(first, first + _ROWS)
        exact_sums(rows_of(candidates[some]), level, sums[some])
    best: Ints = candidates[np.lexsort(-sums.T[::-1])[:4]]
    return best


def complete_graph(similarity: Floats) -> FilteredGraph:
    """The complete graph: an edge for each pair of nodes."""
    from topofs.graphs.filtered_graph import FilteredGraph

    n = len(similarity)
    i, j = np.triu_indices(n, 1)
    return FilteredGraph(n, np.column_stack([i, j]), similarity[i, j])


def graph_of_cliques(cliques: Ints, weights_of: Callable[[Ints], Floats]) -> FilteredGraph:
    """The graph with the given cliques, in insertion order, and the weights of its edges."""
    from topofs.graphs.filtered_graph import FilteredGraph

    first = np.array(list(combinations(cliques[0].tolist(), 2)), dtype=np.int64)
    inserted = np.repeat(cliques[1:, 0], 3)
    corners = cliques[1:, 1:].ravel()
    edges = np.sort(np.concatenate([first, np.column_stack([inserted, corners])]), axis=1)
    return FilteredGraph(
        len(cliques) + 3,
        edges,
        weights_of(edges),
        cliques=cliques,
        separators=cliques[1:, 1:],
        order=np.concatenate([cliques[0], cliques[1:, 0]]),
    )
