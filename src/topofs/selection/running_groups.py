"""Who stands for whom at every size: the groups of a ranking before it is cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.kernels.running_best import add_running_best, running_best
from topofs.kernels.running_sources import running_sources
from topofs.selection.coverage import MatrixReach, PathReach

if TYPE_CHECKING:
    from topofs.selection.topological import TopologicalFeatureSelector

__all__ = ["RunningGroups", "running_groups"]

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
        At k: share of the nodes that the first k stand for; 0 at k = 0.
    starts : array of int, shape (n_nodes + 1,)
        The changes of node i are ``positions[starts[i]:starts[i + 1]]``.
    positions : array of int
        Positions in the order at which a better representative is found; never the node
        itself, which stands for itself from its own turn on.
    values : array of float
        How well it stands for the node.
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


def running_groups(selector: TopologicalFeatureSelector, order: Ints) -> RunningGroups:
    """Follow who stands for whom while nodes are selected in an order.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted with rule "coverage".
    order : array of int, shape (n_nodes,)
        The nodes of its graph in the order of selection.

    Returns
    -------
    RunningGroups
        At the size k it says what ``selector.at(k).representative_`` does.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> selector = TopologicalFeatureSelector().fit(load_wine().data)
    >>> groups = running_groups(selector, np.argsort(selector.ranking_))
    >>> bool(np.allclose(groups.curve[1:], selector.coverage_))
    True
    """
    reach = selector._reach  # noqa: SLF001 - of the same room
    if isinstance(reach, PathReach):
        return _along(reach, order)
    assert isinstance(reach, MatrixReach)
    matrix = reach.matrix
    if not sparse.issparse(matrix):
        return _over_all(matrix, order)
    starts, columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    return _along(PathReach(starts, columns, matrix.data, _EDGES_ONLY), order)


def _along(reach: PathReach, order: Ints) -> RunningGroups:
    n = len(order)
    nodes, positions, values, before, total = running_sources(
        reach.starts, reach.columns, reach.weights, reach.least, order
    )
    by_node = np.argsort(nodes, kind="stable")
    positions, before = positions[by_node], before[by_node]
    loops = n if reach.least == _EDGES_ONLY else 0
    return RunningGroups(
        curve=np.concatenate([[0.0], total / max(1, n)]),
        starts=np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=n))]),
        positions=positions,
        values=values[by_node],
        through=np.where(before == order[positions], -1, before),
        n_links=(len(reach.columns) - loops) // 2,
    )


def _over_all(matrix: Doubles, order: Ints) -> RunningGroups:
    n = len(order)
    total = np.zeros(n)
    add_running_best(matrix, order, total)
    counts, positions, values = running_best(matrix, order, 0)
    # No weight: nobody stands for the node yet.
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
