"""The TMFG by its definition: every face looks at every free vertex at every step."""

from itertools import combinations
from math import fsum

import numpy as np


def naive_tmfg(similarity):
    """Return the cliques in insertion order and the set of edges."""
    w = np.asarray(similarity)
    n = len(w)
    if n < 4:
        return None, set(combinations(range(n), 2))
    mean = fsum(float(x) for x in w.ravel()) / n**2

    def strength(i):
        """The sum above the mean, then the sums of all weights, their squares and cubes."""
        row = [float(x) for x in w[i]]
        above = [float(x) for x in w[i] if x > mean]
        return [fsum(above), fsum(row), fsum(x * x for x in row), fsum(x * x * x for x in row)]

    a, b, c, d = sorted(range(n), key=lambda i: ([-x for x in strength(i)], i))[:4]
    faces = [(a, b, c), (a, b, d), (a, c, d), (b, c, d)]
    cliques = [(a, b, c, d)]
    edges = set(combinations(sorted((a, b, c, d)), 2))
    free = set(range(n)) - {a, b, c, d}
    while free:
        candidates = (
            ((w[a, u] + w[b, u]) + w[c, u], -slot, -u)
            for slot, (a, b, c) in enumerate(faces)
            for u in free
        )
        _, slot, u = max(candidates)
        slot, u = -slot, -u
        a, b, c = faces[slot]
        cliques.append((u, a, b, c))
        edges |= {tuple(sorted((u, corner))) for corner in (a, b, c)}
        faces[slot] = (a, b, u)
        faces += [(a, c, u), (b, c, u)]
        free.remove(u)
    return np.array(cliques), edges
