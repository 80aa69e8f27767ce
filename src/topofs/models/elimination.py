"""A chordal graph as an order of its nodes in which the earlier neighbours are cliques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.kernels.elimination import cardinality_order, parents_in_order

if TYPE_CHECKING:
    from topofs.graph import FilteredGraph

__all__ = ["Elimination", "elimination_of"]

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Elimination:
    """Nodes in an order of insertion whose reverse is a perfect elimination order.

    `parents` holds, for each place in the order, the earlier places it is joined to, ascending,
    filled up with −1: each place with its parents is a clique. `place` is that of each node.
    """

    order: IntArray
    parents: IntArray
    place: IntArray


def elimination_of(graph: FilteredGraph) -> Elimination:
    """Find such an order, the graph's own if it has one that will do, or refuse the graph."""
    adjacency = graph.to_scipy()
    indptr, indices = adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)
    order = cardinality_order(indptr, indices) if graph.order is None else graph.order.copy()
    parents, wrong = parents_in_order(indptr, indices, order)
    if wrong >= 0 and graph.order is not None:
        order = cardinality_order(indptr, indices)
        parents, wrong = parents_in_order(indptr, indices, order)
    if wrong >= 0:
        raise ValueError(
            f"the graph is not chordal: two neighbours of node {order[wrong]} are not joined, "
            "and no order of the nodes avoids it; use a TMFG, an MST or a clique forest"
        )
    return Elimination(order, parents, place=np.argsort(order))
