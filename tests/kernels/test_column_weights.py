"""Tiles of a matrix against the blocks of its similarity, to the last bit."""

import numba
import numpy as np
import pytest

from tests.matrices import factor_table
from topofs import Energy, Pearson, Spearman
from topofs._kernels.column_weights import finish_tile
from topofs.similarity import base as operator_module
from topofs.similarity.base import dense

MEASURES = {
    "pearson": Pearson(squared=False),
    "squared": Pearson(),
    "spearman": Spearman(),
    "energy": Energy(alpha=0.3),
}


def table(kind, dtype, n):
    X = factor_table(20, n).astype(dtype)
    if kind != "numbers":
        X[:, :: 1 if kind == "whole" else 2] = np.rint(X[:, :: 1 if kind == "whole" else 2])
    X[:, 3] = X[:, 5]
    X[:, 4] = 7  # its correlations are 0
    return X


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["numbers", "whole", "both"])
@pytest.mark.parametrize(("first", "left", "width"), [(0, 0, 13), (13, 0, 26), (13, 13, 13)])
def test_a_tile_and_its_image_are_those_of_the_block(name, dtype, kind, first, left, width):
    operator = MEASURES[name].operator(table(kind, dtype, 26))
    weights = operator.column_weights(-np.inf)
    matrix = np.full((26, 26), 9, operator.dtype)
    rows, columns = slice(first, first + 13), slice(left, left + width)
    gram = weights.values[rows] @ weights.values[columns].T
    finish_tile(gram, weights, first, left, matrix)
    below = np.zeros((26, 26), np.bool_)
    below[rows, columns] = True
    below &= np.tri(26, dtype=np.bool_)
    expected = np.full((26, 26), 9, operator.dtype)
    expected[rows, columns] = operator.block(rows, columns)
    assert (matrix[below] == expected[below]).all()
    assert (matrix[below.T] == matrix.T[below.T]).all()
    assert (matrix[~(below | below.T)] == 9).all()


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_matrix_of_tiles_is_that_of_blocks(name, dtype, n_threads, monkeypatch):
    if n_threads > numba.config.NUMBA_NUM_THREADS:
        pytest.skip("numba has fewer threads")
    monkeypatch.setattr(operator_module, "_ROWS", 16)
    monkeypatch.setattr(operator_module, "_COLUMNS", 32)
    operator = MEASURES[name].operator(table("both", dtype, 90))
    before = numba.get_num_threads()
    numba.set_num_threads(n_threads)
    try:
        found = dense(operator)
    finally:
        numba.set_num_threads(before)
    monkeypatch.setattr(operator_module, "_tile_writer", lambda *_: None)
    np.testing.assert_array_equal(found, dense(operator))
    assert (found == found.T).all()
