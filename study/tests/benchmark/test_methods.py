"""Every method ranks every column once, and the published settings are the published ones."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from topofs import TopologicalFeatureSelector
from topofs_study.benchmark.methods import (
    METHOD_NAMES,
    METHODS,
    NEEDS_MATRIX,
    PUBLISHED,
    SELECTORS,
    rank_columns,
)
from topofs_study.paper.protocols import PROTOCOLS

X = load_wine().data


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"random", "tfs_tuned"}))
def test_a_ranking_is_a_permutation(method):
    order = rank_columns(method, X, (3, 13, 50))
    assert sorted(order.first(13)) == list(range(13))
    assert len(set(order.first(3).tolist())) == 3
    assert (order.n_auto is not None) == (method in SELECTORS)


@pytest.mark.parametrize("method", PUBLISHED)
def test_the_published_settings_rank_as_in_the_study(method):
    expected = PROTOCOLS["corrected"].ranker(X).tfs(PUBLISHED[method])
    assert rank_columns(method, X).columns.tolist() == expected.tolist()


def test_the_default_is_the_default_of_the_estimator():
    selector = TopologicalFeatureSelector().fit(X)
    order = rank_columns("coverage", X)
    assert order.n_auto == selector.n_features_
    assert order.columns.tolist() == np.argsort(selector.ranking_).tolist()


def test_the_variants_change_what_their_names_say():
    for name, change in SELECTORS.items():
        selector = TopologicalFeatureSelector(**change)
        assert {key: getattr(selector, key) for key in change} == change, name


def test_a_table_without_structure_is_ranked_without_a_warning():
    noise = np.random.default_rng(0).normal(size=(20, 6))
    assert rank_columns("coverage", noise).n_auto >= 1


def test_every_method_has_a_name():
    assert len(set(METHOD_NAMES.values())) == len(METHODS)
    assert set(SELECTORS) | NEEDS_MATRIX < set(METHODS)
