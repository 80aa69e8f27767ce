"""Correlation of sparse tables: the same as that of the dense table, whatever the density."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.matrices import factor_table
from topofs import (
    Energy,
    Mixed,
    MutualInformation,
    Pearson,
    Spearman,
    TopologicalFeatureSelector,
)
from topofs.io.types import typed_table
from topofs.selection import fit_and_compare, ranked_columns
from topofs.similarity import pearson
from topofs.similarity.base import MatrixOperator, similarity_rows
from topofs.similarity.sparse import SparseCorrelation, sparse_correlation


def mixed_densities(seed, n_samples=70, n_features=150):
    """Counts and reals; thin and dense columns, constant ones, and some far from zero."""
    rng = np.random.default_rng(seed)
    density = rng.choice([0.0, 0.05, 0.2, 0.3, 0.9, 1.0], n_features)
    X = rng.normal(size=(n_samples, 3)) @ rng.normal(size=(3, n_features))
    X += rng.normal(size=X.shape)
    counts = rng.random(n_features) < 0.4
    X[:, counts] = np.rint(5 * X[:, counts])
    X *= rng.random(X.shape) < density
    X[:, 5] = 3.0
    X[:, 6] += 1e7
    return X


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), single=st.booleans())
def test_every_block_is_that_of_the_dense_table(seed, single):
    X = mixed_densities(seed)
    if single:
        X[:, 6] -= 1e7
        X = X.astype(np.float32)
    operator = sparse_correlation(sparse.csc_array(X))
    assert isinstance(operator, SparseCorrelation)
    expected = pearson(X.astype(np.float64))
    n = len(expected)
    found = pearson(sparse.csc_array(X))
    np.testing.assert_allclose(found, expected, atol=1e-6 if single else 1e-9)
    assert (found == found.T).all()
    np.fill_diagonal(expected, np.where(X.min(axis=0) == X.max(axis=0), 0.0, 1.0))
    rng = np.random.default_rng(seed)
    some, others = rng.permutation(n)[:40], rng.permutation(n)[:70]
    for rows, columns in (
        (slice(0, n), slice(3, 50)),
        (slice(7, 8), slice(0, n)),
        (some, slice(0, 130)),
        (slice(0, 130), some),
    ):
        np.testing.assert_allclose(
            operator.block(rows, columns), expected[rows][:, columns], atol=1e-9
        )
    among = operator.select(others)
    np.testing.assert_allclose(
        among.block(slice(0, 70), slice(0, 70)), expected[np.ix_(others, others)], atol=1e-9
    )


def test_every_pair_is_computed_once():
    operator = sparse_correlation(sparse.csc_array(mixed_densities(0, n_features=400)))
    for one in (operator, operator.select(np.random.default_rng(0).permutation(400)[:300])):
        times = np.zeros((one.n_features,) * 2, dtype=int)
        for rows, columns in one.triangle():
            n_others = len(columns) - len(rows)
            assert columns[n_others:].tolist() == rows.tolist()
            times[np.ix_(rows, columns[:n_others])] += 1
            times[np.ix_(rows, rows)] += np.tri(len(rows), dtype=int)
        assert (times + times.T == 1 + np.eye(one.n_features)).all()


def test_bits_depend_neither_on_the_order_of_columns_nor_on_the_block():
    X = np.random.default_rng(0).poisson(np.geomspace(0.02, 30, 200), size=(90, 200))
    X = X.astype(np.float32)
    order = np.random.default_rng(1).permutation(200)
    whole = pearson(sparse.csc_array(X))
    np.testing.assert_array_equal(whole, pearson(X.astype(np.float64)).astype(np.float32))
    moved = pearson(sparse.csc_array(X[:, order]))
    np.testing.assert_array_equal(moved, whole[np.ix_(order, order)])


@pytest.mark.parametrize("factor", [2.0**-400, 2.0**400])
def test_products_neither_overflow_nor_vanish(factor):
    X = mixed_densities(0)
    np.testing.assert_array_equal(
        pearson(sparse.csc_array(X * factor)), pearson(sparse.csc_array(X))
    )


def test_a_table_is_left_as_it_is():
    X = sparse.csc_array(mixed_densities(0))
    turned = X.copy()
    turned.data, turned.indices = X.data.copy(), X.indices.copy()
    for j in range(X.shape[1]):
        part = slice(X.indptr[j], X.indptr[j + 1])
        turned.data[part], turned.indices[part] = X.data[part][::-1], X.indices[part][::-1]
    turned.has_sorted_indices = False
    before = turned.indices.copy()
    found = sparse_correlation(turned).block(slice(0, 150), slice(0, 150))
    np.testing.assert_array_equal(turned.indices, before)
    expected = sparse_correlation(X).block(slice(0, 150), slice(0, 150))
    np.testing.assert_array_equal(found, expected)


class _Counted:
    """Says which rows were asked for."""

    def __init__(self, operator):
        self.operator, self.n_entries = operator, 0
        self.n_features, self.dtype = operator.n_features, operator.dtype

    def block(self, rows, columns):
        found = self.operator.block(rows, columns)
        self.n_entries += found.size
        return found


@pytest.mark.parametrize(
    "operator",
    [
        Pearson().operator(sparse.csc_array(factor_table(40, 12))),
        Pearson(squared=False).operator(factor_table(40, 12)),
        Spearman().operator(factor_table(40, 12)),
        Energy().operator(factor_table(40, 12)),
        MutualInformation().operator(factor_table(40, 12)),
        Mixed().operator(typed_table(factor_table(40, 12))),
        Pearson().operator(np.where(factor_table(40, 12) > 2, np.nan, factor_table(40, 12))),
        MatrixOperator(pearson(factor_table(40, 12))),
    ],
    ids=lambda operator: type(getattr(operator, "inner", operator)).__name__,
)
def test_rows_are_those_of_the_whole(operator):
    whole = operator.block(slice(0, 12), slice(0, 12))
    some = np.array([0, 1, 2, 5, 9, 10])
    np.testing.assert_allclose(similarity_rows(operator, some), whole[some], atol=1e-12)


def test_the_nearest_selected_column_takes_the_rows_of_the_selected_ones():
    X = sparse.csc_array(np.abs(mixed_densities(0)))
    selector = TopologicalFeatureSelector(7, min_carriers=0)
    with pytest.warns(UserWarning, match="constant"):
        operator = fit_and_compare(selector, X).operator
    counted = _Counted(operator)
    found = ranked_columns(selector, counted)
    assert counted.n_entries == 7 * operator.n_features
    names, everyone = [f"x{i}" for i in selector.nodes_], slice(0, operator.n_features)
    whole = operator.block(everyone, everyone)
    chosen = np.flatnonzero(selector.support_[selector.nodes_])
    for column in found:
        if column.name not in names:
            assert column.nearest is None
            continue
        node = names.index(column.name)
        others = chosen[chosen != node]
        best = others[whole[node, others].argmax()]
        assert column.nearest == names[best]
        assert column.similarity == pytest.approx(whole[node, best], abs=1e-12)


def test_rare_columns_do_not_change_what_the_others_are():
    X = np.abs(mixed_densities(1, n_samples=400))
    X[:, 10:30] = 0
    X[3, 10:30] = 1.0
    common = np.setdiff1d(np.arange(150), np.arange(10, 30))
    chosen = []
    for table, numbers in ((X, np.arange(150)), (X[:, common], common)):
        with pytest.warns(UserWarning, match=r"constant|another value"):
            selector = TopologicalFeatureSelector(8, min_carriers=5).fit(
                sparse.csc_array(table)
            )
        chosen.append(numbers[selector.support_].tolist())
    assert chosen[0] == chosen[1]
