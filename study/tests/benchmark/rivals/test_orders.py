"""Rivals that choose one column after the other, against their definitions."""

import numpy as np
import pytest

from topofs_study.benchmark.rivals import (
    facility_location_order,
    greedy_subset_order,
    pivoted_qr_order,
    unit_columns,
)

ORDERS = [greedy_subset_order, pivoted_qr_order, facility_location_order]


def table(seed, shape=(30, 12)):
    random = np.random.default_rng(seed)
    mixed = random.standard_normal((shape[1], shape[1])) + 2 * np.eye(shape[1])
    return random.standard_normal(shape) @ mixed


def left_over(Z, chosen):
    """What least squares on the chosen columns leaves of all."""
    if not chosen:
        return Z
    return Z - Z[:, chosen] @ np.linalg.lstsq(Z[:, chosen], Z, rcond=None)[0]


def by_trying(worth, n_columns, size):
    chosen = []
    while len(chosen) < size:
        others = [j for j in range(n_columns) if j not in chosen]
        chosen.append(max(others, key=lambda j: worth(chosen, j)))
    return chosen


@pytest.mark.parametrize("shape", [(30, 12), (9, 20)])
@pytest.mark.parametrize("seed", range(5))
def test_greedy_subset_leaves_the_least_squares(seed, shape):
    Z = unit_columns(table(seed, shape))
    size = min(shape) - 2
    expected = by_trying(
        lambda chosen, j: -np.sum(left_over(Z, [*chosen, j]) ** 2), shape[1], size
    )
    assert greedy_subset_order(table(seed, shape), size)[:size].tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_pivots_are_the_longest_that_are_left(seed):
    Z = unit_columns(table(seed))
    found = pivoted_qr_order(table(seed), 8)[:8].tolist()
    # All columns begin with length 1, so rounding decides on the first.
    for size in range(1, 8):
        lengths = np.linalg.norm(left_over(Z, found[:size]), axis=0)
        assert lengths[found[size]] == pytest.approx(lengths.max())


@pytest.mark.parametrize("seed", range(5))
def test_facility_location_adds_most(seed):
    X = table(seed)
    alike = np.corrcoef(X.T) ** 2
    expected = by_trying(
        lambda chosen, j: alike[[*chosen, j]].max(axis=0).sum().round(10), 12, 8
    )
    assert facility_location_order(X, 8)[:8].tolist() == expected


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_has_every_column_once(order):
    copies = np.hstack([table(0), table(0)])
    few_rows = table(1)[:6]
    for X in (copies, few_rows):
        assert sorted(order(X, 10)) == list(range(X.shape[1]))


@pytest.mark.parametrize("order", [greedy_subset_order, pivoted_qr_order])
def test_copies_wait_until_everything_is_explained(order):
    found = order(np.hstack([table(2), table(2)]), 24) % 12
    assert sorted(found[:12]) == sorted(found[12:]) == list(range(12))


@pytest.mark.parametrize("order", ORDERS)
def test_units_play_no_part(order):
    X = table(3)
    assert order(X * np.arange(1, 13) + 5, 6)[1:6].tolist() == order(X, 6)[1:6].tolist()
