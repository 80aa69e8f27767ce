"""Means, gains and tests, checked by hand on a made-up benchmark."""

import pandas as pd
import pytest

from topofs_study.benchmark.frames import (
    at_fixed_sizes,
    common_cells,
    completeness,
    mean_cells,
    missing_parts,
    scores_frame,
    within_plan,
)
from topofs_study.benchmark.plan import Benchmark, BenchmarkItem
from topofs_study.benchmark.summary import gains_by_size, means_by_size, summarise
from topofs_study.running.work_item import Record


def record(dataset, split, method, rows, seeds=range(0)):
    item = BenchmarkItem(dataset, method, split, seeds=seeds)
    return Record(item, {"n_varying": 40, "rows": rows}, n_fits=1, seconds=0.1)


def rows(*values, size="10", seed=0):
    """Three classifiers at a size, or at 10 and 50."""
    names = ("LinearSVM", "KNN", "DecisionTree")
    n_features = int(size) if size.isdecimal() else 4
    return [(size, n_features, seed, n, v) for n, v in zip(names, values, strict=True)]


def made_up():
    """Two datasets, two splits; by hand: random 0.5 and 0.6, coverage 0.7 and 0.5."""
    records = []
    for split, shift in ((0, 0.0), (1, 0.1)):
        for dataset, random, coverage in (("a", 0.45, 0.65), ("b", 0.55, 0.45)):
            for seed in range(2):
                values = [random + shift + (0.05 if seed else -0.05)] * 3
                records.append(
                    record(
                        dataset,
                        split,
                        "random",
                        rows(*values, seed=seed),
                        range(seed, seed + 1),
                    )
                )
            value = coverage + shift
            both = rows(value, value, value) + rows(0.8, 0.7, 0.6, size="auto")
            records.append(record(dataset, split, "coverage", both))
            records.append(record(dataset, split, "all", rows(0.9, 0.5, 0.1, size="all")))
    return records


@pytest.fixture
def frame():
    return scores_frame(made_up())


def test_the_frame_has_a_row_a_score(frame):
    assert len(frame) == 2 * 2 * (2 * 3 + 6 + 3)
    assert frame.loc[frame["method"] == "random", "seed"].nunique() == 2
    assert list(frame.columns)[:4] == ["dataset", "split", "method", "size"]


def test_random_subsets_are_averaged(frame):
    cells = mean_cells(frame)
    first = cells[
        (cells["method"] == "random") & (cells["dataset"] == "a") & (cells["split"] == 0)
    ]
    assert first["balanced_accuracy"].tolist() == pytest.approx([0.45] * 3)
    assert set(first["n_seeds"]) == {2}


def test_means_gains_and_datasets_ahead(frame):
    summary = summarise(frame, n_draws=50)
    group = summary.label_free
    assert group.by_size.loc["random", "mean"] == pytest.approx(0.55)
    assert group.by_size.loc["coverage", "10"] == pytest.approx(0.6)
    assert group.by_dataset.loc["a"].to_dict() == pytest.approx(
        {"random": 0.5, "coverage": 0.7}
    )
    gain = group.gains.iloc[0]
    assert (gain["method"], gain["ahead"], gain["n_datasets"]) == ("coverage", 1, 2)
    assert gain["gain"] == pytest.approx(0.05)
    assert gain["wilcoxon"] == gain["holm"] == 1.0
    assert group.comparison.average_ranks.to_dict() == {"random": 1.5, "coverage": 1.5}


def test_the_lead_by_dataset_and_size(frame):
    wide = common_cells(at_fixed_sizes(mean_cells(frame)), ["random", "coverage"])
    leads = gains_by_size(wide, "coverage", "random")
    assert leads["10"].to_dict() == pytest.approx({"a": 0.2, "b": -0.1})
    assert leads["mean"].to_dict() == pytest.approx({"a": 0.2, "b": -0.1})
    by_classifier = means_by_size(wide, "classifier")
    assert by_classifier.loc["coverage", "KNN"] == pytest.approx(0.6)


def test_only_common_cells_are_compared():
    records = [r for r in made_up() if (r.item.method, r.item.split) != ("coverage", 1)]
    summary = summarise(scores_frame(records), n_draws=50)
    assert summary.label_free.n_splits == 1
    # Both of them on split 0 only: the means of split 1 must not lift the random subsets.
    assert summary.label_free.by_size.loc["random", "mean"] == pytest.approx(0.5)


def test_datasets_may_have_different_numbers_of_splits():
    gone = ("b", "coverage", 1)
    records = [r for r in made_up() if (r.item.dataset, r.item.method, r.item.split) != gone]
    group = summarise(scores_frame(records), n_draws=50).label_free
    assert (group.n_splits, group.most_splits, group.splits) == (1, 2, "1 to 2")


def test_tuning_is_compared_on_its_own_splits(frame):
    tuned = [record(name, 0, "tfs_tuned", rows(0.9, 0.9, 0.9)) for name in "ab"]
    summary = summarise(pd.concat([frame, scores_frame(tuned)]), n_draws=50)
    assert summary.label_free.n_splits == 2
    assert summary.with_labels.n_splits == 1
    assert summary.with_labels.by_size.loc["coverage", "mean"] == pytest.approx(0.55)
    assert "tfs_tuned" not in summary.label_free.by_size.index


def test_the_best_published_setting_has_the_highest_mean(frame):
    extra = [
        record(name, split, method, rows(value, value, value))
        for name in "ab"
        for split in (0, 1)
        for method, value in (("tfs_pearson", 0.4), ("tfs_spearman", 0.6))
    ]
    summary = summarise(pd.concat([frame, scores_frame(extra)]), n_draws=50)
    assert summary.best_published == "tfs_spearman"


def test_the_automatic_size_against_all_columns(frame):
    auto = summarise(frame, n_draws=50).auto
    assert auto.by_method.iloc[0].to_dict() == pytest.approx(
        {
            "method": "coverage",
            "n_datasets": 2,
            "share": 0.1,
            "LinearSVM": -0.1,
            "KNN": 0.2,
            "lead": 0.05,
        }
    )
    assert auto.by_dataset["n_auto"].tolist() == [4, 4]


def test_without_random_subsets_there_are_no_gains(frame):
    summary = summarise(frame[frame["method"] != "random"], n_draws=50)
    assert summary.label_free.gains.empty
    assert summary.label_free.comparison is None
    assert summary.auto is not None


def test_an_automatic_size_without_all_columns_is_not_compared(frame):
    assert summarise(frame[frame["method"] != "all"], n_draws=50).auto is None


def test_what_is_missing_is_counted(frame):
    methods = ("random", "variance", "coverage", "tfs_tuned")
    plan = Benchmark(("a", "b"), methods, sizes=(10, 50), n_splits=4, n_seeds=3)
    counts = completeness(frame, plan).set_index("method")
    assert counts["found"].to_dict() == {
        "random": 4,
        "variance": 0,
        "tfs_tuned": 0,
        "coverage": 4,
    }
    assert counts["planned"].to_dict() == {
        "random": 8,
        "variance": 8,
        "tfs_tuned": 6,
        "coverage": 8,
    }
    assert missing_parts(frame, plan) == [
        "4 of 8 dataset splits of random, coverage",
        "8 of 8 dataset splits of variance",
        "6 of 6 dataset splits of tfs_tuned",
        "some random subsets (there are 2 of 3 a size)",
    ]


def test_nothing_is_missing_of_a_whole_benchmark(frame):
    methods = ("random", "coverage", "all")
    plan = Benchmark(("a", "b"), methods, sizes=(10, 50), n_splits=2, n_seeds=2)
    assert missing_parts(frame, plan) == []


def test_a_subset_that_two_runs_stored_counts_once():
    again = record("a", 0, "random", rows(0.1, 0.1, 0.1, seed=0), range(2))
    assert len(scores_frame([*made_up(), again])) == len(scores_frame(made_up()))


def test_only_what_was_asked_for_is_reported(frame):
    asked = Benchmark(("a",), ("random", "coverage"), sizes=(10,), n_splits=1, n_seeds=1)
    found = within_plan(frame, asked)
    assert set(found["dataset"]) == {"a"}
    assert set(found["split"]) == set(found["seed"]) == {0}
    wider = Benchmark(("a", "b"), ("coverage",), sizes=(10, 20), n_splits=2)
    assert missing_parts(within_plan(frame, wider), wider) == [
        "4 of 4 dataset splits of coverage"
    ]
