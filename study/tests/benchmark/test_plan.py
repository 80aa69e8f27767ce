"""The plan: what matters most comes first, and nothing comes twice."""

import pytest

from topofs_study.benchmark.methods import METHODS
from topofs_study.benchmark.plan import N_TUNED_SPLITS, Benchmark
from topofs_study.errors import StudyError
from topofs_study.running.work_item import Shape

SHAPES = {"big": Shape(900, 300, 10), "small": Shape(50, 120, 2)}
ITEMS = Benchmark(("big", "absent", "small")).every_item(SHAPES, None)


def test_every_item_once():
    assert len({item.key for item in ITEMS}) == len(ITEMS)
    # Methods with a part a split, 4 blocks of random seeds, 3 tuned splits.
    assert len(ITEMS) == 2 * (10 * (len(METHODS) - 2) + 10 * 4 + N_TUNED_SPLITS)


def test_a_short_run_has_every_method_before_more_seeds():
    stages = [
        "tuned"
        if item.method == "tfs_tuned"
        else f"seeds {item.seeds[0]}"
        if item.method == "random" and item.seeds[0] > 0
        else "all methods"
        for item in ITEMS
    ]
    found = list(dict.fromkeys(stages))
    assert found == ["all methods", "tuned", "seeds 5", "seeds 10", "seeds 15"]
    assert stages == sorted(stages, key=found.index)
    first = [item.split for item, stage in zip(ITEMS, stages, strict=True) if stage == found[0]]
    assert first == sorted(first)


def test_cheap_datasets_come_first():
    assert ITEMS[0].dataset == "small"


def test_sizes_are_those_that_a_dataset_has_the_columns_for():
    sizes = {item.dataset: item.sizes for item in ITEMS if item.method == "variance"}
    assert sizes == {"small": (10, 25, 50, 100), "big": (10, 25, 50, 100, 200)}
    assert {item.sizes for item in ITEMS if item.method == "all"} == {()}


def test_all_seeds_are_drawn_on_every_split():
    drawn = [
        seed
        for item in ITEMS
        if item.dataset == "big" and item.method == "random" and item.split == 3
        for seed in item.seeds
    ]
    assert drawn == list(range(20))


def test_costs_compare_items():
    by_method = {
        item.method: item.cost(SHAPES["big"]) for item in ITEMS if item.dataset == "big"
    }
    assert by_method["tfs_tuned"] > 10 * by_method["variance"] > 0
    assert by_method["random"] == pytest.approx(5 * by_method["variance"], rel=0.1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"methods": ("pca",)}, "no method is called 'pca'; there are random, all"),
        ({"methods": ()}, "no method is given"),
        ({"n_splits": 0}, "the number of splits is 0"),
        ({"n_seeds": 0}, "the number of seeds is 0"),
        ({"sizes": (0,)}, "at least 1"),
    ],
)
def test_what_means_nothing_is_refused(settings, message):
    with pytest.raises(StudyError, match=message):
        Benchmark(("wine",), **settings)
