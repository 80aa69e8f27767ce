"""Ranges of rows that are multiplied, finished and surveyed in one call: twins of the matrix."""

import numba
import numpy as np
import pytest

from tests.matrices import factor_table
from topofs import Energy, Pearson, Spearman
from topofs._kernels import survey as product_survey
from topofs._kernels import survey as tile_survey
from topofs._kernels.column_weights import weight
from topofs._kernels.top_lists import empty_lists
from topofs.graphs import products as products_module
from topofs.graphs.products import BlockedProducts
from topofs.similarity.base import dense

MEASURES = {
    "pearson": Pearson(squared=False),
    "squared": Pearson(),
    "spearman": Spearman(),
    "energy": Energy(alpha=0.25),
}


def table(dtype, *, whole, n=150):
    X = factor_table(30, n).astype(dtype)
    if whole:
        X = np.rint(X)
    # Copies and opposites tie.
    X[:, 40:60] = X[:, 20:40]
    X[:, 60:70] = -X[:, 20:30]
    return X


def naive_lists(matrix, columns, k):
    """Strongest links of each row in some columns, of equal ones the lowest vertex first."""
    links = []
    for v, row in enumerate(matrix):
        found = sorted((-row[u], u) for u in columns if u != v)
        floor = -found[k - 1][0] if len(found) > k else -np.inf
        links.append(([u for _, u in found[:k]], [-w for w, _ in found[:k]], floor))
    return links


def as_links(lists):
    ends = enumerate(lists.length)
    return [
        (lists.vertex[v, :end].tolist(), lists.weight[v, :end].tolist(), lists.floor[v])
        for v, end in ends
    ]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("level", [-np.inf, 0.05])
def test_whole_numbers_are_surveyed_as_in_the_matrix(name, dtype, level):
    operator = MEASURES[name].operator(table(dtype, whole=True))
    n, cuts = operator.n_features, [0.02, 0.3]
    matrix = dense(operator)
    matrix[matrix < level] = 0
    products = BlockedProducts(operator)
    lists, totals = products.survey(level, cuts, 9, 512)
    assert as_links(lists) == naive_lists(matrix, range(n), 9)
    sums = [matrix.sum(axis=1, dtype=float)]
    sums += [np.where(matrix > cut, matrix, 0).sum(axis=1, dtype=float) for cut in cuts]
    np.testing.assert_allclose(totals, sums, rtol=1e-13, atol=1e-13)
    chosen = np.flatnonzero(np.arange(n) % 3)
    products.refill(chosen, level, lists, 512)
    assert as_links(lists) == naive_lists(matrix, chosen, 9)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_reals_are_surveyed_up_to_rounding(name, dtype):
    operator = MEASURES[name].operator(table(dtype, whole=False))
    matrix = dense(operator)
    products = BlockedProducts(operator)
    lists, totals = products.survey(-np.inf, [], 9, 512)
    close = {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12}
    others = matrix.copy()
    np.fill_diagonal(others, -np.inf)
    np.testing.assert_allclose(lists.weight, -np.sort(-others, axis=1)[:, :9], **close)
    taken = np.take_along_axis(others, lists.vertex.astype(np.int64), axis=1)
    np.testing.assert_allclose(lists.weight, taken, **close)
    np.testing.assert_allclose(totals[0], matrix.sum(axis=1, dtype=float), **close)
    np.testing.assert_allclose(products.rows(np.arange(len(matrix))), matrix, **close)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_whole_numbers_have_the_bits_of_the_matrix_and_of_single_entries(name, dtype):
    X = table(dtype, whole=True)
    X[:, 7] = 3.0
    operator = MEASURES[name].operator(X)
    matrix, vertices = dense(operator), np.array([70, 3, 7, 149])
    products = BlockedProducts(operator)
    assert (products.rows(vertices) == matrix[vertices]).all()
    chosen = np.arange(1, 150, 4)
    apart = vertices[:, None] != chosen
    found = products.rows(vertices, chosen)
    assert (found == matrix[np.ix_(vertices, chosen)])[apart].all()
    weights = operator.column_weights(-np.inf)
    assert weight(weights, 70, 5, matrix) == found[0, 1]


def surveyed(operator, level):
    products = BlockedProducts(operator)
    lists, totals = products.survey(level, [0.1], 12, 512)
    links = as_links(lists)
    products.refill(np.arange(1, operator.n_features, 2), level, lists, 512)
    return links, totals.tolist(), as_links(lists)


@pytest.mark.parametrize("whole", [True, False])
def test_threads_do_not_change_a_survey(whole, monkeypatch):
    monkeypatch.setattr(products_module, "_FEWEST_ROWS", 16)
    operator = Pearson().operator(table(np.float32, whole=whole))
    before = numba.get_num_threads()
    found = []
    for threads in (1, min(2, before)):
        numba.set_num_threads(threads)
        found.append(surveyed(operator, -np.inf))
    numba.set_num_threads(before)
    assert found[0] == found[1]


@pytest.mark.parametrize("level", [-np.inf, 0.05])
def test_ranges_of_rows_do_not_change_lists_of_whole_numbers(level, monkeypatch):
    operator = Spearman().operator(table(np.float64, whole=True))
    expected = surveyed(operator, level)
    monkeypatch.setattr(products_module, "_FEWEST_ROWS", 7)
    assert surveyed(operator, level) == expected


def test_rows_wider_than_a_tile_join_their_tiles():
    n, k = 2 * product_survey.WIDTH + 100, 5
    X = np.rint(factor_table(8, n))
    operator = Pearson(squared=False).operator(X)
    lists, totals = empty_lists(n, k, np.float64), np.full((1, n), np.nan)
    weights, ids = operator.column_weights(-np.inf), np.arange(n, dtype=np.int32)
    first, last = 1020, 1030
    product_survey.survey_products(
        weights,
        weights,
        ids,
        first,
        last,
        np.empty(0),
        tile_survey.round_off_of(n),
        operator.diagonal(),
        totals,
        lists,
    )
    rows = BlockedProducts(operator).rows(np.arange(first, last))
    for v, row in enumerate(rows, start=first):
        best = sorted((-w, u) for u, w in enumerate(row) if u != v)[:k]
        assert lists.vertex[v].tolist() == [u for _, u in best]
        assert lists.weight[v].tolist() == [-w for w, _ in best]
        assert totals[0, v] == pytest.approx(row.sum(), abs=1e-9)
    assert lists.length.sum() == k * (last - first)
    assert np.isnan(totals).sum() == n - (last - first)
