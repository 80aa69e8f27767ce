"""The sums and the strongest links of rows of a similarity.

Rows come whole, or as tiles of some columns in any order; `survey_products` multiplies the tiles
itself. The kernel calls BLAS for the product, so a thread that multiplies a range of rows needs
the interpreter only once, before all of its tiles.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topofs._kernels.column_weights import ColumnWeights, finish_row, is_plain
from topofs._kernels.compiler import larger, njit
from topofs._kernels.matrix_scan import lane_sums, row_sums, sum_above
from topofs._kernels.top_lists import place_among, sort_links, strongest_first
from topofs.typing import Doubles, Floats, Ints

if TYPE_CHECKING:
    from topofs._kernels.top_lists import Ids, TopLists

# Entries that are skipped together if none of them is strong enough.
BLOCK = 32
# Room in lists of k: with more room for candidates, more of them are dropped at once.
ROOM = 3
# Steps of the bisection that approximates the k-th strongest link.
HALVINGS = 12
# Higher than any vertex.
NO_VERTEX = np.iinfo(np.int32).max
# Columns of a tile: with a few hundred rows, a tile stays in the cache until it is finished.
WIDTH = 1024


class Surveyed(NamedTuple):
    """The sums and the strongest links of m rows, from the entries added so far.

    The first ``length[r]`` of `weight` and `vertex`, shape (m, `ROOM` · k + `BLOCK`), are links
    that may be among the k strongest, in any order. `settle_lists` turns them into lists by
    falling weight, among equal weights the lowest vertex first. A link must have a weight above
    `least`, or the same weight and a vertex below `last`. `sums` + `rests` are the sums of the
    entries, of shape (0,) if no sums are computed. `above`, shape (n_cuts, m), are the sums of
    the entries above each cut.
    """

    k: int
    weight: Floats
    vertex: Ids
    length: Ints
    least: Floats
    last: Ids
    sums: Doubles
    rests: Doubles
    above: Doubles


@njit(cache=True, nogil=True)
def nothing_surveyed(m: int, k: int, n_totals: int, like: Floats) -> Surveyed:
    """Rows before their first entry, for entries of the type of `like`.

    `n_totals` is 0, or 1 and the number of cuts.
    """
    room = ROOM * k + BLOCK if k > 0 else 0
    n_sums = m if n_totals > 0 else 0
    return Surveyed(
        k,
        np.empty((m, room), like.dtype),
        np.empty((m, room), np.int32),
        np.zeros(m, np.int64),
        np.full(m, -np.inf, like.dtype),
        np.full(m, NO_VERTEX, np.int32),
        np.zeros(n_sums),
        np.zeros(n_sums),
        np.zeros((max(n_totals - 1, 0), n_sums)),
    )


def packed(surveyed: Surveyed) -> Surveyed:
    """The lists alone, without the room for candidates."""
    settle_lists(surveyed)
    k = surveyed.k
    return surveyed._replace(
        weight=surveyed.weight[:, :k].copy(), vertex=surveyed.vertex[:, :k].copy()
    )


def unpacked(lists: Surveyed) -> Surveyed:
    """An unpacked copy, to which entries can be added."""
    m, k = lists.weight.shape
    found = nothing_surveyed(m, k, 1 + len(lists.above), lists.weight)
    found.weight[:, :k], found.vertex[:, :k] = lists.weight, lists.vertex
    for name in ("length", "least", "last", "sums", "rests", "above"):
        getattr(found, name)[...] = getattr(lists, name)
    return found


def round_off_of(n: int) -> float:
    """3/2 of a power of two that no sum of n entries exceeds, none of which exceeds 1."""
    return 1.5 * 2.0 ** math.ceil(math.log2(n))


@njit(cache=True, nogil=True)
def add_tile(
    tile: Floats,
    first: int,
    rows: Ids,
    columns: Ids,
    level: float,
    cuts: Doubles,
    round_off: float,
    surveyed: Surveyed,
) -> None:
    """Add the entries of some rows, from the surveyed row `first` on, in some columns.

    Entries below `level` become 0; one of a vertex with itself is summed and not listed. `rows`
    and `columns` are the vertices of all surveyed rows and of the columns of the tile.
    `round_off` is 3/2 of a power of two that no sum of absolute entries exceeds; the same for
    all tiles. The result does not depend on the order of the tiles, but for the last bits of
    `rests` and `above`.
    """
    for r in range(tile.shape[0]):
        own = rows[first + r]
        add_row(tile[r], first + r, own, columns, level, cuts, round_off, surveyed)


@njit(cache=True, nogil=True)
def add_row(
    row: Floats,
    here: int,
    own: int,
    columns: Ids,
    level: float,
    cuts: Doubles,
    round_off: float,
    surveyed: Surveyed,
) -> None:
    """Add entries of one of the surveyed rows, which belongs to the vertex `own`."""
    if level > -np.inf:
        for u in range(len(row)):
            row[u] = row[u] if row[u] >= level else 0
    if len(surveyed.sums) > 0:
        total, rest = lane_sums(row, round_off)
        surveyed.sums[here] += total
        surveyed.rests[here] += rest
    for cut in range(len(cuts)):
        surveyed.above[cut, here] += sum_above(row, cuts[cut])
    if surveyed.k > 0:
        _add_links(row, columns, own, here, surveyed)


@njit(cache=True, nogil=True)
def add_triangle(
    block: Floats,
    rows: Ids,
    columns: Ids,
    diagonal: Floats,
    round_off: float,
    surveyed: Surveyed,
) -> None:
    """Add a block of the lower triangle to the rows of both of its sides.

    The last columns of the block are its rows. In the square that they share, entries below the
    diagonal are read; `diagonal` has its entries. Row v of `surveyed` belongs to vertex v. The
    blocks of a triangle may come in any order, one at a time.
    """
    n_rows, n_columns = block.shape
    others, no_cuts = n_columns - n_rows, np.empty(0)
    for r in range(n_rows):
        block[r, others + r] = diagonal[rows[r]]
        for s in range(r):
            block[s, others + r] = block[r, others + s]
    for r in range(n_rows):
        add_row(block[r], rows[r], rows[r], columns, -np.inf, no_cuts, round_off, surveyed)
    turned = block[:, :others].T.copy()
    for u in range(others):
        own = columns[u]
        add_row(turned[u], own, own, rows, -np.inf, no_cuts, round_off, surveyed)


@njit(cache=True, nogil=True)
def settle_lists(surveyed: Surveyed) -> None:
    """Keep the k strongest links of each row, sorted."""
    k, weight, vertex, length, least, last, _, _, _ = surveyed
    for here in range(len(length)):
        if length[here] > k:
            strongest_first(weight[here], vertex[here], length[here], k)
            length[here] = k
        sort_links(weight[here], vertex[here], length[here])
        if length[here] == k > 0:
            least[here], last[here] = weight[here, k - 1], vertex[here, k - 1]


@njit(cache=True, nogil=True)
def _add_links(row: Floats, columns: Ids, own: int, here: int, surveyed: Surveyed) -> None:
    """Append the entries of a row that are strong enough to the candidates."""
    k, weight, vertex, length, least, last, _, _, _ = surveyed
    waiting, ids, count = weight[here], vertex[here], length[here]
    lowest, latest = least[here], last[here]
    n = len(row)
    for start in range(0, n, BLOCK):
        end = min(start + BLOCK, n)
        largest = row[start]
        for j in range(1, end - start):
            largest = larger(row[np.uint64(start + j)], largest)
        if largest < lowest or (largest == lowest and columns[start:end].min() > latest):
            continue
        for p in range(start, end):
            entry, u = row[p], columns[p]
            # Write unconditionally and count conditionally: a branch would be mispredicted.
            waiting[count], ids[count] = entry, u
            strong = (entry > lowest) | ((entry == lowest) & (u < latest))
            count += np.int64(strong & (u != own))
        if count > ROOM * k:
            count, lowest = _drop_weak(waiting, ids, count, k)
            latest = NO_VERTEX
            if count > 2 * k:
                # Too many weights are equal: the vertices decide.
                strongest_first(waiting, ids, count, k)
                count, lowest, latest = k, waiting[k - 1], ids[k - 1]
    length[here], least[here], last[here] = count, lowest, latest


@njit(cache=True, nogil=True)
def _drop_weak(waiting: Floats, ids: Ids, count: int, k: int) -> tuple[int, float]:
    """Drop links below a weight that at least k links reach; give their number and the weight.

    Invariant of the bisection: at least k reach `low`, fewer than k reach `high`.
    """
    entries = waiting[:count]
    low, high = entries.min(), np.nextafter(entries.max(), entries.dtype.type(np.inf))
    reached, half = count, entries.dtype.type(0.5)
    for _ in range(HALVINGS):
        middle = low + (high - low) * half
        reaching = 0
        for p in range(count):
            reaching += entries[p] >= middle
        if reaching >= k:
            low, reached = middle, reaching
            if 4 * reaching <= 5 * k:
                break
        else:
            high = middle
    kept = np.int64(0)
    for p in range(count):
        entry, u = waiting[p], ids[p]
        waiting[kept], ids[kept] = entry, u
        kept += np.int64(entry >= low)
    return reached, low


@njit(cache=True, nogil=True)
def survey_products(
    left: ColumnWeights,
    right: ColumnWeights,
    columns: Ids,
    first: int,
    last: int,
    cuts: Doubles,
    round_off: float,
    diagonal: Floats,
    totals: Doubles,
    lists: TopLists,
) -> None:
    """Compute the sums and the strongest links of the rows first … last − 1 in some columns.

    `left` are all columns of the similarity, and entries below its level become 0; `right` are
    those that take part, and `columns`, ascending, says which they are. The `diagonal` is
    summed and not listed. `totals`, shape (1 + n_cuts, n), gets the sum of each row and those
    of its entries above each cut; with shape (0, n) no sums are taken. `round_off` is that of
    `add_tile`.
    """
    rows, among, level = left.values[first:last], right.values, left.level
    m, n = last - first, len(columns)
    found = nothing_surveyed(m, lists.weight.shape[1], len(totals), lists.weight)
    plain_rows = is_plain(left, first, last)
    flat = np.empty(m * min(WIDTH, n), among.dtype)
    room = np.empty(min(WIDTH, n), lists.weight.dtype)
    for start in range(0, n, WIDTH):
        stop = min(start + WIDTH, n)
        gram = flat[: m * (stop - start)].reshape(m, stop - start)
        np.dot(rows, among[start:stop].T, gram)
        plain = plain_rows and is_plain(right, start, stop)
        here = columns[start:stop]
        for r in range(m):
            v = first + r
            row = room[: stop - start]
            finish_row(gram[r], left, v, right, start, plain, row)
            if here[0] <= v <= here[-1]:
                own = place_among(here, v)
                if own >= 0:
                    row[own] = diagonal[v]
            add_row(row, r, v, here, level, cuts, round_off, found)
    for r in range(len(found.sums)):
        totals[0, first + r] = found.sums[r] + found.rests[r]
        for cut in range(len(found.above)):
            totals[1 + cut, first + r] = found.above[cut, r]
    if found.k > 0:
        settle_lists(found)
        for r in range(m):
            _write_list(found, r, first + r, columns, lists)


@njit(cache=True, nogil=True)
def _write_list(found: Surveyed, r: int, v: int, columns: Ids, lists: TopLists) -> None:
    """Write the sorted links of a row, and the bound of links outside its list."""
    weight, vertex, length, head, floor = lists
    count = found.length[r]
    for position in range(count):
        weight[v, position] = found.weight[r, position]
        vertex[v, position] = found.vertex[r, position]
    others = len(columns) - (place_among(columns, v) >= 0)
    length[v], head[v] = count, 0
    floor[v] = weight[v, count - 1] if count < others else -np.inf


@njit(cache=True, nogil=True)
def multiply_rows(
    left: ColumnWeights, right: ColumnWeights, first: int, last: int, block: Floats
) -> None:
    """Write entries of some columns with others into the columns first … last − 1 of a block.

    The others are a range, so that threads can share the work. The level is not applied.
    """
    rows, among = left.values, right.values
    m = len(rows)
    plain_rows = is_plain(left, 0, m)
    flat = np.empty(m * min(WIDTH, last - first), among.dtype)
    for start in range(first, last, WIDTH):
        stop = min(start + WIDTH, last)
        gram = flat[: m * (stop - start)].reshape(m, stop - start)
        np.dot(rows, among[start:stop].T, gram)
        plain = plain_rows and is_plain(right, start, stop)
        for r in range(m):
            finish_row(gram[r], left, r, right, start, plain, block[r, start:stop])


@njit(cache=True, nogil=True)
def survey_rows(block: Floats, first: int, sums: Doubles, lists: TopLists) -> None:
    """Compute the sums and the strongest links of the complete rows first … first + m − 1."""
    n_rows, n = block.shape
    row_sums(block, 0, n_rows, sums[first : first + n_rows])
    found = nothing_surveyed(1, lists.weight.shape[1], 0, block)
    everyone = np.arange(n).astype(np.int32)
    for r in range(n_rows):
        _fill_list(first + r, block[r], everyone, lists, found)


@njit(cache=True, nogil=True)
def list_rows(
    matrix: Floats, vertices: Ints, first: int, last: int, penalty: Floats, lists: TopLists
) -> None:
    """Fill the lists of the vertices at the places first … last − 1 from their rows of a matrix.

    The penalty, of shape (n,), is 0 for a free vertex and −∞ for a used one.
    """
    found = nothing_surveyed(1, lists.weight.shape[1], 0, matrix)
    free = np.flatnonzero(penalty == 0)
    columns = free.astype(np.int32)
    for place in range(first, last):
        v = vertices[place]
        if len(free) == len(matrix):
            _fill_list(v, matrix[v], columns, lists, found)
        else:
            _fill_list(v, matrix[v][free], columns, lists, found)


@njit(cache=True, nogil=True)
def refill_lists(
    block: Floats, vertices: Ints, columns: Ints, level: float, penalty: Floats, lists: TopLists
) -> None:
    """Fill the lists of some vertices from rows that hold some columns only.

    Row r of the block belongs to ``vertices[r]``; its entries below `level` become 0, also in
    the block. Columns ascend, and all free vertices, whose penalty is 0 and not −∞, are among
    them.
    """
    found = nothing_surveyed(1, lists.weight.shape[1], 0, block)
    free = np.flatnonzero(penalty[columns] == 0)
    free_columns = columns[free].astype(np.int32)
    for r in range(len(vertices)):
        row = block[r]
        for u in range(len(columns)):
            row[u] = row[u] if row[u] >= level else 0
        if len(free) == len(columns):
            _fill_list(vertices[r], row, free_columns, lists, found)
        else:
            _fill_list(vertices[r], row[free], free_columns, lists, found)


@njit(cache=True, nogil=True)
def _fill_list(v: int, row: Floats, columns: Ids, lists: TopLists, found: Surveyed) -> None:
    """Fill the list of v from its entries in free columns; `found` is a work array."""
    if found.k == 0:
        return
    found.length[0], found.least[0], found.last[0] = 0, -np.inf, NO_VERTEX
    _add_links(row, columns, v, 0, found)
    settle_lists(found)
    _write_list(found, 0, v, columns, lists)
