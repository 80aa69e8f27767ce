"""Rivals that are asked size by size, and those that follow the graph of rows."""

import numpy as np
import pytest
from feature_engine.selection import DropCorrelatedFeatures

from topofs_study.benchmark.rivals import (
    cluster_medoids,
    columns_below_threshold,
    mcfs_order,
    principal_features,
    spec_order,
    uncorrelated_columns,
)

METHODS = {
    "ward": lambda X, sizes: cluster_medoids(X, sizes, method="ward"),
    "average": lambda X, sizes: cluster_medoids(X, sizes, method="average"),
    "principal features": principal_features,
    "uncorrelated": uncorrelated_columns,
}


def crowds(seed=0, n_rows=80, sizes=(6, 5, 4)):
    """Columns in crowds: the first of each is its common factor, the others are noisier."""
    random = np.random.default_rng(seed)
    factors = random.standard_normal((n_rows, len(sizes)))
    columns = [
        factors[:, f] + 0.3 * (member > 0) * random.standard_normal(n_rows)
        for f, size in enumerate(sizes)
        for member in range(size)
    ]
    return np.column_stack(columns)


@pytest.mark.parametrize("method", METHODS)
def test_every_size_has_its_columns(method):
    found = METHODS[method](crowds(), [1, 3, 7, 15])
    for size, columns in found.items():
        assert len(set(columns.tolist())) == size
    assert found[15].tolist() == list(range(15))


@pytest.mark.parametrize("method", ["ward", "average"])
def test_the_medoid_is_the_column_that_shares_most(method):
    assert METHODS[method](crowds(), [3])[3].tolist() == [0, 6, 11]


def test_principal_features_takes_one_of_each_crowd():
    crowd = np.repeat([0, 1, 2], (6, 5, 4))
    assert sorted(crowd[principal_features(crowds(), [3])[3]]) == [0, 1, 2]


def test_equal_columns_leave_no_size_short():
    X = np.repeat(np.random.default_rng(0).standard_normal((10, 2)), 4, axis=1)
    for method in METHODS.values():
        assert len(set(method(X, [6])[6].tolist())) == 6


@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.9])
def test_dropping_is_that_of_feature_engine(threshold):
    import pandas as pd

    X = crowds(seed=1)
    table = pd.DataFrame(X, columns=[f"c{i:02d}" for i in range(X.shape[1])])
    kept = DropCorrelatedFeatures(threshold=threshold).fit_transform(table)
    alike = np.corrcoef(X.T) ** 2
    found = columns_below_threshold(alike, threshold**2, X.shape[1])
    assert [f"c{i:02d}" for i in found] == list(kept.columns)


@pytest.mark.parametrize("order", [lambda X: mcfs_order(X, 5), spec_order])
def test_columns_that_follow_the_groups_of_rows_come_first(order):
    random = np.random.default_rng(2)
    groups = np.repeat(np.eye(4), 15, axis=0)
    X = np.hstack(
        [random.standard_normal((60, 8)), 6 * groups + random.standard_normal((60, 4))]
    )
    found = order(X)
    assert sorted(found) == list(range(12))
    assert len({*found[:4]} & {8, 9, 10, 11}) >= 3  # four groups need three directions
