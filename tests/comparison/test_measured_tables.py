"""The page "Benchmark with labels" shows what was measured; the arithmetic of its script."""

import numpy as np
import pytest

with_labels = pytest.importorskip(
    "benchmarks.with_labels", reason="the repository alone has the benchmarks"
)


def test_the_page_shows_what_was_measured():
    page = with_labels.PAGE.read_text(encoding="utf-8").splitlines()
    measured = set(with_labels.summary_lines(with_labels.read()))
    table = [line for line in page if line.startswith("| ") and line.count(" | ") > 2]
    assert len(table) > 40
    assert [line for line in table if line not in measured] == []


def test_holm_is_a_step_down():
    assert with_labels.holm([0.04, 0.01, 0.03]).tolist() == pytest.approx([0.06, 0.03, 0.06])
    assert with_labels.holm([0.5, 0.9]).tolist() == [1.0, 1.0]


def test_few_labels_are_a_share_of_every_class():
    y = np.repeat([0, 1, 2], [100, 40, 3])
    few = with_labels.few_of(y, np.random.default_rng(0))
    assert np.bincount(y[few]).tolist() == [5, 2, 1]
    assert (np.diff(few) > 0).all()


def test_a_mean_takes_sizes_below_the_number_of_columns():
    by_size = {"10": 0.5, "25": 0.7}
    row = {"columns": 40, "score": {"f": [by_size, by_size, {"10": 0.2, "25": 0.4}]}}
    assert with_labels.mean_score(row, "f") == pytest.approx(0.5)
    assert with_labels.mean_score(row, "f", [2], [25]) == pytest.approx(0.4)
