"""The greedy loop of the PMFG, and its left-right planarity test, on preallocated arrays.

Definition: a graph is planar iff, for a depth-first orientation, its back edges can be split
into a left and a right class such that no two back edges of one class cross [1]_. The test
sweeps the depth-first tree from the leaves up and keeps the constraints seen so far as a
stack of *conflict pairs*: two intervals of back edges that must lie on opposite sides.

Array layout (all int32; ``-1`` means "none"). Edge ``e`` is the two half-edges ``2e`` and
``2e + 1``, one in each direction, so ``h ^ 1`` is the reverse of ``h`` and ``h >> 1`` its edge.

=========== ===================== =========================================================
array       shape                 columns
=========== ===================== =========================================================
``node``    (n_nodes, 5)          HEAD (first half-edge leaving the node), HEIGHT in the tree,
                                  PARENT (half-edge that leads into the node), CURSOR (next
                                  half-edge to look at), FIRST (first outgoing half-edge)
``half``    (2 max_edges, 2)      TARGET, NEXT (next half-edge leaving the same node)
``edge``    (max_edges, 5)        LOWPT, LOWPT2 (heights), NEXT_OUT (next half-edge in the
                                  bucket, later in the list of outgoing ones), REF (next lower
                                  edge in the same interval), BOTTOM (depth of the stack
                                  before the edge was swept)
``pairs``   (max_edges, 4)        the stack: LEFT_LOW, LEFT_HIGH, RIGHT_LOW, RIGHT_HIGH (edges)
``buckets`` (2 n_nodes,)          first half-edge of each nesting depth; all -1 between calls
=========== ===================== =========================================================

The graph itself is HEAD and ``half``; everything else is scratch that a test may overwrite.

References
----------
.. [1] U. Brandes, "The left-right planarity test", manuscript, University of Konstanz (2009);
   after H. de Fraysseix, P. Ossona de Mendez and P. Rosenstiehl, "Trémaux trees and
   planarity", International Journal of Foundations of Computer Science 17 (2006) 1017-1029.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topofs._kernels.compiler import njit
from topofs.typing import Ints

Ids = npt.NDArray[np.int32]

# Columns of the arrays, as above.
HEAD, HEIGHT, PARENT, CURSOR, FIRST = 0, 1, 2, 3, 4
TARGET, NEXT = 0, 1
LOWPT, LOWPT2, NEXT_OUT, REF, BOTTOM = 0, 1, 2, 3, 4
LEFT_LOW, LEFT_HIGH, RIGHT_LOW, RIGHT_HIGH = 0, 1, 2, 3
NONE = -1


@njit(cache=True, nogil=True)
def component_is_planar(
    root: int, node: Ids, half: Ids, edge: Ids, pairs: Ids, buckets: Ids
) -> bool:
    """Tell whether the component of `root` is planar, in O(n), without allocation."""
    for v in range(len(node)):
        node[v, HEIGHT] = NONE
    _orient(root, node, half, edge, buckets)
    return bool(_sweep(root, node, half, edge, pairs))


@njit(cache=True, nogil=True)
def planarity_arrays(n_nodes: int, max_edges: int) -> tuple[Ids, Ids, Ids, Ids, Ids]:
    """The arrays node, half, edge, pairs and buckets of a graph without edges; all hold ``-1``."""
    node = np.full((n_nodes, 5), NONE, np.int32)
    half = np.full((2 * max_edges, 2), NONE, np.int32)
    edge = np.full((max_edges, 5), NONE, np.int32)
    pairs = np.full((max_edges, 4), NONE, np.int32)
    buckets = np.full(2 * n_nodes, NONE, np.int32)
    return node, half, edge, pairs, buckets


@njit(cache=True, nogil=True)
def add_edge(e: int, i: int, j: int, node: Ids, half: Ids) -> None:
    """Join nodes `i` and `j` by an edge, at the front of their lists; `e` is not in use."""
    half[2 * e, TARGET], half[2 * e, NEXT] = j, node[i, HEAD]
    half[2 * e + 1, TARGET], half[2 * e + 1, NEXT] = i, node[j, HEAD]
    node[i, HEAD], node[j, HEAD] = 2 * e, 2 * e + 1


@njit(cache=True, nogil=True)
def remove_edge(e: int, node: Ids, half: Ids) -> None:
    """Undo the latest `add_edge`, in place: `e` was added last of those still there."""
    i, j = half[2 * e + 1, TARGET], half[2 * e, TARGET]
    node[i, HEAD], node[j, HEAD] = half[2 * e, NEXT], half[2 * e + 1, NEXT]


@njit(cache=True, nogil=True)
def _orient(root: int, node: Ids, half: Ids, edge: Ids, buckets: Ids) -> None:
    """Orient the component of `root` depth first and list outgoing half-edges by nesting.

    On entry HEIGHT is -1 throughout the component. On return it is the height in the tree;
    LOWPT and LOWPT2 are the two lowest distinct heights that return edges of each edge reach
    (the height of its source if none); FIRST and NEXT_OUT list the half-edges that leave each
    node in the order of nesting depth, ``2 LOWPT``, plus one where LOWPT2 is a second return.

    Invariant: the nodes on the path from `root` to `v` are exactly those entered and not yet
    left, so an edge to a lower node that is not the parent edge is a back edge, and one to a
    higher node has been met already from its other end.
    """
    v, highest = root, 0
    node[v, HEIGHT], node[v, PARENT] = 0, NONE
    node[v, CURSOR], node[v, FIRST] = node[v, HEAD], NONE
    while True:
        h = node[v, CURSOR]
        if h == NONE:
            h = node[v, PARENT]
            if h == NONE:
                break
            v = half[h ^ 1, TARGET]
            _close(h, v, node, edge, buckets)
            continue
        node[v, CURSOR] = half[h, NEXT]
        w = half[h, TARGET]
        height = node[v, HEIGHT]
        e = h >> 1
        if node[w, HEIGHT] == NONE:
            edge[e, LOWPT], edge[e, LOWPT2] = height, height
            node[w, HEIGHT], node[w, PARENT] = height + 1, h
            highest = max(highest, height + 1)
            node[w, CURSOR], node[w, FIRST] = node[w, HEAD], NONE
            v = w
        elif node[w, HEIGHT] < height and h != node[v, PARENT] ^ 1:
            edge[e, LOWPT], edge[e, LOWPT2] = node[w, HEIGHT], height
            _close(h, v, node, edge, buckets)
    # From the deepest bucket that can be in use down, each half-edge to the front: the lists
    # come out shallowest first.
    for depth in range(2 * highest - 2, -1, -1):
        h = buckets[depth]
        buckets[depth] = NONE
        while h != NONE:
            following = edge[h >> 1, NEXT_OUT]
            source = half[h ^ 1, TARGET]
            edge[h >> 1, NEXT_OUT] = node[source, FIRST]
            node[source, FIRST] = h
            h = following


@njit(cache=True, nogil=True)
def _close(h: int, v: int, node: Ids, edge: Ids, buckets: Ids) -> None:
    """Put `h`, which leaves `v` and is explored, into its bucket; pass its low points up."""
    e = h >> 1
    low, low2 = edge[e, LOWPT], edge[e, LOWPT2]
    depth = 2 * low
    if low2 < node[v, HEIGHT]:
        depth += 1
    edge[e, NEXT_OUT] = buckets[depth]
    buckets[depth] = h
    if node[v, PARENT] == NONE:
        return
    p = node[v, PARENT] >> 1
    if low < edge[p, LOWPT]:
        edge[p, LOWPT2] = min(edge[p, LOWPT], low2)
        edge[p, LOWPT] = low
    elif low > edge[p, LOWPT]:
        edge[p, LOWPT2] = min(edge[p, LOWPT2], low)
    else:
        edge[p, LOWPT2] = min(edge[p, LOWPT2], low2)


@njit(cache=True, nogil=True)
def _sweep(root: int, node: Ids, half: Ids, edge: Ids, pairs: Ids) -> bool:
    """Sweep the oriented component of `root`; False as soon as two constraints contradict.

    Invariant: whenever node `v` is current, ``pairs[:top]`` holds the back edges that leave
    the finished part of the tree and end strictly below the last node left, grouped into
    pairs of intervals that must lie on opposite sides, and lower ends lie lower in the stack.
    Each interval is a chain through REF from its high edge to its low one.
    """
    top = 0
    v = root
    node[v, CURSOR] = node[v, FIRST]
    while True:
        h = node[v, CURSOR]
        if h == NONE:
            h = node[v, PARENT]
            if h == NONE:
                return True
            v = half[h ^ 1, TARGET]
            top = _drop_edges_to(node[v, HEIGHT], top, edge, pairs)
        else:
            w = half[h, TARGET]
            edge[h >> 1, BOTTOM] = top
            if node[w, PARENT] == h:
                v = w
                node[v, CURSOR] = node[v, FIRST]
                continue
            e = h >> 1
            edge[e, REF] = NONE
            pairs[top, LEFT_LOW] = pairs[top, LEFT_HIGH] = NONE
            pairs[top, RIGHT_LOW] = pairs[top, RIGHT_HIGH] = e
            top += 1
        # The half-edge h that leaves v is finished: reconcile it with those before it.
        e = h >> 1
        node[v, CURSOR] = edge[e, NEXT_OUT]
        if h != node[v, FIRST] and edge[e, LOWPT] < node[v, HEIGHT]:
            top = _constrain(e, node[v, PARENT] >> 1, top, edge, pairs)
            if top == NONE:
                return False


@njit(cache=True, nogil=True)
def _constrain(e: int, parent: int, top: int, edge: Ids, pairs: Ids) -> int:
    """Join the return edges of `e` and those of its earlier siblings that must avoid them.

    All return edges of `e` that end above the low point of `parent` go to one side; those of
    earlier siblings that end above the low point of `e` go to the other. Return edges of `e`
    that end at the low point of `parent` bind nothing further and are dropped. Returns the
    new depth of the stack, or -1 where some interval would have to be on both sides.
    """
    left_low = left_high = right_low = right_high = NONE
    while top > edge[e, BOTTOM]:
        top -= 1
        low, high = pairs[top, RIGHT_LOW], pairs[top, RIGHT_HIGH]
        if pairs[top, LEFT_LOW] != NONE:
            if low != NONE:
                return NONE
            low, high = pairs[top, LEFT_LOW], pairs[top, LEFT_HIGH]
        if edge[low, LOWPT] > edge[parent, LOWPT]:
            if right_low == NONE:
                right_high = high
            else:
                edge[right_low, REF] = high
            right_low = low
    bound = edge[e, LOWPT]
    while top > 0:
        left, right = pairs[top - 1, LEFT_HIGH], pairs[top - 1, RIGHT_HIGH]
        left_conflicts = left != NONE and edge[left, LOWPT] > bound
        right_conflicts = right != NONE and edge[right, LOWPT] > bound
        if not left_conflicts and not right_conflicts:
            break
        if left_conflicts and right_conflicts:
            return NONE
        top -= 1
        if right_conflicts:
            _swap_sides(top, pairs)
        # Now the left interval conflicts with e and the right one goes along with it.
        if pairs[top, RIGHT_LOW] != NONE:
            edge[right_low, REF] = pairs[top, RIGHT_HIGH]
            right_low = pairs[top, RIGHT_LOW]
        if left_low == NONE:
            left_high = pairs[top, LEFT_HIGH]
        else:
            edge[left_low, REF] = pairs[top, LEFT_HIGH]
        left_low = pairs[top, LEFT_LOW]
    if left_low != NONE or right_low != NONE:
        pairs[top, LEFT_LOW], pairs[top, LEFT_HIGH] = left_low, left_high
        pairs[top, RIGHT_LOW], pairs[top, RIGHT_HIGH] = right_low, right_high
        top += 1
    return top


@njit(cache=True, nogil=True)
def _swap_sides(position: int, pairs: Ids) -> None:
    """Exchange the left and the right interval of one conflict pair, in place."""
    low, high = pairs[position, LEFT_LOW], pairs[position, LEFT_HIGH]
    pairs[position, LEFT_LOW] = pairs[position, RIGHT_LOW]
    pairs[position, LEFT_HIGH] = pairs[position, RIGHT_HIGH]
    pairs[position, RIGHT_LOW], pairs[position, RIGHT_HIGH] = low, high


@njit(cache=True, nogil=True)
def _drop_edges_to(height: int, top: int, edge: Ids, pairs: Ids) -> int:
    """Remove the back edges that end at `height`, the node to which the sweep returns.

    They are the highest on the stack: whole pairs at its top, then the high ends of the two
    intervals of one more pair. Returns the new depth of the stack.
    """
    while top > 0:
        left, right = pairs[top - 1, LEFT_LOW], pairs[top - 1, RIGHT_LOW]
        if left != NONE and edge[left, LOWPT] != height:
            break
        if right != NONE and edge[right, LOWPT] != height:
            break
        top -= 1
    if top > 0:
        for low, high in ((LEFT_LOW, LEFT_HIGH), (RIGHT_LOW, RIGHT_HIGH)):
            e = pairs[top - 1, high]
            while e != NONE and edge[e, LOWPT] == height:
                e = edge[e, REF]
            pairs[top - 1, high] = e
            if e == NONE:
                pairs[top - 1, low] = NONE
    return top


@njit(cache=True, nogil=True)
def planar_filter(n_nodes: int, candidates: Ints) -> Ints:
    """Take each candidate edge, in the order given, that keeps the graph planar.

    The result is the rows that were taken, ascending. If every pair of three or more nodes is a
    candidate there are 3 n_nodes − 6. Invariant: the graph of the accepted edges is planar, and
    no rejected edge could be added to it (a planar graph stays planar when edges are taken
    away, so an edge once rejected need not be tried again). Hence only the component of the new
    edge is tested, an edge between two components needs no test, and the loop ends at the edge
    count of a triangulation. O(n_nodes) time a candidate, O(n_nodes) memory.
    """
    most = n_nodes * (n_nodes - 1) // 2 if n_nodes < 3 else 3 * n_nodes - 6
    node, half, edge, pairs, buckets = planarity_arrays(n_nodes, most)
    # Edge number e of the graph is candidate accepted[e]; a union-find forest of its components.
    accepted = np.empty(most, np.int64)
    component = np.arange(n_nodes)
    n_accepted = 0
    for row in range(len(candidates)):
        if n_accepted == most:
            break
        i, j = candidates[row, 0], candidates[row, 1]
        root, other = _representative(i, component), _representative(j, component)
        add_edge(n_accepted, i, j, node, half)
        if root != other:
            component[max(root, other)] = min(root, other)
        elif not component_is_planar(i, node, half, edge, pairs, buckets):
            remove_edge(n_accepted, node, half)
            continue
        accepted[n_accepted] = row
        n_accepted += 1
    return accepted[:n_accepted]


@njit(cache=True, nogil=True)
def _representative(v: int, component: Ints) -> int:
    """Root of the union-find tree of `v`; halves the path on the way."""
    while component[v] != v:
        component[v] = component[component[v]]
        v = component[v]
    return v
