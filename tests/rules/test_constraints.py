"""Constraints: what may be selected together, and what a budget pays for."""

import numpy as np
import pytest
from scipy import sparse

from tests.naive.constraints import best_within_budget
from topofs import Centrality, FilteredGraph, Network
from topofs.constraints import Constraints
from topofs.rules.coverage import MatrixCoverage
from topofs.rules.greedy import greedy_ranking

pytestmark = pytest.mark.usefixtures("both_ways")


def random_shares(rng, n):
    # Dyadic, so that sums are exact and equal gains are equal.
    values = rng.choice([0.0, 0.0, 0.25, 0.5, 0.75, 1.0], size=(n, n))
    shares = np.tril(values, -1)
    return shares + shares.T + np.eye(n)


def constraints_of(rng, n):
    """Random constraints that do not contradict each other, for both sides."""
    nodes = rng.permutation(n)
    forced = np.sort(nodes[: rng.integers(0, 3)])
    excluded = np.sort(nodes[len(forced) : len(forced) + rng.integers(0, n // 3)])
    group = rng.integers(-1, 3, size=n)
    group[forced] = -1
    most = int(rng.integers(1, 3))
    alike = rng.random((n, n)) < 0.15
    alike = alike | alike.T
    np.fill_diagonal(alike, False)
    alike[np.ix_(forced, forced)] = False
    return forced, excluded, group, most, alike


@pytest.mark.needs_jit
def test_no_constraint_is_broken():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        n = int(rng.integers(3, 13))
        shares = random_shares(rng, n)
        forced, excluded, group, most, alike = constraints_of(rng, n)
        constraints = Constraints(
            n, forced, excluded, group, np.full(3, most), sparse.csr_array(alike.astype(float))
        )
        ranking = greedy_ranking(MatrixCoverage(shares), constraints)
        taken = ranking.order[: ranking.n_selectable]
        assert not set(taken) & set(excluded)
        assert set(forced) <= set(taken)
        for number in range(3):
            assert (group[taken] == number).sum() <= most
        assert not alike[np.ix_(taken, taken)].any()


@pytest.mark.needs_jit
def test_budgets_against_brute_force():
    rng = np.random.default_rng(1)
    ratios = []
    for _ in range(300):
        n = int(rng.integers(2, 15))
        shares = rng.random((n, n)) ** 3
        shares = np.maximum(shares, shares.T)
        np.fill_diagonal(shares, 1.0)
        cost = rng.integers(1, 10, size=n).astype(float)
        budget = float(rng.integers(cost.min(), cost.sum() + 1))
        nothing = np.empty(0, dtype=np.int64)
        constraints = Constraints(n, nothing, nothing, cost=cost, budget=budget)
        ranking = greedy_ranking(MatrixCoverage(shares), constraints)
        taken = ranking.order[: ranking.n_selectable]
        assert cost[taken].sum() <= budget
        covered = shares[taken].max(axis=0).sum()
        ratios.append(covered / best_within_budget(shares, cost, budget))
    assert min(ratios) >= (1 - 1 / np.e) / 2
    assert np.mean(ratios) >= 0.97


def test_a_centrality_keeps_to_the_constraints():
    graph = FilteredGraph(5, [[0, 1], [0, 2], [0, 3], [1, 2], [3, 4]], np.ones(5))
    constraints = Constraints(
        5,
        np.array([4]),
        np.array([1]),
        group=np.array([0, -1, 0, -1, -1]),
        room=np.array([1]),
    )
    ranking = Centrality("degree").rank(Network(5, graph), constraints)
    assert ranking.order.tolist() == [4, 0, 3, 1, 2]
    assert ranking.n_selectable == 3
