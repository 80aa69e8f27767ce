import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.matrices import factor_table, tables
from tests.naive.similarity import naive_energy, naive_pearson, naive_spearman
from topofs import energy, mutual_information, pearson, spearman
from topofs.similarity import correlation as grids
from topofs.similarity.correlation import (
    ANY_GRID,
    NO_GRID,
    correlation_of_values,
    exact_grids_of_rows,
    grids_of_runs,
)
from topofs.similarity.sparse import sparse_correlation
from topofs.similarity.table import is_constant

TWINS = [(pearson, naive_pearson), (spearman, naive_spearman)]


def well_conditioned(X):
    """Spread of a column far below its size leaves both twins with few digits."""
    spread = np.ptp(X, axis=0)
    return X[:, (spread == 0) | (spread > 1e-6 * np.abs(X).max(axis=0))]


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize(("measure", "twin"), TWINS)
@given(X=tables())
def test_equals_the_naive_twin(measure, twin, squared, X):
    X = well_conditioned(X)
    if X.shape[1]:
        expected = twin(X, squared=squared)
        np.testing.assert_allclose(measure(X, squared=squared), expected, atol=1e-9)


@pytest.mark.parametrize("kind", ["whole", "real"])
@pytest.mark.parametrize(("measure", "twin"), TWINS)
def test_missing_values_are_pairwise_complete(measure, twin, kind):
    rng = np.random.default_rng(3)
    X = factor_table(40, 12)
    X = np.rint(3 * X) if kind == "whole" else X
    X[rng.random(X.shape) < 0.3] = np.nan
    X[:, 5] = np.nan
    X[:, 6] = 7.0
    X[1:, 7] = np.nan
    # Constant only where column 9 is observed.
    X[:, 8] = np.where(np.isnan(X[:, 9]), X[:, 8], 0.1)
    np.testing.assert_allclose(measure(X), twin(X), atol=1e-12)


@given(X=tables(missing=True))
def test_spearman_with_missing_values_equals_the_naive_twin(X):
    np.testing.assert_allclose(spearman(X), naive_spearman(X), atol=1e-9)


@given(X=tables(), alpha=st.floats(0, 1))
def test_energy_equals_the_naive_twin(X, alpha):
    np.testing.assert_allclose(energy(X, alpha=alpha), naive_energy(X, alpha=alpha), atol=1e-7)


def test_energy_with_missing_values_equals_the_naive_twin():
    X = factor_table(40, 8)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    np.testing.assert_allclose(energy(X, alpha=0.3), naive_energy(X, alpha=0.3), atol=1e-12)


@pytest.mark.parametrize("measure", [pearson, spearman, energy])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [3, 300, 700])
def test_exact_symmetry_diagonal_and_type(measure, dtype, n_features):
    X = factor_table(20, n_features).astype(dtype)
    similarity = measure(X)
    assert similarity.dtype == dtype
    np.testing.assert_array_equal(similarity, similarity.T)
    if measure is energy:
        sigma = ((X - X.min(axis=0)) / np.ptp(X, axis=0)).std(axis=0)
        np.testing.assert_allclose(np.diag(similarity), 0.5 * sigma, rtol=1e-5)
    else:
        assert (np.diag(similarity) == 1).all()


@pytest.mark.parametrize("measure", [pearson, spearman, energy])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.bool_, np.float32, np.int64])
def test_every_number_type_gives_the_float64_answer(measure, dtype):
    X = np.random.default_rng(1).integers(0, 2 if dtype == np.bool_ else 200, size=(30, 9))
    X = X.astype(dtype)
    expected = measure(X.astype(np.float64))
    given = np.asfortranarray(X)
    given.flags.writeable = False
    tolerance = 1e-6 if dtype == np.float32 else 0
    np.testing.assert_allclose(measure(given), expected, atol=tolerance, rtol=0)


@pytest.mark.parametrize("measure", [pearson, spearman])
def test_copies_correlate_exactly_one(measure):
    X = factor_table(50, 4)
    X = np.rint(10 * X)
    X = np.column_stack([X, X, -X])
    similarity = measure(X)
    assert (np.diag(similarity[:4, 4:8]) == 1).all()
    assert (np.diag(similarity[:4, 8:]) == -1).all()


def test_whole_numbers_give_the_same_bits_in_any_company():
    """Exact sums: neither the other columns, nor their order, nor a shift changes a bit."""
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(62, 600)).astype(float)
    similarity = pearson(X)
    order = rng.permutation(600)
    np.testing.assert_array_equal(pearson(X[:, order]), similarity[np.ix_(order, order)])
    np.testing.assert_array_equal(pearson(X[:, :37]), similarity[:37, :37])
    np.testing.assert_array_equal(pearson(X + 1000), similarity)
    beside = np.column_stack([X[:, :37], rng.normal(size=62)])
    np.testing.assert_array_equal(pearson(beside)[:37, :37], similarity[:37, :37])
    np.testing.assert_allclose(pearson(beside), naive_pearson(beside), atol=1e-12)


@given(X=tables(), power=st.integers(-900, 900), shift=st.integers(-100, 100))
@pytest.mark.parametrize("container", [np.asarray, sparse.csc_array])
def test_powers_of_two_and_whole_shifts_change_no_bit(container, X, power, shift):
    X = np.round(X * 4) / 4
    expected = pearson(container(X))
    scale = np.where(np.arange(X.shape[1]) % 2, 2.0**power, 1.0)
    np.testing.assert_array_equal(pearson(container(X * scale)), expected)
    np.testing.assert_array_equal(pearson(container(X + shift)), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_coarsest_grid_of_columns(dtype, monkeypatch):
    largest = float(np.finfo(dtype).max)
    # Their grid, and that of their differences where sums of these are exact.
    columns = {
        (0, 0, 0): (ANY_GRID, 0),
        (3, 8, -5): (0, 0),
        (0.5, 4, -96): (-1, -1),
        (96, 64, -32): (5, 5),
        (1024.25, 0, 3): (-2, -2),
        (2.0**20 + 1, 2.0**20 + 9, 2.0**20 + 1): (0, 3),
        (2.0**40, 1, 0): (0, NO_GRID),
        (2.0**60, 1, 0): (NO_GRID, NO_GRID),
        (largest, -largest, 0): (104, 104) if dtype == np.float32 else (971, NO_GRID),
    }
    table = np.array(list(columns), dtype=dtype)
    starts = 3 * np.arange(len(table) + 1)
    extremes = table.min(axis=1).astype(float), table.max(axis=1).astype(float)
    found = grids_of_runs(table.ravel(), starts), exact_grids_of_rows(table, *extremes)[0]
    assert np.transpose(found).tolist() == [list(grids) for grids in columns.values()]
    odd = np.array([(np.nan, 1, 2), (0, np.nan, 0), (np.inf, 1, 2)], dtype=dtype)
    assert (grids_of_runs(odd.ravel(), starts[:4]) == NO_GRID).all()
    # Runs of a sparse table: some are empty, and the values need not begin with the first.
    values = np.array([0.3, 4, 6, 0.5], dtype=dtype)
    assert grids_of_runs(values, np.array([1, 1, 3, 3, 4, 4])).tolist() == [
        ANY_GRID,
        1,
        ANY_GRID,
        -1,
        ANY_GRID,
    ]
    assert grids_of_runs(values, np.array([2, 2])).tolist() == [ANY_GRID]
    # In blocks of any size.
    wanted = grids_of_runs(table.ravel(), starts).tolist()
    for block in (1, 7):
        monkeypatch.setattr(grids, "BLOCK", block)
        assert grids_of_runs(table.ravel(), starts).tolist() == wanted
        again = exact_grids_of_rows(table, *extremes)[0]
        np.testing.assert_array_equal(again, found[1])


def test_reals_stay_as_they_are():
    rng = np.random.default_rng(0)
    X = rng.random((500, 20), dtype=np.float32)
    X[:, 0] = 0
    X[7, 0] = 0.123  # few levels, but too many steps
    assert correlation_of_values(X).values.dtype == np.float32
    table = rng.random((300, 40)) * (rng.random((300, 40)) < 0.02)
    assert sparse_correlation(sparse.csc_array(table)).dense.shape == (300, 0)


def test_numbers_too_large_to_be_exact_are_still_right():
    X = np.rint(factor_table(50, 6) * 1e14)
    np.testing.assert_allclose(pearson(X), naive_pearson(X), atol=1e-12)
    tall = np.random.default_rng(0).normal(size=(40_000, 3))
    expected = pd.DataFrame(tall).corr("spearman")
    np.testing.assert_allclose(spearman(tall), expected, atol=1e-12)


@pytest.mark.parametrize("factor", [1e-300, 1e-10, 1e10, 1e300])
def test_scale_does_not_matter(factor):
    X = factor_table(30, 5)
    np.testing.assert_allclose(pearson(X * factor), pearson(X), atol=1e-10)
    np.testing.assert_allclose(energy(X * factor), energy(X), atol=1e-10)
    X[0, 0] = np.nan
    np.testing.assert_allclose(pearson(X * factor), pearson(X), atol=1e-10)


def test_a_constant_column_correlates_zero():
    X = factor_table(20, 4)
    X[:, 2] = 0.1
    for measure in (pearson, spearman):
        similarity = measure(X)
        assert (similarity[2, [0, 1, 3]] == 0).all()
        assert similarity[2, 2] == 1


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("squared", [False, True])
def test_sparse_counts_give_the_bits_of_the_dense_table(container, squared):
    X = np.random.default_rng(0).poisson(0.2, size=(60, 300)).astype(float)
    X[:, 7] = 0
    X[:, 8] = 3
    np.testing.assert_array_equal(
        pearson(container(X), squared=squared), pearson(X, squared=squared)
    )


def test_sparse_reals_agree_with_the_dense_table():
    rng = np.random.default_rng(0)
    X = rng.normal(1e5, 1e5, size=(50, 20)) * (rng.random((50, 20)) < 0.4)
    X[:, 3] = 0.1
    np.testing.assert_allclose(pearson(sparse.csr_array(X)), pearson(X), atol=1e-12)
    single = pearson(sparse.csr_array(X.astype(np.float32)))
    assert single.dtype == np.float32


@pytest.mark.parametrize("measure", [spearman, energy])
def test_ranks_of_a_sparse_table_are_those_of_the_dense_one(measure):
    X = np.random.default_rng(0).poisson(0.5, size=(30, 6)).astype(float)
    np.testing.assert_array_equal(measure(sparse.csr_array(X)), measure(X))


def test_missing_values_in_a_sparse_table_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        pearson(sparse.csr_array([[np.nan, 1.0], [0.0, 1.0]]))


@pytest.mark.parametrize("measure", [pearson, spearman, energy])
@pytest.mark.parametrize("X", [[["a"], ["b"]], [1.0, 2.0], np.empty((0, 3)), [[np.inf], [1.0]]])
def test_what_is_not_a_table_of_numbers_is_refused(measure, X):
    with pytest.raises(ValueError):  # noqa: PT011 - scikit-learn's own messages
        measure(X)


@pytest.mark.parametrize("measure", [pearson, spearman, energy])
def test_one_sample_is_refused(measure):
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        measure([[1.0, 2.0]])


@pytest.mark.parametrize("alpha", [-0.1, 1.1, np.nan])
def test_alpha_out_of_range_is_refused(alpha):
    with pytest.raises(ValueError, match=r"it must be a number in \[0, 1\]"):
        energy([[1.0], [2.0]], alpha=alpha)


def test_an_outlier_that_the_other_column_misses_does_not_hide_a_correlation():
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    y = x + rng.normal(size=50)
    for outlier in (1e8, 1e12, 1e200):
        x[0], y[0] = outlier, np.nan
        X = np.column_stack([x, y])
        np.testing.assert_allclose(pearson(X), naive_pearson(X), rtol=1e-9)
    whole = np.array([[1e10, np.nan], [1, 1], [2, 2], [4, 4]])
    assert pearson(whole)[0, 1] == 1


@pytest.mark.parametrize(
    ("dtype", "offset"), [(np.float32, 1e4), (np.float64, 1e4), (np.float64, 1e9)]
)
def test_a_large_mean_costs_no_digits(dtype, offset):
    X = (factor_table(60, 5) + offset).astype(dtype)
    tolerance = 1e-6 if dtype == np.float32 else 1e-9
    expected = naive_pearson(X)
    np.testing.assert_allclose(pearson(X), expected, atol=tolerance)
    np.testing.assert_allclose(pearson(sparse.csr_array(X)), expected, atol=tolerance)


def test_the_smallest_floats_correlate_beside_an_outlier_that_the_other_column_misses():
    least = 5e-324
    x, y = np.array([1.0, least, 0, least, 0]), np.array([np.nan, 1.0, 0, 1, 0])
    assert pearson(np.column_stack([x, y]))[0, 1] == pytest.approx(1)
    assert pearson(np.column_stack([x, least * y]))[0, 1] == pytest.approx(1)


@pytest.mark.parametrize("measure", [pearson, spearman, energy, mutual_information])
def test_the_largest_floats_of_both_signs_are_numbers_like_others(measure):
    X = factor_table(40, 5)
    X[:, 0] = np.where(X[:, 0] > 0, 1e308, -1e308)
    smaller = X / np.where(np.arange(5) == 0, 1e308, 1)
    np.testing.assert_allclose(measure(X), measure(smaller), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [True, False])
def test_the_smallest_floats_have_the_dispersion_of_larger_ones(dtype, missing):
    X = np.random.default_rng(0).integers(0, 4, size=(12, 5)).astype(dtype)
    X[:2] = [[0], [1]]  # no column is constant
    X[2:4, 1] = np.nan if missing else 2
    least = np.finfo(dtype).smallest_subnormal
    np.testing.assert_array_equal(energy(X * least, alpha=0.7), energy(X, alpha=0.7))


def test_a_large_mean_costs_no_digits_beside_a_missing_value():
    z = np.random.default_rng(5).normal(size=(60, 2))
    z[:, 1] += z[:, 0]
    X = 1e9 + 1e-6 * z
    with_a_gap = np.column_stack([X, np.append(np.nan, z[1:, 0])])
    assert pearson(with_a_gap)[0, 1] == pytest.approx(pearson(X)[0, 1], abs=1e-9)


@pytest.mark.parametrize("factor", [1e7, 1e200])
def test_sparse_counts_too_large_to_be_exact_are_still_right(factor):
    X = np.random.default_rng(0).poisson(0.5, size=(60, 20)) * factor
    np.testing.assert_allclose(pearson(sparse.csr_array(X)), pearson(X), atol=1e-12)
    shifted = (X > 0) + 1e8
    np.testing.assert_allclose(pearson(sparse.csr_array(shifted)), pearson(shifted), atol=1e-12)


def test_duplicate_entries_of_a_sparse_table_are_summed_and_left_alone():
    rows, columns = [0, 0, 1, 2, 3, 3], [0, 0, 1, 0, 1, 1]
    X = sparse.coo_array((np.ones(6), (rows, columns)), shape=(4, 2))
    raw = sparse.csc_array((4, 2))
    raw.data, raw.indices = np.ones(6), np.array([0, 0, 2, 1, 3, 3])
    raw.indptr = np.array([0, 3, 6])
    np.testing.assert_array_equal(pearson(raw), pearson(X.toarray()))
    assert raw.nnz == 6


def test_a_column_that_varies_late_is_not_constant():
    X = np.zeros((200, 6))
    X[150, 1] = 1.0
    X[:, 2] = np.nan
    X[190:, 3], X[:190, 3] = 4.0, np.nan
    X[:, 4], X[70, 4] = np.nan, 2.0
    X[71, 4] = 3.0
    X[0, 5] = 1.0
    assert is_constant(X).tolist() == [True, False, True, True, False, False]
    assert is_constant(np.asfortranarray(X)).tolist() == is_constant(X).tolist()
