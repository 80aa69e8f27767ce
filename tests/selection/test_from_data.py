"""Without the matrix, the same graph."""

import ctypes
import os
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.matrices import factor_table, tables
from topofs import (
    Energy,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
    pearson,
    threshold_mean,
    tmfg,
    tmfg_from_data,
)
from topofs import (
    runtime as memory_size,
)
from topofs.graphs import tmfg_out_of_core as matrix_free
from topofs.runtime import parse_memory
from topofs.similarity.base import dense

MEASURES = [
    Pearson(),
    Pearson(squared=False),
    Spearman(),
    Spearman(squared=False),
    Energy(),
    Energy(alpha=0.2),
]


def graph_of_matrix(X, measure, threshold):
    matrix = dense(measure.operator(X))
    return tmfg(matrix if threshold is None else threshold_mean(matrix))


@pytest.fixture(params=["plenty", "scarce"])
def memory(request, monkeypatch):
    """Plenty keeps all rows; scarce has lists of three entries and keeps three rows."""
    if request.param == "scarce":
        plan = matrix_free._Plan(list_length=3, n_rows=8, n_kept=3)
        monkeypatch.setattr(matrix_free, "_plan", lambda *_: plan)
    return "2GB"


@pytest.mark.parametrize("threshold", ["mean", None])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("kind", ["real", "whole", "ties"])
def test_the_graph_is_that_of_the_matrix(measure, threshold, kind, memory):
    X = factor_table(40, 90)
    if kind != "real":
        X = np.rint(X * (2 if kind == "whole" else 0.3))
        X = X[:, np.ptp(X, axis=0) > 0]
    expected = graph_of_matrix(X, measure, threshold)
    graph = tmfg_from_data(X, similarity=measure, threshold=threshold, memory=memory)
    np.testing.assert_array_equal(graph.cliques, expected.cliques)
    if kind == "real" and isinstance(measure, Pearson):
        np.testing.assert_allclose(graph.weights, expected.weights, rtol=1e-9, atol=1e-12)
    else:
        assert graph == expected


@given(tables(max_features=9), st.sampled_from(MEASURES), st.sampled_from(["mean", None]))
def test_small_tables_full_of_ties(X, measure, threshold):
    X = np.rint(X)
    expected = graph_of_matrix(X, measure, threshold)
    assert tmfg_from_data(X, similarity=measure, threshold=threshold) == expected


@pytest.mark.needs_jit
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_columns(dtype):
    """More columns than a block holds, and free columns that halve several times."""
    X = np.rint(factor_table(50, 1500)).astype(dtype)
    expected = graph_of_matrix(X, Pearson(), "mean")
    assert tmfg_from_data(X, memory="30MB") == expected


def test_the_estimator_gives_the_same_answer_without_the_matrix(monkeypatch):
    X = pd.DataFrame(np.rint(factor_table(40, 90))).add_prefix("c")
    expected = TopologicalFeatureSelector(7, graph="tmfg").fit(X)
    called = []
    build = matrix_free.tmfg_of_products
    monkeypatch.setattr(
        matrix_free,
        "tmfg_of_products",
        lambda *given, **settings: (
            called.append(1) or build(*given, **settings | {"memory": 10**8})
        ),
    )
    selector = TopologicalFeatureSelector(7, graph="tmfg", memory=60_000).fit(X)
    assert called
    assert selector.graph_ == expected.graph_
    np.testing.assert_array_equal(selector.ranking_, expected.ranking_)


def test_labels_come_from_the_table():
    X = pd.DataFrame(factor_table(30, 6), columns=list("abcdef"))
    assert tmfg_from_data(X).labels == tuple("abcdef")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"memory": "1KB"}, "memory is 0 MB, but 6 features need at least 1 MB"),
        ({"memory": "much"}, "memory is 'much'; give a number of bytes"),
        ({"memory": -1}, "memory is -1"),
        ({"memory": "0MB"}, "memory is '0MB'"),
        ({"similarity": "cosine"}, "similarity is 'cosine'; known are 'auto'"),
        (
            {"similarity": "mutual_information"},
            "'mutual_information', which needs the matrix; known are .*'pearson', 'spearman'",
        ),
        ({"threshold": "median"}, "known are 'mean', None"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        tmfg_from_data(factor_table(30, 6), **settings)


def test_missing_values_are_refused_with_advice():
    X = factor_table(30, 6)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="has missing values: fill them in"):
        tmfg_from_data(X)
    with pytest.raises(ValueError, match="has missing values: fill them in"):
        TopologicalFeatureSelector(5, memory=100, rule="degree").fit(X)


def test_other_graphs_need_the_matrix():
    X = factor_table(30, 6)
    with pytest.raises(ValueError, match="graph 'mst' needs it whole: use 'links', 'tmfg'"):
        TopologicalFeatureSelector(5, memory=100, graph="mst", rule="degree").fit(X)


def test_memory_in_words():
    assert parse_memory("1.5GiB") == 3 * 2**29
    assert parse_memory(" 20 kb ") == 20_000
    assert parse_memory(None) > 10**8


def test_float32_entries_are_compared_with_the_mean_in_float64():
    """Entries that equal the mean only after it is rounded to float32 are below it."""
    differ = 0
    for seed in range(3000):
        X = np.random.default_rng(seed).integers(0, 2, size=(6, 16)).astype(np.float32)
        X = X[:, np.ptp(X, axis=0) > 0]
        similarity = pearson(X, squared=True)
        mean = similarity.astype(np.float64).mean()
        if np.any((similarity < mean) & (similarity == np.float32(mean))):
            differ += 1
            assert tmfg_from_data(X) == tmfg(threshold_mean(similarity))
    assert differ


def test_half_of_what_the_container_may_use(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory_size, "_CONTAINER_LIMITS", (limit, tmp_path / "absent"))
    whole = parse_memory(None)
    limit.write_text("max\n", encoding="utf-8")
    assert parse_memory(None) == whole
    limit.write_text("2000000\n", encoding="utf-8")
    assert parse_memory(None) == 1_000_000


def test_a_system_that_does_not_tell_its_memory(monkeypatch):
    monkeypatch.setattr(memory_size, "_CONTAINER_LIMITS", ())
    monkeypatch.delattr(os, "sysconf")
    assert parse_memory(None) == 4 * 10**9


@pytest.mark.parametrize(("told", "half"), [(32 * 2**20, 16 * 2**30), (None, 4 * 10**9)])
def test_windows_tells_its_memory_in_kilobytes(monkeypatch, told, half):
    def tell(kilobytes):
        kilobytes._obj.value = told or 0
        return told is not None

    kernel32 = SimpleNamespace(GetPhysicallyInstalledSystemMemory=tell)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel32), raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(memory_size, "_CONTAINER_LIMITS", ())
    monkeypatch.delattr(os, "sysconf")
    assert parse_memory(None) == half
