"""Demanded columns: at least so many of each group, against brute force and the definition."""

from itertools import product

import numpy as np
import pytest

from topofs import (
    AtLeast,
    AtMost,
    Budget,
    Coverage,
    MinShare,
    TopologicalFeatureSelector,
    UntilCoverage,
)
from topofs.constraints import Constraints
from topofs.errors import ConstantFeatureWarning
from topofs.network import NodeWeights
from topofs.rules.coverage import MatrixCoverage
from topofs.rules.greedy import demanded_nodes, greedy_ranking

pytestmark = pytest.mark.usefixtures("both_ways")


def instance(seed):
    """Shares, the arguments of constraints, and a number of nodes, of three groups."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    shares = rng.random((n, n)) ** 3
    shares = np.maximum(shares, shares.T)
    np.fill_diagonal(shares, 1.0)
    group = rng.integers(-1, 3, size=n)
    nodes = rng.permutation(n)
    forced = np.sort(nodes[: rng.integers(0, 2)])
    excluded = np.sort(nodes[len(forced) : len(forced) + rng.integers(0, 3)])
    demand = rng.integers(0, 3, size=3)
    room = demand + rng.integers(0, 3, size=3) if rng.random() < 0.5 else None
    cost = budget = None
    if rng.random() < 0.4:
        cost = rng.integers(1, 10, size=n).astype(float)
        budget = float(rng.integers(1, int(cost.sum()) + 1))
    return shares, forced, excluded, group, room, demand, cost, budget, int(rng.integers(1, n))


def obeys(chosen, forced, excluded, group, room, demand, cost, budget):
    chosen = list(chosen)
    counts = [sum(group[v] == g for v in chosen) for g in range(len(demand))]
    return (
        set(forced) <= set(chosen)
        and not set(excluded) & set(chosen)
        and all(count >= least for count, least in zip(counts, demand, strict=True))
        and (room is None or all(c <= most for c, most in zip(counts, room, strict=True)))
        and (cost is None or cost[chosen].sum() <= budget)
    )


def best(shares, forced, excluded, group, room, demand, cost, budget, *, k=None):
    """The largest coverage of k nodes, or of any number; None if no set obeys the constraints."""
    n = len(shares)
    sets = np.array(list(product([False, True], repeat=n))[1:])
    able = sets[:, forced].all(axis=1) & ~sets[:, excluded].any(axis=1)
    if k is not None:
        able &= sets.sum(axis=1) == k
    if cost is not None:
        able &= sets @ cost <= budget
    for g, least in enumerate(demand):
        counts = sets[:, group == g].sum(axis=1)
        able &= counts >= least
        if room is not None:
            able &= counts <= room[g]
    covered = [shares[chosen].max(axis=0).sum() for chosen in sets[able]]
    return max(covered, default=None)


def given(n, forced, excluded, group, room, demand, cost, budget, n_wanted=None):
    return Constraints(
        *(n, forced, excluded, group, room),
        cost=cost,
        budget=np.inf if budget is None else budget,
        demand=demand,
        group_names=tuple("abc"),
        n_wanted=n_wanted,
    )


def shares_of_the_best():
    """What the greedy selection and its exchanges cover of the best, and the number of refusals."""
    ratios, n_refused = [], 0
    for seed in range(1400):
        shares, *limits, k = instance(seed)
        n, expected = (
            len(shares),
            best(shares, *limits, k=None if limits[-2] is not None else k),
        )
        constraints = given(n, *limits, n_wanted=None if limits[-2] is not None else k)
        forced, room = limits[0], limits[3]
        most = constraints.count_by_group(forced)
        contradictory = room is not None and bool((most > room).any())
        try:
            constraints.check_demand()
        except ValueError:
            # What is refused has no solution of any size.
            assert best(shares, *limits) is None
            n_refused += 1
            continue
        if contradictory:
            continue
        ranking = greedy_ranking(MatrixCoverage(shares), constraints)
        taken = ranking.order[: ranking.n_selectable]
        if limits[-2] is None:
            # Each prefix that is long enough obeys the constraints.
            for size in range(constraints.n_first, len(taken) + 1):
                assert obeys(taken[:size], *limits)
            if k < constraints.n_first or len(taken) < k:
                assert expected is None
                continue
            taken = taken[:k]
        assert obeys(taken, *limits)
        if not len(taken):
            continue
        refined = Coverage(refine=True).exchange(
            ranking, constraints, taken, worth=0 if limits[-2] is not None else None
        )
        after = refined.order[: refined.end] if refined is not ranking else taken
        assert obeys(after, *limits)
        covered = [shares[chosen].max(axis=0).sum() for chosen in (taken, after)]
        assert covered[1] >= covered[0] - 1e-9
        ratios.append(np.array(covered) / expected)
    return np.array(ratios), n_refused


@pytest.mark.needs_jit
def test_against_brute_force():
    ratios, n_refused = shares_of_the_best()
    assert len(ratios) >= 300
    assert n_refused > 20
    greedy, with_exchanges = ratios.mean(axis=0)
    assert greedy >= 0.97
    assert with_exchanges >= 0.99


def naive_demanded(shares, forced, able, group, demand, tie_rank, weights):
    """The demanded nodes, each time the one that adds most by the definition."""
    n, found = len(shares), []
    plain = np.ones((n, n))
    weighted = plain * 0 if weights is None else np.outer(*weights)

    def adds(v, factor):
        taken = [*forced, *found]
        covered = (factor * shares)[taken].max(axis=0, initial=0.0)
        after = np.maximum(covered, (factor * shares)[v])
        return round(float((after - covered).sum()), 9)

    def is_short(g):
        return g >= 0 and sum(group[v] == g for v in [*forced, *found]) < demand[g]

    while short := [v for v in able if v not in found and is_short(group[v])]:
        keys = [(-adds(v, weighted), -adds(v, plain), tie_rank[v], v) for v in short]
        found.append(min(keys)[-1])
    return found


def test_the_demanded_nodes_are_the_greedy_ones():
    n_tried = 0
    for seed in range(150):
        shares, forced, excluded, group, room, demand, *_ = instance(seed)
        n, rng = len(shares), np.random.default_rng(seed)
        weights = rng.choice([0.0, 0.5, 1.0], size=(2, n)) if seed % 2 else None
        constraints = given(n, forced, excluded, group, room, demand, None, None)
        tie_rank = rng.permutation(n)
        able = [v for v in range(n) if v not in excluded and v not in forced]
        if best(shares, forced, excluded, group, room, demand, None, None) is None:
            continue
        n_tried += 1
        of_nodes = None if weights is None else NodeWeights(*weights)
        found = demanded_nodes(MatrixCoverage(shares), constraints, tie_rank, of_nodes)
        expected = naive_demanded(shares, forced, able, group, demand, tie_rank, weights)
        assert found.tolist() == expected
    assert n_tried > 30


def table(seed=0, n_columns=30):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(200, 5))
    return common @ rng.normal(size=(5, n_columns)) + rng.normal(size=(200, n_columns))


GROUPS = ["a"] * 10 + ["b"] * 10 + ["c"] * 10


def fitted(size, **given):
    return TopologicalFeatureSelector(size, **given).fit(table())


@pytest.mark.parametrize("rule", ["coverage", "variance", "degree"])
@pytest.mark.parametrize("relevance", [None, np.linspace(0, 1, 30)])
def test_every_rule_selects_at_least_so_many(rule, relevance):
    if relevance is not None and rule != "coverage":
        pytest.skip("the rule takes no relevance")
    limits = {"at_least": AtLeast(2, of=GROUPS), "rule": rule, "relevance": relevance}
    found = fitted(7, keep=[1], exclude=[0, 12], **limits)
    chosen = np.flatnonzero(found.support_)
    assert len(chosen) == 7
    assert 1 in chosen
    assert not {0, 12} & set(chosen)
    assert np.bincount(chosen // 10, minlength=3).min() >= 2
    # The order is nested from the demanded columns on.
    for size in range(found.n_demanded_, 8):
        smaller = np.flatnonzero(found.at(size).support_)
        assert set(smaller) <= set(chosen)
        assert np.bincount(smaller // 10, minlength=3).min() >= 2


@pytest.mark.parametrize(
    "size", ["auto", 6, UntilCoverage(0.05), Budget(12, [1.0] * 10 + [2.0] * 20)], ids=str
)
@pytest.mark.parametrize("refine", [False, True])
def test_every_size_selects_at_least_so_many(size, refine):
    limits = {"at_least": AtLeast(2, of=GROUPS), "at_most": AtMost(4, of=GROUPS)}
    rule = Coverage(refine=refine)
    if refine and isinstance(size, UntilCoverage):
        rule = "coverage"
    found = fitted(size, rule=rule, **limits)
    counts = np.bincount(np.flatnonzero(found.support_) // 10, minlength=3)
    assert counts.min() >= 2
    assert counts.max() <= 4


def test_constant_kept_columns_count():
    X = np.column_stack([table(), np.ones(200)])
    limit = AtLeast(2, of=[None] * 29 + ["end", "end"])
    with pytest.warns(ConstantFeatureWarning):
        found = TopologicalFeatureSelector(3, keep=[30], at_least=limit).fit(X)
    assert set(np.flatnonzero(found.support_)) >= {29, 30}
    refused = pytest.raises(
        ValueError, match="the group 'end' has 1 column that can be selected"
    )
    with pytest.warns(ConstantFeatureWarning), refused:
        TopologicalFeatureSelector(3, at_least=limit).fit(X)


def test_a_replacement_meets_the_demand():
    found = fitted(6, at_least=AtLeast(2, of=GROUPS))
    names = found.get_feature_names_out()
    for name in names:
        group = int(name[1:]) // 10
        replacements = [int(one.name[1:]) // 10 for one in found.substitute(name, n=20)]
        assert set(replacements) <= {group}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"at_least": 3}, r"at_least is 3; give AtLeast\(1, of=groups\)"),
        ({"at_least": AtLeast(11, of=GROUPS)}, "the group 'a' has 10 columns that can be"),
        (
            {"at_least": AtLeast(9, of=GROUPS), "exclude": [10, 11]},
            "the group 'b' has 8 columns that can be selected, and at_least demands 9",
        ),
        (
            {"at_least": AtLeast(2, of=GROUPS), "at_most": AtMost(1, of=GROUPS)},
            "at_least demands 2 columns of each group, and at_most allows 1",
        ),
        (
            {
                "at_least": AtLeast(1, of=GROUPS),
                "at_most": AtMost(2, of=[*GROUPS[::-1][1:], "a"]),
            },
            "at_least and at_most have different groups",
        ),
        (
            {"at_least": AtLeast(1, of=GROUPS), "max_similarity": 0.5},
            "at_least does not go together with max_similarity",
        ),
        (
            {"at_least": AtLeast(2, of=GROUPS), "n_features_to_select": 5},
            "at_least demands 6 columns, kept ones included, but only 5",
        ),
        (
            {"at_least": AtLeast(2, of=GROUPS), "keep": [0, 1, 2], "n_features_to_select": 6},
            "at_least demands 7 columns",
        ),
        (
            {"at_least": AtLeast(2, of=GROUPS), "n_features_to_select": Budget(5)},
            "demand columns that cost at least 6, more than the budget of 5:",
        ),
        (
            {"at_least": AtLeast(2, of=GROUPS), "n_features_to_select": MinShare(0.9)},
            "does not go together with at_most, at_least and max_similarity",
        ),
    ],
)
def test_bad_demands(given, message):
    with pytest.raises(ValueError, match=message):
        TopologicalFeatureSelector(**given).fit(table())
