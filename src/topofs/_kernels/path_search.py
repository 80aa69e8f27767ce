"""Search along paths of a sparse graph: nodes that an origin covers better, and bounds.

The search gives the nearest origin of each node, for a fixed or a growing set of origins, and
the best path between two nodes. `cumulative_max` does the same for a growing set of columns of
a matrix. The lazy greedy loops use a binary heap of nodes by falling gain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from topofs._kernels.compiler import njit
from topofs._kernels.numpy_or_numba import UNIT
from topofs.typing import Doubles, Floats, Ints

# A search bounds the gains of the nodes that it reaches with at least this product.
NEAR = 0.65
# Far more than the rounding error of a product along a path or of a sum of products.
SLACK = 1e-9


@njit(cache=True, nogil=True)
def units(share: float) -> int:
    """A share as a whole number of units; differences of shares are then exact, too."""
    return int(np.rint(share * UNIT))


@njit(cache=True, nogil=True)
def heapify(heap: Ints, key: Floats, tie_rank: Ints) -> None:
    """Put nodes in heap order, in place; of equal keys the lowest rank comes first."""
    for position in range(len(heap) // 2 - 1, -1, -1):
        sift_down(heap, len(heap), key, position, tie_rank)


@njit(cache=True, nogil=True)
def sift_down(heap: Ints, size: int, key: Floats, position: int, tie_rank: Ints) -> None:
    """Move the node at a position of ``heap[:size]`` down until no child comes before it."""
    while True:
        first = position
        for child in (2 * position + 1, 2 * position + 2):
            if child < size:
                u, v = heap[child], heap[first]
                if key[u] > key[v] or (key[u] == key[v] and tie_rank[u] < tie_rank[v]):
                    first = child
        if first == position:
            return
        heap[position], heap[first] = heap[first], heap[position]
        position = first


@njit(cache=True, nogil=True)
def no_covering(n: int) -> Any:
    """Initial coverage of each node, its origin, and the node before it: none."""
    return np.zeros(n, np.float64), np.full(n, -1, np.int64), np.full(n, -1, np.int64)


@njit(cache=True, nogil=True)
def work_space(n: int, n_entries: int) -> Any:
    """Work arrays of all searches: reached, product, state, queued products and nodes.

    Every entry of the graph is queued at most once in a search, beside the origin.
    """
    return (
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        np.zeros(n, np.int8),
        np.empty(n_entries + 1, np.float64),
        np.empty(n_entries + 1, np.int64),
    )


@njit(cache=True, nogil=True)
def search(origin: int, graph: Any, least: float, covering: Any, work: Any) -> tuple[int, int]:
    """Find the nodes that an origin covers better; give the total gain and their number.

    Dijkstra's search with products. It stops at a node that another origin covers better, or
    equally well with a lower number. A path through such a node has a product of `least` or
    more there. The other origin has at least the same product, so it covers all nodes behind
    this node at least as well. The search starts from the origin even if a copy of the origin
    covers it, because its single edges below `least` count. If no representative is stored
    (-1), an equal product is not an improvement.

    At the end ``reached[:n_reached]`` lists the nodes, the origin first. ``product`` holds
    their coverage. ``before`` holds, for each node except the origin, the previous node of its
    path. The total is in units. ``covered`` and ``representative`` are only read.

    Layout: ``queue_product[:size]`` and ``queue_node[:size]`` are a binary heap, the largest
    product first. ``state`` is 0 for a node not reached, 1 for one in the queue, 2 for one that
    is done; all are 0 again at the end. Invariant: the product of a done node is final.
    """
    starts, columns, weights = graph
    covered, representative, before = covering
    reached, product, state, queue_product, queue_node = work
    total = 0
    reached[0] = origin
    n_reached = 1
    product[origin] = 1.0
    state[origin] = 1
    queue_product[0], queue_node[0] = 1.0, origin
    size = 1
    while size > 0:
        here, u = queue_product[0], queue_node[0]
        size -= 1
        _drop_first(queue_product, queue_node, size)
        if state[u] == 2:
            continue
        state[u] = 2
        total += units(here) - units(covered[u])
        for position in range(starts[u], starts[u + 1]):
            v = columns[position]
            there = here * weights[position]
            if state[v] == 2 or there < covered[v] or (there < least and u != origin):
                continue
            if there == covered[v] and representative[v] < origin:
                continue
            if state[v] == 0:
                reached[n_reached] = v
                n_reached += 1
                state[v] = 1
            elif there <= product[v]:
                continue
            product[v], before[v] = there, u
            _insert(queue_product, queue_node, size, there, v)
            size += 1
    for position in range(n_reached):
        state[reached[position]] = 0
    return total, n_reached


@njit(cache=True, nogil=True)
def path_bounds(graph: Any, least: float, covering: Any, work: Any) -> Ints:
    """Bound the gain of every node, in units, while nothing is covered, with few searches.

    Let q be the product from a searched node v to a node i. Whatever i reaches by a product p,
    v reaches by q·p or more. So i reaches by `least` or more only nodes that v reaches by
    q·least, and each by no more than 1 and no more than 1/q of what v does. The single edges of
    i below `least` are added. A search starts from each node that no earlier search reached
    with q >= NEAR.
    """
    starts, _, weights = graph
    reached, product = work[0], work[1]
    n = len(starts) - 1
    bound = np.full(n, -1, np.int64)
    for v in range(n):
        if bound[v] >= 0:
            continue
        n_reached = search(v, graph, least * NEAR, covering, work)[1]
        products = np.sort(product[reached[:n_reached]])
        sums = np.zeros(n_reached + 1, np.float64)
        sums[1:] = np.cumsum(products)
        for i in reached[:n_reached]:
            q = product[i] * (1 - SLACK)
            if q < NEAR * (1 - SLACK) and i != v:
                continue
            low, high = np.searchsorted(products, least * q), np.searchsorted(products, q)
            most = n_reached - high + (sums[high] - sums[low]) / q
            for position in range(starts[i], starts[i + 1]):
                if weights[position] < least:
                    most += weights[position]
            units = int(most * (1 + SLACK) * UNIT) + n_reached + 1
            if bound[i] < 0 or units < bound[i]:
                bound[i] = units
    return bound


@njit(cache=True, nogil=True)
def _insert(
    queue_product: Doubles, queue_node: Ints, size: int, product: float, v: int
) -> None:
    """Add an entry to a queue of `size` entries."""
    position = size
    while position > 0:
        parent = (position - 1) // 2
        if queue_product[parent] >= product:
            break
        queue_product[position] = queue_product[parent]
        queue_node[position] = queue_node[parent]
        position = parent
    queue_product[position] = product
    queue_node[position] = v


@njit(cache=True, nogil=True)
def _drop_first(queue_product: Doubles, queue_node: Ints, size: int) -> None:
    """Take the first entry off a queue; `size` entries stay, the last of them at `size`."""
    product, v = queue_product[size], queue_node[size]
    position = 0
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        if child + 1 < size and queue_product[child + 1] > queue_product[child]:
            child += 1
        if queue_product[child] <= product:
            break
        queue_product[position] = queue_product[child]
        queue_node[position] = queue_node[child]
        position = child
    queue_product[position] = product
    queue_node[position] = v


@njit(cache=True, nogil=True)
def nearest_nodes(
    starts: Ints, columns: Ints, weights: Doubles, least: float, origins: Ints
) -> tuple[Ints, Doubles]:
    """Find the origin with the largest product of weights to each node, and that product.

    The graph is that of `topofs._kernels.coverage.PathGraph`. If two origins are equally near,
    the lower one is given. If no path counts, the result is -1 and 0.
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = work_space(n, len(columns))
    covering = no_covering(n)
    covered, representative, _ = covering
    for origin in origins:
        n_reached = search(origin, graph, least, covering, work)[1]
        reached, product = work[0], work[1]
        for position in range(n_reached):
            covered[reached[position]] = product[reached[position]]
            representative[reached[position]] = origin
    return representative, covered


@njit(cache=True, nogil=True)
def best_path(
    starts: Ints, columns: Ints, weights: Doubles, least: float, origin: int, node: int
) -> Ints:
    """List the nodes on the path with the largest product of weights, without its ends.

    The list goes from the node to the origin. It is empty if a direct edge is as good.
    """
    n = len(starts) - 1
    covering = no_covering(n)
    search(origin, (starts, columns, weights), least, covering, work_space(n, len(columns)))
    before = covering[2]
    path = np.empty(n, np.int64)
    length = 0
    while node != origin and before[node] != origin:
        node = before[node]
        path[length] = node
        length += 1
    return path[:length].copy()


@njit(cache=True, nogil=True)
def running_nodes(
    starts: Ints, columns: Ints, weights: Doubles, least: float, order: Ints
) -> tuple[Ints, Ints, Doubles, Ints, Doubles]:
    """List the changes of the best origin of each node as nodes become origins in an order.

    The graph is that of `topofs._kernels.coverage.PathGraph`. Each change gives the node, which
    is never the origin itself; the position of its new origin in `order`; the product of
    weights along the best path; and the last node of this path before the node. The last array
    is the sum of the best products over the nodes, after each position.

    Invariant: after position p, ``covered[v]`` is the largest product from one of
    ``order[: p + 1]`` to v, and ``representative[v]`` the lowest of those that reach it. A
    search stops at nodes that are covered better, or equally well by a lower origin, because
    the same then holds for the nodes behind them (see `topofs._kernels.path_search.search`). So
    the node before v on its path has the same representative as v.
    """
    n = len(starts) - 1
    graph = (starts, columns, weights)
    work = work_space(n, len(columns))
    covering = no_covering(n)
    covered, representative, before = covering
    curve = np.empty(n, np.float64)
    found = (np.empty(4 * n + 4, np.int64), np.empty(4 * n + 4, np.int64),
             np.empty(4 * n + 4, np.float64), np.empty(4 * n + 4, np.int64))  # fmt: skip
    total, sum_covered = 0, 0.0
    for position in range(n):
        origin = order[position]
        n_reached = search(origin, graph, least, covering, work)[1]
        reached, product = work[0], work[1]
        if total + n_reached > len(found[0]):
            found = (doubled(found[0]), doubled(found[1]), doubled(found[2]), doubled(found[3]))
        for at in range(n_reached):
            v = reached[at]
            if v == origin and covered[v] >= 1.0 and representative[v] < origin:
                continue  # a copy represents it already, and by the way that is known
            sum_covered += product[v] - covered[v]
            covered[v], representative[v] = product[v], origin
            if v != origin:
                found[0][total], found[1][total] = v, position
                found[2][total], found[3][total] = product[v], before[v]
                total += 1
        curve[position] = sum_covered
    return found[0][:total], found[1][:total], found[2][:total], found[3][:total], curve


@njit(cache=True, nogil=True)
def cumulative_max(block: Floats, order: Ints, first_row: int) -> tuple[Ints, Ints, Doubles]:
    """List the changes of the best entry of each row as columns are added one by one.

    Row r of the block belongs to node ``first_row + r``, which is never its own best. The result is
    the number of changes in each row; the positions in `order` at which the best changes, row
    by row, ascending in a row; and the best from there on. Invariant: after position p,
    ``best`` is the largest entry among ``order[: p + 1]`` but the node itself, and ``holder``
    the lowest column that has it.
    """
    n_rows, n = block.shape
    counts = np.zeros(n_rows, np.int64)
    positions = np.empty(16 * n_rows + 16, np.int64)
    values = np.empty(16 * n_rows + 16, np.float64)
    total = 0
    for row in range(n_rows):
        best, holder = -np.inf, n
        for position in range(n):
            column = order[position]
            entry = block[row, column]
            if column == first_row + row or entry < best:
                continue
            if entry > best or column < holder:
                if total == positions.shape[0]:
                    positions = doubled(positions)
                    values = doubled(values)
                best, holder = entry, column
                positions[total] = position
                values[total] = entry
                total += 1
                counts[row] += 1
    return counts, positions[:total].copy(), values[:total].copy()


@njit(cache=True, nogil=True)
def add_cumulative_max(block: Floats, order: Ints, curve: Doubles) -> None:
    """Add to ``curve[p]`` the sum over the rows of their best entry among ``order[: p + 1]``.

    The diagonal counts.
    """
    n_rows, n = block.shape
    for row in range(n_rows):
        best = -np.inf
        for position in range(n):
            entry = np.float64(block[row, order[position]])
            best = max(best, entry)
            curve[position] += best


@njit(cache=True, nogil=True)
def doubled(array: Any) -> Any:
    """Copy an array into one of twice its length."""
    longer = np.empty(2 * array.shape[0], array.dtype)
    longer[: array.shape[0]] = array
    return longer
