"""Exchanges: the best one each time, at rest at the end, and no constraint broken."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from tests.coverage_settings import BY_COVERAGE
from tests.matrices import factor_table
from tests.naive.exchanges import keeps_to, most_coverage, naive_exchanges
from tests.random_lists import KINDS, table_of
from topofs import (
    AtMost,
    Budget,
    ConstantFeatureWarning,
    Coverage,
    Links,
    MinShare,
    TopologicalFeatureSelector,
    UntilCoverage,
    stability,
)
from topofs.constraints import Constraints
from topofs.network import NodeWeights
from topofs.rules.coverage import MatrixCoverage
from topofs.rules.exchanges import exchanges
from topofs.rules.greedy import greedy_ranking

pytestmark = [
    pytest.mark.filterwarnings("ignore::topofs.IsolatedFeatureWarning"),
    pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning"),
]

REFINE = Coverage(refine=True)
NOBODY = np.empty(0, dtype=np.int64)


def shares_of(rng, n):
    """Random shares: full of ties, or without."""
    if rng.random() < 0.5:
        values = rng.choice([0.0, 0.0, 0.25, 0.5, 0.75, 1.0], size=(n, n))
    else:
        values = rng.random((n, n)) ** 3 * (rng.random((n, n)) < 0.6)
    shares = np.tril(values, -1)
    return shares + shares.T + np.eye(n)


def constraints_of(rng, n, *, costs=False):
    """Random constraints of each kind that do not contradict each other."""
    nodes = rng.permutation(n)
    forced = np.sort(nodes[: rng.integers(0, 3)]) if rng.random() < 0.6 else NOBODY
    after = nodes[len(forced) :]
    excluded = np.sort(after[: rng.integers(0, n // 3 + 1)]) if rng.random() < 0.6 else NOBODY
    constraints = Constraints(n, forced, excluded)
    if rng.random() < 0.6:
        group = rng.integers(-1, 3, size=n)
        group[forced] = -1
        constraints = replace(constraints, group=group, room=rng.integers(1, 3, size=3))
    if rng.random() < 0.6:
        alike = rng.random((n, n)) < 0.15
        alike = alike | alike.T
        np.fill_diagonal(alike, False)
        alike[np.ix_(forced, forced)] = False
        constraints = replace(constraints, too_alike=sparse.csr_array(alike.astype(float)))
    if costs:
        # Quarters, so that sums are exact.
        cost = rng.integers(1, 20, size=n) / 4
        least = max(cost.min(), cost[forced].sum())
        constraints = replace(
            constraints, cost=cost, budget=float(rng.integers(4 * least, 81) / 4)
        )
    return constraints


def instance(seed, largest=12, *, greedy=True):
    """Shares, constraints, a set that keeps to them and what a node more must add."""
    rng = np.random.default_rng(seed)
    n, worth = int(rng.integers(1, largest + 1)), (None, 0, 1)[seed % 3]
    shares, tie_rank = shares_of(rng, n), rng.permutation(n)
    constraints = constraints_of(rng, n, costs=worth == 0)
    if greedy:
        ranking = greedy_ranking(MatrixCoverage(shares), constraints, tie_rank=tie_rank)
        order, most, end = ranking.order, ranking.n_selectable, ranking.end
    else:
        order, most = constraints.applied(rng.permutation(n))
        end = int(rng.integers(1, n + 1))
    size = {None: int(rng.integers(1, n + 1)), 0: most, 1: end}[worth]
    selected = order[: max(min(size, most), len(constraints.forced))]
    return shares, constraints, selected, worth, tie_rank


@pytest.mark.parametrize("dense", [True, False])
def test_each_exchange_is_the_best_one_by_weights(dense):
    for seed in range(90):
        shares, constraints, selected, worth, tie_rank = instance(seed, 9, greedy=False)
        if not len(selected):
            continue
        rng, n = np.random.default_rng(seed), len(shares)
        weights = NodeWeights(*rng.choice([0.0, 0.25, 0.5, 1.0], size=(2, n)))
        worth = None if worth is None else worth / 8
        model = MatrixCoverage(shares if dense else sparse.csr_array(shares))
        weighted = weights.selected[:, None] * shares * weights.represented
        found = exchanges(
            model, constraints, selected, worth=worth, weights=weights, tie_rank=tie_rank
        )
        expected = naive_exchanges(
            weighted, constraints, selected, worth=worth, tie_rank=tie_rank
        )
        assert [after.tolist() for after in found] == expected


@pytest.mark.parametrize("dense", [True, False])
def test_each_exchange_is_the_best_one(dense, monkeypatch):
    monkeypatch.setattr("topofs.rules.exchanges._ROWS", 5)
    n_steps = 0
    for seed in range(120):
        shares, constraints, selected, worth, tie_rank = instance(seed, 10, greedy=False)
        if not len(selected):
            continue
        model = MatrixCoverage(shares if dense else sparse.csr_array(shares))
        found = exchanges(model, constraints, selected, worth=worth, tie_rank=tie_rank)
        expected = naive_exchanges(
            shares, constraints, selected, worth=worth, tie_rank=tie_rank
        )
        assert [after.tolist() for after in found] == expected
        n_steps += len(expected)
    assert n_steps > 60


class FullRows:
    """Full rows of some nodes."""

    def __init__(self, shares, truncated):
        self.shares, self.truncated = shares, truncated

    def row(self, node):
        return self.shares[node].copy()


@pytest.mark.parametrize("many", [False, True])
def test_full_rows_of_truncated_nodes_count(many, monkeypatch):
    if many:
        monkeypatch.setattr("topofs.rules.exchanges._MOST_FULL", 0)
    n_steps = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = 12
        shares = np.maximum(rng.random((n, n)), np.eye(n))
        shares = np.tril(shares) + np.tril(shares, -1).T
        strong = np.argsort(np.argsort(-shares, axis=1), axis=1) < 4
        listed = np.where(strong | strong.T, shares, 0.0)
        truncated = ((shares > 0) & (listed == 0)).any(axis=1)
        model = MatrixCoverage(sparse.csr_array(listed), FullRows(shares, truncated))
        selected, tie_rank = rng.permutation(n)[:3], rng.permutation(n)
        worth = (None, 0, 1)[seed % 3]
        constraints = Constraints(n, NOBODY, NOBODY, n_wanted=3)
        if worth == 0:
            constraints = replace(constraints, cost=np.ones(n), budget=4.0)
        found = exchanges(model, constraints, selected, worth=worth, tie_rank=tie_rank)
        expected = naive_exchanges(
            shares,
            constraints,
            selected,
            worth=worth,
            tie_rank=tie_rank,
            listed=listed if many else None,
        )
        assert [after.tolist() for after in found] == expected
        n_steps += len(expected)
    assert n_steps > 60


def test_no_constraint_is_broken_and_nothing_is_lost():
    for seed in range(150):
        shares, constraints, selected, worth, tie_rank = instance(1000 + seed, largest=16)
        if not len(selected):
            continue
        values = [shares[selected].max(axis=0).sum() - (worth or 0) * len(selected)]
        for after in exchanges(
            MatrixCoverage(shares), constraints, selected, worth=worth, tie_rank=tie_rank
        ):
            assert keeps_to(constraints, after, selected)
            assert worth is not None or len(after) == len(selected)
            values.append(shares[after].max(axis=0).sum() - (worth or 0) * len(after))
        assert (np.diff(values) > 0).all()


def test_near_the_exact_optimum():
    gaps, without = [], []
    for seed, kind in enumerate(sorted(KINDS)):
        X = table_of(kind, seed)[:, :16]
        for size in (3, 6):
            refined = fitted(X, size, graph=Links(strongest=None))
            greedy = refined.set_params(rule=Coverage()).fit(X)
            shares = greedy.graph_.shares
            best = most_coverage(shares, size)
            greedy_value = greedy.shares_.sum()
            refined_value = fitted(X, size, graph=Links(strongest=None)).shares_.sum()
            assert greedy_value - 1e-9 <= refined_value <= best + 1e-6
            gaps.append(1 - refined_value / best)
            without.append(1 - greedy_value / best)
    assert np.mean(gaps) <= 0.002
    assert np.mean(gaps) < np.mean(without)


# By the estimator.


def fitted(X, size="auto", **settings):
    return TopologicalFeatureSelector(size, **({"rule": REFINE} | settings)).fit(X)


def refining(settings):
    return settings | {"rule": settings.get("rule", Coverage()).replace(refine=True)}


@pytest.fixture(scope="module")
def X():
    """A table on which exchanges change the set at most sizes, with three isolated columns."""
    rng = np.random.default_rng(5)
    return np.column_stack(
        [factor_table(150, 30, seed=3, n_factors=6), rng.normal(size=(150, 3))]
    )


def assert_sound(selector, X):
    """What must hold of any refined fit."""
    k, nodes = int(selector.support_[selector.nodes_].sum()), selector.nodes_
    curve, order = selector.coverage_, np.argsort(selector.ranking_)
    assert np.isclose(curve[k - 1], selector.shares_[nodes].mean(), rtol=0, atol=1e-12)
    assert (np.diff(curve) >= 0).all()
    assert np.allclose(
        np.cumsum(selector.scores_[selector._ranking.order[:k]]), curve[:k] * len(nodes)
    )
    assert sorted(order[: selector.n_features_]) == np.flatnonzero(selector.support_).tolist()
    assert sorted(selector.ranking_) == list(range(1, X.shape[1] + 1))


def assert_same(one, other):
    assert one.support_.tolist() == other.support_.tolist()
    for name in ("ranking_", "scores_", "coverage_", "shares_", "representative_"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("way", BY_COVERAGE)
def test_every_reach(X, way):
    settings, changed = BY_COVERAGE[way], 0
    for size in ("auto", 4, 7, 9, 11):
        greedy = TopologicalFeatureSelector(size, **settings).fit(X)
        refined = TopologicalFeatureSelector(size, **refining(settings)).fit(X)
        assert_sound(refined, X)
        free = float(size == "auto")
        before = greedy.shares_.sum() - free * greedy.n_features_
        after = refined.shares_.sum() - free * refined.n_features_
        assert after >= before - 1e-9
        same = (refined.support_ == greedy.support_).all()
        assert same or after > before
        changed += not same
        # The selected come first, both parts in their greedy order.
        order = np.argsort(greedy.ranking_)
        inside = refined.support_[order]
        assert np.argsort(refined.ranking_).tolist() == [*order[inside], *order[~inside]]
        assert not (refined.support_[refined.isolated_]).any() or size != "auto"
    assert changed


@pytest.mark.parametrize("way", BY_COVERAGE)
def test_at_equals_a_fit(X, way):
    settings = refining(BY_COVERAGE[way])
    fits = {
        size: TopologicalFeatureSelector(size, **settings).fit(X)
        for size in ("auto", 4, 9, 0.5, UntilCoverage(0.6))
    }
    # Beyond what was asked for the order of lists that are cut may differ.
    whole = way != "few links"
    for one in fits.values():
        for size, other in fits.items():
            found = one.at(size)
            assert found.support_.tolist() == other.support_.tolist()
            assert_sound(found, X)
            if whole:
                assert_same(found, other)
    assert_same(fits[4].at("auto").at(9).at(4), fits[4])


def test_a_coverage_is_reached(X):
    refined, greedy = (
        fitted(X, UntilCoverage(0.6)),
        fitted(X, UntilCoverage(0.6), rule="coverage"),
    )
    assert refined.n_features_ == greedy.n_features_
    assert refined.shares_.mean() >= greedy.shares_.mean() >= 0.6


def test_min_share_ranks_without_exchanges(X):
    refined, plain = fitted(X, MinShare(0.3)), fitted(X, MinShare(0.3), rule="coverage")
    assert_same(refined, plain)
    assert_same(refined.at(5), plain.at(5))
    assert refined.extend(2).support_.tolist() == plain.extend(2).support_.tolist()


def test_constraints_on_columns(X):
    groups = [f"g{i % 4}" for i in range(X.shape[1])]
    cost = [1.0 + i % 3 for i in range(X.shape[1])]
    constraints = {"keep": [2, 31], "exclude": [0, 5], "at_most": AtMost(2, of=groups)}
    constraints |= {"max_similarity": 0.4}
    similar = np.corrcoef(X, rowvar=False) ** 2 - np.eye(X.shape[1])
    for size in ("auto", 5, Budget(9, cost)):
        refined, greedy = (
            fitted(X, size, **constraints),
            fitted(X, size, rule="coverage", **constraints),
        )
        assert_sound(refined, X)
        chosen = np.flatnonzero(refined.support_)
        assert {2, 31} <= set(chosen)
        assert not {0, 5} & set(chosen)
        assert np.bincount(chosen % 4).max() <= 2
        assert similar[np.ix_(chosen, chosen)].max() <= 0.4
        free = float(size == "auto")
        assert (
            refined.shares_.sum() - free * refined.n_features_
            >= greedy.shares_.sum() - free * greedy.n_features_ - 1e-9
        )
        if isinstance(size, Budget):
            assert np.array(cost)[chosen].sum() <= 9
        # Each beginning of the ranking keeps to the constraints, beyond the selected ones, too.
        able = np.argsort(refined.ranking_)[: refined.n_selectable_]
        assert similar[np.ix_(able, able)].max() <= 0.4
        assert np.bincount(able % 4).max() <= 2
        assert not {0, 5} & set(able)
        assert (
            refined.scores_[np.argsort(refined.ranking_)[refined.n_selectable_ :]] == 0
        ).all()


def test_a_budget_takes_more_for_less():
    rng = np.random.default_rng(0)
    better = 0
    for seed in range(10):
        X = factor_table(80, 45, seed=seed, n_factors=5)
        cost = rng.integers(1, 9, size=45).astype(float)
        refined, greedy = (fitted(X, Budget(15, cost), rule=r) for r in (REFINE, "coverage"))
        assert cost[refined.support_].sum() <= 15
        assert refined.shares_.sum() >= greedy.shares_.sum() - 1e-9
        better += refined.shares_.sum() > greedy.shares_.sum() + 1e-9
    assert better


def test_isolated_columns(X):
    lonely = [30, 31, 32]
    assert fitted(X).isolated_.tolist() == lonely
    assert not fitted(X).support_[lonely].any()
    assert fitted(X, rule=REFINE.replace(isolated="keep")).support_[lonely].all()
    # At a size each adds a whole column, unless the table is known to hold noise.
    last = REFINE.replace(isolated="last")
    for size in range(1, 31):
        assert not fitted(X, size, rule=last).support_[lonely].any()
    assert fitted(X, 28).support_[lonely].any()
    selector = fitted(X, 10, rule=last)
    assert selector.n_selectable_ == X.shape[1]
    assert np.argsort(selector.ranking_)[-3:].tolist() == sorted(
        lonely, key=lambda i: selector.ranking_[i]
    )


def test_columns_that_do_not_vary(X):
    table = np.column_stack([X[:, :6], np.ones(len(X)), np.zeros(len(X))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantFeatureWarning)
        for size in range(1, 9):
            found = fitted(table, size)
            assert found.n_features_ == size
            assert_sound(found, table)
            kept = fitted(table, max(size, 2), keep=[7])
            assert kept.support_[7]
            assert kept.n_features_ == max(size, 2)
            assert_sound(kept, table)
        assert fitted(table, keep=[7]).support_[7]
        assert fitted(table, 7).extend(1).n_features_ == 8
        assert fitted(table, 7).at(3).support_.tolist() == fitted(table, 3).support_.tolist()


@pytest.mark.parametrize("way", BY_COVERAGE)
def test_tables_of_few_columns_and_without_structure(way):
    rng = np.random.default_rng(0)
    settings = refining(BY_COVERAGE[way])
    for n in (1, 2, 6):
        noise = rng.normal(size=(40, n))
        for size in ("auto", 1, n):
            found = TopologicalFeatureSelector(size, **settings).fit(noise)
            assert found.n_features_ == (1 if size == "auto" else size)
            assert_sound(found, noise)
    twins = np.column_stack([noise[:, 0], noise[:, 0]])
    found = TopologicalFeatureSelector(**settings).fit(twins)
    assert found.n_features_ == 1
    assert np.allclose(found.shares_, 1)


@pytest.mark.parametrize("way", BY_COVERAGE)
def test_the_order_of_columns_plays_no_part(X, way):
    rng = np.random.default_rng(1)
    table = np.column_stack([X, np.round(X[:, :4])])
    order = rng.permutation(table.shape[1])
    for size in ("auto", 6):
        one = TopologicalFeatureSelector(size, **refining(BY_COVERAGE[way])).fit(table)
        other = TopologicalFeatureSelector(size, **refining(BY_COVERAGE[way])).fit(
            table[:, order]
        )
        assert other.support_.tolist() == one.support_[order].tolist()
        assert other.ranking_.tolist() == one.ranking_[order].tolist()


def test_cut_lists_of_a_table():
    """Three groups larger than the lists: full rows count in what is reported."""
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.normal(size=(100, 1)) + 0.4 * rng.normal(size=(100, 15)) for _ in range(3)]
    )
    for size in ("auto", 2, 5, 12):
        graph = Links(strongest=4)
        refined, greedy = (fitted(X, size, graph=graph, rule=r) for r in (REFINE, "coverage"))
        assert refined._ranking.exact is not None
        assert_sound(refined, X)
        free = float(size == "auto")
        assert (
            refined.shares_.sum() - free * refined.n_features_
            >= greedy.shares_.sum() - free * greedy.n_features_ - 1e-9
        )


@pytest.mark.parametrize("way", BY_COVERAGE)
def test_later_questions(X, way):
    selector = TopologicalFeatureSelector(6, **refining(BY_COVERAGE[way])).fit(X)
    more = selector.extend(3)
    assert more.n_features_ == 9
    assert (more.support_ >= selector.support_).all()
    assert_sound(more, X)
    evaluation = selector.evaluate(n_random=2)
    assert np.isclose(evaluation.coverage, selector.shares_.mean())
    for column in np.flatnonzero(selector.support_).tolist():
        for other in selector.substitute(column, n=40):
            # No exchange gains.
            assert other.gained - other.lost <= 1e-9
    assert [group.rank for group in selector.groups_] == list(range(1, 7))
    represented = sum(1 + len(group.members) for group in selector.groups_)
    assert represented == (selector.representative_ >= 0).sum()
    assert "is selected" in str(selector.explain(selector.groups_[0].position))


def test_copies_and_parameters(X):
    selector = fitted(X, 6)
    assert_same(pickle.loads(pickle.dumps(selector)), selector)
    assert_same(pickle.loads(pickle.dumps(selector)).at(4), fitted(X, 4))
    assert_same(clone(selector).fit(X), selector)
    assert_same(fitted(X, 6, rule="coverage").set_params(rule__refine=True).fit(X), selector)
    y = X[:, :3].sum(axis=1) > 0
    steps = make_pipeline(
        TopologicalFeatureSelector(6, rule=Coverage()), KNeighborsClassifier()
    )
    grid = {"topologicalfeatureselector__rule__refine": [False, True]}
    search = GridSearchCV(steps, grid, cv=2, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 2


def test_stability_counts_refined_selections(X):
    found = stability(
        TopologicalFeatureSelector(6, rule=REFINE), X, n_resamples=4, random_state=0
    )
    assert found.frequency.sum() == pytest.approx(6)
