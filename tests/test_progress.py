"""What is told of long work while it runs."""

import re
import threading

import numpy as np
import pytest
from scipy import sparse

from tests.cli.running import run
from topofs import TopologicalFeatureSelector
from topofs.cli import messages
from topofs.runtime import watching
from topofs.similarity import mutual_information, pearson

N = 600


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, N)) * (rng.random((40, N)) < rng.random(N))
    X[:2] = rng.normal(size=(2, N))
    return X


def told_by(work):
    told = []
    with watching(lambda done, total: told.append((done, total))):
        work()
    return told


@pytest.mark.parametrize(
    ("measure", "container"),
    [(pearson, np.asarray), (pearson, sparse.csc_array), (mutual_information, np.asarray)],
)
def test_pairs_are_counted_until_all_are_compared(X, measure, container):
    told = told_by(lambda: measure(container(X)))
    done, totals = map(list, zip(*told, strict=True))
    assert done == sorted(done)
    assert done[-1] == N * (N - 1) // 2
    assert set(totals) == {done[-1]}
    assert len(told) > 1


@pytest.mark.parametrize("container", [np.asarray, sparse.csc_array])
def test_also_where_there_is_no_room_for_the_matrix(X, container):
    selector = TopologicalFeatureSelector(5, memory=7_000_000, min_carriers=0)
    told = told_by(lambda: selector.fit(container(X)))
    assert told[-1][0] == told[-1][1]


def test_nobody_is_told_after_the_block(X):
    told = told_by(lambda: None)
    pearson(X)
    assert told == []


def test_another_thread_is_not_watched(X):
    def work():
        beside = threading.Thread(target=pearson, args=(X,))
        beside.start()
        beside.join()

    assert told_by(work) == []


def test_a_pipe_gets_lines_with_the_time_left(X, tmp_path, monkeypatch):
    monkeypatch.setattr(messages, "SECONDS_BETWEEN_LINES", 0)
    path = tmp_path / "table.csv"
    header = ",".join(f"c{i}" for i in range(N))
    np.savetxt(path, X, delimiter=",", header=header, comments="")
    options = ("select", path, "-k", 2, "--min-carriers", 0)
    lines = [line for line in run(*options).stderr.splitlines() if " pairs, " in line]
    assert len(lines) > 1
    for line in lines:
        assert re.search(r"comparing 600 columns: [\d,]+ of 179,700 pairs, .+ left$", line)
    assert " pairs" not in run(*options, "--quiet").stderr
