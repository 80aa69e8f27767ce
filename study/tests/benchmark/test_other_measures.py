"""Stability, time and the measures without labels, and the rule that chooses the default."""

import pandas as pd
import pytest

from topofs.selection.stability import nogueira_stability
from topofs_study.benchmark.frames import measurements_of, other_measures
from topofs_study.benchmark.plan import Benchmark, BenchmarkItem
from topofs_study.benchmark.summary import choose_default
from topofs_study.running.work_item import Record


def record(split, method, chosen, *, seconds=1.0, value=0.5, seeds=(0,), dataset="a"):
    item = BenchmarkItem(dataset, method, split)
    result = {
        "n_columns": 5,
        "measures": [
            (size, seed, name, value)
            for size in ("10", "auto")
            for seed in seeds
            for name in ("rebuilt", "neighbours")
        ],
        "chosen": [[seed, chosen] for seed in seeds],
        "seconds": seconds,
    }
    return Record(item, result, n_fits=1, seconds=9.0)


RECORDS = [
    record(0, "coverage", [0, 1], seconds=1.0, value=0.2),
    record(1, "coverage", [0, 2], seconds=3.0, value=0.4),
    record(0, "random", [0, 1], seeds=(0, 1)),
    record(1, "random", [2, 3], seeds=(0, 1)),
]


def test_stability_is_that_of_the_sets_over_the_splits():
    found = other_measures(measurements_of(RECORDS))
    expected = nogueira_stability([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]])[0]
    assert found.stability.loc["a", "coverage"] == pytest.approx(expected)
    apart = nogueira_stability([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]])[0]
    assert found.by_method.loc["random", "stability"] == pytest.approx(apart)
    assert found.by_method.loc["coverage", ["rebuilt", "seconds"]].tolist() == [
        pytest.approx(0.3),
        2.0,
    ]
    assert (found.n_resamples, found.most_resamples) == (2, 2)


def test_only_splits_of_every_method_count():
    more = record(2, "coverage", [3, 4], value=0.9)
    found = other_measures(measurements_of([*RECORDS, more]))
    assert found.n_resamples == 2
    assert found.by_method.loc["coverage", "rebuilt"] == pytest.approx(0.3)
    assert other_measures(measurements_of(RECORDS[:1])) is None


def test_a_plan_leaves_out_what_it_did_not_ask_for():
    plan = Benchmark(("a",), ("random",), n_splits=1, n_seeds=1)
    found = measurements_of(RECORDS).within_plan(plan)
    assert set(found.rankings["method"]) == {"random"}
    assert set(found.values["split"]) == set(found.values["seed"]) == {0}


def table(**rows):
    return pd.DataFrame.from_dict(rows, "index", columns=["accuracy", "stability", "seconds"])


def test_the_rule_takes_the_most_accurate_that_is_stable_enough():
    found = choose_default(
        table(
            coverage=(0.70, 0.40, 1.0),
            coverage_edges=(0.71, 0.381, 1.0),
            coverage_spearman=(0.73, 0.379, 1.0),
            coverage_similarity=(0.75, 0.50, 1.0),
            greedy_subset=(0.76, 0.50, 0.1),
        )
    )
    assert found.winner == "coverage_edges"
    assert list(found.candidates.index) == ["coverage_spearman", "coverage_edges", "coverage"]


def test_the_cheapest_of_equally_good_ones_wins():
    near = table(coverage=(0.70, 0.4, 1.0), coverage_edges=(0.7019, 0.4, 2.0))
    assert choose_default(near).winner == "coverage"
    far = table(coverage=(0.70, 0.4, 1.0), coverage_edges=(0.7021, 0.4, 2.0))
    assert choose_default(far).winner == "coverage_edges"
    assert choose_default(far.drop("coverage")) is None
