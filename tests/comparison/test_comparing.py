"""The comparison on one's own table."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import RepeatedStratifiedKFold

from topofs import InfiniteFeatureSelector, TopologicalFeatureSelector
from topofs.comparison.compare import compare
from topofs.comparison.prediction import (
    MODELS,
    TASKS,
    Resampling,
    fit_and_score,
    folds,
)
from topofs.comparison.rivals import subsets
from topofs.errors import TableError
from topofs.io.target import target_of
from topofs.io.types import Column, TypedTable, typed_table

X, y = load_wine(return_X_y=True)
QUICK = Resampling(n_folds=3, n_repeats=2, n_random=2)


@pytest.fixture(scope="module")
def found():
    return compare(X, target_of(y.astype(float)), sizes=[2, 0.5], resampling=QUICK)


def test_every_method_at_every_size_in_every_split(found):
    cells = {(scores.method, scores.n_features) for scores in found.scores}
    methods = ("tfs", "tfs_paper", "inf_fs", "variance", "random")
    sized = {(method, size) for method in methods for size in (2, 6)}
    assert cells == sized | {("all", 13)}
    assert all(len(scores.by_split) == 6 for scores in found.scores)
    assert json.loads(json.dumps(found.as_dict()))["sizes"] == [2, 6]


def test_the_score_of_a_split_is_that_of_columns_selected_on_its_training_rows(found):
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    labels = y.astype(float)
    for number, (train, test) in enumerate(splitter.split(X, labels)):
        for method, selector in (
            ("tfs", TopologicalFeatureSelector(6)),
            ("inf_fs", InfiniteFeatureSelector(6)),
        ):
            columns = selector.fit(X[train]).get_support()
            score = fit_and_score(
                "linear",
                "classification",
                (X[train][:, columns], y[train].astype(str)),
                (X[test][:, columns], y[test].astype(str)),
            )
            assert found.of(method, 6).by_split[number] == pytest.approx(score)


def test_the_test_is_the_corrected_one(found):
    differences = np.subtract(found.of("tfs", 6).by_split, found.of("random", 6).by_split)
    test = next(t for t in found.tests if (t.rival, t.n_features) == ("random", 6))
    assert test.difference == pytest.approx(differences.mean())
    deviation = differences.std(ddof=1) * np.sqrt(1 / 6 + 1 / 2)
    from scipy import stats

    p_value = 2 * stats.t.sf(abs(differences.mean() / deviation), 5)
    assert test.p_value == pytest.approx(p_value)


def test_the_same_seed_gives_the_same_and_another_gives_others(found):
    again = compare(X, target_of(y.astype(float)), sizes=[2, 0.5], resampling=QUICK)
    assert again == found
    other = Resampling(n_folds=3, n_repeats=2, n_random=2, random_state=1)
    assert compare(X, target_of(y.astype(float)), sizes=[2, 0.5], resampling=other) != found


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_data_frame_is_the_table_of_its_columns(frame):
    numbers, target = X[::3, :6].copy(), target_of(y[::3].astype(float))
    numbers[0, 0] = np.nan
    options = {"sizes": [2], "resampling": QUICK}
    table = frame({f"x{i}": numbers[:, i] for i in range(6)})
    assert compare(table, target, **options) == compare(numbers, target, **options)
    names = np.where(numbers[:, 1] > 2, "strong", "light").tolist()
    table = frame({"wine": names} | {f"x{i}": numbers[:, i] for i in range(4)})
    assert compare(table, target, **options) == compare(typed_table(table), target, **options)


def test_random_subsets_differ_and_variance_ranks():
    chosen = subsets(X, TopologicalFeatureSelector(), [3], n_random=4, seed=(0, 0))
    assert len({tuple(subset) for subset in chosen["random", 3]}) > 1
    assert chosen["variance", 3][0].tolist() == sorted(np.argsort(-X.var(axis=0))[:3])


def test_columns_that_are_constant_or_missing_in_a_part():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((40, 6))
    table[1:, 4] = 0.0
    table[2:, 5] = np.nan
    target = target_of(table[:, 0] + table[:, 1])
    found = compare(table, target, sizes=[2, 5], resampling=QUICK)
    assert found.of("all").mean > 0.9


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("model", MODELS)
def test_every_model_learns_something(model, task):
    rng = np.random.default_rng(0)
    table = rng.standard_normal((200, 2))
    table[5, 0] = np.nan
    values = np.nan_to_num(table[:, 0]) * 3 + table[:, 1]
    given = values if task == "regression" else (values > 0).astype(str)
    parts = (table[:100], given[:100]), (table[100:], given[100:])
    assert fit_and_score(model, task, *parts) > 0.7


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (np.repeat([0.0, 1.0], 20), "classification"),
        (np.repeat([0.5, 1.0], 20), "regression"),
        (np.arange(40.0), "regression"),
        (np.repeat(np.arange(60.0), 10), "regression"),
        (np.arange(40), "regression"),
        (np.repeat([0, 1], 20).astype(np.uint8), "classification"),
        (np.array([True, False] * 9, dtype=object), "classification"),
        (np.array(["a", "b"] * 9, dtype=object), "classification"),
    ],
)
def test_classes_or_numbers(values, task):
    assert target_of(values).task == task
    if values.dtype != object:
        assert target_of(values, task="classification").task == "classification"
        assert target_of(values, task="regression").y.dtype == float


def test_numbers_as_classes_are_never_merged():
    codes = np.repeat([1_000_001.0, 1_000_002.0, 1e17, 0.1, 0.1 + 2**-56, -0.0, 0.0], 5)
    target = target_of(codes, task="classification")
    assert set(target.classes) == {
        *("1000001", "1000002", "100000000000000000", "0"),
        *("0.1", "0.10000000000000002"),
    }
    assert (np.unique(target.y, return_counts=True)[1] == [10, 5, 5, 5, 5, 5]).all()
    large = np.repeat([2**53, 2**53 + 1], 5)
    found = target_of(large, task="classification")
    assert [found.classes[i] for i in found.y] == list(map(str, large.tolist()))
    with pytest.raises(TableError, match="infinite"):
        target_of(np.array([1.0, np.inf]), task="classification")


def test_one_long_class_costs_its_own_length_only():
    classes = np.array(["a", "b", "c" * 2**20] + ["a", "b"] * 1000, dtype=object)
    tracemalloc.start()
    target = target_of(classes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [target.classes[i] for i in target.y] == classes.tolist()
    assert peak < 2**24


@pytest.mark.parametrize("task", [None, *TASKS])
@pytest.mark.parametrize("nothing", [[None, None], [np.nan, np.nan], []])
def test_a_target_without_values(nothing, task):
    values = np.array(nothing, dtype=object if None in nothing else float)
    with pytest.raises(TableError, match="every value of the target is missing"):
        target_of(values, task=task)


def test_rare_classes_are_borne_and_too_few_rows_are_not():
    rare = target_of(np.array(["a"] * 20 + ["b"] * 20 + ["c"], dtype=object))
    assert len(folds(rare, Resampling())) == 10
    assert compare(np.random.default_rng(0).standard_normal((41, 4)), rare, sizes=[2]).scores
    with pytest.raises(TableError, match="fewer --folds"):
        folds(target_of(np.array(["a", "b", "b"], dtype=object)), Resampling())
    with pytest.raises(TableError, match="pairs of rows"):
        folds(target_of(np.arange(6.0) / 7), Resampling())


def test_progress_is_told():
    told = []
    compare(
        X,
        target_of(y.astype(float)),
        sizes=[1],
        resampling=Resampling(n_folds=2, n_repeats=1, n_random=1),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(1, 2), (2, 2)]


def mixed(n_samples=120):
    """Names that decide the class, one that follows them, and numbers that are noise."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, n_samples).astype(float)
    follows = np.where(rng.random(n_samples) < 0.9, kind, 3.0)
    truth = (rng.random(n_samples) < 0.5).astype(float)
    kind[::15] = np.nan
    table = TypedTable(
        (
            Column("kind", nominal=True, values=kind),
            Column("a", nominal=False, values=rng.standard_normal(n_samples)),
            Column("follows", nominal=True, values=follows),
            Column("truth", nominal=True, values=truth),
            Column("b", nominal=False, values=10 * rng.standard_normal(n_samples)),
        )
    )
    return table, np.where(kind == 1, "yes", "no").astype(object)


def test_methods_that_need_numbers_take_names_last_and_truth_values_as_numbers():
    table, _ = mixed()
    chosen = subsets(table, TopologicalFeatureSelector(), [3, 4], n_random=1, seed=(0,))
    for method in ("tfs_paper", "inf_fs", "variance"):
        assert chosen[method, 3][0].tolist() == [1, 3, 4]
        assert chosen[method, 4][0].tolist() == [0, 1, 3, 4]
    assert chosen["variance", 3][0].tolist() == [1, 3, 4]
    only_names = TypedTable((table.columns[0], table.columns[2]))
    chosen = subsets(only_names, TopologicalFeatureSelector(), [1], n_random=1, seed=(0,))
    for method in ("tfs_paper", "inf_fs", "variance"):
        assert chosen[method, 1][0].tolist() == [0]


def test_the_published_method_stands_beside_the_default():
    chosen = subsets(X, TopologicalFeatureSelector(), [4], n_random=1, seed=(0,))
    paper = TopologicalFeatureSelector.paper(4).fit(X).get_support(indices=True)
    assert chosen["tfs_paper", 4][0].tolist() == paper.tolist()
    default = TopologicalFeatureSelector(4).fit(X).get_support(indices=True)
    assert chosen["tfs", 4][0].tolist() == default.tolist()


def test_at_auto_all_have_as_many_columns_as_the_selector_takes():
    chosen = subsets(X, TopologicalFeatureSelector(), ["auto"], n_random=3, seed=(0,))
    size = TopologicalFeatureSelector().fit(X).n_features_
    assert {len(subset) for cell in list(chosen)[:-1] for subset in chosen[cell]} == {size}


def test_sizes_are_ordered_and_auto_comes_last():
    target = target_of(y.astype(float))
    few = Resampling(n_folds=2, n_repeats=1, n_random=1)
    found = compare(X, target, sizes=["auto", 6, 2], resampling=few)
    assert found.sizes == (2, 6, "auto")
    assert len(found.auto_sizes) == 2
    assert [found.size_name(size) for size in found.sizes[:2]] == ["2", "6"]
    assert found.size_name("auto") == f"auto ({np.mean(found.auto_sizes):.0f})"
    assert len(found.tests) == 3 * 5
    degree = TopologicalFeatureSelector(rule="degree")
    assert compare(X, target, selector=degree, resampling=few).auto_sizes == ()
    with pytest.raises(ValueError, match="which needs rule='coverage' or 'variance'"):
        compare(X, target, selector=degree, sizes=["auto"], resampling=few)


@pytest.mark.parametrize("model", MODELS)
def test_names_are_one_column_a_level_of_the_training_rows(model):
    table, labels = mixed()
    found = compare(table, target_of(labels), sizes=[1, 5], model=model, resampling=QUICK)
    assert found.of("tfs", 1).mean > 0.85
    assert found.of("variance", 1).mean < 0.75
    given = np.array([None if i % 9 == 0 else label for i, label in enumerate(labels)])
    fewer = compare(table, target_of(given), sizes=[1], model=model, resampling=QUICK)
    assert fewer.n_samples == sum(label is not None for label in given)


def test_a_level_that_is_new_in_the_test_part_is_no_level():
    codes = np.array([[0.0], [0.0], [1.0], [1.0], [2.0], [np.nan]])
    labels = np.array(["a", "a", "b", "b", "a", "b"])
    score = fit_and_score(
        *("tree", "classification"),
        (codes[:4], labels[:4]),
        (codes, labels),
        nominal=np.array([True]),
    )
    assert 0 <= score <= 1


def test_a_part_of_one_class_is_scored_without_a_word():
    train = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    assert fit_and_score("tree", "classification", train, (train[0][:2], train[1][:2])) == 1.0


def test_a_target_is_read_where_it_is_not_read_yet():
    X = np.random.default_rng(0).normal(size=(60, 4))
    few = Resampling(n_folds=2, n_repeats=1, n_random=1)
    y = np.where(X[:, 0] > 0, "a", "b")
    read = compare(X, target_of(y), sizes=[2], resampling=few)
    for given in (y, y.tolist(), pd.Series(y), pd.Series(y, dtype="category")):
        assert compare(X, given, sizes=[2], resampling=few) == read
    # A missing value among text is no class.
    gaps = [*y[:-10].tolist(), *[np.nan] * 10]
    assert compare(X, gaps, sizes=[2], resampling=few).n_samples == 50
    for wrong, message in ((y[:5], "60 rows and y has 5"), (y[:, None], r"shape \(60, 1\)")):
        with pytest.raises(ValueError, match=message):
            compare(X, wrong, sizes=[2], resampling=few)
