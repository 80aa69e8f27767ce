"""The TMFG by its definition: every face looks at every free vertex at every step."""

from itertools import combinations

import numpy as np


def naive_tmfg(similarity):
    """Return the cliques in insertion order and the set of edges."""
    w = np.asarray(similarity)
    n = len(w)
    if n < 4:
        return None, set(combinations(range(n), 2))
    mean = w.sum() / n**2
    strength = [sum(w[i, j] for j in range(n) if w[i, j] > mean) for i in range(n)]
    a, b, c, d = sorted(range(n), key=lambda i: (-strength[i], i))[:4]
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
