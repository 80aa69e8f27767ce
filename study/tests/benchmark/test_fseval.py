"""FSEVAL's protocol: the same numbers as its own package, and rows beside the published ones."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from topofs_study.benchmark.fseval import (
    FOREST,
    FOREST_SEEDS,
    FSEVAL_METHODS,
    K_MEANS,
    SHARES,
    FsevalBenchmark,
    FsevalItem,
    WholeTable,
    forest_accuracy,
    fseval_frame,
    k_means_accuracy,
    n_columns_of,
    published_shares,
    random_order,
    summarise_fseval,
)
from topofs_study.datasets import load
from topofs_study.errors import StudyError
from topofs_study.running.work_item import Record, Shape

X, Y = load_iris(return_X_y=True)


def test_their_package_gives_the_same_numbers():
    theirs = pytest.importorskip("sdufseval", reason="FSEVAL's own package is not installed")
    some = {"some": X[::3, [2, 0]]}
    forest = theirs.supervised_eval_batch(
        some,
        Y[::3],
        classifier=RandomForestClassifier(n_estimators=100),
        avg_steps=2,
        n_jobs=1,
        random_state=0,
    )
    ours = np.mean([forest_accuracy(some["some"], Y[::3], seed) for seed in range(2)])
    assert forest["some"]["RandomForestClassifier"]["acc"] == pytest.approx(ours, abs=1e-12)
    clusters = theirs.unsupervised_eval_batch(some, Y[::3], n_jobs=1, random_state=0)
    ours = np.mean([k_means_accuracy(some["some"], Y[::3], seed) for seed in range(10)])
    assert clusters["some"]["clsacc"] == pytest.approx(ours, abs=1e-12)


def test_random_rankings_are_those_of_their_seeds():
    np.random.seed(3)  # noqa: NPY002 - as FSEVAL does
    expected = np.argsort(np.random.rand(20))[::-1]  # noqa: NPY002
    assert random_order(20, 3).tolist() == expected.tolist()


def test_clusters_are_matched_with_classes():
    rows = np.repeat(np.array([[0.0], [10.0], [20.0]]), 5, axis=0)
    assert k_means_accuracy(rows, np.repeat([7, 5, 6], 5), 0) == 1.0


def test_an_item_scores_the_first_columns_of_every_share():
    table = WholeTable(load("wine"))
    found = FsevalItem("wine", "variance", K_MEANS).compute(table)
    assert [share for share, _ in found] == list(SHARES)
    best = np.argmax(np.asarray(table.dataset.X).var(axis=0))
    y = np.ravel(table.dataset.y)
    values = [k_means_accuracy(np.asarray(table.dataset.X)[:, [best]], y, s) for s in range(10)]
    assert found[0][1] == pytest.approx(np.mean(values))
    assert n_columns_of(0.1, 13) == 2
    item = FsevalItem("wine", "random", FOREST, 3)
    assert FsevalItem.from_identity(item.identity) == item


def test_the_first_seed_of_everything_comes_first():
    plan = FsevalBenchmark(("colon", "Isolet"))
    shapes = {"colon": Shape(62, 2000, 2), "Isolet": Shape(1560, 617, 26)}
    items = plan.every_item(shapes, None)
    assert len({item.key for item in items}) == len(items)
    assert len(items) == 2 * len(FSEVAL_METHODS) * (1 + FOREST_SEEDS)
    seeds = [item.seed for item in items if item.metric == FOREST]
    assert seeds == sorted(seeds)
    assert items[0].dataset == "colon"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"datasets": ("USPS",)}, "FSEVAL has no numbers for 'USPS'; it has"),
        ({"datasets": ("colon",), "methods": ("all",)}, "is called 'all'; there are random"),
        ({"datasets": ("colon",), "methods": ()}, "no method is given"),
    ],
)
def test_what_means_nothing_is_refused(settings, message):
    with pytest.raises(StudyError, match=message):
        FsevalBenchmark(**settings)


def test_leads_are_over_their_random_rankings():
    there = published_shares()
    assert there.groupby(["dataset", "metric", "method"]).size().unique().tolist() == [
        len(SHARES)
    ]
    random = there[(there["method"] == "Random") & (there["metric"] == FOREST)]
    records = [
        Record(FsevalItem(name, "coverage", FOREST, seed), pairs, n_fits=1, seconds=1.0)
        for name in ("colon", "MADELON")
        for seed in range(2)
        for pairs in [
            [
                (row.share_of_columns, row.value + 0.1 * seed)
                for row in random[random["dataset"] == name].itertuples()
            ]
        ]
    ]
    (summary,) = summarise_fseval(fseval_frame(records))
    lead = summary.table.set_index(["source", "method"])["over_random"]
    assert lead["topofs", "coverage"] == pytest.approx(0.05)
    assert lead["published", "Random"] == 0.0
    assert summary.by_dataset.index.tolist() == ["MADELON", "colon"]
    assert (summary.n_seeds, summary.most_seeds) == (2, 2)
