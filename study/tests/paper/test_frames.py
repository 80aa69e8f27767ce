"""The frames of a store: whose settings they show, and what they keep of a record."""

import pytest

from topofs_study.paper.frames import load
from topofs_study.paper.items import OutOfSample, Paired, Tuning
from topofs_study.paper.protocols import Setting
from topofs_study.paper.splits import Fold, Half
from topofs_study.paper.study import published_settings
from topofs_study.running.store import Store
from topofs_study.running.work_item import Record


def test_an_empty_store_gives_empty_frames(tmp_path):
    Store(tmp_path / "store.sqlite").close()
    frames = load(tmp_path / "store.sqlite")
    assert list(frames.scores) == [
        *("protocol", "dataset", "classifier", "n_features", "method", "metric"),
        *("value", "spread"),
    ]
    assert len(frames.tuned) == len(frames.pairs) == len(frames.splits) == 0
    assert list(frames.alignment)[-2:] == ["shifted", "aligned"]


def test_frames_choose_the_setting_of_their_source(tmp_path):
    printed = published_settings()["paper", "colon", "tfs", "KNN", 10].setting
    assert printed != Setting("pearson")

    def test_record(setting, value, sizes=(10,)):
        settings = (setting,) * len(sizes)
        item = OutOfSample("paper", "colon", "tfs", "KNN", sizes, settings)
        return Record(item, [[value, value, value]] * len(sizes), 1, 0.1)

    def tuning_record(fold):
        item = Tuning("paper", "colon", "tfs", "KNN", Fold(fold), (10,))
        return Record(item, [[0.7] + [0.6] * 12], 1, 0.1)

    def pair_record(method, half, value):
        setting = published_settings()["paper", "colon", method, "KNN", 10].setting
        item = Paired("paper", "colon", method, "KNN", Half(3, half), (10,), (setting,))
        return Record(item, [value], 1, 0.1)

    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.add(test_record(printed, 0.25))
        store.add(test_record(printed, 0.25, sizes=(10, 50)))
        store.add(pair_record("tfs", 0, 0.8))
        store.add(pair_record("inf_fs", 0, 0.7))
        store.add(pair_record("tfs", 1, 0.9))
        assert load(path).tuned["source"].unique().tolist() == ["replay"], "nothing is tuned"
        store.add(test_record(Setting("pearson"), 0.5))
        for fold in range(3):
            store.add(tuning_record(fold))
    tuned = load(path)
    assert tuned.scores["value"].tolist() == [0.5] * 3
    assert tuned.tuned[["similarity", "source"]].to_numpy().tolist() == [["pearson", "tuned"]]
    assert tuned.tuned["cv_balanced_accuracy"].tolist() == [pytest.approx(0.7)]
    assert len(tuned.pairs) == 0
    replayed = load(path, source="replay")
    assert replayed.scores["value"].tolist() == [0.25] * 3, "two records, one cell"
    assert replayed.tuned["source"].unique().tolist() == ["replay"]
    assert replayed.pairs[["repetition", "half", "tfs", "inf_fs"]].to_numpy().tolist() == [
        [3, 0, 0.8, 0.7]
    ]


def test_frames_keep_random_spread_and_alignment(tmp_path):
    path = tmp_path / "store.sqlite"
    random = OutOfSample("corrected", "colon", "random", "KNN", (10,))
    printed = published_settings()["paper", "colon", "tfs", "KNN", 10].setting
    shifted = OutOfSample("paper", "colon", "tfs", "KNN", (10,), (printed,))
    with Store(path) as store:
        store.add(Record(random, [[[0.2, 0.3, 0.4], [0.4, 0.3, 0.4]]], 2, 0.1))
        store.add(Record(shifted, [[0.1, 0.1, 0.1, 0.6, 0.5, 0.4]], 1, 0.1))
    frames = load(path)
    spread = frames.scores.query("method == 'random' and metric == 'balanced_accuracy'")
    assert spread[["value", "spread"]].to_numpy().round(4).tolist() == [[0.3, 0.1414]]
    assert frames.alignment[["shifted", "aligned"]].to_numpy().tolist() == [
        [0.1, 0.6],
        [0.1, 0.5],
        [0.1, 0.4],
    ]
