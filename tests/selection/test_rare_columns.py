"""Columns that too few samples carry: found in any table, named, and left out."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.matrices import factor_table
from tests.messages import assert_tells
from tests.report.pages import selection_report
from topofs import (
    ConstantFeatureWarning,
    RareFeatureWarning,
    TopologicalFeatureSelector,
    stability,
)
from topofs.backends.dask_table import rare_dask_columns
from topofs.io.types import Column, TypedTable
from topofs.similarity.table import least_carriers, rare_columns


def carriers(values):
    """Count those that hold another value than the most frequent one."""
    given_values = [value for value in values.tolist() if value == value]
    counts = [given_values.count(value) for value in set(given_values)]
    return len(given_values) - max(counts, default=0)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_rare_columns_are_those_of_the_definition(data):
    n_samples = data.draw(st.integers(2, 40))
    cells = st.sampled_from([0.0, 0.0, 0.0, 0.0, 1.0, 2.5, -1.0, np.nan])
    n_columns = data.draw(st.integers(1, 4))
    rows = data.draw(
        st.lists(
            st.lists(cells, min_size=n_columns, max_size=n_columns),
            min_size=n_samples,
            max_size=n_samples,
        )
    )
    X, least = np.array(rows), data.draw(st.integers(2, 45))
    if data.draw(st.booleans()):
        X = np.sort(X, axis=0)
    expected = {i: carriers(X[:, i]) for i in range(n_columns)}
    expected = {i: number for i, number in expected.items() if number < least}
    assert rare_columns(X, least) == expected
    assert rare_columns(np.asfortranarray(X), least) == expected
    columns = tuple(Column(str(i), nominal=False, values=X[:, i]) for i in range(n_columns))
    assert rare_columns(TypedTable(columns), least) == expected
    X = np.nan_to_num(X)
    stored = sparse.csc_array(X)
    if stored.nnz:
        stored.data[0] = X[stored.nonzero()[0][0], stored.nonzero()[1][0]]
    expected = {i: carriers(X[:, i]) for i in range(n_columns)}
    assert rare_columns(stored, least) == {i: n for i, n in expected.items() if n < least}
    explicit = sparse.csc_array((np.r_[0.0, 1.0], ([0, 1], [0, 0])), shape=(n_samples, 1))
    assert rare_columns(explicit, 2) == ({0: 1} if n_samples > 1 else {})


def test_a_missing_name_is_a_level():
    values = np.array([np.nan] * 10 + [1.0] * 90)
    names, numbers = (Column("c", nominal=n, values=values) for n in (True, False))
    assert rare_columns(TypedTable((names, numbers)), 20) == {0: 10, 1: 0}


def test_the_minimum_grows_slowly():
    sizes = [2, 100, 1000, 1001, 1500, 2000, 10_000, 50_000, 1_000_000]
    assert [least_carriers(n) for n in sizes] == [0, 0, 0, 0, 2, 4, 13, 22, 39]


def counts_table(n_rows=4000, seed=0):
    """Common columns, a rare group of rows with columns of its own, and columns seen thrice."""
    random = np.random.default_rng(seed)
    kind = random.integers(3, size=n_rows)
    common = random.poisson(0.2 + 2.0 * (kind[:, None] == np.arange(12) % 3))
    group = random.choice(n_rows, 20, replace=False)
    own = np.zeros((n_rows, 6))
    own[group] = random.poisson(3.0, size=(20, 6))
    seen = np.zeros((n_rows, 30))
    for i in range(0, 30, 2):
        rows = random.choice(n_rows, 3, replace=False)
        seen[rows, i] = seen[rows, i + 1] = 1
    return np.hstack([common, own, seen]).astype(float)


def kinds_of_tables():
    X = counts_table()
    names = [f"g{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    yield "array", X
    yield "sparse", sparse.csr_matrix(X)
    yield "frame", frame
    yield "frame with names", frame.assign(g0=np.where(X[:, 0] > 0, "yes", "no"))
    anndata = pytest.importorskip("anndata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield "AnnData", anndata.AnnData(sparse.csr_matrix(X))


@pytest.mark.parametrize("number", range(5))
def test_what_chance_makes_alike_is_left_out_and_a_rare_group_stays(number):
    kind, X = list(kinds_of_tables())[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = TopologicalFeatureSelector(15, min_carriers=0).fit(X)
    assert before.support_[18:].sum() >= 8, kind
    assert not before.rare_.size
    with pytest.warns(RareFeatureWarning, match=r"30 of 48 columns .* fewer than 8 of 4,000"):
        after = TopologicalFeatureSelector(15).fit(X)
    assert after.min_carriers_ == 8
    assert after.rare_.tolist() == list(range(18, 48))
    assert not after.support_[18:].any()
    # One of the rare group's columns is enough to represent the others.
    assert after.support_[12:18].any()
    assert (after.shares_[12:18] > 0.25).all()
    name = after._column_names()[20]
    assert_tells(after.explain(str(name)), name, "takes no part", "3 samples", 8)


def test_forced_columns_and_other_minimums():
    X = counts_table()
    with pytest.warns(RareFeatureWarning, match="29 of 48"):
        kept = TopologicalFeatureSelector(5, keep=[20]).fit(X)
    assert kept.support_[20]
    assert 20 in kept.nodes_
    with pytest.warns(RareFeatureWarning, match="36 of 48 .* fewer than 25"):
        TopologicalFeatureSelector(5, min_carriers=25).fit(X)
    with pytest.raises(ValueError, match=r"all 48 columns .* too few samples carry them"):
        TopologicalFeatureSelector(5, min_carriers=5000).fit(X)
    for wrong in (-1, 1.5, "few", None, True):
        with pytest.raises(ValueError, match="min_carriers is .*; give a whole number"):
            TopologicalFeatureSelector(5, min_carriers=wrong).fit(X)
    assert TopologicalFeatureSelector.paper(5).fit(X).min_carriers_ == 0
    matrix = np.eye(4)
    with pytest.raises(ValueError, match="a given similarity has no samples"):
        TopologicalFeatureSelector(1, similarity="precomputed", min_carriers=3).fit(matrix)


def test_small_tables_are_left_alone():
    X = factor_table(100, 12)
    X[:, 3] = 0
    X[:3, 3] = 1
    X[:, 4] = 0
    X[0, 4] = 1
    assert not TopologicalFeatureSelector(4).fit(X).rare_.size


def test_the_page_and_resamples():
    X = counts_table()
    with pytest.warns(RareFeatureWarning):
        fitted = TopologicalFeatureSelector(8).fit(X)
    page = selection_report(selector=fitted, X=X)
    assert "fewer than 8 samples" in page
    assert "held one value only" not in page
    assert '"reasons":{"18":"only' in page
    found = stability(TopologicalFeatureSelector(8), X, n_resamples=3, random_state=0)
    assert not found.frequency[18:].any()


def test_a_dask_table_is_counted_by_chunks():
    da = pytest.importorskip("dask.array")
    X = counts_table()
    X[:, 5] = 1.0
    X[:3, 18] = 7.0
    with pytest.warns(RareFeatureWarning), pytest.warns(ConstantFeatureWarning):
        here = TopologicalFeatureSelector(8).fit(X)
    for chunks in [(1000, 48), (4000, 10)]:
        lazy = da.from_array(X, chunks=chunks)
        with (
            pytest.warns(RareFeatureWarning, match="30 of 48"),
            pytest.warns(ConstantFeatureWarning, match="1 of 48 .*: x5"),
        ):
            there = TopologicalFeatureSelector(8).fit(lazy)
        np.testing.assert_array_equal(there.rare_, here.rare_)
        np.testing.assert_array_equal(there.nodes_, here.nodes_)
        np.testing.assert_array_equal(there.support_, here.support_)
        with pytest.warns(ConstantFeatureWarning):
            all_in = TopologicalFeatureSelector(8, min_carriers=0).fit(lazy)
        assert not all_in.rare_.size


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40))
def test_chunks_find_the_same_rare_columns(seed, least):
    da = pytest.importorskip("dask.array")
    random = np.random.default_rng(seed)
    X = (random.random((60, 6)) < random.random(6)).astype(float)
    X = np.sort(X, axis=0) if seed % 2 else X
    expected = {i: n for i in range(6) if (n := carriers(X[:, i])) < min(least, 30)}
    assert rare_dask_columns(da.from_array(X, chunks=(17, 4)), min(least, 30)) == expected
