"""Who represents whom at every size: the groups of a ranking before it is cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from topofs.kernels.running_best import add_running_best, running_best
from topofs.kernels.running_nodes import running_nodes

__all__ = ["RunningGroups", "running_along", "running_over_all"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

# More than any weight, so that no path of several edges counts.
_EDGES_ONLY = 2.0


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
    """Follow who represents whom along the links of a graph.

    Parameters
    ----------
    starts, columns, weights : arrays
        CSR rows of the graph.
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


def running_over_all(shares: Doubles, order: Ints) -> RunningGroups:
    """Follow who represents whom as a matrix of shares says.

    Parameters
    ----------
    shares : array of float, shape (n_nodes, n_nodes)
        Share of the variance of the column that the row explains; ones on the diagonal.
    order : array of int, shape (n_nodes,)
        The nodes in the order of selection.

    Returns
    -------
    RunningGroups

    Examples
    --------
    >>> shares = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])
    >>> running_over_all(shares, np.array([1, 0, 2])).curve.round(4).tolist()
    [0.0, 0.5833, 0.75, 1.0]
    """
    n = len(order)
    total = np.zeros(n)
    add_running_best(shares, order, total)
    counts, positions, values = running_best(shares, order, 0)
    # No share: nobody represents the node yet.
    some = values > 0
    nodes = np.repeat(np.arange(n), counts)[some]
    return RunningGroups(
        curve=np.concatenate([[0.0], total / max(1, n)]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=n))]),
        positions=positions[some],
        values=values[some],
        through=np.full(int(some.sum()), -1),
        n_links=None,
    )
