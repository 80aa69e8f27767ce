import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from tests.certificates import assert_tmfg
from tests.matrices import factor_table, similarity_matrices
from tests.naive.tmfg import naive_tmfg
from topofs import tmfg


@given(similarity_matrices())
def test_equals_the_naive_twin(similarity):
    graph = tmfg(similarity)
    cliques, edges = naive_tmfg(similarity)
    assert {tuple(edge) for edge in graph.edges.tolist()} == edges
    if cliques is not None:
        np.testing.assert_array_equal(graph.cliques, cliques)
        assert_tmfg(graph)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [5, 30, 60])
def test_equals_the_naive_twin_on_factor_data(n, dtype):
    similarity = np.corrcoef(factor_table(80, n, seed=n).T).astype(dtype)
    similarity = np.tril(similarity) + np.tril(similarity, -1).T
    graph = tmfg(similarity)
    np.testing.assert_array_equal(graph.cliques, naive_tmfg(similarity)[0])
    assert graph.weights.dtype == dtype
    assert_tmfg(graph)


@pytest.mark.parametrize("value", [0.0, -1.0, 0.3])
def test_equal_weights_everywhere_still_give_a_tmfg(value):
    graph = tmfg(np.full((20, 20), value))
    assert_tmfg(graph)
    assert graph.order.tolist() == list(range(20))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_up_to_four_nodes_the_graph_is_complete(n):
    assert tmfg(np.eye(n)).n_edges == n * (n - 1) // 2


def test_the_diagonal_decides_nothing_but_the_start():
    similarity = np.corrcoef(factor_table(40, 15).T)
    graph = tmfg(similarity)
    start = graph.cliques[0]
    similarity[start, start] += 5
    assert tmfg(similarity) == graph


def test_a_data_frame_lends_its_labels():
    table = pd.DataFrame(factor_table(30, 5), columns=list("abcde"))
    assert tmfg(table.corr()).labels == tuple("abcde")


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_layout_and_read_only_input_do_not_matter(order):
    similarity = np.array(np.corrcoef(factor_table(40, 12).T), order=order)
    expected = tmfg(similarity.copy())
    similarity.flags.writeable = False
    assert tmfg(similarity) == expected


@pytest.mark.needs_jit
def test_certificates_at_a_larger_size():
    assert_tmfg(tmfg(np.corrcoef(factor_table(200, 400).T)))


@pytest.mark.parametrize("seed", range(12))
def test_the_order_of_the_columns_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 30))
    similarity = rng.random((n, n)) ** rng.integers(1, 6)
    # Columns that have no link above the mean but to each other have equal sums.
    pairs = np.arange(n // 2)
    similarity[2 * pairs + 1, 2 * pairs] = 2 + rng.random(n // 2)
    similarity = np.tril(similarity, -1) + np.tril(similarity, -1).T + np.eye(n)
    expected = {frozenset(edge) for edge in tmfg(similarity).edges.tolist()}
    for _ in range(4):
        order = rng.permutation(n)
        edges = order[tmfg(similarity[np.ix_(order, order)]).edges]
        assert {frozenset(edge) for edge in edges.tolist()} == expected
