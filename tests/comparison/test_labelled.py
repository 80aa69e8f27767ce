"""Rivals that select for a target."""

import sys
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import (
    RFE,
    SelectKBest,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.preprocessing import StandardScaler

from tests.messages import assert_tells
from topofs import TopologicalFeatureSelector
from topofs.comparison import Resampling, compare
from topofs.comparison.compare import _rivals
from topofs.comparison.labelled import LABELLED_METHODS, MOST_FOR_RFE, ranking_by_labels
from topofs.comparison.rivals import UNLABELLED, subsets
from topofs.errors import MissingExtraError
from topofs.io.target import target_of

QUICK = Resampling(n_folds=3, n_repeats=1, n_random=2)
TABLES = {"classes": (*load_wine(return_X_y=True), True)} | {
    "numbers": (*load_diabetes(return_X_y=True), False)
}
OWN = [method for method in LABELLED_METHODS if method != "fastcan"]


@pytest.fixture(params=TABLES)
def table(request):
    return TABLES[request.param]


def ranked(method, X, y, is_class, n_wanted=None):
    n_wanted = X.shape[1] if n_wanted is None else n_wanted
    return ranking_by_labels(method, X, y, is_class=is_class, n_wanted=n_wanted).tolist()


def naive_f(column, y, is_class):
    """F of one column: explained over unexplained variance, each by its degrees of freedom."""
    if not is_class:
        r = np.corrcoef(column, y)[0, 1]
        return r**2 / (1 - r**2) * (len(y) - 2)
    groups = [column[y == c] for c in np.unique(y)]
    between = sum(len(g) * (g.mean() - column.mean()) ** 2 for g in groups) / (len(groups) - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (len(y) - len(groups))
    return between / within


def naive_mrmr(X, y, is_class):
    n = X.shape[1]
    f = [naive_f(X[:, j], y, is_class) for j in range(n)]
    order = [max(range(n), key=lambda j: f[j])]
    while len(order) < n:

        def value(j):
            r = [abs(np.corrcoef(X[:, j], X[:, i])[0, 1]) for i in order]
            return f[j] / max(np.mean(r), 0.001)

        order.append(max((j for j in range(n) if j not in order), key=value))
    return order


def test_mrmr_is_the_naive_one(table):
    assert ranked("mrmr", *table) == naive_mrmr(*table)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 12))
    X[:, 6:] += X[:, :6]
    y = (X[:, 0] + X[:, 7] > 0).astype(int) if table[2] else X[:, 0] + X[:, 7]
    assert ranked("mrmr", X, y, table[2]) == naive_mrmr(X, y, table[2])
    assert ranked("mrmr", X, y, table[2], 4)[:4] == naive_mrmr(X, y, table[2])[:4]


def test_the_best_one_by_one_are_those_of_scikit_learn(table):
    X, y, is_class = table
    information = mutual_info_classif if is_class else mutual_info_regression
    for method, score in (
        ("f", f_classif if is_class else f_regression),
        ("mutual_information", partial(information, random_state=0)),
    ):
        scaled = StandardScaler().fit_transform(X)
        best = SelectKBest(score, k=4).fit(scaled, y).get_support(indices=True)
        assert sorted(ranked(method, *table)[:4]) == best.tolist()


def test_elimination_is_that_of_scikit_learn(table):
    X, y, is_class = table
    model = RidgeClassifier(class_weight="balanced") if is_class else Ridge()
    kept = RFE(model, n_features_to_select=4).fit(StandardScaler().fit_transform(X), y)
    assert sorted(ranked("rfe", *table)[:4]) == kept.get_support(indices=True).tolist()


def test_fastcan_takes_classes_one_by_one_and_goes_on_behind_copies(table):
    fastcan = pytest.importorskip("fastcan")
    X, y, is_class = table
    outputs = np.eye(3)[y] if is_class else y
    own = fastcan.FastCan(5, verbose=0).fit(StandardScaler().fit_transform(X), outputs)
    assert ranked("fastcan", *table)[:5] == own.indices_.tolist()
    copies = np.hstack([X[:, :4], 2 * X[:, :4]])
    assert sorted(ranked("fastcan", copies, y, is_class)) == list(range(8))


@pytest.mark.parametrize("method", OWN)
def test_the_column_that_tells_the_target_comes_first(method):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 8)), np.repeat([0, 1, 2], 20)
    X[:, 5] = y
    assert ranked(method, X, y, True)[0] == 5
    assert ranked(method, X, X[:, 3] + 0.01 * X[:, 4], False)[0] == 3


@pytest.mark.parametrize("method", OWN)
def test_missing_values_are_medians_and_constant_columns_come_last(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = (X[:, 2] > 0).astype(int)
    filled = X.copy()
    X[::7, 2] = np.nan
    filled[::7, 2] = np.nanmedian(X[:, 2])
    X[:, 4], X[:, 0] = np.nan, 3.0
    filled[:, 4], filled[:, 0] = 1.0, 3.0
    found = ranked(method, X, y, True)
    assert found == ranked(method, filled, y, True)
    assert (sorted(found), found[0], found[-2:]) == (list(range(8)), 2, [0, 4])
    nothing = np.full((60, 3), 2.0)
    assert ranked(method, nothing, y, True) == [0, 1, 2]


def noise():
    rng = np.random.default_rng(2)
    return rng.normal(size=(90, 100)), rng.permutation(np.repeat(["heads", "tails"], 45))


def test_a_target_of_noise_is_predicted_at_chance():
    X, y = noise()
    selector = TopologicalFeatureSelector(relevance="target")
    folds = Resampling(n_repeats=1)
    found = compare(X, y, selector=selector, methods=OWN, sizes=[10], resampling=folds)
    for method in ("tfs", *OWN):
        assert abs(found.of(method, 10).mean - 0.5) < 0.1, method
    # Columns that all rows select predict it better than chance.
    for method in ("f", "mrmr", "rfe"):
        columns = ranked(method, X, (y == "tails").astype(int), True)[:10]
        outside = compare(X[:, columns], y, methods=["all"], sizes=[1], resampling=folds)
        assert outside.of("all").mean > 0.65, method


def test_without_a_relevant_column_the_automatic_size_predicts_nothing():
    X, y = noise()
    selector = TopologicalFeatureSelector(relevance="target")
    settings = {"selector": selector, "methods": ["f", "random"], "resampling": QUICK}
    found = compare(X, y, sizes=["auto"], **settings)
    assert found.auto_sizes == (0, 0, 0)
    assert {(s.method, s.mean) for s in found.scores} == {
        (method, 0.5) for method in ("tfs", "f", "random")
    }
    numbers = compare(X, X[::-1, 0] + 0.5, sizes=["auto"], **settings)
    assert all(-0.5 < s.mean <= 0 for s in numbers.scores)


def test_the_target_counts_on_the_training_rows_only():
    X, y = load_wine(return_X_y=True)
    rows = np.arange(len(y)) % 3 > 0
    names = np.array(["red", "white", "rose"], dtype=object)[y]
    selector = TopologicalFeatureSelector(relevance="target")
    target = target_of(names[rows])
    chosen = subsets(
        *(X[rows], selector, [4]), n_random=1, seed=(0,), target=target, methods=["mrmr"]
    )
    own = TopologicalFeatureSelector(4, relevance="target").fit(X[rows], names[rows])
    assert set(chosen) == {("tfs", 4), ("mrmr", 4)}
    assert chosen["tfs", 4][0].tolist() == own.get_support(indices=True).tolist()
    assert chosen["mrmr", 4][0].tolist() == sorted(naive_mrmr(X[rows], y[rows], True)[:4])


def test_an_excluded_column_stands_in_for_no_other():
    X, y = load_wine(return_X_y=True)
    selector = TopologicalFeatureSelector(exclude=[6])
    chosen = subsets(
        *(X, selector, [4]), n_random=1, seed=(0,), target=target_of(y), methods=["mrmr"]
    )
    rest = np.delete(np.arange(13), 6)
    assert chosen["mrmr", 4][0].tolist() == sorted(rest[naive_mrmr(X[:, rest], y, True)[:4]])


def test_which_methods_there_are_by_default():
    def methods(n_columns=13, **settings):
        return set(_rivals(None, TopologicalFeatureSelector(**settings), n_columns))

    assert methods() == methods(relevance=np.ones(13)) == {*UNLABELLED}
    assert methods(relevance="target") == methods(relevance=f_classif) == {*UNLABELLED, *OWN}
    assert methods(MOST_FOR_RFE, relevance="target") == {*UNLABELLED, *OWN}
    assert methods(MOST_FOR_RFE + 1, relevance="target") == {*UNLABELLED, *OWN} - {"rfe"}


def test_named_methods_and_wrong_ones(monkeypatch):
    X, y = load_wine(return_X_y=True)
    found = compare(X, y, methods=["random", "mrmr", "tfs"], sizes=[2], resampling=QUICK)
    assert [scores.method for scores in found.scores] == ["tfs", "mrmr", "random"]
    assert {test.rival for test in found.tests} == {"mrmr", "random"}
    with pytest.raises(ValueError, match="mrmr") as error:
        compare(X, y, methods=["mRMR"])
    assert_tells(error.value, "mRMR", "fastcan")
    wide = np.random.default_rng(0).normal(size=(178, MOST_FOR_RFE + 1))
    with pytest.raises(ValueError, match="rfe") as error:
        compare(wide, y, methods=["rfe"])
    assert_tells(error.value, "601", "600")
    monkeypatch.setitem(sys.modules, "fastcan", None)
    with pytest.raises(MissingExtraError, match="fastcan"):
        compare(X, y, methods=["fastcan"])
