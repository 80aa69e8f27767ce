"""The strongest links of each column over the whole similarity, without its matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.kernels.matrix_scan import row_sums
from topofs.kernels.row_survey import refill_lists
from topofs.kernels.top_lists import empty_lists
from topofs.similarity.value_order import places

if TYPE_CHECKING:
    from topofs.filtering.products import Products
    from topofs.kernels.top_lists import TopLists
    from topofs.network import Scale
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["check_room", "links_by_blocks", "links_by_products"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

_BLOCK = 1 << 22
_BYTES = 100
"""What an entry of a list takes while both directions of all links are put together."""


def check_room(n_features: int, n_links: int, memory: int) -> None:
    """Refuse more links than memory holds.

    Parameters
    ----------
    n_features, n_links : int
        So many columns, with so many links each.
    memory : int
        Bytes that they may take.
    """
    needed = n_features * min(n_links, n_features - 1) * _BYTES
    if needed > memory:
        raise ValueError(
            f"the {n_links} strongest links of {n_features:,} columns take {needed / 1e9:.3g} GB, "
            f"but memory allows {memory / 1e9:.3g} GB: ask for fewer links, or allow more memory"
        )


def links_by_products(
    products: Products, scale: Scale, n_links: int, order: Ints, memory: int
) -> tuple[sparse.csr_array, Doubles]:
    """Find the strongest links in one pass over products of columns.

    Parameters
    ----------
    products : Products
        The similarity, its columns in an order; a larger one never is a smaller share.
    scale : Scale
        How similarities become shares.
    n_links : int
        How many links of each column.
    order : array of int, shape (n,)
        The column that each column of the products is.
    memory : int
        Bytes that may be used.

    Returns
    -------
    links : scipy.sparse.csr_array, shape (n, n)
        Shares above the noise floor. A link counts for both columns if it is among the
        strongest of either; ones on the diagonal.
    strength : array of float64, shape (n,)
        The sum of each column's similarities, its own included.
    """
    n = products.n_features
    n_rows = int(np.clip(memory // 4 // (24 * n), 8, 512))
    lists, totals = products.survey(-np.inf, [], min(n_links, n - 1), n_rows)
    left, right, values = _entries(lists, order)
    strength = np.empty(n)
    strength[order] = totals[0]
    return _symmetric(left, right, scale.weights(values, left, right), n), strength


def links_by_blocks(
    operator: SimilarityOperator, scale: Scale, n_links: int, order: Ints
) -> tuple[sparse.csr_array, Doubles]:
    """Find the strongest links from blocks of any similarity, by the shares of its pairs.

    Parameters
    ----------
    operator : SimilarityOperator
        The similarity.
    scale, n_links
        As in `links_by_products`.
    order : array of int, shape (n,)
        The columns in the order in which equal links are taken.

    Returns
    -------
    links, strength
        As by `links_by_products`.
    """
    n = operator.n_features
    n_links = min(n_links, n - 1)
    place, diagonal = places(order), operator.diagonal()
    lists = empty_lists(n, n_links, np.float64)
    strength = np.empty(n)
    penalty = np.zeros(n)
    step = max(1, min(256, _BLOCK // n))
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        block = operator.block(slice(start, rows[-1] + 1), slice(0, n))
        block[np.arange(len(rows)), rows] = diagonal[rows]
        block = np.ascontiguousarray(block[:, order])
        row_sums(block, 0, len(rows), strength[start : rows[-1] + 1])
        if n_links:
            shares = scale.weights(block, rows[:, None], order[None, :])
            refill_lists(shares, place[rows], np.arange(n), -np.inf, penalty, lists)
    return _symmetric(*_entries(lists, order), n), strength


def _entries(lists: TopLists, order: Ints) -> tuple[Ints, Ints, npt.NDArray[Any]]:
    """What is in the lists: the two columns of each link, and its value."""
    held = np.arange(lists.weight.shape[1]) < lists.length[:, None]
    left = np.repeat(order, lists.length)
    return left, order[lists.vertex[held]], lists.weight[held]


def _symmetric(left: Ints, right: Ints, shares: Doubles, n: int) -> sparse.csr_array:
    """Both directions of each link above the floor, and ones on the diagonal."""
    kept = shares > 0
    left, right, shares = left[kept], right[kept], shares[kept]
    # Where both columns list a link, rounding may have told the directions apart: one counts.
    low, high = np.minimum(left, right), np.maximum(left, right)
    first = np.lexsort((-shares, high, low))
    new = np.ones(len(first), np.bool_)
    new[1:] = (np.diff(low[first]) != 0) | (np.diff(high[first]) != 0)
    low, high, shares = low[first[new]], high[first[new]], shares[first[new]]
    everyone = np.arange(n)
    ends = (np.concatenate([low, high, everyone]), np.concatenate([high, low, everyone]))
    values = np.concatenate([shares, shares, np.ones(n)])
    links = sparse.coo_array((values, ends), shape=(n, n)).tocsr()
    links.sort_indices()
    return links
