"""What decides between nodes of equal score: strength, then the values of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.graph import LinkGraph
from topofs.kernels.units import units

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.graph import FilteredGraph
    from topofs.network import Network

__all__ = ["in_order_of_values", "places_by_strength"]

Doubles = npt.NDArray[np.float64]


def in_order_of_values(score: Callable[[FilteredGraph], Doubles], network: Network) -> Doubles:
    """Score nodes so that sums are taken in an order that the values of the columns decide.

    To the last bit the scores are the same for each column, wherever it stands in the table.
    """
    graph = network.graph
    assert graph is not None
    if network.place is None:
        return score(graph)
    return score(graph.renumbered(network.place))[network.place]


def places_by_strength(network: Network) -> npt.NDArray[np.int64]:
    """Give nodes places by falling strength; equal ones as the values of their columns say.

    Strength is the sum over the whole similarity where the graph carries that, else the sum of
    the links in the graph; without a graph, of the pairs that were asked for.
    """
    graph, pairs = network.graph, network.pairs
    strength: npt.NDArray[Any]
    if graph is None:
        # In whole numbers, whose sums no order of the columns changes.
        exact = sparse.csr_array((units(pairs.data), pairs.indices, pairs.indptr), pairs.shape)
        strength = exact.sum(axis=1)
    else:
        strength = graph.sums if isinstance(graph, LinkGraph) else graph.strength()
    values = np.arange(len(strength)) if network.place is None else network.place
    place = np.empty(len(strength), np.int64)
    place[np.lexsort((values, -strength))] = np.arange(len(strength))
    return place
