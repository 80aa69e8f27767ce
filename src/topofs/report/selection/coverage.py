"""How well the first k features speak for the others, for every k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.kernels.running_best import add_running_best, running_best

if TYPE_CHECKING:
    from topofs.report.selection.similarity import Blocks

__all__ = ["Coverage", "coverage"]

# Rows of the similarity held at a time.
_ROWS = 256


@dataclass(frozen=True)
class Coverage:
    """What the first k nodes of an order cover, for every k.

    Attributes
    ----------
    curve : array of float, shape (n_nodes + 1,)
        At k: the mean over all nodes of the best similarity to one of the first k, a chosen
        node counting with its own (1 for a correlation). 0 at k = 0. With rule "coverage" the
        shared variance along the network takes the place of the similarity.
    starts : array of int, shape (n_nodes + 1,)
        The changes of node i are ``positions[starts[i]:starts[i + 1]]``.
    positions : array of int
        Positions in the order at which a nearer one is found for the node (never itself).
    values : array of float
        The similarity to it.
    """

    curve: npt.NDArray[np.float64]
    starts: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


def coverage(similarity: Blocks, order: npt.NDArray[np.int64]) -> Coverage:
    r"""Follow what is covered while nodes are chosen in an order.

    .. math:: c(k) = \frac1n \sum_j \max_{i \in S_k} s_{ij}

    Parameters
    ----------
    similarity : Blocks
        The similarity s, never held whole.
    order : array of int, shape (n,)
        A permutation of the nodes; :math:`S_k` are the first k.

    Returns
    -------
    Coverage
        Equal similarities go to the lowest node.

    Notes
    -----
    O(n²) time; one block of rows in memory.

    Examples
    --------
    >>> import numpy as np
    >>> from topofs.report.selection.similarity import Matrix
    >>> matrix = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])
    >>> coverage(Matrix(matrix), np.array([1, 0, 2])).curve.round(4).tolist()
    [0.0, 0.5833, 0.75, 1.0]
    """
    n = len(order)
    total = np.zeros(n)
    parts = []
    for start in range(0, n, _ROWS):
        rows = slice(start, min(start + _ROWS, n))
        block = similarity.block(rows, slice(0, n))
        add_running_best(block, order, total)
        parts.append(running_best(block, order, start))
    counts, positions, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Coverage(
        curve=np.concatenate([[0.0], total / n]),
        starts=np.concatenate([[0], np.cumsum(counts)]),
        positions=positions,
        values=values,
    )
