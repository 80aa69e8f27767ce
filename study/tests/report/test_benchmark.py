"""The report of a benchmark says what came out, and what is missing."""

from pathlib import Path

import pandas as pd
import pytest

from topofs_study.benchmark.frames import Measurements
from topofs_study.benchmark.summary import summarise
from topofs_study.report.benchmark import answers, trade_off_svg, write_benchmark

CLASSIFIERS = ("LinearSVM", "KNN")


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
GOOD["greedy_subset"] = 0.92


def measurements(methods, *, datasets=("MADELON", "b", "c")):
    """Two splits; the first method chooses the same columns twice, the others do not."""
    values, rankings = [], []
    for dataset in datasets:
        for split in range(2):
            for place, method in enumerate(methods):
                cell = (dataset, split, method)
                first = split * place
                rankings.append((*cell, 0, 0.5 + place, 10, tuple(range(first, first + 3))))
                values += [(*cell, "10", 0, name, 0.25) for name in ("rebuilt", "neighbours")]
    key = ["dataset", "split", "method"]
    return Measurements(
        pd.DataFrame(values, columns=[*key, "size", "seed", "measure", "value"]),
        pd.DataFrame(rankings, columns=[*key, "seed", "seconds", "n_columns", "chosen"]),
    )


FOUND = measurements(("coverage", "random", "greedy_subset"))


def test_the_numbers_are_those_of_the_means():
    found = dict(answers(summarise(frame_of_means(GOOD), n_draws=50)))
    gain = found["default against random subsets"]
    assert gain.startswith("+0.400 on average, ahead on 3 of 3 datasets, Wilcoxon p = 0.25")
    by_size = {q: f for q, f in found.items() if q.endswith("by number of columns")}
    assert list(by_size.values()) == [
        "10: +0.400, 50: +0.400",
        "10: -0.020, 50: -0.020",
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
    summary = summarise(frame, FOUND, n_draws=50)
    paths = write_benchmark(summary, tmp_path / "new", records=frame, missing=["2 of 3 things"])
    return {path.name: path.read_text(encoding="utf-8") for path in paths}


def test_all_files_are_written(written):
    assert set(written) == {
        *("report.md", "critical_difference.svg", "accuracy_and_stability.svg"),
        *("records.csv", "cells.csv", "gains.csv", "auto.csv", "against_default.csv"),
        *("against_greedy.csv", "measures.csv", "stability.csv"),
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
        "![Average ranks, the best on the left: greedy subset selection, coverage",
        "Lead of the default over random subsets",
        "Against greedy subset selection, one number a dataset",
        "## Beside accuracy",
        "| coverage (default) | 0.910 | 0.250 | 0.250 | 1.000 | 0.500 |",
        "cheapest wins: coverage (default), so the default stays.",
        "![Accuracy against stability",
        "## With labels",
        "TFS, tuned with labels",
        "## The automatic size",
        "| MADELON | 1 | 100 | 10.0 |",
    ):
        assert words in report, words


def test_the_report_is_the_same_for_the_same_scores(written, tmp_path):
    frame = frame_of_means(GOOD | {"tfs_tuned": 0.6})
    summary = summarise(frame, FOUND, n_draws=50)
    for path in write_benchmark(summary, tmp_path, records=frame, missing=["2 of 3 things"]):
        assert path.read_text(encoding="utf-8") == written[path.name], path.name


def test_a_single_method_gives_a_report_all_the_same(tmp_path):
    frame = frame_of_means({"variance": 0.5}, datasets=("a",))
    paths = write_benchmark(summarise(frame), tmp_path, records=frame)
    assert "critical_difference.svg" not in {path.name for path in paths}
    assert "largest variance" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_the_most_accurate_method_and_the_rule_are_named():
    summary = summarise(frame_of_means(GOOD), FOUND, n_draws=50)
    found = dict(answers(summary))
    question = "default against the most accurate method (greedy subset selection)"
    assert found[question] == "-0.020 accuracy, +0.952 stability"
    assert found["default by the rule written down before the run"] == "coverage (default)"


def test_names_in_the_picture_do_not_cover_each_other():
    table = pd.DataFrame(
        {"stability": [0.3, 0.3, 0.301, 0.9], "accuracy": [0.7, 0.7001, 0.7002, 0.5]},
        index=["coverage", "coverage_edges", "coverage_spearman", "ward_medoids"],
    )
    assert trade_off_svg(table) == trade_off_svg(table)


def test_the_page_on_stability_has_the_numbers_of_the_benchmark():
    docs = Path(__file__).parents[3] / "docs"
    page = (docs / "how-to" / "stability.md").read_text(encoding="utf-8")
    found = pd.read_csv(docs / "benchmark" / "measures.csv", index_col="method")
    for name in ("coverage", "coverage_paths", "rule_variance"):
        row = found.loc[name]
        assert f"| {row['stability']:.3f} | {row['accuracy']:.3f} |" in page, name
