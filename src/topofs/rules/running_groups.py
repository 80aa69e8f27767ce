"""Who represents whom at every size: the groups of a ranking before it is cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.kernels.nearest_nodes import running_nodes
from topofs.kernels.running_best import add_running_best, running_best

if TYPE_CHECKING:
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["RunningGroups", "running_along", "running_over_all"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

# More than any weight, so that no path of several edges counts.
_EDGES_ONLY = 2.0

# Rows of shares held at a time.
_ROWS = 256


@dataclass(frozen=True, eq=False)
class RunningGroups:
    """The representative of each node for every size.

    Attributes
    ----------
    curve : array of float, shape (n_nodes + 1,)
        At k: share of the nodes that the first k represent; 0 at k = 0.
    starts : array of int, shape (n_nodes + 1,)
        The changes of node i are ``positions[starts[i]:starts[i + 1]]``.
    positions : array of int
        Positions in the order at which a better representative is found; never the node
        itself, which represents itself from its own turn on.
    values : array of float
        The share of the node's variance that it explains.
    through : array of int
        The node next to it on the way to its representative, which has the same
        representative; −1 where there is none between.
    n_links : int or None
        Edges that carry shared variance; None where the graph plays no part.
    """

    curve: Doubles
    starts: Ints
    positions: Ints
    values: Doubles
    through: Ints
    n_links: int | None


def running_along(
    starts: Ints, columns: Ints, weights: Doubles, least: float | None, order: Ints
) -> RunningGroups:
    """Follow who represents whom along links: of a graph, or the strongest of each node.

    Parameters
    ----------
    starts, columns, weights : arrays
        CSR rows of the links.
    least : float or None
        What must be left at the end of a path of several links; None where single links
        count only, and the rows hold the nodes themselves, too.
    order : array of int, shape (n_nodes,)
        The nodes in the order of selection.

    Returns
    -------
    RunningGroups
    """
    n = len(order)
    edges_only = least is None
    nodes, positions, values, before, total = running_nodes(
        starts, columns, weights, _EDGES_ONLY if least is None else least, order
    )
    by_node = np.argsort(nodes, kind="stable")
    positions, before = positions[by_node], before[by_node]
    return RunningGroups(
        curve=np.concatenate([[0.0], total / max(1, n)]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=n))]),
        positions=positions,
        values=values[by_node],
        through=np.where(before == order[positions], -1, before),
        n_links=(len(columns) - (n if edges_only else 0)) // 2,
    )


def running_over_all(
    shares: SimilarityOperator, order: Ints, *, least: float = 0.0
) -> RunningGroups:
    r"""Follow who represents whom as shares of all pairs say, linked or not.

    .. math:: c(k) = \frac1n \sum_j \max_{i \in S_k} s_{ij}

    Parameters
    ----------
    shares : SimilarityOperator
        What the row explains of the column, one block of rows at a time.
    order : array of int, shape (n_nodes,)
        The nodes in the order of selection; :math:`S_k` are the first k.
    least : float, default=0.0
        A share must be above this to represent a node; -inf where the nearest one is wanted,
        however far it is.

    Returns
    -------
    RunningGroups
        Equal shares go to the lowest node.

    Notes
    -----
    O(n²) time; one block of rows in memory.

    Examples
    --------
    >>> from topofs.similarity.operator import MatrixOperator
    >>> shares = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])
    >>> running_over_all(MatrixOperator(shares), np.array([1, 0, 2])).curve.round(4).tolist()
    [0.0, 0.5833, 0.75, 1.0]
    """
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
