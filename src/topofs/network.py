"""`Network`: what a rule ranks by, and `Needs`: what it asks for beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from topofs.graph import FilteredGraph

__all__ = ["Needs", "Network", "Scale"]


class Scale(Protocol):
    """How entries of a similarity become shares of variance; what chance gives counts as 0."""

    def weights(
        self,
        values: npt.NDArray[np.floating[Any]],
        left: npt.NDArray[np.int64],
        right: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.float64]:
        """Shares of variance in [0, 1] of pairs of columns, in a fresh array; 0 below the floor.

        `left` and `right` are the two columns of each pair; as a row and a column, a block.
        """


@dataclass(frozen=True)
class Needs:
    """What a rule asks for.

    Attributes
    ----------
    graph : bool
        The filtered graph.
    scale : bool
        What the measure says about chance.
    all_pairs : bool
        The shares of variance of all pairs, as a matrix.
    strongest : int or None
        The shares of variance of so many strongest links of each column. The graph is built
        beside them, asked for or not, unless memory forbids.
    pairs_from : float or None
        The similarity of the pairs that exceed this level.
    pairs_of_shares : bool
        Whether level and pairs are shares of variance, which the pairs reach or exceed.
    columns : bool
        The columns themselves, standardised; the measure must be able to give them.
    by_values : bool
        Whether the values of columns decide between equal similarities, so that the order of
        the columns plays no part; or their positions do.
    """

    graph: bool = True
    scale: bool = False
    all_pairs: bool = False
    strongest: int | None = None
    pairs_from: float | None = None
    pairs_of_shares: bool = False
    columns: bool = False
    by_values: bool = True


@dataclass(frozen=True, eq=False)
class Network:
    """The columns that take part, as a rule sees them; they are called nodes here.

    Attributes
    ----------
    graph : FilteredGraph
        The filtered graph, whose weights are similarities; without edges where the rule asks
        for none, or for links and it takes too much memory.
    scale : Scale or None
        How similarities become shares of variance; None where the measure has none.
    shares : array of float64, shape (n_nodes, n_nodes), or None
        Shares of variance of all pairs, where the rule asks for them.
    operator : SimilarityOperator or None
        The similarity of any block of pairs; None where the table lies on workers.
    pairs : scipy.sparse.csr_array or None
        The similarity, or the share, of the pairs that reach a level, where asked for.
    columns : StandardColumns or None
        The columns themselves, where the rule asks for them, in the order of `place`.
    memory : int
        Bytes that may be used beside them.
    links : scipy.sparse.csr_array or None
        The shares of variance of the strongest links, symmetric, with ones on the diagonal,
        where asked for.
    strength : array of float64, shape (n_nodes,), or None
        The sum of each node's similarities with all, where all pairs or the strongest links
        are asked for.
    graph_left_out : bool
        Whether the graph, which the rule goes without, takes too much memory.
    place : array of int64, shape (n_nodes,), or None
        Where each node stands in an order that depends on the values of the columns only: what
        decides between equal nodes. None where their positions do.
    """

    graph: FilteredGraph
    scale: Scale | None
    shares: npt.NDArray[np.float64] | None = None
    operator: Any = None
    pairs: Any = None
    columns: Any = None
    memory: int = 2**30
    links: Any = None
    strength: npt.NDArray[np.float64] | None = None
    place: npt.NDArray[np.int64] | None = None
    graph_left_out: bool = False

    @property
    def n_nodes(self) -> int:
        """Number of columns that take part."""
        return self.graph.n_nodes
