"""Every way to find the best vertex of a face gives the same graph."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.plain_lazy_heap import tmfg_cliques as plain_tmfg_cliques
from tests.matrices import factor_table, similarity_matrices
from tests.naive.tmfg import naive_tmfg
from topofs._kernels.tmfg_dense import (
    block_maxima_of,
    grow_dense,
    raise_block_maxima,
    tmfg_cliques,
)
from topofs._kernels.tmfg_lists import start_growth
from topofs._kernels.top_lists import place_among


def noise(n, levels=None):
    similarity = np.random.default_rng(n).random((n, n))
    similarity = np.tril(similarity) + np.tril(similarity, -1).T
    return similarity if levels is None else np.rint(similarity * levels) / levels


@given(similarity_matrices(min_size=4, max_size=14), st.sampled_from([1, 2, 5]))
def test_narrow_blocks_equal_the_naive_twin(similarity, width):
    expected, _ = naive_tmfg(similarity)
    cliques = tmfg_cliques(similarity, expected[0], width=width)
    np.testing.assert_array_equal(cliques, expected)


@pytest.mark.parametrize("width", [1, 3, 64])
@pytest.mark.parametrize("levels", [None, 1, 2, 10])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_noise_on_which_block_maxima_do_not_help_equals_the_naive_twin(width, levels, dtype):
    similarity = noise(50, levels).astype(dtype)
    expected, _ = naive_tmfg(similarity)
    cliques = tmfg_cliques(similarity, expected[0], width=width)
    np.testing.assert_array_equal(cliques, expected)


@pytest.mark.needs_jit
@pytest.mark.parametrize("width", [1, 8, 64, 2000])
@pytest.mark.parametrize("kind", ["noise", "ties", "factors", "blocks", "zeros"])
def test_many_vertices_equal_the_plain_heap(width, kind):
    n = 700
    if kind == "noise":
        similarity = noise(n)
    elif kind == "ties":
        similarity = noise(n, levels=6)
    else:
        similarity = np.corrcoef(factor_table(100, n).T) ** 2
        similarity = np.tril(similarity) + np.tril(similarity, -1).T
        if kind == "blocks":
            # The strongest links of a vertex stand side by side.
            group = np.arange(n) // 100
            similarity += group[:, None] == group
        elif kind == "zeros":
            similarity[similarity < 0.5] = 0
    start = np.array([3, 1, 600, 8])
    expected = plain_tmfg_cliques(similarity, start)
    cliques = tmfg_cliques(similarity, start, width=width)
    np.testing.assert_array_equal(cliques, expected)


def test_the_growth_counts_what_it_does():
    n = 20
    similarity = noise(n)
    growth = start_growth(n, np.array([2, 0, 5, 7]), similarity.dtype)
    assert (growth.n_free, growth.counters[0].n_faces, growth.uses_lists) == (n - 4, 4, True)
    assert growth.corners_on_top.tolist() == [2, 0, 5]
    block_maxima = block_maxima_of(similarity, 4)
    raise_block_maxima(similarity, 0, n, block_maxima)
    grow_dense(similarity, block_maxima, growth)
    assert growth.n_free == 0
    # The last vertex needs no new faces.
    assert growth.counters[0].n_faces == 2 * n - 6
    assert (growth.penalty < 0).all()


def test_place_among_ascending_columns():
    columns = np.array([1, 4, 5, 9])
    found = [place_among(columns, v) for v in range(-1, 11)]
    assert found == [-1, -1, 0, -1, -1, 1, 2, -1, -1, -1, 3, -1]
    assert place_among(columns[:0], 3) == -1
