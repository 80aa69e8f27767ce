import struct

import numpy as np
from hypothesis import given

from tests.matrices import tables
from topofs.kernels.value_hashes import STEPS, hash_rows, steps_of_rows

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
    steps_of_rows(rows)
    np.testing.assert_array_equal(rows, wanted)
