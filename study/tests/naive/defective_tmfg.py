"""The TMFG of the paper's program, step by step: a used vertex gains 0 and stays in."""

import numpy as np


def naive_defective_cliques(weights, start):
    """Cliques in the order of insertion; `weights` has a zero diagonal."""
    n_nodes = len(weights)
    used = list(start)
    a, b, c, d = start
    faces = [(a, b, c), (a, b, d), (a, c, d), (b, c, d)]
    cliques = [tuple(start)]
    for _ in range(n_nodes - 4):
        best = []
        for x, y, z in faces:
            gains = (weights[x] + weights[y]) + weights[z]
            gains[used] = 0.0
            best.append((gains.max(), int(np.argmax(gains))))
        slot = int(np.argmax([gain for gain, _ in best]))
        vertex = best[slot][1]
        x, y, z = faces[slot]
        cliques.append((vertex, x, y, z))
        used.append(vertex)
        faces[slot] = (x, y, vertex)
        faces += [(x, z, vertex), (y, z, vertex)]
    return np.array(cliques)
