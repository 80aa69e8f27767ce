"""Slow twins of the centralities: numpy only, nothing from topofs."""

import numpy as np


def infinite_path_scores(similarity, thetas):
    """Inf-FS as its formula reads: a dense spectrum, then a dense inverse for each theta."""
    similarity = np.asarray(similarity, dtype=np.float64)
    identity = np.eye(len(similarity))
    radius = np.abs(np.linalg.eigvalsh(similarity)).max()
    if radius == 0:
        return np.zeros((len(thetas), len(similarity)))
    return np.array(
        [
            (np.linalg.inv(identity - theta / radius * similarity) - identity).sum(axis=0)
            for theta in thetas
        ]
    )


def pagerank_scores(adjacency, damping):
    """Dense solution of the linear system that defines PageRank."""
    adjacency = np.asarray(adjacency, dtype=np.float64)
    n_nodes = len(adjacency)
    degrees = adjacency.sum(axis=0)
    followed = np.where(degrees > 0, adjacency / np.maximum(degrees, 1), 1 / n_nodes)
    jumps = np.full(n_nodes, (1 - damping) / n_nodes)
    return np.linalg.solve(np.eye(n_nodes) - damping * followed, jumps)


def eigenvector_scores(adjacency):
    """Vector of ones projected on the dense eigenspace of the largest eigenvalue."""
    values, vectors = np.linalg.eigh(np.asarray(adjacency, dtype=np.float64))
    top = vectors[:, values >= values[-1] - 1e-9]
    projected = top @ top.sum(axis=0)
    return projected / np.linalg.norm(projected)
