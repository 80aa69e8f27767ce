"""Stores of earlier versions stay readable: the words of every kind of item, written out."""

import json

import pytest

from topofs_study.benchmark.plan import BenchmarkItem
from topofs_study.paper.items import ClassCounts, OutOfSample, Paired, Tuning
from topofs_study.paper.protocols import Setting
from topofs_study.paper.splits import Fold, Half
from topofs_study.running.work_item import Identity

PEARSON = Setting("pearson")
ENERGY = Setting("energy", alpha=0.1, theta=0.2)
WRITTEN = [
    (ClassCounts("corrected", "wine"), "split/corrected/wine///test/"),
    (
        Tuning("corrected", "wine", "inf_fs", "DecisionTree", Fold(0), (3, 5)),
        "tune/corrected/wine/inf_fs/DecisionTree/fold-0/3+5",
    ),
    (
        OutOfSample("paper", "wine", "all", "KNN", (13,)),
        "test/paper/wine/all/KNN/test/13",
    ),
    (
        OutOfSample("paper", "wine", "tfs", "KNN", (3, 5), (PEARSON, PEARSON)),
        "test/paper/wine/tfs/KNN/test/3+5/6f96ede84aa0",
    ),
    (
        Paired("paper", "wine", "inf_fs", "KNN", Half(3, 1), (3,), (ENERGY,)),
        "pair/paper/wine/inf_fs/KNN/half-03-1/3/d813401c93b1",
    ),
    (
        BenchmarkItem("wine", "variance", 0, (10,)),
        "benchmark-80/label-free/wine/variance//split-00/10",
    ),
    (
        BenchmarkItem("wine", "random", 1, (10, 50), range(5, 7)),
        "benchmark-80/label-free/wine/random//split-01-seeds-05-06/10+50",
    ),
]


@pytest.mark.parametrize(("item", "key"), WRITTEN)
def test_the_key_of_an_item_is_what_it_always_was(item, key):
    assert item.key == key


@pytest.mark.parametrize(("item", "key"), WRITTEN)
def test_an_item_survives_the_store(item, key):
    identity = Identity.from_json(item.identity.to_json())
    assert type(item).from_identity(identity) == item
    assert identity.key == key


def test_the_line_of_an_item_is_what_it_always_was():
    item = Paired("paper", "wine", "inf_fs", "KNN", Half(3, 1), (3,), (ENERGY,))
    assert json.loads(item.identity.to_json()) == {
        "kind": "pair",
        "protocol": "paper",
        "dataset": "wine",
        "method": "inf_fs",
        "classifier": "KNN",
        "part": "half-03-1",
        "sizes": [3],
        "settings": [{"similarity": "energy", "squared": False, "alpha": 0.1, "theta": 0.2}],
    }
