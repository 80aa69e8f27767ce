"""`Network`, the input of a rule, and `Needs`, the parts of it that a rule needs.

The columns that take part are the nodes of the network. `Scale` turns their similarities into
shares of variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.typing import Doubles, Floats, Ints

__all__ = ["Needs", "Network", "NodeRelevance", "NodeWeights", "Scale"]


class Scale(Protocol):
    """Turns entries of a similarity into shares of variance, corrected for chance."""

    def weights(self, values: Floats, left: Ints, right: Ints) -> Doubles:
        """Shares of variance in [0, 1] of pairs of columns, in a new array; 0 below the floor.

        `left` and `right` are the two columns of each pair; as a row and a column, a block.
        """


@dataclass(frozen=True)
class Needs:
    """The needs of a rule.

    Attributes
    ----------
    graph : bool
        A graph. A rule that ranks without a graph refuses any graph.
    scale : bool
        The scale of the measure, which corrects for chance.
    pairs_from : float or None
        The similarity of the pairs that exceed this level.
    pairs_of_shares : bool
        Whether level and pairs are shares of variance, which the pairs reach or exceed.
    columns : bool
        The standardised columns; the measure must be able to give them.
    by_values : bool
        Whether the values of columns decide between equal similarities, so that the order of
        the columns does not matter. If not, their positions decide.
    """

    graph: bool = True
    scale: bool = False
    pairs_from: float | None = None
    pairs_of_shares: bool = False
    columns: bool = False
    by_values: bool = True


@dataclass(frozen=True, eq=False)
class NodeWeights:
    """Weights of shares: that of node i for node j counts ``selected[i] * represented[j]`` times.

    Both have shape (n_nodes,) and lie in [0, 1].
    """

    selected: Doubles
    represented: Doubles

    def applied(self, shares: Any) -> Any:
        """Weight a matrix of shares, dense or sparse."""
        if isinstance(shares, np.ndarray):
            return self.selected[:, None] * shares * self.represented
        rows = sparse.csr_array(shares)
        by_row = np.repeat(self.selected, np.diff(rows.indptr))
        weighted = by_row * rows.data * self.represented[rows.indices]
        return sparse.csr_array((weighted, rows.indices, rows.indptr), shape=rows.shape)

    def of_row(self, node: int, nodes: Any, shares: Doubles) -> Doubles:
        """Weight the shares of one node of some nodes."""
        return np.asarray(self.selected[node] * shares * self.represented[nodes])


@dataclass(frozen=True, eq=False)
class NodeRelevance:
    """How much nodes say about a target.

    Attributes
    ----------
    weights : NodeWeights
        By the relevance of the nodes.
    least : float
        Nodes are selected automatically while one adds more than this.
    proven : NodeWeights or None
        The weights without relevance that chance may give; None where chance is unknown.
    """

    weights: NodeWeights
    least: float
    proven: NodeWeights | None = None

    @property
    def at_end(self) -> NodeWeights:
        """The weights that decide how many nodes are selected."""
        return self.weights if self.proven is None else self.proven


@dataclass(frozen=True, eq=False)
class Network:
    """The columns that take part, as a rule sees them; they are called nodes here.

    Attributes
    ----------
    n_nodes : int
        Number of columns that take part.
    graph : FilteredGraph or None
        The graph that the rule ranks by; None if it ranks without one.
    scale : Scale or None
        Turns the weights of a filtered graph, which are similarities, into shares of variance;
        None if the measure has no scale. The weights of a `LinkGraph` are shares already.
    reach : {"edges", "paths"}
        Whether nodes represent their neighbours or also nodes along paths; the rule can
        override it.
    operator : SimilarityOperator or None
        The similarity of any block of pairs; None where the rule needs no similarity.
    pairs : scipy.sparse.csr_array or None
        The similarity, or the share, of the pairs that reach a level, where the rule needs it.
    columns : StandardColumns or None
        The standardised columns, where the rule needs them, in the order of `value_rank`.
    memory : int
        Bytes that may be used beside them.
    value_rank : array of int64, shape (n_nodes,), or None
        The position of each node in an order that depends only on the values of the columns; it
        decides between equal nodes. None: the positions in the table decide.
    relevance : NodeRelevance or None
        How much the nodes say about a target; None: all count alike.
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
    relevance: NodeRelevance | None = None
