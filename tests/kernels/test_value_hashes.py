import struct

import numpy as np
import pytest
from hypothesis import given

from tests.matrices import tables
from topofs.kernels.value_hashes import (
    DISTANCE,
    ITSELF,
    MIRRORED,
    STANDING,
    STEPS,
    hash_columns,
    hash_rows,
    look_at_columns,
    spans_of_rows,
    steps_of_rows,
)
from topofs.similarity import value_order as value_order_module
from topofs.similarity.value_order import value_order

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
    found = np.empty(len(rows), np.uint64)
    with np.errstate(over="ignore"):
        hash_rows(np.array(rows, dtype=np.float64, order="C"), seeds, found)
    return found.tolist()


def spans_of(rows):
    spans = np.empty((len(rows), 3))
    spans_of_rows(rows, spans)
    return spans


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
    steps_of_rows(rows, spans_of(rows))
    np.testing.assert_array_equal(rows, wanted)


def test_the_span_of_values_on_a_grid_has_no_order():
    rows = np.random.default_rng(6).integers(0, 9, (5, 40)) / 4 + 1e9
    turned = np.random.default_rng(7).permutation(40)
    there, back = spans_of(rows), spans_of(rows[:, turned])
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
    spans = spans_of(rows)
    if what != ITSELF:
        steps_of_rows(rows, spans)
        rows = WAYS[what](rows)
    for columns in (table.T[2:7], np.asfortranarray(table).T[2:7]):
        found, seen = np.empty(5, np.uint64), np.empty((5, 3))
        with np.errstate(over="ignore"):
            hash_columns(columns, what, spans[2:7], seeds, found)
            assert found.tolist() == hashed(rows[2:7], seeds)
            look_at_columns(columns, seen, seeds, found)
        np.testing.assert_array_equal(seen, spans[2:7])
        if what == DISTANCE:
            assert found.tolist() == hashed(rows[2:7], seeds)
    np.testing.assert_array_equal(table, kept)


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
