"""Coverage along paths: the way from a column to its representative."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from topofs import Coverage, TopologicalFeatureSelector
from topofs.similarity.noise_floor import correct_bias

pytestmark = pytest.mark.usefixtures("both_ways")


def test_the_path_to_the_representative_is_a_path_of_the_graph():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.normal(size=(500, 30)) * 0.25, axis=1) + rng.normal(size=(500, 1))
    X = pd.DataFrame(walk, columns=[f"t{i}" for i in range(30)])
    selector = TopologicalFeatureSelector(1, graph="tmfg").fit(X)
    graph = selector.graph_
    weights = {}
    for (i, j), w in zip(graph.edges.tolist(), graph.weights, strict=True):
        weights[i, j] = weights[j, i] = correct_bias(w, 500)
    longest = 0
    for column in range(30):
        found = selector.explain(column).representation
        if found.representative in (None, f"t{column}"):
            continue
        stops = [f"t{column}", *found.path, found.representative]
        nodes = [int(name[1:]) for name in stops]
        product = np.prod([weights[pair] for pair in pairwise(nodes)])
        assert product == pytest.approx(found.share)
        longest = max(longest, len(found.path))
        if found.path:
            assert "by way of" in str(selector.explain(column))
    assert longest >= 1


def test_ties_of_weight_one_make_no_path_go_round():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(4, 9))
        A = np.triu(rng.choice([0.0, 0.25, 0.5, 1.0], size=(n, n)), 1)
        A = A + A.T + np.eye(n)
        selector = TopologicalFeatureSelector(
            int(rng.integers(1, 3)), similarity="precomputed", threshold=None, graph="tmfg"
        ).fit(A)
        for column in range(n):
            found = selector.explain(column).representation
            if found.representative in (None, f"x{column}"):
                continue
            stops = [f"x{column}", *found.path, found.representative]
            assert len(set(stops)) == len(stops)
            nodes = [int(name[1:]) for name in stops]
            assert np.prod([A[pair] for pair in pairwise(nodes)]) == found.share


def test_the_shortest_of_equal_ways_is_told():
    A = [[1, 0.25, 0, 1], [0.25, 1, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]]
    selector = TopologicalFeatureSelector(
        1,
        similarity="precomputed",
        threshold=None,
        graph="tmfg",
        rule=Coverage(ties="index"),
    ).fit(A)
    assert selector.explain(1).representation.path == ("x3",)
    assert selector.explain(3).representation.path == ()
