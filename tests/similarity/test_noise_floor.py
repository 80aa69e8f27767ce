import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from topofs import (
    Energy,
    Function,
    Given,
    Links,
    Mixed,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    mixed,
    pearson,
)
from topofs.io.types import Column
from topofs.similarity import noise_floor
from topofs.similarity.base import dense
from topofs.similarity.mixed import mixed_operator
from topofs.similarity.mutual_information import mutual_information_operator
from topofs.similarity.noise_floor import (
    CorrelationScale,
    FlooredScale,
    GivenScale,
    Margins,
    check_shared_variance,
    contingency_floors,
    correct_bias,
    correlation_floors,
    degrees_floor,
    rank_floors,
    whole_weights,
)


@pytest.mark.parametrize(("n_samples", "n_features"), [(20, 5), (100, 50), (1000, 20_000)])
def test_the_floor_is_the_quantile_of_the_correlation_test(n_samples, n_features):
    floor = noise_floor(n_samples, n_features)
    # The same test by Student's t.
    t = np.sqrt(floor * (n_samples - 2) / (1 - floor))
    n_pairs = n_features * (n_features - 1) / 2
    assert 2 * stats.t.sf(t, n_samples - 2) == pytest.approx(0.05 / n_pairs, rel=1e-6)


def test_of_twenty_tables_of_noise_one_passes_the_floor():
    rng = np.random.default_rng(0)
    floor = noise_floor(30, 15)
    passed = 0
    for _ in range(400):
        similarity = pearson(rng.normal(size=(30, 15)), squared=True)
        passed += (similarity[np.triu_indices(15, 1)] >= floor).any()
    assert 0.02 < passed / 400 < 0.08


def test_floors_of_names():
    rng = np.random.default_rng(0)
    # η² of independent columns, and V², by simulation against the quantile of one pair.
    pairs = {(1, 4): 0, (2, 3): 0}
    for _ in range(1000):
        frame = {
            "x": rng.normal(size=200),
            "five": rng.choice(list("abcde"), 200),
            "three": rng.choice(list("abc"), 200),
            "four": rng.choice(list("abcd"), 200),
        }
        found = mixed(pd.DataFrame(frame), corrected=False)
        pairs[1, 4] += found[0, 1] >= degrees_floor(200, 2, np.array([1]), np.array([4]))[0]
        pairs[2, 3] += found[2, 3] >= degrees_floor(200, 2, np.array([2]), np.array([3]))[0]
    assert all(0.03 < count / 1000 < 0.07 for count in pairs.values())


def test_with_too_few_samples_nothing_passes():
    assert noise_floor(2, 5) == 1.0
    assert degrees_floor(5, 3, np.array([1]), np.array([4])).tolist() == [1.0]
    assert correct_bias(np.array([0.9]), 2).tolist() == [0.0]


def test_the_correction_takes_off_the_mean_of_chance():
    rng = np.random.default_rng(0)
    values = np.array(
        [pearson(rng.normal(size=(12, 2)), squared=True)[0, 1] for _ in range(4000)]
    )
    raw = (values - 1 / 11) / (1 - 1 / 11)
    assert abs(raw.mean()) < 0.01
    np.testing.assert_allclose(correct_bias(values, 12), np.maximum(raw, 0))


@pytest.mark.parametrize("squared", [True, False])
def test_correlations_become_weights(squared):
    X = np.random.default_rng(0).normal(size=(40, 6))
    X[:, 1] -= 2 * X[:, 0]
    similarity = pearson(X, squared=squared)
    before = similarity.copy()
    scale = CorrelationScale(40, 6, squared)
    weights = whole_weights(similarity, scale)
    np.testing.assert_array_equal(similarity, before)
    square = pearson(X, squared=True)
    counts = (square >= noise_floor(40, 6)) & (squared | (before > 0))
    expected = np.where(counts, correct_bias(square, 40), 0)
    np.testing.assert_allclose(weights, expected, atol=1e-15)
    # The first two are opposite.
    assert (weights[0, 1] > 0.5) == squared


def test_a_given_similarity_must_be_shared_variance():
    pair = (np.array([0]), np.array([1]))
    assert GivenScale().weights(np.array([1 + 1e-9]), *pair).tolist() == [1.0]
    check_shared_variance(np.array([[1.0, -1e-9], [-1e-9, 1.0]]))
    for bad in (-0.4, 1.5):
        with pytest.raises(ValueError, match=f"goes from .*{bad:g}.*squared correlations"):
            check_shared_variance(np.array([[1.0, bad], [bad, 1.0]]))


def test_scales_by_measure():
    class WithFloors:
        n_features = 3

        def floors(self, left, right):
            return np.full(len(left), 0.5)

    size = {"n_samples": 9, "n_features": 3}
    for squared in (True, False):
        found = Pearson(squared=squared).scale(WithFloors(), **size)
        assert found == CorrelationScale(9, 3, squared=squared)
        found = Spearman(squared=squared).scale(None, **size)
        assert found == CorrelationScale(9, 3, squared=squared, ranks=True)
    assert Energy().scale(WithFloors(), **size) is None
    scale = Mixed().scale(WithFloors(), **size)
    assert isinstance(scale, FlooredScale)
    matrix = np.array([[1.0, 0.4, 0.6], [0.4, 1.0, 0.5], [0.6, 0.5, 1.0]])
    assert whole_weights(matrix, scale).tolist() == [[1, 0, 0.6], [0, 1, 0.5], [0.6, 0.5, 1]]
    assert Given().scale(None, **size) == GivenScale()
    assert Function(len).scale(None, **size) == GivenScale()


@pytest.mark.parametrize("measure", ["pearson", "spearman"])
@pytest.mark.parametrize("missing", [0.0, 0.3, 0.6, 0.9])
def test_missing_values_do_not_make_links(measure, missing):
    false = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 20))
        X[rng.random(X.shape) < missing] = np.nan
        selector = TopologicalFeatureSelector(
            2, similarity=measure, graph=Links(strongest=None)
        ).fit(X)
        false += len(selector.isolated_) < 20
    assert false <= 2


def test_every_pair_has_the_floor_of_its_shared_samples():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    X[rng.random(X.shape) < 0.4] = np.nan
    operator = Pearson().operator(X)
    scale = Pearson().scale(operator, n_samples=60, n_features=6)
    values = dense(operator)
    everyone = np.arange(6)
    block = scale.weights(values, everyone[:, None], everyone[None, :])
    for i in range(6):
        for j in range(i):
            both = int((~np.isnan(X[:, i]) & ~np.isnan(X[:, j])).sum())
            one = CorrelationScale(both, 6, squared=True)
            pair = (np.array([i]), np.array([j]))
            expected = one.weights(values[i, j : j + 1], *pair)
            np.testing.assert_allclose(block[i, j], expected[0], rtol=1e-12)
            np.testing.assert_allclose(scale.weights(values[i, j : j + 1], *pair), expected)


@pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning")
@pytest.mark.parametrize("similarity", ["spearman", "mixed"])
@pytest.mark.parametrize("n_samples", [4, 5, 6, 7])
def test_ranks_of_a_few_samples_agree_by_chance(similarity, n_samples):
    X = np.random.default_rng(0).normal(size=(n_samples, 50))
    selector = TopologicalFeatureSelector(similarity=similarity).fit(X)
    assert len(selector.isolated_) == 50


@pytest.mark.parametrize("level", [0, 1, 3.0, -1])
def test_a_level_is_a_share(level):
    with pytest.raises(ValueError, match=r"it must be a number in \(0, 1\)"):
        noise_floor(100, 50, level=level)


@pytest.mark.parametrize("n_samples", [4, 5, 6, 7])
@pytest.mark.parametrize("tail", [0.05, 0.01, 0.001])
def test_floors_of_few_ranks_are_those_of_all_permutations(n_samples, tail):
    ranks = np.arange(n_samples)
    orders = np.array(list(itertools.permutations(ranks)))
    squares = np.array([np.corrcoef(ranks, order)[0, 1] ** 2 for order in orders])
    possible = np.unique(squares.round(9))
    chance = np.array([(squares > value - 1e-6).mean() for value in possible])
    floor = rank_floors(np.array([n_samples]), tail)[0]
    passing = possible[chance <= tail]
    assert np.array_equal(passing, possible[possible >= floor])
    assert np.isinf(floor) == (not len(passing))


def test_floors_of_ranks_go_on_without_a_jump():
    samples = np.arange(9.0, 31.0)
    for n_features in (10, 1000):
        floors = correlation_floors(samples, n_features, ranks=True)
        normal = correlation_floors(samples, n_features, ranks=False)
        known = np.isfinite(floors)
        assert (np.diff(floors[known]) < 0).all()
        assert (floors[samples >= 12] > normal[samples >= 12]).all()
    assert floors[-1] / normal[-1] < 1.1


def margins(counts):
    counts = np.asarray(counts)
    return Margins(
        np.array([len(counts)]), np.array([(1 / counts).sum()]), np.array([counts.min()])
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([50, 50], [40, 30, 30]),
        ([60, 20, 10, 7, 3], [60, 20, 10, 7, 3]),
        ([97, 3], [97, 3]),
        ([85, 5, 5, 5], [25, 25, 25, 25]),
    ],
)
@pytest.mark.parametrize("n_features", [3, 8])
def test_floors_of_levels_hold_for_shuffled_samples(left, right, n_features):
    rng = np.random.default_rng(0)
    a = np.eye(len(left))[np.repeat(np.arange(len(left)), left)]
    b = np.eye(len(right))[np.repeat(np.arange(len(right)), right)]
    expected = np.outer(left, right) / 100
    tables = (rng.permutation(a).T @ b for _ in range(4000))
    found = np.array([((table - expected) ** 2 / expected).sum() for table in tables])
    floor = contingency_floors(100, n_features, margins(left), margins(right))[0]
    tail = 0.05 / math.comb(n_features, 2)
    assert (found / 100 >= floor).mean() <= tail + 2 * math.sqrt(tail / 4000)
    # Where cells are not rare it is no larger than it need be.
    if expected.min() > 5:
        assert (found / 100 >= 0.8 * floor).mean() > tail


def unequal_levels(rng, n_samples):
    share = [0.6, 0.2, 0.1, 0.07, 0.03]
    return [
        Column(str(i), nominal=True, values=rng.choice(5, n_samples, p=share) * 1.0)
        for i in range(30)
    ]


def columns_of_all_kinds(rng, n_samples):
    columns = []
    for i in range(30):
        if i % 3 == 0:
            values = rng.normal(size=n_samples)
        elif i % 3 == 1:
            n_levels = rng.integers(2, 12)
            share = rng.dirichlet(np.full(n_levels, 0.5))
            values = rng.choice(n_levels, n_samples, p=share).astype(float)
        else:
            values = (rng.random(n_samples) < rng.uniform(0.01, 0.5)).astype(float)
        if values.min() == values.max():
            values[rng.integers(n_samples)] += 1
        columns.append(Column(str(i), nominal=i % 3 == 1, values=values))
    return columns


def with_gaps(rng, n_samples):
    columns = columns_of_all_kinds(rng, n_samples)
    for column in columns:
        missing = rng.random(n_samples) < 0.1
        if len(np.unique(column.values[~missing])) > 1:
            column.values[missing] = np.nan
    return columns


MIXED = {
    "unequal levels": unequal_levels,
    "all kinds": columns_of_all_kinds,
    "all kinds with gaps": with_gaps,
}


def has_link(operator, scale):
    return (np.triu(whole_weights(dense(operator), scale), 1) > 0).any()


@pytest.mark.parametrize(
    ("measure", "n_samples", "n_features"),
    [
        ("pearson", 9, 60),
        ("pearson", 30, 40),
        ("spearman", 8, 40),
        ("spearman", 9, 60),
        ("spearman", 10, 20),
        ("spearman", 14, 60),
        ("spearman", 30, 50),
        ("unequal levels", 100, 30),
        ("unequal levels", 1000, 30),
        ("all kinds", 40, 30),
        ("all kinds", 200, 30),
        ("all kinds with gaps", 40, 30),
        ("all kinds with gaps", 100, 30),
        ("mutual information", 100, 30),
        pytest.param("mutual information", 1000, 30, marks=pytest.mark.needs_jit),
    ],
)
def test_one_table_of_noise_in_twenty_has_a_link_at_most(measure, n_samples, n_features):
    rng = np.random.default_rng(0)
    linked = 0
    for _ in range(1000):
        if measure in MIXED:
            operator = mixed_operator(MIXED[measure](rng, n_samples))
            scale = FlooredScale(operator)
        elif measure == "mutual information":
            operator = mutual_information_operator(rng.normal(size=(n_samples, n_features)))
            scale = FlooredScale(operator)
        else:
            similarity = {"pearson": Pearson(), "spearman": Spearman()}[measure]
            operator = similarity.operator(rng.normal(size=(n_samples, n_features)))
            scale = similarity.scale(operator, n_samples=n_samples, n_features=n_features)
        linked += has_link(operator, scale)
    # 5 %, and twice the sampling error of 1,000 tables.
    assert linked <= 50 + 2 * math.sqrt(1000 * 0.05 * 0.95)
