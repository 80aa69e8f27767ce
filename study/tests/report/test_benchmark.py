"""The report of a benchmark says what came out, and what is missing."""

import pandas as pd
import pytest

from topofs_study.benchmark.summary import summarise
from topofs_study.report.benchmark import write_benchmark
from topofs_study.report.benchmark.answers import answers

CLASSIFIERS = ("LinearSVM", "KNN", "DecisionTree")


def frame_of_means(means, *, datasets=("MADELON", "b", "c"), sizes=("10", "50")):
    """The same score of a method everywhere; coverage and all columns also without a size."""
    rows = [
        (dataset, 0, method, size, 10, 100, 0, classifier, value + 0.01 * place)
        for place, dataset in enumerate(datasets)
        for method, value in means.items()
        for size in _sizes(method, sizes)
        for classifier in CLASSIFIERS
    ]
    columns = [
        *("dataset", "split", "method", "size", "n_features", "n_varying"),
        *("seed", "classifier", "balanced_accuracy"),
    ]
    return pd.DataFrame(rows, columns=columns)


def _sizes(method, sizes):
    if method == "all":
        return ("all",)
    return (*sizes, "auto") if method == "coverage" else sizes


GOOD = {"random": 0.5, "all": 0.8, "inf_fs": 0.4, "tfs_pearson": 0.55, "coverage": 0.9}


def test_the_numbers_are_those_of_the_means():
    found = {a.question: a.found for a in answers(summarise(frame_of_means(GOOD), n_draws=50))}
    gain = found["default against random subsets"]
    assert gain.startswith("+0.400 on average, ahead on 3 of 3 datasets, Wilcoxon p = 0.25")
    by_size = {q: f for q, f in found.items() if q.endswith("by number of columns")}
    assert list(by_size.values()) == [
        "10: +0.400, 50: +0.400",
        "10: +0.500, 50: +0.500",
        "10: +0.350, 50: +0.350",
    ]
    assert "the best fixed setting as published (TFS, Pearson)" in list(by_size)[-1]
    assert found["automatic size against all columns"] == (
        "+0.100 (LinearSVM +0.100, KNN +0.100) with 10.0% of the columns"
    )


def test_what_is_not_there_is_not_asked():
    frame = frame_of_means({"variance": 0.5, "laplacian": 0.4})
    assert answers(summarise(frame, n_draws=50)) == []


@pytest.fixture
def written(tmp_path):
    frame = frame_of_means(GOOD | {"tfs_tuned": 0.6})
    summary = summarise(frame, n_draws=50)
    paths = write_benchmark(summary, tmp_path / "new", records=frame, missing=["2 of 3 things"])
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def test_all_files_are_written(written):
    assert set(written) == {
        *("report.md", "critical_difference.svg"),
        *("records.csv", "cells.csv", "gains.csv", "auto.csv"),
    }
    assert written["critical_difference.svg"].startswith("<svg")


def test_the_report_has_its_sections_and_names(written):
    report = written["report.md"]
    for words in (
        "## Answers",
        "2 of 3 things",
        "## Without labels",
        "| coverage (default) | 0.910 | 0.910 | 0.910 |",
        "Friedman's test",
        "![Average ranks, the best on the left: coverage (default)",
        "Lead of the default over random subsets",
        "## With labels",
        "TFS, tuned with labels",
        "## The automatic size",
        "| MADELON | 1 | 100 | 10.0 |",
    ):
        assert words in report, words


def test_the_report_is_the_same_for_the_same_scores(written, tmp_path):
    frame = frame_of_means(GOOD | {"tfs_tuned": 0.6})
    summary = summarise(frame, n_draws=50)
    for path in write_benchmark(summary, tmp_path, records=frame, missing=["2 of 3 things"]):
        assert path.read_text(encoding="utf-8") == written[path.name], path.name


def test_a_single_method_gives_a_report_all_the_same(tmp_path):
    frame = frame_of_means({"variance": 0.5}, datasets=("a",))
    paths = write_benchmark(summarise(frame), tmp_path, records=frame)
    assert "critical_difference.svg" not in {path.name for path in paths}
    assert "largest variance" in (tmp_path / "report.md").read_text(encoding="utf-8")
