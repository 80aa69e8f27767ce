"""Groups at every size, against the representatives of the selector cut at that size."""

from itertools import pairwise

import numpy as np
import pytest

from tests.coverage_settings import BY_COVERAGE
from tests.matrices import factor_table
from topofs import Links, TopologicalFeatureSelector, pearson

pytestmark = pytest.mark.usefixtures("both_ways")


def copies():
    """Columns of few values, some of them copies: many ties."""
    rng = np.random.default_rng(4)
    base = rng.integers(0, 2, size=(40, 8)).astype(float)
    return np.column_stack([base, base[:, :4], -base[:, :3], rng.normal(size=(40, 4))])


def chain():
    """Each column much like the one before it: long ways."""
    rng = np.random.default_rng(1)
    return np.cumsum(rng.normal(size=(80, 40)), axis=1)[:, 5:]


def fitted(X, size=5, **parameters):
    selector = TopologicalFeatureSelector(size, **parameters).fit(X)
    order = np.argsort(selector.ranking_)
    return (
        selector,
        order,
        selector._ranking.coverage_model.running(order, selector._ranking.exact),
    )


def at(groups, order, node, k):
    """Representative of a node and its share at size k, as a page reads them."""
    if node in order[:k]:
        return node, 1.0
    part = slice(groups.starts[node], groups.starts[node + 1])
    last = np.searchsorted(groups.positions[part], k) - 1
    if last < 0:
        return -1, 0.0
    return order[groups.positions[part][last]], groups.values[part][last]


def way(groups, order, node, k):
    """Nodes between a node and its representative at size k."""
    found = []
    while True:
        first = groups.starts[node]
        last = np.searchsorted(groups.positions[first : groups.starts[node + 1]], k) - 1
        node = groups.through[first + last]
        if node < 0:
            return found
        found.append(node)


@pytest.mark.parametrize("way", BY_COVERAGE)
@pytest.mark.parametrize(
    "X",
    [factor_table(60, 40), factor_table(15, 30, seed=5), copies(), chain()],
    ids=["factors", "few rows", "copies", "chain"],
)
@pytest.mark.parametrize("keep", [None, [7, 2]])
def test_every_size_gives_the_representatives_of_the_selector(way, X, keep):
    # Beyond the size asked for, lists that are cut decide: ask for all.
    size = X.shape[1] if way == "few links" else 5
    selector, order, groups = fitted(X, size, keep=keep, **BY_COVERAGE[way])
    if keep is not None:
        assert sorted(order[:2]) == sorted(keep)
    for k in range(2, len(order) + 1):
        cut = selector.at(k)
        found = [at(groups, order, node, k) for node in range(len(order))]
        np.testing.assert_array_equal([by for by, _ in found], cut.representative_)
        np.testing.assert_array_equal([share for _, share in found], cut.shares_)
        assert groups.curve[k] == pytest.approx(cut.shares_.mean(), abs=1e-9)
    np.testing.assert_allclose(groups.curve[1:], selector.coverage_, atol=1e-9)


def test_the_way_to_a_representative_multiplies_to_its_share():
    selector, order, groups = fitted(chain(), 3, graph="tmfg")
    weights = {}
    model = selector._ranking.coverage_model
    for node in range(len(order)):
        row = slice(model.starts[node], model.starts[node + 1])
        for other, weight in zip(model.columns[row], model.weights[row], strict=True):
            weights[node, other] = weight
    longest = 0
    for k in (1, 3, 8):
        for node in range(len(order)):
            by, share = at(groups, order, node, k)
            if by in (-1, node):
                continue
            path = [node, *way(groups, order, node, k), by]
            longest = max(longest, len(path))
            assert share == pytest.approx(np.prod([weights[p] for p in pairwise(path)]))
    assert longest > 3


def test_no_links_at_all():
    X = np.random.default_rng(0).normal(size=(20, 6))
    with pytest.warns(UserWarning, match="nothing to choose by"):
        _, _, groups = fitted(X, "auto")
    assert len(groups.positions) == 0
    np.testing.assert_allclose(groups.curve, np.arange(7) / 6)


def test_links_are_counted():
    X = factor_table(60, 30)
    for way in ("paths", "edges", "links"):
        selector, _, groups = fitted(X, **BY_COVERAGE[way])
        assert 0 < groups.n_links <= selector.graph_.n_edges
    matrix = pearson(X, squared=True)
    _, _, groups = fitted(matrix, similarity="precomputed", graph=Links(strongest=None))
    assert groups.n_links is None
