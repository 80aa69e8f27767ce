"""What a column says about a target: by every measure, against sums of squares."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tests.naive.relevance import naive_floor, naive_share
from topofs import MutualInformation, Pearson, Relevance, Spearman, mutual_information
from topofs.io.target import targets_of
from topofs.io.types import typed_table
from topofs.similarity.mixed import Mixed, mixed
from topofs.similarity.relevance import relevance_to_target


def table(n_samples=60, n_features=8, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_samples)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 0] += y
    X[:, 1] += 2 * (y == 1)
    X[:, 2] = np.rint(X[:, 2] * 3 + y)
    return X, y


def measured(measure, X, y):
    return relevance_to_target(measure, X, targets_of(y, X.shape[0]), np.arange(X.shape[1]))


MEASURES = [Pearson(), Pearson(squared=False), Spearman()]


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("kind", ["classes", "two classes", "numbers"])
@pytest.mark.parametrize("gaps", [False, True])
def test_shares_are_those_of_the_twin(measure, kind, gaps):
    X, y = table()
    if kind == "two classes":
        y = y == 1
    if kind == "numbers":
        y = y + np.random.default_rng(1).normal(size=len(y))
    if gaps:
        X[np.random.default_rng(2).random(X.shape) < 0.15] = np.nan
    found = measured(measure, X, y)
    expected = [
        naive_share(x, y, classes=kind != "numbers", ranks=isinstance(measure, Spearman))
        for x in X.T
    ]
    rtol = 1e-9 if not (gaps and isinstance(measure, Spearman)) else 0.15
    np.testing.assert_allclose(found.values, expected, rtol=rtol, atol=1e-12)
    assert ((found.proven == 0) | (found.proven == found.values)).all()
    assert found.proven[1 if kind == "two classes" else 0] > 0
    assert (found.proven[3:] == 0).all()


def test_a_sparse_table_gives_the_shares_of_a_dense_one():
    X, y = table()
    X = np.where(X > 0.5, X, 0.0)
    dense, thin = measured(Pearson(), X, y), measured(Pearson(), sparse.csc_array(X), y)
    np.testing.assert_allclose(thin.values, dense.values, rtol=1e-9, atol=1e-12)
    assert thin.chance == pytest.approx(dense.chance)


def test_names_and_numbers_are_compared_with_a_target_as_with_each_other():
    X, y = table(200)
    frame = pd.DataFrame(X).rename(columns=str)
    frame["town"] = np.where(X[:, 0] > 1, "a", np.where(X[:, 3] > 0, "b", "c"))
    for target in (pd.Series(y).map({0: "x", 1: "y", 2: "z"}), X[:, 0] + X[:, 4]):
        together = mixed(frame.assign(target=target))
        found = measured(Mixed(), typed_table(frame), target)
        np.testing.assert_allclose(found.values, together[-1, :-1], rtol=1e-9)


def test_information_is_that_of_the_measure():
    X, _ = table(300)
    target = X[:, 5] ** 2 + 0.1 * X[:, 6]
    together = mutual_information(np.column_stack([X, target]))
    found = measured(MutualInformation(), X, target)
    np.testing.assert_allclose(found.values, together[-1, :-1], rtol=1e-12)
    assert found.proven[5] > 0.5
    assert measured(Pearson(), X, target).proven[5] == 0
    assert measured(MutualInformation(), X, X[:, 5] > 0).proven[5] > 0.5


@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_the_chance_of_a_table_is_that_of_simulated_ones(n_classes):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 6))
    y = np.arange(40) % n_classes if n_classes else rng.normal(size=40)
    found = measured(Pearson(), X, y.astype(str) if n_classes else y)
    assert found.chance == pytest.approx(naive_floor(40, 6, n_classes), rel=0.12)


@pytest.mark.parametrize("measure", [Pearson(), Spearman(), Mixed()], ids=str)
@pytest.mark.parametrize("kind", ["classes", "two classes", "numbers"])
def test_noise_proves_nothing_in_95_of_100_tables(measure, kind):
    proven = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 12)), rng.normal(size=30)
        if kind != "numbers":
            y = rng.permutation(np.arange(30) % (2 if "two" in kind else 3)).astype(str)
        X = typed_table(X) if isinstance(measure, Mixed) else X
        proven += measured(measure, X, y).proven.any()
    # 5 % and the error of 300 tables.
    assert proven <= 300 * (0.05 + 2.5 * (0.05 * 0.95 / 300) ** 0.5)


def test_rows_without_a_target_do_not_count():
    X, y = table(90)
    some = np.arange(90) % 3 > 0
    given = np.where(some, y, np.nan)
    for measure in MEASURES:
        found, alone = measured(measure, X, given), measured(measure, X[some], y[some])
        np.testing.assert_allclose(found.values, alone.values, rtol=1e-12)
        assert found.chance == pytest.approx(alone.chance)


def test_the_relevance_for_several_targets_is_the_mean():
    X, y = table(90)
    other = X[:, 4] + 0.1 * X[:, 5]
    both = measured(Pearson(), X, np.column_stack([y, other]))
    one, two = (measured(Pearson(), X, target) for target in (y, other))
    np.testing.assert_allclose(both.values, (one.values + two.values) / 2, rtol=1e-12)
    frame = pd.DataFrame({"kind": y.astype(str), "amount": other})
    np.testing.assert_allclose(measured(Pearson(), X, frame).values, both.values)


def test_weights_are_relative_to_the_most_relevant_column():
    X, y = table()
    found = measured(Pearson(), X, y)
    nodes = found.of_nodes(Relevance(selected=0.5, represented=3))
    relative = found.values / found.values.max()
    np.testing.assert_allclose(nodes.weights.selected, relative**0.5)
    np.testing.assert_allclose(nodes.weights.represented, relative**3)
    assert nodes.least == pytest.approx((found.chance / found.values.max()) ** 3.5)
    assert (nodes.proven.represented[found.proven == 0] == 0).all()
