"""The plan is a pure function of the configuration."""

from dataclasses import replace

import pytest

from topofs_study.errors import StudyError
from topofs_study.paper.items import ClassCounts, OutOfSample
from topofs_study.paper.protocols import GRIDS, Setting
from topofs_study.paper.study import Chosen, Study, plan_pairs, plan_tests, plan_tuning
from topofs_study.running.work_item import Shape, tasks

SHAPES = {"wine": Shape(124, 13, 3), "digits": Shape(1257, 61, 10)}
STUDY = Study(datasets=("digits", "wine"))


def chosen(study):
    return {
        (protocol, dataset, method, classifier, size): Chosen(GRIDS[method][3], 0.5)
        for protocol in study.protocols
        for dataset in study.datasets
        for method in ("tfs", "inf_fs")
        for classifier in study.classifiers
        for size in study.sizes_for(dataset, SHAPES[dataset])
    }


def test_grids_have_the_order_of_the_paper():
    assert len(GRIDS["tfs"]) == 13
    assert GRIDS["tfs"][:3] == (
        Setting("pearson"),
        Setting("pearson", squared=True),
        Setting("spearman"),
    )
    assert len(GRIDS["inf_fs"]) == 81
    assert GRIDS["inf_fs"][1] == Setting("energy", alpha=0.1, theta=0.2)


def test_tuning_has_every_fold_method_protocol_and_classifier_once():
    items = plan_tuning(STUDY, SHAPES)
    assert len(items) == 2 * 2 * 3 * 2 * 3
    assert len({item.key for item in items}) == len(items)
    assert items[0].dataset == "wine", "cheap datasets come first"
    assert {item.sizes for item in items if item.dataset == "digits"} == {(10, 50)}


def test_a_replay_tunes_nothing():
    assert (
        plan_tuning(Study(datasets=("colon",), source="replay"), {"colon": Shape(43, 2000, 2)})
        == []
    )


def test_tests_and_pairs_follow_the_chosen_settings():
    tests = plan_tests(STUDY, SHAPES, chosen(STUDY))
    of_wine = [item for item in tests if item.dataset == "wine"]
    by_method = [item.method for item in of_wine if isinstance(item, OutOfSample)]
    assert by_method.count("tfs") == by_method.count("all") == 6
    assert by_method.count("random") == by_method.count("variance") == 3, "corrected only"
    assert sum(isinstance(item, ClassCounts) for item in of_wine) == 2
    pairs = plan_pairs(STUDY, SHAPES, chosen(STUDY))
    assert len(pairs) == 2 * 15 * 2 * 2 * 2 * 3
    assert plan_pairs(Study(datasets=("wine",), methods=("tfs",)), SHAPES, {}) == []
    assert plan_pairs(Study(datasets=("wine",), with_pairs=False), SHAPES, {}) == []


def test_cells_without_a_setting_are_left_out():
    items = plan_tests(STUDY, SHAPES, {})
    methods = {item.method for item in items if isinstance(item, OutOfSample)}
    assert methods == {"random", "variance", "all"}


def test_keys_tell_settings_apart():
    one = OutOfSample("paper", "wine", "tfs", "KNN", (3,))
    first = replace(one, settings=(Setting("pearson"),))
    second = replace(one, settings=(Setting("spearman"),))
    assert len({one.key, first.key, second.key}) == 3


def test_tasks_hold_every_item_once_and_share_a_part():
    items = plan_tuning(STUDY, SHAPES) + plan_tests(STUDY, SHAPES, chosen(STUDY))
    grouped = tasks(items)
    assert sorted(item.key for task in grouped for item in task) == sorted(
        item.key for item in items
    )
    for task in grouped:
        assert len({(item.dataset, item.part) for item in task}) == 1
    assert all(item.cost(SHAPES[item.dataset]) > 0 for item in items)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"classifiers": ("SVM",)}, "no classifier is called 'SVM'; there are LinearSVM, KNN"),
        ({"protocols": ("mine",)}, "no protocol is called 'mine'; there are paper, corrected"),
        ({"methods": ("pca",)}, "no method is called 'pca'; there are tfs, inf_fs, random"),
        ({"methods": ()}, "no method is given"),
        ({"sizes": (0,)}, "every size must be at least 1"),
        ({"source": "guessed"}, "no source"),
    ],
)
def test_wrong_requests_list_what_is_allowed(wrong, message):
    with pytest.raises(StudyError, match=message):
        Study(datasets=("wine",), **wrong)


def test_a_size_beyond_the_features_is_refused():
    study = Study(datasets=("wine",), sizes=(5, 14))
    with pytest.raises(StudyError, match=r"size 14 .* 13 features of wine .* 1 to 13"):
        study.sizes_for("wine", SHAPES["wine"])
