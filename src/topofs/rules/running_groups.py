"""Who represents whom at every size: the groups of a ranking before it is cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from topofs.kernels.units import UNIT, units

__all__ = ["RunningGroups", "running_along", "running_among", "running_over_all"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

# Rows of shares held at a time.
_ROWS = 256


@dataclass(frozen=True, eq=False)
class RunningGroups:
    """The representative of each node for every size.

    ``curve[k]`` is the share of the nodes that the first k represent. The changes of node i are
    ``starts[i] … starts[i + 1] - 1`` of the next three: `positions` in the order at which a better
    representative is found (never the node itself, which represents itself from its own turn
    on), `values`, the share of the node's variance that it explains, and `through`, the node next
    to it on the way there, which has the same representative (−1: none between). `n_links` counts
    edges that carry shared variance; None where the graph plays no part.
    """

    curve: Doubles
    starts: Ints
    positions: Ints
    values: Doubles
    through: Ints
    n_links: int | None


def running_along(
    starts: Ints, columns: Ints, weights: Doubles, least: float, order: Ints
) -> RunningGroups:
    """Follow who represents whom along the paths of a graph, which comes as CSR rows.

    `least` must be left at the end of a path of several links.
    """
    from topofs.kernels.nearest_nodes import running_nodes

    n = len(order)
    nodes, positions, values, before, total = running_nodes(
        starts, columns, weights, least, order
    )
    by_node = np.argsort(nodes, kind="stable")
    positions, before = positions[by_node], before[by_node]
    return RunningGroups(
        curve=np.concatenate([[0.0], total / max(1, n)]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=n))]),
        positions=positions,
        values=values[by_node],
        through=np.where(before == order[positions], -1, before),
        n_links=len(columns) // 2,
    )


def running_among(rows: Any, order: Ints) -> RunningGroups:
    """Follow who represents whom as sparse rows of shares say, with ones on the diagonal.

    Equal shares go to the lowest node.
    """
    n, found = len(order), rows.tocoo()
    origin, node, share = found.row.astype(np.int64), found.col.astype(np.int64), found.data
    turn = np.argsort(order)[origin]
    # One number tells the larger share, and of equal ones the lower origin.
    strength = np.empty(len(share), np.int64)
    strength[np.lexsort((-origin, share))] = np.arange(len(share))
    by_turn = np.lexsort((turn, node))
    node, origin, turn, share = (part[by_turn] for part in (node, origin, turn, share))
    best = np.maximum.accumulate(strength[by_turn] + node * len(share))
    better = np.diff(best, prepend=-1) > 0
    node, origin, turn, share = (part[better] for part in (node, origin, turn, share))
    amounts = units(share)
    before = np.where(np.diff(node, prepend=-1) > 0, 0, np.concatenate([[0], amounts[:-1]]))
    gained = np.zeros(n, np.int64)
    np.add.at(gained, turn, amounts - before)
    others = origin != node
    node, turn, share = node[others], turn[others], share[others]
    return RunningGroups(
        curve=np.concatenate([[0.0], np.cumsum(gained) / UNIT / max(1, n)]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(node, minlength=n))]),
        positions=turn,
        values=share,
        through=np.full(len(turn), -1),
        n_links=(rows.nnz - n) // 2,
    )


class _Shares(Protocol):
    def block(self, rows: slice, columns: slice) -> npt.NDArray[np.floating[Any]]: ...


def running_over_all(shares: _Shares, order: Ints, *, least: float = 0.0) -> RunningGroups:
    """Follow who represents whom as shares of all pairs say, linked or not.

    The curve at k is the mean of the largest share of each node among the first k.
    A share, of what the row explains of the column, must be above `least` to represent a node;
    -inf where the nearest one is wanted, however far it is. Equal shares go to the lowest node.
    O(n²) time; one block of rows in memory.
    """
    from topofs.kernels.running_best import add_running_best, running_best

    n = len(order)
    total = np.zeros(n)
    parts = []
    for start in range(0, n, _ROWS):
        rows = slice(start, min(start + _ROWS, n))
        block = shares.block(rows, slice(0, n))
        add_running_best(block, order, total)
        counts, positions, values = running_best(block, order, start)
        nodes = np.repeat(np.arange(rows.start, rows.stop), counts)
        some = values > least
        parts.append((nodes[some], positions[some], values[some]))
    nodes, positions, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return RunningGroups(
        curve=np.concatenate([[0.0], total / n]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=n))]),
        positions=positions,
        values=values,
        through=np.full(len(positions), -1),
        n_links=None,
    )
