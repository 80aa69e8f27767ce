"""What decides between nodes of equal score: strength, then the values of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.graph import FilteredGraph
    from topofs.network import Network

__all__ = ["in_order_of_values", "places_by_strength"]

Doubles = npt.NDArray[np.float64]


def in_order_of_values(score: Callable[[FilteredGraph], Doubles], network: Network) -> Doubles:
    """Score nodes so that sums are taken in an order that the values of the columns decide.

    Parameters
    ----------
    score : callable
        Gives a score for each node of a graph.
    network : Network
        Its `place` is the order.

    Returns
    -------
    array of float, shape (n_nodes,)
        To the last bit the same for each column, wherever it stands in the table.
    """
    if network.place is None:
        return score(network.graph)
    return score(network.graph.renumbered(network.place))[network.place]


def places_by_strength(network: Network) -> npt.NDArray[np.int64]:
    """Give nodes places by falling strength; equal ones as the values of their columns say.

    Parameters
    ----------
    network : Network
        The nodes; their strength is that in the whole similarity where the rule asks for it,
        else that in the graph.

    Returns
    -------
    array of int, shape (n_nodes,)
        The place of each node; the lowest comes first.
    """
    strength = network.strength
    if strength is None:
        strength = network.graph.strength()
    values = np.arange(len(strength)) if network.place is None else network.place
    place = np.empty(len(strength), np.int64)
    place[np.lexsort((values, -strength))] = np.arange(len(strength))
    return place
