"""Records are right, and do not depend on the work that came before."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score, matthews_corrcoef
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from topofs_study.datasets import Dataset, load
from topofs_study.paper.items import (
    ClassCounts,
    OutOfSample,
    StudyWorkspace,
    Tuning,
    score_classifier,
)
from topofs_study.paper.protocols import GRIDS, PROTOCOLS, Setting
from topofs_study.paper.splits import (
    PAIR_SEEDS,
    TEST_PART,
    Fold,
    halves,
    train_test,
    tuning_folds,
)
from topofs_study.paper.study import Study, winners
from topofs_study.running.driver import compute_record, run_task
from topofs_study.running.work_item import Record


@pytest.fixture(scope="module")
def wine():
    return load("wine")


@pytest.fixture(scope="module")
def rare_columns():
    """Counts, many of them 0: some columns are constant on the training part or in a fold."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = (rng.random((60, 40)) < 0.05).astype(float)
    X[:, 10:20] += y[:, None] * rng.random((60, 10))
    X[:, 0] = 0.0
    return Dataset("rare", X, y)


def test_splits_repeat_the_paper_s():
    y = np.arange(90) % 3
    X = np.arange(180.0).reshape(90, 2)
    split = train_test(X, y)
    assert split.X_train.shape == (63, 2)
    np.testing.assert_array_equal(split.X_train[0], X[int(split.X_train[0, 0] / 2)])
    provided = train_test(X, y, test_rows=slice(80, 90))
    np.testing.assert_array_equal(provided.X_test, X[80:])
    np.testing.assert_array_equal(provided.X_train, X[:80])
    assert [len(test) for _, test in tuning_folds(split.y_train)] == [21, 21, 21]


def test_halves_are_stratified_by_text_or_not_at_all():
    y = np.repeat(np.arange(1, 13), 4)
    first, second = halves(y, PAIR_SEEDS[0])
    assert np.bincount(y[first])[1:].tolist() == [2] * 12
    assert sorted([*first, *second]) == list(range(48))
    with_a_single = np.append(y, 99)
    assert len(halves(with_a_single, 13)[0]) == 24


def test_corrected_tuning_is_a_cross_validation_of_the_ranking(wine):
    """Against scikit-learn's own cross-validation, with the ranking as a fixed subset."""
    item = Tuning("corrected", "wine", "tfs", "KNN", Fold(1), (4,))
    workspace = StudyWorkspace(wine)
    record = compute_record(item, workspace)
    order = workspace.rankings("corrected", Fold(1), "tfs", GRIDS["tfs"])[0]
    split = train_test(wine.X, wine.y)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    scores = cross_val_score(
        model,
        split.X_train[:, order[:4]],
        split.y_train,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        scoring="balanced_accuracy",
    )
    assert record.result[0][0] == scores[1]


def test_the_three_scores_are_those_of_scikit_learn(wine):
    item = OutOfSample("corrected", "wine", "all", "DecisionTree", (13,))
    scores = compute_record(item, StudyWorkspace(wine)).result[0]
    split = train_test(wine.X, wine.y)
    scaler = StandardScaler().fit(split.X_train)
    model = DecisionTreeClassifier(random_state=0)
    model.fit(scaler.transform(split.X_train), split.y_train)
    predicted = model.predict(scaler.transform(split.X_test))
    assert scores[1] == f1_score(split.y_test, predicted, average="macro")
    assert scores[2] == pytest.approx(matthews_corrcoef(split.y_test, predicted))


@pytest.mark.parametrize("protocol", ["paper", "corrected"])
@pytest.mark.parametrize("method", ["tfs", "inf_fs"])
def test_a_record_does_not_depend_on_earlier_items(wine, protocol, method):
    items = [Tuning(p, "wine", method, "KNN", Fold(0), (3, 5)) for p in ("corrected", "paper")]
    shared = StudyWorkspace(wine)
    together = {item.protocol: compute_record(item, shared) for item in items}
    item = next(item for item in items if item.protocol == protocol)
    assert compute_record(item, StudyWorkspace(wine)).result == together[protocol].result
    again = compute_record(item, shared)
    assert again.n_fits == 0
    assert again.result == together[protocol].result


def test_constant_columns_rank_last_when_corrected(rare_columns):
    workspace = StudyWorkspace(rare_columns)
    kept = workspace.kept("corrected")
    assert 0 not in kept
    for method in ("tfs", "inf_fs"):
        order = workspace.rankings("corrected", Fold(0), method, GRIDS[method][:1])[0]
        fold = workspace.part(Fold(0)).X_train[:, kept]
        constant = np.flatnonzero(np.ptp(fold, axis=0) == 0)
        assert len(constant) > 0
        np.testing.assert_array_equal(order[-len(constant) :], constant)
        assert sorted(order) == list(range(len(kept)))


def test_e1_shifts_the_test_columns_of_the_paper_only(rare_columns):
    item = OutOfSample("paper", "rare", "tfs", "KNN", (5,), (Setting("pearson"),))
    workspace = StudyWorkspace(rare_columns)
    positions = workspace.rankings("paper", TEST_PART, "tfs", item.settings)[0][:5]
    columns = workspace.kept("paper")[positions]
    assert (columns != positions).any()
    shifted = score_classifier("KNN", workspace.whole, columns, positions)
    aligned = score_classifier("KNN", workspace.whole, columns, columns)
    assert compute_record(item, workspace).result[0] == shifted + aligned
    right = replace(item, protocol="corrected")
    assert len(compute_record(right, StudyWorkspace(rare_columns)).result[0]) == 3


def test_e2_reads_other_columns_than_it_ranked(rare_columns):
    workspace = StudyWorkspace(rare_columns)
    order = workspace.rankings("paper", Fold(0), "tfs", [Setting("pearson")])[0]
    fold = workspace.part(Fold(0)).X_train[:, workspace.kept("paper")]
    n_varying = int((np.ptp(fold, axis=0) > 0).sum())
    assert sorted(order) == list(range(n_varying)), "positions, whatever was dropped"


def test_random_subsets_are_the_same_for_every_classifier_and_spread(wine):
    workspace = StudyWorkspace(wine)
    record = compute_record(OutOfSample("corrected", "wine", "random", "KNN", (2,)), workspace)
    scores = np.array(record.result[0])
    assert scores.shape == (10, 3)
    assert len(np.unique(scores[:, 0])) > 3
    again = compute_record(record.item, StudyWorkspace(wine))
    assert again.result == record.result


def test_the_variance_baseline_takes_the_widest_columns(wine):
    workspace = StudyWorkspace(wine)
    item = OutOfSample("corrected", "wine", "variance", "KNN", (2,))
    expected = np.argsort(-workspace.whole.X_train.var(axis=0))[:2]
    assert compute_record(item, workspace).result[0] == item.score(workspace, expected)


def test_class_counts(wine):
    record = compute_record(ClassCounts("paper", "wine"), StudyWorkspace(wine))
    counts = record.result["counts"]
    assert sum(count for _, count in counts["train"]) == 124
    assert sum(count for _, count in counts["test"]) == 54
    assert (
        Study(datasets=("wine",)).shape_of(wine).n_features
        == record.result["n_features_after"]
        == 13
    )


def test_rounding_decides_the_winner_of_the_paper_only():
    means = [0.7949, 0.7951, 0.8049]
    assert PROTOCOLS["paper"].winner(means) == 1
    assert PROTOCOLS["corrected"].winner(means) == 2


def test_winners_need_every_fold():
    def record(protocol, fold, scores):
        item = Tuning(protocol, "wine", "tfs", "KNN", Fold(fold), (3,))
        return Record(item, [scores], 0, 0.0)

    scores = [[0.5] * 13 for _ in range(3)]
    scores[0][4], scores[1][2] = 0.506, 0.51
    records = [record(p, k, scores[k]) for p in PROTOCOLS for k in range(3)]
    found = winners(records)
    assert found["paper", "wine", "tfs", "KNN", 3].setting == GRIDS["tfs"][0]
    assert found["corrected", "wine", "tfs", "KNN", 3].setting == GRIDS["tfs"][2]
    assert winners(records[:2]) == {}


def test_fits_are_counted():
    items = [
        Tuning(protocol, "wine", "tfs", "KNN", Fold(0), (2, 3))
        for protocol in ("paper", "corrected")
    ]
    made = [record.n_fits for record in run_task(tuple(items), None)]
    one_by_one = len(GRIDS["tfs"]) * 2
    assert made[0] <= one_by_one
    assert sum(made) < 2 * one_by_one, "equal subsets are fitted once"
