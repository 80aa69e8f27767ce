"""Chordal graphs by elimination: an order of the nodes, and a Gaussian model along it.

A graph is chordal if its nodes can be put in an order in which the earlier neighbours of each
node are a clique. Along such an order a Gaussian is one regression a node, and conditional means
and variances come without fill-in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topofs._kernels.elimination import (
    absorb,
    cardinality_order,
    parents_in_order,
    predict,
    to_covariances,
)

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.typing import Doubles, Ints

__all__ = ["Conditional", "Elimination", "conditional_moments", "elimination_of"]


@dataclass(frozen=True, eq=False)
class Conditional:
    """Mean and variance of the unknown columns, given the known ones.

    Attributes
    ----------
    columns : array of int, shape (n_others,)
        The columns that are not known, ascending.
    mean : array of float64, shape (n_others,) or (n_rows, n_others)
        Their means, for each row of values that was given.
    variance : array of float64, shape (n_others,)
        Their variances, which do not depend on the values.
    share : array of float64, shape (n_others,)
        The share of their variance that the known columns explain.
    """

    columns: Ints
    mean: Doubles
    variance: Doubles
    share: Doubles


@dataclass(frozen=True, eq=False)
class Elimination:
    """Nodes in an order of insertion whose reverse is a perfect elimination order.

    `parents` holds, for each place in the order, the earlier places it is joined to, ascending,
    filled up with −1: each place with its parents is a clique. `place` is that of each node.
    """

    order: Ints
    parents: Ints
    place: Ints


def elimination_of(graph: FilteredGraph) -> Elimination:
    """Find the order of a chordal graph, its own where it has one; refuse any other graph."""
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


def conditional_moments(
    elimination: Elimination,
    slopes: Doubles,
    spread: Doubles,
    known: Ints,
    others: Ints,
    deviations: Doubles,
) -> tuple[Doubles, Doubles]:
    """Means (n_rows, n_others) and variances of the others, given deviations (n_rows, n_known).

    The Gaussian has mean 0 and is one regression a node on its parents.
    """
    parents, place = elimination.parents, elimination.place
    is_known = np.zeros(len(place), dtype=np.bool_)
    is_known[place[known]] = True
    x = np.zeros((len(place), len(deviations)))
    x[place[known]] = deviations.T
    slopes, variance = absorb(parents, slopes, spread, is_known, x)
    predict(parents, slopes, is_known, x)
    to_covariances(parents, slopes, variance)
    wanted = place.take(others)
    return x.take(wanted, axis=0).T, variance.take(wanted)
