"""The TMFG of a similarity whose strongest links somebody finds who is asked in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import numpy.typing as npt

from topofs.kernels.asked_growth import grow_asking, stale_among, what_to_ask
from topofs.kernels.exact_entries import best_among, best_by_columns, write_lists
from topofs.kernels.face_answers import (
    NO_LIMIT,
    empty_answers,
    settled_answer,
    write_answers,
)
from topofs.kernels.top_lists import empty_lists
from topofs.row_threads import for_each, thread_beside

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from topofs.filtering.products import AskedProducts
    from topofs.kernels.column_weights import ColumnWeights
    from topofs.kernels.tmfg import Growth
    from topofs.kernels.top_lists import TopLists

__all__ = ["fill_lists", "grow_by_asking"]

IntArray = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]
Doubles = npt.NDArray[np.float64]

# Vertices that are kept for a face.
_ANSWERS = 8
# Faces that are asked for at once; as many are looked at, the highest of the heap's first.
_FACES = 768
_PLACES = 4 * _FACES
# Lists that are worth a task, and lists that are written at once.
_LISTS_A_TASK = 8
_LISTS_AT_ONCE = 4096


def grow_by_asking(
    products: AskedProducts, growth: Growth, lists: TopLists, level: float
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
    """
    n, progress = products.n_features, products.progress
    with thread_beside() as beside:
        asking = _Asking(products, growth, lists, level, beside)
        while not asking.grow():
            asking.ask()
            if progress is not None:
                progress(2 * n - growth.n_free, 2 * n)
    if progress is not None:
        progress(2 * n, 2 * n)


class _Asking:
    """A growth, what was answered so far, and who is asked."""

    def __init__(
        self,
        products: AskedProducts,
        growth: Growth,
        lists: TopLists,
        level: float,
        beside: ThreadPoolExecutor,
    ) -> None:
        self.products, self.growth, self.lists, self.level = products, growth, lists, level
        self.weights: ColumnWeights = products.column_weights(level)
        self.beside = beside
        # Lists that are written while the graph grows from the old ones.
        self.writing: tuple[Future[None], IntArray, TopLists] | None = None
        self.in_writing = np.zeros(products.n_features, dtype=np.bool_)
        self.n_slots = len(growth.vertex)
        self.answers = empty_answers(self.n_slots, _ANSWERS)
        self.seen = np.zeros(products.n_features, dtype=np.bool_)
        self.n_asked = 0
        self.step = 1
        # How many vertices were free when all lists were filled.
        self.n_filled = products.n_features
        products.leave_out(growth.cliques[0])

    def grow(self) -> bool:
        """Insert vertices until the face on top must be asked for; True in the end."""
        return bool(grow_asking(self.weights, self.growth, self.lists, self.answers))

    def ask(self) -> None:
        """Ask for the face on top and for others that will be wanted soon."""
        growth = self.growth
        step = int(growth.counters[0].step)
        self.products.leave_out(growth.cliques[self.step : step, 0])
        self.step = step
        self.n_asked += 1
        faces, corners = what_to_ask(
            growth,
            self.lists,
            self.answers,
            *self._first_slots(),
            _FACES,
            self.n_asked,
            self.seen,
            self.in_writing,
        )
        stale = self._stale(corners[faces < self.n_slots])
        self._write_many(stale[:-_LISTS_AT_ONCE])
        stale = stale[-_LISTS_AT_ONCE:]
        said, links = self._ask_for(corners, stale)
        write_answers(faces, *said, np.full(len(faces), -1, dtype=np.int32), self.answers)
        # The lists of the last time were written beside the growth and beside this question.
        self._take_lists()
        if len(stale):
            self._write_lists(stale, *links)
        self._settle_top()

    def _ask_for(
        self, corners: IntArray, vertices: IntArray
    ) -> tuple[tuple[Ids, Doubles, Doubles], tuple[Ids, Doubles]]:
        """The best free vertices of faces, and the strongest free links of vertices."""
        length = self.lists.weight.shape[1]
        return self.products.ask(corners, _ANSWERS, vertices, length, self.level)

    def _write_many(self, vertices: IntArray) -> None:
        """Write lists in their places, some of them while others are asked for."""
        job: Future[None] | None = None
        for first in range(0, len(vertices), _LISTS_AT_ONCE):
            some = vertices[first : first + _LISTS_AT_ONCE]
            _, links = self._ask_for(np.empty((0, 3), dtype=np.int64), some)
            if job is not None:
                job.result()
            job = self.beside.submit(fill_lists, self.weights, some, *links, self.lists)
            if numba.get_num_threads() == 1:
                # One thread after the other.
                job.result()
        if job is not None:
            job.result()

    def _write_lists(self, vertices: IntArray, proposed: Ids, floors: Doubles) -> None:
        """Make lists of what was proposed while the graph grows from the old ones."""
        like, places = self.lists.weight, np.arange(len(vertices))
        room = empty_lists(len(vertices), like.shape[1], like.dtype)
        job = self.beside.submit(
            fill_lists, self.weights, vertices, proposed, floors, room, places
        )
        self.writing = job, vertices, room
        self.in_writing[vertices] = True
        if numba.get_num_threads() == 1:
            # One thread after the other.
            self._take_lists()

    def _take_lists(self) -> None:
        """Put the lists that were written beside the growth into their places."""
        if self.writing is None:
            return
        job, vertices, room = self.writing
        job.result()
        lists = self.lists
        lists.weight[vertices], lists.vertex[vertices] = room.weight, room.vertex
        lists.length[vertices], lists.head[vertices] = room.length, room.head
        lists.floor[vertices] = room.floor
        self.in_writing[vertices] = False
        self.writing = None

    def _stale(self, corners: IntArray) -> IntArray:
        """Those of some corners whose lists are used up by half, or those of all vertices.

        All of them are looked at whenever half of the free vertices are gone, and the lists of
        most with them: to fill many at once costs less than to be asked for a few many times.
        """
        growth, vertices = self.growth, np.unique(corners)
        if growth.uses_lists and 2 * growth.n_free <= self.n_filled:
            vertices, self.n_filled = np.arange(self.products.n_features), growth.n_free
        return vertices[stale_among(vertices, self.lists, growth.penalty, self.in_writing)]

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


def fill_lists(
    weights: ColumnWeights,
    vertices: IntArray,
    proposed: Ids,
    floors: Doubles,
    lists: TopLists,
    places: IntArray | None = None,
) -> None:
    """Make lists of proposed vertices, in several threads: their own, or those of places."""
    places = vertices if places is None else places
    parts = min(2 * numba.get_num_threads(), -(-len(vertices) // _LISTS_A_TASK))
    cuts = np.linspace(0, len(vertices), parts + 1).astype(np.int64)

    def write_part(part: int) -> None:
        first, last = cuts[part], cuts[part + 1]
        write_lists(weights, vertices, proposed, floors, first, last, places, lists)

    for_each(write_part, range(parts))
