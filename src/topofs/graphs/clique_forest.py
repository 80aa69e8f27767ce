"""The Maximally Filtered Clique Forest (MFCF): cliques of bounded size, joined as a forest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from topofs.graphs.base import Graph
from topofs.terms import is_whole, parameter, register

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity_matrix import SimilarityMatrix


CHANCE = "chance"


def clique_forest(
    similarity: npt.ArrayLike | SimilarityMatrix, *, max_clique: int = 4, floor: float = 0.0
) -> FilteredGraph:
    r"""Build a clique forest of a similarity matrix: chordal, cliques of bounded size.

    Nodes enter one by one. A free node v can join a clique c by a separator
    :math:`s \subseteq c`, its strongest links to members of c that exceed the floor, at most
    ``max_clique − 1`` of them. Each step takes the node and the clique of the largest gain

    .. math:: \sum_{u \in s} w_{uv}.

    If s is the whole clique and has fewer than ``max_clique`` members, v joins it; otherwise
    :math:`s \cup \{v\}` is a new clique. The forest starts from the strongest link. If no free
    node has a link to a clique, the strongest link between free nodes starts another tree. A
    node without any link is a clique of one.

    Parameters
    ----------
    similarity : array-like, shape (n, n)
        Symmetric, finite; any sign. A data frame lends its column names as node labels.
    max_clique : int, default=4
        Most nodes of a clique, 2 or more; 2 gives a spanning forest.
    floor : float, default=0.0
        Only links above it are kept; ``-inf`` for no floor.

    Returns
    -------
    FilteredGraph
        With `cliques`, `separators` (one row for each clique after the first; an empty row
        starts another tree) and the insertion `order`. Rows are padded with −1.

    See Also
    --------
    topofs.graphs.tmfg : A planar graph with cliques of four.

    Notes
    -----
    Ties go to the lowest node, then to the oldest clique; among equal links to a clique, to the
    lowest member. The sum runs from the strongest link to the weakest. Time is
    :math:`O(n^2 k^2)` for cliques of k nodes, memory O(nk) beyond the matrix.

    With ``max_clique=4`` and no floor, the forest has 3n − 6 links in cliques of four, as a
    TMFG has, but it is a different graph. The forest uses a separator any number of times, so
    its graph need not be planar (three nodes on one triangle give K₃,₃). The TMFG uses each
    face once. The starts differ, too: the TMFG starts from the four nodes with the largest sums
    of links above the mean, the forest from the strongest link. And the TMFG joins a node to a
    face, the forest to any three members of a clique.

    References
    ----------
    .. [1] G. P. Massara and T. Aste (2019). Learning clique forests. arXiv:1905.02266.

    Examples
    --------
    >>> from topofs.graphs import clique_forest
    >>> similarity = [
    ...     [1.0, 0.9, 0.8, 0.0, 0.0],
    ...     [0.9, 1.0, 0.7, 0.0, 0.0],
    ...     [0.8, 0.7, 1.0, 0.3, 0.0],
    ...     [0.0, 0.0, 0.3, 1.0, 0.0],
    ...     [0.0, 0.0, 0.0, 0.0, 1.0],
    ... ]
    >>> forest = clique_forest(similarity)
    >>> forest.cliques.tolist()
    [[0, 1, 2, -1], [2, 3, -1, -1], [4, -1, -1, -1]]
    >>> forest.separators.tolist()
    [[2, -1, -1], [-1, -1, -1]]
    """
    from topofs._kernels.clique_forest import grow_clique_forest
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.similarity_matrix import check_similarity_matrix

    _check_max_clique(max_clique)
    _check_number(floor)
    matrix = check_similarity_matrix(similarity)
    n = len(matrix.values)
    cliques, joined, order = grow_clique_forest(matrix.values, max_clique, float(floor))
    separators = np.where(np.arange(max_clique - 1) < joined[1:, None], cliques[1:, :-1], -1)
    pairs = [cliques[:, [a, b]] for a, b in combinations(range(max_clique), 2)]
    edges = np.concatenate(pairs)
    edges = np.unique(np.sort(edges[(edges >= 0).all(axis=1)], axis=1), axis=0)
    return FilteredGraph(
        n,
        edges,
        matrix.values[edges[:, 0], edges[:, 1]],
        cliques=cliques,
        separators=separators,
        order=order,
        labels=matrix.labels,
    )


def _check_max_clique(value: Any) -> None:
    if not is_whole(value) or value < 2:
        raise ValueError(f"max_clique is {value!r}; it must be a whole number, 2 or more")


def _check_number(value: Any) -> None:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or math.isnan(value):
        raise ValueError(f"floor is {value!r}; it must be a number, -inf for none")


def _check_floor(value: Any) -> None:
    if isinstance(value, str):
        if value != CHANCE:
            raise ValueError(f"floor is {value!r}; it must be {CHANCE!r} or a number")
    else:
        _check_number(value)


@dataclass(frozen=True, repr=False)
class CliqueForest(Graph):
    """A clique forest (MFCF): cliques of up to `max_clique` columns, chance left out.

    Parameters
    ----------
    max_clique : int, default=4
        Most columns of a clique.
    floor : "chance" or float, default="chance"
        Only links above it are kept. "chance" keeps links above 0 that exceed the noise floor
        of the measure (`Measure.scale`). If the measure has no noise floor, it keeps links
        above 0.

    Examples
    --------
    >>> from topofs import CliqueForest
    >>> CliqueForest(max_clique=3)
    CliqueForest(max_clique=3)
    >>> CliqueForest().words
    'a maximally filtered clique forest (MFCF)'
    """

    short_name: ClassVar[str] = "mfcf"
    chordal: ClassVar[bool] = True

    max_clique: int = parameter(4, help="Most columns of a clique.", check=_check_max_clique)
    floor: float | str = parameter(
        CHANCE, help="Keep links above it.", check=_check_floor, option=False
    )

    @property
    def leaves_out_chance(self) -> bool:
        """Whether links that chance explains are set to 0 in the similarity."""
        return self.floor == CHANCE

    @property
    def words(self) -> str:
        """Its name in a sentence."""
        return "a maximally filtered clique forest (MFCF)"

    def build(self, similarity: SimilarityMatrix) -> FilteredGraph:
        """Filter a similarity."""
        floor = 0.0 if isinstance(self.floor, str) else self.floor
        return clique_forest(similarity, max_clique=self.max_clique, floor=floor)


register(CliqueForest())
