"""The TMFG from products, whoever computes them."""

from dataclasses import replace

import numpy as np
import pytest

from tests.matrices import factor_table
from topofs import threshold_mean, tmfg
from topofs._kernels.top_lists import TopLists, empty_lists
from topofs.graphs import tmfg_out_of_core as matrix_free
from topofs.graphs.products import BlockedProducts, Rounding
from topofs.graphs.tmfg_out_of_core import tmfg_of_products
from topofs.similarity.base import dense
from topofs.similarity.correlation import correlation_of_values


class WholeMatrix:
    """Products read from a matrix, lists by sorting: a twin of `BlockedProducts`."""

    def __init__(self, operator):
        self.matrix = dense(operator)
        self.n_features, self.n_samples = operator.n_features, operator.n_samples
        self.dtype, self.non_negative = operator.dtype, operator.non_negative
        self.column_weights = operator.column_weights
        self.approximate_mean = operator.approximate_mean
        self.rounding = BlockedProducts(operator).rounding
        self.asked = 0

    def survey(self, level, cuts, list_length, n_rows):
        n = self.n_features
        matrix = np.where(self.matrix >= level, self.matrix, 0).astype(self.dtype)
        totals = [matrix.sum(axis=1, dtype=np.float64)]
        totals += [np.where(matrix > cut, matrix, 0).sum(axis=1, dtype=float) for cut in cuts]
        others = matrix.copy()
        np.fill_diagonal(others, -np.inf)
        order = np.argsort(-others, axis=1, kind="stable")[:, :list_length]
        weight = np.take_along_axis(others, order, axis=1)
        complete = list_length >= n - 1
        floor = weight[:, -1] if list_length > 0 and not complete else np.full(n, -np.inf)
        length = np.full(n, min(list_length, n - 1))
        head = np.zeros(n, dtype=np.int64)
        lists = TopLists(weight, order.astype(np.int32), length, head, floor.astype(self.dtype))
        return lists, np.array(totals)

    def rows(self, vertices, columns=None):
        self.asked += 1
        rows = self.matrix[vertices]
        return rows if columns is None else np.ascontiguousarray(rows[:, columns])


@pytest.mark.parametrize("threshold", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scarce", [True, False])
def test_products_from_anywhere_give_the_graph_of_the_matrix(
    threshold, dtype, scarce, monkeypatch
):
    if scarce:
        plan = matrix_free._Plan(list_length=3, n_rows=8, n_kept=3)
        monkeypatch.setattr(matrix_free, "_plan", lambda *_: plan)
    X = np.rint(factor_table(40, 70)).astype(dtype)
    operator = replace(correlation_of_values(X), kind="squared")
    matrix = dense(operator)
    expected = tmfg(threshold_mean(matrix) if threshold else matrix)
    elsewhere = WholeMatrix(operator)
    assert tmfg_of_products(elsewhere, threshold=threshold, memory=10**9) == expected
    assert (
        tmfg_of_products(BlockedProducts(operator), threshold=threshold, memory=10**9)
        == expected
    )
    assert elsewhere.asked or not scarce


@pytest.mark.parametrize("n", [2, 3])
def test_few_float32_columns_are_rounded_before_they_meet_the_mean(n):
    """A correlation just below 1 is 1 in float32, and not below the mean of ones."""
    X = np.repeat(np.arange(5000, dtype=np.float32)[:, None], n, axis=1)
    X[0, 0] += 1
    operator = replace(correlation_of_values(X), kind="squared")
    assert 1 - 1e-8 < operator.block(slice(0, 1), slice(1, 2))[0, 0] < 1
    graph = tmfg_of_products(BlockedProducts(operator), threshold=True, memory=10**9)
    assert graph == tmfg(threshold_mean(dense(operator)))
    assert graph.weights.tolist() == [1.0] * graph.n_edges


def test_rows_in_chosen_columns_are_parts_of_whole_rows():
    operator = replace(correlation_of_values(np.rint(factor_table(40, 20))), kind="squared")
    products = BlockedProducts(operator)
    vertices = np.array([3, 1, 7])
    whole = products.rows(vertices)
    np.testing.assert_array_equal(whole, dense(operator)[vertices])
    for columns in (np.array([0, 5, 9]), np.array([2, 4]), np.arange(20)):
        for _ in range(2):
            part = products.rows(vertices, columns)
            others = vertices[:, None] != columns
            np.testing.assert_array_equal(part[others], whole[:, columns][others])


def test_what_rounding_may_lift_to_the_level_is_bounded_by_it():
    lists = empty_lists(3, 2, np.float64)
    lists.floor[:] = [0.0, -np.inf, 0.7]
    matrix_free._loosen_floors(lists, 0.5, Rounding(0.0, 0.0, squared=True))
    assert lists.floor.tolist() == [0.0, -np.inf, 0.7]
    matrix_free._loosen_floors(lists, 0.5, Rounding(1e-13, 0.0, squared=True))
    assert lists.floor.tolist() == [0.5, -np.inf, 0.7]


@pytest.mark.parametrize("n_kept", [160, 40])
def test_noise_wants_each_row_once_among_the_free_columns(n_kept, monkeypatch):
    """Lists of noise are given up; rows stay known as long as there is room for them."""
    monkeypatch.setattr(matrix_free, "_LONGEST_LIST", 4)
    monkeypatch.setattr(matrix_free, "_SHORTEST_LIST", 4)
    plan = matrix_free._plan

    def with_room(*arguments):
        found = plan(*arguments)
        return matrix_free._Plan(found.list_length, 32, n_kept)

    monkeypatch.setattr(matrix_free, "_plan", with_room)
    X = np.rint(3 * np.random.default_rng(0).normal(size=(50, 160)))
    operator = replace(correlation_of_values(X), kind="squared")
    asked = {}

    class Counted(BlockedProducts):
        def rows(self, vertices, columns=None):
            if columns is not None:
                asked.setdefault(len(columns), []).append(vertices)
            return super().rows(vertices, columns)

    found = tmfg_of_products(Counted(operator), threshold=True, memory=10**9)
    expected = tmfg(threshold_mean(dense(operator)))
    np.testing.assert_array_equal(found.edges, expected.edges)
    np.testing.assert_array_equal(found.order, expected.order)
    if n_kept == 160:
        # Only the corners on top come along a second time, three an ask at most.
        for vertices in asked.values():
            again = sum(map(len, vertices)) - len(np.unique(np.concatenate(vertices)))
            assert again <= 3 * len(vertices)
        # 160 vertices in seven sets of columns; a product for each face would be hundreds.
        assert sum(map(len, asked.values())) < 60
