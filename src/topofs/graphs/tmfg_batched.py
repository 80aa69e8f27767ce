"""The TMFG of a similarity whose strongest links somebody finds who is asked in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from topofs._kernels.exact_entries import best_among, best_by_columns, write_bounds
from topofs._kernels.tmfg_batched import (
    NO_LIMIT,
    empty_answers,
    grow_batched,
    select_queries,
    settled_answer,
    stale_among,
    write_answers,
)

if TYPE_CHECKING:
    from topofs._kernels.column_weights import ColumnWeights
    from topofs._kernels.tmfg_lists import Growth
    from topofs._kernels.top_lists import TopLists
    from topofs.graphs.products import BatchProducts

__all__ = ["grow_in_batches"]

IntArray = npt.NDArray[np.int64]

# Vertices that are kept for a face.
_ANSWERS = 8
# Faces that are asked for at once; as many are looked at, the highest of the heap's first.
_FACES = 768
_PLACES = 4 * _FACES
# Lists that are asked for at once.
_LISTS_AT_ONCE = 4096


def grow_in_batches(
    products: BatchProducts, growth: Growth, lists: TopLists, level: float
) -> None:
    """Let a graph grow to its end, asking for what its lists do not decide."""
    n, progress = products.n_features, products.progress
    asking = _Asking(products, growth, lists, level)
    while not grow_batched(asking.weights, growth, lists, asking.answers, asking.slack):
        asking.ask()
        if progress is not None:
            progress(2 * n - growth.n_free, 2 * n)
    if progress is not None:
        progress(2 * n, 2 * n)


class _Asking:
    """A growth, what was answered so far, and who is asked."""

    def __init__(
        self, products: BatchProducts, growth: Growth, lists: TopLists, level: float
    ) -> None:
        self.products, self.growth, self.lists, self.level = products, growth, lists, level
        self.weights: ColumnWeights = products.column_weights(level)
        # Sums of three, each of which is rounded twice; no weight exceeds 1.
        rounded = 8 * float(np.finfo(products.dtype).eps)
        self.slack = 3 * (products.slack + rounded) if products.slack else 0.0
        self.n_slots = len(growth.vertex)
        self.answers = empty_answers(self.n_slots, _ANSWERS)
        self.seen = np.zeros(products.n_features, dtype=np.bool_)
        self.n_asked = 0
        self.step = 1
        # How many vertices were free when all lists were filled.
        self.n_filled = products.n_features
        products.leave_out(growth.cliques[0])

    def ask(self) -> None:
        """Ask for the face on top and for others that will be wanted soon."""
        growth = self.growth
        step = int(growth.counters[0].step)
        self.products.leave_out(growth.cliques[self.step : step, 0])
        self.step = step
        self.n_asked += 1
        faces, corners = select_queries(
            growth,
            self.lists,
            self.answers,
            *self._first_slots(),
            _FACES,
            self.n_asked,
            self.seen,
        )
        said = self.products.best_of_faces(corners, _ANSWERS, self.level)
        write_answers(faces, *said, np.full(len(faces), -1, dtype=np.int32), self.answers)
        self._fill_lists(self._stale(corners[faces < self.n_slots]))
        self._settle_top()

    def _fill_lists(self, vertices: IntArray) -> None:
        """Fill lists again from the free vertices."""
        length = self.lists.weight.shape[1]
        for first in range(0, len(vertices), _LISTS_AT_ONCE):
            some = vertices[first : first + _LISTS_AT_ONCE]
            links = self.products.strongest_links(some, length, self.level)
            write_bounds(some, *links, self.lists)

    def _stale(self, corners: IntArray) -> IntArray:
        """Those of some corners whose lists are used up by half, or those of all vertices.

        All of them are looked at whenever half of the free vertices are gone, and the lists of
        most with them: to fill many at once costs less than to be asked for a few many times.
        """
        growth, vertices = self.growth, np.unique(corners)
        if growth.uses_lists and 2 * growth.n_free <= self.n_filled:
            vertices, self.n_filled = np.arange(self.products.n_features), growth.n_free
        return vertices[stale_among(vertices, self.lists, growth.penalty)]

    def _first_slots(self) -> tuple[IntArray, npt.NDArray[Any]]:
        """The slot on top of the heap, then others with large keys, largest first."""
        growth = self.growth
        first = min(int(growth.counters[0].n_faces), _PLACES)
        slots, keys = growth.heap[:first], growth.key[:first]
        if first > _FACES:
            high = np.flatnonzero(keys >= np.partition(keys, -_FACES)[-_FACES])
            slots, keys = slots[high], keys[high]
        order = np.lexsort((slots, -keys))[:_FACES]
        return slots[order], keys[order]

    def _settle_top(self) -> None:
        """Ask again if others may be as good as the best of the face on top."""
        growth, answers, top = self.growth, self.answers, int(self.growth.heap[0])
        corners, penalty = growth.corner[top], growth.penalty
        if settled_answer(self.weights, corners, top, answers, penalty)[0] >= 0:
            return
        best = best_among(
            self.weights, corners, answers.vertex[top, : answers.length[top]], penalty
        )
        proposed, counts = self.products.as_good(
            corners[None], np.array([best]), _ANSWERS, self.level
        )
        if counts[0] <= _ANSWERS:
            limit = NO_LIMIT
        elif self.products.rounding.exact:
            limit = int(proposed.max())
        else:
            proposed[0, 0], best = best_by_columns(self.weights, corners, penalty)
            proposed[0, 1:], limit = -1, int(proposed[0, 0])
        # Whoever is left out is worse, or lies behind those that are as good.
        write_answers(
            np.array([top]),
            proposed,
            np.full(proposed.shape, np.inf),
            np.array([best], dtype=np.float64),
            np.array([limit], dtype=np.int32),
            answers,
        )
