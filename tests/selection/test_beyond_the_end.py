"""Beyond the automatic end an order that serves: never worse than random lists on average."""

import itertools

import numpy as np
import pytest

from tests.random_lists import KINDS, mean_of_random_lists, table_of
from topofs import Coverage, TopologicalFeatureSelector

N_SEEDS = 19


def whole_weights(selector):
    """The share of each column that each one explains on its own."""
    model = selector._ranking.coverage_model
    n = len(selector.nodes_)
    return np.array([model.representatives(np.array([node]))[1] for node in range(n)])


def test_the_mean_of_random_lists_is_that_of_all_lists():
    values = np.random.default_rng(0).random((7, 7))
    shares = np.maximum(values, values.T)
    np.fill_diagonal(shares, 1)
    found = mean_of_random_lists(shares)
    for k in range(1, 8):
        lists = itertools.combinations(range(7), k)
        expected = np.mean([shares[list(some)].max(axis=0).mean() for some in lists])
        assert found[k - 1] == pytest.approx(expected)


def test_second_columns_of_groups_do_not_push_out_unrelated_ones():
    rng = np.random.default_rng(0)
    groups = [rng.normal(size=(300, 1)) + 0.2 * rng.normal(size=(300, 8)) for _ in range(3)]
    X = np.column_stack([*groups, rng.normal(size=(300, 10))])
    selector = TopologicalFeatureSelector().fit(X)
    assert selector.n_features_ == 3
    thirteen = selector.at(13)
    assert thirteen.shares_.mean() >= 0.9
    assert thirteen.shares_.mean() >= thirteen.random_lists().mean + 0.1
    last = TopologicalFeatureSelector(13, rule=Coverage(isolated="last")).fit(X)
    assert last.shares_.mean() < 0.75
    np.testing.assert_array_equal(last.at("auto").support_, selector.support_)


@pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_no_size_is_worse_than_random_lists_on_average(kind):
    """More than three hundred tables in all; nearly all of the sizes are beyond the end."""
    assert len(KINDS) * N_SEEDS >= 300
    for seed in range(N_SEEDS):
        X = table_of(kind, seed)
        for isolated in ("drop", "keep"):
            rule = Coverage(isolated=isolated)
            selector = TopologicalFeatureSelector(1, rule=rule, min_carriers=0).fit(X)
            mean = mean_of_random_lists(whole_weights(selector))
            worse = np.flatnonzero(selector.coverage_ < mean - 1e-9) + 1
            assert not len(worse), (seed, isolated, worse)
