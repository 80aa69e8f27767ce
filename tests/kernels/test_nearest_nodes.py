"""The best origin of each node while origins are added, against all paths."""

import numpy as np
import pytest
from scipy import sparse

from tests.naive.coverage import naive_path_weights
from topofs._kernels.path_search import nearest_nodes, running_nodes


def random_edges(n, *, seed, values):
    rng = np.random.default_rng(seed)
    edges = np.triu(rng.choice(values, size=(n, n)) * (rng.random((n, n)) < 0.25), 1)
    return edges + edges.T


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("values", [np.linspace(0.05, 0.99, 40), [0.5, 1.0], [0.2, 0.7, 1.0]])
@pytest.mark.parametrize("least", [0.5, 2.0])
def test_every_step_against_all_paths(seed, values, least):
    n = 14
    edges = random_edges(n, seed=seed, values=values)
    expected = naive_path_weights(edges, least) if least < 1 else edges + np.eye(n)
    rows = sparse.csr_array(edges)
    graph = (rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data, least)
    order = np.random.default_rng(seed).permutation(n)
    nodes, positions, products, before, curve = running_nodes(*graph, order)
    for k in range(1, n + 1):
        origins = np.sort(order[:k])
        assert curve[k - 1] == pytest.approx(expected[origins].max(axis=0).sum())
        if least < 1:
            covered = nearest_nodes(*graph, origins)[1]
            np.testing.assert_allclose(covered, expected[origins].max(axis=0))
        for node in np.setdiff1d(np.arange(n), origins):
            changes = np.flatnonzero((nodes == node) & (positions < k))
            best = expected[origins, node].max()
            assert (products[changes[-1]] if len(changes) else 0) == pytest.approx(best)
            if not len(changes):
                continue
            assert edges[node, before[changes[-1]]] > 0
            representative = order[positions[changes[-1]]]
            # Of origins that reach it equally well, the lowest.
            equally_well = np.isclose(expected[origins, node], best, rtol=1e-12)
            assert representative == origins[equally_well][0]
