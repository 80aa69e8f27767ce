"""The growth from lists that many cores write: the graph of the growth from block maxima."""

from __future__ import annotations

import sys
from unittest import mock

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.matrices import similarity_matrices
from tests.naive.tmfg import naive_tmfg
from topofs import tmfg
from topofs._kernels import survey, tmfg_dense
from topofs._kernels.tmfg_dense import block_maxima_of, raise_block_maxima, tmfg_cliques
from topofs.graphs.tmfg import cliques_in_parallel, has_cores_for
from topofs.similarity_matrix import SimilarityMatrix

# The package gives the name of the module to the function.
TMFG_MODULE = sys.modules["topofs.graphs.tmfg"]


def factors(n, rng, dtype=np.float64):
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, n)) + rng.normal(size=(60, n))
    return (np.corrcoef(X.T) ** 2).astype(dtype)


def noise(n, rng):
    half = np.tril(rng.random((n, n)))
    return half + half.T


def ties(n, rng):
    X = rng.integers(0, 3, size=(12, n)).astype(float)
    X[0], X[1] = 0, 1
    return np.round(np.corrcoef(X.T) ** 2, 2)


def negative(n, rng):
    return factors(n, rng) - 1.5


def block_maxima_from(matrix):
    block_maxima = block_maxima_of(matrix)
    raise_block_maxima(matrix, 0, len(matrix), block_maxima)
    return block_maxima


@pytest.mark.parametrize("list_length", [2, 16, 128])
@pytest.mark.parametrize("make", [factors, noise, ties, negative])
@pytest.mark.parametrize("n", [4, 5, 90, 200])
def test_same_cliques_as_use_bounds(monkeypatch, make, n, list_length):
    monkeypatch.setattr(TMFG_MODULE, "_LIST_LENGTH", list_length)
    matrix = make(n, np.random.default_rng(n + list_length))
    start = np.array([2, 0, 3, 1])
    found = cliques_in_parallel(matrix, start, block_maxima_from(matrix))
    assert (found == tmfg_cliques(matrix, start)).all()


def test_single_precision():
    matrix = factors(150, np.random.default_rng(0), np.float32)
    start = np.arange(4)
    assert (
        cliques_in_parallel(matrix, start, block_maxima_from(matrix))
        == tmfg_cliques(matrix, start)
    ).all()


@given(similarity_matrices(min_size=4, max_size=14), st.sampled_from([1, 3, 128]))
def test_naive_twin(similarity, list_length):
    expected, _ = naive_tmfg(similarity)
    with mock.patch.object(TMFG_MODULE, "_LIST_LENGTH", list_length):
        found = cliques_in_parallel(similarity, expected[0], block_maxima_from(similarity))
    np.testing.assert_array_equal(found, expected)


def test_lists_are_given_up_where_they_seldom_decide(monkeypatch):
    monkeypatch.setattr(TMFG_MODULE, "_LIST_LENGTH", 16)
    calls = []
    grow_dense = tmfg_dense.grow_dense
    monkeypatch.setattr(
        tmfg_dense,
        "grow_dense",
        lambda matrix, block_maxima, growth: (
            calls.append(growth.n_free),
            grow_dense(matrix, block_maxima, growth),
        ),
    )
    rng = np.random.default_rng(1)
    for matrix in (factors(400, rng), noise(400, rng)):
        cliques_in_parallel(matrix, np.arange(4), block_maxima_from(matrix))
    structured, unstructured = calls
    assert structured == 0
    assert unstructured > 0


def test_chosen_by_columns_and_cores(monkeypatch):
    monkeypatch.setattr(numba, "get_num_threads", lambda: 16)
    assert has_cores_for(8192)
    assert not has_cores_for(8191)
    monkeypatch.setattr(numba, "get_num_threads", lambda: 2)
    assert not has_cores_for(10**5)


def test_whole_graph_is_the_same(monkeypatch):
    matrix = factors(300, np.random.default_rng(2))
    expected = tmfg(matrix)
    for name in ("_LEAST_CORES", "_LEAST_COLUMNS"):
        monkeypatch.setattr(TMFG_MODULE, name, 0)
    asked = []
    write = survey.list_rows
    monkeypatch.setattr(survey, "list_rows", lambda *a: (asked.append(1), write(*a)))
    read_only = matrix.copy()
    read_only.flags.writeable = False
    for values in (matrix, SimilarityMatrix(read_only, matrix.mean(), labels=None)):
        found = tmfg(values)
        assert (found.cliques == expected.cliques).all()
        assert (found.weights == expected.weights).all()
    assert asked
