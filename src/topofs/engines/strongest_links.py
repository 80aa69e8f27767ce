"""The strongest links of each column over the whole similarity, in memory n · K."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from topofs.filtering.deciding_lists import decide_lists
from topofs.filtering.products import AskedProducts, Watch
from topofs.kernels.matrix_scan import row_sums
from topofs.kernels.row_survey import refill_lists, survey_rows
from topofs.kernels.top_lists import empty_lists
from topofs.progress import counted
from topofs.row_threads import for_row_ranges
from topofs.similarity.value_order import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from topofs.filtering.products import Products
    from topofs.kernels.top_lists import TopLists
    from topofs.network import Scale
    from topofs.similarity.operator import SimilarityOperator

__all__ = ["StrongestLinks", "room_for_links"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.floating[Any]]

_BLOCK = 1 << 22
_MOST_ROWS = 512
# Bytes of a link: while lists are joined to both directions of it, and afterwards.
_JOINED, _KEPT = 72, 24
# A device may list others that are as strong; so many more are asked for.
_MORE = 8


def room_for_links(n_features: int, n_links: int) -> int:
    """Bytes that the strongest links of columns take at most while they are found."""
    return n_features * min(n_links, n_features - 1) * _JOINED


@dataclass
class StrongestLinks:
    """Finds the strongest links of each column, by one of several ways, in `memory` bytes.

    `order` is that in which equal links are taken. `links` holds shares above the noise floor,
    ones on the diagonal, and is None until they are found; a link counts for both columns if it
    is among the strongest of either. `strength` is the sum of each column's similarities, its
    own included.
    """

    n_links: int
    scale: Scale
    order: Ints
    memory: int
    links: sparse.csr_array | None = None
    strength: Doubles | None = None

    def __post_init__(self) -> None:
        n = len(self.order)
        needed = room_for_links(n, self.n_links)
        if needed > self.memory:
            raise ValueError(
                f"the {min(self.n_links, n - 1)} strongest links of {n:,} columns take "
                f"{needed / 1e9:.3g} GB, but memory allows {self.memory / 1e9:.3g} GB: ask for "
                "fewer links, or allow more memory"
            )
        self.n_links = min(self.n_links, n - 1)

    @property
    def kept(self) -> int:
        """Bytes that the links take at most once they are found."""
        return len(self.order) * self.n_links * _KEPT

    @property
    def rises(self) -> bool:
        """Whether a larger similarity never is a smaller share, so that lists need no shares."""
        return bool(getattr(self.scale, "rises", False))

    def from_matrix(self, similarity: Matrix) -> Callable[[], None]:
        """Look for them in a matrix in the order, which is needed no longer afterwards.

        What comes back joins what was found, on one thread; before that there are no links.
        """
        n = len(similarity)
        if not self.rises:
            parts = ((self.order[part], similarity[part]) for part in self._parts())
            return partial(self._take, *self._by_shares(parts), shares=True)
        lists, totals = empty_lists(n, self.n_links, similarity.dtype), np.empty((1, n))
        for_row_ranges(lambda i, j: survey_rows(similarity[i:j], i, totals[0], lists), n, n)
        return partial(self._take, lists, totals)

    def from_blocks(self, operator: SimilarityOperator) -> None:
        """Find them in blocks of any similarity."""
        diagonal, everyone = operator.diagonal(), np.arange(len(self.order))

        def blocks() -> Iterator[tuple[Ints, Matrix]]:
            for part in self._parts():
                rows = everyone[part]
                block = operator.block(part, slice(0, len(everyone)))
                block[np.arange(len(rows)), rows] = diagonal[rows]
                yield rows, np.ascontiguousarray(block[:, self.order])

        self._take(*self._by_shares(blocks()), shares=True)

    def from_products(self, products: Products) -> None:
        """Find them in one pass over products of columns that are in the order."""
        n = len(self.order)
        n_rows = int(np.clip(self.memory // 4 // (24 * n), 8, _MOST_ROWS))
        self._see(products, *products.survey(-np.inf, [], self._asked(products), n_rows))

    def watch(self, products: Products) -> None:
        """Find them in the pass that a growing graph makes over products in the order."""
        products.watch = Watch(
            self._asked(products), lambda lists, totals: self._see(products, lists, totals)
        )

    def _asked(self, products: Products) -> int:
        by_device = isinstance(products, AskedProducts)
        return min(self.n_links + _MORE * by_device, len(self.order) - 1)

    def _see(self, products: Products, lists: TopLists, totals: Doubles) -> None:
        """Take what a survey found; where a device left out others as strong, ask the host."""
        if isinstance(products, AskedProducts) and self.n_links:
            if not products.rounding.exact:
                decide_lists(
                    products.column_weights(-np.inf), np.arange(len(self.order)), lists
                )
            unsure = np.flatnonzero(self._unsure(lists))
            lists = deepcopy(lists) if len(unsure) else lists
            for first in range(0, len(unsure), _MOST_ROWS):
                vertices = unsure[first : first + _MOST_ROWS]
                rows, everyone = products.rows(vertices), np.arange(len(self.order))
                none_used = np.zeros(len(everyone), rows.dtype)
                refill_lists(rows, vertices, everyone, -np.inf, none_used, lists)
        self._take(lists, totals)

    def _unsure(self, lists: TopLists) -> npt.NDArray[np.bool_]:
        """Where a device may have listed others than the strongest, or tied ones in any order."""
        last = lists.weight[:, self.n_links - 1]
        unsure = (lists.length < self.n_links) | (lists.floor >= last)
        if lists.weight.shape[1] > self.n_links:
            unsure |= (lists.length > self.n_links) & (lists.weight[:, self.n_links] == last)
        return unsure

    def _parts(self) -> Iterator[slice]:
        """Blocks of rows, as slices."""
        n = len(self.order)
        step = max(1, min(256, _BLOCK // n))
        return (slice(first, min(first + step, n)) for first in range(0, n, step))

    def _by_shares(self, blocks: Iterable[tuple[Ints, Matrix]]) -> tuple[TopLists, Doubles]:
        """List the largest shares, and add up rows.

        Rows come by their columns' numbers; the columns of a block are in the order.
        """
        n, place = len(self.order), places(self.order)
        lists, totals = empty_lists(n, self.n_links, np.float64), np.empty((1, n))
        none_used, everyone = np.zeros(n), np.arange(n)

        def take(found: tuple[Ints, Matrix]) -> None:
            rows, block = found
            sums = np.empty(len(rows))
            row_sums(block, 0, len(rows), sums)
            totals[0, place[rows]] = sums
            if self.n_links:
                shares = self.scale.weights(block, rows[:, None], self.order[None, :])
                refill_lists(shares, place[rows], everyone, -np.inf, none_used, lists)

        taking = counted(take, n * (n - 1), lambda found: len(found[0]) * (n - 1))
        for found in blocks:
            taking(found)
        return lists, totals

    def _take(self, lists: TopLists, totals: Doubles, *, shares: bool = False) -> None:
        """Join the lists, as they are or as shares, to links that count for both columns."""
        n, order = len(self.order), self.order
        self.strength = np.empty(n)
        self.strength[order] = totals[0]
        parts = [(np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32), np.ones(n))]
        for part in self._parts():
            lengths = np.minimum(lists.length[part], self.n_links)
            held = np.arange(lists.weight.shape[1]) < lengths[:, None]
            left = np.repeat(order[part], lengths)
            right, values = order[lists.vertex[part][held]], lists.weight[part][held]
            values = values if shares else self.scale.weights(values, left, right)
            above = values > 0
            ends = left[above].astype(np.int32), right[above].astype(np.int32)
            parts.append((*ends, values[above]))
        left, right, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        listed = sparse.coo_array((values, (left, right)), shape=(n, n))
        listed.has_canonical_format = True  # no link stands twice
        # To turn a matrix sorts it, in less time than sorting takes.
        turned = listed.tocsr().T.tocsr()
        # Where both columns list a link, rounding may have told the directions apart.
        self.links = turned.maximum(turned.T.tocsr())
        self.links.sort_indices()
