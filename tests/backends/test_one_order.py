"""Exact ties are decided alike wherever a table is compared: one order for every engine."""

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.matrices import tables
from topofs import Links, Pearson, Spearman, TopologicalFeatureSelector
from topofs.backends.dask_table import check_dask_table
from topofs.backends.device import DeviceProducts
from topofs.backends.device_arrays import NumpyArrays
from topofs.backends.dispatch import columns_to_compare
from topofs.graphs.products import BlockedProducts
from topofs.similarity.column_order import value_order
from topofs.similarity.table import is_constant

CHUNKS = {"rows": (3, -1), "columns": (-1, 6), "both": (4, 7)}
SEEDS = range(6)
TABLES = {
    "binary": lambda rng: rng.integers(0, 2, size=(12, 20)),
    "equally many": lambda rng: rng.permuted(np.tile([[0], [1]], (6, 20)), axis=0),
    "whole": lambda rng: rng.integers(0, 4, size=(10, 20)),
    "halves": lambda rng: rng.integers(0, 4, size=(10, 20)) / 2 + 7,
    "mirrored": lambda rng: np.hstack([X := rng.integers(0, 2, size=(9, 10)), 1 - X, 3 * X]),
    "reals": lambda rng: rng.normal(size=(8, 20)),
}


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def drawn(kind, seed, dtype=np.float64):
    X = TABLES[kind](np.random.default_rng(seed)).astype(dtype)
    X[:, 5] = 1.0
    return X


def order_of(table, measure):
    return columns_to_compare(table, measure, memory=2**30).order().tolist()


def assert_same_order(X, chunks, measure):
    kept = X[:, ~is_constant(X)]
    lazy = check_dask_table(da.from_array(X, chunks=chunks))
    assert order_of(lazy, measure) == value_order(kept).tolist()


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("kind", TABLES)
def test_workers_order_columns_as_memory_does(kind, chunks):
    for seed in SEEDS:
        assert_same_order(drawn(kind, seed), chunks, Pearson())
    assert_same_order(drawn(kind, 0), chunks, Spearman())
    assert_same_order(drawn(kind, 0, np.float32), chunks, Pearson())


@settings(max_examples=30)
@given(tables(), st.integers(1, 4), st.integers(1, 3), st.sampled_from([Pearson(), Spearman()]))
def test_small_tables_full_of_ties_and_constants(X, rows, columns, measure):
    X = np.rint(X)
    if not is_constant(X).all():
        assert_same_order(X, (rows, columns), measure)


def test_chunks_whose_rows_were_all_left_out():
    X = drawn("equally many", 0)
    X[:, 0] = np.arange(12) % 5
    lazy = da.from_array(X, chunks=(3, 4))
    lazy = lazy[(lazy[:, 6] + np.arange(12) < 3) | (lazy[:, 6] + np.arange(12) > 8)]
    lazy = lazy.compute_chunk_sizes()
    assert 0 in lazy.chunks[0]
    kept = lazy.compute()
    expected = value_order(kept[:, ~is_constant(kept)]).tolist()
    assert order_of(check_dask_table(lazy), Pearson()) == expected


def test_columns_of_extreme_size_have_a_place():
    X = drawn("reals", 0)
    X[:, 0] *= 1e300
    X[:, 1] *= 1e-300
    X[:, 2] = np.where(np.arange(8) % 3, 0.0, 5e-324)
    X[:, 3] = np.where(np.arange(8) % 3, -1.7e308, 1.7e308)
    for chunks in CHUNKS.values():
        assert_same_order(X, chunks, Pearson())


@pytest.mark.filterwarnings("ignore::topofs.ConstantFeatureWarning")
@pytest.mark.parametrize(
    "terms",
    [{}, {"graph": Links(strongest=None)}, {"rule": "degree", "graph": "mst"}],
    ids=str,
)
@pytest.mark.parametrize("kind", TABLES)
def test_workers_select_what_memory_selects(kind, terms):
    terms = terms | {"similarity": "spearman" if kind == "reals" else "pearson"}

    def answer(X):
        fitted = TopologicalFeatureSelector(6, **terms).fit(X)
        return fitted.ranking_.tolist(), fitted.graph_, fitted.support_.tolist()

    for seed in SEEDS:
        X = drawn(kind, seed)
        expected = answer(X)
        for chunks in (CHUNKS["rows"], CHUNKS["both"]):
            assert answer(da.from_array(X, chunks=chunks)) == expected, (seed, chunks)


@pytest.mark.parametrize(
    ("kind", "measure"),
    [(kind, Spearman() if kind == "reals" else Pearson()) for kind in TABLES],
    ids=str,
)
def test_sums_of_a_device_have_the_bits_of_the_host(kind, measure):
    for seed in SEEDS:
        X = drawn(kind, seed)
        operator = measure.operator(X[:, ~is_constant(X)])
        by_device = DeviceProducts(operator, NumpyArrays()).survey(-np.inf, [], 4, 8)
        by_host = BlockedProducts(operator).survey(-np.inf, [], 4, 8)
        np.testing.assert_array_equal(by_device[1], by_host[1])
