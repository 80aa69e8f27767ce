"""`Network`: what a rule ranks by, and `Needs`: what it asks for beforehand.

The columns that take part are the nodes of the network. `Scale` turns their similarities into
shares of variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.typing import Doubles, Floats, Ints

__all__ = ["Needs", "Network", "Scale"]


class Scale(Protocol):
    """How entries of a similarity become shares of variance; what chance gives counts as 0."""

    def weights(self, values: Floats, left: Ints, right: Ints) -> Doubles:
        """Shares of variance in [0, 1] of pairs of columns, in a fresh array; 0 below the floor.

        `left` and `right` are the two columns of each pair; as a row and a column, a block.
        """


@dataclass(frozen=True)
class Needs:
    """What a rule needs.

    Attributes
    ----------
    graph : bool
        A graph. A rule that ranks without one refuses any that the user names.
    scale : bool
        The scale of the measure, which knows what chance gives.
    pairs_from : float or None
        The similarity of the pairs that exceed this level.
    pairs_of_shares : bool
        Whether level and pairs are shares of variance, which the pairs reach or exceed.
    columns : bool
        The standardised columns; the measure must be able to give them.
    by_values : bool
        Whether the values of columns decide between equal similarities, so that the order of
        the columns plays no part; or their positions do.
    """

    graph: bool = True
    scale: bool = False
    pairs_from: float | None = None
    pairs_of_shares: bool = False
    columns: bool = False
    by_values: bool = True


@dataclass(frozen=True, eq=False)
class Network:
    """The columns that take part, as a rule sees them; they are called nodes here.

    Attributes
    ----------
    n_nodes : int
        Number of columns that take part.
    graph : FilteredGraph or None
        The graph that the rule ranks by; None where it ranks without one.
    scale : Scale or None
        How the weights of a filtered graph, which are similarities, become shares of variance;
        None where the measure has no scale. The weights of a `LinkGraph` are shares already.
    reach : {"edges", "paths"}
        Whether nodes represent their neighbours in this family of graphs, or others along its
        paths, too, unless the rule says otherwise.
    operator : SimilarityOperator or None
        The similarity of any block of pairs; None where the rule needs no similarity.
    pairs : scipy.sparse.csr_array or None
        The similarity, or the share, of the pairs that reach a level, where the rule needs it.
    columns : StandardColumns or None
        The standardised columns, where the rule needs them, in the order of `value_rank`.
    memory : int
        Bytes that may be used beside them.
    value_rank : array of int64, shape (n_nodes,), or None
        Where each node stands in an order that depends on the values of the columns only: what
        decides between equal nodes. None where their positions do.
    """

    n_nodes: int
    graph: FilteredGraph | None = None
    scale: Scale | None = None
    reach: str = "paths"
    operator: Any = None
    pairs: Any = None
    columns: Any = None
    memory: int = 2**30
    value_rank: Ints | None = None
