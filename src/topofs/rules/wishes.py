"""`Wishes`: what the user wants of a selection, in terms of the nodes of a network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = ["OpenNodes", "Wishes"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Wishes:
    """Which nodes must, may and may not be selected together.

    All of it holds for every part of a set that it holds for, so the beginning of an order
    that keeps to it keeps to it, too.

    Attributes
    ----------
    n_nodes : int
        Number of nodes.
    chosen : array of int
        Nodes that are selected in any case; the others are ranked given these.
    excluded : array of int
        Nodes that cannot be selected, but are to be represented.
    group : array of int, shape (n_nodes,), or None
        The group of each node, -1 for none.
    room : array of int or None
        How many nodes of each group may be selected.
    too_alike : scipy.sparse.csr_array, shape (n_nodes, n_nodes), or None
        Pairs that may not be selected together.
    cost : array of float, shape (n_nodes,), or None
        What each node costs.
    budget : float
        What may be spent.
    n_wanted : int or None
        How many nodes will be selected, where that is known: where many more are costly, a
        rule need not put those in their exact order.
    """

    n_nodes: int
    chosen: Ints
    excluded: Ints
    group: Ints | None = None
    room: Ints | None = None
    too_alike: Any = None
    cost: Doubles | None = None
    budget: float = np.inf
    n_wanted: int | None = None

    @classmethod
    def none(cls, n_nodes: int, chosen: Ints | None = None) -> Wishes:
        """Give the wishes of somebody who has none, or only some nodes chosen.

        Parameters
        ----------
        n_nodes : int
            Number of nodes.
        chosen : array of int, optional
            Nodes that are selected in any case.

        Returns
        -------
        Wishes
        """
        nothing = np.empty(0, dtype=np.int64)
        return cls(n_nodes, nothing if chosen is None else chosen, nothing)

    def given(self, chosen: Ints, *, n_wanted: int | None = None) -> Wishes:
        """Give the same wishes with other nodes chosen.

        Parameters
        ----------
        chosen : array of int
            Nodes that are selected in any case.
        n_wanted : int, optional
            How many nodes will be selected.

        Returns
        -------
        Wishes
        """
        return replace(self, chosen=chosen, n_wanted=n_wanted)

    def renumbered(self, order: Ints) -> Wishes:
        """Give the same wishes for nodes that stand in another order.

        Parameters
        ----------
        order : array of int, shape (n_nodes,)
            Node ``order[i]`` of these wishes is node i of the new ones.

        Returns
        -------
        Wishes
        """
        place = np.argsort(order)
        pairs = self.too_alike
        return replace(
            self,
            chosen=np.sort(place[self.chosen]),
            excluded=np.sort(place[self.excluded]),
            group=None if self.group is None else self.group[order],
            too_alike=None if pairs is None else sparse.csr_array(pairs)[order][:, order],
            cost=None if self.cost is None else self.cost[order],
        )

    @property
    def allowed(self) -> npt.NDArray[np.bool_]:
        """Which nodes may be selected at all."""
        allowed = np.ones(self.n_nodes, dtype=np.bool_)
        allowed[self.excluded] = False
        return allowed

    @property
    def limited(self) -> bool:
        """Whether not every node may be selected beside every other."""
        limits = (self.group, self.too_alike, self.cost)
        return bool(self.excluded.size) or any(limit is not None for limit in limits)

    def open_beside(self, taken: Ints) -> Ints:
        """Give the nodes that may be selected beside some.

        Parameters
        ----------
        taken : array of int
            Selected nodes.

        Returns
        -------
        array of int
        """
        is_open = OpenNodes(self, taken.tolist()).mask()
        is_open[taken] = False
        return np.flatnonzero(is_open)

    def applied(self, order: Ints) -> tuple[Ints, int]:
        """Put the chosen nodes of an order first and those that may not be selected last.

        For rules whose order does not depend on what was selected before.

        Parameters
        ----------
        order : array of int, shape (n_nodes,)
            All nodes, best first.

        Returns
        -------
        order : array of int, shape (n_nodes,)
            All nodes; each beginning up to `n_selectable` keeps to the wishes.
        n_selectable : int
            How many can be selected together.
        """
        is_chosen = np.isin(order, self.chosen)
        if not self.limited:
            return np.concatenate([order[is_chosen], order[~is_chosen]]), len(order)
        taken, rest = order[is_chosen].tolist(), []
        state = OpenNodes(self, taken)
        for node in order[~is_chosen].tolist():
            if state.is_open(node):
                state.take(node)
                taken.append(node)
            else:
                rest.append(node)
        return np.array([*taken, *rest], dtype=np.int64), len(taken)


class OpenNodes:
    """What is still open while nodes are taken one by one."""

    def __init__(self, wishes: Wishes, taken: list[int]) -> None:
        n = wishes.n_nodes
        self._open = wishes.allowed
        self._too_alike = (
            None if wishes.too_alike is None else sparse.csr_array(wishes.too_alike)
        )
        self._cost = np.zeros(n) if wishes.cost is None else wishes.cost
        self._left = wishes.budget
        # Nodes without a group, -1, find room in the last one, which has enough for all.
        self._group, self._room = np.full(n, -1), np.array([n])
        if wishes.group is not None and wishes.room is not None:
            self._group, self._room = wishes.group, np.append(wishes.room, n)
        for node in taken:
            self.take(node)

    def is_open(self, node: int) -> bool:
        """Whether a node may still be selected."""
        return bool(
            self._open[node]
            and self._cost[node] <= self._left
            and self._room[self._group[node]] > 0
        )

    def mask(self) -> npt.NDArray[np.bool_]:
        """Which nodes may still be selected."""
        has_room = self._room[self._group] > 0
        return np.asarray(self._open & (self._cost <= self._left) & has_room)

    def take(self, node: int) -> None:
        """Select a node."""
        self._room[self._group[node]] -= 1
        self._left -= self._cost[node]
        if self._too_alike is not None:
            starts = self._too_alike.indptr
            self._open[self._too_alike.indices[starts[node] : starts[node + 1]]] = False
