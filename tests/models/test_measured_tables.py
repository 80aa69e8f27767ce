"""The tables of the page "Models on the graph" are those that were measured."""

import json
from pathlib import Path

import pytest
from scipy import stats

covariances = pytest.importorskip(
    "benchmarks.covariances", reason="the repository alone has the benchmarks"
)
NETWORKS = Path(covariances.RESULTS).with_name("homological.json")


def test_the_page_shows_the_covariances():
    rows = json.loads(covariances.RESULTS.read_text(encoding="utf-8"))
    page = covariances.PAGE.read_text(encoding="utf-8").splitlines()
    for lines in (covariances.summary_lines(rows), covariances.table_lines(rows)):
        assert [line for line in lines if line not in page] == []
    tables = {row["table"] for row in rows}
    made = {name for name in tables if name.startswith("made")}
    assert len(made) >= 3
    assert len(tables - made) >= 6


def test_the_graph_is_ahead_of_a_shuffled_one_on_rows_of_its_own_model():
    rows = json.loads(NETWORKS.read_text(encoding="utf-8"))
    scores = {
        kind: [row["score"] for row in rows if (row["table"], row["kind"]) == ("made", kind)]
        for kind in ("homological", "shuffled")
    }
    test = stats.ttest_rel(scores["homological"], scores["shuffled"], alternative="greater")
    assert test.pvalue < 0.01
