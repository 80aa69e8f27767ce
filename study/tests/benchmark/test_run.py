"""One item in, one record out; the test part is seen by nothing but the scores."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_wine

from topofs_study.benchmark.methods import METHODS, rank_columns
from topofs_study.benchmark.plan import Benchmark, SplitWorkspace, varying_split
from topofs_study.benchmark.unseen_rows import CLASSIFIERS, MEASURES, UnseenRows
from topofs_study.paper.protocols import GRIDS, PROTOCOLS
from topofs_study.paper.splits import TrainTest, tuning_folds
from topofs_study.running.driver import compute_record, run_task
from topofs_study.running.work_item import Shape

X, Y = load_wine(return_X_y=True)
SHAPES = {"wine": Shape(142, 13, 3)}
SPLIT, KEPT = varying_split(X, Y, 0)


def items(*methods):
    plan = Benchmark(("wine",), methods or METHODS, sizes=(3, 6), n_splits=1, n_seeds=2)
    return {item.method: item for item in plan.every_item(SHAPES, None)}


def workspace(split):
    return SplitWorkspace(split, np.arange(split.X_train.shape[1]), 13)


def scores(record):
    return {(size, seed, name): value for size, _, seed, name, value in record.result["rows"]}


@pytest.fixture(scope="module")
def records():
    return {record.item.method: record for record in run_task(tuple(items().values()), None)}


def test_splits_are_stratified_and_without_constant_columns():
    table = np.column_stack([X, np.ones(len(X))])
    split, kept = varying_split(table, Y, 3)
    assert split.X_train.shape == (142, 13)
    assert split.X_test.shape == (36, 13)
    assert kept.tolist() == list(range(13))
    share = np.bincount(split.y_train) / np.bincount(Y)
    np.testing.assert_allclose(share, 0.8, atol=0.02)
    assert not np.array_equal(split.X_train, varying_split(table, Y, 4)[0].X_train)


def test_a_column_that_varies_only_in_the_test_part_is_dropped():
    extra = np.zeros(len(X))
    test_rows = [i for i, row in enumerate(X) if (SPLIT.X_test == row).all(axis=1).any()]
    extra[test_rows] = np.arange(len(test_rows))
    split, kept = varying_split(np.column_stack([extra, X]), Y, 0)
    assert split.X_train.shape[1] == 13
    assert kept.tolist() == list(range(1, 14))


def test_selection_does_not_see_the_test_part(records):
    # Other test rows leave every number of columns as it is, and the labels play no part.
    changed = TrainTest(SPLIT.X_train, SPLIT.y_train[::-1], SPLIT.X_test * 2, SPLIT.y_test)
    again = compute_record(items("coverage")["coverage"], workspace(changed))
    sizes = [row[:2] for row in records["coverage"].result["rows"]]
    assert [row[:2] for row in again.result["rows"]] == sizes


def test_every_cut_of_a_ranking_is_scored_with_every_classifier(records):
    found = scores(records["variance"])
    assert set(found) == {(size, 0, name) for size in ("3", "6") for name in CLASSIFIERS}
    columns = np.sort(rank_columns("variance", SPLIT.X_train).columns[:3])
    accuracies, measures = UnseenRows(SPLIT).everything(columns)
    assert {name: found["3", 0, name] for name in CLASSIFIERS} == accuracies
    rows = records["variance"].result["measures"]
    assert {name: value for size, _, name, value in rows if size == "3"} == measures
    assert set(measures) == set(MEASURES)


def test_all_columns_and_the_automatic_size(records):
    assert {row[:2] for row in records["all"].result["rows"]} == {("all", 13)}
    kept = {row[:2] for row in records["coverage"].result["rows"]}
    assert kept == {
        ("3", 3),
        ("6", 6),
        ("auto", rank_columns("coverage", SPLIT.X_train).n_auto),
    }


def test_random_subsets_have_a_score_a_seed(records):
    found = scores(records["random"])
    assert {seed for _, seed, _ in found} == {0, 1}
    assert scores(compute_record(items("random")["random"], workspace(SPLIT))) == found
    assert records["random"].n_fits == 2 * 2 * 2


def test_tuning_takes_the_best_of_the_grid_on_the_folds(records):
    means = []
    for setting in GRIDS["tfs"]:
        by_fold = []
        for train, validation in tuning_folds(SPLIT.y_train):
            part = SPLIT.rows(train, validation)
            columns = np.sort(PROTOCOLS["corrected"].ranker(part.X_train).tfs(setting)[:3])
            by_fold.append(UnseenRows(part).score("KNN", columns))
        means.append(np.mean(by_fold))
    best = GRIDS["tfs"][int(np.argmax(np.round(means, 12)))]
    columns = np.sort(PROTOCOLS["corrected"].ranker(SPLIT.X_train).tfs(best)[:3])
    expected = UnseenRows(SPLIT).score("KNN", columns)
    assert scores(records["tfs_tuned"])["3", 0, "KNN"] == expected


def test_results_survive_json(records):
    for record in records.values():
        again = json.loads(json.dumps(record.result))
        assert [tuple(row) for row in again["rows"]] == record.result["rows"]
        assert again["n_varying"] == 13


def test_sizes_beyond_the_columns_that_vary_are_left_out():
    narrow, _ = varying_split(X[:, :4], Y, 0)
    assert {
        row[0]
        for row in compute_record(items("variance")["variance"], workspace(narrow)).result[
            "rows"
        ]
    } == {"3"}


def test_the_columns_at_fifty_are_those_of_the_dataset():
    table = np.random.default_rng(0).standard_normal((40, 61))
    table[:, 0] = 1.0
    split, kept = varying_split(table, np.arange(40) % 2, 0)
    plan = Benchmark(("noise",), ("variance", "random"), sizes=(3,), n_splits=1, n_seeds=2)
    found = {
        item.method: item.compute(SplitWorkspace(split, kept, 61))
        for item in plan.every_item({"noise": Shape(32, 61, 2)}, None)
    }
    order = rank_columns("variance", split.X_train).columns
    assert found["variance"]["chosen"] == [[0, sorted((order[:50] + 1).tolist())]]
    assert found["variance"]["n_columns"] == 61
    assert [seed for seed, _ in found["random"]["chosen"]] == [0, 1]
    assert all(len(set(chosen)) == 50 for _, chosen in found["random"]["chosen"])
