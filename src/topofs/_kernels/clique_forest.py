"""The growth of a clique forest on a dense matrix."""

from __future__ import annotations

import numpy as np

from topofs._kernels.compiler import njit
from topofs.typing import Doubles, Floats, Ints


@njit(cache=True, nogil=True)
def grow_clique_forest(
    similarity: Floats, max_clique: int, floor: float
) -> tuple[Ints, Ints, Ints]:
    """Insert nodes one by one, each into the clique with the largest sum of links to it.

    Links that do not exceed the floor and the diagonal are ignored. The result is the cliques,
    shape (n_cliques, max_clique), padded with -1, the separator first and then members in the
    order of insertion; the size of each clique's separator; and the nodes in the order of
    insertion.

    Invariant: ``gain[v]`` is the best gain of a free node v in any clique so far, and
    ``clique_of[v]`` the oldest clique with that gain. Cliques only grow, so a new or grown
    clique is compared once with each free node: O(n² k²) time for cliques of k, O(nk) memory.
    A grown clique is worse for a node only through links below 0, if the floor admits them; the
    node is then compared with all cliques again. The strongest link of a node without a link to
    any clique leads to another free node, so the strongest links of all nodes are computed
    once.
    """
    n = similarity.shape[0]
    cliques = np.full((n, max_clique), -1, np.int64)
    size = np.zeros(n, np.int64)
    joined = np.zeros(n, np.int64)
    order = np.empty(n, np.int64)
    free = np.ones(n, np.bool_)
    gain = np.full(n, -np.inf)
    clique_of = np.full(n, -1, np.int64)
    separator = np.empty(max_clique, np.int64)
    strongest, partner = _strongest_links(similarity, floor)
    n_cliques, n_placed = 0, 0
    while n_placed < n:
        v = -1
        for u in range(n):
            if free[u] and clique_of[u] >= 0 and (v < 0 or gain[u] > gain[v]):
                v = u
        if v >= 0:
            c = clique_of[v]
            n_joined = _choose(similarity, v, cliques[c], size[c], floor, separator)[0]
            if n_joined < size[c] or size[c] == max_clique:
                c = n_cliques
                n_cliques += 1
                joined[c] = n_joined
                for k in range(n_joined):
                    cliques[c, k] = separator[k]
                size[c] = n_joined
        else:
            for u in range(n):
                if free[u] and (v < 0 or strongest[u] > strongest[v]):
                    v = u
            c = n_cliques
            n_cliques += 1
        cliques[c, size[c]] = v
        size[c] += 1
        order[n_placed] = v
        n_placed += 1
        free[v] = False
        if size[c] == 1 and partner[v] >= 0:
            # Both ends of the strongest link enter together.
            u = partner[v]
            cliques[c, 1] = u
            size[c] = 2
            order[n_placed] = u
            n_placed += 1
            free[u] = False
        for u in range(n):
            if not free[u]:
                continue
            found, total = _choose(similarity, u, cliques[c], size[c], floor, separator)
            if clique_of[u] == c and total < gain[u]:
                # A link below 0 lowers the gain: another clique may be best now.
                clique_of[u] = -1
                for other in range(n_cliques):
                    found, total = _choose(
                        similarity, u, cliques[other], size[other], floor, separator
                    )
                    if found > 0 and (clique_of[u] < 0 or total > gain[u]):
                        gain[u] = total
                        clique_of[u] = other
                continue
            better = total > gain[u] or (total == gain[u] and c < clique_of[u])
            if found > 0 and (clique_of[u] < 0 or better):
                gain[u] = total
                clique_of[u] = c
    return cliques[:n_cliques], joined[:n_cliques], order


@njit(cache=True, nogil=True)
def _strongest_links(similarity: Floats, floor: float) -> tuple[Doubles, Ints]:
    """The strongest link of each node above the floor and its lowest other end, or -1."""
    n = similarity.shape[0]
    strongest = np.full(n, -np.inf)
    partner = np.full(n, -1, np.int64)
    for v in range(n):
        for u in range(n):
            weight = similarity[v, u]
            if u != v and weight > floor and (partner[v] < 0 or weight > strongest[v]):
                strongest[v] = weight
                partner[v] = u
    return strongest, partner


@njit(cache=True, nogil=True)
def _choose(
    similarity: Floats, v: int, members: Ints, n_members: int, floor: float, chosen: Ints
) -> tuple[int, float]:
    """The strongest links of `v` above the floor to a clique, one fewer than may be in it.

    The members are written into `chosen`, strongest first, among equal links the lower member
    first. Returns their number and the sum of the links.
    """
    most = members.shape[0] - 1
    found = 0
    for k in range(n_members):
        u = members[k]
        weight = similarity[u, v]
        if not weight > floor:
            continue
        place = found
        while place > 0:
            other = similarity[chosen[place - 1], v]
            if other > weight or (other == weight and chosen[place - 1] < u):
                break
            chosen[place] = chosen[place - 1]
            place -= 1
        chosen[place] = u
        found += 1
    found = min(found, most)
    total = 0.0
    for k in range(found):
        total += similarity[chosen[k], v]
    return found, total
