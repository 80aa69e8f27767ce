"""The K strongest links of each column over all pairs, in memory n · K.

They are found in a matrix, in blocks of any similarity, or in a pass over products of columns.
"""

from __future__ import annotations

import math
import threading
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import use_numpy
from topofs.graphs.filtered_graph import LinkGraph
from topofs.runtime import for_each, for_row_ranges, one_blas_thread, slices, with_progress
from topofs.similarity.base import pairs_of_corner, similarity_rows
from topofs.similarity.column_order import inverse_permutation
from topofs.similarity.noise_floor import weights_of_rows, whole_weights
from topofs.similarity_matrix import row_sums, threshold_mean_in_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from topofs._kernels.top_lists import TopLists
    from topofs.graphs.products import Products
    from topofs.network import Scale
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Bools, Doubles, Floats, Ints

_BLOCK = 1 << 22
_MOST_ROWS = 512
# Bytes of a link while lists are joined, with both directions.
_JOINED = 72
# A device may list other links of equal strength, so request this many more.
_MORE = 8
# Most entries of complete rows in the cache, and rows computed at once.
_MOST_KEPT = 1 << 23
_WINDOW = 32


def room_for_links(n_features: int, n_links: int) -> int:
    """Most bytes that the search for the strongest links takes."""
    return n_features * min(n_links, n_features - 1) * _JOINED


def all_links(
    similarity: Floats, scale: Scale, order: Ints, *, above_mean: bool = False
) -> LinkGraph:
    """Keep all links above the noise floor, as a matrix; rows of `similarity` are in the order.

    With `above_mean` links below the mean similarity are left out, in place.
    """
    sums = np.empty(len(similarity))
    sums[order] = _row_sums(similarity)
    if above_mean:
        threshold_mean_in_place(similarity)
    return LinkGraph(whole_weights(similarity, scale, order), sums)


@dataclass
class NeighborSearch:
    """Finds the strongest links of each column, by one of several methods, in `memory` bytes.

    `order` breaks ties between links. A link counts for both columns if it is among the
    strongest of either. With `above_mean`, links below the mean similarity are left out.
    """

    n_links: int
    scale: Scale
    order: Ints
    memory: int
    above_mean: bool = False

    def __post_init__(self) -> None:
        n = len(self.order)
        needed = room_for_links(n, self.n_links)
        if needed > self.memory:
            raise ValueError(
                f"the {min(self.n_links, n - 1)} strongest links of {n:,} columns take "
                f"{needed / 1e9:.3g} GB, but memory allows {self.memory / 1e9:.3g} GB: ask for "
                "fewer links, as by graph=Links(strongest=32), or allow more memory"
            )
        self.n_links = min(self.n_links, n - 1)

    @property
    def rises(self) -> bool:
        """Whether the share never falls as the similarity rises: lists need no shares."""
        return bool(getattr(self.scale, "rises", False))

    def from_matrix(self, similarity: Floats, operator: SimilarityOperator | None) -> LinkGraph:
        """Find them in a matrix whose rows and columns are in the order.

        `operator` gives complete rows later; with None, the matrix is kept for them.
        """
        n = len(similarity)
        if use_numpy(n):
            found = self._from_small_matrix(similarity, operator)
        elif self.rises:
            from topofs._kernels.survey import survey_rows
            from topofs._kernels.top_lists import empty_lists

            lists, totals = empty_lists(n, self.n_links, similarity.dtype), np.empty(n)
            for_row_ranges(lambda i, j: survey_rows(similarity[i:j], i, totals, lists), n, n)
            found = self._joined(lists, totals, operator)
        else:
            found = self._from_shares(
                lambda: ((self.order[part], similarity[part]) for part in self._parts()),
                operator,
            )
        if found.full_rows is not None:
            found.full_rows.take_from(similarity, self.order)
        return found

    def from_blocks(self, operator: SimilarityOperator) -> LinkGraph:
        """Find them in blocks of any similarity."""
        diagonal, everyone = operator.diagonal(), np.arange(len(self.order))

        def blocks() -> Iterator[tuple[Ints, Floats]]:
            for part in self._parts():
                rows = everyone[part]
                block = operator.block(part, slice(0, len(everyone)))
                block[np.arange(len(rows)), rows] = diagonal[rows]
                yield rows, np.ascontiguousarray(block[:, self.order])

        return self._from_shares(blocks, operator)

    def from_triangle(self, operator: Any) -> LinkGraph:
        """Find them in the blocks of a triangle, each of which counts for rows and columns."""
        from topofs._kernels.survey import (
            add_triangle,
            nothing_surveyed,
            round_off_of,
            settle_lists,
        )
        from topofs._kernels.top_lists import TopLists

        n, k, dtype = len(self.order), self.n_links, operator.dtype
        in_order, diagonal = operator.select(self.order), operator.diagonal()[self.order]
        surveyed, lock = nothing_surveyed(n, k, 1, diagonal), threading.Lock()

        def take(corner: tuple[Ints, Ints]) -> None:
            block = np.asarray(in_order.block(*corner), dtype=dtype)
            rows, columns = (side.astype(np.int32) for side in corner)
            with lock:
                add_triangle(block, rows, columns, diagonal, round_off_of(n), surveyed)

        with one_blas_thread():
            for_each(
                with_progress(take, n * (n - 1) // 2, pairs_of_corner), in_order.triangle()
            )
        settle_lists(surveyed)
        head, floor = np.zeros(n, np.int64), np.full(n, -np.inf, dtype)
        lists = TopLists(surveyed.weight, surveyed.vertex, surveyed.length, head, floor)
        return self._joined(lists, surveyed.sums + surveyed.rests, operator)

    def from_products(self, products: Products, operator: SimilarityOperator) -> LinkGraph:
        """Find them in one pass over products of columns that are in the order."""
        from topofs.graphs.products import BatchProducts

        n = len(self.order)
        n_rows = int(np.clip(self.memory // 4 // (24 * n), 8, _MOST_ROWS))
        by_device = isinstance(products, BatchProducts)
        wanted = min(self.n_links + _MORE * by_device, n - 1)
        lists, totals = products.survey(-np.inf, [], wanted, n_rows)
        if by_device and self.n_links:
            lists = self._decided(products, lists)
        return self._joined(lists, totals[0], operator)

    def _decided(self, products: Any, lists: TopLists) -> TopLists:
        """Lists of a device; if it left out links of equal strength, the list of the host."""
        from topofs._kernels.survey import refill_lists
        from topofs.graphs.tmfg_out_of_core import rescore_lists

        everyone = np.arange(len(self.order))
        if not products.rounding.exact:
            rescore_lists(products.column_weights(-np.inf), everyone, lists)
        # It may have listed links that are not the strongest, or ties in any order.
        last = lists.weight[:, self.n_links - 1]
        unsure = (lists.length < self.n_links) | (lists.floor >= last)
        if lists.weight.shape[1] > self.n_links:
            unsure |= (lists.length > self.n_links) & (lists.weight[:, self.n_links] == last)
        asked = np.flatnonzero(unsure)
        lists = deepcopy(lists) if len(asked) else lists
        for first in range(0, len(asked), _MOST_ROWS):
            vertices = asked[first : first + _MOST_ROWS]
            rows = products.rows(vertices)
            none_used = np.zeros(len(everyone), rows.dtype)
            refill_lists(rows, vertices, everyone, -np.inf, none_used, lists)
        return lists

    def _parts(self) -> list[slice]:
        """Blocks of rows."""
        n = len(self.order)
        return slices(n, max(1, min(256, _BLOCK // n)))

    def _from_small_matrix(
        self, similarity: Floats, operator: SimilarityOperator | None
    ) -> LinkGraph:
        """The same by numpy alone: compute all shares, and keep the strongest of each row."""
        n, order = len(similarity), self.order
        sums = np.empty(n)
        sums[order] = _row_sums(similarity)
        shares = np.empty((n, n))
        for rows, block in weights_of_rows(similarity, self.scale, order):
            shares[rows] = block
        if self.above_mean:
            shares[similarity < _mean(sums)] = 0.0
        np.fill_diagonal(shares, 0.0)
        truncated = np.zeros(n, dtype=np.bool_)
        if self.n_links < n - 1:
            kept = _strongest_of_rows(similarity if self.rises else shares, self.n_links)
            truncated[order] = (kept & (shares > 0)).sum(axis=1) >= self.n_links
            shares[~(kept | kept.T)] = 0.0
        np.fill_diagonal(shares, 1.0)
        place = inverse_permutation(order)
        return self._graph(
            sparse.csr_array(shares[np.ix_(place, place)]), sums, truncated, operator
        )

    def _from_shares(
        self,
        blocks: Callable[[], Iterable[tuple[Ints, Floats]]],
        operator: SimilarityOperator | None,
    ) -> LinkGraph:
        """List the largest shares, and join them.

        Rows of blocks are given by the numbers of their columns; columns of a block are in
        order.
        """
        from topofs._kernels.survey import refill_lists
        from topofs._kernels.top_lists import empty_lists

        n, place = len(self.order), inverse_permutation(self.order)
        lists, totals = empty_lists(n, self.n_links, np.float64), np.empty(n)
        none_used, everyone, least = np.zeros(n), np.arange(n), np.float64(-np.inf)

        def take(found: tuple[Ints, Floats]) -> None:
            rows, block = found
            totals[place[rows]] = _row_sums(block)
            if self.n_links:
                shares = self.scale.weights(block, rows[:, None], self.order[None, :])
                shares[block < least] = 0.0
                refill_lists(shares, place[rows], everyone, -np.inf, none_used, lists)

        if self.above_mean:
            for rows, block in blocks():
                totals[place[rows]] = _row_sums(block)
            least = _mean(totals)
        taking = with_progress(take, n * (n - 1), lambda found: len(found[0]) * (n - 1))
        for found in blocks():
            taking(found)
        return self._joined(lists, totals, operator, shares=True)

    def _joined(
        self,
        lists: TopLists,
        totals: Doubles,
        operator: SimilarityOperator | None,
        *,
        shares: bool = False,
    ) -> LinkGraph:
        """Join the lists, with weights or shares, to links that count for both columns."""
        n, order = len(self.order), self.order
        sums = np.empty(n)
        sums[order] = totals
        least = _mean(sums) if self.above_mean and not shares else -np.inf
        truncated = np.zeros(n, dtype=np.bool_)
        parts = [(np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32), np.ones(n))]
        for part in self._parts():
            lengths = np.minimum(lists.length[part], self.n_links)
            held = np.arange(lists.weight.shape[1]) < lengths[:, None]
            left = np.repeat(order[part], lengths)
            right, values = order[lists.vertex[part][held]], lists.weight[part][held]
            strong = values >= least
            values = values if shares else self.scale.weights(values, left, right)
            above = (values > 0) & strong
            full = np.bincount(left[above], minlength=n) >= self.n_links
            truncated |= full & (self.n_links < n - 1)
            ends = left[above].astype(np.int32), right[above].astype(np.int32)
            parts.append((*ends, values[above]))
        left, right, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        listed = sparse.coo_array((values, (left, right)), shape=(n, n))
        listed.has_canonical_format = True  # no duplicate links
        # Transposing a matrix sorts it, faster than sorting.
        turned = listed.tocsr().T.tocsr()
        # If both columns list a link, rounding may have made the two directions differ.
        links = turned.maximum(turned.T.tocsr())
        links.sort_indices()
        return self._graph(links, sums, truncated, operator)

    def _graph(
        self,
        links: sparse.csr_array,
        sums: Doubles,
        truncated: Bools,
        operator: SimilarityOperator | None,
    ) -> LinkGraph:
        if not truncated.any():
            return LinkGraph(links, sums)
        least = _mean(sums) if self.above_mean else -np.inf
        return LinkGraph(
            links, sums, full_rows=ShareRows(operator, self.scale, truncated, least=least)
        )


class ShareRows:
    """Complete rows of shares of nodes that have more links than their list holds.

    Rows are computed on demand and cached.

    Parameters
    ----------
    operator : SimilarityOperator or None
        The similarity of any block; None if only a matrix exists: see `take_from`.
    scale : Scale
        How similarities become shares.
    truncated : array of bool, shape (n_nodes,)
        Nodes that have more links than their list holds; only these have rows.
    least : float, default=-inf
        Similarities below this count as 0.
    """

    def __init__(
        self, operator: Any, scale: Any, truncated: Bools, *, least: float = -np.inf
    ) -> None:
        self.operator, self.scale, self.truncated, self.least = (
            operator,
            scale,
            truncated,
            least,
        )
        self._known: dict[int, tuple[Ints, Doubles]] = {}
        self._matrix: Floats | None = None
        self._place: Ints | None = None
        self._window: tuple[int, Floats] | None = None

    def __getstate__(self) -> dict[str, Any]:
        kept = self.__dict__ | {"_known": {}, "_window": None}
        return kept if self.operator is None else kept | {"_matrix": None, "_place": None}

    def take_from(self, matrix: Floats, order: Ints) -> None:
        """Compute the rows from a similarity matrix, before the matrix is released.

        Parameters
        ----------
        matrix : array
            The similarity of all pairs.
        order : array of int
            The node of each row and column of the matrix.
        """
        self._matrix, self._place = matrix, inverse_permutation(order)

    def forget_matrix(self) -> None:
        """Compute further rows from the operator, if there is one."""
        if self.operator is not None:
            self._matrix = self._place = None

    def row(self, node: int) -> Doubles:
        """Give the shares of a node with all nodes, itself included.

        Parameters
        ----------
        node : int
            A node marked in `truncated`.

        Returns
        -------
        array of float, shape (n_nodes,)
        """
        n, node = len(self.truncated), int(node)
        if node not in self._known:
            shares = self._computed(node)
            shared = np.flatnonzero(shares)
            if (len(self._known) + 1) * n <= _MOST_KEPT:
                self._known[node] = shared.astype(np.int32), shares[shared]
            return shares
        shared, values = self._known[node]
        row = np.zeros(n)
        row[shared] = values
        return row

    def rows(self, nodes: Ints) -> Doubles:
        """Give the shares of some nodes with all nodes, computed together and not cached.

        Parameters
        ----------
        nodes : array of int
            Ascending.

        Returns
        -------
        array of float, shape (len(nodes), n_nodes)
        """
        if self._matrix is None or self._place is None:
            return self._shares(nodes, similarity_rows(self.operator, nodes))
        return self._shares(nodes, self._matrix[np.ix_(self._place[nodes], self._place)])

    def _computed(self, node: int) -> Doubles:
        if self._matrix is not None:
            return np.asarray(self.rows(np.array([node]))[0])
        # Rows are computed in fixed blocks, so that no bit depends on earlier calls.
        n, first = len(self.truncated), node - node % _WINDOW
        if self._window is None or self._window[0] != first:
            rows = slice(first, min(first + _WINDOW, n))
            self._window = first, self.operator.block(rows, slice(0, n))
        values = self._window[1][node - first : node - first + 1]
        return np.asarray(self._shares(np.array([node]), values)[0])

    def _shares(self, nodes: Ints, values: Floats) -> Doubles:
        """The shares of similarities of some nodes with all nodes."""
        everyone = np.arange(len(self.truncated))
        shares: Doubles = self.scale.weights(values, nodes[:, None], everyone[None, :])
        shares[values < self.least] = 0.0
        shares[np.arange(len(nodes)), nodes] = 1.0
        return shares


def _row_sums(block: Floats) -> Doubles:
    sums = np.empty(len(block))
    row_sums(block, 0, len(block), sums)
    return sums


def _mean(sums: Doubles) -> np.float64:
    """The mean of all entries, from the sums of rows, in float64."""
    return np.float64(math.fsum(sums) / len(sums) ** 2)


def _strongest_of_rows(strengths: Floats, k: int) -> Bools:
    """Mark the k largest entries of each row off the diagonal, the first among equal ones."""
    weakness = -strengths
    np.fill_diagonal(weakness, np.inf)
    last = np.partition(weakness, k - 1, axis=1)[:, k - 1 : k]
    larger, equal = weakness < last, weakness == last
    room = k - larger.sum(axis=1, keepdims=True)
    return np.asarray(larger | (equal & (np.cumsum(equal, axis=1) <= room)))
