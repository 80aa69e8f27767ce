"""The TMFG of a similarity whose strongest links somebody finds who is asked in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from topofs.kernels.asked_growth import (
    Children,
    grow_asking,
    keep_children,
    stale_among,
    what_to_ask,
)
from topofs.kernels.exact_entries import best_by_columns, write_lists
from topofs.kernels.face_answers import (
    NO_LIMIT,
    FaceAnswers,
    copy_answers,
    empty_answers,
    without_answer,
    write_answers,
)
from topofs.row_threads import for_row_ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from topofs.filtering.products import AskedProducts
    from topofs.kernels.column_weights import ColumnWeights
    from topofs.kernels.tmfg import Growth
    from topofs.kernels.top_lists import TopLists

__all__ = ["fill_lists", "grow_by_asking"]

IntArray = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]
Doubles = npt.NDArray[np.float64]

# Vertices that are kept for a face, and how many of them are asked for at first.
_ANSWERS = 16
_BEST = 8
# Faces that are asked for at once, and among how many of the heap's first they are chosen.
_FACES = 768
_FIRST_SLOTS = 8 * _FACES


def grow_by_asking(
    products: AskedProducts,
    growth: Growth,
    lists: TopLists,
    level: float,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Let a graph grow to its end, asking for what its lists do not decide.

    Parameters
    ----------
    products : AskedProducts
        Who is asked.
    growth : Growth
        The graph; changed.
    lists : TopLists
        The strongest links of all vertices, in the host's arithmetic; changed.
    level : float
        Entries below it are 0.
    progress : callable, optional
        Called with the number of vertices that are in the graph, and of all.
    """
    asking = _Asking(products, growth, lists, level)
    n = products.n_features
    while not asking.grow():
        asking.ask()
        if progress is not None:
            progress(n - growth.n_free, n)
    if progress is not None:
        progress(n, n)


class _Asking:
    """A growth, what was answered so far, and who is asked."""

    def __init__(
        self, products: AskedProducts, growth: Growth, lists: TopLists, level: float
    ) -> None:
        self.products, self.growth, self.lists, self.level = products, growth, lists, level
        self.weights: ColumnWeights = products.column_weights(level)
        n_slots, dtype = len(growth.key), products.dtype
        self.answers = empty_answers(n_slots, _ANSWERS, dtype)
        room = max(1, min(4 * _FACES, n_slots))
        self.children = Children(
            place=np.full(n_slots, -1, dtype=np.int32),
            slot=np.full(room, -1, dtype=np.int64),
            vertex=np.full(room, -1, dtype=np.int64),
            answers=empty_answers(3 * room, _ANSWERS, dtype),
        )
        self.next_place = 0
        self.step = 1
        products.leave_out(growth.cliques[0])

    def grow(self) -> bool:
        return bool(
            grow_asking(self.weights, self.growth, self.lists, self.answers, self.children)
        )

    def ask(self) -> None:
        """Ask for the face on top and for others that will be wanted soon."""
        growth = self.growth
        step = int(growth.counters[0].step)
        self.products.leave_out(growth.cliques[self.step : step, 0])
        self.step = step
        slots, parents = what_to_ask(
            growth, self.lists, self.answers, self.children, self._first_slots(), _FACES
        )
        corners = np.concatenate([growth.corner[slots], self._corners_of_children(parents)])
        vertices = np.unique(corners)
        stale = vertices[stale_among(vertices, self.lists, growth.penalty)]
        said = self._answer(corners, stale)
        copy_answers(said, 0, slots, self.answers)
        places = (self.next_place + np.arange(len(parents))) % len(self.children.slot)
        keep_children(parents, places, self.children)
        kept = (3 * places[:, None] + np.arange(3)).ravel()
        copy_answers(said, len(slots), kept, self.children.answers)
        self.next_place = (self.next_place + len(parents)) % len(self.children.slot)

    def _first_slots(self) -> IntArray:
        """The slot on top of the heap, then others with large keys, largest first."""
        growth = self.growth
        slots = growth.heap[: min(int(growth.counters[0].n_faces), _FIRST_SLOTS)]
        return slots[np.argsort(-growth.key[slots], kind="stable")] if len(slots) else slots

    def _corners_of_children(self, parents: IntArray) -> IntArray:
        a, b, c = self.growth.corner[parents[:, 0]].T
        v = parents[:, 1]
        faces = np.array([[a, b, v], [a, c, v], [b, c, v]])
        return faces.transpose(2, 0, 1).reshape(-1, 3)

    def _answer(self, corners: IntArray, stale: IntArray) -> FaceAnswers:
        """Ask for faces and for lists; what is proposed is put in order here."""
        faces, links = self.products.ask(
            corners, _BEST, stale, self.lists.weight.shape[1], self.level
        )
        if len(stale):
            fill_lists(self.weights, stale, *links, self.lists)
        said = empty_answers(len(corners), _ANSWERS, self.products.dtype)
        self._write(corners, *faces, np.full(len(corners), -1, dtype=np.int32), said)
        self._settle_ties(corners, said)
        return said

    def _write(
        self, corners: IntArray, proposed: Ids, floors: Doubles, limits: Ids, said: FaceAnswers
    ) -> None:
        def write_part(i: int, j: int) -> None:
            write_answers(self.weights, corners, proposed, floors, limits, i, j, said)

        n_entries = 3 * proposed.shape[1] * self.products.n_samples
        for_row_ranges(write_part, len(corners), n_entries)

    def _settle_ties(self, corners: IntArray, said: FaceAnswers) -> None:
        """Ask again where others may be as good as the best, or better by rounding."""
        undecided = without_answer(said, self.growth.penalty)
        if not len(undecided):
            return
        best = np.where(said.length > 0, said.gain[:, 0], -np.inf)[undecided]
        best = best.astype(np.float64)
        proposed, counts = self.products.as_good(corners[undecided], best, _ANSWERS, self.level)
        complete = counts <= _ANSWERS
        # Whoever is left out is worse, or lies behind those that are as good.
        last = np.where(complete, NO_LIMIT, proposed.max(axis=1)).astype(np.int32)
        certain = np.flatnonzero(complete | self.products.rounding.exact)
        again = empty_answers(len(certain), _ANSWERS, self.products.dtype)
        undecided, proposed = undecided[certain], proposed[certain]
        self._write(corners[undecided], proposed, best[certain], last[certain], again)
        copy_answers(again, 0, undecided, said)
        if 0 in without_answer(said, self.growth.penalty)[:1]:
            # The face on top cannot wait.
            self._scan_top(corners[0], said)

    def _scan_top(self, corners: IntArray, said: FaceAnswers) -> None:
        """Answer the face on top by products with all free columns."""
        vertex, gain = best_by_columns(self.weights, corners, self.growth.penalty)
        said.vertex[0, 0], said.gain[0, 0] = vertex, gain
        said.length[0], said.head[0] = 1, 0
        said.floor[0], said.limit[0] = gain, vertex


def fill_lists(
    weights: ColumnWeights, vertices: IntArray, proposed: Ids, floors: Doubles, lists: TopLists
) -> None:
    """Make lists of proposed vertices, in several threads."""

    def write_part(i: int, j: int) -> None:
        write_lists(weights, vertices, proposed, floors, i, j, lists)

    for_row_ranges(write_part, len(vertices), proposed.shape[1] * weights.values.shape[1])
