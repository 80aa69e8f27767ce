import struct

import numpy as np
import pytest
from hypothesis import given

from tests.matrices import tables
from topofs.similarity import column_order as value_hashes
from topofs.similarity import column_order as value_order_module
from topofs.similarity.column_order import (
    DISTANCE,
    ITSELF,
    MIRRORED,
    STANDING,
    STEPS,
    hash_columns,
    hash_rows,
    spans_of_rows,
    take_columns,
    value_order,
)

WORD = 2**64


def naive_hash(values, seeds):
    """The sum of mixed bits in Python's whole numbers."""
    total = 0
    for value, seed in zip(values.tolist(), seeds.tolist(), strict=True):
        plain = float("nan") if value != value else value + 0.0
        bits = (struct.unpack("<Q", struct.pack("<d", plain))[0] + seed) % WORD
        for shift in (33, 29):
            bits = (bits ^ (bits >> shift)) * 0xFF51AFD7ED558CCD % WORD
        total += bits ^ (bits >> 32)
    return total % WORD


def hashed(rows, seeds):
    return hash_rows(np.asarray(rows), seeds).tolist()


@given(tables(missing=True))
def test_hashes_equal_the_naive_twin_and_have_no_order(X):
    rows = X.T.astype(np.float64)
    seeds = np.random.default_rng(0).integers(2**63, size=len(X)).astype(np.uint64)
    assert hashed(rows, seeds) == [naive_hash(row, seeds) for row in rows]
    turned = np.random.default_rng(1).permutation(len(X))
    assert hashed(rows[:, turned], seeds[turned]) == hashed(rows, seeds)


def test_both_zeros_are_one_and_so_is_every_nan():
    other_nan = np.array([0x7FF8000000000001], np.uint64).view(np.float64)[0]
    there, back = hashed([[0.0, np.nan, 2.0], [-0.0, other_nan, 2.0]], np.zeros(3, np.uint64))
    assert there == back


def test_steps_are_of_the_range_from_the_mean():
    rows = np.random.default_rng(2).normal(size=(5, 40))
    rows[0, :3] = np.nan
    rows[1] *= 1e308 / np.abs(rows[1]).max()
    wanted = np.empty_like(rows)
    for row, steps in zip(rows, wanted, strict=True):
        low, high = np.nanmin(row), np.nanmax(row)
        above_mean = row / 2 - 40 * np.nanmean(row / 80)
        steps[:] = np.rint(above_mean / (high / 2 - low / 2) * STEPS)
    found = take_columns(rows, STANDING, spans_of_rows(rows))
    np.testing.assert_array_equal(found, wanted)


def test_the_span_of_values_on_a_grid_has_no_order():
    rows = np.random.default_rng(6).integers(0, 9, (5, 40)) / 4 + 1e9
    turned = np.random.default_rng(7).permutation(40)
    there, back = spans_of_rows(rows), spans_of_rows(rows[:, turned])
    np.testing.assert_array_equal(there, back)
    low, high = rows.min(axis=1), rows.max(axis=1)
    np.testing.assert_array_equal(there[:, :2], np.column_stack([low, high]))
    np.testing.assert_allclose(there[:, 2], (rows.mean(axis=1) - low) / (high - low), rtol=1e-6)


WAYS = {ITSELF: None, STANDING: lambda x: x, MIRRORED: np.negative, DISTANCE: np.abs}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("what", WAYS)
def test_columns_in_any_layout_are_hashed_as_their_steps(dtype, what):
    table = np.random.default_rng(3).normal(size=(30, 9)).astype(dtype)
    table[2, 4] = np.nan
    kept, seeds = table.copy(), np.arange(30, dtype=np.uint64)
    rows = np.array(table.T, dtype=np.float64, order="C")
    spans = spans_of_rows(rows)
    if what != ITSELF:
        rows = WAYS[what](take_columns(rows, STANDING, spans))
    for columns in (table.T[2:7], np.asfortranarray(table).T[2:7]):
        np.testing.assert_array_equal(spans_of_rows(columns), spans[2:7])
        found = hash_columns(columns, what, spans[2:7], seeds)
        assert found.tolist() == hashed(rows[2:7], seeds)
        np.testing.assert_array_equal(take_columns(columns, what, spans[2:7]), rows[2:7])
    np.testing.assert_array_equal(table, kept)


@pytest.mark.parametrize("what", WAYS)
def test_tiles_do_not_change_a_hash(what, monkeypatch):
    rows = np.random.default_rng(5).integers(-9, 9, (7, 50)) / 4
    rows[3, 11:20] = np.nan
    seeds = np.arange(50, dtype=np.uint64)
    spans = spans_of_rows(rows)
    expected = hash_columns(rows, what, spans, seeds).tolist()
    for block in (1, 13, 120):
        monkeypatch.setattr(value_hashes, "BLOCK", block)
        np.testing.assert_array_equal(spans_of_rows(rows), spans)
        assert hash_columns(rows, what, spans, seeds).tolist() == expected


def test_an_order_is_that_of_the_values_in_any_layout_and_type(monkeypatch):
    table = np.random.default_rng(4).integers(0, 9, (5, 40)).astype(np.float64)
    expected = value_order(table).tolist()
    monkeypatch.setattr(value_order_module, "_BLOCK", 35)  # parts of the table are no copies
    frozen = table.copy()
    frozen.flags.writeable = False
    for same in (table, np.asfortranarray(table), frozen, table.astype(np.float32)):
        assert value_order(same).tolist() == expected
    for dtype in (np.int8, np.float16, ">f8"):
        assert value_order(table.astype(dtype)).tolist() == expected
