"""Where the rule "variance" ends by itself: not in noise, and not before the last factor."""

import numpy as np
import pytest
from scipy.io import loadmat
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from topofs import NoStructureWarning, TopologicalFeatureSelector
from topofs.rules.residuals import chance_gain, normal_chance
from topofs.similarity.standard_columns import standard_columns


def n_selected(X, **terms):
    return TopologicalFeatureSelector(rule="variance", **terms).fit(X).n_features_


NOISE = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy": lambda rng, shape: rng.standard_t(2, size=shape),
    "Cauchy": lambda rng, shape: rng.standard_cauchy(size=shape),
    "counts": lambda rng, shape: rng.poisson(0.4, size=shape).astype(float),
}


@pytest.mark.parametrize("kind", NOISE)
@pytest.mark.filterwarnings("ignore::topofs.NoStructureWarning")
def test_of_noise_at_most_one_column(kind):
    rng = np.random.default_rng(0)
    shapes = [(30, 50), (60, 20), (25, 12), (20, 70)]
    found = []
    for number in range(100):
        X = NOISE[kind](rng, shapes[number % 4])
        X[0] += X.std(axis=0) == 0  # no column is constant
        found.append(n_selected(X))
    assert sum(n <= 1 for n in found) >= 95


def test_noise_is_said_to_be_noise():
    X = np.random.default_rng(1).normal(size=(50, 20))
    with pytest.warns(NoStructureWarning, match="no two of the 20 columns"):
        selector = TopologicalFeatureSelector(rule="variance").fit(X)
    assert len(selector.isolated_) == 20


@pytest.mark.parametrize("n_factors", [3, 5, 10])
@pytest.mark.parametrize("n_samples", [100, 200, 500])
def test_of_factors_one_or_two_columns_each(n_factors, n_samples):
    rng = np.random.default_rng(n_samples + n_factors)
    factors = np.repeat(rng.normal(size=(n_samples, n_factors)), 20, axis=1)
    X = factors + rng.normal(size=factors.shape)
    assert n_factors <= n_selected(X) <= 2 * n_factors
    selector = TopologicalFeatureSelector(rule="variance").fit(X)
    assert set(np.flatnonzero(selector.support_) // 20) == set(range(n_factors))


def test_madelon(shared_datasets):
    content = loadmat(shared_datasets / "madelon.mat")
    X, y = content["X"].astype(float), content["Y"].ravel()
    selector = TopologicalFeatureSelector(rule="variance").fit(X)
    assert selector.n_features_ <= 25
    scores = cross_val_score(KNeighborsClassifier(), selector.transform(X), y, cv=5)
    assert scores.mean() >= 0.85


def test_ends_after_the_forced_columns():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(100, 3)), 20, axis=1) + rng.normal(size=(100, 60))
    selector = TopologicalFeatureSelector(rule="variance", keep=range(0, 60, 4)).fit(X)
    assert selector.n_features_ == 15


@pytest.mark.parametrize("shape", [(60, 40), (200, 300)], ids=str)
def test_chance_of_normal_columns_by_formula(shape):
    X = np.random.default_rng(0).normal(size=shape)
    shuffled = chance_gain(standard_columns(X))
    assert normal_chance(*shape).spread == pytest.approx(shuffled.spread, rel=0.5)


def test_chance_does_not_depend_on_the_order_of_columns():
    X = np.random.default_rng(0).standard_t(3, size=(40, 30))
    other = X[:, np.random.default_rng(1).permutation(30)]
    one, two = (chance_gain(standard_columns(table)).spread for table in (X, other))
    assert one == pytest.approx(two)
