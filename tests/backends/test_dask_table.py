"""Chunks in, the similarity of the whole table out."""

import sys
from types import SimpleNamespace

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.matrices import factor_table, tables
from tests.naive.similarity import naive_pearson
from topofs import Energy, Pearson, Spearman
from topofs.backends import (
    dask_similarity as dask_columns,
)
from topofs.backends import (
    dask_table,
)
from topofs.backends import (
    dask_table as dask_workers,
)
from topofs.backends.dask_similarity import dask_similarity
from topofs.backends.dask_table import check_dask_table, is_dask
from topofs.similarity.base import dense
from topofs.similarity.table import is_constant

MEASURES = [
    Pearson(squared=False),
    Pearson(),
    Spearman(squared=False),
    Spearman(),
    Energy(alpha=0.3),
]
CHUNKS = {
    "rows": (7, -1),
    "columns": (-1, 4),
    "both": (9, 5),
    "one": (-1, -1),
}


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def computed(X, chunks, measure=MEASURES[0]):
    return dask_similarity(check_dask_table(da.from_array(X, chunks=chunks)), measure)


def in_memory(X, measure=MEASURES[0]):
    return dense(measure.operator(X[:, ~is_constant(X)]))


def example(kind, dtype=np.float64):
    X = factor_table(40, 17)
    if kind == "whole":
        X = np.rint(3 * X)
    if kind == "mixed":
        X[:, ::3] = np.rint(X[:, ::3])
    return X.astype(dtype)


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_whole_numbers_and_ranks_have_the_bits_of_the_table_in_memory(measure, dtype, chunks):
    whole = example("whole", dtype)
    halves = whole.copy()
    halves[30:] += dtype(0.5)  # a finer grid than that of the first rows
    late = whole * dtype(2.0**30)
    late[:10] = 0
    apart = whole * dtype(2.0**10) + 1
    powers = (2.0 ** np.arange(-8, 9)).astype(dtype)
    for X in (whole, halves, late, apart, whole * powers):
        found = computed(X, chunks, measure)
        assert found.values.dtype == dtype
        np.testing.assert_array_equal(found.values, in_memory(X, measure))


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("measure", MEASURES[::2], ids=repr)
@pytest.mark.parametrize("kind", ["real", "mixed"])
def test_reals_agree_up_to_rounding(kind, measure, dtype, chunks):
    X = example(kind, dtype)
    found = computed(X, chunks, measure).values
    tolerance = 1e-13 if dtype == np.float64 else 1e-6
    np.testing.assert_allclose(found, in_memory(X, measure), atol=tolerance)
    np.testing.assert_array_equal(found, found.T)


def test_chunks_of_one_value():
    X = example("whole")[:12, :6]
    np.testing.assert_array_equal(computed(X, (1, 1)).values, in_memory(X))


@settings(max_examples=30)
@given(tables(), st.integers(1, 4), st.integers(1, 3), st.sampled_from(MEASURES))
def test_small_tables_full_of_ties_and_constants(X, rows, columns, measure):
    X = np.rint(X)
    found = computed(X, (rows, columns), measure)
    np.testing.assert_array_equal(found.constant, is_constant(X))
    if not found.constant.all():
        np.testing.assert_array_equal(found.values, in_memory(X, measure))


@settings(max_examples=30)
@given(tables(), st.integers(1, 4), st.integers(1, 3))
def test_against_the_definition(X, rows, columns):
    found = computed(X, (rows, columns))
    expected = naive_pearson(X[:, ~found.constant])
    np.testing.assert_allclose(found.values, expected, atol=1e-9)


def test_float32_beside_whole_numbers_counts_in_float64_as_in_memory():
    """One block has a column of whole numbers, the others must follow it."""
    X = factor_table(30, 9).astype(np.float32)
    X[:, 4] = np.rint(X[:, 4])
    found = computed(X, (-1, 3)).values
    np.testing.assert_allclose(found, in_memory(X), rtol=0, atol=6e-8)
    X[:, 4] = 1.0
    found = computed(X, (-1, 3))
    assert found.constant.nonzero()[0].tolist() == [4]
    np.testing.assert_allclose(found.values, in_memory(X), rtol=0, atol=3e-7)


def test_whole_numbers_too_large_for_exact_sums_are_centred():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2**40, size=(60, 6)).astype(float)
    X[:, 0] *= 2.0**20
    for chunks in CHUNKS.values():
        np.testing.assert_allclose(computed(X, chunks).values, in_memory(X), atol=1e-13)


def test_a_mean_far_larger_than_the_spread_costs_no_digits():
    X = factor_table(200, 8) + 1e9
    np.testing.assert_allclose(computed(X, (20, -1)).values, in_memory(X), atol=1e-12)
    whole = np.rint(factor_table(200, 8)) + 1e15
    np.testing.assert_array_equal(computed(whole, (20, -1)).values, in_memory(whole))


def test_first_rows_that_are_not_like_the_others():
    """Zeros first, then numbers whose squares vanish, overflow, or drift away."""
    X = factor_table(60, 6)
    X[:10] = 0.0
    X[:, 0] *= 1e-250
    X[:, 1] *= 1e250
    X[:, 2] += np.linspace(0, 1e6, 60)
    np.testing.assert_allclose(computed(X, (10, -1)).values, in_memory(X), atol=1e-12)
    X[:5, 3] = 1e-300
    np.testing.assert_allclose(computed(X, (5, 2)).values, in_memory(X), atol=1e-12)


@pytest.mark.parametrize("factor", [1e-95, 1e80, 2.0**-300, 2.0**260])
def test_first_rows_of_zeros(factor):
    X = factor_table(60, 6) * factor
    X[:10] = 0
    np.testing.assert_allclose(computed(X, (10, -1)).values, in_memory(X), rtol=0, atol=1e-13)


def test_tiny_grids_beside_large_ones():
    first = np.rint(3 * factor_table(60, 6))
    first[:10] = first[20:30] = 0
    first[25] = 3e-160
    second = factor_table(60, 6)
    second[:10] = 2.0**-950 * (1 + 2.0**50)
    second[10:] *= 2.0**130
    for X in (first, second):
        found = computed(X, (10, -1)).values
        np.testing.assert_allclose(found, in_memory(X), rtol=0, atol=1e-13)


def test_float32_columns_that_only_float64_could_count():
    rng = np.random.default_rng(1)
    left = rng.integers(-(2**24) + 1, 2**24, (25, 3)).astype(np.float32)
    left[0] = 2**24 - 1
    right = rng.integers(0, 2, (25, 3)).astype(np.float32)
    for j in range(3):
        right[j, j], right[10 + j, j] = 2.0**24, 1
    X = np.hstack([left, right])
    np.testing.assert_allclose(computed(X, (-1, 3)).values, in_memory(X), rtol=0, atol=1e-6)


def test_ranks_of_many_samples_follow_the_block_that_is_not_exact(monkeypatch):
    """Sums of squared ranks pass 2^53 in some columns only: all are scaled, as in memory."""
    monkeypatch.setattr("topofs.similarity.correlation.EXACT", 4000.0)
    X = example("real")
    X[:, :6] = X[:, :6] > 0
    found = computed(X, (-1, 3), Spearman(squared=False)).values
    np.testing.assert_allclose(found, in_memory(X, Spearman(squared=False)), atol=1e-14)


def test_a_wave_of_blocks_at_a_time(monkeypatch):
    monkeypatch.setattr(dask_columns, "_ENTRIES", 10)
    X = example("whole")
    np.testing.assert_array_equal(computed(X, (-1, 4)).values, in_memory(X))


def test_many_small_chunks_become_few_blocks(monkeypatch):
    monkeypatch.setattr(dask_table, "_MOST_BLOCKS", 3)
    monkeypatch.setattr(dask_table, "_WIDEST_BLOCK", 2)
    assert dask_table._block_width(da.zeros((5, 17), chunks=(5, 1))) == 6
    assert dask_table._block_width(da.zeros((5, 5), chunks=(5, 5))) == 2


def test_other_types_become_numbers():
    X = np.arange(12).reshape(6, 2) % 5
    for given_type in (np.int8, np.uint64, np.float16, np.bool_):
        table = X.astype(given_type)
        expected = in_memory(table.astype(float))
        np.testing.assert_array_equal(computed(table, (2, 2)).values, expected)


def test_dataframes():
    frame = pd.DataFrame({"a": [1, 2, 3, 5], "b": [True, False, True, True]})
    frame["c"] = pd.array([4, 1, 1, 0], dtype="Int64")
    table = check_dask_table(dd.from_pandas(frame, npartitions=2))
    assert table.dtype == np.float64
    assert table.chunks == ((2, 2), (3,))
    single = frame.astype("float32")
    assert check_dask_table(dd.from_pandas(single, npartitions=2)).dtype == np.float32
    found = dask_similarity(table, Pearson(squared=False))
    np.testing.assert_array_equal(found.values, in_memory(frame.to_numpy(dtype=float)))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (da.zeros(5), "a dask Array, which is not a table"),
        (dask.delayed(int)(1), "a dask Delayed"),
        (da.zeros((1, 3)), r"shape \(1, 3\); at least 2 samples"),
        (da.zeros((4, 0)), "at least 2 samples and 1 feature"),
        (da.zeros((4, 2), dtype=complex), "real numbers; its chunks are of type complex128"),
        (da.from_array(np.array([["a"], ["b"]])), "must hold real numbers"),
    ],
)
def test_what_is_not_a_table_of_numbers_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        check_dask_table(X)


def test_columns_that_are_not_numbers_are_named():
    frame = pd.DataFrame({"a": [1.0, 2.0], "town": ["x", "y"]})
    with pytest.raises(ValueError, match="other things: town"):
        check_dask_table(dd.from_pandas(frame, npartitions=1))


def test_unknown_chunk_sizes_are_refused_with_advice():
    X = da.from_array(factor_table(30, 4), chunks=(10, 4))
    unknown = X[X[:, 0] > 0]
    with pytest.raises(ValueError, match=r"unknown .* call X.compute_chunk_sizes\(\)"):
        check_dask_table(unknown)
    found = dask_similarity(check_dask_table(unknown.compute_chunk_sizes()), Pearson())
    assert found.values.shape == (4, 4)


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("measure", MEASURES[::2], ids=repr)
def test_missing_and_infinite_values_are_refused_with_advice(measure, chunks):
    X = factor_table(30, 9)
    X[20, 7] = np.nan
    X[0, 8] = np.nan
    if measure.products == "values" and da.from_array(X, chunks).numblocks[0] > 1:
        found = computed(X, chunks, measure)
        np.testing.assert_allclose(found.values, in_memory(X, measure), rtol=0, atol=1e-12)
    else:
        refused = r"2 of 9 columns .* first is column 7.* fill them in"
        with pytest.raises(ValueError, match=refused):
            computed(X, chunks, measure)
    X[20, 7] = np.inf
    X[0, 8] = 0
    with pytest.raises(ValueError, match="column 7 of X holds an infinite value"):
        computed(X, chunks, measure)


def client_with(monkeypatch, *limits, status="running"):
    workers = {str(i): {"memory_limit": limit} for i, limit in enumerate(limits)}
    client = SimpleNamespace(status=status, scheduler_info=lambda: {"workers": workers})
    module = SimpleNamespace(default_client=lambda: client)
    monkeypatch.setitem(sys.modules, "distributed", module)


def test_a_column_that_does_not_fit_into_a_worker_cannot_be_ranked(monkeypatch):
    X = da.zeros((10**6, 3), chunks=(10**5, 3))
    client_with(monkeypatch, 10**9, 10**7)
    with pytest.raises(ValueError, match=r"takes 0.032 GB, but a worker has 0.01 GB. Use"):
        dask_similarity(X, Spearman())


def test_narrow_blocks_where_workers_are_small(monkeypatch):
    X = example("whole")
    client_with(monkeypatch, 40 * 8 * 4 * 2)
    assert dask_table._columns_that_fit(40, dask_workers.least_worker_memory()) == 1
    measure = Energy(alpha=0.3)
    np.testing.assert_array_equal(computed(X, (9, 5), measure).values, in_memory(X, measure))


def test_memory_without_a_limit_is_that_of_the_machine(monkeypatch):
    client_with(monkeypatch, 0, None)
    assert dask_workers.least_worker_memory() > 10**8
    monkeypatch.delitem(sys.modules, "distributed")
    assert dask_workers.least_worker_memory() > 10**8


def test_a_cluster_that_is_gone(monkeypatch):
    client_with(monkeypatch, 10**9, status="connecting")
    with pytest.raises(ConnectionError, match="cannot be reached"):
        computed(example("whole"), (9, 5))


def test_other_things_are_not_dask():
    assert is_dask(da.zeros((2, 2)))
    assert not is_dask(np.zeros((2, 2)))
    assert not is_dask(SimpleNamespace(__dask_graph__=None))


@pytest.mark.parametrize("measure", [Pearson(), Spearman()], ids=repr)
def test_chunks_that_a_filter_left_empty_do_not_matter(measure):
    X = example("whole")
    X[:, 0] = np.arange(40)
    array = da.from_array(X, chunks=(10, -1))
    array = array[(array[:, 0] < 10) | (array[:, 0] > 25)]
    array.compute_chunk_sizes()
    assert 0 in array.chunks[0]
    found = dask_similarity(check_dask_table(array), measure)
    kept = X[(X[:, 0] < 10) | (X[:, 0] > 25)]
    np.testing.assert_array_equal(found.values, in_memory(kept, measure))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64"])
def test_whole_numbers_that_float64_rounds_are_refused(dtype):
    X = 2**62 + np.random.default_rng(0).integers(0, 9, (30, 3))
    frame = pd.DataFrame(X, columns=list("abc")).astype(dtype)
    tables = [dd.from_pandas(frame, npartitions=3)]
    if dtype != "Int64":
        tables.append(da.from_array(X.astype(dtype), chunks=(10, 2)))
    for table in tables:
        with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
            dask_similarity(check_dask_table(table), Pearson())
    smaller = da.from_array(X, chunks=(10, 3)) - 2**62
    found = dask_similarity(check_dask_table(smaller), Pearson())
    in_memory = dense(Pearson().operator((X - 2**62).astype(float)))
    np.testing.assert_allclose(found.values, in_memory, atol=1e-12)
