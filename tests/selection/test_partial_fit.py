"""`partial_fit`: batches of rows give what all rows give."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tests.messages import assert_tells
from topofs import TopologicalFeatureSelector


def linked(n_rows=600, n=9, *, gaps=True, seed=0):
    rng = np.random.default_rng(seed)
    X = (
        rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, n))
        + rng.normal(size=(n_rows, n)) / 2
    )
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X


def in_batches(X, cuts, order=None, **parameters):
    selector = TopologicalFeatureSelector(**parameters)
    parts = np.split(X, cuts)
    for i in range(len(parts)) if order is None else order:
        selector.partial_fit(parts[i])
    return selector


@pytest.mark.parametrize("gaps", [False, True])
def test_batches_in_any_order_give_the_fit_of_all_rows(gaps):
    X = linked(gaps=gaps)
    whole = TopologicalFeatureSelector().fit(X)
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        found = in_batches(X, [100, 102, 400], order)
        assert (found.ranking_ == whole.ranking_).all()
        assert (found.support_ == whole.support_).all()
        assert np.abs(found.scores_ - whole.scores_).max() < 1e-10
        assert np.abs(found.shares_ - whole.shares_).max() < 1e-10


def test_shuffled_rows_give_the_same_columns():
    X = linked(gaps=False)
    rng = np.random.default_rng(1)
    expected = in_batches(X, [50, 200])
    for _ in range(3):
        found = in_batches(rng.permutation(X), np.sort(rng.integers(2, 600, 5)))
        assert (found.support_ == expected.support_).all()


def test_whole_numbers_bit_for_bit():
    X = np.rint(linked(gaps=True) * 4)
    whole, found = TopologicalFeatureSelector().fit(X), in_batches(X, [70, 300])
    assert (found.scores_ == whole.scores_).all()


def test_names_and_numbers_of_columns_are_kept():
    frame = pd.DataFrame(linked(), columns=list("abcdefghi"))
    selector = TopologicalFeatureSelector().partial_fit(frame[:300])
    with pytest.raises(ValueError, match="feature names"):
        selector.partial_fit(frame[frame.columns[:8]])
    with pytest.raises(ValueError, match="feature names"):
        selector.partial_fit(frame[frame.columns[::-1]])
    selector.partial_fit(frame[300:])
    whole = TopologicalFeatureSelector().fit(frame)
    assert selector.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    assert selector.feature_names_in_.tolist() == list("abcdefghi")
    assert selector.transform(frame).shape == (600, selector.n_features_)


def test_fit_begins_anew_and_a_clone_is_not_fitted():
    X = linked()
    selector = in_batches(X, [300])
    assert not hasattr(clone(selector), "support_")
    again = selector.fit(X[:200]).scores_
    assert (again == TopologicalFeatureSelector().fit(X[:200]).scores_).all()
    selector.partial_fit(X[200:400])
    alone = TopologicalFeatureSelector().partial_fit(X[200:400])
    assert (selector.scores_ == alone.scores_).all()


def test_a_refused_batch_changes_nothing():
    X = linked()
    selector = in_batches(X, [300])
    before = selector.scores_.copy()
    wrong = X[:50].copy()
    wrong[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinite"):
        selector.partial_fit(wrong)
    assert (selector.scores_ == before).all()
    selector.partial_fit(X[:10])
    assert not (selector.scores_ == before).all()


def test_a_pickled_selector_goes_on():
    X = linked()
    selector = pickle.loads(pickle.dumps(in_batches(X[:400], [100])))
    whole = TopologicalFeatureSelector().fit(X)
    assert np.abs(selector.partial_fit(X[400:]).scores_ - whole.scores_).max() < 1e-10


@pytest.mark.parametrize(
    ("parameters", "facts"),
    [
        ({"similarity": "spearman"}, ["'spearman'", "fit"]),
        ({"similarity": "mixed"}, ["'mixed'", "fit"]),
        ({"relevance": "target"}, ["relevance", "fit"]),
    ],
)
def test_what_needs_all_rows_is_refused(parameters, facts):
    selector = TopologicalFeatureSelector(**parameters)
    assert not hasattr(selector, "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit") as refused:
        selector.partial_fit(linked())
    assert_tells(refused.value.__cause__, *facts)


def test_too_few_rows_and_text_are_refused():
    with pytest.raises(ValueError, match="2 samples"):
        TopologicalFeatureSelector().partial_fit(linked()[:1])
    with pytest.raises(ValueError, match="'place' holds text"):
        TopologicalFeatureSelector().partial_fit(
            pd.DataFrame({"a": [1, 2], "place": ["x", "y"]})
        )


def test_long_whole_numbers_are_refused():
    X = np.column_stack([2**60 + np.arange(20), np.arange(20) % 7])
    with pytest.raises(ValueError, match=r"'?x0'? holds whole numbers beyond 2\*\*53"):
        TopologicalFeatureSelector().partial_fit(X)
